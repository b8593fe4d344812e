/* SPDX-License-Identifier: MIT */
#include "lib/model/actor.h"
#include "lib/base/log.h"
#include "lib/base/text.h"
#include "lib/firing/delegate.h"
#include "lib/firing/firing.h"
#include "lib/firing/firing_rule.h"
#include "lib/firing/quick.h"
#include "lib/firing/reorder.h"
#include "lib/firing/timing.h"
#include "lib/schedule/schedule.h"
#include "lib/schedule/team_device.h"
#include "lib/schedule/team_member.h"

#include <string.h>

/* A member fires one short actor so often at most before it looks at others, then at the clock; and follows the data
 * for so many steps before it looks what was fed from outside of the team */
enum { MOST_AT_ONCE = 16, MOST_STEPS = 256 };

bool ps_member_may_take(const struct ps_member *m, struct ps_task *t)
{
	return !atomic_load_explicit(&t->taking, memory_order_relaxed) && ps_member_is_for(m, t) &&
	       ps_firing_may_take(t);
}

/* Call with `taking` set, which stays so for ever. */
static void end_task(struct ps_task *t)
{
	struct pstk_actor *a = t->actor;
	struct ps_team *team = a->network->schedule->team;

	ps_firing_close(t);
	ps_log(PS_TOPIC_THREAD, PSTK_LOG_INFO, "%s has ended after %llu firing%s", a->name,
		(unsigned long long)atomic_load(&t->firings), ps_plural(atomic_load(&t->firings)));
	if (atomic_fetch_sub(&team->live, 1) == 1)
		ps_eventcount_notify(team->eventcount);
}

/* One of several side by side. `taking` is given back: the next one can be taken. */
static void fire_aside(struct ps_team *team, struct pstk_firing *firing)
{
	struct ps_task *t = firing->actor->task;
	bool delegated = t->delegate && t->delegate->fires(firing);

	ps_member_give_back(t);
	if (delegated)
		return;
	if (ps_eventcount_hint(team->eventcount) && ps_firing_may_take(t))
		ps_eventcount_notify_one(team->eventcount);
	ps_firing_fire(firing);
	ps_reorder_done(firing);
	/* a member that wanted to end the actor has found this firing in flight */
	if ((atomic_load(&t->over) || atomic_load(&t->ending)) && !ps_reorder_in_flight(t))
		ps_team_nudge(t);
}

/* A member that was woken while several actors are ready wakes one more member before it fires. It does so only when it
 * has found something to fire: a look that finds nothing must wake no member. */
static void pass_on(struct ps_member *m, const struct ps_task *taken)
{
	struct ps_team *team = m->team;

	if (team->count == 1 || !ps_eventcount_hint(team->eventcount))
		return;
	for (unsigned i = 0; i < team->task_count; i++)
		if (team->order[i] != taken && ps_member_may_take(m, team->order[i])) {
			ps_eventcount_notify_one(team->eventcount);
			return;
		}
}

/* Firings of one actor since then may have something for a member that sleeps, and none has woken it yet. */
static bool keeps_from(const struct ps_team *team, uint64_t began)
{
	return ps_eventcount_hint(team->eventcount) && ps_timing_look() - began > PS_TEAM_SPIN_NS;
}

/* Has it taken the control token of its next firing? */
static bool has_decided(const struct ps_task *t)
{
	return t->dynamic && atomic_load_explicit(&t->decision, memory_order_relaxed);
}

/* One firing, or several in a row while no member sleeps, which may have to be woken first. false: ps_firing_take() is
 * to tell. */
static bool fire_quickly(struct ps_team *team, struct ps_task *t, bool decided, struct ps_attempt *attempt)
{
	unsigned before = attempt->fired;
	enum ps_quick quick = ps_quick_fire(t, team->count > 1 ? team->eventcount : NULL,
		t->small ? MOST_AT_ONCE : before + 1, &attempt->fired);

	attempt->moved |= attempt->fired != before || has_decided(t) != decided;
	attempt->end = NULL;
	attempt->state = quick == PS_QUICK_FIRED  ? PS_FIRING_READY
	                 : quick == PS_QUICK_OVER ? PS_FIRING_ENDED
	                                          : PS_FIRING_WAIT;
	return quick != PS_QUICK_UNSURE;
}

/* What take_and_fire() does again and again for one task: one firing. false: it is to stop. */
static bool fire_once(struct ps_member *m, struct ps_task *t, bool found, struct ps_attempt *attempt)
{
	bool decided = has_decided(t);
	struct pstk_firing *firing;
	unsigned port;

	if (t->quick && !(found && !attempt->fired) && !m->about_to_sleep &&
		fire_quickly(m->team, t, decided, attempt))
		return attempt->state == PS_FIRING_READY;
	attempt->state = ps_firing_take(t, &firing, &attempt->end, &port);
	/* with its control token taken it waits for other windows than before, and there is room for the next token */
	attempt->moved |= attempt->state == PS_FIRING_READY || has_decided(t) != decided;
	if (attempt->state != PS_FIRING_READY)
		return false;
	attempt->fired++;
	if (found && attempt->fired == 1)
		pass_on(m, t);
	if (m->about_to_sleep) /* it will be busy for as long as fire() takes */
		ps_member_take_back_word(m);
	if (t->slot_count > 1) {
		fire_aside(m->team, firing);
		return false;
	}
	if (!ps_firing_run(firing))
		attempt->state = PS_FIRING_ENDED;
	return attempt->state == PS_FIRING_READY;
}

/* Call with `taking` set, which is given back unless the task has ended. */
static void take_and_fire(struct ps_member *m, struct ps_task *t, bool found, struct ps_attempt *attempt)
{
	struct ps_team *team = m->team;
	uint64_t began = ps_timing_now;

	if (atomic_load_explicit(&t->again, memory_order_relaxed)) {
		atomic_exchange(&t->again, false); /* before its ports are looked at */
		/* a member that has judged meanwhile has relied on it that this task may go on */
		atomic_store(&team->dirty, true);
	}
	while (fire_once(m, t, found, attempt) && attempt->fired < MOST_AT_ONCE && t->small &&
		ps_timing_is_short(t) && !keeps_from(team, began))
		;
	if (t->slot_count > 1 && attempt->state == PS_FIRING_READY)
		return; /* given back before fire() */
	if (attempt->state == PS_FIRING_ENDED) {
		atomic_store(&t->ending, true);
		if (!ps_reorder_in_flight(t)) {
			end_task(t);
			return;
		}
	}
	if (attempt->state == PS_FIRING_WAIT && (team->places || (attempt->end && attempt->end->ops)))
		ps_team_device_announce(t, attempt->end, team->eventcount);
	ps_member_give_back(t);
}

bool ps_member_try(struct ps_member *m, struct ps_task *t, bool found, struct ps_attempt *attempt)
{
	struct pstk_actor *former;

	*attempt = (struct ps_attempt){ .state = PS_FIRING_WAIT };
	if (atomic_exchange(&t->taking, true))
		return false;
	former = ps_actor_enter(t->actor);
	take_and_fire(m, t, found, attempt);
	ps_actor_leave(former);
	if (attempt->moved && !atomic_load_explicit(&m->team->dirty, memory_order_relaxed))
		atomic_store(&m->team->dirty, true);
	return true;
}

/*
 * Following the data.
 */

/* Puts it last; if there are too many, the oldest is forgotten. */
static void leave(struct ps_member *m, struct ps_task *t)
{
	unsigned i = 0;

	while (i < m->left_count && m->left[i] != t)
		i++;
	if (i == m->left_count && i == PS_TEAM_LEFT)
		i = 0;
	if (i < m->left_count)
		memmove(m->left + i, m->left + i + 1, (--m->left_count - i) * sizeof *m->left);
	m->left[m->left_count++] = t;
}

/* What it has fed: the first in port order comes last. */
static void leave_readers(struct ps_member *m, const struct ps_task *t)
{
	const struct ps_task *last = NULL;

	for (unsigned i = t->term_count; i--;) {
		const struct ps_rule_term *g = &t->terms[i];
		struct ps_task *other = g->other;

		if (!g->writer || other == last || !other->polled || !ps_member_is_for(m, other) ||
			!ps_fifo_holds_mine(&g->fifo->fifo))
			continue;
		leave(m, other);
		last = other;
	}
}

/* Not to be fired now, but what lets it go on leaves it to no other member: another one fires it, or makes room. For an
 * input that is not there, the member that brings it does. */
static bool is_held_up(const struct ps_task *t)
{
	unsigned missing = atomic_load_explicit(&t->missing, memory_order_relaxed);

	return atomic_load_explicit(&t->taking, memory_order_relaxed) || t->slot_count > 1 ||
	       (missing < t->term_count && t->terms[missing].writer);
}

struct ps_task *ps_member_next(struct ps_member *m)
{
	for (unsigned i = m->left_count; i--;) {
		struct ps_task *t = m->left[i];
		bool ready = ps_member_may_take(m, t);

		if (ready && ps_member_owns(t))
			return t;
		if (!(ready || is_held_up(t)) || !ps_rule_hold_mine(t))
			memmove(m->left + i, m->left + i + 1, (--m->left_count - i) * sizeof *m->left);
	}
	return NULL;
}

/* Of a team of one: what was fed by it and may fire, the first in port order. */
static struct ps_task *first_fed(const struct ps_member *m, const struct ps_task *t)
{
	for (const struct ps_rule_term *g = t->terms; g < t->terms + t->term_count; g++) {
		struct ps_task *other = g->other;

		if (g->writer && other->polled && ps_member_may_take(m, other))
			return other;
	}
	return NULL;
}

/* Wakes a member if there is something for it, too. */
static void wake_one(struct ps_member *m, struct ps_task *t)
{
	/* a glance may miss a member that is just about to sleep: of consequence only where firings are long */
	bool certain = atomic_load_explicit(&t->timing.lately_ns, memory_order_relaxed) > PS_TEAM_SPIN_NS;
	const struct ps_task *last = NULL;
	unsigned ready = 0;

	if (certain ? !ps_eventcount_awaited(m->team->eventcount) : !ps_eventcount_hint(m->team->eventcount))
		return;
	for (unsigned i = 0; i < t->term_count && ready < 2; i++) {
		const struct ps_rule_term *g = &t->terms[i];
		struct ps_task *other = g->other;

		if (other == last || !other->polled || !ps_member_may_take(m, other))
			continue;
		last = other;
		ready++;
	}
	if (ready > 1 || (ready && ps_member_may_take(m, t)))
		ps_eventcount_notify_one(m->team->eventcount);
}

/* What comes after it: the one that it has fed first, or was fed before and not fired since. */
static struct ps_task *follow(struct ps_member *m, struct ps_task *t)
{
	struct ps_task *next;

	if (m->team->count > 1) {
		wake_one(m, t);
		leave_readers(m, t);
		next = ps_member_next(m);
	} else {
		next = first_fed(m, t);
	}
	if (m->team->fed && ps_member_may_take(m, t))
		ps_team_mark(m->team, t);
	return next;
}

void ps_member_fire_on(struct ps_member *m, struct ps_task *t)
{
	struct ps_attempt attempt;
	unsigned steps = 0;

	do {
		t = follow(m, t);
	} while (t && steps++ < MOST_STEPS && !ps_member_turn_is_over(m) &&
		 ps_member_try(m, t, false, &attempt) && attempt.fired);
}
