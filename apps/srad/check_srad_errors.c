/* SPDX-License-Identifier: MIT */
/* What the program says and leaves behind when something is wrong; what all staged programs share is in
 * apps/vivid/check_vivid_errors.c. */
#include "config.h"

#include "apps/common/check_program.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define CORES "--device", "cores"
#define IN "--input", "in.y4m", CORES

static void set_up(void)
{
	char text[200];
	int n = snprintf(text, sizeof text, "YUV4MPEG2 W16 H8 F25:1 Cmono\nFRAME\n");

	memset(text + n, 'x', 128);
	files_write("in.y4m", text, (size_t)n + 128);
}

static const struct {
	const char *words;
	const char *arguments[12];
} usages[] = {
	{ "--input FILE is needed", { NULL } },
	{ "none.y4m: No such file or directory", { "--input", "none.y4m", CORES } },
	{ "none%02d.png: ", { "--input", "none%02d.png", CORES } },
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
	{ "--cores: '0' is not", { IN, "--cores", "0" } },
	{ "--in-flight: '0' is not", { IN, "--in-flight", "0" } },
	{ "--max-overhead: '1.5' is not", { IN, "--max-overhead", "1.5" } },
	{ "meter", { IN, "--objective", "energy", "--meter", "none" } },
	{ "--output a%d%d.pgm: expected one number in its name", { IN, "--output", "a%d%d.pgm" } },
	{ "--output a%s.pgm: expected one number", { IN, "--output", "a%s.pgm" } },
	{ "--output a%99999999999d.pgm: expected one number", { IN, "--output", "a%99999999999d.pgm" } },
	{ "--input and --output name the same file", { IN, "--output", "in.y4m" } },
	{ "a video has frames of one size, and these inputs have several",
		{ IN, "other.y4m", "--output", "a.y4m" } },
	{ "srad: unrecognized option '--nonsense'", { IN, "--nonsense" } },
};

START_TEST(usage)
{
	files_text("other.y4m", "YUV4MPEG2 W8 H8 F25:1 Cmono\n");
	program_fails(2, usages[_i].words, usages[_i].arguments);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(devices)
{
	FAILS(PROGRAM_NO_SELECTOR, "--device: ", "--input", "in.y4m", "--device", "a:b:c:d");
	FAILS(3, "--device: ", "--input", "in.y4m", "--device", "no such device");
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(bad_input_leaves_no_output)
{
	files_text("cut.y4m", "YUV4MPEG2 W8 H8 F25:1 Cmono\nFRAME\n0123");
	FAILS(1, "cut.y4m: ", IN, "cut.y4m", "--output", "out.pgm");
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(output_errors)
{
	ck_assert_int_eq(mkdir("folder000.pgm", 0777), 0);
	FAILS(1, "/dev/full: No space left on device", IN, "--output", "/dev/full");
	FAILS(1, "missing/out.pgm: No such file or directory", IN, "--output", "missing/out.pgm");
	FAILS(1, "missing/000.pgm: No such file or directory", IN, "--output", "missing/%03d.pgm");
	FAILS(1, "folder000.pgm: Is a directory", IN, "--output", "folder%03d.pgm");
	FAILS(1, "missing/out.y4m: No such file or directory", IN, "--output", "missing/out.y4m");
	ck_assert_int_eq(remove("folder000.pgm"), 0);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(closed_pipe)
{
	struct run run = { .out_fd = program_broken_pipe() };

	RUN(&run, 1, IN, "--repeat", "3000", "--output", "-");
	TEST_SAYS(run.err, "Broken pipe");
	program_free(&run);
}
END_TEST

START_TEST(help_to_a_full_device)
{
	program_help_to_a_full_device();
}
END_TEST

START_TEST(said_and_checked)
{
	struct run run = { 0 };

	RUN(&run, 0, "--version");
	ck_assert_mem_eq(run.out, "srad (penstock) ", 16);
	program_free(&run);
	RUN(&run, 0, IN, "--check", "--iterations", "3", "--output", "out.pgm");
	run.out[run.out_size - 1] = '\0';
	TEST_SAYS((char *)run.out, "proven");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("srad_errors");
	TCase *c = files_case(suite, "errors");

	program_find("apps/srad/srad", "SRAD");
	tcase_add_checked_fixture(c, set_up, NULL);
	tcase_add_loop_test(c, usage, 0, TEST_COUNT(usages));
	tcase_add_test(c, devices);
	tcase_add_test(c, bad_input_leaves_no_output);
	tcase_add_test(c, output_errors);
	tcase_add_test(c, closed_pipe);
	tcase_add_test(c, help_to_a_full_device);
	tcase_add_test(c, said_and_checked);
	return test_main(suite);
}
