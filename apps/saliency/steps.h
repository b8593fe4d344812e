/* SPDX-License-Identifier: MIT */
/* The seven steps from a frame to its map, as actors. */
#ifndef SALIENCY_STEPS_H
#define SALIENCY_STEPS_H

#include <penstock/saliency.h>

enum step {
	STEP_WINDOW,
	STEP_FFT,
	STEP_GABOR,
	STEP_IFFT,
	STEP_INTERACTIONS,
	STEP_NORMALIZE,
	STEP_SUM,
	STEPS
};

extern const char *const step_names[STEPS];

/* Where an actor is: on the first or the second place. The second begins after this step; STEPS: there is none. */
struct places {
	const char *selectors[2]; /* NULL: the cores */
	unsigned split;
};

/* 0 or 1: the place of a step. */
unsigned place_of(const struct places *, unsigned step);

/* Does any step run on a device? */
bool places_use_device(const struct places *);

/* The steps in a network, and the FIFOs between them: from step i to step i + 1. */
struct steps {
	struct pstk_actor *actors[STEPS];
	struct pstk_fifo *fifos[STEPS - 1];
};

/* Adds them, and connects them. What fails is among the network's problems.
 *
 * suffix: what stands behind their names, which are unique in a network.
 * whole: each firing takes the maps of a frame, as devices like it. Else ifft and normalize take a map, so that a team
 * shares the maps of a frame out.
 * depth: FIFOs of 24 maps hold those of so many frames; 0: all FIFOs get no depth, for a plan. */
void steps_add(struct steps *, struct pstk_network *, const struct pstk_window_arg *, const char *suffix,
	bool whole);
void steps_connect(struct steps *, const struct pstk_window_arg *, uint32_t depth);

/* Maps them to their devices. 0 or what pstk_actor_map() says first; the network has the problem, too. */
int steps_map(const struct steps *, const struct places *);

#endif
