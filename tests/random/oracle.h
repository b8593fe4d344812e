/* SPDX-License-Identifier: MIT */
/*
 * The oracle: a sequential simulation of a network with FIFOs without a limit. It shares no code with the
 * library.
 *
 * What it assumes of the library:
 * - An actor's firing takes `rate` tokens of each input, at the end of a closed FIFO the 1 .. rate-1 that are
 * left, and gives `rate` tokens on each output, or what net_default_valid() says when an input was partly
 * filled, or what the actor said.
 * - An actor ends by its own choice, after a firing with a partly filled window on any port, or when an input
 * is closed and empty. Then its outputs close and its inputs discard.
 * - An actor all of whose readers have ended also ends, at a moment that depends on the schedule. The
 * simulation leaves this rule out, so it gives the most that each actor can fire. Whoever still reads sees no
 * difference: an actor with a reader left does not end by this rule. So each actor's firings are the first
 * ones of the simulation's, all of them where nobody downstream ends early; `least` says how many there must
 * be.
 */
#ifndef PENSTOCK_TESTS_ORACLE_H
#define PENSTOCK_TESTS_ORACLE_H

#include "tests/random/net_spec.h"

struct oracle_fifo {
	unsigned char *tokens; /* initial ones and all that were ever written */
	uint64_t count, room;
	uint64_t taken;
	bool closed;
};

struct oracle_actor {
	uint64_t firings, least;
	uint64_t state;
	bool ended;
	bool sure;    /* did not end because its readers had ended: makes all its firings */
	bool starved; /* ended for want of tokens, not by its own choice or a partly filled window */
};

struct oracle {
	const struct net_spec *net;
	struct oracle_actor actors[NET_ACTORS];
	struct oracle_fifo fifos[NET_FIFOS];
};

/* Runs the network to its end. False: some actor can neither fire nor end, the network would wait for ever.
 */
bool oracle_run(struct oracle *oracle, const struct net_spec *net);
void oracle_free(struct oracle *oracle);

/* The FIFO into an input; the k-th FIFO of an output or NULL. */
unsigned oracle_into(const struct net_spec *net, unsigned actor, unsigned port);

/* The valid tokens of the window that the reader of FIFO f takes in its firing n; 0: there is none. */
uint32_t oracle_window(const struct oracle *oracle, unsigned f, uint64_t n);

#endif
