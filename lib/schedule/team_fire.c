/* SPDX-License-Identifier: MIT */
#include "lib/model/actor.h"
#include "lib/base/log.h"
#include "lib/base/text.h"
#include "lib/firing/firing.h"
#include "lib/firing/firing_rule.h"
#include "lib/firing/reorder.h"
#include "lib/firing/timing.h"
#include "lib/schedule/team_device.h"
#include "lib/schedule/team_member.h"

#include <string.h>

/* A member fires one short actor so often at most before it looks at others, then at the clock; and follows the data
 * for so many steps before it looks who was fed from outside of the team */
enum { MOST_AT_ONCE = 16, MOST_STEPS = 256 };

bool ps_member_may_take(const struct ps_member *m, struct pstk_actor *a)
{
	return !atomic_load_explicit(&a->taking, memory_order_relaxed) && ps_member_is_for(m, a) &&
	       ps_firing_may_take(a);
}

/* Call with `taking` set, which stays so for ever. */
static void end_actor(struct pstk_actor *a)
{
	struct ps_team *team = a->network->team;

	ps_firing_close(a);
	ps_log(PS_TOPIC_THREAD, PSTK_LOG_INFO, "%s has ended after %llu firing%s", a->name,
		(unsigned long long)atomic_load(&a->firings), ps_plural(atomic_load(&a->firings)));
	if (atomic_fetch_sub(&team->live, 1) == 1)
		ps_eventcount_notify(team->eventcount);
}

/* One of several side by side. `taking` is given back: the next one can be taken. */
static void fire_aside(struct ps_team *team, struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;

	ps_member_give_back(a);
	if (ps_eventcount_hint(team->eventcount) && ps_firing_may_take(a))
		ps_eventcount_notify_one(team->eventcount);
	ps_firing_fire(firing);
	ps_reorder_done(firing);
	/* who wanted to end it has found this one in flight */
	if ((atomic_load(&a->over) || atomic_load(&a->ending)) && !ps_reorder_in_flight(a))
		ps_team_nudge(a);
}

/* Who was woken for one of several actors passes the rest on before he fires: only then, because a look that finds
 * nothing to fire must leave everybody asleep. */
static void pass_on(struct ps_member *m, const struct pstk_actor *taken)
{
	struct ps_team *team = m->team;

	if (team->count == 1 || !ps_eventcount_hint(team->eventcount))
		return;
	for (unsigned i = 0; i < team->actors; i++)
		if (team->order[i] != taken && ps_member_may_take(m, team->order[i])) {
			ps_eventcount_notify_one(team->eventcount);
			return;
		}
}

/* Firings of one actor since then may have something for one who sleeps; nobody has told him yet. */
static bool keeps_from(const struct ps_team *team, uint64_t began)
{
	return ps_eventcount_hint(team->eventcount) && ps_timing_look() - began > PS_TEAM_SPIN_NS;
}

/* Has it taken the control token of its next firing? */
static bool has_decided(const struct pstk_actor *a)
{
	return a->control_port != PS_NO_PORT && atomic_load_explicit(&a->decision, memory_order_relaxed);
}

/* In flight, or waiting for a place: who says so looks again by itself. */
static void take_and_fire(struct ps_member *m, struct pstk_actor *a, bool found, struct ps_attempt *t)
{
	struct ps_team *team = m->team;
	struct pstk_firing *firing;
	uint64_t began = ps_timing_now;
	unsigned port;

	if (atomic_load_explicit(&a->again, memory_order_relaxed)) {
		atomic_exchange(&a->again, false); /* before its ports are looked at */
		/* who has judged meanwhile has relied on that it may go on */
		atomic_store(&team->dirty, true);
	}
	do {
		bool decided = has_decided(a);

		t->state = ps_firing_take(a, &firing, &t->end, &port);
		/* with its control token taken it waits for other windows than before, and there is room for the next
		 * token */
		t->moved |= t->state == PS_FIRING_READY || has_decided(a) != decided;
		if (t->state != PS_FIRING_READY)
			break;
		t->fired++;
		if (found && t->fired == 1)
			pass_on(m, a);
		if (m->about_to_sleep) /* it will be busy for as long as fire() takes */
			ps_member_take_back_word(m);
		if (a->slot_count > 1) {
			fire_aside(team, firing);
			return;
		}
		if (!ps_firing_run(firing))
			t->state = PS_FIRING_ENDED;
	} while (t->state == PS_FIRING_READY && t->fired < MOST_AT_ONCE && a->small &&
		 ps_timing_is_short(a) && !keeps_from(team, began));
	if (t->state == PS_FIRING_ENDED) {
		atomic_store(&a->ending, true);
		if (!ps_reorder_in_flight(a)) {
			end_actor(a);
			return;
		}
	}
	if (t->state == PS_FIRING_WAIT && team->places)
		ps_team_device_announce(a, t->end, team->eventcount);
	ps_member_give_back(a);
}

bool ps_member_try(struct ps_member *m, struct pstk_actor *a, bool found, struct ps_attempt *t)
{
	struct pstk_actor *former;

	*t = (struct ps_attempt){ .state = PS_FIRING_WAIT };
	if (atomic_exchange(&a->taking, true))
		return false;
	former = ps_actor_enter(a);
	take_and_fire(m, a, found, t);
	ps_actor_leave(former);
	if (t->moved && !atomic_load_explicit(&m->team->dirty, memory_order_relaxed))
		atomic_store(&m->team->dirty, true);
	return true;
}

/*
 * Following the data.
 */

/* Puts it last; if there are too many, the oldest is forgotten. */
static void leave(struct ps_member *m, struct pstk_actor *a)
{
	unsigned i = 0;

	while (i < m->left_count && m->left[i] != a)
		i++;
	if (i == m->left_count && i == PS_TEAM_LEFT)
		i = 0;
	if (i < m->left_count)
		memmove(m->left + i, m->left + i + 1, (--m->left_count - i) * sizeof *m->left);
	m->left[m->left_count++] = a;
}

/* Whom it has fed: the first in port order comes last. */
static void leave_readers(struct ps_member *m, const struct pstk_actor *a)
{
	for (unsigned i = a->term_count; i--;) {
		const struct ps_rule_term *g = &a->terms[i];
		struct pstk_actor *other = g->fifo->dst;

		if (!g->writer || !other->polled || !ps_member_is_for(m, other) ||
			(i && a->terms[i - 1].writer && a->terms[i - 1].fifo->dst == other))
			continue;
		if (ps_fifo_holds_mine(&g->fifo->fifo))
			leave(m, other);
	}
}

/* Not to be fired now, but who lets it go on leaves it to nobody: another member fires it, or makes room. For an input
 * that is not there, who brings it does. */
static bool is_held_up(const struct pstk_actor *a)
{
	unsigned missing = atomic_load_explicit(&a->missing, memory_order_relaxed);

	return atomic_load_explicit(&a->taking, memory_order_relaxed) || a->slot_count > 1 ||
	       (missing < a->term_count && a->terms[missing].writer);
}

struct pstk_actor *ps_member_next(struct ps_member *m)
{
	for (unsigned i = m->left_count; i--;) {
		struct pstk_actor *a = m->left[i];
		bool ready = ps_member_may_take(m, a);

		if (ready && ps_member_owns(a))
			return a;
		if (!(ready || is_held_up(a)) || !ps_rule_hold_mine(a))
			memmove(m->left + i, m->left + i + 1, (--m->left_count - i) * sizeof *m->left);
	}
	return NULL;
}

/* Of a team of one: who was fed by it and may fire, the first in port order. */
static struct pstk_actor *first_fed(const struct ps_member *m, const struct pstk_actor *a)
{
	for (const struct ps_rule_term *g = a->terms; g < a->terms + a->term_count; g++)
		if (g->writer && g->fifo->dst->polled && ps_member_may_take(m, g->fifo->dst))
			return g->fifo->dst;
	return NULL;
}

/* Wakes somebody if there is something for him, too. */
static void wake_one(struct ps_member *m, struct pstk_actor *a)
{
	/* a glance may miss who is just about to sleep: of consequence only where firings are long */
	bool certain = atomic_load_explicit(&a->timing.lately_ns, memory_order_relaxed) > PS_TEAM_SPIN_NS;
	unsigned ready = 0;

	if (certain ? !ps_eventcount_awaited(m->team->eventcount) : !ps_eventcount_hint(m->team->eventcount))
		return;
	for (unsigned i = 0; i < a->term_count && ready < 2; i++) {
		const struct ps_rule_term *g = &a->terms[i];
		struct pstk_actor *other = g->writer ? g->fifo->dst : g->fifo->src;

		ready += other->polled && ps_member_may_take(m, other);
	}
	if (ready > 1 || (ready && ps_member_may_take(m, a)))
		ps_eventcount_notify_one(m->team->eventcount);
}

/* Who comes after it: the one that it has fed first, or was fed before and not fired since. */
static struct pstk_actor *follow(struct ps_member *m, struct pstk_actor *a)
{
	struct pstk_actor *next;

	if (m->team->count > 1) {
		wake_one(m, a);
		leave_readers(m, a);
		next = ps_member_next(m);
	} else {
		next = first_fed(m, a);
	}
	if (m->team->fed && ps_member_may_take(m, a))
		ps_team_mark(m->team, a);
	return next;
}

void ps_member_fire_on(struct ps_member *m, struct pstk_actor *a)
{
	struct ps_attempt t;
	unsigned steps = 0;

	do {
		a = follow(m, a);
	} while (a && steps++ < MOST_STEPS && !ps_member_turn_is_over(m) && ps_member_try(m, a, false, &t) &&
		 t.fired);
}
