/* SPDX-License-Identifier: MIT */
#include "tests/random/moves_hosts.h"
#include "lib/model/network.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { KEPT = 512, SCRIPTS = 4, ASKED = 60 };

uint64_t moves_hosts_done, moves_hosts_cancelled;

static const char *const names[CREW_RANKS] = { "c0", "c1", "c2", "c3" };

static struct {
	struct run *run;
	struct crew *crew;
	unsigned movers[NET_ACTORS], count;
	unsigned places[NET_ACTORS]; /* by actor: bits of hosts, its own one, too */
	unsigned scripts;
	pthread_t thread;
	bool has_thread;
	atomic_bool ends;
	unsigned told[CREW_RANKS]
		     [KEPT]; /* by rank and number; each rank's watcher, or the thread that waits for it */
} m;

static void on_move(struct pstk_network *net, unsigned number, const struct pstk_move *move, void *data)
{
	(void)net;
	(void)move;
	if (number < KEPT)
		((unsigned *)data)[number]++;
}

/* In all of the networks, which are built alike. What an actor keeps is in the test's own memory, for all hosts. */
static void add_mover(unsigned a, struct test_rng *rng)
{
	unsigned home = m.crew->ranks[0]->actors[a]->host, places = 1u << home;

	for (unsigned i = 0; i < m.crew->count; i++)
		if (i == home || test_chance(rng, 60))
			places |= 1u << i;
	if (places == 1u << home)
		return;
	for (unsigned i = 0; i < m.crew->count; i++) {
		struct pstk_actor *handle = m.crew->ranks[i]->actors[a];

		handle->type.portable_state = true;
		if (i != home)
			handle->type.finish = NULL; /* it counts its calls */
		for (unsigned host = 0; host < m.crew->count; host++)
			if (host != home && places >> host & 1 && pstk_actor_may_move(handle, names[host]))
				run_say(m.run, "%s", pstk_network_error(m.crew->ranks[i]));
	}
	m.places[a] = places;
	m.movers[m.count++] = a;
}

static unsigned draw_place(unsigned a, struct test_rng *rng)
{
	unsigned host;

	do
		host = test_between(rng, 0, m.crew->count - 1);
	while (!(m.places[a] >> host & 1));
	return host;
}

static void add_script(struct test_rng *rng)
{
	unsigned a = m.movers[test_between(rng, 0, m.count - 1)], host = draw_place(a, rng);
	uint64_t firing = test_between(rng, 1, 30);

	for (unsigned i = 0; i < m.crew->count; i++)
		if (pstk_actor_migrate(m.crew->ranks[i]->actors[a], names[host], firing) != (int)m.scripts)
			run_say(m.run, "%s", pstk_network_error(m.crew->ranks[i]));
	m.scripts++;
}

void moves_hosts_prepare(struct run *run, struct crew *crew)
{
	struct test_rng rng = { test_mix(run->net->seed ^ UINT64_C(0x405)) };

	memset(&m, 0, sizeof m);
	m.run = run;
	m.crew = crew;
	for (unsigned a = 0; a < run->net->actor_count; a++)
		if (!run->net->actors[a].kahn && test_chance(&rng, 70))
			add_mover(a, &rng);
	if (!m.count)
		return;
	for (unsigned i = 0; i < crew->count; i++) {
		pstk_network_set_moves(crew->ranks[i], KEPT);
		pstk_network_on_move(crew->ranks[i], on_move, m.told[i]);
	}
	for (unsigned i = test_between(&rng, 0, SCRIPTS); i > 0; i--)
		add_script(&rng);
}

/* Before that it is refused, and while it is built that is the network's problem. */
static bool runs(struct pstk_network *net)
{
	bool is;

	pthread_mutex_lock(&net->lock);
	is = net->state == PS_RUNNING;
	pthread_mutex_unlock(&net->lock);
	return is;
}

static void *ask_for_more(void *unused)
{
	struct test_rng rng = { test_mix(m.run->net->seed ^ UINT64_C(0xa5c405)) };
	unsigned asked = 0;

	(void)unused;
	while (!atomic_load(&m.ends) && asked < ASKED) {
		unsigned a = m.movers[test_between(&rng, 0, m.count - 1)];
		unsigned rank = test_between(&rng, 0, m.crew->count - 1);
		volatile unsigned spin;

		for (spin = test_between(&rng, 0, 5000); spin > 0; spin--)
			;
		sched_yield();
		if (runs(m.crew->ranks[rank]))
			asked += pstk_actor_migrate(
					 m.crew->ranks[rank]->actors[a], names[draw_place(a, &rng)], 0) >= 0;
	}
	return NULL;
}

void moves_hosts_begin(void)
{
	m.has_thread =
		m.count && m.run->net->seed / 8 % 4 && !pthread_create(&m.thread, NULL, ask_for_more, NULL);
}

static void check_move(unsigned rank, unsigned number)
{
	struct pstk_network *net = m.crew->ranks[rank];
	struct pstk_move move = PSTK_MOVE();
	bool own;

	if (pstk_network_move(net, number, &move)) {
		run_say(m.run, "rank %u: move %u is not kept", rank, number);
		return;
	}
	own = move.actor->host == net->host;
	if (move.state == PSTK_MOVE_ASKED || move.state == PSTK_MOVE_STAYED)
		run_say(m.run, "rank %u: move %u of %s is in state %d: %s", rank, number,
			pstk_actor_name(move.actor), (int)move.state, move.text);
	if (m.told[rank][number] != 1)
		run_say(m.run, "rank %u: move %u was told %u times", rank, number, m.told[rank][number]);
	if (move.state == PSTK_MOVE_DONE &&
		(move.firing < move.wanted || (number < m.scripts && move.firing != move.wanted)))
		run_say(m.run, "rank %u: move %u was made at firing %" PRIu64 ", wanted %" PRIu64, rank,
			number, move.firing, move.wanted);
	if (own)
		++*(move.state == PSTK_MOVE_DONE ? &moves_hosts_done : &moves_hosts_cancelled);
}

/* A script is answered alike on all ranks, if the run came to its end. */
static void check_script(unsigned number)
{
	struct pstk_move first = PSTK_MOVE(), other = PSTK_MOVE();

	pstk_network_move(m.crew->ranks[0], number, &first);
	for (unsigned i = 1; i < m.crew->count; i++) {
		pstk_network_move(m.crew->ranks[i], number, &other);
		if (other.state != first.state || other.firing != first.firing)
			run_say(m.run,
				"script %u: rank 0 says %d at %" PRIu64 ", rank %u says %d at %" PRIu64,
				number, (int)first.state, first.firing, i, (int)other.state, other.firing);
	}
}

void moves_hosts_end(void)
{
	atomic_store(&m.ends, true);
	if (m.has_thread)
		pthread_join(m.thread, NULL);
	for (unsigned i = 0; i < m.crew->count && m.count; i++)
		for (unsigned k = pstk_network_move_count(m.crew->ranks[i]); k > 0; k--)
			check_move(i, k - 1);
	for (unsigned i = 0; i < m.scripts && !m.crew->results[0]; i++)
		check_script(i);
}
