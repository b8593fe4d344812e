/* SPDX-License-Identifier: MIT */
/* What the program says and leaves behind when something is wrong, when it is interrupted, and its statistics. */
#include "config.h"

#include "apps/saliency/check_saliency.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCENE "--synthetic", "32x24", "--frames", "5"

static const struct {
	const char *words;
	const char *arguments[10];
} usages[] = {
	{ "--input FILE or --synthetic WxH is needed", { NULL } },
	{ "--input and --synthetic exclude each other", { "--input", "a.y4m", "--synthetic", "32x24" } },
	{ "--frames: '0' is not a number from 1", { "--synthetic", "32x24", "--frames", "0" } },
	{ "--frames: '5x' is not", { "--synthetic", "32x24", "--frames", "5x" } },
	{ "--size: '320' is not a size such as 320x240", { SCENE, "--size", "320" } },
	{ "--synthetic: 'x' is not a size", { "--synthetic", "x" } },
	{ "synthetic scene: wrong size 4x4", { "--synthetic", "4x4" } },
	{ "synthetic scene: wrong size 100000x100000", { "--synthetic", "100000x100000" } },
	{ "frames of 7x24 are too small: they have 8x8 pixels at least", { "--synthetic", "7x24" } },
	{ "frames of 24x7 are too small", { "--synthetic", "24x7" } },
	{ "frames of 4x4 are too small", { "--input", "small.y4m" } },
	{ "frames of 4x8 are too small", { "--input", "small.gray", "--size", "4x8" } },
	{ "--window: 'hamming' is not hann, flat8 or none", { SCENE, "--window", "hamming" } },
	{ "--window: '' is not", { SCENE, "--window", "" } },
	{ "--team: '257' is not a number from 0 to 256", { SCENE, "--team", "257" } },
	{ "--split: 'sum' is not one of window, fft,",
		{ SCENE, "--device", "cores,cores", "--split", "sum" } },
	{ "--split: 'FFT' is not one of", { SCENE, "--device", "cores,cores", "--split", "FFT" } },
	{ "--split: '' is not one of", { SCENE, "--split", "" } },
	{ "--split needs two devices", { SCENE, "--split", "ifft" } },
	{ "--split needs two devices", { SCENE, "--split", "auto" } },
	{ "--split needs two devices", { SCENE, "--device", "cores", "--split", "ifft" } },
	{ "--overlap: 'yes' is not on or off", { SCENE, "--overlap", "yes" } },
	{ "--device: '' is not one selector, or two", { SCENE, "--device", "" } },
	{ "--device: ',' is not one selector, or two", { SCENE, "--device", "," } },
	{ "--device: 'cores,cores,cores' is not", { SCENE, "--device", "cores,cores,cores" } },
	{ "a .gray input needs --size", { "--input", "a.gray" } },
	{ "saliency: unrecognized option '--nonsense'", { SCENE, "--nonsense" } },
	{ "option '--window' requires an argument", { SCENE, "--window" } },
	{ "unexpected argument 'clip.avi'", { SCENE, "clip.avi" } },
	{ "--overlay needs --output", { SCENE, "--overlay" } },
	{ "--overlay is a picture, which a .f32 file can't hold",
		{ SCENE, "--overlay", "--output", "a.f32" } },
	{ "no overlay with raw maps", { SCENE, "--overlay", "--output", "a.gray" } },
	{ "--input needs a name", { "--input", "" } },
	{ "--output needs a name", { SCENE, "--output", "" } },
	{ "--trace needs a name", { SCENE, "--trace", "" } },
	{ "--output and --trace name the same file", { SCENE, "--trace", "a", "--output", "a" } },
	{ "--input and --output name the same file", { "--input", "small.y4m", "--output", "small.y4m" } },
#ifdef HAVE_JANSSON
	{ "--stats needs a name", { SCENE, "--stats", "" } },
	{ "--output and --stats name the same file", { SCENE, "--stats", "a", "--output", "a" } },
#else
	{ "--stats: this build has no jansson", { SCENE, "--stats", "a.json" } },
#endif
	{ "none.y4m: No such file or directory", { "--input", "none.y4m" } },
	{ ".: Is a directory", { "--input", "." } },
	{ "text.avi: is n", { "--input", "text.avi" } }, /* not a video, or neither .gray nor Y4M */
	{ "a.xyz: ", { SCENE, "--output", "a.xyz" } },
};

START_TEST(usage)
{
	files_text("small.y4m", "YUV4MPEG2 W4 H4 F25:1 Cmono\nFRAME\n0123456789abcdef");
	files_text("small.gray", "0123456789abcdef0123456789abcdef");
	files_text("text.avi",
		"This is no video, but a text that is long enough to be looked at by all of them.\n");
	program_fails(2, usages[_i].words, usages[_i].arguments);
	ck_assert_uint_eq(files_count(), 3);
}
END_TEST

#ifdef HAVE_OPENCL
/* For the programs that are started from here. */
static void two_units(void)
{
	setenv("POCL_DEVICES", "pthread", 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
}

START_TEST(devices)
{
	two_units();
	FAILS(3, "no OpenCL device is named by 'nosuch'", SCENE, "--device", "nosuch", "--output", "a.f32");
	FAILS(3, "named by 'second'", SCENE, "--device", "pocl:cpu:0,second", "--output", "a.f32");
	FAILS(2, "--device: '7' is no device selector", SCENE, "--device", "7");
	FAILS(2, "--device: ", SCENE, "--device", "pocl:cpu:0/3of2");
	/* before the input is opened: it would be empty */
	FAILS(3, "named by 'nosuch'", "--input", "-", "--device", "nosuch");
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

#ifdef HAVE_CLFFT
/* Nothing is left to the cores by itself. */
START_TEST(a_size_that_devices_refuse)
{
	two_units();
	FAILS(1, "clFFT can't transform 34 x 24: 17 is a prime factor above 13", "--synthetic", "34x24",
		"--frames", "2", "--device", "pocl:cpu:0", "--output", "a.f32");
	FAILS(1, "--split auto, on pocl:cpu:0: ", "--synthetic", "34x24", "--frames", "2", "--device",
		"cores,pocl:cpu:0", "--output", "a.f32");
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST
#endif
#endif

/* 8 x 8 pixels. */
#define ROW "0123456701234567012345670123456701234567012345670123456701234567"

START_TEST(bad_input_leaves_no_output)
{
	files_text("cut.gray", ROW ROW "0123");
	files_text("cut.y4m", "YUV4MPEG2 W8 H8 F25:1 Cmono\nFRAME\n" ROW "FRAME\n0123");
	files_text("none.y4m", "YUV4MPEG2 W8 H8 F25:1 Cmono\n");
	FAILS(1, "cut.gray: truncated: frame 2 has 4 of 64 bytes (--frames 2 takes those before it)\n",
		"--input", "cut.gray", "--size", "8x8", "--output", "out.f32");
	FAILS(1, "cut.y4m: truncated", "--input", "cut.y4m", "--output", "out.gray");
	FAILS(1, "none.y4m: has no frames", "--input", "none.y4m", "--output", "out.f32");
#ifdef HAVE_JANSSON
	FAILS(1, "cut.y4m: truncated", "--input", "cut.y4m", "--stats", "out.json");
#endif
	ck_assert_uint_eq(files_count(), 3);
}
END_TEST

START_TEST(a_former_output_stays)
{
	files_text("cut.gray", ROW "0123");
	files_text("out.f32", "former");
	FAILS(1, "truncated", "--input", "cut.gray", "--size", "8x8", "--output", "out.f32");
	expect_file("out.f32", (const unsigned char *)"former", 6);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(output_errors)
{
	ck_assert_int_eq(mkdir("folder.f32", 0777), 0);
	ck_assert_int_eq(symlink("/dev/full", "full.f32"), 0);
	FAILS(1, "/dev/full: No space left on device", SCENE, "--output", "/dev/full");
	FAILS(1, "full.f32: No space left on device", SCENE, "--output", "full.f32");
	FAILS(1, "missing/out.gray: No such file or directory", SCENE, "--output", "missing/out.gray");
	FAILS(1, "missing/out.f32: No such file or directory", SCENE, "--output", "missing/out.f32");
	FAILS(1, "folder.f32: Is a directory", SCENE, "--output", "folder.f32");
	FAILS(1, "'/dev/full': No space left on device", SCENE, "--trace", "/dev/full");
#ifdef HAVE_JANSSON
	FAILS(1, "missing/out.json: No such file or directory", SCENE, "--output", "out.f32", "--stats",
		"missing/out.json");
	FAILS(1, "/dev/full: No space left on device", SCENE, "--stats", "/dev/full");
#endif
	ck_assert_uint_eq(files_count(), 2);
	ck_assert_int_eq(remove("folder.f32") | remove("full.f32"), 0);
}
END_TEST

START_TEST(full_disk)
{
	struct run run = { .file_limit = 5000 };

	RUN(&run, 1, SCENE, "--output", "out.f32");
	TEST_SAYS(run.err, "sink", "out.f32: File too large");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

/* stdout is a pipe that no process reads any more. */
START_TEST(closed_pipe)
{
	struct run run = { .out_fd = program_broken_pipe() };

	RUN(&run, 1, "--synthetic", "320x240", "--output", "-");
	TEST_SAYS(run.err, "sink", "stdout: Broken pipe");
	program_free(&run);
}
END_TEST

START_TEST(help_to_a_full_device)
{
	program_help_to_a_full_device();
}
END_TEST

/* The first signal ends the input; what was written is whole. */
START_TEST(interrupted)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	static const char *const names[] = { "out.f32", "out.gray", "out.f32" };
	struct run run = { 0 };

	program_start(&run, (const char *const[]){ "--synthetic", "64x48", "--output", names[_i], NULL });
	while (files_size(files_part(names[_i])) < 64 * 48)
		sched_yield();
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "interrupted", "frames/s");
	ck_assert_int_ge(files_size(names[_i]), 64 * 48);
	ck_assert_int_eq(files_size(names[_i]) % (64 * 48), 0);
	ck_assert_uint_eq(files_count(), 1);
	program_free(&run);
}
END_TEST

/* No process reads the FIFO, which has no room for a map: the first signal's draining can't end, the second aborts. */
START_TEST(interrupted_twice)
{
	struct run run = { 0 };
	struct pollfd first = { .events = POLLIN };

	ck_assert_int_eq(mkfifo("pipe.f32", 0600), 0);
	first.fd = open("pipe.f32", O_RDONLY | O_NONBLOCK);
	program_start(&run, (const char *const[]){ "--synthetic", "320x240", "--output", "pipe.f32", NULL });
	while (poll(&first, 1, -1) != 1 || !(first.revents & POLLIN))
		sched_yield();
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(kill(run.pid, SIGINT), 0);
		while (!program_has_taken(&run))
			sched_yield();
	}
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "interrupted, no file was completed");
	close(first.fd);
	program_free(&run);
}
END_TEST

#ifdef HAVE_JANSSON
#include <jansson.h>

START_TEST(statistics)
{
	static const char *const names[] = { "source", "window", "fft", "gabor", "ifft", "interactions",
		"normalize", "sum", "sink" };
	struct run run = { 0 };
	json_t *stats, *actors;

	RUN(&run, 0, SCENE, "--window", "flat8", "--team", "0", "--stats", "s.json");
	program_free(&run);
	stats = json_load_file("s.json", JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(stats);
	ck_assert_int_eq(json_integer_value(json_object_get(stats, "frames")), 5);
	ck_assert_int_eq(json_integer_value(json_object_get(stats, "width")), 32);
	ck_assert_int_eq(json_integer_value(json_object_get(stats, "height")), 24);
	ck_assert_str_eq(json_string_value(json_object_get(stats, "window")), "flat8");
	ck_assert_str_eq(json_string_value(json_object_get(stats, "split")), "none");
	ck_assert_str_eq(json_string_value(json_object_get(stats, "overlap")), "none");
	actors = json_object_get(stats, "actors");
	ck_assert_uint_eq(json_array_size(actors), TEST_COUNT(names));
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		const json_t *actor = json_array_get(actors, i);
		bool single = i == 4 || i == 6; /* a map a firing */

		ck_assert_str_eq(json_string_value(json_object_get(actor, "name")), names[i]);
		ck_assert_int_eq(json_integer_value(json_object_get(actor, "firings")), single ? 5 * 24 : 5);
	}
	json_decref(stats);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("saliency_errors");
	TCase *errors = files_case(suite, "errors"), *running = files_case(suite, "running");

	saliency_find();
	tcase_add_loop_test(errors, usage, 0, TEST_COUNT(usages));
#ifdef HAVE_OPENCL
	tcase_add_test(errors, devices);
#ifdef HAVE_CLFFT
	tcase_add_test(errors, a_size_that_devices_refuse);
#endif
#endif
	tcase_add_test(errors, bad_input_leaves_no_output);
	tcase_add_test(errors, a_former_output_stays);
	tcase_add_test(errors, output_errors);
	tcase_add_test(errors, full_disk);
	tcase_add_test(errors, closed_pipe);
	tcase_add_test(errors, help_to_a_full_device);
	tcase_add_loop_test(running, interrupted, 0, 3);
	tcase_add_test(running, interrupted_twice);
#ifdef HAVE_JANSSON
	tcase_add_test(running, statistics);
#endif
	return test_main(suite);
}
