/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_OPENINGS_H
#define PENSTOCK_ACTORS_OPENINGS_H

#include "actors/common/volume.h"

enum { PS_OPENINGS_IN, PS_OPENINGS_COUNTS, PS_OPENINGS_OUT };

/* The actor's arg. */
struct ps_openings {
	struct ps_volume volume;
	uint32_t first, last;
	bool cross, image;
};

/* u64s in a token of counts. */
static inline size_t ps_openings_results(const struct ps_openings *o)
{
	return (size_t)o->last - o->first + 1;
}

/* Dilates or erodes by the unit element. dst and src are apart from each other. row: room for words + 2. */
void ps_openings_unit(const struct ps_openings *, uint64_t *restrict dst, const uint64_t *restrict src,
	bool erode, uint64_t *restrict row);

#endif
