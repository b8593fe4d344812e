/* SPDX-License-Identifier: MIT */
/*
 * What the program says of devices: where everything is, which devices there are, what is wrong with a
 * --device; and signals and statistics of a run on one.
 */
#include "config.h"

#include "apps/motion_detection/check_motion.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCENE "--synthetic", "32x24", "--frames", "5"
#define FULL "--synthetic", "320x240", "--frames", "8"

/* For the programs that are started from here: one device, unless a test says otherwise. */
static void one_device(void)
{
	setenv("POCL_DEVICES", "pthread", 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
	unsetenv("PENSTOCK_MEMORY");
	unsetenv("PENSTOCK_PROFILE");
}

static const struct {
	int status;
	const char *words;
	const char *arguments[10];
} wrong[] = {
	{ 2, "--device: '' is not one selector, or three", { SCENE, "--device", "" } },
	{ 2, "--device: ',' is not one selector, or three", { SCENE, "--device", "," } },
	{ 2, "--device: 'cores,cpu' is not one", { SCENE, "--device", "cores,cpu" } },
	{ 2, "--device: 'cores,,cpu' is not one", { SCENE, "--device", "cores,,cpu" } },
	{ 2, "--device: 'cpu,cpu,cpu,' is not one", { SCENE, "--device", "cpu,cpu,cpu," } },
	{ 2, "--device: 'cpu,cpu,cpu,cpu' is not one", { SCENE, "--device", "cpu,cpu,cpu,cpu" } },
	{ 2, "option '--device' requires an argument", { SCENE, "--device" } },
	{ 2, "--device: '7' is no device selector", { SCENE, "--device", "7" } },
	{ 2, "--device: ", { SCENE, "--device", "pocl:cpu:0/3of2" } },
	{ 2, "--device: ", { SCENE, "--device", "cpu,cores,a:b:c:d" } },
	{ 3, "no OpenCL device is named by 'nosuch'; there are: pocl:cpu:0 ",
		{ SCENE, "--device", "nosuch" } },
	{ 3, "named by 'pocl:gpu:'", { SCENE, "--device", "pocl:gpu:" } },
	{ 3, "named by 'second'", { SCENE, "--device", "cpu,cores,second" } },
	/* before the input is opened: it would be empty */
	{ 3, "named by 'nosuch'", { "--input", "-", "--device", "nosuch" } },
	{ 2, "--device-depth: '0' is not a number from 1", { SCENE, "--device-depth", "0" } },
	{ 2, "--device-depth: 'x' is not", { SCENE, "--device-depth", "x" } },
};

START_TEST(wrong_devices)
{
	one_device();
	program_fails(wrong[_i].status, wrong[_i].words, wrong[_i].arguments);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

/* Nothing is written, nothing is left to the cores. */
START_TEST(no_device)
{
	struct run run = { 0 };

	one_device();
	FAILS(3, "named by 'nosuch'", SCENE, "--device", "nosuch", "--output", "out.gray");
	RUN(&run, 3, SCENE, "--device", "one,one,two", "--output", "out.gray");
	/* each once */
	ck_assert_ptr_nonnull(strstr(run.err, "named by 'two'"));
	ck_assert_ptr_null(strstr(strstr(run.err, "named by 'one'") + 1, "named by 'one'"));
	program_free(&run);
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	FAILS(3, "apt-get install pocl-opencl-icd", SCENE, "--device", "cpu", "--output", "out.gray");
	FAILS(3, "here: /nonexistent", "--devices");
	ck_assert_uint_eq(files_count(), 0);
	/* which the cores do not need */
	RUN(&run, 0, SCENE, "--device", "cores", "--output", "out.gray");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* The candidates are ready to paste. */
START_TEST(several_devices)
{
	struct run run = { 0 };

	one_device();
	setenv("POCL_DEVICES", "pthread basic", 1);
	RUN(&run, 3, SCENE, "--device", "cpu", "--output", "out.gray");
	TEST_SAYS(run.err, "'cpu' names 2 OpenCL devices: pocl:cpu:0 (", ", pocl:cpu:1 (");
	ck_assert_uint_eq(files_count(), 0);
	program_free(&run);
	RUN(&run, 0, SCENE, "--device", "pocl:cpu:1");
	TEST_SAYS(run.err, "gauss", " on pocl:cpu:1 (");
	program_free(&run);
}
END_TEST

START_TEST(list_of_devices)
{
	struct run run = { 0 };

	one_device();
	setenv("POCL_DEVICES", "pthread basic", 1);
	RUN(&run, 0, "--devices");
	TEST_SAYS((char *)run.out, "selector", "driver", "\npocl:cpu:0 ", "\npocl:cpu:1 ");
	ck_assert_str_eq(run.err, "");
	program_free(&run);
	run.out_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	RUN(&run, 1, "--devices");
	TEST_SAYS(run.err, "stdout: No space left on device");
	program_free(&run);
}
END_TEST

START_TEST(says_where_and_how_much)
{
	struct run run = { 0 };

	one_device();
	RUN(&run, 0, FULL, "--team", "0", "--device", "pocl");
	TEST_SAYS(run.err, "gauss5x5      on pocl:cpu:0 (", "threshold     on pocl:cpu:0 (",
		"median5       on pocl:cpu:0 (", "Portable Computing Language, driver ",
		"video_source  on any core\n", "0.845 MB", " B, device\n", "the kernels were ready after ",
		"8 frames in ", "busiest actor on the cores: ");
	program_free(&run);
	setenv("PENSTOCK_MEMORY", "copy", 1);
	setenv("PENSTOCK_PROFILE", "1", 1);
	RUN(&run, 0, FULL, "--rate", "4", "--team", "0", "--device", "cores,pocl:cpu:0/1of2,pocl:cpu:0/2of2");
	TEST_SAYS(run.err, "gauss5x5      on any core, 4 steps a firing\n",
		"threshold     on pocl:cpu:0/1of2 (", "median5       on pocl:cpu:0/2of2 (", "3.456 MB",
		" B, staged", "busiest actor: ");
	program_free(&run);
	RUN(&run, 0, FULL, "--device", "cores");
	ck_assert_ptr_null(strstr(run.err, "the kernels"));
	ck_assert_ptr_null(strstr(run.err, "on the cores"));
	program_free(&run);
	RUN(&run, 0, "--help");
	TEST_SAYS((char *)run.out, "--device SELECTOR", "--device-depth K", "--devices",
		"3 no OpenCL device fits");
	program_free(&run);
}
END_TEST

/* What the table says of a FIFO's depth. */
static void expect_depth(const char *table, const char *from, const char *to, unsigned depth)
{
	char expected[32], line[256];
	const char *at = strstr(table, from), *end;

	while (at && (end = strchr(at, '\n'))) {
		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		if (strstr(line, to))
			break;
		at = strstr(end, from);
	}
	ck_assert_msg(at != NULL, "no FIFO from %s to %s", from, to);
	snprintf(expected, sizeof(expected), ", depth %u,", depth);
	ck_assert_msg(strstr(line, expected) != NULL, "%s in: %s", expected, line);
}

/* FIFOs between host and device have their own depth; the one past them holds as many windows as the way
 * round. */
START_TEST(depths)
{
	static const struct {
		const char *device;
		unsigned into_gauss, into_thres, into_med, into_sink, into_frame;
	} cases[] = { { "cores", 3, 3, 3, 3, 12 }, { "cpu", 5, 3, 3, 5, 16 },
		{ "cores,cpu,cores", 3, 5, 5, 3, 16 }, { "cpu,cores,cpu", 5, 5, 5, 5, 20 },
		{ "cores,cores,pocl:cpu:0/1of2", 3, 3, 5, 5, 16 },
		{ "pocl:cpu:0/2of2,pocl:cpu:0/1of2,cores", 5, 3, 5, 3, 16 } };

	one_device();
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct run run = { 0 };

		RUN(&run, 0, SCENE, "--depth", "3", "--device-depth", "5", "--device", cases[i].device,
			"--overlay", "--output", "out.y4m");
		expect_depth(run.err, "source.out", "gauss.in", cases[i].into_gauss);
		expect_depth(run.err, "gauss.out", "thres.now", cases[i].into_thres);
		expect_depth(run.err, "gauss.out", "thres.before", cases[i].into_thres);
		expect_depth(run.err, "thres.out", "med.in", cases[i].into_med);
		expect_depth(run.err, "med.out", "sink.map", cases[i].into_sink);
		expect_depth(run.err, "source.out", "sink.frame", cases[i].into_frame);
		program_free(&run);
	}
}
END_TEST

/* The first signal ends the input; what was written is whole, and what is in flight on the device arrives. */
START_TEST(interrupted)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct run run = { 0 };

	one_device();
	program_start(&run, (const char *const[]){ "--synthetic", "64x48", "--rate", "4", "--device",
				    _i ? "pocl:cpu:0/1of2,cores,cpu" : "cpu", "--output", "out.gray",
				    "--output", "out.y4m", NULL });
	while (files_size(files_part("out.gray")) < 64 * 48)
		sched_yield();
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "interrupted", "frames/s");
	ck_assert_ptr_null(strstr(run.err, "no file was completed"));
	ck_assert_int_ge(files_size("out.gray"), 64 * 48);
	ck_assert_int_eq(files_size("out.gray") % (64 * 48), 0);
	ck_assert_uint_eq(files_count(), 2);
	program_free(&run);
}
END_TEST

#ifdef HAVE_JANSSON
#define STATS , "--stats", "s.json"
#else
#define STATS
#endif

/* No process reads the FIFO: the first signal's draining can't end, the second aborts, and the other output
 * is gone. */
START_TEST(interrupted_twice)
{
	struct run run = { 0 };
	int reader;

	one_device();
	setenv("POCL_DEVICES", _i ? "basic" : "pthread", 1);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	program_start(&run, (const char *const[]){ "--synthetic", "640x480", "--device", "cpu", "--output",
				    "out.gray", "--output", "pipe" STATS, NULL });
	while (files_size(files_part("out.gray")) < 640 * 480)
		sched_yield();
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(kill(run.pid, SIGINT), 0);
		while (!program_has_taken(&run))
			sched_yield();
	}
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "interrupted, no file was completed");
	ck_assert_uint_eq(files_count(), 1);
	close(reader);
	program_free(&run);
}
END_TEST

/* An output that breaks ends a run on a device with the cause. */
START_TEST(full_disk)
{
	struct run run = { 0 };

	/* the driver keeps what it has built in files, which have a limit below, too */
	one_device();
	RUN(&run, 0, "--synthetic", "640x480", "--frames", "3", "--device", "cpu");
	program_free(&run);
	run.file_limit = 5000000;
	RUN(&run, 1, "--synthetic", "640x480", "--device", "cpu", "--output", "out.gray");
	TEST_SAYS(run.err, "sink", "out.gray: File too large");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

#ifdef HAVE_JANSSON

#include <jansson.h>

static json_int_t integer(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	ck_assert_msg(json_is_integer(value), "%s", key);
	return json_integer_value(value);
}

static const char *string(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	ck_assert_msg(json_is_string(value), "%s", key);
	return json_string_value(value);
}

static json_t *stats_of(const char *device, const char *memory, const char *profile)
{
	struct run run = { 0 };
	json_error_t error;
	json_t *stats;

	one_device();
	setenv("PENSTOCK_MEMORY", memory, 1);
	setenv("PENSTOCK_PROFILE", profile, 1);
	/* the figures are those of the default mode, whatever the environment says */
	RUN(&run, 0, FULL, "--rate", "4", "--device-depth", "4", "--team", "0", "--device", device, "--stats",
		"s.json");
	program_free(&run);
	stats = json_load_file("s.json", JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(stats != NULL, "%s", error.text);
	return stats;
}

static void expect_actor(const json_t *stats, size_t i, const char *selector, bool profiled)
{
	const json_t *actor = json_array_get(json_object_get(stats, "actors"), i),
		     *device = json_object_get(actor, "device");

	ck_assert_int_eq(integer(actor, "firings"), 2);
	if (!selector) {
		ck_assert(json_is_null(device));
		ck_assert_int_eq(integer(actor, "device_ns"), 0);
		return;
	}
	ck_assert_str_eq(string(device, "selector"), selector);
	ck_assert_str_ne(string(device, "name"), "");
	ck_assert_str_eq(string(device, "platform"), "Portable Computing Language");
	ck_assert_str_ne(string(device, "driver"), "");
	if (profiled)
		ck_assert_int_gt(integer(actor, "device_ns"), 0);
	else
		ck_assert_int_eq(integer(actor, "device_ns"), 0);
}

static void expect_fifo(const json_t *stats, size_t i, const char *memory, json_int_t depth)
{
	const json_t *fifo = json_array_get(json_object_get(stats, "fifos"), i);

	ck_assert_msg(
		strstr(string(fifo, "memory"), memory) != NULL, "FIFO %zu: %s", i, string(fifo, "memory"));
	ck_assert_int_eq(integer(fifo, "depth"), depth);
	ck_assert_int_ge(integer(fifo, "bytes_copied"), 0);
}

START_TEST(statistics)
{
	json_t *stats = stats_of("cores,pocl:cpu:0/2of2,cpu", "copy", "1"),
	       *fifos = json_object_get(stats, "fifos");

	expect_actor(stats, 0, NULL, true);
	expect_actor(stats, 1, NULL, true);
	expect_actor(stats, 2, "pocl:cpu:0/2of2", true);
	expect_actor(stats, 3, "pocl:cpu:0", true);
	expect_actor(stats, 4, NULL, true);
	ck_assert_uint_eq(json_array_size(fifos), 5);
	expect_fifo(stats, 0, "host", 2);
	expect_fifo(stats, 1, "staged", 4);
	expect_fifo(stats, 2, "staged", 4);
	expect_fifo(stats, 3, "device", 2);
	expect_fifo(stats, 4, "staged", 4);
	/* every frame crosses in and out */
	ck_assert_int_ge(integer(json_array_get(fifos, 1), "bytes_copied"), 8 * 320 * 240);
	ck_assert_int_ge(integer(json_array_get(fifos, 4), "bytes_copied"), 8 * 320 * 240);
	ck_assert_int_eq(integer(json_array_get(fifos, 3), "bytes_copied"), 0);
	ck_assert_int_eq(integer(stats, "device_depth"), 4);
	ck_assert_double_gt(json_real_value(json_object_get(stats, "start_seconds")), 0);
	json_decref(stats);
}
END_TEST

/* Shared memory: what crosses is not copied. */
START_TEST(statistics_of_shared_memory)
{
	json_t *stats = stats_of("cpu", "map", ""), *fifos = json_object_get(stats, "fifos");

	for (size_t i = 1; i <= 3; i++)
		expect_actor(stats, i, "pocl:cpu:0", false);
	expect_fifo(stats, 0, "mapped", 4);
	expect_fifo(stats, 1, "device", 2);
	expect_fifo(stats, 3, "device", 2);
	expect_fifo(stats, 4, "mapped", 4);
	ck_assert_int_eq(integer(json_array_get(fifos, 0), "bytes_copied"), 0);
	ck_assert_int_eq(integer(json_array_get(fifos, 4), "bytes_copied"), 0);
	json_decref(stats);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("motion_device_errors");
	TCase *errors = files_case(suite, "errors"), *running = files_case(suite, "running");

	motion_find();
	tcase_add_loop_test(errors, wrong_devices, 0, TEST_COUNT(wrong));
	tcase_add_test(errors, no_device);
	tcase_add_test(errors, several_devices);
	tcase_add_test(errors, list_of_devices);
	tcase_add_test(running, says_where_and_how_much);
	tcase_add_test(running, depths);
	tcase_add_loop_test(running, interrupted, 0, 2);
	tcase_add_loop_test(running, interrupted_twice, 0, 2);
	tcase_add_test(running, full_disk);
#ifdef HAVE_JANSSON
	tcase_add_test(running, statistics);
	tcase_add_test(running, statistics_of_shared_memory);
#endif
	return test_main(suite);
}
