/* SPDX-License-Identifier: MIT */
/*
 * A network for tests of ways, on the fake driver. Its tokens are 1, 2, 3, ..: kernels and the sink look at each of
 * them. Two threads or more may wait at gates that the test opens.
 *
 * 	source --> one (device) --> two (device; may be missing) --> sink
 * 	go ----------------------> two, or one
 */
#ifndef PENSTOCK_TESTS_WAY_NET_H
#define PENSTOCK_TESTS_WAY_NET_H

#include "tests/fake_cl/fake_cl.h"

#include <penstock/penstock.h>
#include <stdatomic.h>

/* WARM_UP: launches of a kernel before its first firing */
enum { WAY_LINE = 64, WAY_RATE = WAY_LINE / 4, WAY_FIRINGS = 60, WAY_WARM_UP = 1 };

#define WAY_TWO_DEVICES "devices=2,svm=none,unified=0,races=1"

struct way_plan {
	uint32_t depth;
	const char *one, *two;                /* devices; two NULL: there is no such actor */
	uint32_t out, in;                     /* rates between one and two; 0: WAY_RATE */
	uint32_t delay, history;              /* there; the source's tokens come behind the initial ones */
	uint32_t tokens;                      /* of the source; 0: WAY_FIRINGS windows */
	uint64_t sink_ends;                   /* firings; 0: never */
	bool go;                              /* two has a second input */
	bool late;                            /* the source waits for the gate of go */
	const struct pstk_actor_type *source; /* NULL: one that sends the tokens */
	unsigned team;                        /* 0: a thread an actor */
};

struct way_net {
	const struct way_plan *plan;
	struct pstk_network *net;
	struct pstk_actor *source, *one, *two, *sink, *go;
	struct pstk_fifo *to_one, *to_two, *to_sink;
	_Atomic uint64_t gate, go_gate; /* sink, go fire when it is 1 */
	uint32_t sent, came, went;
	_Atomic unsigned off_line; /* windows that don't begin on a cache line */
};

/* Before the process's first OpenCL call, and again for other settings: the fake, with the kernels. */
const struct fake_cl *way_driver(const char *settings);

/* The plan stays the caller's. */
void way_build(struct way_net *, const struct way_plan *);
void way_start(struct way_net *);
void way_open_gates(struct way_net *);

/* Windows that a kernel has seen, and that were wrong. */
extern _Atomic unsigned way_wrong;

/* After wait(): every token has come, if the sink was to see all, and no kernel has seen a wrong window. */
void way_check_tokens(const struct way_net *, const char *what);

/* After destroy(): nothing is left, no rule was broken. lost: but for memory whose
 * commands never end. */
void way_check_left(const struct fake_cl *, bool lost, const char *what);

/* Opens the gates; to its end, with every token, destroyed. */
void way_end_well(struct way_net *, const struct fake_cl *, const char *what);

/* So many windows of WAY_RATE tokens are written, and no more. */
void way_await_written(const struct pstk_fifo *, uint64_t windows);

#endif
