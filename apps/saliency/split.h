/* SPDX-License-Identifier: MIT */
/* Split: after which step the second place begins. */
#ifndef SALIENCY_SPLIT_H
#define SALIENCY_SPLIT_H

#include "apps/saliency/steps.h"

/* What was measured, and what came of it. Zeroed: nothing was. */
struct split {
	bool chosen;
	uint64_t ns[2][STEPS]; /* of each step at each place, a frame */
	double period;         /* s a frame, at least */
};

/* The machine that the places are part of: host "c0", and for a device "c0/g0", "c0/g1". NULL: out of memory, or a
 * device that there is not; said then. */
struct pstk_machine *split_machine(const struct places *);

/* The names of both places on it. */
const char *split_place(const struct places *, unsigned place);

/*
 * Measures each step at both places, on a few frames of noise, and sets places->split to the step after which the
 * second place begins so that a frame takes least by the plan. overlap: as the run will be. 0, or what to exit with;
 * said then.
 */
int split_choose(struct split *, struct places *, const struct pstk_window_arg *, bool overlap);

#endif
