/* SPDX-License-Identifier: MIT */
/* Random networks with pipelines that end early: a stage fails, the network is aborted, or stopped. */
#include "tests/random/pipes.h"
#include "tests/random/suite.h"

#include <stdio.h>

static const struct net_switches kinds[] = { { .form = NET_STATIC, .proven = true, .pipelines = true },
	{ .form = NET_STATIC, .proven = true, .rates = true, .pipelines = true },
	{ .form = NET_STATIC, .proven = true, .rates = true, .steps = true, .pipelines = true } };

enum { EVENTS = 3 };

static const char *const cases[EVENTS] = { "errors", "aborts", "stops" };
static const struct carrier *carrier;
static unsigned most_rounds;

/* Each window is full until a stop: else a reader's last one would depend on the moment. */
static void round_delays(struct net *net)
{
	for (unsigned f = 0; f < net->fifo_count; f++)
		net->fifos[f].delay -= net->fifos[f].delay % net->fifos[f].rate;
}

static void run_one(unsigned way, uint64_t seed, const char *replay, struct net_totals *totals)
{
	static struct net net;
	const char *what;
	unsigned kind = pipes_event == PIPES_STOP ? 0 : (unsigned)(seed % TEST_COUNT(kinds));

	/* other actors are on the cores */
	if (!net_make_random(&net, &kinds[kind], seed, NULL, 0))
		return;
	if (pipes_event == PIPES_STOP)
		round_delays(&net);
	if (carrier->begin)
		carrier->begin(way, &net);
	what = net_run(&net, totals);
	if (!what && carrier->end)
		what = carrier->end(way, false, 0);
	ck_assert_msg(!what, "%s: %s", replay, what);
}

/* _i: the way, and what ends the runs. */
START_TEST(ends_at_any_time)
{
	unsigned way = (unsigned)_i / EVENTS, count;
	uint64_t rounds = test_rounds(most_rounds), first = suite_first_seed(way);
	const char *name = cases[_i % EVENTS], *const * devices;
	struct net_totals totals = { 0 };
	char choice[40];

	if (carrier->open && !carrier->open(way, &devices, &count))
		return;
	test_log_nothing();
	pipes_event = (enum pipes_event)(PIPES_ERROR + _i % EVENTS);
	snprintf(choice, sizeof choice, "CK_RUN_CASE=%s", name);
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *replay = suite_replay(choice, carrier->ways > 1 ? (int)way : -1, seed);

		test_guard(replay, seed);
		run_one(way, seed, replay, &totals);
	}
	pstk_set_log(NULL, NULL);
	printf("%s: %llu networks, %llu switches\n", name, (unsigned long long)totals.networks,
		(unsigned long long)totals.switches);
}
END_TEST

void suite_add_ends(Suite *suite, const struct carrier *on, unsigned rounds)
{
	int way = suite_way(on), from = way < 0 ? 0 : way, to = way < 0 ? (int)on->ways : way + 1;

	carrier = on;
	most_rounds = rounds;
	for (int i = 0; i < EVENTS; i++) {
		TCase *tcase = test_case(suite, cases[i]);

		for (int w = from; w < to; w++)
			tcase_add_loop_test(tcase, ends_at_any_time, w * EVENTS + i, w * EVENTS + i + 1);
	}
}
