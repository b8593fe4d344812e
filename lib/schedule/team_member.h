/* SPDX-License-Identifier: MIT */
/* A member of a team: one of its threads. */
#ifndef PENSTOCK_TEAM_MEMBER_H
#define PENSTOCK_TEAM_MEMBER_H

#include "lib/base/eventcount.h"
#include "lib/firing/firing.h"
#include "lib/firing/timing.h"
#include "lib/schedule/team.h"

#include <sched.h>

/* About what waking a thread costs: a member looks again for so long before it sleeps. */
#define PS_TEAM_SPIN_NS 20000u

/* How often it looks between two looks at the clock. */
enum { PS_TEAM_SPIN_LOOKS = 8 };

/* After so long an actor that has waited all the time comes first, if there is one, and for as long. */
#define PS_TEAM_TURN_NS 20000000u

/* A member remembers so many actors that it has fed. */
enum { PS_TEAM_LEFT = 32 };

struct ps_member {
	/* constant after start */
	struct ps_team *team;
	unsigned index;
	bool on_cores; /* some actor that is pinned belongs to it: it runs on their cores */
	cpu_set_t cores;
	pthread_t thread;
	void *alternate_stack; /* for the crash handler */

	/* this thread's only */
	unsigned first;   /* the actor that had a turn last because it had waited: its place in the order */
	uint64_t turn_at; /* when the present turn began, the clock */
	/* actors that it has fed and that were not fired since, the latest last: a hint where the windows are that it
	 * has made */
	struct ps_task *left[PS_TEAM_LEFT];
	unsigned left_count;
	bool about_to_sleep; /* it has said so (team.idle, the eventcount) */
	char line[PS_CACHE_LINE];
};

/* What an attempt to fire an actor has come to. */
struct ps_attempt {
	unsigned fired;
	bool moved; /* it has fired, or has taken a control token: a member that has judged before must judge again */
	enum ps_firing_state state;
	struct ps_fifo_end *end; /* WAIT: where; NULL: for firings in flight */
};

/* Of this thread; NULL: it is no member of any team. */
extern _Thread_local struct ps_member *ps_member_current __attribute__((tls_model("initial-exec")));

/* Fires until all of the team's actors have ended. */
void ps_member_run(struct ps_member *);

/* Looks for an actor that may fire, fires it, and goes on from it. false: there was none. look: as look_again, but now
 * and then an actor that has waited comes first. */
bool ps_member_look(struct ps_member *);
bool ps_member_look_again(struct ps_member *);

/* Has this thread made what the actor is to work on next? Of large windows most of it; of small ones any, or no member
 * has. A hint. */
bool ps_member_owns(const struct ps_task *);

/* For how long it is worth waiting, now, for a firing that ends then as a rule, with windows of so many bytes that this
 * member has made behind it: until then, but no longer than moving them to another core's cache takes. What is overdue
 * may take for ever. */
uint64_t ps_member_patience_ns(int64_t bytes, uint64_t ends, uint64_t now);

/* Is it left to another member, that has made what it works on? Only if some member takes it while this one waits. */
bool ps_member_leaves(const struct ps_member *, const struct ps_task *);

/* Might this member fire it? A hint. */
bool ps_member_may_take(const struct ps_member *, struct ps_task *);

/* found: by a look at many, not by following the data. false: another thread has it. */
bool ps_member_try(struct ps_member *, struct ps_task *, bool found, struct ps_attempt *);

/* Of the actors that are left one that it may fire, which works on what this member has made; NULL: none. */
struct ps_task *ps_member_next(struct ps_member *);

/* From an actor that it has fired on: fires the actors that this has fed, and so on. */
void ps_member_fire_on(struct ps_member *, struct ps_task *);

/* It is not about to sleep after all. */
void ps_member_take_back_word(struct ps_member *);

/* Says that an actor is perhaps ready, where there is a bit for it. */
void ps_team_mark(struct ps_team *, const struct ps_task *);

/* May it keep a core busy with looking? */
static inline bool ps_member_spins(const struct ps_member *m)
{
	return m->team->spins && !atomic_load_explicit(&m->team->beside, memory_order_relaxed);
}

/* Is it bound to no other member? */
static inline bool ps_member_is_for(const struct ps_member *m, const struct ps_task *t)
{
	return t->member < 0 || (unsigned)t->member == m->index;
}

/* As PS_TEAM_TURN_NS says, by the clock when this thread has looked at it last. */
static inline bool ps_member_turn_is_over(const struct ps_member *m)
{
	return ps_timing_now - m->turn_at >= PS_TEAM_TURN_NS;
}

/* Release is enough: a member that passes the actor by because it is taken relies on the member that has it: that
 * one changes the eventcount's word before it sleeps. */
static inline void ps_member_give_back(struct ps_task *t)
{
	atomic_store_explicit(&t->taking, false, memory_order_release);
}

#endif
