/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. */
#define main fm_receiver_main
int main(int argc, char **argv);
#include "apps/fm_receiver/fm_receiver.c"
#undef main

#include "actors/common/check_files.h"
#include "apps/common/check_said.h"
#include "apps/fm_receiver/check_modulator.h"

#include <getopt.h>
#include <stdlib.h>

/* the input, the output, and what this build can write beside it */
enum {
	FILES = 2
#ifdef HAVE_JANSSON
	        + 1
#define FIGURES , "--stats", "stats.json"
#else
#define FIGURES
#endif
};

/* The fail-th allocation fails. Has it? */
static bool run_failing(unsigned fail, int *status)
{
	const char *arguments[] = { "fm_receiver", "--input", "in.cf32", "--rate", "250000", "--output",
		"out.wav", "--stereo" FIGURES, NULL };
	char *argv[TEST_COUNT(arguments)];
	bool failed;

	for (size_t i = 0; i < TEST_COUNT(arguments); i++)
		argv[i] = (char *)(uintptr_t)arguments[i];
	optind = 0; /* getopt starts again */
	said_start();
	test_fail_allocation(fail);
	*status = fm_receiver_main((int)TEST_COUNT(arguments) - 1, argv);
	failed = test_allocation_failed();
	said_stop();
	return failed;
}

START_TEST(each_allocation_fails)
{
	const struct modulator m = { .rate = 250000, .tone = 1000, .deviation = 75000 };
	float *samples = modulate(&m, 3000);
	unsigned n = 0, failed = 0;
	bool fell;

	files_write("in.cf32", samples, 3000 * 8);
	free(samples);
	do {
		int status;

		test_guard("the program", ++n);
		fell = run_failing(n, &status);
		/* some it can do without (a buffer of stdio's, say): then the outputs are whole */
		if (!status) {
			ck_assert_uint_eq(files_count(), FILES);
			remove("out.wav");
			remove("stats.json");
			continue;
		}
		ck_assert_msg(fell, "status %d: %s", status, said_err);
		failed++;
		ck_assert_msg(status == 1, "allocation %u: status %d: %s", n, status, said_err);
		ck_assert_msg(files_count() == 1, "allocation %u: a file is left: %s", n, said_err);
		ck_assert_msg(strstr(said_err, "emory"), "allocation %u: %s", n, said_err);
	} while (fell);
	ck_assert_uint_gt(failed, 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fm_receiver_memory");
	TCase *tcase = files_case(suite, "memory");

	tcase_add_test(tcase, each_allocation_fails);
	return test_main(suite);
}
