/* SPDX-License-Identifier: MIT */
/* What the program says and leaves behind when something is wrong; what all staged programs share is in
 * apps/vivid/check_vivid_errors.c. */
#include "config.h"

#include "apps/common/check_program.h"

#include <stdio.h>
#include <string.h>

#define CORES "--device", "cores"
#define IN "--input", "in.y4m", CORES

/* Frames of one grey level: without a feature. */
static void write_flat(const char *name, unsigned frames)
{
	char text[2000];
	int n = snprintf(text, sizeof text, "YUV4MPEG2 W20 H20 F25:1 Cmono\n");

	for (unsigned i = 0; i < frames; i++) {
		memcpy(text + n, "FRAME\n", 6);
		memset(text + n + 6, 'x', 400);
		n += 406;
	}
	files_write(name, text, (size_t)n);
}

static void set_up(void)
{
	write_flat("in.y4m", 3);
}

static const struct {
	const char *words;
	const char *arguments[12];
} usages[] = {
	{ "--input FILE is needed", { NULL } },
	{ "none.y4m: No such file or directory", { "--input", "none.y4m", CORES } },
	{ "none%02d.png: ", { "--input", "none%02d.png", CORES } },
	{ "in.y4m: frames of 20x20 pixels have none that is a window of 12 away from the edges: give a "
	  "smaller --window",
		{ IN, "--window", "12" } },
	{ "small.y4m: frames of 16x16 pixels have none that is a window of 8 away", { IN, "small.y4m" } },
	{ "in.y4m: 17 features, but frames of 20x20 have 16 pixels that are a window of 8 away from the "
	  "edges",
		{ IN, "--features", "17" } },
	{ "--window: '1' is not a number from 2 to 256", { IN, "--window", "1" } },
	{ "--window: '-8' is not", { IN, "--window", "-8" } },
	{ "--features: '0' is not a number from 1 to 16384", { IN, "--features", "0" } },
	{ "--features: '-3' is not", { IN, "--features", "-3" } },
	{ "--rounds: '0' is not a number from 1 to 1000", { IN, "--rounds", "0" } },
	{ "--radius: '0' is not a number from 1 to 32768", { IN, "--radius", "0" } },
	{ "--features-from: 'last' is not each or first", { IN, "--features-from", "last" } },
	{ "--frames 1: features are followed from a frame to the next one", { IN, "--frames", "1" } },
	{ "the input has fewer than two frames", { "--input", "one.y4m", CORES } },
	{ "the input has fewer than two frames",
		{ "--input", "one.y4m", CORES, "--features-from", "first" } },
	{ "the input has fewer than two frames", { "--input", "one.y4m", CORES, "--output", "a.txt" } },
	{ "the input has fewer than two frames", { "--input", "one.y4m", CORES, "--output", "a.y4m" } },
	{ "pipeline 'tracking': ", { IN, "--pipeline", "CG:0:1" } }, /* of one stage, not of three */
	{ "pipeline 'tracking': ", { IN, "--pipeline", "CG:000:1", "--features-from", "first" } },
	{ "needs a device", { IN, "--pipeline", "DP-CG:111:1" } },
	{ "--cores: '0' is not", { IN, "--cores", "0" } },
	{ "--in-flight: '0' is not", { IN, "--in-flight", "0" } },
	{ "--max-overhead: '1.5' is not", { IN, "--max-overhead", "1.5" } },
	{ "meter", { IN, "--objective", "energy", "--meter", "none" } },
	{ "--input and --output name the same file", { IN, "--output", "in.y4m" } },
	{ "a video has frames of one size, and these inputs have several",
		{ IN, "other.y4m", "--output", "a.y4m" } },
	{ "tracking: unrecognized option '--nonsense'", { IN, "--nonsense" } },
};

START_TEST(usage)
{
	write_flat("one.y4m", 1);
	files_text("other.y4m", "YUV4MPEG2 W24 H24 F25:1 Cmono\n");
	files_text("small.y4m", "YUV4MPEG2 W16 H16 F25:1 Cmono\n");
	program_fails(2, usages[_i].words, usages[_i].arguments);
	ck_assert_uint_eq(files_count(), 4);
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
	files_text("cut.y4m", "YUV4MPEG2 W20 H20 F25:1 Cmono\nFRAME\n0123");
	FAILS(1, "cut.y4m: ", IN, "cut.y4m", "--output", "out.txt");
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(output_errors)
{
	char text[2 * 1606 + 100];
	int n = snprintf(text, sizeof text, "YUV4MPEG2 W40 H40 F25:1 Cmono\n");

	for (unsigned i = 0; i < 2; i++, n += 1606) {
		memcpy(text + n, "FRAME\n", 6);
		for (unsigned k = 0; k < 1600; k++)
			text[n + 6 + (int)k] = (k % 40 / 7 + k / 40 / 7) % 2 ? 'x' : '0';
	}
	files_write("moves.y4m", text, (size_t)n);
	FAILS(1, "missing/out.txt: No such file or directory", IN, "--output", "missing/out.txt");
	FAILS(1, "missing/out.y4m: No such file or directory", IN, "--output", "missing/out.y4m");
	FAILS(1, "/dev/full: No space left on device", "--input", "moves.y4m", CORES, "--window", "4",
		"--repeat", "300", "--output", "/dev/full");
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

/* Frames without a feature: no line. */
START_TEST(flat_frames)
{
	struct run run = { 0 };

	RUN(&run, 0, IN, "--output", "out.txt");
	expect_file("out.txt", (const unsigned char *)"", 0);
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
	ck_assert_mem_eq(run.out, "tracking (penstock) ", 20);
	program_free(&run);
	RUN(&run, 0, IN, "--check", "--output", "out.txt");
	run.out[run.out_size - 1] = '\0';
	TEST_SAYS((char *)run.out, "proven");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracking_errors");
	TCase *c = files_case(suite, "errors");

	program_find("apps/tracking/tracking", "TRACKING");
	tcase_add_checked_fixture(c, set_up, NULL);
	tcase_add_loop_test(c, usage, 0, TEST_COUNT(usages));
	tcase_add_test(c, devices);
	tcase_add_test(c, bad_input_leaves_no_output);
	tcase_add_test(c, output_errors);
	tcase_add_test(c, flat_frames);
	tcase_add_test(c, help_to_a_full_device);
	tcase_add_test(c, said_and_checked);
	return test_main(suite);
}
