/* SPDX-License-Identifier: MIT */
/*
 * On OpenCL devices the maps are those of the definition, too, bit for bit: whatever the size, rate, number
 * of frames, kind of memory, depth, and wherever each of the three actors runs. The program runs inside of
 * this one, once for each: OpenCL's drivers take long to load.
 */
#define main motion_detection_main
int main(int argc, char **argv);
#include "apps/motion_detection/motion_detection.c"
#undef main

#include "apps/motion_detection/check_motion.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct {
	unsigned w, h;
	const char *size;
} sizes[] = { { 320, 240, "320x240" }, { 768, 576, "768x576" }, { 321, 243, "321x243" }, { 16, 5, "16x5" },
	{ 5, 5, "5x5" } };
static const char *const rates[] = { "1", "2", "3", "4", "8", "16" };
static const size_t counts[] = { 1, 2, 5, 7, 10, 17, 33 };
static const char *const memories[] = { "svm", "map", "copy" };
static const char *const drivers[] = { "basic", "pthread" };
enum { MOST = 33, RATES = TEST_COUNT(rates), MEMORIES = TEST_COUNT(memories), DRIVERS = TEST_COUNT(drivers) };

/* Before the test's first call of OpenCL. The pthread device has two units, so that it can be parted, however
 * many cores there are; `basic` has one and runs in the thread that enqueues. */
static void use_driver(const char *driver)
{
	setenv("POCL_DEVICES", driver, 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
	unsetenv("PENSTOCK_MEMORY");
}

/* Sanitizers make the drivers slow: then every n-th run does. */
static bool left_out(size_t i)
{
	return TEST_SANITIZED && i % 15;
}

static const char *text(size_t number)
{
	static char texts[4][24];
	static unsigned next;
	char *here = texts[next++ % 4];

	snprintf(here, sizeof(texts[0]), "%zu", number);
	return here;
}

/* Runs the program, which must succeed. Arguments up to NULL. */
#define INSIDE(...) run_inside((const char *const[]){ __VA_ARGS__, NULL })
static void run_inside(const char *const *arguments)
{
	char *argv[40] = { (char *)"motion_detection" }, said[4096] = "";
	int argc = 1, keep = dup(STDERR_FILENO), file = memfd_create("err", MFD_CLOEXEC), status;

	for (; arguments[argc - 1]; argc++)
		argv[argc] = (char *)arguments[argc - 1];
	ck_assert_int_eq(dup2(file, STDERR_FILENO), STDERR_FILENO);
	test_guard("the program", test_seed());
	optind = 0; /* getopt starts again */
	status = motion_detection_main(argc, argv);
	dup2(keep, STDERR_FILENO);
	if (status && pread(file, said, sizeof(said) - 1, 0) < 0)
		said[0] = '\0';
	close(file);
	close(keep);
	for (int i = 1; status && i < argc; i++)
		fprintf(stderr, "%s ", argv[i]);
	ck_assert_msg(
		status == 0, "status %d, PENSTOCK_MEMORY=%s: %s", status, getenv("PENSTOCK_MEMORY"), said);
}

/* On a driver, the runs that `chosen` says. */
static void run_sizes(size_t s, bool (*chosen)(size_t s, size_t r, size_t c))
{
	size_t size = (size_t)sizes[s].w * sizes[s].h, run = 0;
	unsigned char *frames = files_random(size * MOST, 1),
		      *maps = oracle_maps(frames, sizes[s].w, sizes[s].h, MOST, 20);

	files_write("in.gray", frames, size * MOST);
	for (size_t r = 0; r < RATES; r++) {
		for (size_t c = 0; c < TEST_COUNT(counts); c++) {
			if (!chosen(s, r, c) || left_out(run++))
				continue;
			INSIDE("--input", "in.gray", "--size", sizes[s].size, "--device",
				"pocl:cpu:", "--rate", rates[r], "--frames", text(counts[c]), "--output",
				"out.gray");
			expect_file("out.gray", maps, counts[c] * size);
		}
	}
	free(frames);
	free(maps);
}

/* The large one: the ends of the list and one in the middle. */
static bool is_in_all(size_t s, size_t r, size_t c)
{
	(void)r;
	return sizes[s].w < 700 || c % 3 == 0;
}

static bool is_in_share(size_t s, size_t r, size_t c)
{
	return (s + r + c) % 7 == 0;
}

START_TEST(every_size_rate_and_count)
{
	use_driver("basic");
	run_sizes((size_t)_i, is_in_all);
}
END_TEST

START_TEST(sizes_rates_and_counts_on_threads)
{
	use_driver("pthread");
	run_sizes((size_t)_i, is_in_share);
}
END_TEST

/* One clip of 11 frames of 101x43 for the rest. */
enum { W = 101, H = 43, SIZE = W * H, COUNT = 11 };

static unsigned char *frames, *maps;

static void write_input(void)
{
	frames = files_random((size_t)SIZE * COUNT, 2);
	maps = oracle_maps(frames, W, H, COUNT, 20);
	files_write("in.gray", frames, (size_t)SIZE * COUNT);
}

static void free_input(void)
{
	free(frames);
	free(maps);
}

#define GRAY "--input", "in.gray", "--size", "101x43"

static void check_placement(const char *device, const char *rate, const char *memory)
{
	if (memory)
		setenv("PENSTOCK_MEMORY", memory, 1);
	else
		unsetenv("PENSTOCK_MEMORY");
	INSIDE(GRAY, "--device", device, "--rate", rate, "--output", "out.gray");
	expect_file("out.gray", maps, (size_t)SIZE * COUNT);
}

/* 0..5: a driver and a kind of memory. */
START_TEST(every_memory)
{
	use_driver(drivers[_i % DRIVERS]);
	for (size_t r = 0; r < RATES; r++) {
		if (!left_out(r))
			check_placement("pocl", rates[r], memories[_i / DRIVERS]);
	}
}
END_TEST

/* Each of the three actors at one of these two places; 0..7 say where. */
static const char *spread(unsigned where, const char *zero, const char *one)
{
	static char list[128];

	snprintf(list, sizeof(list), "%s,%s,%s", where & 1 ? one : zero, where & 2 ? one : zero,
		where & 4 ? one : zero);
	return list;
}

START_TEST(every_mix_with_the_cores)
{
	use_driver(drivers[_i % DRIVERS]);
	for (unsigned where = 0; where < 8; where++) {
		for (size_t m = 0; m < MEMORIES; m++) {
			/* the threads: a share of them */
			if (!left_out(where + m) && (_i % DRIVERS == 0 || (where + m) % MEMORIES == 0))
				check_placement(
					spread(where, "cores", "cpu"), _i / DRIVERS ? "4" : "1", memories[m]);
		}
	}
}
END_TEST

START_TEST(one_part_of_a_device)
{
	use_driver("pthread");
	for (size_t r = 0; r < RATES; r++) {
		if (!left_out(r))
			check_placement(r % 2 ? "pocl:cpu:0/2of2" : "0.0/1of2", rates[r], NULL);
	}
}
END_TEST

START_TEST(spread_over_two_parts)
{
	use_driver("pthread");
	for (unsigned where = 0; where < 8; where++) {
		if (!left_out(where))
			check_placement(spread(where, "pocl:cpu:0/1of2", "pocl:cpu:0/2of2"),
				rates[(where + (unsigned)_i) % RATES],
				_i ? memories[where % MEMORIES] : NULL);
	}
}
END_TEST

/* A part, the whole and the cores at once. */
START_TEST(parts_and_cores)
{
	use_driver("pthread");
	for (size_t r = 0; r < RATES; r++) {
		if (left_out(r))
			continue;
		check_placement("pocl:cpu:0/1of2,pocl:cpu:0/2of2,cores", rates[r], NULL);
		check_placement("cores,pocl:cpu:0/1of2,pocl", rates[r], memories[r % MEMORIES]);
	}
}
END_TEST

START_TEST(every_threshold)
{
	static const int thresholds[] = { 0, 1, 5, 60, 255 };

	use_driver(drivers[_i]);
	for (size_t i = 0; i < TEST_COUNT(thresholds); i++) {
		unsigned char *expected = oracle_maps(frames, W, H, COUNT, thresholds[i]);

		INSIDE(GRAY, "--device", "cpu", "--rate", rates[i], "--threshold",
			text((size_t)thresholds[i]), "--output", "out.gray");
		expect_file("out.gray", expected, (size_t)SIZE * COUNT);
		free(expected);
	}
}
END_TEST

/* Both depths from 1 to 4, at a rate. */
START_TEST(every_depth)
{
	use_driver(drivers[_i % DRIVERS]);
	for (unsigned i = 0; i < 16; i++) {
		/* the threads: every other one */
		if (left_out(i) || (_i % DRIVERS && (i / 4 + i % 4) % 2))
			continue;
		setenv("PENSTOCK_MEMORY", memories[i % MEMORIES], 1);
		INSIDE(GRAY, "--device", i % 2 ? "cpu" : "cpu,cores,cpu", "--rate", _i / DRIVERS ? "4" : "1",
			"--depth", text(1 + i / 4), "--device-depth", text(1 + i % 4), "--output",
			"out.gray");
		expect_file("out.gray", maps, (size_t)SIZE * COUNT);
	}
}
END_TEST

/* Depths as planned: the same maps. Without overlap there is one window at each place that a copy touches. */
START_TEST(overlap)
{
	use_driver(drivers[_i]);
	for (unsigned i = 0; i < MEMORIES * 2; i++) {
		setenv("PENSTOCK_MEMORY", memories[i / 2], 1);
		INSIDE(GRAY, "--device", i % 4 < 2 ? "cpu" : "cpu,cores,cpu", "--overlap",
			i % 2 ? "off" : "on", "--output", "out.gray");
		expect_file("out.gray", maps, (size_t)SIZE * COUNT);
	}
}
END_TEST

/* While frames flow an actor goes to the cores, another one comes from there, a third one goes to and fro. */
START_TEST(moves)
{
	use_driver("pthread");
	for (size_t i = 0; i < MEMORIES; i++) {
		setenv("PENSTOCK_MEMORY", memories[i], 1);
		INSIDE(GRAY, "--device", "cpu/1of2,cores,cpu/1of2", "--move", "gauss@5=cores", "--move",
			"thres@7=cpu/2of2", "--move", "med@3=cpu/2of2", "--move", "med@9=cpu/1of2",
			"--output", "out.gray");
		expect_file("out.gray", maps, (size_t)SIZE * COUNT);
	}
}
END_TEST

/* The picture is that of the cores, which another suite checks. */
START_TEST(overlay)
{
	unsigned char *expected;
	size_t size;

	use_driver(drivers[_i]);
	INSIDE(GRAY, "--overlay", "--output", "cores.y4m");
	expected = files_read("cores.y4m", &size);
	for (size_t r = 0; r < RATES; r++) {
		if (left_out(r))
			continue;
		setenv("PENSTOCK_MEMORY", memories[r % MEMORIES], 1);
		INSIDE(GRAY, "--overlay", "--device", r % 2 ? "cpu" : "cpu,cores,cpu", "--rate", rates[r],
			"--depth", text(1 + r % 3), "--device-depth", text(1 + r / 2), "--output", "out.y4m");
		expect_file("out.y4m", expected, size);
	}
	free(expected);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("motion_device");
	TCase *exact = files_case(suite, "exact"), *rest = files_case(suite, "rest");

	/* each run has a guard of its own */
	tcase_add_loop_test(exact, every_size_rate_and_count, 0, TEST_COUNT(sizes));
	tcase_add_loop_test(exact, sizes_rates_and_counts_on_threads, 0, TEST_COUNT(sizes));
	tcase_add_checked_fixture(rest, write_input, free_input);
	tcase_add_loop_test(rest, every_memory, 0, DRIVERS * MEMORIES);
	tcase_add_loop_test(rest, every_mix_with_the_cores, 0, DRIVERS * 2);
	tcase_add_test(rest, one_part_of_a_device);
	tcase_add_loop_test(rest, spread_over_two_parts, 0, 2);
	tcase_add_test(rest, parts_and_cores);
	tcase_add_loop_test(rest, every_threshold, 0, DRIVERS);
	tcase_add_loop_test(rest, every_depth, 0, DRIVERS * 2);
	tcase_add_loop_test(rest, overlap, 0, DRIVERS);
	tcase_add_test(rest, moves);
	tcase_add_loop_test(rest, overlay, 0, DRIVERS);
	return test_main(suite);
}
