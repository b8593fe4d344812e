/* SPDX-License-Identifier: MIT */
/*
 * Team: threads that fire whichever actor is ready.
 *
 * A thread fires an actor, then who was fed by it, in port order: the data are in its cache. It stays with what it has
 * made (team_fire.c), begins with something new at a source, and only if there is nothing looks at all actors, from the
 * sinks to the sources: what is nearest to the end frees memory (team_look.c). There are no queues: an actor is ready
 * when its windows are there, which counters say, and whoever gets its `taking` flag fires it. So no actor can be lost,
 * only not be looked at while everybody sleeps. That can't be either: who finds nothing says that he is about to sleep,
 * looks at everything once more, and only then sleeps on the team's one eventcount. Who publishes is a member himself,
 * and will look before he sleeps; or he is not, or feeds an actor that is bound to another member: then he rings if
 * somebody is about to sleep. All say and ask this by changing one word (ps_eventcount_expect(),
 * ps_eventcount_awaited()): who comes second has seen all that the first one did before. tests/models/team.pml is this
 * protocol.
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
	struct pstk_actor **order; /* the actors that it fires, sinks first */
	unsigned actors;
	_Atomic uint64_t *fed; /* a bit an actor: perhaps ready. NULL: so few that all are looked at */
	unsigned fed_words;
	bool spins;  /* looks again for a while before it sleeps */
	bool bound;  /* some actor belongs to one member */
	bool places; /* some FIFO's memory is a device's: events ring */

	char line[PS_CACHE_LINE];
	_Atomic unsigned live; /* its actors that have not ended */
	/* Fed from outside of the team last: looked at first, because somebody out there may wait. NULL: nobody */
	_Atomic(struct pstk_actor *) fed_outside;
	_Atomic unsigned idle; /* members that look for the last time, or sleep */
	/* Something has moved since a member looked for a deadlock last, or none has yet. Set by whatever may turn an
	 * actor that may go on into one that can't: a firing, a control token taken, a nudge taken away.
	 * tests/models/judge.pml */
	atomic_bool dirty;
	_Atomic uint64_t judged_at; /* the clock */
};

/* Takes all actors but kahn actors and those that block, if the network has threads for a team. */
extern const struct ps_runner ps_team_runner;

/* What its table has, but for start and end; as runner.h says. */
void ps_team_help(struct pstk_actor *);
void ps_team_nudge(struct pstk_actor *);
bool ps_team_hold(struct pstk_actor *);
void ps_team_let_go(struct pstk_actor *);
void ps_team_suspect(struct pstk_network *);
bool ps_team_rests(const struct pstk_network *);

#endif
