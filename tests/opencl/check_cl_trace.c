/* SPDX-License-Identifier: MIT */
/* Devices in a timeline: each firing's kernel and the transfers of windows, on the host's clock, whatever the device's
 * says (setting `skew` of the fake driver). */
#include "tests/common/common.h"
#include "tests/common/file.h"
#include "tests/observe/trace_reader.h"
#include "tests/opencl/fault_net.h"

#include <errno.h>
#include <string.h>

enum { TOKENS = 400 };

static const struct way {
	const char *settings, *memory;
	const char *second; /* the device of all but the first actor; NULL: the same */
} ways[] = {
	{ "skew=1,svm=none,unified=0", "copy", NULL },
	{ "skew=1,svm=none,unified=1", "map", NULL },
	{ "skew=1,svm=coarse,unified=1", "svm", NULL },
	{ "skew=1,svm=fine,unified=1", NULL, NULL },
	{ "skew=0,svm=none,unified=0,devices=2", NULL, "pstk:gpu:1" },
	{ "skew=1,svm=none,unified=0,nvidia=1", "copy", NULL },
};

static uint64_t device_firings(const struct fault_net *net)
{
	uint64_t firings = 0;

	for (enum fault_actor a = FAULT_ADD; a <= FAULT_MOVE; a++) {
		struct pstk_actor_stats stats;

		ck_assert_int_eq(pstk_actor_get_stats(net->actors[a], &stats), 0);
		firings += stats.firings;
	}
	return firings;
}

/* _i: the way. */
START_TEST(test_tracks)
{
	static struct fault_net net;
	struct fault_plan plan = { .tokens = TOKENS, .delay = 4 };
	const struct fake_cl *fake = fault_driver(ways[_i].settings, ways[_i].memory);
	const char *path = test_file("device.trace", ""), *wrong;
	struct trace_sums sums = { 0 };

	for (enum fault_actor a = FAULT_ADD; a <= FAULT_MOVE && ways[_i].second; a++)
		plan.on[a] = a == FAULT_ADD ? "pstk:gpu:0" : ways[_i].second;
	fault_build(&net, &plan);
	ck_assert_int_eq(pstk_network_set_trace(net.network, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_msg(pstk_network_run(net.network) == 0, "%s", pstk_network_error(net.network));
	fault_check(&net, true, ways[_i].settings);
	if (trace_reader_is_there()) {
		wrong = trace_check(path, net.network, true, NULL, &sums);
		ck_assert_msg(!wrong, "%s: %s", path, wrong);
		ck_assert_uint_eq(sums.kernels, device_firings(&net));
		ck_assert_uint_gt(sums.transfers, 0);
	}
	pstk_network_destroy(net.network);
	fault_check_left(fake, false, ways[_i].settings);
	fault_check_violations(fake, ways[_i].settings);
	test_files_remove();
}
END_TEST

/* With PSTK_PROFILE kernels and fire_cl() have a time on their device, also where markers have none. _i: is it a driver
 * of NVIDIA's? */
START_TEST(test_device_time)
{
	const struct way *way = &ways[_i ? TEST_COUNT(ways) - 1 : 0];
	static struct fault_net net;
	struct fault_plan plan = { .tokens = TOKENS, .delay = 4 };
	const struct fake_cl *fake = fault_driver(way->settings, way->memory);

	for (unsigned flags = 0; flags <= PSTK_PROFILE; flags += PSTK_PROFILE) {
		fault_build(&net, &plan);
		ck_assert_int_eq(pstk_network_set_flags(net.network, flags), 0);
		ck_assert_msg(pstk_network_run(net.network) == 0, "%s", pstk_network_error(net.network));
		fault_check(&net, true, way->settings);
		for (enum fault_actor a = FAULT_ADD; a <= FAULT_MOVE; a++) {
			struct pstk_actor_stats stats;

			ck_assert_int_eq(pstk_actor_get_stats(net.actors[a], &stats), 0);
			ck_assert_msg(!stats.device_ns == !flags, "actor %d: %lu ns", (int)a,
				(unsigned long)stats.device_ns);
		}
		pstk_network_destroy(net.network);
		fault_check_left(fake, false, way->settings);
	}
}
END_TEST

/* Little memory, used again and again: what is in the file is still whole. */
START_TEST(test_little_memory)
{
	static struct fault_net net;
	struct fault_plan plan = { .tokens = 4000, .delay = 4 };
	const char *path = test_file("device.trace", ""), *wrong;
	const struct fake_cl *fake = fault_driver(ways[0].settings, ways[0].memory);
	struct trace_sums sums = { 0 };

	fault_build(&net, &plan);
	ck_assert_int_eq(
		pstk_network_set_trace(net.network, path, 100 << 10, _i ? PSTK_TRACE_FIRST : PSTK_TRACE_LAST),
		0);
	test_log_start();
	ck_assert_msg(pstk_network_run(net.network) == 0, "%s", pstk_network_error(net.network));
	test_log_stop();
	if (trace_reader_is_there()) {
		wrong = trace_check(path, net.network, true, NULL, &sums);
		ck_assert_msg(!wrong, "%s: %s", path, wrong);
		ck_assert_uint_gt(sums.lost, 0);
		ck_assert_uint_gt(sums.kernels, 0);
	}
	pstk_network_destroy(net.network);
	fault_check_left(fake, false, "little memory");
	test_files_remove();
}
END_TEST

/* Without the device's clock the log says so, and the run is as without. */
START_TEST(test_no_clock)
{
	static struct fault_net net;
	struct fault_plan plan = { .tokens = TOKENS, .delay = 4 };
	const char *path = test_file("device.trace", "");
	const struct fake_cl *fake = fault_driver(ways[0].settings, ways[0].memory);
	struct trace_sums sums = { 0 };

	fault_build(&net, &plan);
	ck_assert_int_eq(pstk_network_set_trace(net.network, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	ck_assert_int_eq(fake->fail_calls("clFinish", 1, 1000000, CL_OUT_OF_RESOURCES), 0);
	test_log_start();
	ck_assert_msg(pstk_network_run(net.network) == 0, "%s", pstk_network_error(net.network));
	ck_assert(test_log_has("the trace has nothing of what 'pstk:gpu:0' does: a marker's time"));
	test_log_stop();
	if (trace_reader_is_there()) {
		const char *wrong = trace_check(path, net.network, true, NULL, &sums);

		ck_assert_msg(!wrong, "%s: %s", path, wrong);
		ck_assert_uint_eq(sums.kernels + sums.transfers, 0);
	}
	pstk_network_destroy(net.network);
	test_files_remove();
}
END_TEST

/* Commands that fail, and a device that is lost: the file ends as the run does. _i: the command. */
START_TEST(test_faults)
{
	static struct fault_net net;
	struct fault_plan plan = { .tokens = TOKENS, .delay = 4 };
	const char *path = test_file("device.trace", "");
	const struct fake_cl *fake = fault_driver(ways[_i % 3].settings, ways[_i % 3].memory);
	struct trace_sums sums = { 0 };

	fault_build(&net, &plan);
	ck_assert_int_eq(pstk_network_set_trace(net.network, path, PSTK_TRACE_BYTES, PSTK_TRACE_LAST), 0);
	if (_i % 2)
		fake->lose_device(25 + 10 * (unsigned)_i, CL_OUT_OF_RESOURCES, _i % 4 == 1);
	else
		fake->fail_command(0, 25 + 10 * (unsigned)_i, CL_OUT_OF_RESOURCES);
	test_log_start();
	ck_assert_int_lt(pstk_network_run(net.network), 0);
	test_log_stop();
	if (trace_reader_is_there()) {
		const char *wrong = trace_check(path, net.network, false, NULL, &sums);

		ck_assert_msg(!wrong, "%s: %s", path, wrong);
	}
	pstk_network_destroy(net.network);
	fault_reset(fake);
	test_files_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_trace");
	TCase *tc = test_case(suite, "cl_trace");

	tcase_add_loop_test(tc, test_tracks, 0, TEST_COUNT(ways));
	tcase_add_loop_test(tc, test_device_time, 0, 2);
	tcase_add_loop_test(tc, test_little_memory, 0, 2);
	tcase_add_test(tc, test_no_clock);
	tcase_add_loop_test(tc, test_faults, 0, 8);
	return test_main(suite);
}
