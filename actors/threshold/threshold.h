/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_THRESHOLD_H
#define PENSTOCK_ACTORS_THRESHOLD_H

#include <stddef.h>
#include <stdint.h>

/* pstk_threshold_type()'s comparison of n bytes; dst apart from the others. */
void ps_threshold_bytes(uint8_t *restrict dst, const uint8_t *restrict now, const uint8_t *restrict before,
	uint8_t threshold, size_t n);

#endif
