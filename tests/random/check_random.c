/* SPDX-License-Identifier: MIT */
/*
 * Random networks of C actors: each token that an actor reads is compared with a sequential oracle.
 */
#include "tests/common/common.h"
#include "tests/random/net_run.h"
#include "tests/random/oracle.h"
#include "tests/random/random_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUICK_NETWORKS = 5000 };

START_TEST(test_random_networks)
{
	static struct net_spec net;
	struct net_totals totals = { 0 };
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_NETWORKS);

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *what;

		test_guard("a random network", seed);
		net_make_random(&net, seed);
		net_equal_delays(&net, seed);
		what = net_run(&net, &totals);
		net_spec_free(&net);
		ck_assert_msg(!what, "PENSTOCK_TEST_SEED=%" PRIu64 ": %s", seed, what);
	}
	ck_assert_uint_gt(totals.shared * 20, totals.fifos);
	printf("random networks: %" PRIu64 " networks, %" PRIu64 " actors, %" PRIu64 " FIFOs, %" PRIu64
	       " of them shared, %" PRIu64 " firings, %" PRIu64 " tokens, seeds %" PRIu64 " to %" PRIu64 "\n",
		totals.networks, totals.actors, totals.fifos, totals.shared, totals.firings, totals.tokens,
		first, first + rounds - 1);
	net_print_teams(&totals);
}
END_TEST

/* The oracle itself, against results worked out by hand. */
START_TEST(test_oracle_pipeline)
{
	static struct net_spec net;
	struct oracle oracle;

	/* 10 tokens at rate 4, delays of 1: 11 tokens arrive behind the first, 12 behind the second
	 * FIFO */
	net_make(&net, &(struct net_plan){ NET_PIPELINE, 3, 4, 1, 2, 10, false, 0 }, 1);
	ck_assert(oracle_run(&oracle, &net));
	ck_assert_uint_eq(oracle.actors[0].firings, 3);
	ck_assert_uint_eq(oracle.fifos[0].count, 11);
	ck_assert_uint_eq(oracle_window(&oracle, 0, 1), 4);
	ck_assert_uint_eq(oracle_window(&oracle, 0, 2), 3);
	ck_assert_uint_eq(oracle_window(&oracle, 0, 3), 0);
	ck_assert_uint_eq(oracle.fifos[1].count, 12);
	ck_assert_uint_eq(oracle_window(&oracle, 1, 2), 4);
	ck_assert_uint_eq(oracle.actors[2].firings, 3);
	ck_assert_uint_eq(oracle.actors[2].least, 3);
	ck_assert_uint_eq(oracle.actors[1].least, 3);
	ck_assert_uint_eq(oracle.actors[0].least, 3);
	oracle_free(&oracle);
	net_spec_free(&net);
}
END_TEST

START_TEST(test_oracle_early_end)
{
	static struct net_spec net;
	struct oracle oracle;

	/* the sink ends after 2 firings: the others need not make more than 2, and can make all 5 */
	net_make(&net, &(struct net_plan){ NET_PIPELINE, 3, 2, 0, 2, 10, false, 0 }, 1);
	net.actors[2].last = 1;
	net.actors[2].last_valid[0] = 2;
	ck_assert(oracle_run(&oracle, &net));
	ck_assert_uint_eq(oracle.actors[2].firings, 2);
	ck_assert_uint_eq(oracle.actors[0].firings, 5);
	ck_assert_uint_eq(oracle.actors[0].least, 2);
	ck_assert_uint_eq(oracle.actors[1].least, 2);
	oracle_free(&oracle);
	net_spec_free(&net);
}
END_TEST

/* A loop of a source that gives 3 windows and an actor that needs the loop's token: floor(d / r) decides. */
START_TEST(test_oracle_dead_loop)
{
	static struct net_spec net;
	struct oracle oracle;

	net_make(&net, &(struct net_plan){ NET_RING, 2, 4, 3, 2, 12, false, 0 }, 1);
	ck_assert(oracle_run(&oracle, &net));
	oracle_free(&oracle);
	for (unsigned f = 0; f < net.fifo_count; f++)
		if (net.fifos[f].delay >= 4)
			net.fifos[f].delay = 3;
	ck_assert(!oracle_run(&oracle, &net));
	ck_assert_uint_eq(oracle.actors[0].firings, 0);
	oracle_free(&oracle);
	net_spec_free(&net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random");
	TCase *oracle = test_case(suite, "oracle"), *networks = test_case(suite, "networks");

	tcase_add_test(oracle, test_oracle_pipeline);
	tcase_add_test(oracle, test_oracle_early_end);
	tcase_add_test(oracle, test_oracle_dead_loop);
	tcase_add_test(networks, test_random_networks);
	return test_main(suite);
}
