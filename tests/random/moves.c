/* SPDX-License-Identifier: MIT */
/*
 * Moves in random networks: asked for before the start, by a thread of their own while it runs, and by actors in their
 * callbacks; to other places, and to where the actor is. Each is answered once, and from where the one before has left
 * the actor.
 */
#include "tests/random/run_actor.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { KEPT = 512, SCRIPTS = 6, ASKED = 40 };

static struct {
	struct run *run;
	unsigned movers[NET_ACTORS], count;
	pthread_t thread;
	bool has_thread;
	int waited;                /* that thread's: what a wait for an answer has failed with */
	atomic_bool running, ends; /* an actor has fired; the run is over */
	unsigned scripts;
	/* by the library's word */
	unsigned told[KEPT];
	char at[NET_ACTORS][64]; /* "": not known yet */
	char wrong[700];
	uint64_t done;
} m;

unsigned run_moves_stayed, run_moves_failed_over;

static void say(const char *what, unsigned number, const struct pstk_move *move)
{
	if (!m.wrong[0])
		snprintf(m.wrong, sizeof m.wrong,
			"move %u of %s from %s to %s at %" PRIu64 ", wanted %" PRIu64 ": %s", number,
			pstk_actor_name(move->actor), move->from, move->to, move->firing, move->wanted, what);
}

static void on_move(struct pstk_network *net, unsigned number, const struct pstk_move *move, void *data)
{
	const struct run_actor *actor = pstk_actor_arg(move->actor);
	char *at = m.at[actor->number];

	(void)net;
	(void)data;
	if (number >= KEPT || m.told[number]++)
		say("is told twice", number, move);
	if (move->state == PSTK_MOVE_ASKED)
		say("is open", number, move);
	if (!m.run->fails && (move->state == PSTK_MOVE_STAYED || move->err))
		say(move->text, number, move);
	run_moves_stayed += move->state == PSTK_MOVE_STAYED;
	if (move->state != PSTK_MOVE_DONE)
		return;
	m.done++;
	run_moves_failed_over += move->err != 0;
	if (at[0] && strcmp(at, move->from) != 0)
		say("begins where the actor is not", number, move);
	snprintf(at, sizeof m.at[0], "%s", move->to);
	if (move->firing < move->wanted || (number < m.scripts && move->firing != move->wanted))
		say("was made at another firing", number, move);
	if (move->began_ns < move->asked_ns || move->switched_ns < move->began_ns)
		say("has times in another order", number, move);
}

/* -1: it was refused. */
static int ask(struct test_rng *rng, uint64_t firing)
{
	unsigned a = m.movers[test_between(rng, 0, m.count - 1)];
	const struct net_actor *spec = &m.run->net->actors[a];
	unsigned i = test_between(rng, 0, spec->place_count);

	return pstk_actor_migrate(
		m.run->built.actors[a], i == spec->place_count ? spec->device : spec->places[i], firing);
}

/* Whatever becomes of it, its answer comes. */
static void await(int number)
{
	int err = pstk_network_wait_move(m.run->built.network, (unsigned)number, 0);

	if (err && !m.waited)
		m.waited = err;
}

static void *ask_for_more(void *unused)
{
	struct test_rng rng = { test_mix(m.run->net->seed ^ UINT64_C(0xa5c)) };
	unsigned asked = 0;
	int number;

	(void)unused;
	while (!atomic_load(&m.ends) && asked < ASKED) {
		volatile unsigned spin;

		sched_yield();
		if (!atomic_load(&m.running))
			continue;
		for (spin = test_between(&rng, 0, 3000); spin > 0; spin--)
			;
		number = ask(&rng, 0);
		if (number == -ECANCELED)
			break;
		if (number >= 0 && test_chance(&rng, 20))
			await(number);
		asked++;
	}
	return NULL;
}

void run_moves_begin(struct run *run)
{
	struct test_rng rng = { test_mix(run->net->seed ^ UINT64_C(0x5c217)) };

	memset(&m, 0, sizeof m);
	run_moves_stayed = run_moves_failed_over = 0;
	m.run = run;
	for (unsigned a = 0; a < run->net->actor_count; a++)
		if (run->net->actors[a].place_count && run->where[a] == RUN_HERE)
			m.movers[m.count++] = a;
	if (!m.count)
		return;
	pstk_network_set_moves(run->built.network, KEPT);
	pstk_network_on_move(run->built.network, on_move, NULL);
	for (unsigned i = test_between(&rng, 0, SCRIPTS); i > 0; i--)
		if (ask(&rng, test_between(&rng, 1, 30)) != (int)m.scripts++)
			run_say(run, "%s", pstk_network_error(run->built.network));
	m.has_thread = test_chance(&rng, 60) && !pthread_create(&m.thread, NULL, ask_for_more, NULL);
}

void run_move_any(const struct run_actor *actor)
{
	static _Thread_local uint64_t draws;
	struct test_rng rng = { test_mix(actor->net->seed + ++draws) };

	if (!m.count)
		return;
	atomic_store(&m.running, true);
	if (pstk_network_move_count(m.run->built.network) < KEPT / 2 && test_chance(&rng, 5))
		ask(&rng, 0);
}

void run_moves_end(struct run *run, struct net_totals *totals)
{
	unsigned count = pstk_network_move_count(run->built.network);

	atomic_store(&m.ends, true);
	if (m.has_thread)
		pthread_join(m.thread, NULL);
	if (m.wrong[0])
		run_say(run, "%s", m.wrong);
	if (m.waited)
		run_say(run, "a wait for a move's answer failed: %d", m.waited);
	for (unsigned i = 0; i < count && m.count; i++)
		if (m.told[i] != 1)
			run_say(run, "move %u of %u was told %u times", i, count, m.told[i]);
	totals->moves += m.done;
}
