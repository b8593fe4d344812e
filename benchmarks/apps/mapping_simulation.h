/* SPDX-License-Identifier: MIT */
/*
 * Simulation: how many items a second a configuration gives, in virtual time, by the run rule alone. It shares no code
 * with the library.
 *
 * Cores are ideal: threads that work on more cores than there are share these alike. A thread that comes to its first
 * run on the device takes it if it is idle; else its item does all stages on the cores. A later run of the same item
 * finds it idle, or is done on the cores. Medium grain with some stages on the device has two items in flight, which
 * wait for the device and for the cores. There is always an item to take.
 */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_SIMULATION_H
#define PENSTOCK_BENCHMARKS_MAPPING_SIMULATION_H

#include "benchmarks/apps/mapping_pipeline.h"

struct mapping_simulation {
	unsigned items;     /* of the run, of which the first quarter does not count */
	unsigned in_flight; /* items between input and output, which leave in order; 0: no bound */
	double stagger;     /* s between the threads' beginnings */
	/* A stage takes up to so much longer, as a share of its time, each time anew. What ends at the same time is in
	 * an order that a real run never has for long; 0: it is. */
	double jitter;
	double stretch; /* a core is so much slower for each other one that is busy, as a share */
	bool permits;   /* a stage has a core to its end, and others wait for one, in turn */
};

/* s that an item keeps cores and the device busy, as the library's meters count: of a thread that shares a core all of
 * the time. */
struct mapping_busy {
	double cores, device;
};

/* Items/s. busy: NULL: it is not wanted. */
double mapping_simulate(const struct mapping_pipeline *, const struct pstk_configuration *,
	const struct mapping_simulation *, struct mapping_busy *busy);

#endif
