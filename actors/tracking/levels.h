/* SPDX-License-Identifier: MIT */
/* Levels: a frame blurred, at half the size, and gradients, row by row. */
#ifndef PENSTOCK_ACTORS_LEVELS_H
#define PENSTOCK_ACTORS_LEVELS_H

#include <stddef.h>
#include <stdint.h>

/* Where the parts of a frame's levels lie, in floats: PICTURE, ACROSS, ALONG of each level. */
struct ps_levels {
	size_t w[2], h[2];
	size_t at[2][3];
};
enum { PS_PICTURE, PS_ACROSS, PS_ALONG };

struct ps_levels ps_levels_of(uint32_t width, uint32_t height);

/* Row y of level 0's picture. */
void ps_levels_blur(float *levels, const struct ps_levels *, const uint8_t *frame, size_t y);
/* Row y of level 1's picture, from level 0. */
void ps_levels_halve(float *levels, const struct ps_levels *, size_t y);
/* Row y of both gradients of a level, from its picture. */
void ps_levels_slope(float *levels, const struct ps_levels *, unsigned level, size_t y);

#endif
