/* SPDX-License-Identifier: MIT */
/*
 * PENSTOCK_SERIAL=1, on a driver that begins at once and on one that begins nothing before a flush: every token comes.
 * No thread waits, with the lock, for a command in a queue that was not flushed.
 */
#include "lib/opencl/cl_serial.h"
#include "lib/opencl/device.h"
#include "tests/common/common.h"
#include "tests/opencl/fault_net.h"
#include "tests/opencl/way_net.h"

#include <stdio.h>
#include <string.h>

static const char *const drivers[] = { "", ",lazy=1" };

/* The driver, PENSTOCK_MEMORY, the way of check_cl_faults. */
static const struct way {
	const char *settings, *memory;
	uint32_t delay;
	bool overlaps;
} ways[] = {
	{ "svm=none,unified=0", NULL, 2 },       /* staged, blocks and spares */
	{ "svm=none,unified=1", "map", 4 },      /* mapped */
	{ "svm=coarse,unified=1", "svm", 4 },    /* coarse-grain SVM */
	{ "svm=fine,unified=1", NULL, 2 },       /* fine-grain SVM */
	{ "svm=none,unified=0", NULL, 2, true }, /* staged, gathered */
	{ "svm=fine,unified=1", NULL, 3, true }, /* a ring in fine-grain SVM */
};
enum { WAYS = TEST_COUNT(ways), DRIVERS = TEST_COUNT(drivers) };

/* Its windows are full but for the last one; that of a source with so many tokens has 1, 2, 3, all. */
static const uint32_t tokens[] = { 11, 12, 13, 14 };

static const struct fake_cl *start(const struct way *way, const char *driver)
{
	static char settings[80];

	setenv("PENSTOCK_SERIAL", "1", 1);
	snprintf(settings, sizeof settings, "%s%s", way->settings, driver);
	return fault_driver(settings, way->memory);
}

START_TEST(one_device)
{
	const struct way *way = &ways[_i % WAYS];
	const struct fake_cl *fake = start(way, drivers[_i / WAYS]);
	static struct fault_net net;

	for (unsigned i = 0; i < TEST_COUNT(tokens); i++) {
		struct fault_plan plan = {
			.tokens = tokens[i], .delay = way->delay, .overlaps = way->overlaps
		};

		fault_build(&net, &plan);
		ck_assert_msg(!pstk_network_run(net.network), "%s", pstk_network_error(net.network));
		ck_assert(ps_cl_serial());
		fault_check(&net, true, way->settings);
		pstk_network_destroy(net.network);
		fault_check_left(fake, false, way->settings);
	}
}
END_TEST

/* Between two devices, and with a team: _i. */
START_TEST(two_devices)
{
	char settings[80];
	const struct fake_cl *fake;

	setenv("PENSTOCK_SERIAL", "1", 1);
	snprintf(settings, sizeof settings, WAY_TWO_DEVICES "%s", drivers[_i % DRIVERS]);
	fake = way_driver(settings);
	for (uint32_t rest = 0; rest < WAY_RATE; rest += 5) {
		struct way_plan plan = { .depth = 2,
			.one = "pstk:gpu:0",
			.two = "pstk:gpu:1",
			.tokens = 5 * WAY_RATE + rest,
			.history = rest / 2,
			.delay = rest,
			.team = _i / DRIVERS ? 2 : 0 };
		struct way_net c;

		way_build(&c, &plan);
		way_start(&c);
		way_end_well(&c, fake, settings);
	}
}
END_TEST

/* The n-th command fails: the run ends. */
START_TEST(commands_fail)
{
	const struct way *way = &ways[_i % WAYS];
	const struct fake_cl *fake = start(way, drivers[_i / WAYS]);
	static struct fault_net net;
	unsigned failed = 0;

	for (unsigned n = 1; n < 60; n += TEST_SANITIZED ? 7 : 1) {
		struct fault_plan plan = { .tokens = 11, .delay = way->delay, .overlaps = way->overlaps };
		int err;

		fault_reset(fake);
		fault_build(&net, &plan);
		ck_assert_int_eq(fake->fail_command(0, n, CL_OUT_OF_RESOURCES), 0);
		test_log_start();
		err = pstk_network_run(net.network);
		ck_assert(!test_log_has("commands have not ended"));
		test_log_stop();
		failed += err < 0;
		fault_check(&net, !err, way->settings);
		pstk_network_destroy(net.network);
		fault_check_left(fake, false, way->settings);
	}
	ck_assert_uint_gt(failed, TEST_SANITIZED ? 3 : 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_serial");
	TCase *tc = test_case(suite, "cl_serial");

	tcase_add_loop_test(tc, one_device, 0, DRIVERS * WAYS);
	tcase_add_loop_test(tc, two_devices, 0, 2 * DRIVERS);
	tcase_add_loop_test(tc, commands_fail, 0, DRIVERS * WAYS);
	return test_main(suite);
}
