/* SPDX-License-Identifier: MIT */
#include "lib/firing/firing_rule.h"
#include "lib/base/relax.h"
#include "lib/firing/timing.h"
#include "lib/schedule/team_member.h"

/*
 * What a firing works on should be in the cache of the core that fires it: where two members pass windows to and fro,
 * moving them costs as much as light actors' work. So a member begins with a window at a source, and stays with what it
 * makes of it to the end. Where another one is just firing the actor that is next, it waits for a moment: then it is
 * one actor behind the other, and stays so. If it took something else instead, they would change places for ever.
 */

/* A cache line that another core has changed last takes about 10 ns where many are read: bytes / 6 in all */
enum { BYTES_A_NS = 6 };

/* It looks ever more rarely at what another member may take, but no more so. */
enum { MOST_PAUSES = 16 };

/* So long after a window was published its maker has followed it, if it isn't busy elsewhere. */
#define FOLLOWS_NS 700u

bool ps_member_owns(const struct ps_task *t)
{
	return t->small ? !ps_rule_are_anothers(t) : ps_rule_own_bytes(t) > -PS_RULE_FEW_BYTES;
}

/* Tries this one, and goes on from it. true: something was fired. */
static bool look_at(struct ps_member *m, struct ps_task *t)
{
	struct ps_attempt attempt;

	if (!ps_member_may_take(m, t) || !ps_member_try(m, t, true, &attempt) || !attempt.fired)
		return false;
	ps_member_fire_on(m, t);
	return true;
}

static bool look_at_all(struct ps_member *m)
{
	for (unsigned i = 0; i < m->team->task_count; i++)
		if (look_at(m, m->team->order[i]))
			return true;
	return false;
}

/* What was fed from outside of the team: no member follows to it. */
static bool look_outside(struct ps_member *m)
{
	struct ps_task *t = atomic_load_explicit(&m->team->fed_outside, memory_order_relaxed);

	if (t)
		t = atomic_exchange(&m->team->fed_outside, NULL);
	return t && look_at(m, t);
}

/* Was it not fired since then? */
static bool is_kept_waiting(const struct ps_task *t, uint64_t since)
{
	return atomic_load_explicit(&t->since, memory_order_relaxed) < since;
}

/* A part of the network that is ready for ever must not keep the members from another part. So there are turns. The
 * next turn goes to the first task, behind the one that had its turn last, that has waited for all of the present turn,
 * with what follows from it. Only a task that has waited gets a turn: a member that takes one leaves what is in its
 * cache. Turns go by the clock, because one part's firings may take much longer than another's. */
static bool look_fairly(struct ps_member *m)
{
	unsigned count = m->team->task_count;
	uint64_t since = m->turn_at;

	m->turn_at = ps_timing_now;
	for (unsigned i = 1; i <= count; i++) {
		unsigned at = (m->first + i) % count;
		struct ps_task *t = m->team->order[at];

		if (!is_kept_waiting(t, since) || !look_at(m, t))
			continue;
		m->first = at;
		while (!ps_member_turn_is_over(m) && look_at(m, t))
			look_outside(m);
		if (!ps_member_turn_is_over(m)) /* it has no more to do: the others' */
			m->turn_at = ps_timing_now;
		return true;
	}
	return false;
}

static bool look_at_fed(struct ps_member *m)
{
	struct ps_team *team = m->team;

	for (unsigned w = 0; w < team->fed_words; w++) {
		uint64_t bits = atomic_load_explicit(&team->fed[w], memory_order_relaxed);

		for (; bits; bits &= bits - 1) {
			unsigned i = 64 * w + (unsigned)__builtin_ctzll(bits);
			struct ps_task *t = team->order[i];

			if (!ps_member_is_for(m, t))
				continue;
			atomic_fetch_and_explicit(&team->fed[w], ~(bits & -bits), memory_order_relaxed);
			if (look_at(m, t))
				return true;
		}
	}
	return false;
}

uint64_t ps_member_patience_ns(int64_t bytes, uint64_t ends, uint64_t now)
{
	uint64_t worth = bytes < PS_RULE_FEW_BYTES ? 0 : (uint64_t)bytes / BYTES_A_NS;

	if (worth > PS_TEAM_SPIN_NS)
		worth = PS_TEAM_SPIN_NS;
	return now < ends && ends <= now + worth ? ends - now : 0;
}

/* Another member fires this task, and this one has made what comes next: how long may it wait for that? */
static uint64_t patience_ns(const struct ps_task *t, uint64_t now)
{
	uint64_t ends = atomic_load_explicit(&t->since, memory_order_relaxed) +
	                atomic_load_explicit(&t->timing.lately_ns, memory_order_relaxed);

	if (t->is_source || !atomic_load_explicit(&t->taking, memory_order_relaxed) || !ps_rule_have_whole(t))
		return 0;
	return ps_member_patience_ns(ps_rule_own_bytes(t), ends + FOLLOWS_NS, now);
}

static bool look_at_left(struct ps_member *m)
{
	struct ps_task *t = ps_member_next(m);

	return t && look_at(m, t);
}

/* Waits for what is just being fired, rather than changing places. */
static bool await_left(struct ps_member *m)
{
	uint64_t now = m->left_count ? ps_timing_look() : 0, wait = 0;

	for (unsigned i = m->left_count; i-- && !wait;)
		wait = patience_ns(m->left[i], now);
	for (uint64_t end = now + wait; wait && ps_timing_look() < end; ps_relax())
		if (look_at_left(m))
			return true;
	return false;
}

/* Sources of which nothing is waiting: what they give now can be followed. They come last in the order. In a
 * loop each actor is one, and works on what another has made. */
static bool look_for_new(struct ps_member *m)
{
	for (unsigned i = m->team->task_count; i--;) {
		struct ps_task *t = m->team->order[i];

		if (t->is_source && !ps_rule_have_unread(t) && ps_member_may_take(m, t) &&
			ps_member_owns(t) && look_at(m, t))
			return true;
	}
	return false;
}

/* Is it taken within the time that the member that has fed it needs to follow? It looks ever more rarely: each look
 * takes a cache line away from that member. */
static bool is_followed(const struct ps_task *t)
{
	uint64_t taken = atomic_load_explicit(&t->taken, memory_order_relaxed);
	uint64_t end = ps_timing_look() + FOLLOWS_NS;

	for (unsigned pause = 1; ps_timing_look() < end; pause += pause < MOST_PAUSES ? pause : 0) {
		for (unsigned i = 0; i < pause; i++)
			ps_relax();
		if (atomic_load_explicit(&t->taken, memory_order_relaxed) != taken)
			return true;
	}
	return false;
}

bool ps_member_leaves(const struct ps_member *m, const struct ps_task *t)
{
	/* where no other member may take it, or several at once, another's take says nothing */
	return m->team->count > 1 && !m->team->fed && ps_member_spins(m) && t->member < 0 &&
	       t->slot_count == 1 && !ps_member_owns(t) && is_followed(t);
}

/* The others' windows come last, and each only when its maker had the time to follow. */
static bool look_at_others(struct ps_member *m)
{
	for (unsigned i = 0; i < m->team->task_count; i++) {
		struct ps_task *t = m->team->order[i];

		if (!ps_member_may_take(m, t))
			continue;
		if (ps_member_leaves(m, t) ? look_at_left(m) || look_for_new(m) : look_at(m, t))
			return true;
	}
	return false;
}

/* A member takes what it has made itself, then begins something new, and only then what is in another one's cache. It
 * waits only where the member that it waits for has a core. */
bool ps_member_look_again(struct ps_member *m)
{
	struct ps_team *team = m->team;

	if (team->count > 1 && (look_at_left(m) || (ps_member_spins(m) && await_left(m))))
		return true;
	if (team->fed)
		return look_at_fed(m) || look_at_all(m);
	if (team->count > 1 && look_for_new(m))
		return true;
	return team->count > 1 && ps_member_spins(m) ? look_at_others(m) : look_at_all(m);
}

bool ps_member_look(struct ps_member *m)
{
	if (look_outside(m))
		return true;
	return (ps_member_turn_is_over(m) && look_fairly(m)) || ps_member_look_again(m);
}
