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

enum { NETWORKS = 2000, FIRINGS = 40 };

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
	ck_assert(rounds < NETWORKS || (totals.broadcasts > 0 && totals.merged > 0));
	printf("%" PRIu64 " networks, %" PRIu64 " tasks (%" PRIu64 " on devices, %" PRIu64
	       " compared exactly), %" PRIu64 " firings, %" PRIu64 " FIFOs between places, %" PRIu64
	       " compared with the plan; bytes of %" PRIu64 " outputs, %" PRIu64
	       " of them of several readers; of %" PRIu64 " memories on cores, %" PRIu64
	       " of them of several outputs\n",
		totals.networks, totals.actors, totals.on_devices, totals.exact, totals.firings, totals.hops,
		totals.compared, totals.outputs, totals.broadcasts, totals.on_host, totals.merged);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_tasks");

	tcase_add_test(test_case(suite, "tasks"), networks);
	return test_main(suite);
}
