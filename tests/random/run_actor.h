/* SPDX-License-Identifier: MIT */
/* A network under way: for run.c, fire.c and compare.c. */
#ifndef PENSTOCK_TESTS_RUN_ACTOR_H
#define PENSTOCK_TESTS_RUN_ACTOR_H

#include "tests/random/device.h"
#include "tests/random/oracle.h"
#include "tests/random/run.h"

#include <stdatomic.h>

/* One actor of the run: the arg of its callbacks. */
struct run_actor {
	const struct net *net;
	const struct net_actor *spec;
	const struct oracle *oracle;
	unsigned number, group;
	unsigned fifo[NET_PORTS];    /* of an input; of an output any */
	_Atomic uint64_t begun, ran; /* firings; those of a stateless actor that were thrown away too */
	_Atomic uint64_t numbers;    /* a sum over all that ran */
	uint64_t moved
		[NET_PORTS]; /* windows, if it is not stateless: of its firings only, one after the other */
	uint64_t most;       /* side by side */
	unsigned finished;
	struct device_actor device;
	struct device_state left; /* what finish() has seen */
};

/* Where an actor is, of a network that runs over several processes. */
enum run_where {
	RUN_HERE,
	RUN_TOLD, /* in another one, which has told what it has counted */
	RUN_AWAY
};

struct run {
	const struct net *net;
	struct oracle oracle;
	bool ends;
	bool fails; /* a command or a call may: actors stay where they are, or go on elsewhere */
	struct net_built built;
	size_t shared_bytes; /* what the library has said of it last; 0: nothing */
	struct run_actor actors[NET_ACTORS];
	enum run_where where[NET_ACTORS];
	char message[768];
};

/* Of the run's messages the first one is kept. */
PSTK_PRINTF(2, 3) void run_say(struct run *, const char *format, ...);

/*
 * Another network in place of the one that calls have built.
 */
struct run_exchange {
	void (*exchange)(struct run *); /* run->built is the other one's then, or run has a message */
	void (*destroy)(struct run *);  /* run->built's network */
	int (*run)(struct run *);       /* from start to end; NULL: run->built's network by net_runners */
};
/* carrier_trace.c's: the run is traced, the file read back. carrier_parts.c's: the network is cut into parts. */
extern const struct run_exchange carrier_traced, carrier_cut;
extern const struct run_exchange *run_exchange; /* a carrier's open() sets it; NULL: none */

/* run.c: for its building. */
void run_build(struct run *, struct net_built *);
void run_find_hops(struct run *, struct net *); /* fills the hops of its FIFOs */
struct pstk_actor *run_add_actor(struct run *, struct pstk_network *, unsigned a);
bool run_sets_steps(const struct net_actor *);                       /* they are not in its FIFOs' rates */
struct pstk_fifo_spec run_fifo_spec(const struct net *, unsigned f); /* initial: to be freed */
/* What a port's actor declares. */
struct net_declared {
	uint32_t rate, history, peek;
};
struct net_declared run_declared(const struct net *, unsigned a, unsigned p);

/* fire.c: its callbacks. */
int run_init(struct pstk_actor *);
int run_control(struct pstk_firing *, uint32_t value);
int run_fire(struct pstk_firing *);
int run_finish(struct pstk_actor *);

/* A random delay: nothing, some work, or a step back for the other threads. */
void run_dawdle(struct test_rng *, unsigned percent);
void run_shuffle(struct test_rng *, unsigned *order, unsigned count);
/* Does the window of an input hold its history, these tokens behind so many windows, and zeros behind them? */
bool run_window_holds(
	const struct run_actor *, unsigned port, uint64_t moved, uint32_t valid, const unsigned char *window);

/* On the cores, of an actor that moves. */
int run_fire_moving(struct pstk_firing *);

/* moves.c: moves that are asked for before the start, by a thread of their own, and by actors. */
void run_moves_begin(struct run *);
void run_move_any(const struct run_actor *);           /* in a callback: now and then */
void run_moves_end(struct run *, struct net_totals *); /* compares what was asked with what was answered */
/* Of run_moves_end(): moves with which actors stayed where they were, and firings that went on elsewhere. */
extern unsigned run_moves_stayed, run_moves_failed_over;

/* compare.c */
void run_compare(struct run *, struct net_totals *);
void run_compare_deadlock(struct run *, struct net_totals *);
/* It has failed, or was aborted: what has moved by then is the beginning of what the oracle says. */
void run_compare_failed(struct run *);
/* Before and after the run. How many readers on the cores share memory. */
uint64_t run_check_sharing(struct run *);

/* After a run on the cores: are those FIFOs bundled that are to be? Returns how many FIFOs are in bundles. */
uint64_t run_check_bundles(struct run *);

#endif
