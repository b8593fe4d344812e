/* SPDX-License-Identifier: MIT */
#include "lib/team.h"
#include "lib/actor.h"
#include "lib/detector.h"
#include "lib/log.h"
#include "lib/meter.h"
#include "lib/order.h"
#include "lib/place.h"
#include "lib/planted.h"
#include "lib/relax.h"
#include "lib/team_member.h"

#ifdef PS_PLANTED_HOOK
/* The tests force a delay between a member's search and its word that it is about to sleep. */
void ps_planted_before_word(void);
#else
static inline void ps_planted_before_word(void)
{
}
#endif

/* A member fires one short actor so often at most before it looks at others, then at the clock */
enum { MOST_AT_ONCE = 16 };

/* After so many steps of following the data, or looking from the sinks on, or so long, somebody else comes first */
enum { FAIR_AFTER = 256 };
#define FAIR_AFTER_NS 20000000u

/* Looks again for so long before it sleeps: about what waking it would cost. How often it looks between two looks at the
 * clock */
#define SPIN_NS 20000u
enum { SPIN_LOOKS = 8 };

/* A part of the network may be in a deadlock while others go on: so often somebody looks */
#define JUDGE_EVERY_NS 100000000u

_Thread_local struct ps_member *ps_member_current;

/*
 * Telling others.
 */

static void mark(struct ps_team *team, const struct pstk_actor *a)
{
	uint64_t bit = UINT64_C(1) << a->rank % 64;

	/* a hint: who finds nothing looks at all */
	if (!(atomic_load_explicit(&team->fed[a->rank / 64], memory_order_relaxed) & bit))
		atomic_fetch_or_explicit(&team->fed[a->rank / 64], bit, memory_order_relaxed);
}

/* After what others must see: wakes those who sleep. */
static void ring(struct ps_team *team)
{
	if (ps_bell_awaited(team->bell))
		ps_bell_ring(team->bell);
}

static bool is_mine(const struct ps_member *m, const struct pstk_actor *a)
{
	return a->member < 0 || (unsigned)a->member == m->index;
}

void ps_team_help(struct pstk_actor *a)
{
	struct ps_team *team = a->network->team;
	const struct ps_member *me = ps_member_current;

	if (team->fed)
		mark(team, a);
	if (me && me->team == team) {
		if (!is_mine(me, a))
			ring(team);
		return;
	}
	atomic_store(&team->dirty, true);
	atomic_store(&team->fed_outside, a);
	ring(team);
}

void ps_team_nudge(struct pstk_actor *a)
{
	atomic_store(&a->again, true);
	atomic_store(&a->network->team->dirty, true);
	ring(a->network->team);
}

/* Who passes it by because it is taken relies on who has it, who changes the bell's word before he sleeps: that orders it. */
static void give_back(struct pstk_actor *a)
{
	atomic_store_explicit(&a->taking, false, memory_order_release);
}

bool ps_team_hold(struct pstk_actor *a)
{
	return !atomic_exchange(&a->taking, true);
}

void ps_team_let_go(struct pstk_actor *a)
{
	struct ps_bell *bell = a->network->team->bell;

	give_back(a);
	/* somebody who is about to sleep may have passed it by meanwhile */
	if (ps_bell_awaited(bell) && ps_firing_may_take(a))
		ps_bell_ring(bell);
}

void ps_team_suspect(struct pstk_network *net)
{
	struct ps_team *team = net->team;

	atomic_store(&team->dirty, true);
	if (atomic_load(&team->idle) == team->count)
		ps_bell_ring(team->bell);
}

/*
 * Firing.
 */

static bool may_take(const struct ps_member *m, struct pstk_actor *a)
{
	return !atomic_load_explicit(&a->taking, memory_order_relaxed) && is_mine(m, a) &&
	       ps_firing_may_take(a);
}

/* Call with `taking` set, which stays so for ever. */
static void end_actor(struct pstk_actor *a)
{
	struct ps_team *team = a->network->team;

	ps_firing_close(a);
	ps_log(PS_TOPIC_THREAD, PSTK_LOG_INFO, "%s has ended after %llu firings", a->name,
		(unsigned long long)atomic_load(&a->firings));
	if (atomic_fetch_sub(&team->live, 1) == 1)
		ps_bell_ring(team->bell);
}

/* What an attempt to fire an actor has come to. */
struct attempt {
	unsigned fired;
	enum ps_firing_state state;
	struct ps_fifo_end *end; /* WAIT: where; NULL: for firings in flight */
};

/* One of several side by side. `taking` is given back: the next one can be taken. */
static void fire_aside(struct ps_team *team, struct pstk_firing *firing)
{
	struct pstk_actor *a = firing->actor;

	give_back(a);
	if (ps_bell_hint(team->bell) && ps_firing_may_take(a))
		ps_bell_ring_one(team->bell);
	ps_firing_fire(firing);
	ps_order_done(firing);
	/* who wanted to end it has found this one in flight */
	if ((atomic_load(&a->over) || atomic_load(&a->ending)) && !ps_order_in_flight(a))
		ps_team_nudge(a);
}

/* Who was woken for one of several actors passes the rest on before he fires: only then, because a look that finds nothing
 * to fire must leave everybody asleep. */
static void pass_on(struct ps_member *m, const struct pstk_actor *taken)
{
	struct ps_team *team = m->team;

	if (team->count == 1 || !ps_bell_hint(team->bell))
		return;
	for (unsigned i = 0; i < team->actors; i++)
		if (team->order[i] != taken && may_take(m, team->order[i])) {
			ps_bell_ring_one(team->bell);
			return;
		}
}

static void take_back_word(struct ps_member *m)
{
	m->about_to_sleep = false;
	atomic_fetch_sub(&m->team->idle, 1);
	ps_bell_leave(m->team->bell);
}

/* Firings of one actor since then may have something for one who sleeps; nobody has told him yet. */
static bool keeps_from(const struct ps_team *team, uint64_t began)
{
	return ps_bell_hint(team->bell) && ps_meter_look() - began > SPIN_NS;
}

/* In flight, or waiting for a place: who says so looks again by itself. */
static void take_and_fire(struct ps_member *m, struct pstk_actor *a, bool found, struct attempt *t)
{
	struct ps_team *team = m->team;
	struct pstk_firing *firing;
	uint64_t began = ps_meter_now;
	unsigned port;

	if (atomic_load_explicit(&a->again, memory_order_relaxed)) {
		atomic_exchange(&a->again, false); /* before its ports are looked at */
		/* who has judged meanwhile has relied on that it may go on */
		atomic_store(&team->dirty, true);
	}
	do {
		t->state = ps_firing_take(a, &firing, &t->end, &port);
		if (t->state != PS_FIRING_READY)
			break;
		t->fired++;
		if (found && t->fired == 1)
			pass_on(m, a);
		if (m->about_to_sleep) /* it will be busy for as long as fire() takes */
			take_back_word(m);
		if (a->slot_count > 1) {
			fire_aside(team, firing);
			return;
		}
		if (!ps_firing_run(firing))
			t->state = PS_FIRING_ENDED;
	} while (t->state == PS_FIRING_READY && t->fired < MOST_AT_ONCE && ps_meter_is_short(a) &&
		 !keeps_from(team, began));
	if (t->state == PS_FIRING_ENDED) {
		atomic_store(&a->ending, true);
		if (!ps_order_in_flight(a)) {
			end_actor(a);
			return;
		}
	}
	if (t->state == PS_FIRING_WAIT && team->places)
		ps_place_announce(a, t->end, team->bell);
	give_back(a);
}

/* found: by a look at many, not by following the data. false: somebody else has it. */
static bool try_fire(struct ps_member *m, struct pstk_actor *a, bool found, struct attempt *t)
{
	struct pstk_actor *former;

	*t = (struct attempt){ .state = PS_FIRING_WAIT };
	if (atomic_exchange(&a->taking, true))
		return false;
	former = ps_actor_enter(a);
	take_and_fire(m, a, found, t);
	ps_actor_leave(former);
	if (t->fired && !atomic_load_explicit(&m->team->dirty, memory_order_relaxed))
		atomic_store(&m->team->dirty, true);
	return true;
}

/* Who was fed by it and may fire: the first in port order. Wakes somebody if there is something for him, too. */
static struct pstk_actor *follow(struct ps_member *m, struct pstk_actor *a)
{
	/* a glance may miss who is just about to sleep: of consequence only where firings are long */
	bool certain = atomic_load_explicit(&a->meter.lately_ns, memory_order_relaxed) > SPIN_NS;
	bool sleepers = m->team->count > 1 &&
	                (certain ? ps_bell_awaited(m->team->bell) : ps_bell_hint(m->team->bell));
	struct pstk_actor *next = NULL;
	unsigned ready = 0;

	for (unsigned i = 0; i < a->gate_count && (sleepers ? ready < 2 : !next); i++) {
		const struct ps_gate *g = &a->gates[i];
		struct pstk_actor *other = g->writer ? g->fifo->dst : g->fifo->src;

		if (!other->teamed || (!g->writer && !sleepers))
			continue;
		if (g->writer && !next && m->team->count > 1)
			ps_firing_prefetch(other);
		if (!may_take(m, other))
			continue;
		ready++;
		if (g->writer && !next)
			next = other;
	}
	if (sleepers && (ready > 1 || (ready && may_take(m, a))))
		ps_bell_ring_one(m->team->bell);
	if (m->team->fed && may_take(m, a))
		mark(m->team, a);
	return next;
}

static void fire_on(struct ps_member *m, struct pstk_actor *a)
{
	struct attempt t;

	do {
		a = follow(m, a);
	} while (a && m->steps++ < FAIR_AFTER && ps_meter_now - m->fair_at < FAIR_AFTER_NS &&
		 try_fire(m, a, false, &t) && t.fired);
}

/*
 * Looking.
 */

/* Which actors to look at. */
enum taste {
	OWN, /* whose next window this member has published, so that it may be in its cache; and sources */
	ANY
};

static bool is_own(const struct pstk_actor *a)
{
	for (const struct ps_gate *g = a->gates; g < a->gates + a->gate_count; g++)
		if (!g->writer)
			return ps_fifo_is_mine(&g->fifo->fifo);
	return true;
}

/* Tries this actor, and goes on from it. true: something was fired. */
static bool look_at(struct ps_member *m, struct pstk_actor *a, enum taste taste)
{
	struct attempt t;

	if ((taste == OWN && !is_own(a)) || !may_take(m, a))
		return false;
	if (!try_fire(m, a, true, &t) || !t.fired)
		return false;
	fire_on(m, a);
	return true;
}

static bool look_at_all(struct ps_member *m, enum taste taste)
{
	for (unsigned i = 0; i < m->team->actors; i++)
		if (look_at(m, m->team->order[i], taste))
			return true;
	return false;
}

/* A part of the network that is ready for ever must not keep the members from another one: now and then who comes behind
 * the one that had its turn last is fired once. */
static bool look_fairly(struct ps_member *m)
{
	unsigned count = m->team->actors;
	struct attempt t;

	m->steps = 0;
	m->fair_at = ps_meter_now;
	for (unsigned i = 1; i <= count; i++) {
		unsigned at = (m->first + i) % count;
		struct pstk_actor *a = m->team->order[at];

		if (!may_take(m, a))
			continue;
		if (!try_fire(m, a, true, &t) || !t.fired)
			continue;
		m->first = at;
		return true;
	}
	return false;
}

static bool look_at_fed(struct ps_member *m, enum taste taste)
{
	struct ps_team *team = m->team;

	for (unsigned w = 0; w < team->fed_words; w++) {
		uint64_t bits = atomic_load_explicit(&team->fed[w], memory_order_relaxed);

		for (; bits; bits &= bits - 1) {
			unsigned i = 64 * w + (unsigned)__builtin_ctzll(bits);
			struct pstk_actor *a = team->order[i];

			if (!is_mine(m, a) || (taste == OWN && !is_own(a)))
				continue;
			atomic_fetch_and_explicit(&team->fed[w], ~(bits & -bits), memory_order_relaxed);
			if (look_at(m, a, ANY))
				return true;
		}
	}
	return false;
}

/* Who was fed by nobody of the team has nobody who follows to it. */
static bool look_outside(struct ps_member *m)
{
	struct pstk_actor *a = atomic_load_explicit(&m->team->fed_outside, memory_order_relaxed);

	if (a)
		a = atomic_exchange(&m->team->fed_outside, NULL);
	return a && look_at(m, a, ANY);
}

/* A member takes what it has made itself, then begins something new, and only then what is in another one's cache. */
static bool look(struct ps_member *m)
{
	struct ps_team *team = m->team;

	if (look_outside(m))
		return true;
	if (m->steps++ >= FAIR_AFTER || ps_meter_now - m->fair_at >= FAIR_AFTER_NS)
		return look_fairly(m);
	if (team->count > 1 && (team->fed ? look_at_fed(m, OWN) : look_at_all(m, OWN)))
		return true;
	return (team->fed && look_at_fed(m, ANY)) || look_at_all(m, ANY);
}

static void judge(struct ps_team *team)
{
	atomic_store(&team->dirty, false);
	if (!ps_detector_judge(team->net)) /* somebody could not be held */
		atomic_store(&team->dirty, true);
	atomic_store(&team->judged_at, ps_meter_look());
}

static void judge_now_and_then(struct ps_team *team)
{
	uint64_t at = atomic_load_explicit(&team->judged_at, memory_order_relaxed);

	if (ps_meter_now < at + JUDGE_EVERY_NS)
		return;
	if (atomic_compare_exchange_strong(&team->judged_at, &at, ps_meter_now))
		judge(team);
}

/* Nothing was found: for as long as waking it would take. true: something was fired. */
static bool spin(struct ps_member *m)
{
	uint64_t end = ps_meter_look() + SPIN_NS;

	if (!m->team->spins)
		return false;
	do {
		for (int i = 0; i < SPIN_LOOKS; i++) {
			if (look_at_all(m, ANY))
				return true;
			ps_relax();
		}
	} while (ps_meter_look() < end && atomic_load_explicit(&m->team->live, memory_order_relaxed));
	return false;
}

/* The look after this member has said that it is about to sleep. If it has had an actor in its hand that could not be fired,
 * somebody else may have passed that one by, relying on this member: so it must say so again, and look again. Returns
 * whether it may sleep; *fired: an actor that was fired. */
static bool look_for_the_last_time(struct ps_member *m, struct pstk_actor **fired)
{
	bool sleeps = true;

	*fired = NULL;
	for (unsigned i = 0; i < m->team->actors && !*fired && !PS_PLANTED_NO_LAST_LOOK; i++) {
		struct pstk_actor *a = m->team->order[i];
		struct attempt t;

		if (!may_take(m, a))
			continue;
		if (!try_fire(m, a, true, &t))
			continue;
		if (t.fired)
			*fired = a;
		/* for a place, or room on its device, an event rings; the end comes from who fires it */
		sleeps &= !t.fired && !atomic_load(&a->ended) && /* whose end may let others go on */
		          !(t.state == PS_FIRING_WAIT && (t.end ? !ps_place_busy(t.end) : a->slot_count > 1));
	}
	return sleeps;
}

static void sleep_or_judge(struct ps_member *m, unsigned seen)
{
	struct ps_team *team = m->team;

	if (!atomic_load(&team->live))
		return;
	if (atomic_load(&team->idle) == team->count && atomic_load(&team->dirty)) {
		judge(team);
		return;
	}
	/* drivers forget callbacks of events that have failed */
	ps_bell_wait(team->bell, seen, team->places ? PS_BELL_LOOK_AGAIN_NS : PS_BELL_FOR_EVER);
}

static void idle(struct ps_member *m)
{
	struct ps_team *team = m->team;
	struct pstk_actor *fired;
	unsigned seen;

	if (spin(m))
		return;
	ps_planted_before_word();
	m->about_to_sleep = true;
	atomic_fetch_add(&team->idle, 1);
	seen = ps_bell_expect(team->bell);
	if (look_for_the_last_time(m, &fired))
		sleep_or_judge(m, seen);
	if (m->about_to_sleep)
		take_back_word(m);
	ps_meter_look();
	if (fired)
		fire_on(m, fired);
}

void ps_member_run(struct ps_member *m)
{
	ps_member_current = m;
	ps_fifo_by = (unsigned char)(m->index + 1); /* 0: threads of no team */
	m->fair_at = ps_meter_look();
	while (atomic_load(&m->team->live)) {
		if (!look(m))
			idle(m);
		judge_now_and_then(m->team);
	}
	ps_member_current = NULL;
}
