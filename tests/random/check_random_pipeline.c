/* SPDX-License-Identifier: MIT */
/* Random networks some of whose actors are run as pipelines, whose configurations change at any time. */
#include "tests/random/pipes.h"
#include "tests/random/suite.h"

#include <stdio.h>

static const struct suite_kind kinds[] = {
	{ .name = "static",
		.switches = { .form = NET_STATIC, .proven = true, .pipelines = true },
		.rounds = 600 },
	{ .name = "rates",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .pipelines = true },
		.rounds = 300 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC,
			.proven = true,
			.rates = true,
			.steps = true,
			.pipelines = true },
		.rounds = 300 },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30, .pipelines = true },
		.rounds = 60 },
	{ .name = "ticks",
		.switches = { .form = NET_DYNAMIC,
			.proven = true,
			.rates = true,
			.ticks = 12,
			.pipelines = true },
		.rounds = 60 },
};

enum { EVENTS = 3, ROUNDS = 250 };

/* Each window is full until a stop: else a reader's last one would depend on the moment. */
static void round_delays(struct net *net)
{
	for (unsigned f = 0; f < net->fifo_count; f++)
		net->fifos[f].delay -= net->fifos[f].delay % net->fifos[f].rate;
}

/* _i: what ends the runs. */
START_TEST(ends_at_any_time)
{
	static const char *const choices[EVENTS] = { "CK_RUN_CASE=errors", "CK_RUN_CASE=aborts",
		"CK_RUN_CASE=stops" };
	uint64_t rounds = test_rounds(ROUNDS), first = test_seed();
	struct net_totals totals = { 0 };
	static struct net net;

	test_log_nothing();
	pipes_event = (enum pipes_event)(PIPES_ERROR + _i);
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *replay = suite_replay(choices[_i], -1, seed), *what;
		unsigned kind = pipes_event == PIPES_STOP ? 0 : (unsigned)(seed % 3);

		test_guard(replay, seed);
		if (!net_make_random(&net, &kinds[kind].switches, seed, NULL, 0))
			continue;
		if (pipes_event == PIPES_STOP)
			round_delays(&net);
		what = net_run(&net, &totals);
		ck_assert_msg(!what, "%s: %s", replay, what);
	}
	pstk_set_log(NULL, NULL);
	printf("%s: %llu networks, %llu switches\n", choices[_i], (unsigned long long)totals.networks,
		(unsigned long long)totals.switches);
}
END_TEST

int main(void)
{
	static const char *const cases[EVENTS] = { "errors", "aborts", "stops" };
	Suite *suite = suite_create("random_pipeline");

	suite_add(suite, &carrier_cores, kinds, TEST_COUNT(kinds));
	for (int i = 0; i < EVENTS; i++)
		tcase_add_loop_test(test_case(suite, cases[i]), ends_at_any_time, i, i + 1);
	return test_main(suite);
}
