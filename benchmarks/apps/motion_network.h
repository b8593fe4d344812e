/* SPDX-License-Identifier: MIT */
/* Motion detection by the library. */
#ifndef PENSTOCK_BENCHMARKS_MOTION_NETWORK_H
#define PENSTOCK_BENCHMARKS_MOTION_NETWORK_H

#include <penstock/penstock.h>

#include <stdbool.h>
#include <stdint.h>

struct motion_way {
	unsigned team; /* threads; 0: one for each actor */
	uint32_t rate, depth;
	bool fixed; /* each actor's thread on one core */
};

/* What source and sink of a run share; each member belongs to one of them. */
struct motion_run {
	uint64_t frames;    /* constant */
	uint64_t hash;      /* sink's */
	double first, last; /* the clock when the sink had its first and its last window, seconds */
	double ended;       /* the clock when the sink has ended, seconds */
};

/* The source and the sink: frames of any token size that the network has, from output "out" to input "in". */
void motion_add_ends(struct pstk_network *, struct motion_run *, struct pstk_actor *ends[2]);

/* The network, which the caller runs and destroys. run: borrowed. */
struct pstk_network *motion_build(const struct motion_way *, struct motion_run *);

/* For tables of rounds.h; arg: a way. items: a multiple of its rate. */
uint64_t motion_run_network(const void *arg, uint64_t items);

#endif
