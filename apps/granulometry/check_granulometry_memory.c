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

#define ARGUMENTS "--input", "in.u8", "in.u8", "--size", "20x10", "--openings", "5", "--output", "out.csv"
#ifdef HAVE_JANSSON
#define STATS , "--stats", "stats.json"
#define STATS_FILE , "stats.json"
#else
#define STATS
#define STATS_FILE
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
	ck_assert_uint_eq(files_count(), 1);
}

START_TEST(each_allocation_fails)
{
	static const char *const planned[] = { ARGUMENTS, "--overlap", "on", "--device", "cores,cores" STATS,
		NULL },
				 *const measured[] = { ARGUMENTS, "--split", "auto", NULL },
				 *const * lists[] = { planned, measured };
	static const char *const files[] = { "out.csv" STATS_FILE, NULL }, *const one[] = { "out.csv", NULL };

	/* the counts are whole before the figures are written */
	main_each_allocation_fails(
		&sieve_program, lists[_i], &(const struct main_outputs){ _i ? one : files, true }, 40);
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
		status = SIEVE_RUN(err, ARGUMENTS, "--team", "0");
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
