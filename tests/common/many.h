/* SPDX-License-Identifier: MIT */
/*
 * Many: networks of any number of actors, for teams. Actor 0 gives 0, 1, 2, ..; each other one adds what it
 * reads, from one or two earlier actors, and its own number. So what actor i has at firing k is
 * base_i + step_i * k, which each of them checks. An actor that no actor reads is a sink.
 */
#ifndef PENSTOCK_TESTS_MANY_H
#define PENSTOCK_TESTS_MANY_H

#include "tests/common/common.h"

#include <penstock/penstock.h>

#include <stdatomic.h>

enum many_shape { MANY_CHAIN, MANY_STAR, MANY_TREE, MANY_RANDOM, MANY_SHAPES };

enum { MANY_STATELESS = 1, MANY_BLOCKS = 2, MANY_KAHN = 4, MANY_PINNED = 8, MANY_ALL_KINDS = 15 };

struct many_actor {
	/* constant after many_build() */
	struct many *many;
	unsigned index, kinds;
	unsigned from[2], inputs; /* earlier actors; of a kahn actor and of the source fewer */
	bool is_read;
	uint64_t base, step;
	struct pstk_actor *actor;

	_Atomic uint64_t wrong;
};

struct many {
	struct pstk_network *net;
	struct many_actor *actors;
	unsigned count, delay; /* an actor gives the processor away so often at most in a firing */
	uint64_t seed, ends;   /* firings of the source; UINT64_MAX: it never ends */
};

/* One in two actors is of one of these kinds, any of them. depth 0: as the mode wants it. */
void many_build(
	struct many *, enum many_shape, unsigned count, unsigned kinds, unsigned threads, uint32_t depth);
void many_free(struct many *);

/* After the run: all of it fired `firings` times, and nothing was wrong. */
void many_check(const struct many *, uint64_t firings);
uint64_t many_firings(const struct many *, unsigned index);
uint64_t many_wrong(const struct many *);

#endif
