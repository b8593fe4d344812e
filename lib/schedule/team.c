/* SPDX-License-Identifier: MIT */
#include "lib/schedule/team.h"
#include "lib/base/log.h"
#include "lib/base/relax.h"
#include "lib/firing/reorder.h"
#include "lib/firing/timing.h"
#include "lib/firing/tracing.h"
#include "lib/model/actor.h"
#include "lib/schedule/detector.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/team_device.h"
#include "lib/schedule/team_member.h"

#include <limits.h>

/* A part of the network may be in a deadlock while others go on: so often a member looks */
#define JUDGE_EVERY_NS 100000000u

_Thread_local struct ps_member *ps_member_current;

/*
 * Telling others.
 */

void ps_team_mark(struct ps_team *team, const struct ps_task *t)
{
	uint64_t bit = UINT64_C(1) << t->rank % 64;

	/* a hint: a member that finds nothing looks at all */
	if (!(atomic_load_explicit(&team->fed[t->rank / 64], memory_order_relaxed) & bit))
		atomic_fetch_or_explicit(&team->fed[t->rank / 64], bit, memory_order_relaxed);
}

/* After what others must see: wakes the members that sleep. */
static void wake(struct ps_team *team)
{
	if (ps_eventcount_awaited(team->eventcount))
		ps_eventcount_notify(team->eventcount);
}

void ps_team_help(struct ps_task *t)
{
	struct ps_team *team = t->network->schedule->team;
	const struct ps_member *me = ps_member_current;

	if (team->fed)
		ps_team_mark(team, t);
	if (me && me->team == team) {
		if (!ps_member_is_for(me, t))
			wake(team);
		return;
	}
	atomic_store(&team->dirty, true);
	atomic_store(&team->fed_outside, t);
	wake(team);
}

void ps_team_nudge(struct ps_task *t)
{
	struct ps_team *team = t->network->schedule->team;

	atomic_store(&t->again, true);
	if (team->fed) /* else the end of a chain costs a look at all of it for each of its actors */
		ps_team_mark(team, t);
	atomic_store(&team->dirty, true);
	wake(team);
}

bool ps_team_hold(struct ps_task *t)
{
	return !atomic_exchange(&t->taking, true);
}

void ps_team_let_go(struct ps_task *t)
{
	struct ps_eventcount *eventcount = t->network->schedule->team->eventcount;

	ps_member_give_back(t);
	/* a member that is about to sleep may have passed it by meanwhile */
	if (ps_eventcount_awaited(eventcount) && ps_firing_may_take(t))
		ps_eventcount_notify(eventcount);
}

void ps_team_suspect(struct pstk_network *net)
{
	struct ps_team *team = net->schedule->team;

	atomic_store(&team->dirty, true);
	if (atomic_load(&team->idle) == team->count)
		ps_eventcount_notify(team->eventcount);
}

bool ps_team_rests(const struct pstk_network *net)
{
	const struct ps_team *team = net->schedule->team;

	return team && atomic_load(&team->idle) == team->count && !atomic_load(&team->dirty);
}

void ps_team_delegates(struct pstk_network *net, bool fires)
{
	atomic_fetch_add_explicit(&net->schedule->team->beside, fires ? 1 : -1u, memory_order_relaxed);
}

/*
 * Running.
 */

void ps_member_take_back_word(struct ps_member *m)
{
	m->about_to_sleep = false;
	atomic_fetch_sub(&m->team->idle, 1);
	ps_eventcount_leave(m->team->eventcount);
}

static void judge(struct ps_team *team)
{
	atomic_store(&team->dirty, false);
	if (!ps_detector_judge(team->net)) /* another thread had one of them */
		atomic_store(&team->dirty, true);
	atomic_store(&team->judged_at, ps_timing_look());
}

static void judge_now_and_then(struct ps_team *team)
{
	uint64_t at = atomic_load_explicit(&team->judged_at, memory_order_relaxed);

	if (ps_timing_now < at + JUDGE_EVERY_NS)
		return;
	if (atomic_compare_exchange_strong(&team->judged_at, &at, ps_timing_now))
		judge(team);
}

/* Nothing was found: for as long as waking it would take. true: something was fired. */
static bool spin(struct ps_member *m)
{
	uint64_t end = ps_timing_look() + PS_TEAM_SPIN_NS;

	if (!ps_member_spins(m))
		return false;
	do {
		for (int i = 0; i < PS_TEAM_SPIN_LOOKS; i++) {
			if (ps_member_look_again(m))
				return true;
			ps_relax();
		}
	} while (ps_timing_look() < end && atomic_load_explicit(&m->team->live, memory_order_relaxed));
	return false;
}

/* The look after this member has said that it is about to sleep. If it has had an actor in its hand that could not be
 * fired, another member may have passed that one by, relying on this one: so it must say so again, and look again.
 * Returns whether it may sleep; *fired: what was fired. */
static bool look_for_the_last_time(struct ps_member *m, struct ps_task **fired)
{
	bool sleeps = true;

	*fired = NULL;
	for (unsigned i = 0; i < m->team->task_count && !*fired; i++) {
		struct ps_task *t = m->team->order[i];
		struct ps_attempt attempt;

		/* one that another member takes meanwhile is as good as not ready: that member looks before it sleeps
		 */
		if (!ps_member_may_take(m, t) || ps_member_leaves(m, t) ||
			!ps_member_try(m, t, true, &attempt))
			continue;
		if (attempt.fired)
			*fired = t;
		/* For a window or room on a device an event notifies. The member that fires it brings its end, which
		 * may let others go on. */
		sleeps &= !attempt.moved && !atomic_load(&t->ended) &&
		          !(attempt.state == PS_FIRING_WAIT &&
				  (attempt.end ? !ps_team_device_busy(attempt.end) : t->slot_count > 1));
	}
	return sleeps;
}

static void rest(struct ps_team *team, unsigned seen)
{
	struct ps_trace *trace = team->net->trace;
	uint64_t begin = trace ? ps_clock_ns() : 0;

	/* drivers forget callbacks of events that have failed */
	ps_eventcount_wait(
		team->eventcount, seen, team->places ? PS_EVENTCOUNT_LOOK_AGAIN_NS : PS_EVENTCOUNT_FOR_EVER);
	if (trace)
		ps_tracing_slept(trace, begin, ps_clock_ns() - begin);
}

static void sleep_or_judge(struct ps_member *m, unsigned seen)
{
	struct ps_team *team = m->team;

	if (!atomic_load(&team->live))
		return;
	if (atomic_load(&team->idle) == team->count && atomic_load(&team->dirty))
		judge(team);
	else
		rest(team, seen);
}

static void idle(struct ps_member *m)
{
	struct ps_team *team = m->team;
	struct ps_task *fired;
	unsigned seen;

	if (spin(m))
		return;
	m->about_to_sleep = true;
	atomic_fetch_add(&team->idle, 1);
	seen = ps_eventcount_expect(team->eventcount);
	if (look_for_the_last_time(m, &fired))
		sleep_or_judge(m, seen);
	if (m->about_to_sleep)
		ps_member_take_back_word(m);
	ps_timing_look();
	if (fired)
		ps_member_fire_on(m, fired);
}

void ps_member_run(struct ps_member *m)
{
	ps_member_current = m;
	ps_fifo_by = (unsigned char)(m->index % UCHAR_MAX + 1); /* 0: threads of no team */
	m->turn_at = ps_timing_look();
	while (atomic_load(&m->team->live)) {
		if (!ps_member_look(m))
			idle(m);
		judge_now_and_then(m->team);
	}
	ps_member_current = NULL;
}
