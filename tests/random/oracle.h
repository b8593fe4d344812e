/* SPDX-License-Identifier: MIT */
/*
 * The oracle: a sequential simulation of any network of net.h. It counts windows in FIFOs of a limited depth; one
 * actor makes one step at a time, in a random order. It shares no code with the library. What it assumes of the
 * library:
 * - Read j of a FIFO may begin when floor(delay / rate) + W > j, write w when w - R < depth, at each place that its
 *   windows cross. W and R count what was completed. An actor takes all windows of the ports that are on, or none. It
 *   publishes and frees them at the end.
 * - A kahn actor moves the windows of its ports one after the other.
 * - A control token's slot is free as soon as the token is taken, before the actor waits for windows.
 * - The end of a stream: an actor that ends closes its outputs and lets its inputs discard. A closed FIFO's last
 * window
 *   may be partly filled. That firing is its reader's last. It fills its outputs in proportion, rounded up.
 *   A reader ends when the next window will never come.
 * - An actor all of whose readers have ended ends too, at a moment that depends on the schedule.
 *
 * What each token is follows from its number alone (net_token()), so that the counts are enough.
 */
#ifndef PENSTOCK_TESTS_ORACLE_H
#define PENSTOCK_TESTS_ORACLE_H

#include "tests/random/net.h"

/* The end of an actor of which nothing else says when it ends. A loop with a source of its own goes on for ever once
 * nothing outside reads it: then it ends here, far beyond what others can do. */
#define ORACLE_ENDLESS UINT64_C(1000)

struct oracle_actor {
	uint64_t ticks, firings, limit;
	bool ends; /* at its limit; else it only goes no further */
	bool decided, busy, ended;
	bool unwanted; /* ended because all its readers have */
	bool starved;  /* ended for want of tokens */
	bool last;     /* busy: a window of its inputs is partly filled */
	uint32_t value;
	unsigned next; /* a kahn actor's port */
	/* oracle_find_bounds(): in no schedule it makes fewer firings; .. */
	uint64_t least;
	bool sure; /* .. it makes all of them, because in no schedule it ends for want of readers */
};

struct oracle_fifo {
	uint64_t written, read; /* windows */
	uint64_t tokens;        /* written */
	uint64_t depth, before; /* writes: at the reader's place, at those before it */
	bool closed, discards;
	bool exact; /* oracle_find_bounds(): so many are written in every schedule */
};

struct oracle {
	const struct net *net;
	const struct net_sequences *sequences;
	struct test_rng rng;
	struct oracle_actor actors[NET_ACTORS];
	struct oracle_fifo fifos[NET_FIFOS];
	unsigned group_of[NET_ACTORS],
		control[NET_ACTORS]; /* the group and the control FIFO of a dynamic actor */
	uint8_t at[NET_ACTORS][NET_FIFOS], at_count[NET_ACTORS]; /* the FIFOs of an actor's ports */
	bool lazy;  /* an actor without readers goes on while anything can move */
	bool wrong; /* a rule of the simulation itself was broken */
};

/* `deeper` multiplies every depth. Each actor has the limit that the network says, or ORACLE_ENDLESS. */
void oracle_init(
	struct oracle *, const struct net *, const struct net_sequences *, unsigned deeper, uint64_t seed);
/* Until nothing can move. */
void oracle_run(struct oracle *);

/*
 * What any schedule may come to: a lazy run, in which each actor makes the most that it can make in any schedule,
 * because the streams that an actor reads do not depend on the schedule. False: it deadlocks.
 */
bool oracle_foretell(struct oracle *, const struct net *, const struct net_sequences *);
/* The same, with every depth multiplied. */
bool oracle_foretell_deeper(
	struct oracle *, const struct net *, const struct net_sequences *, unsigned deeper);
/* After it, if it was true. */
void oracle_find_bounds(struct oracle *);
/* The valid tokens of the window number n of FIFO f, from 0; 0: there is none. */
uint32_t oracle_window(const struct oracle *, unsigned f, uint64_t n);

bool oracle_all_ended(const struct oracle *);
/* Some actor has come to ORACLE_ENDLESS. */
bool oracle_endless(const struct oracle *);
/* Would this network run for ever? Then no test runs it. */
bool oracle_never_ends(const struct net *);

/* Does the actor lack a window, or room for one, at its end of the FIFO? Or did it when it ended? */
bool oracle_waits_at(const struct oracle *, unsigned a, unsigned f, bool for_room);
/* The actors that `a` waits for, as a set; 0: it does not wait (it has ended, or is at its limit). */
uint64_t oracle_waits(const struct oracle *, unsigned a, bool *room);
/* The actors that wait for each other in circles; *room: one of them waits for room. */
uint64_t oracle_deadlocked(const struct oracle *, bool *room);

#endif
