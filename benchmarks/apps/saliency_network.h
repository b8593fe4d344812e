/* SPDX-License-Identifier: MIT */
/* Saliency by the library: the application's steps between frames in memory and what watches their maps. */
#ifndef PENSTOCK_BENCHMARKS_SALIENCY_NETWORK_H
#define PENSTOCK_BENCHMARKS_SALIENCY_NETWORK_H

#include "apps/saliency/steps.h"
#include "benchmarks/apps/saliency_frames.h"

struct saliency_way {
	struct places places; /* split STEP_SUM: all steps at the first one */
	bool dealt;           /* frames go to both places in turn, all steps at each */
	bool in_turn;         /* a frame begins when the one before has come through */
	unsigned team;
	uint64_t count,
		first; /* frames; it is timed from frame `first` on, which begins when those before are through */
	const char *trace; /* a file; NULL: none */
};

struct saliency_ran {
	double seconds;      /* a frame */
	double evenness;     /* of the maps' intervals */
	double steps[STEPS]; /* s a frame in each: of frames in turn on the cores */
	uint64_t bytes;      /* of FIFOs, taken */
	bool in_order;
	double apart; /* of the largest value, from the maps that the frames know */
};

/* Ends the program if it fails, or a map is that of no frame. */
void saliency_run(struct saliency_frames *, const struct saliency_way *, struct saliency_ran *);

#endif
