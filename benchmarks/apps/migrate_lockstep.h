/* SPDX-License-Identifier: MIT */
/* Saliency around a move in lock-step: its upstream steps by the library, its last one by hand. */
#ifndef PENSTOCK_BENCHMARKS_MIGRATE_LOCKSTEP_H
#define PENSTOCK_BENCHMARKS_MIGRATE_LOCKSTEP_H

#include "benchmarks/apps/migrate_network.h"
#include "benchmarks/limit/lockstep.h"

/* Fills in what gives and takes windows. Ends the program if a map is not, bit for bit, that of its frame, which the
 * frames must know. */
void migrate_lockstep_run(
	struct saliency_frames *, struct lockstep_run, struct lockstep_iteration *iterations);

/* The path of such a place: on a device the buffers on either side of the node are there. */
struct lockstep_path migrate_lockstep_path(enum migrate_place);

/* The longest time between two windows around a move for which everything was prepared, s: the median of some runs. */
double migrate_lockstep_gap(struct saliency_frames *, const struct migrate_scenario *);

#endif
