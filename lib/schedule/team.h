/* SPDX-License-Identifier: MIT */
/*
 * Team: threads, its members, that fire whichever actor is ready.
 *
 * A member fires an actor, then the actors that this has fed, in port order: the data are in its cache. It stays with
 * what it has made (team_fire.c), and begins with something new at a source. If there is nothing it looks at all
 * actors, from the sinks to the sources: what is nearest to the end frees memory (team_look.c).
 *
 * There are no queues. An actor is ready when its windows are there, which counters say, and the member that gets its
 * `taking` flag fires it. So no actor can be lost; it can only be overlooked while all members sleep. This prevents it:
 *   1. A member that finds nothing says that it is about to sleep.
 *   2. It looks at all actors once more, and only then sleeps on the team's one eventcount. An actor that another
 *      member takes while it looks it may leave to that one, which comes to 1. and 2. later.
 *   3. A member that publishes looks itself before it sleeps. Another thread that publishes, or a member that feeds an
 *      actor bound to another member, notifies the eventcount if a member is about to sleep.
 * All of them say and ask this by changing one word (ps_eventcount_expect(), ps_eventcount_awaited()): the second one
 * to change it sees all that the first one did before. tests/models/team.pml is this protocol.
 *
 * Kahn actors and those that block keep a thread of their own (thread.c) beside the team.
 */
#ifndef PENSTOCK_TEAM_H
#define PENSTOCK_TEAM_H

#include "lib/firing/runner.h"

struct ps_member;

struct ps_team {
	/* constant after start */
	struct pstk_network *net;
	struct ps_member *members;
	unsigned count;
	struct ps_eventcount *eventcount;
	struct ps_task **order; /* what it fires, sinks first */
	unsigned task_count;
	_Atomic uint64_t *fed; /* a bit a task: perhaps ready. NULL: so few that all are looked at */
	unsigned fed_words;
	bool spins;  /* looks again for a while before it sleeps, unless delegates fire */
	bool bound;  /* some task belongs to one member */
	bool places; /* some FIFO's memory is a device's: events notify */

	char line[PS_CACHE_LINE];
	_Atomic unsigned live; /* its tasks that have not ended */
	/* The task that a thread outside of the team has fed last: looked at first, because that thread may wait.
	 * NULL: none */
	_Atomic(struct ps_task *) fed_outside;
	_Atomic unsigned idle; /* members that look for the last time, or sleep */
	/* Something has moved since a member looked for a deadlock last, or none has yet. Set by whatever may turn an
	 * actor that may go on into one that can't: a firing, a control token taken, a nudge taken away.
	 * tests/models/judge.pml */
	atomic_bool dirty;
	_Atomic uint64_t judged_at; /* the clock */
	_Atomic unsigned beside;    /* tasks whose firings a delegate fires at present */
};

/* Takes all actors but kahn actors and those that block, if the network has threads for a team. */
extern const struct ps_runner ps_team_runner;

/* From now on a delegate of a task fires, or does not any more: then its threads need the cores. */
void ps_team_delegates(struct pstk_network *, bool fires);

/* What its table has, but for start and end; as runner.h says. */
void ps_team_help(struct ps_task *);
void ps_team_nudge(struct ps_task *);
bool ps_team_hold(struct ps_task *);
void ps_team_let_go(struct ps_task *);
void ps_team_suspect(struct pstk_network *);
bool ps_team_rests(const struct pstk_network *);

#endif
