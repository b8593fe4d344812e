/* SPDX-License-Identifier: MIT */
/*
 * Balance and rooms against a plain simulation of random graphs. Bounded FIFOs make a network determinate: whatever the
 * order of firings, each actor comes as far. So the simulation fires whom it can until all have come far enough.
 */
#include "lib/plan/balance.h"
#include "lib/plan/rooms.h"
#include "lib/base/memory.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACTORS = 8, EDGES = 16, ITERATIONS = 4, UNLIMITED = 1 << 30 };

struct random_graph {
	struct ps_rate_graph g;
	struct ps_rate_edge edges[EDGES];
	uint64_t q[ACTORS]; /* that it was made of; the smallest ones may be smaller */
};

static void connect(struct random_graph *r, unsigned src, unsigned dst, struct test_rng *rng)
{
	uint64_t common = ps_gcd(r->q[src], r->q[dst]);
	uint32_t many = test_between(rng, 1, 3), a = (uint32_t)(r->q[dst] / common) * many,
		 b = (uint32_t)(r->q[src] / common) * many, g = (uint32_t)ps_gcd(a, b);
	int64_t t = test_chance(rng, 60)
	                    ? 0
	                    : (int64_t)test_between(rng, 0, 2 * (a + b)) - (test_chance(rng, 20) ? b : 0);
	int64_t rest = (t % g + g) % g;

	r->edges[r->g.edge_count++] = (struct ps_rate_edge){ .src = src,
		.dst = dst,
		.write_rate = a,
		.read_rate = b,
		.marking = t,
		.room = (uint64_t)(t > rest ? t : rest) + test_between(rng, 1, 2) * (a + b - g) };
}

/* Connected: each actor but the first has an edge to an earlier one; more of them make split-joins and cycles. */
static void make_graph(struct random_graph *r, struct test_rng *rng)
{
	unsigned actors = test_between(rng, 1, ACTORS), more = test_between(rng, 0, 5);

	*r = (struct random_graph){ .g = { .actor_count = actors } };
	r->g.edges = r->edges;
	for (unsigned i = 0; i < actors; i++)
		r->q[i] = test_between(rng, 1, 6);
	for (unsigned i = 1; i < actors; i++) {
		unsigned other = test_between(rng, 0, i - 1);

		connect(r, test_chance(rng, 85) ? other : i, i, rng);
		if (r->edges[r->g.edge_count - 1].src == i) { /* the other way round */
			r->g.edge_count--;
			connect(r, i, other, rng);
		}
	}
	while (more-- && r->g.edge_count < EDGES) {
		unsigned a = test_between(rng, 0, actors - 1), b = test_between(rng, 0, actors - 1);

		/* mostly forward: else most networks have a cycle without tokens */
		if (test_chance(rng, 75) && a > b)
			connect(r, b, a, rng);
		else
			connect(r, a, b, rng);
	}
}

/* May this actor fire? */
static bool can_fire(
	const struct ps_rate_graph *g, const uint64_t *fired, unsigned actor, const bool *limited)
{
	for (unsigned i = 0; i < g->edge_count; i++) {
		const struct ps_rate_edge *e = &g->edges[i];
		int64_t there = e->marking + (int64_t)(fired[e->src] * e->write_rate) -
		                (int64_t)(fired[e->dst] * e->read_rate);

		if (e->dst == actor && there < (int64_t)e->read_rate)
			return false;
		if (e->src == actor && limited[i] && there + (int64_t)e->write_rate > (int64_t)e->room)
			return false;
	}
	return true;
}

/* Does every actor make ITERATIONS times q firings? limited: which FIFOs have their room, the others have any. */
static bool lives(const struct ps_rate_graph *g, const uint64_t *q, const bool *limited)
{
	uint64_t fired[ACTORS] = { 0 };
	bool moved, all;

	do {
		moved = false;
		all = true;
		for (unsigned i = 0; i < g->actor_count; i++) {
			/* not for ever ahead where nothing limits it */
			while (fired[i] < (ITERATIONS + 20) * q[i] && can_fire(g, fired, i, limited)) {
				fired[i]++;
				moved = true;
			}
			all = all && fired[i] >= ITERATIONS * q[i];
		}
	} while (moved && !all);
	return all;
}

START_TEST(random_balance)
{
	for (uint64_t n = 0; n < test_rounds(20000); n++) {
		struct test_rng rng = { test_mix(test_seed() + n) };
		struct ps_imbalance why;
		struct random_graph r;
		uint64_t q[ACTORS], common = 0;

		make_graph(&r, &rng);
		ck_assert_int_eq(ps_balance_find(&r.g, q, &why), 0);
		for (unsigned i = 0; i < r.g.actor_count; i++)
			common = ps_gcd(common, r.q[i]);
		for (unsigned i = 0; i < r.g.actor_count; i++)
			ck_assert_msg(q[i] == r.q[i] / common,
				"seed %llu: actor %u fires %llu times, expected %llu",
				(unsigned long long)(test_seed() + n), i, (unsigned long long)q[i],
				(unsigned long long)(r.q[i] / common));
	}
}
END_TEST

/* Follows the way and says how often its end fires for one firing of its beginning, as a fraction. */
static void follow(const struct ps_rate_graph *g, const struct ps_imbalance *why, uint64_t *n, uint64_t *d)
{
	unsigned actor = g->edges[why->edge].src;

	*n = *d = 1;
	for (unsigned i = 0; i < why->length; i++) {
		const struct ps_rate_edge *e = &g->edges[why->way[i]];
		bool forward = e->src == actor;
		uint64_t common;

		ck_assert(forward || e->dst == actor);
		*n *= forward ? e->write_rate : e->read_rate;
		*d *= forward ? e->read_rate : e->write_rate;
		common = ps_gcd(*n, *d);
		*n /= common;
		*d /= common;
		actor = forward ? e->dst : e->src;
	}
	ck_assert_uint_eq(actor, g->edges[why->edge].dst);
}

/* One rate of a cycle is wrong: the way contradicts the FIFO, and the change that is offered fixes it. */
START_TEST(random_imbalance)
{
	uint64_t refused = 0, fixed = 0;

	for (uint64_t n = 0; n < test_rounds(20000); n++) {
		struct test_rng rng = { test_mix(test_seed() + n) };
		struct ps_imbalance why;
		struct random_graph r;
		struct ps_rate_edge *e;
		uint64_t q[ACTORS], up, down;
		int err;

		make_graph(&r, &rng);
		if (!r.g.edge_count)
			continue;
		e = &r.edges[test_between(&rng, 0, r.g.edge_count - 1)];
		*(test_chance(&rng, 50) ? &e->write_rate : &e->read_rate) += test_between(&rng, 1, 3);
		err = ps_balance_find(&r.g, q, &why);
		if (!err)
			continue; /* it is on no cycle */
		ck_assert_int_eq(err, -EINVAL);
		refused++;
		follow(&r.g, &why, &up, &down);
		ck_assert(up == why.dst_fires && down == why.src_fires);
		e = &r.edges[why.edge];
		ck_assert_uint_ne(why.src_fires * e->write_rate, why.dst_fires * e->read_rate);
		if (why.fix != PS_NO_EDGE) {
			e = &r.edges[why.fix];
			*(why.fix_writer ? &e->write_rate : &e->read_rate) = why.fix_rate;
			follow(&r.g, &why, &up, &down);
			e = &r.edges[why.edge];
			ck_assert_uint_eq(down * e->write_rate, up * e->read_rate);
			fixed++;
		}
		ps_memory_free(why.way);
	}
	printf("imbalance: %llu refused, %llu can be fixed by one rate\n", (unsigned long long)refused,
		(unsigned long long)fixed);
	ck_assert_uint_gt(fixed, refused / 2);
}
END_TEST

/* An edge with rates that have nothing in common, again and again. */
START_TEST(balance_overflows)
{
	struct ps_rate_edge edges[5];
	struct ps_rate_graph g = { 6, 5, edges };
	struct ps_imbalance why;
	uint64_t q[6];

	for (unsigned i = 0; i < 5; i++)
		edges[i] = (struct ps_rate_edge){
			.src = i, .dst = i + 1, .write_rate = 4294967291u - 2 * i, .read_rate = 65536
		};
	ck_assert_int_eq(ps_balance_find(&g, q, &why), -EOVERFLOW);
	g.edge_count = 1;
	ck_assert_int_eq(ps_balance_find(&g, q, &why), 0);
	ck_assert(q[0] == 65536 && q[1] == 4294967291u && q[2] == 1);
}
END_TEST

static void check_rooms(
	struct random_graph *r, uint64_t seed, uint64_t *grown, uint64_t *dead, uint64_t *small)
{
	struct ps_rate_edge given[EDGES];
	bool all[EDGES], fixed[EDGES], none[EDGES] = { false };
	struct ps_imbalance why;
	struct ps_rooms rooms;
	uint64_t q[ACTORS];
	bool live, fits, grows = false;
	int err;

	ck_assert_int_eq(ps_balance_find(&r->g, q, &why), 0);
	memset(all, true, sizeof all);
	memcpy(given, r->edges, sizeof given);
	for (unsigned e = 0; e < r->g.edge_count; e++)
		fixed[e] = r->edges[e].fixed;
	live = lives(&r->g, q, none);
	fits = lives(&r->g, q, fixed);
	ck_assert_int_eq(ps_rooms_begin(&rooms, &r->g), 0);
	err = ps_rooms_find(&rooms, &r->g, q, NULL);
	ck_assert_msg(err == (!live          ? -EDEADLK
				     : !fits ? -ENOSPC
					     : 0),
		"seed %llu: %d, but it is %s, and %s", (unsigned long long)seed, err, live ? "live" : "dead",
		fits ? "fits" : "does not fit");
	for (unsigned e = 0; e < r->g.edge_count; e++) {
		ck_assert_uint_ge(r->edges[e].room, given[e].room);
		ck_assert(!fixed[e] || r->edges[e].room == given[e].room);
		grows = grows || r->edges[e].room > given[e].room;
		ck_assert_int_eq(rooms.growth[e].from != 0, r->edges[e].room > given[e].room);
	}
	if (!err)
		ck_assert_msg(lives(&r->g, q, all), "seed %llu: it dies with these rooms",
			(unsigned long long)seed);
	if (!err && grows) {
		memcpy(r->edges, given, sizeof given);
		ck_assert_msg(!lives(&r->g, q, all), "seed %llu: rooms have grown in vain",
			(unsigned long long)seed);
	}
	*small += err == -ENOSPC;
	/* what it asks for is enough: then another FIFO is the next to be too small, or none is */
	for (unsigned n = 0; err == -ENOSPC; n++) {
		unsigned e = rooms.too_small;

		ck_assert(fixed[e] && n < r->g.edge_count);
		ck_assert_uint_gt(rooms.wanted, given[e].room);
		given[e].room = rooms.wanted;
		memcpy(r->edges, given, sizeof given);
		memset(rooms.growth, 0, r->g.edge_count * sizeof *rooms.growth);
		err = ps_rooms_find(&rooms, &r->g, q, NULL);
		ck_assert(err != -ENOSPC || rooms.too_small != e);
		ck_assert_int_ne(err, -EDEADLK);
	}
	*grown += !err && grows;
	*dead += err == -EDEADLK;
	ps_rooms_end(&rooms);
}

START_TEST(random_rooms)
{
	uint64_t grown = 0, dead = 0, small = 0, count = test_rounds(20000);

	for (uint64_t n = 0; n < count; n++) {
		struct test_rng rng = { test_mix(test_seed() + n) };
		struct random_graph r;

		make_graph(&r, &rng);
		for (unsigned e = 0; e < r.g.edge_count; e++)
			r.edges[e].fixed = n % 2 && test_chance(&rng, 40);
		check_rooms(&r, test_seed() + n, &grown, &dead, &small);
	}
	printf("rooms: %llu graphs, %llu need more room, %llu are dead, %llu have too little\n",
		(unsigned long long)count, (unsigned long long)grown, (unsigned long long)dead,
		(unsigned long long)small);
	ck_assert(!count || (grown && dead && small));
}
END_TEST

/* A split whose slow branch takes 256 tokens before it gives one, and a join: the fast branch must hold them. */
START_TEST(a_split_and_a_join)
{
	enum { SPLIT, FFT, JOIN };
	struct ps_rate_edge edges[] = { { SPLIT, FFT, 1, 256, 0, 256, false },
		{ SPLIT, JOIN, 1, 256, 0, 256, false }, { FFT, JOIN, 256, 256, 0, 512, false } };
	struct ps_rate_graph g = { 3, 3, edges };
	struct ps_imbalance why;
	struct ps_rooms rooms;
	uint64_t q[3];

	ck_assert_int_eq(ps_balance_find(&g, q, &why), 0);
	ck_assert(q[SPLIT] == 256 && q[FFT] == 1 && q[JOIN] == 1);
	ck_assert_int_eq(ps_rooms_begin(&rooms, &g), 0);
	ck_assert_uint_eq(rooms.part_count, 1);
	ck_assert_int_eq(ps_rooms_find(&rooms, &g, q, NULL), 0);
	ck_assert(edges[0].room == 256 && edges[1].room == 256 && edges[2].room == 512);
	ps_rooms_end(&rooms);

	/* now the join takes one at a time */
	edges[1] = (struct ps_rate_edge){ SPLIT, JOIN, 1, 1, 0, 2, false };
	edges[2] = (struct ps_rate_edge){ FFT, JOIN, 256, 1, 0, 512, false };
	ck_assert_int_eq(ps_balance_find(&g, q, &why), 0);
	ck_assert(q[JOIN] == 256);
	ck_assert_int_eq(ps_rooms_begin(&rooms, &g), 0);
	ck_assert_int_eq(ps_rooms_find(&rooms, &g, q, NULL), 0);
	ck_assert_uint_eq(edges[1].room, 256);
	ck_assert_uint_eq(rooms.growth[1].from, 2);
	ck_assert_uint_eq(rooms.growth[1].next, 2); /* the join waits for the fft */
	ck_assert_uint_eq(rooms.growth[2].from, 0);
	ps_rooms_end(&rooms);

	edges[1].room = 2;
	edges[1].fixed = true;
	ck_assert_int_eq(ps_rooms_begin(&rooms, &g), 0);
	ck_assert_int_eq(ps_rooms_find(&rooms, &g, q, NULL), -ENOSPC);
	ck_assert_uint_eq(rooms.too_small, 1);
	ps_rooms_end(&rooms);
}
END_TEST

START_TEST(parts_of_a_graph)
{
	/* 0 -> 1 => 2 -> 3 -> 4 -> 2, 4 -> 4: a bridge, two FIFOs side by side, a cycle, a loop */
	struct ps_rate_edge edges[] = { { 0, 1, 1, 1, 0, 2, false }, { 1, 2, 1, 1, 0, 2, false },
		{ 1, 2, 1, 1, 0, 2, false }, { 2, 3, 1, 1, 0, 2, false }, { 3, 4, 1, 1, 0, 2, false },
		{ 4, 2, 1, 1, 1, 2, false }, { 4, 4, 1, 1, 1, 2, false } };
	struct ps_rate_graph g = { 5, 7, edges };
	struct ps_rooms r;

	ck_assert_int_eq(ps_rooms_begin(&r, &g), 0);
	ck_assert_uint_eq(r.part_count, 4);
	ck_assert_uint_eq(r.part[1], r.part[2]);
	ck_assert(r.part[3] == r.part[4] && r.part[4] == r.part[5]);
	ck_assert(r.part[0] != r.part[1] && r.part[1] != r.part[3] && r.part[6] != r.part[3] &&
		  r.part[6] != r.part[0]);
	ps_rooms_end(&r);
}
END_TEST

/*
 * A chain of 1,000 actors beside a FIFO from its first to its last, which need 2,000,000 tokens before the second
 * fires: that FIFO grows by one token each time. Taken one by one, each time around the circle, that would be minutes.
 */
START_TEST(a_long_circle)
{
	enum { CHAIN = 1000, FIRST = 2000000 };
	struct ps_rate_edge *edges = calloc(CHAIN, sizeof *edges);
	struct ps_rate_graph g = { CHAIN, CHAIN, edges };
	uint64_t *q = calloc(CHAIN, sizeof *q);
	struct ps_imbalance why;
	struct ps_rooms r;

	for (unsigned i = 0; i + 1 < CHAIN; i++) {
		edges[i] = (struct ps_rate_edge){ .src = i,
			.dst = i + 1,
			.write_rate = i + 2 < CHAIN ? 1 : FIRST,
			.read_rate = i ? 1 : FIRST };
		edges[i].room = edges[i].write_rate + edges[i].read_rate - 1;
	}
	edges[CHAIN - 1] = (struct ps_rate_edge){
		.src = 0, .dst = CHAIN - 1, .write_rate = 1, .read_rate = 1, .room = 2
	};
	ck_assert_int_eq(ps_balance_find(&g, q, &why), 0);
	ck_assert_uint_eq(q[0], FIRST);
	ck_assert_int_eq(ps_rooms_begin(&r, &g), 0);
	ck_assert_int_eq(ps_rooms_find(&r, &g, q, NULL), 0);
	ck_assert_uint_eq(edges[CHAIN - 1].room, FIRST);
	ck_assert_uint_eq(r.growth[CHAIN - 1].from, 2);
	for (unsigned i = 0; i + 1 < CHAIN; i++)
		ck_assert_uint_eq(r.growth[i].from, 0);
	ps_rooms_end(&r);
	free(edges);
	free(q);
}
END_TEST

/* A tree of any rates is not executed; a cycle with more firings than can be looked at is refused by name. */
START_TEST(too_long)
{
	struct ps_rate_edge edges[] = { { 0, 1, 4194301, 4194303, 0, 10000000, false },
		{ 1, 2, 1, 4194301, 0, 10000000, false }, { 0, 1, 4194301, 4194303, 0, 10000000, false } };
	struct ps_rate_graph g = { 3, 2, edges };
	struct ps_imbalance why;
	struct ps_rooms r;
	uint64_t q[3];

	ck_assert_int_eq(ps_balance_find(&g, q, &why), 0);
	ck_assert_int_eq(ps_rooms_begin(&r, &g), 0);
	ck_assert_int_eq(ps_rooms_find(&r, &g, q, NULL), 0);
	ps_rooms_end(&r);
	g.edge_count = 3;
	ck_assert_int_eq(ps_rooms_begin(&r, &g), 0);
	ck_assert_int_eq(ps_rooms_find(&r, &g, q, NULL), -E2BIG);
	ck_assert_uint_ne(r.too_long, 1);
	ps_rooms_end(&r);
}
END_TEST

START_TEST(no_memory)
{
	struct ps_rate_edge edges[] = { { 0, 1, 1, 2, 0, 2, false }, { 1, 0, 2, 1, 2, 4, false },
		{ 0, 1, 1, 1, 0, 2, false } };
	struct ps_rate_graph g = { 2, 2, edges };
	struct ps_imbalance why;
	struct ps_rooms r;
	uint64_t q[2];
	int err = -ENOMEM, at = 0;

	for (; err == -ENOMEM; at++) {
		ps_memory_fail_at = at;
		err = ps_balance_find(&g, q, &why);
		if (!err)
			err = ps_rooms_begin(&r, &g);
		else
			r = (struct ps_rooms){ .part = NULL };
		if (!err)
			err = ps_rooms_find(&r, &g, q, NULL);
		ps_memory_fail_at = -1;
		ps_rooms_end(&r);
		ck_assert(!err || err == -ENOMEM);
	}
	ck_assert_int_gt(at, 20);
	g.edge_count = 3;
	for (at = 0, err = -ENOMEM; err == -ENOMEM; at++) {
		ps_memory_fail_at = at;
		err = ps_balance_find(&g, q, &why);
		ps_memory_fail_at = -1;
	}
	ck_assert_int_eq(err, -EINVAL);
	ps_memory_free(why.way);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rooms");
	TCase *c = test_case(suite, "rooms");

	tcase_add_test(c, random_balance);
	tcase_add_test(c, random_imbalance);
	tcase_add_test(c, balance_overflows);
	tcase_add_test(c, random_rooms);
	tcase_add_test(c, a_split_and_a_join);
	tcase_add_test(c, parts_of_a_graph);
	tcase_add_test(c, a_long_circle);
	tcase_add_test(c, too_long);
	tcase_add_test(c, no_memory);
	return test_main(suite);
}
