/* SPDX-License-Identifier: MIT */
/*
 * Networks of actors that do nothing but pass a number of 4 bytes on.
 *
 *	chain   the first makes 0 .. items - 1, the last adds up what arrives
 *	star    the first makes these and is read by all others, each of which adds them up
 *	loop    one number goes around `items` times, one more in each actor; the first adds up what it reads
 */
#ifndef PENSTOCK_BENCHMARKS_HOP_NETWORK_H
#define PENSTOCK_BENCHMARKS_HOP_NETWORK_H

#include <penstock/penstock.h>

#include <stdint.h>

enum hop_shape { HOP_CHAIN, HOP_STAR, HOP_LOOP, HOP_SHAPES };

extern const char *const hop_shape_names[HOP_SHAPES];

struct hop_way {
	enum hop_shape shape;
	unsigned actors, team,
		depth; /* actors: 2 at least; team 0: a thread for each; depth 0: the default */
};

/* What the actors of a run share. */
struct hop_run {
	const struct hop_way *way; /* constant */
	uint64_t items;            /* constant: numbers, or times around */
	/* of a chain, NULL or called by the last actor with the last number, while all threads are there */
	void (*at_last)(struct hop_run *);
	struct hop_sum *sums; /* of each actor; the network's builder and hop_network_end() */
};

/* Builds it; errors show when it runs. */
struct pstk_network *hop_network_build(struct hop_run *);

/* Behind its run: the sum, and what the builder has allocated is freed. */
uint64_t hop_network_end(struct hop_run *);

/* What it has to be. */
uint64_t hop_network_expected(const struct hop_way *, uint64_t items);

#endif
