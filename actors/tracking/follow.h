/* SPDX-License-Identifier: MIT */
/* Follow: one feature from the first frame of a pair to the second one. */
#ifndef PENSTOCK_ACTORS_FOLLOW_H
#define PENSTOCK_ACTORS_FOLLOW_H

#include "actors/tracking/levels.h"

#include <stdbool.h>

/* A pair of frames of one size, and what is asked. */
struct ps_follow {
	const float *first, *second; /* levels */
	struct ps_levels levels;
	uint32_t window, rounds;
};

/* Floats of patches that a feature needs. */
size_t ps_follow_room(uint32_t window);

/* to: gets where it is. false: it is lost. */
bool ps_follow(const struct ps_follow *, float x, float y, float to[2], float *room);

#endif
