/* SPDX-License-Identifier: MIT */
/* Pairs (pair_model.h) run with the library, on cores and devices. */
#ifndef PENSTOCK_TESTS_PAIR_NET_H
#define PENSTOCK_TESTS_PAIR_NET_H

#include "tests/random/pair_model.h"

struct pair_totals {
	uint64_t pairs, dead, starved, firings;
};

/* What A's and B's kernels keep in their states, and their forms on cores too. */
struct pair_state {
	uint64_t firings, wrong;
};

/* Runs the pair unchecked; a, b: the devices of A and B, NULL: a core. NULL: it has ended, or died, as predicted, and left
 * the tokens that it should; else what differs, in a buffer of the caller's thread. Adds to the totals. */
const char *pair_run(const struct pair *, const char *a, const char *b, struct pair_totals *);

#endif
