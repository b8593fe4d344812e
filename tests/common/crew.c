/* SPDX-License-Identifier: MIT */
#include "tests/common/crew.h"
#include "lib/base/memory.h"
#include "lib/plan/ranks.h"
#include "lib/plan/ways.h"
#include "penstock/hosts.h"
#include "tests/common/common.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* A rank's thread: what it does, and for which rank. */
struct member {
	struct crew *crew;
	unsigned rank;
	const char *host;
	pthread_t thread;
};

static const char *const names[CREW_RANKS] = { "c0", "c1", "c2", "c3" };
static struct member members[CREW_RANKS];
static pthread_t events;
static atomic_bool through; /* all members are */

static void begin(struct crew *c, void *(*what)(void *), const char *const hosts[])
{
	for (unsigned i = 0; i < c->count; i++) {
		members[i] = (struct member){ .crew = c, .rank = i, .host = hosts ? hosts[i] : NULL };
		ck_assert_int_eq(pthread_create(&members[i].thread, NULL, what, &members[i]), 0);
	}
}

static void end(const struct crew *c)
{
	for (unsigned i = 0; i < c->count; i++)
		pthread_join(members[i].thread, NULL);
}

static void *meet(void *arg)
{
	struct member *m = arg;
	struct crew *c = m->crew;

	c->results[m->rank] =
		pstk_network_set_hosts(c->ranks[m->rank], inside_rank(c->inside, m->rank), m->host);
	return NULL;
}

void crew_meet(struct crew *c, const char *const hosts[])
{
	c->inside = inside_new(c->count, c->seed, c->delay);
	begin(c, meet, hosts);
	end(c);
	for (unsigned i = 0; i < c->count; i++)
		ck_assert_int_eq(c->results[i], 0);
}

/* As a plan over a machine does it. */
static void chain_hosts(struct crew *c)
{
	struct pstk_machine *m = pstk_machine_create();
	struct ps_routes routes;

	for (unsigned i = 0; i < c->count; i++)
		ck_assert_int_eq(pstk_machine_add_host(m, names[i], 1, 0), i);
	for (unsigned i = 1; i < c->count; i++)
		ck_assert_int_ge(
			pstk_machine_add_link(m,
				&(struct pstk_link){
					.a = names[i - 1], .b = names[i], .kind = PSTK_LINK_NET, .rate = 1 }),
			0);
	ck_assert_int_eq(ps_routes_init(&routes, m), 0);
	for (unsigned i = 0; i < c->count; i++)
		for (unsigned k = 0; k < c->ranks[i]->fifo_count; k++) {
			struct pstk_fifo *f = c->ranks[i]->fifos[k];
			struct ps_way *way;

			ck_assert_int_eq(ps_way_find(&routes, f->src->host, f->dst->host, &way), 0);
			ck_assert_int_eq(ps_way_set(f, way), 0);
			ps_memory_free(way);
		}
	ps_routes_fini(&routes);
	pstk_machine_destroy(m);
}

void crew_place_rank(struct pstk_network *net, unsigned count)
{
	struct ps_planned_host hosts[CREW_RANKS];

	ck_assert_uint_le(count, CREW_RANKS);
	for (unsigned i = 0; i < count; i++)
		hosts[i] = (struct ps_planned_host){ .place = i, .name = names[i] };
	ck_assert_int_eq(ps_ranks_place(net, hosts, count), 0);
}

void crew_place(struct crew *c)
{
	for (unsigned i = 0; i < c->count; i++)
		crew_place_rank(c->ranks[i], c->count);
	if (c->chained)
		chain_hosts(c);
}

void crew_join(struct crew *c)
{
	crew_meet(c, NULL);
	crew_place(c);
}

static void *run(void *arg)
{
	struct member *m = arg;
	struct pstk_network *net = m->crew->ranks[m->rank];
	int err = pstk_network_start(net);

	m->crew->started[m->rank] = !err;
	m->crew->results[m->rank] = err ? err : pstk_network_wait(net);
	return NULL;
}

static void *await_event(void *arg)
{
	struct crew *c = arg;
	uint64_t from = inside_looks(c->inside, 0);

	while (!atomic_load(&through) && inside_looks(c->inside, 0) - from < c->looks)
		sched_yield();
	if (!atomic_load(&through))
		c->event(c->data);
	return NULL;
}

void crew_begin(struct crew *c)
{
	atomic_store(&through, false);
	begin(c, run, NULL);
	if (c->event)
		ck_assert_int_eq(pthread_create(&events, NULL, await_event, c), 0);
}

int crew_end(struct crew *c)
{
	end(c);
	atomic_store(&through, true);
	if (c->event)
		pthread_join(events, NULL);
	return c->results[0];
}

int crew_run(struct crew *c)
{
	crew_begin(c);
	return crew_end(c);
}

void crew_check(const struct crew *c, int result, const char *error)
{
	for (unsigned i = 0; i < c->count; i++) {
		ck_assert_msg(c->results[i] == result, "rank %u: %d: %s", i, c->results[i],
			pstk_network_error(c->ranks[i]));
		ck_assert_str_eq(pstk_network_error(c->ranks[i]), error);
	}
}

void crew_free(struct crew *c)
{
	ck_assert_msg(!inside_violation(c->inside), "%s", inside_violation(c->inside));
	for (unsigned i = 0; i < c->count; i++)
		pstk_network_destroy(c->ranks[i]);
	inside_free(c->inside);
}
