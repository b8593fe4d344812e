/* SPDX-License-Identifier: MIT */
/* What the program says and leaves behind when something is wrong. */
#include "config.h"

#include "apps/common/check_staged_program.h"

#include <stdio.h>
#include <string.h>

#define CORES "--device", "cores"
#define IN STAGED_IN

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

static const struct {
	const char *words;
	const char *arguments[12];
} usages[] = {
	{ "--input FILE is needed", { NULL } },
	{ "in.y4m: frames of 24x24 pixels have none that is a window of 12 away from the edges: give a "
	  "smaller --window",
		{ IN, "--window", "12" } },
	{ "small.y4m: frames of 16x16 pixels have none that is a window of 8 away", { IN, "small.y4m" } },
	{ "in.y4m: 65 features, but frames of 24x24 have 64 pixels that are a window of 8 away from the "
	  "edges",
		{ IN, "--features", "65" } },
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
	{ "a video has frames of one size, and these inputs have several",
		{ IN, "other.y4m", "--output", "a.y4m" } },
};

START_TEST(usage)
{
	write_flat("one.y4m", 1);
	files_text("other.y4m", "YUV4MPEG2 W32 H32 F25:1 Cmono\n");
	files_text("small.y4m", "YUV4MPEG2 W16 H16 F25:1 Cmono\n");
	program_fails(2, usages[_i].words, usages[_i].arguments);
	ck_assert_uint_eq(files_count(), 4);
}
END_TEST

/* Frames without a feature: no line. */
START_TEST(flat_frames)
{
	struct run run = { 0 };

	write_flat("flat.y4m", 3);
	RUN(&run, 0, "--input", "flat.y4m", CORES, "--output", "out.txt");
	expect_file("out.txt", (const unsigned char *)"", 0);
	program_free(&run);
}
END_TEST

int main(void)
{
	const struct staged_run run = { "tracking", (const char *const[]){ "--window", "2", IN, NULL },
		"out.txt", 1 };
	Suite *suite = suite_create("tracking_errors");
	TCase *c = files_case(suite, "errors");

	program_find("apps/tracking/tracking", "TRACKING");
	tcase_add_checked_fixture(c, staged_set_up, NULL);
	staged_add(c, &run);
	tcase_add_loop_test(c, usage, 0, TEST_COUNT(usages));
	tcase_add_test(c, flat_frames);
	return test_main(suite);
}
