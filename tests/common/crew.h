/* SPDX-License-Identifier: MIT */
/*
 * Crew: networks that are built alike in one process, each of them the part of one rank, over the transport of
 * tests/remote/inside.h. A thread of its own starts each and waits for it, as a process would. Rank i is host i, "ci".
 */
#ifndef PENSTOCK_TESTS_CREW_H
#define PENSTOCK_TESTS_CREW_H

#include "lib/model/network.h"
#include "tests/remote/inside.h"

enum { CREW_RANKS = 4 };

struct crew {
	struct pstk_network *ranks[CREW_RANKS];
	unsigned count;
	uint64_t seed;  /* of the transport's delays */
	uint32_t delay; /* looks that a message takes at most */
	bool chained;   /* a host has links only to those of the numbers before and behind its own */
	/* called once, when rank 0 has looked so often, if its run is not through by then; NULL: nothing is */
	void (*event)(void *data);
	void *data;
	uint64_t looks;
	struct inside *inside;
	int results[CREW_RANKS]; /* of start(), or else of wait() */
	bool started[CREW_RANKS];
};

/* Makes the transport, and gives it to all networks, which are built by now; each learns which host it is. */
void crew_join(struct crew *);

/* The two halves of that: all give their networks the transport (hosts[i]: the name that rank i gives, NULL: none), and
 * are placed. What pstk_network_set_hosts() returns is checked to be 0. */
void crew_meet(struct crew *, const char *const hosts[]);
void crew_place(struct crew *);
/* The second half for one network: of a process that is a rank of so many. */
void crew_place_rank(struct pstk_network *, unsigned count);

/* Starts all, each on a thread, and waits for all: crew_begin() and crew_end(). Returns the result of rank 0. */
int crew_run(struct crew *);
void crew_begin(struct crew *);
int crew_end(struct crew *);

/* Fails the test unless all ranks have that result and that error. */
void crew_check(const struct crew *, int result, const char *error);

/* Fails the test if the transport saw a violation. Destroys the networks, then the transport. */
void crew_free(struct crew *);

#endif
