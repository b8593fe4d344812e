/* SPDX-License-Identifier: MIT */
/*
 * Runner: what fires an actor. One table a way of doing it; lib/run/runners.c has the list of them. firing/ calls these
 * and knows none. There are two sorts:
 *   - a runner with run() gives each of its actors threads of its own, which wait at their ports (thread, launch);
 *   - a runner with begin() has threads of its own, which look whether an actor can be fired: it polls (team). Its
 *     actors wait nowhere, and their FIFOs signal no thread. A network has at most one that polls.
 */
#ifndef PENSTOCK_RUNNER_H
#define PENSTOCK_RUNNER_H

#include "lib/firing/task.h"

struct ps_runner {
	const char *name;

	/* start(), when the actors' devices are known. Does it fire this actor? The first one of the list that says so
	 * does. */
	bool (*takes)(const struct ps_task *);

	/* start(), when each actor has its runner, before FIFOs have memory; NULL: nothing to do. -ENOMEM. */
	int (*prepare)(struct pstk_network *);

	/* A thread of the actor's: fires it until it ends. NULL: this runner polls. */
	void (*run)(struct ps_task *);

	/* That polls: the runner's threads. How many there will be; makes them (they wait for the start's word; a
	 * negative errno: the network has failed, *created threads are to be joined); waits for their end; frees all,
	 * also what a prepare() that failed has left. */
	unsigned (*threads)(const struct pstk_network *);
	int (*begin)(struct pstk_network *, unsigned *created);
	void (*join)(struct pstk_network *, unsigned created);
	void (*free)(struct pstk_network *);

	/* A kahn actor's thread, inside of fire(): waits at this end. Returns the nanoseconds. NULL: fires no kahn
	 * actors. */
	uint64_t (*wait)(struct ps_task *, unsigned port, struct ps_fifo_end *);

	/* Any thread, no lock held. Makes the actor look at its ports again if it waits. */
	void (*nudge)(struct ps_task *);

	/* Any thread that has published a window to this actor or freed one of its windows. NULL: its FIFOs wake it.
	 * wants_help: is it to be called after firings of `by`? Constant after start. */
	void (*help)(struct ps_task *);
	bool (*wants_help)(const struct ps_task *, const struct ps_task *by);

	/* Any thread. Keeps the actor from being fired while it is looked at; false: some thread fires it. NULL: what
	 * holds it is the lock of the FIFO at which it waits. While it can't be fired, a thread that wants it to look
	 * at its ports again leaves a note (again), which let_go() or the thread that fires it reads. */
	bool (*hold)(struct ps_task *);
	void (*let_go)(struct ps_task *);

	/* That polls: an actor of another runner waits for one of its actors, and perhaps that is a deadlock: its
	 * threads are to find out. Do all of them sleep, with nothing left to judge? */
	void (*suspect)(struct pstk_network *);
	bool (*rests)(const struct pstk_network *);
};

#endif
