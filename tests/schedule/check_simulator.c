/* SPDX-License-Identifier: MIT */
/*
 * The simulator of the tests, which is the third runner: networks are right under it, a seed gives the same run each
 * time, firings are side by side in virtual time, and deadlocks are found.
 */
#include "tests/common/simulator.h"
#include "tests/common/common.h"
#include "tests/common/many.h"
#include "tests/random/generator.h"
#include "tests/random/node.h"
#include "tests/random/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUICK_ROUNDS = 300, ENDS = 40 };

/* What a network of this shape and size does under a seed. */
static struct simulator_trace simulate(enum many_shape shape, unsigned count, unsigned kinds, uint64_t seed)
{
	struct many many = { .seed = 1, .ends = ENDS };

	simulator_begin(seed);
	many_build(&many, shape, count, kinds, 4, 0);
	ck_assert_int_eq(pstk_network_run(many.net), 0);
	simulator_end();
	many_check(&many, ENDS);
	many_free(&many);
	return simulator_trace();
}

START_TEST(networks_are_right)
{
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_ROUNDS);

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { seed };
		struct simulator_trace t;
		unsigned count = test_between(&rng, 1, 30);

		test_guard("a simulated network", seed);
		t = simulate(seed % MANY_SHAPES, count, MANY_STATELESS | MANY_PINNED, seed);
		/* the source fires once more, and says that it is done */
		ck_assert_uint_ge(t.firings, (uint64_t)count * ENDS + 1);
		ck_assert_uint_ge(t.steps, 2 * t.firings);
	}
}
END_TEST

/* Two runs of one seed are the same, step by step; another seed gives another order. */
START_TEST(a_seed_replays)
{
	unsigned others = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct simulator_trace a = simulate(MANY_RANDOM, 12, MANY_STATELESS, seed),
				       b = simulate(MANY_RANDOM, 12, MANY_STATELESS, seed),
				       c = simulate(MANY_RANDOM, 12, MANY_STATELESS, seed + 1000);

		ck_assert_uint_eq(a.order, b.order);
		ck_assert_uint_eq(a.steps, b.steps);
		ck_assert_uint_eq(a.clock, b.clock);
		ck_assert_uint_eq(a.most, b.most);
		others += a.order != c.order;
	}
	ck_assert_uint_eq(others, 20);
}
END_TEST

/* Firings of all actors, and several of one that is stateless, are in flight at the same virtual time. */
START_TEST(time_is_virtual)
{
	struct simulator_trace one = simulate(MANY_CHAIN, 1, 0, 7), chain = simulate(MANY_CHAIN, 8, 0, 7),
			       aside = simulate(MANY_CHAIN, 8, MANY_STATELESS, 7);

	ck_assert_uint_eq(one.most, 1);
	ck_assert_uint_ge(chain.most, 4);
	ck_assert_uint_le(chain.most, 8);
	ck_assert_uint_gt(aside.most, 8);
	ck_assert_uint_le(one.clock, (ENDS + 1) * 100);
	/* what is side by side takes less time than in turn */
	ck_assert_uint_lt(chain.clock, 8 * one.clock);
}
END_TEST

/* Networks of the random suites, against their oracle. The whole of it: PENSTOCK_TEST_SIMULATOR=1 check_random. */
START_TEST(random_networks_agree_with_the_oracle)
{
	static struct net net;
	struct net_totals totals = { 0 };
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_ROUNDS);

	setenv("PENSTOCK_TEST_SIMULATOR", "1", 1);
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *what;

		test_guard("a simulated random network", seed);
		if (!net_make_random(&net,
			    &(struct net_switches){ .form = seed % 2 ? NET_STATIC : NET_DYNAMIC,
				    .proven = true,
				    .ticks = 60,
				    .beside = seed % 4 < 2 },
			    seed, NULL, 0))
			continue;
		what = net_run(&net, &totals);
		ck_assert_msg(!what, "PENSTOCK_TEST_SEED=%" PRIu64 ": %s", seed, what);
	}
	ck_assert_uint_ge(totals.networks * 2, rounds);
	ck_assert_uint_gt(totals.tokens, 10 * rounds);
}
END_TEST

START_TEST(deadlocks_are_found)
{
	struct node nodes[] = { { .name = "a", .ports = "<in >out" }, { .name = "b", .ports = "<in >out" } };
	struct pstk_network *net = pstk_network_create("ring");

	pstk_network_set_flags(net, PSTK_UNCHECKED);
	node_add(net, &nodes[0]);
	node_add(net, &nodes[1]);
	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 1);
	node_connect(&nodes[1], "out", &nodes[0], "in", 1, 0, 1);
	simulator_begin(_i);
	ck_assert_int_eq(pstk_network_run(net), -EDEADLK);
	simulator_end();
	TEST_SAYS(pstk_network_error(net), "deadlock: a (firing 0) waits for tokens on in", "b");
	pstk_network_destroy(net);
	ck_assert_uint_eq(nodes[0].finished + nodes[1].finished, 2);
	ck_assert_uint_ge(simulator_trace().judged, 1);
}
END_TEST

/* An actor that waits inside of fire() keeps a thread of its own beside the simulator. */
START_TEST(others_keep_their_threads)
{
	struct simulator_trace t = simulate(MANY_RANDOM, 20, MANY_KAHN | MANY_BLOCKS, _i + 1);

	ck_assert_uint_gt(t.firings, ENDS);
	ck_assert_uint_lt(t.firings, 20 * ENDS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("simulator");
	TCase *t = test_case(suite, "simulator");

	tcase_add_test(t, networks_are_right);
	tcase_add_test(t, a_seed_replays);
	tcase_add_test(t, time_is_virtual);
	tcase_add_test(t, random_networks_agree_with_the_oracle);
	tcase_add_loop_test(t, deadlocks_are_found, 0, 10);
	tcase_add_loop_test(t, others_keep_their_threads, 0, 10);
	return test_main(suite);
}
