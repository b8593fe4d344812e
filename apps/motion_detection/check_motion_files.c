/* SPDX-License-Identifier: MIT */
/* Names that stand for one file, files that are not the program's, standard streams that are closed, and
 * signals before the first frame. */
#include "config.h"

#include "apps/motion_detection/check_motion.h"
#include "tests/observe/trace_reader.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCENE "--synthetic", "32x24", "--frames", "5"
#define SIZE ((size_t)32 * 24 * 5)

static const char clip[] = "YUV4MPEG2 W4 H4 F25:1 Cmono\nFRAME\n0123456789abcdefFRAME\nfedcba9876543210";

static void expect_clip(const char *name)
{
	expect_file(name, (const unsigned char *)clip, sizeof(clip) - 1);
}

/* The maps of SCENE. */
static unsigned char *scene_maps(void)
{
	struct pstk_video_input *scene =
		media_open(PSTK_VIDEO_INPUT(.scene_width = 32, .scene_height = 24, .frames = 5));
	unsigned char *grey = malloc(SIZE), *maps;
	size_t count;

	ck_assert_int_eq(media_drain(scene, grey, 5, &count), 0);
	maps = oracle_maps(grey, 32, 24, 5, 20);
	pstk_video_input_close(scene);
	free(grey);
	return maps;
}

START_TEST(input_is_no_output)
{
	static const char *const names[] = { "own.y4m", "./own.y4m", "link.y4m", "hard.y4m",
		"folder/../own.y4m" };

	files_text("own.y4m", clip);
	ck_assert_int_eq(symlink("own.y4m", "link.y4m"), 0);
	ck_assert_int_eq(link("own.y4m", "hard.y4m"), 0);
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		FAILS(2, "--input and --output name the same file", "--input", "own.y4m", "--output",
			names[i]);
		FAILS(2, "--input and --output name the same file", "--input", names[i], "--output", "a.gray",
			"--output", "own.y4m");
#ifdef HAVE_JANSSON
		FAILS(2, "--input and --stats name the same file", "--input", "own.y4m", "--stats", names[i]);
#endif
	}
	expect_clip("own.y4m");
	ck_assert_uint_eq(files_count(), 4);
}
END_TEST

START_TEST(stdin_is_no_output)
{
	struct run run = { 0 };

	files_text("own.y4m", clip);
	run.in_fd = open("own.y4m", O_RDONLY | O_CLOEXEC);
	RUN(&run, 2, "--input", "-", "--output", "own.y4m");
	TEST_SAYS(run.err, "--input and --output name the same file");
	expect_clip("own.y4m");
	program_free(&run);
}
END_TEST

static const struct {
	const char *words;
	const char *arguments[10];
} twice[] = {
	{ "the same --output twice", { SCENE, "--output", "s.gray", "--output", "./s.gray" } },
	{ "the same --output twice", { SCENE, "--output", "there.gray", "--output", "link.gray" } },
	{ "the same --output twice", { SCENE, "--output", "there.gray", "--output", "hard.gray" } },
	{ "the same --output twice", { SCENE, "--output", "folder/s.gray", "--output", "alias/s.gray" } },
#ifdef HAVE_JANSSON
	{ "--output and --stats name the same file", { SCENE, "--output", "s.gray", "--stats", "./s.gray" } },
	{ "--output and --stats name the same file",
		{ SCENE, "--output", "there.gray", "--stats", "link.gray" } },
#endif
};

START_TEST(one_output_twice)
{
	files_text("there.gray", "former");
	ck_assert_int_eq(symlink("there.gray", "link.gray"), 0);
	ck_assert_int_eq(link("there.gray", "hard.gray"), 0);
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	ck_assert_int_eq(symlink("folder", "alias"), 0);
	program_fails(2, twice[_i].words, twice[_i].arguments);
	expect_file("there.gray", (const unsigned char *)"former", 6);
	ck_assert_uint_eq(files_count(), 5);
}
END_TEST

/* Names that differ, or devices, may be had together. */
START_TEST(different_outputs)
{
	unsigned char *maps = scene_maps();
	struct run run = { 0 };

	ck_assert_int_eq(mkdir("folder", 0777), 0);
	RUN(&run, 0, SCENE, "--output", "s.gray", "--output", "folder/s.gray", "--output", "-", "--output",
		"/dev/null", "--output", "/dev/stderr");
	expect_file("s.gray", maps, SIZE);
	expect_file("folder/s.gray", maps, SIZE);
	ck_assert_uint_eq(run.out_size, SIZE);
	ck_assert_mem_eq(run.out, maps, SIZE);
	ck_assert_int_eq(remove("folder/s.gray"), 0);
	program_free(&run);
	free(maps);
}
END_TEST

/* Files called .part belong to their owner: the program leaves them alone. */
START_TEST(foreign_part_files)
{
	unsigned char *maps = scene_maps();
	struct run run = { 0 };

	files_text("x.y4m.part", clip);
	files_text("other", "precious");
	ck_assert_int_eq(symlink("other", "s.gray.part"), 0);
	ck_assert_int_eq(mkdir("s.json.part", 0777), 0);
	RUN(&run, 0, "--input", "x.y4m.part", "--output", "x.y4m");
	program_free(&run);
	RUN(&run, 0, SCENE, "--output", "s.gray");
	program_free(&run);
	expect_file("s.gray", maps, SIZE);
#ifdef HAVE_JANSSON
	RUN(&run, 0, SCENE, "--stats", "s.json");
	program_free(&run);
	ck_assert_int_eq(remove("s.json"), 0);
#endif
	RUN(&run, 0, SCENE, "--trace", "t.json");
	program_free(&run);
	ck_assert(trace_is_json("t.json"));
	ck_assert_int_eq(remove("t.json"), 0);
	FAILS(1, "/dev/full: No space left", SCENE, "--output", "x.y4m", "--output", "/dev/full");
	expect_clip("x.y4m.part");
	expect_file("other", (const unsigned char *)"precious", 8);
	ck_assert_uint_eq(files_count(), 6);
	free(maps);
}
END_TEST

/* No file takes the place of a stream that is closed, and none of the program's words gets into one. */
START_TEST(closed_standard_streams)
{
	unsigned char *maps = scene_maps();

	for (unsigned set = 1; set < 8; set++) {
		struct run run = { .closed = { set & 1, set & 2, set & 4 } };

		RUN(&run, 0, SCENE, "--output", "s.gray", "--output", "t.gray");
		expect_file("s.gray", maps, SIZE);
		expect_file("t.gray", maps, SIZE);
		ck_assert_uint_eq(run.out_size, 0);
		program_free(&run);
#ifdef HAVE_JANSSON
		run = (struct run){ .closed = { set & 1, set & 2, set & 4 } };
		RUN(&run, 0, SCENE, "--stats", "s.json");
		program_free(&run);
		ck_assert_int_eq(remove("s.json"), 0);
#endif
	}
	ck_assert_uint_eq(files_count(), 2);
	free(maps);
}
END_TEST

/* To ask for a stream that is closed is an error, and no other file is taken for it. */
START_TEST(closed_stream_is_asked_for)
{
	struct run run = { .closed = { false, true, false } };

	RUN(&run, 1, SCENE, "--output", "d.gray", "--output", "-");
	TEST_SAYS(run.err, "stdout: Bad file descriptor");
	program_free(&run);
	run.closed[1] = true;
	RUN(&run, 1, "--help");
	TEST_SAYS(run.err, "stdout: Bad file descriptor");
	program_free(&run);
	run.closed[0] = true;
	RUN(&run, 2, "--input", "-", "--output", "d.gray");
	TEST_SAYS(run.err, "stdin: Bad file descriptor");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

#ifdef HAVE_JANSSON

START_TEST(stats_through_a_link)
{
	struct stat status;
	struct run run = { 0 };
	unsigned char *bytes;
	size_t size;

	files_text("real.json", "former");
	ck_assert_int_eq(symlink("real.json", "link.json"), 0);
	RUN(&run, 0, SCENE, "--stats", "link.json");
	program_free(&run);
	ck_assert_int_eq(lstat("link.json", &status), 0);
	ck_assert(S_ISLNK(status.st_mode));
	bytes = files_read("real.json", &size);
	ck_assert_int_eq(bytes[0], '{');
	free(bytes);
	ck_assert_uint_eq(files_count(), 2);
	RUN(&run, 0, SCENE, "--stats", "/dev/stdout");
	ck_assert_uint_gt(run.out_size, 2);
	ck_assert_mem_eq(run.out, "{\n", 2);
	ck_assert_mem_eq(run.out + run.out_size - 2, "}\n", 2);
	program_free(&run);
}
END_TEST

#endif

/* stdin is silent: there is no frame size yet, and no network. */
START_TEST(signal_while_the_input_opens)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct run run = { 0 };
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	run.in_fd = ends[0];
	program_start(&run, (const char *const[]){ "--input", "-", "--output", "s.gray", NULL });
	program_await_asleep(&run, signals[_i]);
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	ck_assert_str_eq(run.err, "motion_detection: interrupted\n");
	ck_assert_uint_eq(files_count(), 0);
	program_free(&run);
	close(ends[1]);
}
END_TEST

/* No process opens the FIFO to read: the other output is not begun. */
START_TEST(signal_while_an_output_opens)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct run run = { 0 };

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	program_start(&run, (const char *const[]){ SCENE, "--output", "s.gray", "--output", "pipe", NULL });
	program_await_asleep(&run, signals[_i]);
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	ck_assert_str_eq(run.err, "motion_detection: interrupted\n");
	ck_assert_uint_eq(files_count(), 1);
	program_free(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("motion_files");
	TCase *names = files_case(suite, "names"), *streams = files_case(suite, "streams");

	motion_find();
	tcase_add_test(names, input_is_no_output);
	tcase_add_test(names, stdin_is_no_output);
	tcase_add_loop_test(names, one_output_twice, 0, TEST_COUNT(twice));
	tcase_add_test(names, different_outputs);
	tcase_add_test(names, foreign_part_files);
	tcase_add_test(streams, closed_standard_streams);
	tcase_add_test(streams, closed_stream_is_asked_for);
#ifdef HAVE_JANSSON
	tcase_add_test(streams, stats_through_a_link);
#endif
	tcase_add_loop_test(streams, signal_while_the_input_opens, 0, 3);
	tcase_add_loop_test(streams, signal_while_an_output_opens, 0, 3);
	return test_main(suite);
}
