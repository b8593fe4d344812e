/* SPDX-License-Identifier: MIT */
/* Runs dynamic networks with the library, on real threads, and compares them with the oracle. */
#ifndef PENSTOCK_TESTS_DYNAMIC_RUN_H
#define PENSTOCK_TESTS_DYNAMIC_RUN_H

#include "tests/random/dynamic_rules.h"

struct dyn_totals {
	uint64_t networks, actors, fifos, firings, tokens;
	uint64_t teams;                    /* networks that a team runs, not a thread per actor */
	uint64_t on_devices;               /* actors */
	uint64_t endless;                  /* not run: they would never end */
	uint64_t dead;                     /* ended in a deadlock, as the simulation did */
	uint64_t sure_actors, exact_fifos; /* compared exactly, not within bounds */
};

/* Static actors that nothing controls end after `ticks` firings; the others with their streams. devices: of each actor the
 * one on which it shall run if it can; NULL, as NULL in it: on the cores. NULL: the run agrees with the
 * oracle; else what differs. */
const char *dyn_run(const struct dyn_net *, const struct dyn_verdict *, const struct dyn_sequences *,
	uint64_t ticks, const char *const *devices, struct dyn_totals *);

/* The network of this seed, if it is proven and has a group, with some of its actors on some of these devices. As dyn_run(). */
const char *dyn_run_random(uint64_t seed, uint64_t ticks, const char *const *devices, unsigned device_count,
	struct dyn_totals *);

/* Any network, proven or not, by a team, some of its actors pinned. It ends as the simulation does, or is reported dead. Whether
 * its types declare their control values is random. As dyn_run(). */
const char *dyn_run_unproven(const struct dyn_net *, const struct dyn_sequences *, uint64_t ticks,
	unsigned threads, struct dyn_totals *);

void dyn_print_totals(const char *what, const struct dyn_totals *);

#endif
