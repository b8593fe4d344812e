/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation and each call on a file fails once. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/granulometry/check_oracle.h"
#include "apps/granulometry/check_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char err[10000];

static void set_up(void)
{
	const struct oracle_shape s = { 20, 10, 1, false, 0, 5 };
	unsigned char *images = oracle_images(&s, 3, 1);

	files_write("in.u8", images, 3 * oracle_bytes(&s));
	free(images);
}

#define RUN_ONCE(...)                                                                                 \
	SIEVE_RUN(err, "--input", "in.u8", "in.u8", "--size", "20x10", "--openings", "5", "--output", \
		"out.csv", __VA_ARGS__)
#ifdef HAVE_JANSSON
#define ALL "--overlap", "on", "--device", "cores,cores", "--stats", "stats.json"
#else
#define ALL "--overlap", "on", "--device", "cores,cores"
#endif

/* The whole of an output, or none. */
static void expect_output(unsigned n, int status)
{
	if (status) {
		ck_assert_msg(status == 1 || status == 2, "call %u: status %d: %s", n, status, err);
		ck_assert_msg(files_count() == 1, "call %u: a file is left: %s", n, err);
		return;
	}
	ck_assert_int_gt(files_size("out.csv"), 20);
	remove("out.csv");
	remove("stats.json");
	ck_assert_uint_eq(files_count(), 1);
}

static bool says_memory(void)
{
	return strstr(err, "ut of memory") || strstr(err, "no memory") || strstr(err, "allocate memory");
}

START_TEST(each_allocation_fails)
{
	unsigned failed = 0;

	do {
		int status;

		test_guard("the program", ++sieve_fail_allocation);
		status = _i ? RUN_ONCE("--split", "auto") : RUN_ONCE(ALL);
		/* the output was whole before the figures failed */
		if (status && files_exists("out.csv"))
			remove("out.csv");
		expect_output(sieve_fail_allocation, status);
		if (!status)
			continue; /* some it can do without: a buffer of stdio's, say */
		failed++;
		ck_assert_msg(says_memory(), "allocation %u: %s", sieve_fail_allocation, err);
	} while (sieve_allocation_failed);
	printf("granulometry: %u allocations failed\n", failed);
	ck_assert_uint_gt(failed, 40);
}
END_TEST

START_TEST(each_call_fails)
{
	unsigned n = 0, failed = 0;
	bool fell;

	do {
		int status;

		test_guard("the program", ++n);
		files_fail_system(n);
		status = RUN_ONCE("--team", "0");
		fell = files_system_failed();
		files_fail_system(0);
		expect_output(n, status);
		if (!status)
			continue; /* the wake of a sleeping thread, or closing what was only read */
		failed++;
		TEST_SAYS(err, "granulometry: ");
		ck_assert_msg(strstr(err, "Input/output error") != NULL, "call %u: %s", n, err);
	} while (fell);
	printf("granulometry: %u calls failed\n", failed);
	ck_assert_uint_gt(failed, 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("granulometry_memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_checked_fixture(c, set_up, NULL);
	tcase_add_loop_test(c, each_allocation_fails, 0, 2);
	tcase_add_test(c, each_call_fails);
	return test_main(suite);
}
