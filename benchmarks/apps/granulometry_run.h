/* SPDX-License-Identifier: MIT */
/* A stream of images through the network of apps/granulometry, its time, and whether all counts are right. */
#ifndef PENSTOCK_BENCHMARKS_GRANULOMETRY_RUN_H
#define PENSTOCK_BENCHMARKS_GRANULOMETRY_RUN_H

#include "apps/granulometry/network.h"
#include "benchmarks/apps/granulometry_squares.h"

/* What runs, and on what. */
struct sieve {
	struct squares images;
	const char *devices[GRANULOMETRY_PARTS]; /* selectors */
	double unit_ns[GRANULOMETRY_PARTS]; /* of an erosion or dilation there, for the plan; 0: not known */
	double reading_s; /* that the source waits for an image, without a core; 0: it only copies */
	uint32_t split;
	uint64_t count, first; /* images; timed from image `first` on */
};

struct sieved {
	double period_s;    /* from one image to the next */
	double predicted_s; /* the planner's, but at least the time of reading */
};

/* in_turn: an image is read when the one before is through, without any overlap. Ends the program when a count is wrong
 * or an image is missing. */
struct sieved sieve_run(const struct sieve *, bool in_turn);

/* The split that `granulometry --split auto` chooses; unit_ns: what it has measured. Ends the program if it can't. */
uint32_t sieve_auto(const struct sieve *, double unit_ns[GRANULOMETRY_PARTS]);

#endif
