/* SPDX-License-Identifier: MIT */
/* Strongest: how strong a feature each pixel is, and which of them are taken. */
#ifndef PENSTOCK_ACTORS_STRONGEST_H
#define PENSTOCK_ACTORS_STRONGEST_H

#include "actors/tracking/levels.h"
#include "penstock/vision.h"

/* Rows from .. to - 1 of a frame's strengths; those outside of window .. size - window - 1 become 0, and so does what
 * is not above 0. columns: room for 6 x width sums. */
void ps_strengths(float *strengths, const float *levels, const struct ps_levels *, uint32_t window,
	size_t from, size_t to, double *columns);

struct ps_candidate {
	uint32_t bits, number; /* of the strength; of the pixel */
};

/* Of the n strengths above 0 the `most` strongest, at most; equal ones by their number. Returns how many, strongest
 * first. largest: room for a float for each PS_STRONGEST_BLOCK strengths, and one more. */
enum { PS_STRONGEST_BLOCK = 64 };
uint32_t ps_strongest(
	struct ps_candidate *found, const float *strengths, size_t n, uint32_t most, float *largest);

/* Drops, from the strongest one on, those within `radius` of a kept one. Returns how many are left. */
uint32_t ps_apart(struct pstk_feature *features, uint32_t count, uint32_t radius);

#endif
