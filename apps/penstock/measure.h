/* SPDX-License-Identifier: MIT */
/*
 * Measure: how long the firings of actors take, in short runs of the network itself, with real data. One thread fires
 * the actors, so that none disturbs another one. On a device it is the time that a firing's commands take there, or
 * that of enqueueing them if this takes longer.
 */
#ifndef PENSTOCK_COMMAND_MEASURE_H
#define PENSTOCK_COMMAND_MEASURE_H

#include "apps/penstock/loading.h"

struct measured_time {
	char *actor, *place; /* owned */
	uint64_t ns;         /* of a firing */
	uint64_t firings;    /* that were measured */
};

struct measure {
	double seconds; /* that a run takes at most, if each actor has fired then */
	bool everywhere; /* each actor at each place where it can be, but for the fixed ones; else at its own */
	struct measured_time *times;
	size_t count;
};

/* Loads and runs the network as often as it takes, and says on stderr what was measured. The network is not loaded
 * then. Without a machine nothing is done. 0, or what to exit with, said then. */
int measure_run(struct measure *, struct loading *);

/* Gives the actors of a network that is loaded again their times. 0, or what to exit with, said then. */
int measure_apply(const struct measure *, const struct loading *);

/* Writes `times` of a graph file: all that is known of the actors that were measured. */
void measure_yaml(const struct measure *, const struct loading *, FILE *);

void measure_free(struct measure *);

#endif
