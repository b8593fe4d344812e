/* SPDX-License-Identifier: MIT */
/* A clip of irregular times: by threads, a team or on a device, the output has the input's times; and what is said of
 * sound and of constant rates. */
#include "config.h"

#include "apps/motion_detection/check_motion.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_FFMPEG

#include "actors/common/check_clip.h"

static struct clip_times write_irregular(const char *name, int unit, bool audio)
{
	struct clip clip = clip_irregular(name, unit);

	clip.audio = audio;
	clip_write(&clip);
	return clip_read(name);
}

#define FILES "--input", "in.mp4", "--output", "a.mp4", "--output", "b.mkv"

/* Windows that hold the last frames partly, FIFOs that hold most of the clip, frames that overtake each other on the
 * way. */
static const char *const ways[][16] = {
	{ FILES },
	{ FILES, "--team", "0", "--rate", "7" },
	{ FILES, "--team", "2", "--overlay" },
	{ FILES, "--team", "2", "--rate", "16", "--depth", "4" },
	{ FILES, "--device", "cpu", "--rate", "4", "--device-depth", "4" },
	{ FILES, "--device", "pocl:cpu:0/1of2,cores,cpu", "--overlay" },
	{ FILES, "--device", "cpu", "--team", "2" },
};

START_TEST(irregular)
{
	struct clip_times times = write_irregular("in.mp4", 12800, false);
	struct run run = { 0 };

	setenv("POCL_DEVICES", "pthread", 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
	program_run(&run, 0, ways[_i]);
	TEST_SAYS(run.err, "\n40 frames in ");
	ck_assert_ptr_null(strstr(run.err, "audio"));
	program_free(&run);
	clip_expect("a.mp4", &times, 1e-9);
	clip_expect("b.mkv", &times, 0.0005 + 1e-9);
	ck_assert_double_eq_tol(clip_read("a.mp4").end, 3.68, 1e-9);
}
END_TEST

START_TEST(some_frames)
{
	struct clip_times times = write_irregular("in.mp4", 12800, false);
	struct run run = { 0 };

	RUN(&run, 0, FILES, "--frames", "10", "--rate", "4");
	program_free(&run);
	times.count = 10;
	times.end = times.starts[10];
	clip_expect("a.mp4", &times, 1e-9);
}
END_TEST

START_TEST(through_a_pipe)
{
	struct clip_times times = write_irregular("in.mkv", 1000, true);
	struct run run = { 0 };
	unsigned char *bytes = files_read("in.mkv", &run.input_size);

	run.input = bytes;
	RUN(&run, 0, "--input", "-", "--output", "a.mp4", "--output", "b.mkv", "--output", "c.png");
	TEST_SAYS(run.err, "motion_detection: stdin: its audio is not written\n");
	program_free(&run);
	free(bytes);
	clip_expect("a.mp4", &times, 1e-9);
	clip_expect("b.mkv", &times, 1e-9);
}
END_TEST

/* Once, where there could be sound. */
START_TEST(audio)
{
	static const char said[] = "motion_detection: in.mkv: its audio is not written\n";
	struct run run = { 0 };
	const char *first;

	write_irregular("in.mkv", 1000, true);
	RUN(&run, 0, "--input", "in.mkv", "--output", "a.gray", "--output", "a.mp4", "--output", "b.mkv");
	first = strstr(run.err, said);
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_null(strstr(first + 1, said));
	program_free(&run);
	RUN(&run, 0, "--input", "in.mkv", "--output", "a.gray");
	ck_assert_ptr_null(strstr(run.err, "audio"));
	program_free(&run);
	RUN(&run, 0, "--input", "in.mkv");
	ck_assert_ptr_null(strstr(run.err, "audio"));
	program_free(&run);
}
END_TEST

/* Three frames, the second one for half a second: twelve are in between at 25 frames a second. */
START_TEST(constant_rate)
{
	struct clip clip = { .name = "in.avi", .count = 3, .unit = 25, .stamps = { 0, 1, 14 }, .end = 15 };
	struct run run = { 0 };

	clip_write(&clip);
	RUN(&run, 0, "--input", "in.avi", "--output", "out.y4m", "--output", "out.gray", "--output",
		"out.mp4");
	TEST_SAYS(run.err, "\n3 frames in ",
		"motion_detection: out.y4m: has a constant rate, 25 frames/s: to keep the input's time "
		"stamps 12 frames "
		"are repeated, 0 left out\n");
	ck_assert_ptr_null(strstr(run.err, "out.gray: "));
	ck_assert_ptr_null(strstr(run.err, "out.mp4: "));
	program_free(&run);
	ck_assert_int_eq(files_size("out.gray"), 3 * CLIP_WIDTH * CLIP_HEIGHT);
	ck_assert_int_eq(files_size("out.y4m") / (6 + CLIP_WIDTH * CLIP_HEIGHT), 15);
	ck_assert_uint_eq(clip_read("out.mp4").count, 3);
}
END_TEST

#endif

START_TEST(nothing_without_ffmpeg)
{
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("motion_times");
	TCase *c = files_case(suite, "times");

	motion_find();
	tcase_add_test(c, nothing_without_ffmpeg);
#ifdef HAVE_FFMPEG
	tcase_add_loop_test(c, irregular, 0, (int)TEST_COUNT(ways));
	tcase_add_test(c, some_frames);
	tcase_add_test(c, through_a_pipe);
	tcase_add_test(c, audio);
	tcase_add_test(c, constant_rate);
#endif
	return test_main(suite);
}
