/* SPDX-License-Identifier: MIT */
/* What the program says and leaves behind when something is wrong, and when it is interrupted. */
#include "config.h"

#include "apps/common/check_gnuplot.h"
#include "apps/common/check_program.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that each test has: four images of 4x4. */
#define IN "--input", "in.u8", "--size", "4x4"

static void set_up(void)
{
	char bytes[65];

	for (int i = 0; i < 64; i++)
		bytes[i] = (char)(i % 7 ? 'x' : '\1');
	bytes[64] = '\0';
	files_text("in.u8", bytes);
}

static const struct {
	const char *words;
	const char *arguments[10];
} usages[] = {
	{ "--input FILE is needed", { NULL } },
	{ "unexpected argument 'in.u8': is --input meant?", { "in.u8" } },
	{ "--input needs a name", { "--input", "" } },
	{ "none.png: No such file or directory", { "--input", "none.png" } },
	{ "none.u8: No such file or directory", { "--input", "none.u8", "--size", "4x4" } },
	{ "none.u8: No such file or directory", { IN, "none.u8" } },
	{ ".: Is a directory", { "--input", "." } },
	{ "in.u8: is raw: give its --size", { "--input", "in.u8" } },
	{ "--size: '4' is not a size such as 320x240, or 64x64x64", { "--input", "in.u8", "--size", "4" } },
	{ "--size: '4x' is not", { "--input", "in.u8", "--size", "4x" } },
	{ "--size: '0x4' is not", { "--input", "in.u8", "--size", "0x4" } },
	{ "--size: '4x4x0' is not", { "--input", "in.u8", "--size", "4x4x0" } },
	{ "--size: '4x4x4x4' is not", { "--input", "in.u8", "--size", "4x4x4x4" } },
	{ "--size: '4x4 ' is not", { "--input", "in.u8", "--size", "4x4 " } },
	{ "--size: an image of 4294967295x4294967295x4294967295 has more bytes than memory can have",
		{ "--input", "in.u8", "--size", "4294967295x4294967295x4294967295" } },
	{ "in.u8: has 64 bytes: no whole number of images of 5x4x1, 20 bytes each",
		{ "--input", "in.u8", "--size", "5x4" } },
	{ "in.u8: has 64 bytes: no whole number of images of 8x4x3, 96 bytes each",
		{ "--input", "in.u8", "--size", "8x4x3" } },
	{ "in.y4m: is no volume: of those only raw files (.u8) are read",
		{ "--input", "in.y4m", "--size", "2x1x2" } },
	{ "two.y4m: has 1x2 pixels, the images before it 2x1: give a --size for all, or run them apart",
		{ "--input", "in.y4m", "two.y4m" } },
	{ "empty.u8: is empty", { "--input", "empty.u8", "--size", "4x4" } },
	{ "empty.y4m: is empty", { "--input", "empty.y4m" } },
	{ "text.avi: is n", { "--input", "text.avi" } }, /* not a video, or not Y4M */
	{ "--threshold: '256' is not a number from 0 to 255", { IN, "--threshold", "256" } },
	{ "--threshold: '-1' is not", { IN, "--threshold", "-1" } },
	{ "--element: 'disc' is not square or cross", { IN, "--element", "disc" } },
	{ "--openings: '0' is not a number from 1 to 65535", { IN, "--openings", "0" } },
	{ "--openings: '65536' is not", { IN, "--openings", "65536" } },
	{ "--split: '0' is not a number from 1 to 65535, or auto", { IN, "--split", "0" } },
	{ "--split: 'half' is not", { IN, "--split", "half" } },
	{ "--split: 21 is more than the 20 openings: give 1 to 20, or more --openings",
		{ IN, "--split", "21" } },
	{ "--split: 6 is more than the 5 openings", { IN, "--split", "6", "--openings", "5" } },
	{ "--overlap: 'yes' is not on or off", { IN, "--overlap", "yes" } },
	{ "--repeat: '0' is not a number from 1", { IN, "--repeat", "0" } },
	{ "--repeat: stdin can be read only once: write it to a file first",
		{ "--input", "-", "--repeat", "2" } },
	{ "--team: '257' is not a number from 0 to 256", { IN, "--team", "257" } },
	{ "--move: 'small=cores' is not ACTOR@FIRING=SELECTOR", { IN, "--move", "small=cores" } },
	{ "--device: 'a,b,c' is not one selector, or two for small,large", { IN, "--device", "a,b,c" } },
	{ "--device: 'cores,' is not one selector", { IN, "--device", "cores," } },
	{ "--output out.pdf: a name in .csv, .json, .svg or .png is wanted", { IN, "--output", "out.pdf" } },
	{ "--output needs a name", { IN, "--output", "" } },
	{ "--trace needs a name", { IN, "--trace", "" } },
	{ "--input and --output name the same file", { IN, "--output", "in.u8" } },
	{ "--input and --trace name the same file", { IN, "in.y4m", "--trace", "in.y4m" } },
	{ "--output and --trace name the same file", { IN, "--trace", "a", "--output", "a" } },
	{ "granulometry: unrecognized option '--nonsense'", { IN, "--nonsense" } },
	{ "option '--split' requires an argument", { IN, "--split" } },
#ifdef HAVE_JANSSON
	{ "--stats needs a name", { IN, "--stats", "" } },
	{ "--output and --stats name the same file", { IN, "--stats", "a", "--output", "a" } },
#else
	{ "--stats: this build has no jansson", { IN, "--stats", "a.json" } },
#endif
};

START_TEST(usage)
{
	files_text("empty.u8", "");
	files_text("empty.y4m", "");
	files_text("in.y4m", "YUV4MPEG2 W2 H1 F25:1 Cmono\nFRAME\nab");
	files_text("two.y4m", "YUV4MPEG2 W1 H2 F25:1 Cmono\nFRAME\nab");
	files_text("text.avi",
		"This is no video, but a text that is long enough to be looked at by all of them.\n");
	program_fails(2, usages[_i].words, usages[_i].arguments);
	ck_assert_uint_eq(files_count(), 6);
}
END_TEST

START_TEST(devices)
{
	FAILS(PROGRAM_NO_SELECTOR, "--device: ", IN, "--device", "a:b:c:d");
	FAILS(3, "--device: ", IN, "--device", "cores,no such device");
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* What is known when it is read: a pipe that ends within an image, a file of frames that is cut off. */
START_TEST(bad_input_leaves_no_output)
{
	struct run run = { 0 };
	int both;

	files_text("cut.y4m", "YUV4MPEG2 W4 H4 F25:1 Cmono\nFRAME\n0123456789abcdefFRAME\n0123");
	FAILS(1, "cut.y4m: truncated: frame 1 has 4 of 16 bytes", "--input", "cut.y4m", "--output",
		"out.csv");
	FAILS(1, "cut.y4m: truncated", IN, "cut.y4m", "--output", "out.json");
	FAILS(1, "cut.y4m: truncated", IN, "cut.y4m", "--trace", "trace.json", "--output", "/dev/null");
	remove("trace.json");
	ck_assert_uint_eq(files_count(), 2);
	ck_assert_int_eq(mkfifo("pipe.u8", 0600), 0);
	for (int empty = 0; empty < 2; empty++) {
		program_start(&run, (const char *const[]){ "--input", "pipe.u8", "--size", "4x4", "--output",
					    "out.csv", NULL });
		both = open("pipe.u8", O_WRONLY);
		ck_assert_int_eq(write(both, "0123456789abcdef0123", empty ? 0 : 20), empty ? 0 : 20);
		close(both);
		program_wait(&run);
		ck_assert_int_eq(run.status, 1);
		TEST_SAYS(run.err, empty ? "pipe.u8: is empty"
					 : "pipe.u8: is cut off: its last image has 4 of 16 bytes");
		program_free(&run);
	}
	ck_assert_uint_eq(files_count(), 3);
}
END_TEST

START_TEST(a_former_output_stays)
{
	files_text("cut.y4m", "YUV4MPEG2 W4 H4 F25:1 Cmono\nFRAME\n0123456789abcdefFRAME\n0123");
	files_text("out.csv", "former");
	FAILS(1, "truncated", "--input", "cut.y4m", "--output", "out.csv");
	expect_file("out.csv", (const unsigned char *)"former", 6);
	ck_assert_uint_eq(files_count(), 3);
}
END_TEST

START_TEST(output_errors)
{
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	FAILS(1, "/dev/full: No space left on device", IN, "--output", "/dev/full");
	FAILS(1, "/dev/full", IN, "--repeat", "2000", "--output", "/dev/full");
	FAILS(1, "missing/out.csv: No such file or directory", IN, "--output", "missing/out.csv");
	FAILS(1, "folder: Is a directory", IN, "--output", "folder");
	FAILS(1, "'missing/out.json': No such file or directory", IN, "--trace", "missing/out.json");
#ifdef HAVE_JANSSON
	FAILS(1, "missing/out.json: No such file or directory", IN, "--output", "out.csv", "--stats",
		"missing/out.json");
	ck_assert_uint_eq(files_count(), 2);
	/* the counts were whole before the figures failed */
	FAILS(1, "/dev/full: No space left on device", IN, "--output", "out.csv", "--stats", "/dev/full");
	remove("out.csv");
#endif
	ck_assert_int_eq(remove("folder"), 0);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(no_gnuplot)
{
	gnuplot_fake(NULL);
	FAILS(1, "--output: ", IN, "--output", "out.svg");
	gnuplot_fake("[ \"$1\" = --version ] || { echo 'line 3: no such colour' >&2; exit 1; }\n");
	FAILS(1, "out.svg", IN, "--output", "out.svg");
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* stdout is a pipe that no process reads any more. */
START_TEST(closed_pipe)
{
	struct run run = { .out_fd = program_broken_pipe() };

	RUN(&run, 1, IN, "--repeat", "1000", "--output", "-");
	TEST_SAYS(run.err, "Broken pipe");
	program_free(&run);
	run.out_fd = program_broken_pipe();
	RUN(&run, 1, IN, "--repeat", "1000");
	TEST_SAYS(run.err, "Broken pipe");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 1);
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
	ck_assert_mem_eq(run.out, "granulometry (penstock) ", 24);
	program_free(&run);
	RUN(&run, 0, IN, "--check", "--output", "out.csv");
	run.out[run.out_size - 1] = '\0';
	TEST_SAYS((char *)run.out, "proven", "'small'.out -> 'large'.in");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* The first signal ends the input; what was written is whole, up to the last image. */
START_TEST(interrupted)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct run run = { 0 };
	unsigned char *text;
	size_t size;

	program_start(
		&run, (const char *const[]){ IN, "--repeat", "1000000000", "--output", "out.json", NULL });
	while (files_size(files_part("out.json")) < 10000)
		sched_yield();
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "interrupted", "images/s");
	text = files_read("out.json", &size);
	ck_assert_uint_gt(size, 10000);
	ck_assert_mem_eq(text + size - 5, "}\n]}\n", 5);
	free(text);
	program_free(&run);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

/* .. also while the source waits for a pipe. */
START_TEST(interrupted_at_a_pipe)
{
	struct run run = { 0 };
	int both;

	ck_assert_int_eq(mkfifo("pipe.u8", 0600), 0);
	both = open("pipe.u8", O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(write(both, "0123456789abcdef0123", 20), 20);
	program_start(&run,
		(const char *const[]){ "--input", "pipe.u8", "--size", "4x4", "--output", "out.csv", NULL });
	program_await_asleep(&run, SIGINT);
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	program_free(&run);
	close(both);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("granulometry_errors");
	TCase *c = files_case(suite, "errors");

	program_find("apps/granulometry/granulometry", "GRANULOMETRY");
	tcase_add_checked_fixture(c, set_up, NULL);
	tcase_add_loop_test(c, usage, 0, TEST_COUNT(usages));
	tcase_add_test(c, devices);
	tcase_add_test(c, bad_input_leaves_no_output);
	tcase_add_test(c, a_former_output_stays);
	tcase_add_test(c, output_errors);
	tcase_add_test(c, no_gnuplot);
	tcase_add_test(c, closed_pipe);
	tcase_add_test(c, help_to_a_full_device);
	tcase_add_test(c, said_and_checked);
	tcase_add_loop_test(c, interrupted, 0, 3);
	tcase_add_test(c, interrupted_at_a_pipe);
	return test_main(suite);
}
