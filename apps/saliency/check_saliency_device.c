/* SPDX-License-Identifier: MIT */
/*
 * On OpenCL devices the maps are those of the cores to SALIENCY_TOLERANCE, wherever each step runs, whatever the memory
 * and the depths. The program runs inside of this one, once for each: OpenCL's drivers take long to load.
 */
#define main saliency_main
int main(int argc, char **argv);
#include "apps/saliency/saliency.c"
#undef main

#include "apps/saliency/check_saliency.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(HAVE_CLFFT) && defined(HAVE_KISSFFT)

enum { W = 45, H = 40, N = W * H, FRAMES = 5 };

static double *maps;

/* Two units, so that it can be parted, however many cores there are. Before the test's first call of OpenCL. */
static void prepare(void)
{
	unsigned char *frames = saliency_frames(W, H, FRAMES, 11);

	setenv("POCL_DEVICES", "pthread", 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
	unsetenv("PENSTOCK_MEMORY");
	files_write("in.gray", frames, FRAMES * N);
	maps = saliency_oracle(frames, W, H, FRAMES, "hann");
	free(frames);
}

static void clean(void)
{
	free(maps);
}

/* Runs the program, which must succeed, and compares. Arguments up to NULL. */
#define INSIDE(...) run_inside((const char *const[]){ __VA_ARGS__, NULL })
static void run_inside(const char *const *arguments)
{
	char *argv[40] = { (char *)"saliency", (char *)"--input", (char *)"in.gray", (char *)"--size",
		(char *)"45x40", (char *)"--output", (char *)"out.f32" },
	     said[8192] = "";
	int argc = 7, keep = dup(STDERR_FILENO), file = memfd_create("err", MFD_CLOEXEC), status;

	for (; *arguments; arguments++)
		argv[argc++] = (char *)*arguments;
	ck_assert_int_eq(dup2(file, STDERR_FILENO), STDERR_FILENO);
	test_guard("the program", test_seed());
	optind = 0; /* getopt starts again */
	status = saliency_main(argc, argv);
	dup2(keep, STDERR_FILENO);
	if (status && pread(file, said, sizeof(said) - 1, 0) < 0)
		said[0] = '\0';
	close(file);
	close(keep);
	for (int i = 1; status && i < argc; i++)
		fprintf(stderr, "%s ", argv[i]);
	ck_assert_msg(status == 0, "status %d: %s", status, said);
	saliency_expect("out.f32", maps, N, FRAMES);
	ck_assert_int_eq(remove("out.f32"), 0);
}

static const char *const memories[] = { "svm", "map", "copy" };
enum { MEMORIES = TEST_COUNT(memories) };

START_TEST(one_device)
{
	setenv("PENSTOCK_MEMORY", memories[_i], 1);
	INSIDE("--device", "pocl:cpu:0");
	INSIDE("--device", "pocl:cpu:0", "--team", "0", "--overlap", "off");
	INSIDE("--device", "cpu", "--team", "2", "--overlap", "on");
}
END_TEST

#define HALVES "pocl:cpu:0/1of2,pocl:cpu:0/2of2"

/* Each split, with each word on overlap. */
START_TEST(two_halves)
{
	static const char *const overlaps[] = { "on", "off" };

	setenv("PENSTOCK_MEMORY", memories[_i % MEMORIES], 1);
	INSIDE("--device", HALVES, "--split", step_names[_i]);
	for (size_t i = 0; i < TEST_COUNT(overlaps) && !TEST_SANITIZED; i++)
		INSIDE("--device", HALVES, "--split", step_names[_i], "--overlap", overlaps[i]);
}
END_TEST

START_TEST(a_device_and_the_cores)
{
	setenv("PENSTOCK_MEMORY", memories[_i % MEMORIES], 1);
	INSIDE("--device", "cores,pocl:cpu:0", "--split", step_names[_i]);
	INSIDE("--device", "pocl:cpu:0,cores", "--split", step_names[_i], "--overlap", _i % 2 ? "on" : "off");
}
END_TEST

START_TEST(a_split_that_is_measured)
{
	INSIDE("--device", HALVES);
	INSIDE("--device", "cores,pocl:cpu:0/1of2", "--split", "auto", "--overlap", "off");
}
END_TEST

#ifdef HAVE_JANSSON
#include <jansson.h>
#include <math.h>

static double seconds_of(const json_t *stats, unsigned step, unsigned place)
{
	char key[64];
	const json_t *value;

	snprintf(key, sizeof key, "%s_%u_ns", step_names[step], place);
	value = json_object_get(stats, key);
	ck_assert_msg(json_is_integer(value) && json_integer_value(value) > 0, "%s", key);
	return (double)json_integer_value(value) / 1e9;
}

/* The period of a split is the larger sum of both places. That of the chosen one is the least. */
START_TEST(statistics_of_a_split)
{
	double periods[STEP_SUM], least = INFINITY;
	json_t *stats;
	const char *split;
	bool found = false;

	INSIDE("--device", HALVES, "--split", "auto", "--overlap", "on", "--stats", "s.json");
	stats = json_load_file("s.json", 0, NULL);
	ck_assert_ptr_nonnull(stats);
	ck_assert_str_eq(json_string_value(json_object_get(stats, "overlap")), "on");
	ck_assert_str_eq(json_string_value(json_object_get(stats, "window")), "hann");
	ck_assert_int_eq(json_integer_value(json_object_get(stats, "frames")), FRAMES);
	ck_assert_int_gt(json_integer_value(json_object_get(stats, "planned_bytes")), 0);
	for (unsigned i = 0; i < STEP_SUM; i++) {
		double sums[2] = { 0 };

		for (unsigned step = 0; step < STEPS; step++)
			sums[step > i] += seconds_of(stats, step, step > i);
		periods[i] = fmax(sums[0], sums[1]);
		least = fmin(least, periods[i]);
	}
	ck_assert_double_eq_tol(
		json_real_value(json_object_get(stats, "split_seconds_per_frame")), least, 1e-9);
	split = json_string_value(json_object_get(stats, "split"));
	for (unsigned i = 0; i < STEP_SUM; i++)
		found |= !strcmp(split, step_names[i]) && periods[i] <= least + 1e-9;
	ck_assert_msg(found, "split after %s", split);
	json_decref(stats);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("saliency_device");
	TCase *c = files_case(suite, "devices");

	tcase_add_checked_fixture(c, prepare, clean);
	tcase_add_loop_test(c, one_device, 0, MEMORIES);
	tcase_add_loop_test(c, two_halves, 0, STEP_SUM);
	tcase_add_loop_test(c, a_device_and_the_cores, 0, STEP_SUM);
	tcase_add_test(c, a_split_that_is_measured);
#ifdef HAVE_JANSSON
	tcase_add_test(c, statistics_of_a_split);
#endif
	return test_main(suite);
}

#else

#ifndef HAVE_CLFFT
/* A clear message names what is missing. */
START_TEST(without_clfft)
{
	FAILS(1, "this build has no clFFT", "--synthetic", "32x24", "--frames", "2", "--device",
		"pocl:cpu:", "--output", "out.gray");
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("saliency_device");
	TCase *c = files_case(suite, "devices");

	saliency_find();
#ifndef HAVE_CLFFT
	tcase_add_test(c, without_clfft);
#else
	(void)c;
#endif
	return test_main(suite);
}

#endif
