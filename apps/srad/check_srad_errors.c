/* SPDX-License-Identifier: MIT */
/* What the program says and leaves behind when something is wrong. */
#include "config.h"

#include "apps/common/check_staged_program.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define IN STAGED_IN

static const struct {
	const char *words;
	const char *arguments[12];
} usages[] = {
	{ "--input FILE is needed", { NULL } },
	{ "--iterations: '0' is not a number from 1 to 1000000", { IN, "--iterations", "0" } },
	{ "--iterations: '-1' is not", { IN, "--iterations", "-1" } },
	{ "--iterations: '1e3' is not", { IN, "--iterations", "1e3" } },
	{ "--lambda: '0' is not a number above 0, at most 1", { IN, "--lambda", "0" } },
	{ "--lambda: '-0.5' is not", { IN, "--lambda", "-0.5" } },
	{ "--lambda: '1.01' is not", { IN, "--lambda", "1.01" } },
	{ "--lambda: 'nan' is not", { IN, "--lambda", "nan" } },
	{ "--lambda: '' is not", { IN, "--lambda", "" } },
	{ "--loop: 'both' is not fused or stages", { IN, "--loop", "both" } },
	{ "--loop stages: 4 iterations are 18 stages, and a pipeline has 16: at most 3 iterations",
		{ IN, "--loop", "stages", "--iterations", "4" } },
	{ "pipeline 'srad': ", { IN, "--pipeline", "CG:000:1" } }, /* of three stages, not of six */
	{ "pipeline 'srad': ", { IN, "--pipeline", "CG:000000:1", "--loop", "fused" } },
	{ "needs a device", { IN, "--pipeline", "DP-CG:111111:1" } },
	{ "--output a%d%d.pgm: expected one number in its name", { IN, "--output", "a%d%d.pgm" } },
	{ "--output a%s.pgm: expected one number", { IN, "--output", "a%s.pgm" } },
	{ "--output a%99999999999d.pgm: expected one number", { IN, "--output", "a%99999999999d.pgm" } },
	{ "a video has frames of one size, and these inputs have several",
		{ IN, "other.y4m", "--output", "a.y4m" } },
};

START_TEST(usage)
{
	files_text("other.y4m", "YUV4MPEG2 W8 H8 F25:1 Cmono\n");
	program_fails(2, usages[_i].words, usages[_i].arguments);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(folders)
{
	ck_assert_int_eq(mkdir("folder000.pgm", 0777), 0);
	FAILS(1, "missing/000.pgm: No such file or directory", IN, "--output", "missing/%03d.pgm");
	FAILS(1, "folder000.pgm: Is a directory", IN, "--output", "folder%03d.pgm");
	FAILS(1, "missing/out.y4m: No such file or directory", IN, "--output", "missing/out.y4m");
	ck_assert_int_eq(remove("folder000.pgm"), 0);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* A picture that would overwrite what is read, under another name. */
START_TEST(no_input_is_overwritten)
{
	unsigned char *bytes;
	size_t size;

	bytes = files_read("in.y4m", &size);
	ck_assert_int_eq(symlink("in.y4m", "out1.pgm"), 0);
	FAILS(1, "out1.pgm: is an input: give --output another name", IN, "--output", "out%d.pgm");
	expect_file("in.y4m", bytes, size);
	free(bytes);
}
END_TEST

/* The second signal ends a loop that would take for ever; no file is left. */
START_TEST(dropped_within_a_loop)
{
	struct run run = { 0 };

	program_start(&run, (const char *const[]){ IN, "--size", "640x480", "--iterations", "1000000",
				    "--pipeline", "CG:000:1", "--output", "out.pgm", NULL });
	program_await_asleep(&run, SIGINT);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(kill(run.pid, SIGINT), 0);
		while (!program_has_taken(&run))
			sched_yield();
	}
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	program_free(&run);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

int main(void)
{
	const struct staged_run run = { "srad", (const char *const[]){ IN, NULL }, "out.pgm", 1 };
	Suite *suite = suite_create("srad_errors");
	TCase *c = files_case(suite, "errors");

	program_find("apps/srad/srad", "SRAD");
	tcase_add_checked_fixture(c, staged_set_up, NULL);
	staged_add(c, &run);
	tcase_add_loop_test(c, usage, 0, TEST_COUNT(usages));
	tcase_add_test(c, folders);
	tcase_add_test(c, no_input_is_overwritten);
	tcase_add_test(c, dropped_within_a_loop);
	return test_main(suite);
}
