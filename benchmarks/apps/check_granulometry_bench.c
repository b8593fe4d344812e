/* SPDX-License-Identifier: MIT */
/*
 * The benchmark of granulometry: what is said of its images is true by the definition, pixel by pixel; a run looks at
 * all counts, whichever device they come from; the launches that it makes are the units that the model counts.
 */
#include "apps/granulometry/cost.h"
#include "benchmarks/apps/granulometry_run.h"
#include "benchmarks/apps/granulometry_timed.h"
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 }; /* openings */

/* -- images -- */

/* Are all pixels of a square around this one 1 (or, for a dilation, is one)? Outside there is nothing to look at. */
static bool around(
	const uint8_t *image, const struct squares *is, unsigned x, unsigned y, unsigned r, bool all)
{
	for (unsigned b = y > r ? y - r : 0; b <= y + r && b < is->side; b++)
		for (unsigned a = x > r ? x - r : 0; a <= x + r && a < is->side; a++)
			if ((image[(size_t)b * is->side + a] > 0) != all)
				return !all;
	return all;
}

/* The pixels that an opening by a square of radius n leaves. */
static uint64_t opened(const uint8_t *image, const struct squares *is, unsigned n)
{
	uint8_t *eroded = malloc((size_t)is->side * is->side);
	uint64_t left = 0;

	for (unsigned y = 0; y < is->side; y++)
		for (unsigned x = 0; x < is->side; x++)
			eroded[(size_t)y * is->side + x] = around(image, is, x, y, n, true);
	for (unsigned y = 0; y < is->side; y++)
		for (unsigned x = 0; x < is->side; x++)
			left += around(eroded, is, x, y, n, false);
	free(eroded);
	return left;
}

START_TEST(counts_by_the_definition)
{
	static const struct squares all[] = { { 5, 2 }, { 40, 4 }, { 90, 12 }, { 81, 40 }, { 120, 7 } };
	const struct squares *is = &all[_i];
	uint8_t *image = malloc((size_t)is->side * is->side);
	uint64_t counts[MOST + 1], before[MOST + 1] = { 0 };

	ck_assert_uint_le(squares_least_side(is->openings), is->side);
	for (uint64_t number = 0; number < 3; number++) {
		squares_draw(is, number, image);
		squares_counts(is, number, counts);
		for (unsigned n = 0; n <= is->openings; n++)
			ck_assert_uint_eq(counts[n], opened(image, is, n));
		ck_assert_uint_gt(counts[is->openings - 1], 0);
		ck_assert_uint_eq(counts[is->openings], 0);
		/* where there is room for more than one square, images differ */
		ck_assert(is->side < 90 || memcmp(counts, before, sizeof before));
		memcpy(before, counts, sizeof before);
	}
	free(image);
}
END_TEST

/* -- runs, on devices that take no time -- */

static const struct fake_cl *start(void)
{
	cl_platform_id platform;
	cl_uint count = 0;

	ck_assert(timed_start(FAKE_CL_DRIVER, 0));
	ck_assert_int_eq(clGetPlatformIDs(1, &platform, &count), CL_SUCCESS);
	return fake_cl_control(platform);
}

static const struct sieve brief = { .images = { .side = 70, .openings = 6 },
	.devices = { "pstk:gpu:0", "pstk:gpu:1" },
	.unit_ns = { 1000, 1000 },
	.split = 4,
	.count = 7,
	.first = 2 };

/* An erosion or dilation is a launch, a count two of them. The first part counts the image, too. */
static uint64_t launches(const struct sieve *is)
{
	const uint32_t openings = is->images.openings;
	uint64_t counts = openings + 1;

	return is->count * (cost_first(is->split) + cost_second(is->split, openings) + 2 * counts);
}

START_TEST(units_are_launches)
{
	const struct fake_cl *fake = start();
	uint64_t before = 0;
	struct sieve is = brief;

	for (is.split = 1; is.split <= is.images.openings; is.split++)
		for (unsigned in_turn = 0; in_turn < 2; in_turn++) {
			struct sieved got = sieve_run(&is, in_turn);
			uint64_t now = fake->commands(CL_COMMAND_NDRANGE_KERNEL);

			ck_assert_uint_eq(now - before, launches(&is));
			ck_assert_double_gt(got.period_s, 0);
			before = now;
		}
	fake->settle();
	ck_assert_uint_eq(fake->violation_count(), 0);
}
END_TEST

/* Of both parts' units and of reading. */
START_TEST(predicted_periods)
{
	struct sieve is = brief;

	start();
	for (is.split = 1; is.split <= is.images.openings; is.split++) {
		const struct cost cost = { 1e-6, 1e-6, false };
		double rule = cost_period(&cost, is.split, is.images.openings);

		is.reading_s = 0;
		ck_assert_double_eq_tol(sieve_run(&is, false).predicted_s, rule, 1e-12);
		is.reading_s = 20e-6;
		ck_assert_double_eq_tol(sieve_run(&is, false).predicted_s, fmax(rule, 20e-6), 1e-12);
	}
}
END_TEST

/* What --split auto chooses is one of the splits, of times that it has measured. */
START_TEST(automatic)
{
	struct sieve is = brief;
	double unit_ns[GRANULOMETRY_PARTS] = { 0, 0 };
	uint32_t split;

	start();
	split = sieve_auto(&is, unit_ns);
	ck_assert_uint_ge(split, 1);
	ck_assert_uint_le(split, is.images.openings);
	ck_assert_double_gt(unit_ns[0], 0);
	ck_assert_double_gt(unit_ns[1], 0);
}
END_TEST

/* -- faults, which end the program -- */

static unsigned totals;     /* of the device, so far */
static unsigned wrong_from; /* constant while it runs */

/* As the kernel, but what it counts is one too many from some time on. */
static void wrong_total(const struct fake_cl_launch *l)
{
	const uint64_t *partial = l->arg[0];
	uint64_t *counts = l->arg[1];

	counts[*(const cl_uint *)l->arg[4]] =
		partial[0] + (__atomic_add_fetch(&totals, 1, __ATOMIC_RELAXED) >= wrong_from);
}

static const struct fake_cl_arg total_args[] = { FAKE_CL_IN("partial", "ulong"),
	FAKE_CL_OUT("counts", "ulong"), FAKE_CL_VALUE("groups", "uint", sizeof(cl_uint)),
	FAKE_CL_VALUE("results", "uint", sizeof(cl_uint)), FAKE_CL_VALUE("result", "uint", sizeof(cl_uint)) };
static const struct fake_cl_kernel wrong = {
	.name = "total", .args = total_args, .arg_count = 5, .run = wrong_total
};

/* The last count of all, or of a part: the run sees it. */
static void run_wrong(uint32_t split, unsigned from)
{
	const struct fake_cl *fake = start();
	struct sieve is = brief;

	ck_assert_int_eq(fake->add_kernel(&wrong), 0);
	is.split = split;
	wrong_from = from;
	sieve_run(&is, false);
}

START_TEST(wrong_counts_are_seen)
{
	run_wrong(brief.images.openings, (unsigned)brief.count * (brief.images.openings + 1));
}
END_TEST

START_TEST(all_right_with_that_kernel)
{
	run_wrong(brief.images.openings, (unsigned)brief.count * (brief.images.openings + 1) + 1);
	ck_assert_uint_eq(totals, brief.count * (brief.images.openings + 1));
}
END_TEST

START_TEST(wrong_counts_of_two_parts_are_seen)
{
	run_wrong(4, (unsigned)brief.count * (brief.images.openings + 1));
}
END_TEST

START_TEST(no_device)
{
	struct sieve is = brief;

	start();
	is.devices[1] = "pstk:gpu:7";
	sieve_run(&is, false);
}
END_TEST

START_TEST(no_driver)
{
	ck_assert(!timed_start("/nowhere.so", 1e-6));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("granulometry_bench");
	TCase *tcase = test_case(suite, "granulometry_bench");

	tcase_add_loop_test(tcase, counts_by_the_definition, 0, 5);
	tcase_add_test(tcase, units_are_launches);
	tcase_add_test(tcase, predicted_periods);
	tcase_add_test(tcase, automatic);
	tcase_add_test(tcase, all_right_with_that_kernel);
	tcase_add_exit_test(tcase, wrong_counts_are_seen, 1);
	tcase_add_exit_test(tcase, wrong_counts_of_two_parts_are_seen, 1);
	tcase_add_exit_test(tcase, no_device, 1);
	tcase_add_test(tcase, no_driver);
	return test_main(suite);
}
