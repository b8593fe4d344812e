/* SPDX-License-Identifier: MIT */
/*
 * Random networks of which some have lost initial tokens: the sequential oracle says which of them deadlock. Those that do
 * must be found, the others must never be.
 */
#include "tests/common/common.h"
#include "tests/random/net_run.h"
#include "tests/random/oracle.h"
#include "tests/random/random_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_NETWORKS = 4000 };

/* Takes delay tokens from some FIFOs. */
static void starve(struct net_spec *net, struct test_rng *rng)
{
	unsigned percent = test_chance(rng, 50) ? 30 : 100;

	net->unchecked = true;
	for (unsigned f = 0; f < net->fifo_count; f++)
		if (net->fifos[f].delay && test_chance(rng, percent)) {
			net->fifos[f].delay = test_between(rng, 0, net->fifos[f].delay - 1);
			if (net->fifos[f].delay)
				continue;
			free(net->fifos[f].initial);
			net->fifos[f].initial = NULL;
		}
}

static bool ends(const struct net_spec *net)
{
	static struct oracle oracle;
	bool whole = oracle_run(&oracle, net);

	oracle_free(&oracle);
	return whole;
}

START_TEST(test_starved_networks)
{
	static struct net_spec net;
	struct net_totals totals = { 0 };
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_NETWORKS), dead = 0;

	test_log_start();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { test_mix(seed ^ 0xdead) };
		const char *what;
		bool alive;

		test_guard("a starved network", seed);
		net_make_random(&net, seed);
		net_equal_delays(&net, seed);
		starve(&net, &rng);
		alive = ends(&net);
		what = alive ? net_run(&net, &totals) : net_run_dead(&net);
		dead += !alive;
		net_spec_free(&net);
		ck_assert_msg(!what, "PENSTOCK_TEST_SEED=%" PRIu64 ": %s", seed, what);
	}
	test_log_stop();
	printf("starved networks: %" PRIu64 ", %" PRIu64 " deadlocks, all found, no other, seeds %" PRIu64
	       " to %" PRIu64 "\n",
		rounds, dead, first, first + rounds - 1);
	net_print_teams(&totals);
	ck_assert_uint_ge(dead * 20, rounds);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_dead");
	TCase *tcase = test_case(suite, "networks");

	tcase_add_test(tcase, test_starved_networks);
	return test_main(suite);
}
