/* SPDX-License-Identifier: MIT */
/*
 * A network for tests with the fake OpenCL driver: all that a device's actors do, and every token that comes out of it
 * is known. `'|` is the device's part; the rate is 4.
 *
 * 	source --> | add --+--> sum -----> join --> move | --> last
 * 	           |       +--delay 3------^             |
 * 	           |       +------------------------------> first
 *
 * add has a constant table as its argument, sum a state, join a delayed input, move is host code that enqueues.
 */
#ifndef PENSTOCK_TESTS_FAULT_NET_H
#define PENSTOCK_TESTS_FAULT_NET_H

#include "tests/fake_cl/fake_cl.h"

#include <penstock/penstock.h>
#include <stdatomic.h>

enum { FAULT_RATE = 4, FAULT_HISTORY = 2, FAULT_TOKENS_MAX = 40000, FAULT_ACTORS = 7 };

enum fault_actor { FAULT_SOURCE, FAULT_ADD, FAULT_SUM, FAULT_JOIN, FAULT_MOVE, FAULT_FIRST, FAULT_LAST };

struct fault_plan {
	uint32_t tokens; /* of the source; more than FAULT_TOKENS_MAX: it never ends */
	uint32_t delay;  /* of the way to the device; at most 8 */
	bool overlaps;   /* windows do: the source writes 3 tokens, sinks see 2 back, join's b has a tail */
	uint64_t ends[FAULT_ACTORS];  /* a sink ends by itself after so many firings; 0: never */
	const char *on[FAULT_ACTORS]; /* devices; NULL: "fake" */
	const char *kernel;           /* another name for add's; NULL: the right one */
	const char *source;           /* another text; NULL: the right one */
	int init_fails;               /* the actor whose init() fails; 0: none */
	_Atomic uint64_t *gate;       /* the source does not fire before it is 1; NULL: at once */
};

struct fault_sink {
	const uint32_t *expected; /* token by token */
	uint64_t ends;            /* firings; 0: never */
	_Atomic uint64_t seen;    /* tokens, all of them right */
	_Atomic uint64_t wrong;   /* those that were not */
};

struct fault_net {
	const struct fault_plan *plan;
	struct pstk_network *network; /* NULL: out of memory */
	struct pstk_actor *actors[FAULT_ACTORS];
	struct fault_sink first, last;
	unsigned inits[FAULT_ACTORS], finishes[FAULT_ACTORS];
	uint32_t produced;
	int wrong_state; /* of sum, after a run that has not failed */
};

/* Before the process's first OpenCL call: the fake, these settings, PENSTOCK_MEMORY (NULL: not set). */
const struct fake_cl *fault_driver(const char *settings, const char *memory);

/* Forgets faults, counts and violations; the kernels are there. */
void fault_reset(const struct fake_cl *);

void fault_build(struct fault_net *, const struct fault_plan *);

/* After wait(), or a start() that has failed: each finish() was called as often as its init() had succeeded, and every
 * token that was seen is the right one. whole: the run was a success, all tokens came. */
void fault_check(struct fault_net *, bool whole, const char *what);

/* After destroy(): nothing is left of it, nothing was done wrong. lost: but for memory whose commands never end. */
void fault_check_left(const struct fake_cl *, bool lost, const char *what);

void fault_check_violations(const struct fake_cl *, const char *what);

/* Tokens that the sinks get of a source with so many. */
uint64_t fault_first_count(const struct fault_plan *);
uint64_t fault_last_count(const struct fault_plan *);

#endif
