/* SPDX-License-Identifier: MIT */
/*
 * Commands that fail after they have been enqueued, a device that is lost, memory that is not there when it is first
 * used: no window whose command has failed is taken for data, the run ends, and says why.
 */
#include "lib/opencl/device.h"
#include "tests/common/common.h"
#include "tests/opencl/fault_net.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct way {
	const char *settings, *memory;
	uint32_t delay;
} ways[] = {
	{ "svm=none,unified=0,pocl=0", NULL, 2 },
	{ "svm=none,unified=0,pocl=1", NULL, 2 },
	{ "svm=none,unified=0,arginfo=0,pocl=0", "copy", 4 },
	{ "svm=none,unified=0,arginfo=0,pocl=1", "copy", 4 },
	{ "svm=none,unified=1,pocl=0", "map", 4 },
	{ "svm=none,unified=1,pocl=1", "map", 4 },
	{ "svm=coarse,unified=1,pocl=0", "svm", 4 },
	{ "svm=coarse,unified=1,pocl=1", "svm", 4 },
	{ "svm=fine,unified=1,pocl=0", NULL, 2 },
	{ "svm=fine,unified=1,pocl=1", NULL, 2 },
	{ "svm=none,unified=0,cascade=1", NULL, 2 },
	{ "svm=none,unified=1,cascade=1", NULL, 4 },
	{ "svm=fine,unified=0,cascade=1", NULL, 3 },
};

struct result {
	int err;
	bool lost; /* commands never ended */
	char text[512];
};

static const struct fake_cl *driver(const struct way *way)
{
	ps_device_grace_ns = 20000000;
	return fault_driver(way->settings, way->memory);
}

static struct result live(const struct way *way, uint32_t tokens, const char *what)
{
	static struct fault_net net;
	struct fault_plan plan = { .tokens = tokens, .delay = way->delay };
	struct result r = { 0 };

	test_log_start();
	fault_build(&net, &plan);
	r.err = pstk_network_run(net.network);
	snprintf(r.text, sizeof r.text, "%s", pstk_network_error(net.network));
	fault_check(&net, !r.err, what);
	pstk_network_destroy(net.network);
	r.lost = test_log_has("commands have not ended");
	test_log_stop();
	return r;
}

static void check_text(const struct result *r, const char *code, const char *what)
{
	if (strstr(r->text, "clSVMAlloc: no ")) /* it gives no reason */
		code = "pstk:gpu:0";
	ck_assert_msg(strchr(r->text, '\'') && strstr(r->text, "pstk:gpu:0") && strstr(r->text, code),
		"%s: '%s' does not say who, where or %s", what, r->text, code);
}

static uint64_t injections, successes, losses;

/* Which failures no caller needs to know: what fills scratch windows, what gives memory back after the run, and of
 * page-locked memory, without which the host's side of transfers is plain memory. */
static bool harmless(const struct way *way, cl_command_type type)
{
	return type == CL_COMMAND_FILL_BUFFER || type == CL_COMMAND_UNMAP_MEM_OBJECT ||
	       type == CL_COMMAND_SVM_UNMAP ||
	       (type == CL_COMMAND_MAP_BUFFER && strstr(way->settings, "unified=0"));
}

/* The n-th command of a type ends with an error. */
static void fail_command(
	const struct fake_cl *fake, const struct way *way, cl_command_type type, unsigned n, unsigned least)
{
	struct result r;
	char what[160];

	snprintf(what, sizeof what, "%s: command %u of type 0x%x fails", way->settings, n, type);
	test_guard(what, n);
	fault_reset(fake);
	ck_assert_int_eq(fake->fail_command(type, n, CL_OUT_OF_RESOURCES), 0);
	r = live(way, 11, what);
	fault_check_left(fake, r.lost, what);
	injections++;
	successes += !r.err;
	losses += r.lost;
	ck_assert_msg(
		r.err || harmless(way, type) || n > least || n > fake->commands(type), "%s: a success", what);
	if (!r.err)
		return;
	ck_assert_msg(r.err < 0, "%s: %d", what, r.err);
	/* a blocking call says its own code, and what waits for the command that it was waiting */
	if (!strstr(r.text, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST (-14)"))
		check_text(&r, "CL_OUT_OF_RESOURCES (-5)", what);
}

static const cl_command_type types[] = { CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_READ_BUFFER,
	CL_COMMAND_WRITE_BUFFER, CL_COMMAND_COPY_BUFFER, CL_COMMAND_MAP_BUFFER, CL_COMMAND_UNMAP_MEM_OBJECT,
	CL_COMMAND_MARKER, CL_COMMAND_BARRIER, CL_COMMAND_FILL_BUFFER, CL_COMMAND_SVM_MAP,
	CL_COMMAND_SVM_UNMAP, CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_MEMFILL };

/* The commands of a good run; not each run has as many, since what is not wanted any more is not enqueued. */
static void count_commands(
	const struct fake_cl *fake, const struct way *way, unsigned least[], unsigned most[])
{
	for (unsigned round = 0; round < 4; round++) {
		uint64_t known = 0;
		struct result r;

		fault_reset(fake);
		r = live(way, 11, way->settings);
		ck_assert_msg(!r.err, "%s: %d, %s", way->settings, r.err, r.text);
		fault_check_left(fake, false, way->settings);
		for (size_t i = 0; i < TEST_COUNT(types); i++) {
			unsigned count = (unsigned)fake->commands(types[i]);

			least[i] = !round || count < least[i] ? count : least[i];
			most[i] = !round || count > most[i] ? count : most[i];
			known += count;
		}
		ck_assert_uint_eq(known, fake->commands(0));
	}
}

START_TEST(every_command)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = driver(way);
	unsigned least[TEST_COUNT(types)], most[TEST_COUNT(types)];

	count_commands(fake, way, least, most);
	for (uint64_t round = 0; round < test_rounds(1); round++)
		for (size_t i = 0; i < TEST_COUNT(types); i++)
			for (unsigned n = 1; n <= most[i]; n = test_next(n))
				fail_command(fake, way, types[i], n, least[i]);
	printf("%s,%s: %" PRIu64 " commands failed, %" PRIu64 " of them without harm, %" PRIu64
	       " left others queued for ever\n",
		way->settings, way->memory ? way->memory : "", injections, successes, losses);
}
END_TEST

/* From the n-th command on all fail, or can't even be enqueued. */
START_TEST(lost_devices)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = driver(way);
	uint64_t rounds = test_rounds(60), tries = 0, lost = 0;

	for (unsigned n = 1; n <= rounds; n = test_next(n))
		for (unsigned refuse = 0; refuse < 2; refuse++) {
			struct result r;
			char what[160];

			snprintf(what, sizeof what, "%s: lost from command %u on%s", way->settings, n,
				refuse ? ", which it refuses" : "");
			test_guard(what, n);
			fault_reset(fake);
			fake->lose_device(n, CL_DEVICE_NOT_AVAILABLE, refuse);
			r = live(way, 31, what);
			fault_check_left(fake, r.lost, what);
			ck_assert_msg(r.err < 0, "%s: %d", what, r.err);
			ck_assert_msg(strstr(r.text, "CL_DEVICE_NOT_AVAILABLE (-2)") ||
					      strstr(r.text, "WAIT_LIST (-14)"),
				"%s: '%s'", what, r.text);
			lost += r.lost;
			tries++;
		}
	printf("%s: lost %" PRIu64 " times, %" PRIu64 " times with commands queued for ever\n", way->settings,
		tries, lost);
}
END_TEST

/* A buffer's memory is taken when a command first uses it: in the middle of a stream too. */
START_TEST(memory_that_is_not_there)
{
	const struct way *way = &ways[_i];
	const struct fake_cl *fake = driver(way);
	unsigned failed = 0;

	for (unsigned n = 1; n <= 60; n = test_next(n)) {
		struct result r;
		char what[160];

		snprintf(what, sizeof what, "%s: no memory for buffer %u", way->settings, n);
		test_guard(what, n);
		fault_reset(fake);
		fake->fail_allocation(n);
		r = live(way, 31, what);
		fault_check_left(fake, r.lost, what);
		if (!r.err) /* there are not so many */
			continue;
		failed++;
		ck_assert_msg(r.err == -ENOMEM, "%s: %d, %s", what, r.err, r.text);
		check_text(&r, "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)", what);
	}
	ck_assert_uint_ge(failed, TEST_SANITIZED ? 1 : 3);
}
END_TEST

static void refuse_start(const struct fault_plan *plan, int err, const char *const words[3])
{
	const struct fake_cl *fake = driver(&ways[0]);
	struct fault_net net;

	test_log_start();
	fault_build(&net, plan);
	ck_assert_int_eq(pstk_network_start(net.network), err);
	test_says(pstk_network_error(net.network), words, 3);
	fault_check(&net, false, "start");
	for (unsigned i = 0; i < FAULT_ACTORS; i++)
		ck_assert_uint_eq(net.inits[i], plan->init_fails > (int)i);
	pstk_network_destroy(net.network);
	test_log_stop();
	fault_check_left(fake, false, "start");
}

START_TEST(sources_that_do_not_compile)
{
	const struct fault_plan plan = { .tokens = 11,
		.source = "kernel void fault_add(\nkernel void fault_sum(\nkernel void fault_join(\n"
			  "#error no such thing\n" };

	refuse_start(&plan, -EINVAL,
		(const char *const[]){ "'add'",
			"clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11) on pstk:gpu:0", "no such thing" });
}
END_TEST

START_TEST(kernels_that_are_not_there)
{
	const struct fault_plan plan = { .tokens = 11, .kernel = "fault_ad" };

	refuse_start(&plan, -EINVAL, (const char *const[]){ "'add'", "no kernel 'fault_ad'", "fault_add" });
}
END_TEST

/* Those before it have been initialised, and are finished. */
START_TEST(inits_that_fail)
{
	for (int i = FAULT_ADD; i < FAULT_ACTORS; i++) {
		const struct fault_plan plan = { .tokens = 11, .delay = 2, .init_fails = i };

		refuse_start(&plan, -EXDEV, (const char *const[]){ "init()", "told to", "'" });
	}
}
END_TEST

/* The first error is the network's, whatever comes after it. */
START_TEST(two_failures)
{
	static const char *const names[] = { "(-5)", "(-6)" };
	const struct fake_cl *fake = driver(&ways[0]);
	struct fault_plan plan = { .tokens = 31, .delay = 2 };

	for (unsigned n = 4; n < 24; n++) {
		static struct fault_net net;
		char text[512];
		int err;

		fault_reset(fake);
		ck_assert_int_eq(fake->fail_command(CL_COMMAND_NDRANGE_KERNEL, n, -5), 0);
		ck_assert_int_eq(fake->fail_command(CL_COMMAND_NDRANGE_KERNEL, n + 1, -6), 0);
		fault_build(&net, &plan);
		ck_assert_int_eq(pstk_network_start(net.network), 0);
		err = pstk_network_wait(net.network);
		ck_assert_int_lt(err, 0);
		snprintf(text, sizeof text, "%s", pstk_network_error(net.network));
		ck_assert(!strstr(text, names[0]) || !strstr(text, names[1]));
		ck_assert_int_eq(pstk_network_wait(net.network), err);
		ck_assert_str_eq(pstk_network_error(net.network), text);
		fault_check(&net, false, text);
		pstk_network_destroy(net.network);
		fault_check_left(fake, false, text);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_commands");
	TCase *commands = test_case(suite, "commands");

	tcase_add_loop_test(commands, every_command, 0, TEST_COUNT(ways));
	tcase_add_loop_test(commands, lost_devices, 0, TEST_COUNT(ways));
	tcase_add_loop_test(commands, memory_that_is_not_there, 0, TEST_COUNT(ways));
	tcase_add_test(commands, sources_that_do_not_compile);
	tcase_add_test(commands, kernels_that_are_not_there);
	tcase_add_test(commands, inits_that_fail);
	tcase_add_test(commands, two_failures);
	return test_main(suite);
}
