/* SPDX-License-Identifier: MIT */
/* Runs a network with the library, and compares each window that an actor sees, and what is left, with the oracle. */
#ifndef PENSTOCK_TESTS_RUN_H
#define PENSTOCK_TESTS_RUN_H

#include "tests/random/net.h"

#include <penstock/penstock.h>

enum { NET_TEAMS = 9 }; /* of 1 .. 8; 0: a thread per actor */

struct net_totals {
	uint64_t networks, actors, fifos, firings, tokens;
	uint64_t team_firings[NET_TEAMS]; /* the same firings by the threads of the team; the last: or more */
	uint64_t shared;                  /* FIFOs on the cores whose reader uses another's memory */
	uint64_t bundled;                 /* FIFOs with the counters of a bundle */
	uint64_t moves;                   /* that actors have made */
	uint64_t pipelines, items, device_items, switches;
	uint64_t on_devices;                /* actors */
	uint64_t launches;                  /* of their kernels, with the first launch of each */
	uint64_t endless;                   /* networks that are not run: they would never end */
	uint64_t dead;                      /* networks that end in a deadlock, as the oracle says */
	uint64_t exact_actors, exact_fifos; /* compared exactly, not within bounds */
};

/*
 * What runs a network, and where. The network's `threads` choose a row of net_runners; another way of running
 * networks is another row.
 */
struct net_runner {
	const char *name;
	int (*choose)(struct pstk_network *, const struct net *); /* before actors are added; NULL: nothing */
	int (*run)(struct pstk_network *, const struct net *); /* from start to end; as pstk_network_run() */
};

/* NULL: the run agrees with the oracle, and deadlocks if and where the oracle does. Else what differs. Adds to the
 * totals. One at a time. */
const char *net_run(const struct net *, struct net_totals *);

/* What a network is, built with the library but never run; its actors do nothing. */
struct net_built {
	struct pstk_network *network;
	struct pstk_actor *actors[NET_ACTORS];
	struct pstk_fifo *fifos[NET_FIFOS];
	struct pstk_actor
		*stages[NET_ACTORS][NET_PORTS]; /* of a pipeline's ports; NULL: it is none, or not run */
};
void net_build(struct net_built *, const struct net *);

#endif
