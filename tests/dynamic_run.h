/* SPDX-License-Identifier: MIT */
/* Runs a proven dynamic network with the library, on real threads, and compares it with the oracle. */
#ifndef PENSTOCK_TESTS_DYNAMIC_RUN_H
#define PENSTOCK_TESTS_DYNAMIC_RUN_H

#include "tests/dynamic_rules.h"

struct dyn_totals {
	uint64_t networks, actors, fifos, firings, tokens;
	uint64_t endless;                  /* not run: they would never end */
	uint64_t sure_actors, exact_fifos; /* compared exactly, not within bounds */
};

/* Static actors that nothing controls end after `ticks` firings; the others with their streams. NULL: the
 * run agrees with the oracle; else what differs. */
const char *dyn_run(const struct dyn_net *, const struct dyn_verdict *, const struct dyn_sequences *,
	uint64_t ticks, struct dyn_totals *);

#endif
