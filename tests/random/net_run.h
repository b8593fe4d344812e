/* SPDX-License-Identifier: MIT */
/*
 * Runs a network of the tests with the library and compares what each actor sees with the oracle.
 */
#ifndef PENSTOCK_TESTS_NET_RUN_H
#define PENSTOCK_TESTS_NET_RUN_H

#include "tests/random/net_spec.h"

enum { NET_TEAMS = 9 }; /* of 1 .. 8; 0: a thread per actor */

struct net_totals {
	uint64_t networks, actors, fifos, firings, tokens;
	uint64_t team_firings[NET_TEAMS]; /* the same firings by the threads of the team; the last: or more */
	uint64_t shared;                  /* FIFOs on the cores whose reader uses another's memory */
};

/* NULL: the run agrees with the oracle; else what differs, in a buffer of the caller's thread. Adds to the
 * totals. */
const char *net_run(const struct net_spec *net, struct net_totals *totals);

/* The same of a network that the oracle does not bring to an end: the detector must. */
const char *net_run_dead(const struct net_spec *net);

/* The firings by who made them, on stdout. */
void net_print_teams(const struct net_totals *totals);

#endif
