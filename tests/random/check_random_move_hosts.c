/* SPDX-License-Identifier: MIT */
/*
 * Random networks over hosts between which actors move: each window that an actor sees, at whichever host, is the
 * oracle's, also where an abort or a failure ends all at any time.
 */
#include "lib/model/error.h"
#include "tests/random/carrier_parts.h"
#include "tests/random/moves_hosts.h"
#include "tests/random/suite.h"

#include <errno.h>

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true }, .rounds = 40 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 20 },
	{ .name = "dynamic", .switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30 }, .rounds = 12 },
	{ .name = "ticks",
		.switches = { .form = NET_DYNAMIC, .proven = true, .rates = true, .ticks = 12 },
		.rounds = 8 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true }, .rounds = 4 },
};

static struct run run;
static bool fails;

static void happen(void *data)
{
	if (fails)
		ps_network_fail(data, -EIO, "planted");
	else
		pstk_network_abort(data);
}

static void end_at_random(const struct net *net, const char *replay)
{
	struct test_rng rng = { test_mix(net->seed) };
	int err;

	run.net = net;
	run.message[0] = 0;
	run.ends = oracle_foretell(&run.oracle, net, &net->values);
	oracle_find_bounds(&run.oracle);
	run_build(&run, &run.built);
	carrier_cut.exchange(&run);
	fails = test_chance(&rng, 50);
	carrier_crew.event = happen;
	carrier_crew.data = carrier_crew.ranks[test_between(&rng, 0, carrier_crew.count - 1)];
	carrier_crew.looks = test_between(&rng, 0, 300);
	err = carrier_cut.run(&run);
	ck_assert_msg(!run.message[0], "%s: %s", replay, run.message);
	ck_assert_msg(!err || err == (fails ? -EIO : -ECANCELED), "%s: it ends with %d", replay, err);
	carrier_cut.destroy(&run);
}

START_TEST(ends_at_any_time)
{
	static struct net net;
	uint64_t rounds = test_rounds(30), first = test_seed();

	test_log_nothing();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *replay = suite_replay("CK_RUN_CASE=ends", -1, seed);

		test_guard(replay, seed);
		if (net_make_random(&net, &kinds[seed % TEST_COUNT(kinds)].switches, seed, NULL, 0) &&
			!oracle_never_ends(&net))
			end_at_random(&net, replay);
	}
	pstk_set_log(NULL, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_move_hosts");

	carrier_moves = true;
	suite_add(suite, &carrier_parts, kinds, TEST_COUNT(kinds));
	tcase_add_test(test_case(suite, "ends"), ends_at_any_time);
	return test_main(suite);
}
