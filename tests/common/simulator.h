/* SPDX-License-Identifier: MIT */
/*
 * Simulator: a runner (runner.h) that fires every actor of a network on one thread, in an order that a seed draws. So a
 * run is the same each time, on any machine: a failing seed replays exactly.
 *
 * Time is virtual. A firing that begins calls fire() at once and is through some ticks later, when it is published;
 * until then other actors fire, and more firings of the same actor if it is stateless and its concurrency allows them.
 * In each step the simulator either begins one of the firings that can begin, or ends one of those in flight (the clock
 * goes on to its end): which of them is drawn. When it can do neither, the detector judges.
 *
 * Not for kahn actors, actors that block (their fire() waits for others) and actors on devices: the simulator refuses
 * networks with such actors by leaving these to threads of their own, and then no run is the same twice.
 */
#ifndef PENSTOCK_TESTS_SIMULATOR_H
#define PENSTOCK_TESTS_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

struct pstk_network;

/* From now on, networks that start are simulated with this seed; until end(). One thread of the test only. */
void simulator_begin(uint64_t seed);
void simulator_end(void);

/* What the last simulated network has done. */
struct simulator_trace {
	uint64_t steps, firings, judged;
	uint64_t clock; /* ticks */
	uint64_t most;  /* firings in flight at once */
	uint64_t order; /* a hash: which actor's firing began or ended in each step */
};
struct simulator_trace simulator_trace(void);

#endif
