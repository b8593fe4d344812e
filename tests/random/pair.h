/* SPDX-License-Identifier: MIT */
/*
 * A pair: C sends control tokens to A and B, each its own. A -> B is one FIFO with the rate at both ends. What the
 * conditions of doc/internals/deadlock.md, "What deadlocks", say of it, and, apart from them, every interleaving of it.
 */
#ifndef PENSTOCK_TESTS_PAIR_H
#define PENSTOCK_TESTS_PAIR_H

#include "tests/random/net.h"

enum { PAIR_FIRINGS = 12, PAIR_RATE = 4, PAIR_DEPTH = 3, PAIR_CONTROL_DEPTH = 3 };

/* How C writes a control token to each: both in one firing, or, a kahn actor, one after the other. */
enum pair_order { PAIR_AT_ONCE, PAIR_A_FIRST, PAIR_B_FIRST };

struct pair {
	unsigned n;    /* control tokens */
	uint32_t a, b; /* bit k: on in firing k */
	uint32_t rate, delay, depth;
	uint32_t depth_a, depth_b; /* of the control FIFOs */
	enum pair_order order;
};

/* Where everything stands when nothing moves any more. */
struct pair_end {
	bool dead;
	unsigned a_tokens, b_tokens; /* control tokens obeyed; a dead actor's last one is not */
	unsigned written, read;      /* windows; A may have ended with B, so: */
	unsigned written_least;      /* written is the most */
	unsigned a_least;            /* a_tokens is the most */
};

/* The conditions. */
bool pair_dies(const struct pair *);

/* What is left, from the totals; a dead pair's not. */
void pair_predict(const struct pair *, struct pair_end *);

/* Every interleaving. How many states there were; 0: two of them end differently, or out of the prediction. n at
 * most 6. */
unsigned pair_explore(const struct pair *, const struct pair_end *predicted);

/* Half of them near the border between live and dead. */
void pair_random(struct pair *, struct test_rng *);

/* As a network, of these actors; its only data FIFO is the last one. */
enum { PAIR_C, PAIR_A, PAIR_B };
void pair_net(const struct pair *, struct net *);

/* The pair as text, until the next call. */
const char *pair_text(const struct pair *);

#endif
