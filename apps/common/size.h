/* SPDX-License-Identifier: MIT */
/* The size of an image, or of a volume. */
#ifndef COMMON_SIZE_H
#define COMMON_SIZE_H

#include <stdint.h>

struct size {
	uint32_t width, height, depth; /* pixels; depth 1: an image; width 0: not known */
};

#endif
