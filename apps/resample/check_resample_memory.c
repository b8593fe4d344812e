/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation and each call on a file fails once. */
#include "config.h"

#include "apps/common/check_wav.h"
#include "apps/resample/check_run.h"

#include <stdio.h>
#include <string.h>

static char err[10000];

static void set_up(void)
{
	struct sound sound = sound_tone(44100, 2, 24, 1001, 1000);

	sound_write("in.wav", &sound);
	sound_free(&sound);
}

#define RUN_ONCE(...) WAV_RUN(err, "--input", "in.wav", "--output", "out.wav", "--rate", "48000", __VA_ARGS__)
#ifdef HAVE_JANSSON
#define ALL "--stats", "stats.json"
#else
#define ALL "--team", "0"
#endif

/* The whole of an output, or none. */
static void expect_output(unsigned n, int status)
{
	struct sound sound;

	if (status) {
		ck_assert_msg(status == 1 || status == 2, "call %u: status %d: %s", n, status, err);
		ck_assert_msg(files_count() == 1, "call %u: a file is left: %s", n, err);
		return;
	}
	sound = sound_read("out.wav");
	sound_free(&sound);
	remove("out.wav");
	remove("stats.json");
	ck_assert_uint_eq(files_count(), 1);
}

START_TEST(each_allocation_fails)
{
	unsigned failed = 0;

	do {
		int status;

		test_guard("the program", ++main_fail_allocation);
		status = RUN_ONCE(ALL);
		expect_output(main_fail_allocation, status);
		if (!status)
			continue; /* some it can do without: a buffer of stdio's, say */
		failed++;
		ck_assert_msg(main_says_memory(err), "allocation %u: %s", main_fail_allocation, err);
	} while (main_allocation_failed);
	printf("resample: %u allocations failed\n", failed);
	ck_assert_uint_gt(failed, 100);
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
		/* an output is whole before the figures fail */
		status = RUN_ONCE("--team", "0");
		fell = files_system_failed();
		files_fail_system(0);
		expect_output(n, status);
		if (!status)
			continue; /* the wake of a sleeping thread, or closing what was only read */
		failed++;
		TEST_SAYS(err, "resample: ");
		ck_assert_msg(strstr(err, "Input/output error") != NULL, "call %u: %s", n, err);
	} while (fell);
	printf("resample: %u calls failed\n", failed);
	ck_assert_uint_gt(failed, 5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("resample_memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_checked_fixture(c, set_up, NULL);
	tcase_add_test(c, each_allocation_fails);
	tcase_add_test(c, each_call_fails);
	return test_main(suite);
}
