/* SPDX-License-Identifier: MIT */
/*
 * Makes networks: of a given shape with one rate, or random from a seed.
 */
#ifndef PENSTOCK_TESTS_RANDOM_NET_H
#define PENSTOCK_TESTS_RANDOM_NET_H

#include "tests/common/common.h"
#include "tests/random/net_spec.h"

enum net_shape {
	NET_PIPELINE,
	NET_OUT_TREE,   /* one source, every actor feeds some */
	NET_IN_TREE,    /* several sources, one sink */
	NET_SPLIT_JOIN, /* one source, one sink, the others side by side */
	NET_DIAMONDS,   /* a chain of splits and joins; the direct way is shorter */
	NET_ACYCLIC,    /* any edges that go forward */
	NET_CYCLIC,     /* any edges */
	NET_RING,       /* a ring and chords: no actor is a source */
	NET_SHAPES
};

const char *net_shape_name(enum net_shape shape);

/* What a network of one rate looks like; its tokens are 8 bytes. */
struct net_plan {
	enum net_shape shape;
	unsigned actors;
	uint32_t rate, delay, depth;
	uint64_t tokens; /* of each source */
	bool broadcast;  /* an actor with several readers has one output */
	unsigned dawdle;
};

void net_make(struct net_spec *net, const struct net_plan *plan, uint64_t seed);

/* It says who runs it, too: test_team(). Some actors are stateless, some block, some are pinned. */
void net_make_random(struct net_spec *net, uint64_t seed);

/* Gives most readers of a broadcast the delay tokens of that one which has most, so that they can share memory. */
void net_equal_delays(struct net_spec *net, uint64_t seed);

#endif
