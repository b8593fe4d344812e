/* SPDX-License-Identifier: MIT */
/*
 * Ends in the middle of a stream: stop, abort and destroy while the device works, readers that end early in any order,
 * memory that is out while building and starting. Nothing is left, no token is wrong.
 */
#include "lib/opencl/device.h"
#include "lib/base/memory.h"
#include "tests/common/common.h"
#include "tests/opencl/fault_net.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static const struct way {
	const char *settings, *memory;
	uint32_t delay;
} ways[] = {
	{ "svm=none,unified=0", NULL, 2 },
	{ "svm=none,unified=0,arginfo=0", "copy", 4 },
	{ "svm=none,unified=1", "map", 4 },
	{ "svm=coarse,unified=1", "svm", 4 },
	{ "svm=fine,unified=1", NULL, 2 },
};

static struct fault_plan endless(const struct way *way)
{
	return (struct fault_plan){ .tokens = FAULT_TOKENS_MAX + 1, .delay = way->delay };
}

static void set_delay(const struct fake_cl *fake, const struct way *way, uint64_t seed)
{
	char settings[128];

	fault_reset(fake);
	snprintf(settings, sizeof settings, "%s,delay=%" PRIu64, way->settings, seed % 3 ? seed : 0);
	ck_assert_int_eq(fake->configure(settings), 0);
}

/* Lets some commands through, which the driver holds, until some tokens have come. */
static void step_some(const struct fake_cl *fake, struct fault_net *net, struct test_rng *rng)
{
	uint64_t least = test_between(rng, 0, 40);

	while (atomic_load(&net->first.seen) < least) {
		fake->step(test_between(rng, 1, 6));
		sched_yield();
	}
	fake->step(test_between(rng, 0, 9));
}

enum how { STOP, ABORT, STOP_AND_ABORT, DESTROY, HOWS };

static void end_one(const struct fake_cl *fake, const struct way *way, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed) };
	enum how how = test_between(&rng, 0, HOWS - 1);
	struct fault_plan plan = endless(way);
	static struct fault_net net;
	char what[160];
	int err;

	snprintf(what, sizeof what, "%s, way %d to end", way->settings, (int)how);
	test_guard(what, seed);
	set_delay(fake, way, seed);
	fault_build(&net, &plan);
	ck_assert_int_eq(pstk_network_start(net.network), 0);
	fake->hold(true); /* what start() does is through */
	step_some(fake, &net, &rng);
	if (how == STOP || how == STOP_AND_ABORT)
		pstk_network_stop(net.network);
	if (how == STOP_AND_ABORT)
		fake->step(test_between(&rng, 0, 20));
	if (how == ABORT || how == STOP_AND_ABORT)
		pstk_network_abort(net.network);
	if (test_chance(&rng, 50))
		sched_yield();
	fake->hold(false);
	if (how != DESTROY) {
		err = pstk_network_wait(net.network);
		ck_assert_msg(how == STOP ? !err : err == -ECANCELED || (how == STOP_AND_ABORT && !err),
			"%s: %d, %s", what, err, pstk_network_error(net.network));
		if (how == STOP) { /* all that was produced has come */
			plan.tokens = net.produced;
			fault_check(&net, true, what);
		}
	}
	pstk_network_destroy(net.network);
	fault_check(&net, false, what);
	fault_check_left(fake, false, what);
}

START_TEST(in_the_middle)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = fault_driver(way->settings, way->memory);

	for (uint64_t i = 0; i < test_rounds(120); i++)
		end_one(fake, way, test_seed() + i);
}
END_TEST

/* Aborted before anything has been fired. */
START_TEST(at_once)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = fault_driver(way->settings, way->memory);
	struct fault_plan plan = endless(way);
	static struct fault_net net;

	for (unsigned i = 0; i < 4; i++) {
		fault_reset(fake);
		fault_build(&net, &plan);
		if (i == 0)
			pstk_network_abort(net.network);
		if (i < 3)
			ck_assert_int_le(pstk_network_start(net.network), 0);
		if (i == 1)
			pstk_network_abort(net.network);
		pstk_network_destroy(net.network); /* 2: while it runs, 3: before it runs */
		fault_check(&net, false, way->settings);
		fault_check_left(fake, false, way->settings);
	}
}
END_TEST

/* One sink ends, then the other, or only one while the source goes on to its end. */
START_TEST(early_readers)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = fault_driver(way->settings, way->memory);

	for (uint64_t i = 0; i < test_rounds(120); i++) {
		struct test_rng rng = { test_mix(test_seed() + i) };
		struct fault_plan plan = { .tokens = test_between(&rng, 1, 60), .delay = way->delay };
		static struct fault_net net;
		int err;

		if (test_chance(&rng, 70))
			plan.ends[FAULT_FIRST] = test_between(&rng, 1, 12);
		if (test_chance(&rng, 50))
			plan.ends[FAULT_LAST] = test_between(&rng, 1, 12);
		test_guard(way->settings, test_seed() + i);
		set_delay(fake, way, test_seed() + i);
		fault_build(&net, &plan);
		err = pstk_network_run(net.network);
		ck_assert_msg(!err, "%s: seed %" PRIu64 ": %d, %s", way->settings, test_seed() + i, err,
			pstk_network_error(net.network));
		fault_check(&net, !plan.ends[FAULT_FIRST] && !plan.ends[FAULT_LAST], way->settings);
		if (!plan.ends[FAULT_FIRST])
			ck_assert_uint_ge(net.first.seen, plan.ends[FAULT_LAST] ? 0 : plan.tokens);
		if (!plan.ends[FAULT_LAST]) /* whichever other actor has ended */
			ck_assert_uint_eq(net.last.seen, fault_last_count(&plan));
		pstk_network_destroy(net.network);
		fault_check_left(fake, false, way->settings);
	}
}
END_TEST

/* A life with the n-th allocation of the library failing. false: there were fewer. */
static bool out_of_memory(const struct fake_cl *fake, const struct way *way, long n)
{
	struct fault_plan plan = { .tokens = 11, .delay = way->delay };
	static struct fault_net net;
	bool failed;
	int err = -ENOMEM;

	fault_reset(fake);
	ps_memory_fail_at = n;
	fault_build(&net, &plan);
	if (net.network) {
		err = pstk_network_start(net.network);
		failed = ps_memory_fail_at == -1;
		ps_memory_fail_at = -1;
		if (!err)
			err = pstk_network_wait(net.network);
		ck_assert_msg(!err || (err == -ENOMEM && strstr(pstk_network_error(net.network), "memory")),
			"%s: allocation %ld: %d, %s", way->settings, n, err, pstk_network_error(net.network));
		fault_check(&net, !err, way->settings);
		pstk_network_destroy(net.network);
	} else {
		failed = true;
	}
	fault_check_left(fake, false, way->settings);
	return failed;
}

START_TEST(each_allocation)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = fault_driver(way->settings, way->memory);
	long n = 0;

	test_log_start();
	do
		test_guard("memory is out", (uint64_t)n);
	while (out_of_memory(fake, way, n++));
	test_log_stop();
	printf("%s: %ld allocations failed\n", way->settings, n - 1);
	ck_assert_int_gt(n, 100);
}
END_TEST

/* A command that never ends does not hold an aborted network's program; its memory stays with it. */
START_TEST(stuck_command)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = fault_driver(way->settings, way->memory);
	struct fault_plan plan = endless(way);
	struct pstk_actor_stats stats = { 0 };
	static struct fault_net net;

	test_guard("a stuck command", (uint64_t)_i);
	ps_device_abort_ns = 20000000;
	fault_reset(fake);
	fault_build(&net, &plan);
	ck_assert_int_eq(pstk_network_start(net.network), 0);
	fake->hold(true); /* what start() does is through */
	/* a firing more, which is held; it goes on until something waits for a command that does not run */
	pstk_actor_get_stats(net.actors[FAULT_ADD], &stats);
	for (uint64_t before = stats.firings, firings = before, calm = 0; calm < 1000;) {
		sched_yield();
		pstk_actor_get_stats(net.actors[FAULT_ADD], &stats);
		calm = stats.firings > before && stats.firings == firings ? calm + 1 : 0;
		firings = stats.firings;
	}
	test_log_start();
	pstk_network_abort(net.network);
	ck_assert_int_eq(pstk_network_wait(net.network), -ECANCELED);
	ck_assert(test_log_has("have not ended after the abort; their memory is left to them"));
	pstk_network_destroy(net.network);
	test_log_stop();
	fake->hold(false);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_ends");
	TCase *ends = test_case(suite, "ends");

	tcase_add_loop_test(ends, in_the_middle, 0, TEST_COUNT(ways));
	tcase_add_loop_test(ends, at_once, 0, TEST_COUNT(ways));
	tcase_add_loop_test(ends, early_readers, 0, TEST_COUNT(ways));
	tcase_add_loop_test(ends, stuck_command, 0, TEST_COUNT(ways));
	tcase_add_loop_test(ends, each_allocation, 0, TEST_COUNT(ways));
	return test_main(suite);
}
