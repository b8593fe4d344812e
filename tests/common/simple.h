/* SPDX-License-Identifier: MIT */
/*
 * Simple actors on 64-bit tokens for the suites: count gives 0, 1, 2, .., relay copies, join adds, collect
 * checks that it gets what count gave behind the delay tokens, which are 0. A chain is count, some relays,
 * collect.
 */
#ifndef PENSTOCK_TESTS_SIMPLE_H
#define PENSTOCK_TESTS_SIMPLE_H

#include <penstock/penstock.h>

#include <stdatomic.h>
#include <stdint.h>

#define SIMPLE_ALL UINT64_MAX

/* Port out. Ends after `tokens`; a partly filled last window says so by itself, a full one with PSTK_DONE. */
struct simple_count {
	uint64_t tokens; /* SIMPLE_ALL: for ever */
	_Atomic uint64_t given;
};

/* Ports in, out. */
struct simple_relay {
	_Atomic uint64_t firings;
};

/* Port in. */
struct simple_collect {
	uint64_t delay;  /* zeros before the first 0 of count */
	uint64_t wanted; /* firings before it ends by itself; SIMPLE_ALL: as long as there is something */
	/* firings it may make now; it waits inside fire() for more, until a failure: then its type is
	 * simple_held_type() */
	_Atomic uint64_t allowed;
	_Atomic uint64_t firings, tokens;
	_Atomic uint64_t wrong; /* tokens that are not the expected ones */
};

const struct pstk_actor_type *simple_count_type(void);   /* arg: struct simple_count */
const struct pstk_actor_type *simple_relay_type(void);   /* arg: struct simple_relay */
const struct pstk_actor_type *simple_join_type(void);    /* arg: none; ports a, b, out */
const struct pstk_actor_type *simple_collect_type(void); /* arg: struct simple_collect */
const struct pstk_actor_type *simple_held_type(void);    /* the same, which blocks: with `allowed` */

enum { SIMPLE_RELAYS = 4 };

struct simple_chain {
	struct pstk_network *net;
	struct simple_count count;
	struct simple_relay relay[SIMPLE_RELAYS];
	struct simple_collect collect;
	struct pstk_actor *actors[SIMPLE_RELAYS + 2]; /* count, relay0, .., collect */
	struct pstk_fifo *fifos[SIMPLE_RELAYS + 1];
	unsigned relays;
};

/* Builds the chain; `delay` zeros in each of its FIFOs. The caller destroys chain->net. */
void simple_chain(struct simple_chain *chain, unsigned relays, uint64_t tokens, uint32_t rate, uint32_t delay,
	uint32_t depth);

/* The same with a collect that may be held. */
void simple_chain_held(struct simple_chain *chain, unsigned relays, uint64_t tokens, uint32_t rate,
	uint32_t delay, uint32_t depth);

#endif
