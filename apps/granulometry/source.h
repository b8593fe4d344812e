/* SPDX-License-Identifier: MIT */
/* The source: images of 1 bit a pixel. */
#ifndef GRANULOMETRY_SOURCE_H
#define GRANULOMETRY_SOURCE_H

#include <penstock/penstock.h>

#include "apps/common/inputs.h"

struct source {
	struct inputs *inputs;
	uint32_t threshold; /* pixels above it are 1 */
	uint8_t *grey;      /* an image */
};

/* Port: out. arg: struct source, borrowed. */
const struct pstk_actor_type *source_type(const struct source *);

#endif
