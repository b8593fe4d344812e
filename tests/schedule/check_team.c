/* SPDX-License-Identifier: MIT */
/*
 * Networks that a team runs: of any size and shape, with actors that have threads of their own among them;
 * how they end, what is found out about them meanwhile. All rates and delays: check_random.c.
 * The team's threads: check_team_start.c.
 */
#include "lib/base/clock.h"
#include "lib/observe/snapshot.h"
#include "tests/common/common.h"
#include "tests/common/many.h"
#include "tests/common/simple.h"
#include "tests/random/node.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 8 };

static void setup(void)
{
	unsetenv("PENSTOCK_TEAM"); /* each test says which threads run its networks */
}

/* -- sizes and shapes -- */

static const struct {
	enum many_shape shape;
	unsigned count, threads;
	uint64_t ends;
} sizes[] = {
	{ MANY_CHAIN, 1, 1, 1000 },
	{ MANY_CHAIN, 2, 3, 1000 },
	{ MANY_CHAIN, 3, 256, 1000 },
	{ MANY_CHAIN, 64, 2, 200 },
	{ MANY_CHAIN, 65, 1, 200 }, /* from here on with a bit each */
	{ MANY_CHAIN, 65, 2, 200 },
	{ MANY_STAR, 65, 3, 200 },
	{ MANY_TREE, 65, 4, 200 },
	{ MANY_RANDOM, 65, 2, 200 },
	{ MANY_CHAIN, 200, 2, 100 },
	{ MANY_STAR, 200, 1, 100 },
	{ MANY_STAR, 200, 4, 100 },
	{ MANY_TREE, 200, 2, 100 },
	{ MANY_RANDOM, 200, 1, 100 },
	{ MANY_RANDOM, 200, 8, 100 },
	{ MANY_CHAIN, 1000, 1, 20 },
	{ MANY_CHAIN, 1000, 2, 20 },
	{ MANY_STAR, 1000, 2, 10 },
	{ MANY_TREE, 1000, 3, 20 },
	{ MANY_RANDOM, 1000, 2, 20 },
};

START_TEST(any_size)
{
	for (unsigned kinds = 0; kinds <= MANY_STATELESS; kinds++) {
		struct many many = { .ends = sizes[_i].ends, .seed = test_seed() + (uint64_t)_i };

		many_build(&many, sizes[_i].shape, sizes[_i].count, kinds, sizes[_i].threads, 0);
		ck_assert_int_eq(pstk_network_run(many.net), 0);
		many_check(&many, many.ends);
		many_free(&many);
	}
}
END_TEST

/* Actors of all kinds: the team's, pinned, side by side; with threads of their own, kahn ones too. */
START_TEST(all_kinds)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = 0; round < test_rounds(60); round++) {
		struct many many = { .ends = test_between(&rng, 0, 300),
			.seed = test_random(&rng),
			.delay = (unsigned)(round % 3) };

		test_guard("all_kinds", round);
		many_build(&many, round % MANY_SHAPES, test_between(&rng, 1, 12), MANY_ALL_KINDS,
			test_between(&rng, 1, 8), test_between(&rng, 0, 3));
		ck_assert_int_eq(pstk_network_run(many.net), 0);
		many_check(&many, many.ends);
		many_free(&many);
	}
}
END_TEST

/* A team that has nothing to do: every actor has a thread of its own. */
START_TEST(nobody_on_the_team)
{
	static _Atomic uint64_t open = NODE_ALL;
	struct node nodes[] = { { .name = "a", .ports = ">out", .open = &open, .ends = 100 },
		{ .name = "b", .ports = "<in >out", .kahn = "io", .ends = 100 },
		{ .name = "c", .ports = "<in", .open = &open } };
	struct pstk_network *net = pstk_network_create("blocks");

	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	for (unsigned i = 0; i < 3; i++)
		node_add(net, &nodes[i]);
	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[2], "in", 1, 0, 0);
	ck_assert_int_eq(pstk_network_run(net), 0);
	ck_assert_uint_eq(nodes[0].firings, 100);
	ck_assert_uint_eq(nodes[2].firings, 100);
	pstk_network_destroy(net);
}
END_TEST

/* -- parts -- */

static struct pstk_network *make(const char *name, struct node *nodes, unsigned count, unsigned threads)
{
	struct pstk_network *net = pstk_network_create(name);

	pstk_network_set_flags(net, PSTK_UNCHECKED);
	ck_assert_int_eq(pstk_network_set_threads(net, threads), 0);
	for (unsigned i = 0; i < count; i++)
		node_add(net, &nodes[i]);
	return net;
}

static void connect_ring(struct node *nodes, unsigned count, uint32_t delay)
{
	for (unsigned i = 0; i < count; i++)
		node_connect(&nodes[i], "out", &nodes[(i + 1) % count], "in", 1, i ? 0 : delay, 0);
}

/* Parts that are ready for ever keep no other part from the members: a ring, whose data lead round and round,
 * and a pair, whose sink comes first. There are more parts than members. */
START_TEST(no_part_waits_for_ever)
{
	for (unsigned many = 0; many < 2; many++) {
		struct node nodes[] = { { .name = "a", .ports = "<in >out" },
			{ .name = "b", .ports = "<in >out" }, { .name = "c", .ports = ">out" },
			{ .name = "d", .ports = "<in" }, { .name = "e", .ports = ">out" },
			{ .name = "f", .ports = "<in" }, { .name = "g", .ports = "<in >out" },
			{ .name = "h", .ports = "<in >out" } };
		struct pstk_network *net = make("parts", nodes, 8, (unsigned)_i);
		struct node pairs[30][2] = { 0 };
		char names[60][16];

		connect_ring(nodes, 2, 1);
		node_connect(&nodes[2], "out", &nodes[3], "in", 1, 0, 0);
		node_connect(&nodes[4], "out", &nodes[5], "in", 1, 0, 0);
		connect_ring(nodes + 6, 2, 1);
		for (unsigned i = 0; many && i < 60; i++) {
			snprintf(names[i], sizeof names[i], "p%u", i);
			pairs[i / 2][i % 2] =
				(struct node){ .name = names[i], .ports = i % 2 ? "<in" : ">out" };
			node_add(net, &pairs[i / 2][i % 2]);
			if (i % 2)
				node_connect(&pairs[i / 2][0], "out", &pairs[i / 2][1], "in", 1, 0, 0);
		}
		ck_assert_int_eq(pstk_network_start(net), 0);
		for (unsigned i = 0; i < 8; i++)
			test_await(&nodes[i].firings, 20);
		for (unsigned i = 0; many && i < 60; i++)
			test_await(&pairs[i / 2][i % 2].firings, 20);
		pstk_network_stop(net);
		ck_assert_int_eq(pstk_network_wait(net), 0);
		pstk_network_destroy(net);
	}
}
END_TEST

/* A network that is run inside of a firing of another one. */
static int nest_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const unsigned *threads = pstk_actor_arg(self);
	struct simple_chain inner;
	uint64_t tokens = 50 + *(const uint64_t *)pstk_fifo_read_start(f, 0);
	int err;

	simple_chain(&inner, 2, tokens, 1, 0, 0);
	pstk_network_set_threads(inner.net, *threads);
	err = pstk_network_run(inner.net);
	if (!err && atomic_load(&inner.collect.wrong))
		err = -EBADMSG;
	*(uint64_t *)pstk_fifo_write_start(f, 1) = atomic_load(&inner.collect.tokens) - 50;
	pstk_network_destroy(inner.net);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return err ? pstk_actor_error(self, err, "the inner network failed") : PSTK_AGAIN;
}

START_TEST(nested)
{
	for (unsigned threads = 0; threads <= 2; threads++) {
		struct simple_chain outer;
		struct pstk_actor *nest;
		struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
		struct simple_count count = { .tokens = 20 };

		outer.net = pstk_network_create("outer");
		ck_assert_int_eq(pstk_network_set_threads(outer.net, (unsigned)_i), 0);
		outer.actors[0] = pstk_network_add(outer.net, "count", simple_count_type(), &count);
		nest = pstk_network_add(outer.net, "nest",
			PSTK_ACTOR_TYPE(.name = "nest", .ports = simple_relay_type()->ports, .port_count = 2,
				.stateless = true, .fire = nest_fire),
			&threads);
		outer.actors[1] = pstk_network_add(outer.net, "collect", simple_collect_type(), &collect);
		pstk_connect(outer.actors[0], "out", nest, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
		pstk_connect(nest, "out", outer.actors[1], "in", PSTK_FIFO(.rate = 1, .token_size = 8));
		ck_assert_msg(!pstk_network_run(outer.net), "%s", pstk_network_error(outer.net));
		ck_assert_uint_eq(collect.tokens, 20);
		ck_assert_uint_eq(collect.wrong, 0);
		pstk_network_destroy(outer.net);
	}
}
END_TEST

/* -- ends -- */

/* Stop drains, abort doesn't; whenever they come. */
START_TEST(ends_at_random)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = 0; round < test_rounds(80); round++) {
		struct many many = {
			.ends = UINT64_MAX, .seed = test_random(&rng), .delay = (unsigned)(round % 2)
		};
		bool aborts = test_chance(&rng, 50);
		unsigned yields = test_between(&rng, 0, 30);

		test_guard("ends_at_random", round);
		many_build(&many, round % MANY_SHAPES, test_between(&rng, 1, round % 10 ? 12 : 100),
			MANY_ALL_KINDS, test_between(&rng, 1, 8), test_between(&rng, 0, 3));
		ck_assert_int_eq(pstk_network_start(many.net), 0);
		while (yields--)
			sched_yield();
		(aborts ? pstk_network_abort : pstk_network_stop)(many.net);
		ck_assert_int_eq(pstk_network_wait(many.net), aborts ? -ECANCELED : 0);
		ck_assert_uint_eq(many_wrong(&many), 0);
		if (!aborts && many.count > 1) {
			struct pstk_fifo_info info;

			ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(many.net, 0), &info), 0);
			many_check(&many, info.written);
		}
		many_free(&many);
	}
}
END_TEST

/* One input has ended, the other one never comes: the join ends, and so does the actor that waits upstream. */
START_TEST(half_a_join)
{
	static const uint64_t given = 3;
	_Atomic uint64_t open = 0;
	struct node nodes[] = { { .name = "a", .ports = ">out", .ends = given },
		{ .name = "held", .ports = ">out", .fire = "hold", .open = &open },
		{ .name = "b", .ports = "<in >out" }, { .name = "join", .ports = "<a <b >out" },
		{ .name = "sink", .ports = "<in" } };
	struct pstk_network *net = make("join", nodes, 5, (unsigned)_i);
	struct pstk_fifo *out;
	struct pstk_fifo_info info = { 0 };

	/* join fires as often as a has given windows before: never without b's */
	node_connect(&nodes[0], "out", &nodes[3], "a", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[2], "in", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[3], "b", 1, given, given);
	out = node_connect(&nodes[3], "out", &nodes[4], "in", 1, 0, 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	while (!info.closed) { /* while `held` is in fire() */
		sched_yield();
		ck_assert_int_eq(pstk_fifo_get_info(out, &info), 0);
	}
	ck_assert_uint_eq(info.written, given);
	ck_assert_uint_eq(nodes[1].firings, 0);
	atomic_store(&open, NODE_ALL);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	ck_assert_uint_eq(nodes[3].firings, given);
	ck_assert_uint_eq(nodes[4].firings, given);
	ck_assert_uint_eq(nodes[2].firings, 0);
	pstk_network_destroy(net);
}
END_TEST

/* -- figures -- */

static int short_fire(struct pstk_firing *f)
{
	const uint64_t *busy_ns = pstk_actor_arg(pstk_firing_actor(f));
	uint64_t until = *busy_ns ? ps_clock_ns() + *busy_ns : 0;

	while (until && ps_clock_ns() < until)
		;
	return pstk_firing_index(f) + 1 < (*busy_ns ? 300 : 30000) ? PSTK_AGAIN : PSTK_DONE;
}

/* Of short firings one in 16 is measured, and stands for the others; of long ones each is. */
START_TEST(fire_times)
{
	static const uint64_t busy[] = { 0, 20000 };

	for (size_t i = 0; i < TEST_COUNT(busy); i++) {
		struct pstk_network *net = pstk_network_create("times");
		struct pstk_actor *a = pstk_network_add(
			net, "a", PSTK_ACTOR_TYPE(.name = "lone", .fire = short_fire), (void *)&busy[i]);
		uint64_t began = ps_clock_ns(), wall, firings = busy[i] ? 300 : 30000;
		struct pstk_actor_stats stats;

		ck_assert_int_eq(pstk_network_set_threads(net, (unsigned)_i), 0);
		ck_assert_int_eq(pstk_network_run(net), 0);
		wall = ps_clock_ns() - began;
		ck_assert_int_eq(pstk_actor_get_stats(a, &stats), 0);
		ck_assert_uint_eq(stats.firings, firings);
		ck_assert_uint_gt(stats.fire_ns, busy[i] * firings);
		ck_assert_uint_le(stats.fire_ns, busy[i] ? wall : 16 * wall);
		ck_assert_uint_eq(stats.wait_ns, 0);
		ck_assert_uint_eq(stats.control_tokens, 0);
		pstk_network_destroy(net);
	}
}
END_TEST

/* -- what is seen of it -- */

static char *snapshot_of(struct pstk_network *net)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(pstk_network_snapshot(net, out), 0);
	fclose(out);
	return text;
}

/* One that holds a thread of the team in fire() is found, with the time since it began. */
START_TEST(a_held_member)
{
	_Atomic uint64_t open = 3;
	struct node nodes[] = { { .name = "source", .ports = ">out" },
		{ .name = "held", .ports = "<in >out", .fire = "hold", .open = &open, .on_team = true },
		{ .name = "sink", .ports = "<in" } };
	struct pstk_network *net = make("held", nodes, 3, (unsigned)_i);
	uint64_t began = ps_clock_ns();
	struct ps_state state;
	char *text;

	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[2], "in", 1, 0, 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	test_await(&nodes[1].firings, 3);
	do {
		sched_yield();
		state = ps_state_of(nodes[1].actor);
	} while (state.doing != PS_IN_FIRE);
	ck_assert_uint_ge(state.since, began);
	ck_assert_uint_le(state.since, ps_clock_ns());
	text = snapshot_of(net);
	TEST_SAYS(text, "held", "is in fire() for ", "3 firings");
	free(text);
	atomic_store(&open, NODE_ALL);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	text = snapshot_of(net);
	TEST_SAYS(text, "has ended");
	free(text);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(the_watchdog_names_it)
{
	_Atomic uint64_t open = 3;
	struct node nodes[] = { { .name = "source", .ports = ">out" },
		{ .name = "held", .ports = "<in >out", .fire = "hold", .open = &open, .on_team = true },
		{ .name = "sink", .ports = "<in" } };
	struct pstk_network *net = make("held", nodes, 3, (unsigned)_i);

	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[2], "in", 1, 0, 0);
	/* long enough that no other actor, which a busy machine holds up, is taken for it */
	ck_assert_int_eq(pstk_network_set_watchdog(net, 400000000, true), 0);
	test_log_start();
	ck_assert_int_eq(pstk_network_run(net), -ETIMEDOUT);
	TEST_SAYS(pstk_network_error(net), "'held' (node): nothing has moved for ", "it is in fire() for ",
		", 3 firings; it holds a thread of the team: ", "set blocks in its type");
	ck_assert(test_log_has("set blocks in its type")); /* the warning before it */
	test_log_stop();
	pstk_network_destroy(net);
}
END_TEST

/* -- deadlocks -- */

enum { RING, PARTS, RING_BESIDE_RING, OWN_THREADS, KAHN, FED, DEADLOCKS };

static void build_dead(struct node *nodes, unsigned which, unsigned threads, struct pstk_network **net)
{
	static _Atomic uint64_t all = NODE_ALL;
	static const char *const names[NODES] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	bool two = which == PARTS, ring = which == RING_BESIDE_RING;
	unsigned count = two ? 5 : ring ? 5 : 3;

	memset(nodes, 0, NODES * sizeof *nodes);
	for (unsigned i = 0; i < count; i++)
		nodes[i] = (struct node){ .name = names[i], .ports = "<in >out" };
	if (two)
		nodes[3].ports = ">out", nodes[4].ports = "<in";
	if (which == OWN_THREADS)
		nodes[1].open = &all; /* blocks: it has a thread of its own */
	if (which == KAHN)
		nodes[1].kahn = "io";
	if (which == FED)
		nodes[0].ports = ">out", nodes[1].ports = "<back <in >out";
	*net = make("dead", nodes, count, threads);
	if (which == FED) {
		node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
		node_connect(&nodes[1], "out", &nodes[2], "in", 1, 0, 0);
		node_connect(&nodes[2], "out", &nodes[1], "back", 1, 0, 0);
	} else {
		connect_ring(nodes, 3, 0);
	}
	if (two)
		node_connect(&nodes[3], "out", &nodes[4], "in", 1, 0, 0);
	if (ring)
		connect_ring(nodes + 3, 2, 1);
}

static void run_dead(unsigned which, unsigned threads, char *error)
{
	struct node nodes[NODES];
	struct pstk_network *net;

	build_dead(nodes, which, threads, &net);
	test_log_start();
	ck_assert_int_eq(pstk_network_run(net), -EDEADLK);
	test_log_stop();
	snprintf(error, 512, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
}

/* Whichever threads run it, the report is the same. The oracle is the report of a thread per actor, whose own test is
 * check_deadlock.c. */
START_TEST(deadlocks)
{
	char expected[512], error[512];

	run_dead((unsigned)_i, 0, expected);
	TEST_SAYS(expected, "deadlock: ", " waits for tokens on ");
	for (unsigned threads = 1; threads <= 4; threads++) {
		run_dead((unsigned)_i, threads, error);
		ck_assert_str_eq(error, expected);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("team");
	TCase *c = test_case(suite, "team");

	tcase_add_checked_fixture(c, setup, NULL);
	tcase_add_loop_test(c, any_size, 0, TEST_COUNT(sizes));
	tcase_add_test(c, all_kinds);
	tcase_add_test(c, nobody_on_the_team);
	tcase_add_loop_test(c, no_part_waits_for_ever, 1, 4);
	tcase_add_loop_test(c, nested, 1, 4);
	tcase_add_test(c, ends_at_random);
	tcase_add_loop_test(c, half_a_join, 1, 4);
	tcase_add_loop_test(c, fire_times, 1, 3);
	tcase_add_loop_test(c, a_held_member, 1, 4);
	tcase_add_loop_test(c, the_watchdog_names_it, 1, 3);
	tcase_add_loop_test(c, deadlocks, 0, DEADLOCKS);
	return test_main(suite);
}
