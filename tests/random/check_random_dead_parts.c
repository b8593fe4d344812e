/* SPDX-License-Identifier: MIT */
/* Random networks that are cut into parts of several hosts, and may deadlock: carried by a courier that looks for it,
 * or over ranks, which find it together. */
#include "lib/plan/parts.h"
#include "lib/run/hosts_still.h"
#include "tests/common/crew.h"
#include "tests/random/carrier_parts.h"
#include "tests/random/dead.h"
#include "tests/random/run_actor.h"
#include "tests/random/suite.h"

#include <string.h>

enum { MANY = 100 }; /* of so many networks some are dead, and over parts */

static struct run run;
static unsigned dead, dead_over_parts;

static void check_end(struct dead_foretold foretold, const char *replay, int err, const char *error)
{
	dead_check(&run, foretold, replay, err, error);
	dead += err != 0;
}

/* Of the first part of those that have failed. */
static const char *error_of(int err)
{
	for (unsigned i = 0; i < carrier_courier.count; i++)
		if (carrier_courier.results[i] == err)
			return pstk_network_error(carrier_courier.parts[i]);
	return "";
}

static void run_parts(const struct net *net, const char *replay)
{
	struct dead_foretold foretold = dead_foretell(&run, net);
	int err;

	run_build(&run, &run.built);
	carrier_cut.exchange(&run);
	carrier_courier.judges = true;
	err = courier_run(&carrier_courier);
	check_end(foretold, replay, err, error_of(err));
	dead_over_parts += err && carrier_courier.dead;
	carrier_cut.destroy(&run);
}

/* Over ranks: all end with the same words. */
static void run_ranks(const struct net *net, const char *replay)
{
	static struct net_built built[CREW_RANKS];
	struct test_rng rng = { test_mix(net->seed) };
	struct crew crew = { .count = test_between(&rng, 2, CREW_RANKS),
		.seed = net->seed,
		.delay = test_between(&rng, 0, 20),
		.chained = net->seed % 2 };
	unsigned hosts[NET_ACTORS];
	struct dead_foretold foretold = dead_foretell(&run, net);
	int err;

	for (unsigned a = 0; a < net->actor_count; a++)
		hosts[a] = test_between(&rng, 0, crew.count - 1);
	for (unsigned i = 0; i < crew.count; i++) {
		run_build(&run, &built[i]);
		crew.ranks[i] = built[i].network;
		for (unsigned a = 0; a < net->actor_count; a++)
			ck_assert_int_eq(ps_parts_place(built[i].actors[a], hosts[a]), 0);
	}
	crew_join(&crew);
	err = crew_run(&crew);
	check_end(foretold, replay, err, pstk_network_error(crew.ranks[0]));
	crew_check(&crew, err, pstk_network_error(crew.ranks[0]));
	dead_over_parts += err && !strncmp(pstk_network_error(crew.ranks[0]), "deadlock: c", 11);
	crew_free(&crew);
}

static void run_all(
	const char *choice, uint64_t rounds, void (*run_one)(const struct net *net, const char *replay))
{
	static struct net net;
	uint64_t first = test_seed();

	test_log_nothing();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *replay = suite_replay(choice, -1, seed);

		test_guard(replay, seed);
		if (dead_make(&net, seed))
			run_one(&net, replay);
	}
	pstk_set_log(NULL, NULL);
	printf("%u of %u networks dead, %u over parts\n", dead, (unsigned)rounds, dead_over_parts);
	ck_assert(rounds < MANY || (dead_over_parts && dead_over_parts < dead));
}

START_TEST(deadlocks_over_parts)
{
	carrier_joins_none = true;
	run_all("CK_RUN_CASE=parts", test_rounds(250), run_parts);
}
END_TEST

/* They look for standstills all the time, so that a false alarm would show. */
START_TEST(deadlocks_over_ranks)
{
	ps_hosts_still_after_ns = 200000;
	run_all("CK_RUN_CASE=ranks", test_rounds(150), run_ranks);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_dead_parts");

	tcase_add_test(test_case(suite, "parts"), deadlocks_over_parts);
	tcase_add_test(test_case(suite, "ranks"), deadlocks_over_ranks);
	return test_main(suite);
}
