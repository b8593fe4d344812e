/* SPDX-License-Identifier: MIT */
/*
 * Networks of tasks as planned, on the fake driver's time: with overlap and without, buffers merged and not, by a
 * thread an actor and by teams. Nothing is lost or mixed (each task checks what it reads), every task fires as often as
 * the oracle says, no two commands are in one buffer at once, nothing is left.
 */
#include "tests/fake_cl/fake_cl.h"
#include "tests/random/suite.h"
#include "tests/random/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NETWORKS = 2000, FIRINGS = 40, SHORT = 20, LONG = 60, PERIODS = 500 };

static const struct fake_cl *fake;

static void begin(const struct tasks_net *t)
{
	char settings[200];

	tasks_settings(t, settings, sizeof settings);
	fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);
	ck_assert_ptr_nonnull(fake);
	fake->reset();
	ck_assert_int_eq(fake->configure(settings), 0);
}

static void end(const char *replay)
{
	fake->settle();
	ck_assert_msg(!fake->violation_count(), "%s: %s", replay, fake->violation(0));
	for (int kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_msg(!fake->live((enum fake_cl_kind)kind), "%s: %ld objects of kind %d are left",
			replay, fake->live((enum fake_cl_kind)kind), kind);
}

START_TEST(networks)
{
	static struct tasks_net t;
	struct tasks_totals totals = { 0 };
	uint64_t seed = test_seed(), rounds = test_rounds(NETWORKS);

	for (; totals.networks < rounds; seed++) {
		const char *replay = suite_replay("", -1, seed), *wrong;

		if (!tasks_make(&t, seed, FIRINGS))
			continue;
		test_guard(replay, seed);
		begin(&t);
		wrong = tasks_run(&t, &totals);
		ck_assert_msg(!wrong, "%s: %s", replay, wrong);
		end(replay);
	}
	ck_assert(rounds < NETWORKS || totals.broadcasts > 0);
	printf("%" PRIu64 " networks, %" PRIu64 " tasks (%" PRIu64 " on devices, %" PRIu64
	       " compared exactly), %" PRIu64 " firings, %" PRIu64 " FIFOs between places, %" PRIu64
	       " compared with the plan; bytes of %" PRIu64 " outputs, %" PRIu64
	       " of them of several readers\n",
		totals.networks, totals.actors, totals.on_devices, totals.exact, totals.firings, totals.hops,
		totals.compared, totals.outputs, totals.broadcasts);
}
END_TEST

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double seconds_of(struct tasks_net *t, unsigned firings, double *simulated)
{
	const char *replay = suite_replay("PENSTOCK_TEST_PERIODS=1", -1, t->net.seed), *wrong;
	double seconds;

	tasks_slow_down(t, firings);
	begin(t);
	wrong = tasks_time(t, &seconds, simulated);
	ck_assert_msg(!wrong, "%s: %s", replay, wrong);
	end(replay);
	return seconds;
}

/* Of three runs: other processes only make one longer. */
static double least_of(struct tasks_net *t, unsigned firings)
{
	double least = 0, simulated;

	for (unsigned i = 0; i < 3; i++) {
		double seconds;

		tasks_make(t, t->net.seed, FIRINGS);
		seconds = seconds_of(t, firings, &simulated);
		if (!i || seconds < least)
			least = seconds;
	}
	return least;
}

/* No test, for it looks at the clock: PENSTOCK_TEST_PERIODS=n prints how periods of n networks are to the simulated
 * ones. A period is what the firings cost that the longer of two runs has more. */
START_TEST(periods)
{
	const char *text = getenv("PENSTOCK_TEST_PERIODS");
	unsigned wanted = text ? (unsigned)strtoul(text, NULL, 10) : 0, count = 0;
	static double ratios[PERIODS];
	static struct tasks_net t;

	for (uint64_t seed = test_seed(); count < wanted && count < PERIODS; seed++) {
		double simulated, few, many;

		if (!tasks_make(&t, seed, FIRINGS))
			continue;
		test_guard("periods", seed);
		seconds_of(&t, 1, &simulated); /* a device is measured once */
		if (simulated < 1e-3)
			continue;
		few = least_of(&t, SHORT);
		many = least_of(&t, LONG);
		if (getenv("PENSTOCK_TEST_PRINT"))
			printf("%u firings: %.3f ms, %u: %.3f ms\n", SHORT, few * 1e3, LONG, many * 1e3);
		ratios[count++] = (many - few) / (LONG - SHORT) / simulated;
		printf("seed %" PRIu64 "%s%s: simulated %.3f ms, measured %.3f of that\n", seed,
			t.no_overlap ? ", no overlap" : "", t.half ? ", half duplex" : "", simulated * 1e3,
			ratios[count - 1]);
	}
	qsort(ratios, count, sizeof *ratios, compare);
	if (count)
		printf("%u networks: measured / simulated period: median %.3f, least %.3f, most %.3f\n",
			count, ratios[count / 2], ratios[0], ratios[count - 1]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_tasks");

	tcase_add_test(test_case(suite, "tasks"), networks);
	if (getenv("PENSTOCK_TEST_PERIODS"))
		tcase_add_test(test_case(suite, "periods"), periods);
	return test_main(suite);
}
