/* SPDX-License-Identifier: MIT */
/*
 * Random networks over several hosts that may deadlock. What crosses has more room than in the whole: what deadlocks
 * there may end here. What does not end with far more room must not end here, either.
 */
#ifndef PENSTOCK_TESTS_DEAD_H
#define PENSTOCK_TESTS_DEAD_H

#include "tests/random/generator.h"
#include "tests/random/run_actor.h"

struct dead_foretold {
	bool must_end, may_end;
};

/* The network of a seed, if there is one and it does not run for ever. */
bool dead_make(struct net *, uint64_t seed);

/* Makes the run ready to be built. */
struct dead_foretold dead_foretell(struct run *, const struct net *);

/* Fails the test unless the run has ended as foretold, with nothing to say. error: the network's. */
void dead_check(const struct run *, struct dead_foretold, const char *replay, int err, const char *error);

#endif
