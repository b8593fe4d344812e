/* SPDX-License-Identifier: MIT */
/*
 * On OpenCL devices the counts are those of the definition, too: wherever each part runs, wherever it is split, and
 * however windows get there.
 */
#include "config.h"

#include <penstock/penstock.h>

#include "actors/common/check_files.h"
#include "apps/granulometry/check_oracle.h"
#include "apps/granulometry/check_run.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 4 };

static const char *const memories[] = { "svm", "map", "copy" };

/* A test is a process of its own (Check forks), so that each has its own drivers. The pthread device has two units, so
 * that it can be parted. */
static bool find_devices(const char *memory)
{
	setenv("POCL_DEVICES", "pthread", 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
	setenv("PENSTOCK_MEMORY", memory, 1);
	if (pstk_devices(NULL, 0) > 0)
		return true;
	printf("no OpenCL device: skipped\n");
	return false;
}

#define ARGUMENTS(s)                                                                                \
	"--input", "in.u8", "--size", oracle_size(s), "--threshold", oracle_number((s)->threshold), \
		"--openings", oracle_number((s)->openings), "--element", (s)->cross ? "cross" : "square"

START_TEST(every_place)
{
	static const struct oracle_shape shapes[] = { { 70, 40, 1, false, 0, 7 }, { 19, 11, 6, true, 90, 5 },
		{ 3, 1, 1, false, 0, 4 } };
	static const char *const devices[] = { "pocl:cpu:0", "cores,pocl:cpu:0", "pocl:cpu:0,cores",
		"pocl:cpu:0/1of2,pocl:cpu:0/2of2", "pocl:cpu:0/2of2" },
				 *const overlaps[] = { "on", "off" };
	unsigned run = 0;

	if (!find_devices(memories[_i]))
		return;
	for (size_t i = 0; i < TEST_COUNT(shapes); i++) {
		const struct oracle_shape *s = &shapes[i];
		unsigned char *images = oracle_images(s, COUNT, i + 1);

		files_write("in.u8", images, COUNT * oracle_bytes(s));
		for (size_t d = 0; d < TEST_COUNT(devices); d++)
			for (unsigned split = 1; split <= s->openings; split += 2) {
				if (TEST_SANITIZED && run++ % 7)
					continue;
				if (split % 3)
					SIEVE(ARGUMENTS(s), "--device", devices[d], "--split",
						oracle_number(split), "--output", "out.json");
				else
					SIEVE(ARGUMENTS(s), "--device", devices[d], "--split",
						oracle_number(split), "--output", "out.json", "--overlap",
						overlaps[d & 1]);
				oracle_expect("out.json", oracle_json(s, images, COUNT, split));
			}
		free(images);
	}
}
END_TEST

/* Measured at both places; whatever comes of it, the counts are the same. */
START_TEST(automatic)
{
	static const char *const devices[] = { "pocl:cpu:0/1of2,pocl:cpu:0/2of2", "pocl:cpu:0",
		"cores,pocl:cpu:0" };
	const struct oracle_shape s = { 90, 60, 1, false, 0, 12 };
	unsigned char *images;
	char err[10000];

	if (!find_devices(memories[0]))
		return;
	images = oracle_images(&s, COUNT, 5);
	files_write("in.u8", images, COUNT * oracle_bytes(&s));
	ck_assert_int_eq(SIEVE_RUN(err, ARGUMENTS(&s), "--device", devices[_i], "--split", "auto", "--output",
				 "out.csv"),
		0);
	TEST_SAYS(err, "split ", " of 12: small takes ", ", as measured\n");
	if (_i == 1) /* one device gains nothing by a second part */
		TEST_SAYS(err, "split 12 of 12: ", "large 0.000 ms");
	oracle_expect("out.csv", oracle_csv(&s, images, COUNT));
	free(images);
}
END_TEST

#ifdef HAVE_JANSSON
/* Both were made where they were asked for, and the file says from where to where. */
static void expect_moves(const char *path)
{
	static const struct {
		const char *actor, *from, *to;
		int firing;
	} expected[] = { { "small", "pocl:cpu:0/1of2", "cores", 2 },
		{ "large", "cores", "pocl:cpu:0/2of2", 3 } };
	json_t *stats = json_load_file(path, JSON_REJECT_DUPLICATES, NULL),
	       *moves = json_object_get(stats, "moves");

	ck_assert_uint_eq(json_array_size(moves), TEST_COUNT(expected));
	for (size_t i = 0; i < TEST_COUNT(expected); i++) {
		const char *actor, *from, *to, *state;
		int firing;

		ck_assert_int_eq(
			json_unpack(json_array_get(moves, i), "{s:s, s:s, s:s, s:s, s:i}", "actor", &actor,
				"from", &from, "to", &to, "state", &state, "firing", &firing),
			0);
		ck_assert_str_eq(actor, expected[i].actor);
		ck_assert_str_eq(from, expected[i].from);
		ck_assert_str_eq(to, expected[i].to);
		ck_assert_str_eq(state, "done");
		ck_assert_int_eq(firing, expected[i].firing);
	}
	json_decref(stats);
}
#endif

/* While images flow one part goes to the cores, the other one comes from there. */
START_TEST(moves)
{
	const struct oracle_shape s = { 70, 40, 1, false, 0, 7 };
	unsigned char *images;

	if (!find_devices(memories[_i]))
		return;
	images = oracle_images(&s, COUNT, 1);
	files_write("in.u8", images, COUNT * oracle_bytes(&s));
#ifdef HAVE_JANSSON
#define STATS "--stats", "s.json",
#else
#define STATS
#endif
	SIEVE(ARGUMENTS(&s), "--split", "4", "--device", "pocl:cpu:0/1of2,cores", "--move", "small@2=cores",
		"--move", "large@3=pocl:cpu:0/2of2", STATS "--output", "out.csv");
	oracle_expect("out.csv", oracle_csv(&s, images, COUNT));
#ifdef HAVE_JANSSON
	expect_moves("s.json");
#endif
	free(images);
}
END_TEST

/* As planned for a device that shares the host's memory: twice the windows with overlap. */
START_TEST(depths)
{
	char err[10000];

	if (!find_devices(memories[1]))
		return;
	files_text("in.u8", "0123456789abcdef");
	for (int off = 0; off < 2; off++) {
		ck_assert_int_eq(SIEVE_RUN(err, "--input", "in.u8", "--size", "4x4", "--openings", "4",
					 "--split", "2", "--team", "0", "--device",
					 "pocl:cpu:0/1of2,pocl:cpu:0/2of2", "--overlap", off ? "off" : "on"),
			0);
		TEST_SAYS(err, off ? "->  large.in     rate 1, delay 0, depth 1,"
				   : "->  large.in     rate 1, delay 0, depth 2,");
	}
}
END_TEST

START_TEST(no_device)
{
	char err[10000];

	if (!find_devices(memories[0]))
		return;
	files_text("in.u8", "0123456789abcdef");
	ck_assert_int_eq(
		SIEVE_RUN(err, "--input", "in.u8", "--size", "4x4", "--device", "pocl:cpu:0,nvidia:gpu:7"),
		3);
	TEST_SAYS(err, "granulometry: --device: ", "nvidia:gpu:7");
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("granulometry_device");
	TCase *c = files_case(suite, "devices");

	tcase_add_loop_test(c, every_place, 0, TEST_COUNT(memories));
	tcase_add_loop_test(c, automatic, 0, 3);
	tcase_add_loop_test(c, moves, 0, TEST_COUNT(memories));
	tcase_add_test(c, depths);
	tcase_add_test(c, no_device);
	return test_main(suite);
}
