/* SPDX-License-Identifier: MIT */
/*
 * A move in lock-step, as the paper's runtime makes it (Mansouri, Huet, Fristot, Houzet, DASIP 2013, Algorithm 1): in
 * each iteration every edge moves a window and every kernel runs once, on double buffers, then there is a barrier. The
 * node that moves is saliency's normalize. Which edge moves in which iteration is by pstk_migration_find()'s weights.
 */
#ifndef PENSTOCK_BENCHMARKS_LOCKSTEP_H
#define PENSTOCK_BENCHMARKS_LOCKSTEP_H

#include <stdbool.h>
#include <stdint.h>

enum { LOCKSTEP_CORES = 2 }; /* a place; 0 and 1: halves of PoCL's device */

enum lockstep_way {
	LOCKSTEP_BUILT,    /* the copy of the node, and its buffers, are made in the iteration of the move */
	LOCKSTEP_PREPARED, /* they were made before */
	LOCKSTEP_STOPPED,  /* what the paper rejects: stop, copy, resume */
	LOCKSTEP_WAYS
};

struct lockstep_path {
	unsigned buffers, before; /* before: the node; at least 1, and one behind it */
	unsigned place;
};

struct lockstep_run {
	struct lockstep_path original, migrated;
	enum lockstep_way way;
	unsigned iterations, first; /* the move's first iteration, counted from 1 */
	uint32_t width, height;
	/* upstream gives the maps of the next frame, downstream takes normalized ones, in order */
	void (*next)(void *self, float *maps);
	void (*take)(void *self, const float *maps);
	void *self;
};

struct lockstep_iteration {
	double seconds;
	double since; /* of this one and those before it, as far as they gave nothing */
	bool gave;    /* a window came to downstream */
};

/* Iterations after the paths were filled. Ends the program on an error of OpenCL, and if a window is lost. */
void lockstep_run(const struct lockstep_run *, struct lockstep_iteration *);

/* How many frames it asks upstream for, at most. */
uint64_t lockstep_frames(const struct lockstep_run *);

#endif
