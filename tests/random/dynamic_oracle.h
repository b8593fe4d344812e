/* SPDX-License-Identifier: MIT */
/*
 * A sequential simulation of dynamic networks: counts of windows, blocking FIFOs of a limited depth,
 * control tokens consumed before windows, random interleavings. It shares no code with the library. What
 * it assumes of it:
 * - read j of a FIFO may begin when floor(delay / rate) + W > j, write w when w - R < depth; W and R count
 *   what was completed. An actor takes all windows of the ports that are on, or none, and frees and
 *   publishes them at the end.
 * - a control token's slot is free as soon as the token is taken, before the actor waits for windows.
 * - the end of a stream: who ends closes its outputs and lets its inputs discard. A closed FIFO's last
 *   window may be partly filled; that firing is its reader's last, and fills its outputs in proportion,
 *   rounded up. A reader ends when the next window is not there any more; an actor all of whose readers
 *   have ended ends too.
 */
#ifndef PENSTOCK_TESTS_DYNAMIC_ORACLE_H
#define PENSTOCK_TESTS_DYNAMIC_ORACLE_H

#include "tests/random/dynamic_net.h"

struct dyn_sim_actor {
	uint64_t ticks, firings, limit;
	bool ends; /* at its limit; else it only goes no further */
	bool decided, busy, ended, unwanted;
	bool last; /* busy: a window of its inputs is partly filled */
	uint32_t value;
};

struct dyn_sim_fifo {
	uint64_t written, read; /* windows */
	uint64_t tokens;        /* written */
	uint64_t depth;
	bool closed, discards;
};

struct dyn_sim {
	const struct dyn_net *net;
	const struct dyn_sequences *sequences;
	struct test_rng rng;
	struct dyn_sim_actor actors[DYN_ACTORS];
	struct dyn_sim_fifo fifos[DYN_FIFOS];
	unsigned group_of[DYN_ACTORS],
		control[DYN_ACTORS]; /* the group and the control FIFO of a dynamic actor */
	unsigned at[DYN_ACTORS][DYN_FIFOS], at_count[DYN_ACTORS]; /* the FIFOs of an actor's ports */
	uint64_t steps;
	bool wrong; /* a rule of the simulation itself was broken */
};

/* `deeper` multiplies every depth. Set limits before dyn_sim_run(); they are 0. */
void dyn_sim_init(struct dyn_sim *, const struct dyn_net *, const struct dyn_sequences *, unsigned deeper,
	uint64_t seed);

/* The actor ends after this many firings (of a dynamic one: control tokens). DYN_SIM_ENDLESS: not by
 * itself; but a loop with a source of its own, whom nobody outside reads any more, would go on for ever,
 * so it does end far beyond what others can do. dyn_sim_endless(): some actor had to. */
#define DYN_SIM_ENDLESS UINT64_C(1000)
void dyn_sim_end_at(struct dyn_sim *, unsigned a, uint64_t ticks);
bool dyn_sim_endless(const struct dyn_sim *);

/* Until nobody can make a step. */
void dyn_sim_run(struct dyn_sim *);

/* The actors that `a` waits for, as a set; 0: it does not wait (it has ended, or is at its limit). */
uint32_t dyn_sim_waits(const struct dyn_sim *, unsigned a, bool *room);

/* The actors that wait for each other in circles; *room: one of them waits for room. */
uint32_t dyn_sim_deadlocked(const struct dyn_sim *, bool *room);

/* After a run in which all have ended: the actors whose firings are the same in every schedule (the others
 * ended, or could have ended, because nobody read them any more, at a moment of their own), and the FIFOs
 * to which as much was written in every schedule. */
struct dyn_sure {
	uint32_t actors;
	bool written[DYN_FIFOS];
};
void dyn_sim_sure(const struct dyn_sim *, struct dyn_sure *);

#endif
