/* SPDX-License-Identifier: MIT */
/*
 * Random networks that are cut into parts of several hosts, and may deadlock. What crosses has more room than in the
 * whole: what deadlocks there may end here. What does not end with far more room must not end here, either.
 */
#include "tests/random/carrier_parts.h"
#include "tests/random/run_actor.h"
#include "tests/random/suite.h"

#include <errno.h>
#include <string.h>

static const struct net_switches kinds[] = {
	{ .form = NET_STATIC, .starved = true },
	{ .form = NET_STATIC, .starved = true, .rates = true },
	{ .form = NET_STATIC, .starved = true, .rates = true, .steps = true },
	{ .form = NET_SMALL, .undeclared = true, .ticks = 12, .least_team = 2, .most_team = 3 },
	{ .form = NET_DYNAMIC, .undeclared = true, .ticks = 12, .least_team = 2, .most_team = 3 },
	{ .form = NET_PAIR },
	{ .form = NET_STATIC, .proven = true },
	{ .form = NET_DYNAMIC, .proven = true, .ticks = 12 },
};

enum { MANY = 100, DEEPER = 64 }; /* of so many networks some are dead, and over parts */

static struct run run;
static unsigned dead, dead_over_parts;

static bool is_endless(const struct net *net)
{
	static struct oracle eager;

	oracle_init(&eager, net, &net->values, 1, net->seed);
	oracle_run(&eager);
	return oracle_endless(&eager);
}

/* The first part of those that have failed. */
static const char *error_of(int err)
{
	for (unsigned i = 0; i < carrier_courier.count; i++)
		if (carrier_courier.results[i] == err)
			return pstk_network_error(carrier_courier.parts[i]);
	return "";
}

static void check_end(const char *replay, int err, bool must_end, bool may_end)
{
	ck_assert_msg(err == 0 || err == -EDEADLK, "%s: %d: %s", replay, err, error_of(err));
	ck_assert_msg(err == 0 || !must_end, "%s: a false alarm: %s", replay, error_of(err));
	ck_assert_msg(err == -EDEADLK || may_end, "%s: it deadlocks", replay);
	ck_assert_msg(!run.message[0], "%s: %s", replay, run.message);
	if (err) {
		ck_assert_msg(!strncmp(error_of(err), "deadlock: ", 10), "%s: %s", replay, error_of(err));
		ck_assert_msg(strstr(error_of(err), " waits for "), "%s: %s", replay, error_of(err));
	}
	dead += err != 0;
	dead_over_parts += err && carrier_courier.dead;
}

/* The deeper oracle says what is in each window. */
static void run_parts(const struct net *net, const char *replay)
{
	bool must_end, may_end;

	memset(&run, 0, sizeof run);
	run.net = net;
	must_end = oracle_foretell(&run.oracle, net, &net->values);
	may_end = run.ends = oracle_foretell_deeper(&run.oracle, net, &net->values, DEEPER);
	if (run.ends)
		oracle_find_bounds(&run.oracle);
	run_build(&run, &run.built);
	carrier_cut.exchange(&run);
	carrier_courier.judges = true;
	check_end(replay, courier_run(&carrier_courier), must_end, may_end);
	carrier_cut.destroy(&run);
}

static void no_log(void *data, enum pstk_log_level level, const char *topic, const char *message)
{
	(void)data, (void)level, (void)topic, (void)message;
}

START_TEST(deadlocks_over_parts)
{
	static struct net net;
	uint64_t rounds = test_rounds(2000), first = test_seed();

	pstk_set_log(no_log, NULL);
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *replay = suite_replay("CK_RUN_CASE=dead_parts", -1, seed);

		test_guard(replay, seed);
		if (net_make_random(&net, &kinds[seed % TEST_COUNT(kinds)], seed, NULL, 0) &&
			!is_endless(&net))
			run_parts(&net, replay);
	}
	pstk_set_log(NULL, NULL);
	printf("%u of %u networks dead, %u over parts\n", dead, (unsigned)rounds, dead_over_parts);
	ck_assert(rounds < MANY || (dead_over_parts && dead_over_parts < dead));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_dead_parts");

	tcase_add_test(test_case(suite, "dead_parts"), deadlocks_over_parts);
	return test_main(suite);
}
