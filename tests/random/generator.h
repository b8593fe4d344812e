/* SPDX-License-Identifier: MIT */
/*
 * Makes networks: by hand-made plans, or random from a seed as switches say. It knows neither threads nor devices
 * nor the library.
 */
#ifndef PENSTOCK_TESTS_GENERATOR_H
#define PENSTOCK_TESTS_GENERATOR_H

#include "tests/random/net.h"

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

/* What a static network of one rate looks like; its tokens are 8 bytes. */
struct net_plan {
	enum net_shape shape;
	unsigned actors;
	uint32_t rate, delay, depth;
	uint64_t tokens; /* of each source */
	bool broadcast;  /* an actor with several readers has one output */
	unsigned dawdle;
};

void net_make(struct net *, const struct net_plan *, uint64_t seed);

/* What a random network grows from. */
enum net_form {
	NET_STATIC, /* static actors in a shape, rates to 64, tokens of 1 to 100 bytes */
	NET_DYNAMIC, /* groups, regions and nested groups grow on a few static actors; half of them are spoiled then */
	NET_SMALL, /* a source controls one or two dynamic actors, which wait for themselves or each other */
	NET_PAIR,  /* pair.h */
	NET_PROBES /* eight dynamic actors in a chain under one control, which may come from a device */
};

struct net_switches {
	enum net_form form;
	bool proven; /* only what the rules prove; else start() may refuse the network: it is started all the same */
	bool rates;      /* static and dynamic ones: the ends of FIFOs have rates of their own */
	bool steps;      /* static ones: actors declare steps, and FIFOs have histories and tails */
	bool starved;    /* some delay tokens are taken away */
	bool own_delays; /* readers of a broadcast keep their own delay tokens; else most get the same */
	bool undeclared; /* half of the networks do not declare their control values */
	bool moves;      /* actors may move between the devices and the cores */
	bool pipelines;  /* some actors are run as pipelines, one at least */
	bool beside;     /* FIFOs of one rate have others beside them, between the same actors */
	unsigned most_on_devices;       /* of its actors; 0: all that can */
	unsigned ticks;                 /* firings, at most, of actors that end by their own choice */
	unsigned least_team, most_team; /* 0: test_team() says which threads run it */
};

/* devices: of which to choose; count 0: all actors are on the cores. False: this seed makes none of this kind. */
bool net_make_random(
	struct net *, const struct net_switches *, uint64_t seed, const char *const *devices, unsigned count);

/* The structure of a dynamic network alone. */
void net_make_dynamic(struct net *, uint64_t seed);

/*
 * Between the generator's files.
 */

/* beside.c: more FIFOs between actors that have one. */
void net_add_beside(struct net *);

/* shape.c: edges before they have ports. */
struct net_edges {
	unsigned count;
	struct {
		unsigned src, dst;
	} list[NET_FIFOS];
};
void net_make_edges(struct net_edges *, enum net_shape, unsigned actors, struct test_rng *);
unsigned net_add_edge(struct net *, unsigned src, unsigned dst, bool share, uint32_t rate, size_t size);
uint32_t net_random_delay(uint32_t rate, struct test_rng *);
size_t net_random_token_size(struct test_rng *);
/* Gives each loop enough delay for a first firing: floor(delay / rate) >= 1 somewhere on it. */
void net_enliven(struct net *, struct test_rng *, bool exact);
/* Every actor that no stream ends ends after at most so many firings: partly, with windows left open, early. */
void net_choose_ends(struct net *, uint64_t firings, struct test_rng *);
void net_choose_end(struct net_actor *, uint64_t firings, struct test_rng *);
void net_make_static(struct net *, struct test_rng *, const struct net_switches *);

/* small.c */
void net_make_small(struct net *, struct test_rng *);
void net_make_probes(struct net *, struct test_rng *);

/* stages.c: runs some actors as pipelines. False: none of them can be one. */
bool net_choose_pipelines(struct net *);

/* spoil.c: true if it has changed anything. */
bool net_spoil(struct net *, struct test_rng *, const unsigned *clock_of, const uint64_t *rank);
uint32_t net_random_set(struct test_rng *, uint32_t most);

#endif
