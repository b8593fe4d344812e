/* SPDX-License-Identifier: MIT */
/* Outputs: what is in the files, when they get their names, and what is said when something is wrong. */
#include "config.h"

#include "actors/common/check_media.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPEC(...) PSTK_VIDEO_OUTPUT(__VA_ARGS__)

static struct pstk_video_output *create(const struct pstk_video_output_spec *spec)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_output *output;
	int err = pstk_video_output_open(&output, spec, error, sizeof(error));

	ck_assert_msg(!err, "%s", error);
	return output;
}

static void refuses(const struct pstk_video_output_spec *spec, int err, const char *text)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_output *output = (struct pstk_video_output *)1;

	ck_assert_int_eq(pstk_video_output_open(&output, spec, error, sizeof(error)), err);
	ck_assert_ptr_null(output);
	ck_assert_str_eq(error, text);
}

static void write_all(const struct pstk_video_output_spec *spec, const unsigned char *maps,
	const unsigned char *frames, size_t n)
{
	struct pstk_video_output *output = create(spec);
	size_t size = (size_t)spec->width * spec->height;

	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(
			pstk_video_output_write(output, maps + i * size, frames ? frames + i * size : NULL),
			0);
	ck_assert_int_eq(pstk_video_output_complete(output), 0);
	ck_assert_str_eq(pstk_video_output_error(output), "");
	pstk_video_output_close(output);
}

static void expect_file(const char *name, const void *bytes, size_t size)
{
	size_t got;
	unsigned char *there = files_read(name, &got);

	ck_assert_uint_eq(got, size);
	ck_assert_mem_eq(there, bytes, size);
	free(there);
}

START_TEST(raw)
{
	unsigned char *maps = files_random(35 * 9, 1);

	write_all(SPEC(.path = "a.gray", .width = 7, .height = 5), maps, NULL, 9);
	expect_file("a.gray", maps, 35 * 9);
	write_all(SPEC(.path = "no_ending", .width = 7, .height = 5), maps, NULL, 9);
	expect_file("no_ending", maps, 35 * 9);
	write_all(SPEC(.path = ".hidden", .width = 7, .height = 5), maps, NULL, 9);
	expect_file(".hidden", maps, 35 * 9);
	ck_assert_int_eq(mkdir("a.dir", 0777), 0);
	write_all(SPEC(.path = "a.dir/maps", .width = 7, .height = 5), maps, NULL, 9);
	expect_file("a.dir/maps", maps, 35 * 9);
	ck_assert_int_eq(remove("a.dir/maps"), 0);
	write_all(SPEC(.path = "/dev/null", .width = 7, .height = 5), maps, NULL, 9);
	ck_assert_uint_eq(files_count(), 4);
	free(maps);
}
END_TEST

START_TEST(y4m)
{
	const unsigned char maps[] = { 0, 255, 255, 0 };

	write_all(
		SPEC(.path = "a.y4m", .width = 2, .height = 1, .rate_num = 10, .rate_den = 1), maps, NULL, 2);
	expect_file("a.y4m", "YUV4MPEG2 W2 H1 F10:1 Ip A1:1 Cmono\nFRAME\n\0\377FRAME\n\377\0", 52);
}
END_TEST

START_TEST(y4m_overlay)
{
	const unsigned char maps[] = { 0, 255 }, frames[] = { 255, 0 };

	write_all(SPEC(.path = "a.y4m", .width = 2, .height = 1, .overlay = true), maps, frames, 1);
	/* white, then red: 81 or 82, 90, 240 */
	expect_file("a.y4m", "YUV4MPEG2 W2 H1 F25:1 Ip A1:1 C444\nFRAME\n\353\121\200\132\200\360", 47);
}
END_TEST

START_TEST(named_when_whole)
{
	unsigned char map[4] = { 1, 2, 3, 4 };
	struct pstk_video_output *output;

	files_text("a.gray", "old");
	output = create(SPEC(.path = "a.gray", .width = 2, .height = 2));
	ck_assert_int_eq(pstk_video_output_write(output, map, NULL), 0);
	ck_assert(files_exists(files_part("a.gray")));
	expect_file("a.gray", "old", 3);
	ck_assert_int_eq(pstk_video_output_complete(output), 0);
	ck_assert_str_eq(files_part("a.gray"), "");
	expect_file("a.gray", map, 4);
	ck_assert_int_eq(pstk_video_output_write(output, map, NULL), -EINVAL);
	ck_assert_int_eq(pstk_video_output_complete(output), -EINVAL);
	pstk_video_output_close(output);
	expect_file("a.gray", map, 4);
}
END_TEST

/* Two outputs of one name, and files that others have called .part: each is whole, and the last one stays. */
START_TEST(own_names)
{
	unsigned char one[4] = { 1, 1, 1, 1 }, two[4] = { 2, 2, 2, 2 };
	struct pstk_video_output *first, *second;

	files_text("a.gray.part", "precious");
	first = create(SPEC(.path = "a.gray", .width = 2, .height = 2));
	second = create(SPEC(.path = "a.gray", .width = 2, .height = 2));
	ck_assert_uint_eq(files_count(), 3);
	ck_assert_int_eq(pstk_video_output_write(first, one, NULL), 0);
	ck_assert_int_eq(pstk_video_output_write(second, two, NULL), 0);
	ck_assert_int_eq(pstk_video_output_write(second, two, NULL), 0);
	ck_assert_int_eq(pstk_video_output_complete(second), 0);
	expect_file("a.gray", "\2\2\2\2\2\2\2\2", 8);
	ck_assert_int_eq(pstk_video_output_complete(first), 0);
	expect_file("a.gray", one, 4);
	pstk_video_output_close(first);
	pstk_video_output_close(second);
	expect_file("a.gray.part", "precious", 8);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

/* A file doesn't take the place of a standard stream. */
START_TEST(closed_standard_stream)
{
	unsigned char map[4] = { 1, 2, 3, 4 };
	struct pstk_video_output *output;
	int saved = dup(STDOUT_FILENO);

	fflush(stdout);
	close(STDOUT_FILENO);
	output = create(SPEC(.path = "a.gray", .width = 2, .height = 2));
	ck_assert_int_eq(write(STDOUT_FILENO, "words", 5), -1);
	ck_assert_int_eq(pstk_video_output_write(output, map, NULL), 0);
	ck_assert_int_eq(pstk_video_output_complete(output), 0);
	pstk_video_output_close(output);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	expect_file("a.gray", map, 4);
}
END_TEST

START_TEST(removed_when_not_whole)
{
	static const char *const names[] = {
		"a.gray",
		"a.y4m",
#ifdef HAVE_PNG
		"a.png",
#endif
#ifdef HAVE_FFMPEG
		"a.mkv",
		"a.mp4",
		"a.avi",
#endif
	};
	unsigned char map[64 * 48] = { 0 };

	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		struct pstk_video_output *output = create(SPEC(.path = names[i], .width = 64, .height = 48));

		ck_assert_int_eq(pstk_video_output_write(output, map, NULL), 0);
		ck_assert_uint_eq(files_count(), 1);
		pstk_video_output_close(output);
		ck_assert_uint_eq(files_count(), 0);
		/* no frame at all is no video */
		output = create(SPEC(.path = names[i], .width = 64, .height = 48));
		ck_assert_int_eq(pstk_video_output_complete(output), -ENODATA);
		TEST_SAYS(pstk_video_output_error(output), names[i], "no frame was written");
		pstk_video_output_close(output);
		ck_assert_uint_eq(files_count(), 0);
	}
}
END_TEST

START_TEST(behind_a_link)
{
	unsigned char map[4] = { 1, 2, 3, 4 };

	files_text("real", "old");
	ck_assert_int_eq(symlink("real", "link.gray"), 0);
	write_all(SPEC(.path = "link.gray", .width = 2, .height = 2), map, NULL, 1);
	expect_file("real", map, 4);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(refused)
{
	ck_assert_int_eq(mkdir("folder.gray", 0777), 0);
	files_text("file", "");
	refuses(SPEC(.path = "folder.gray", .width = 2, .height = 2), -EISDIR, "folder.gray: Is a directory");
	refuses(SPEC(.path = "none/a.gray", .width = 2, .height = 2), -ENOENT,
		"none/a.gray: No such file or directory");
	refuses(SPEC(.path = "file/a.gray", .width = 2, .height = 2), -ENOTDIR,
		"file/a.gray: Not a directory");
	refuses(SPEC(.path = "a.gray", .width = 0, .height = 2), -EINVAL,
		"a.gray: wrong size 0x2 (1x1 to 32768x32768)");
	refuses(SPEC(.path = "a.gray", .width = 2, .height = 32769), -EINVAL,
		"a.gray: wrong size 2x32769 (1x1 to 32768x32768)");
	refuses(SPEC(.path = "a.gray", .width = 2, .height = 2, .rate_num = 1), -EINVAL,
		"a.gray: wrong frame rate 1/0");
	refuses(SPEC(.path = "a.gray", .width = 2, .height = 2, .rate_den = 1), -EINVAL,
		"a.gray: wrong frame rate 0/1");
	refuses(SPEC(.path = "a.gray", .width = 2, .height = 2, .overlay = true), -EINVAL,
		"a.gray: no overlay with raw maps: it needs .y4m, .png or a container such as .mp4");
	refuses(SPEC(.path = "-", .width = 2, .height = 2, .overlay = true), -EINVAL,
		"stdout: no overlay with raw maps: it needs .y4m, .png or a container such as .mp4");
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(no_permission)
{
	if (geteuid() == 0)
		return; /* root may write everywhere */
	ck_assert_int_eq(chmod(".", 0500), 0);
	refuses(SPEC(.path = "a.gray", .width = 2, .height = 2), -EACCES, "a.gray: Permission denied");
	ck_assert_int_eq(chmod(".", 0700), 0);
}
END_TEST

/* Writes until it fails or is complete; the error. */
static int fill(struct pstk_video_output *output, unsigned frames)
{
	unsigned char *map = files_random(64 * 48, 9);
	int err = 0;

	for (unsigned i = 0; i < frames && !err; i++)
		err = pstk_video_output_write(output, map, NULL);
	if (!err)
		err = pstk_video_output_complete(output);
	/* it stays */
	ck_assert_int_eq(pstk_video_output_write(output, map, NULL), err);
	ck_assert_int_eq(pstk_video_output_complete(output), err);
	free(map);
	return err;
}

static const char *const full_names[] = {
	"full.gray",
	"full.y4m",
	"full",
#ifdef HAVE_PNG
	"full.png",
#endif
#ifdef HAVE_FFMPEG
	"full.mkv",
	"full.avi",
#endif
};

START_TEST(full_device)
{
	const char *name = full_names[_i];
	char error[PSTK_VIDEO_ERROR_SIZE], expected[64];
	struct pstk_video_output *output;
	int err;

	snprintf(expected, sizeof(expected), "%s: No space left on device", name);
	ck_assert_int_eq(symlink("/dev/full", name), 0);
	/* a header may fail already */
	err = pstk_video_output_open(
		&output, SPEC(.path = name, .width = 64, .height = 48), error, sizeof(error));
	if (!err) {
		err = fill(output, 300);
		snprintf(error, sizeof(error), "%s", pstk_video_output_error(output));
		pstk_video_output_close(output);
	}
	ck_assert_int_eq(err, -ENOSPC);
	ck_assert_str_eq(error, expected);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* A regular file that can't grow beyond 3000 bytes. */
START_TEST(full_disk)
{
	const char *name = full_names[_i];
	struct rlimit limit = { 3000, RLIM_INFINITY }, former;
	struct pstk_video_output *output = create(SPEC(.path = name, .width = 64, .height = 48));
	char expected[64];
	int err;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &former), 0);
	limit.rlim_max = former.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	err = fill(output, 300);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &former), 0);
	snprintf(expected, sizeof(expected), "%s: File too large", name);
	ck_assert_int_eq(err, -EFBIG);
	ck_assert_str_eq(pstk_video_output_error(output), expected);
	ck_assert_uint_eq(files_count(), 1);
	pstk_video_output_close(output);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

START_TEST(closed_pipe)
{
	struct pstk_video_output *output;
	int reader;

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(mkfifo("pipe.y4m", 0600), 0);
	reader = open("pipe.y4m", O_RDONLY | O_NONBLOCK);
	output = create(SPEC(.path = "pipe.y4m", .width = 64, .height = 48));
	close(reader);
	ck_assert_int_eq(fill(output, 1), -EPIPE);
	ck_assert_str_eq(pstk_video_output_error(output), "pipe.y4m: Broken pipe");
	pstk_video_output_close(output);
	ck_assert(files_exists("pipe.y4m"));
}
END_TEST

static void *stop(void *output)
{
	pstk_video_output_stop(output);
	return NULL;
}

/* No process reads the pipe: whenever the stop comes, writing ends. */
START_TEST(stop_wakes_a_write)
{
	unsigned char *map = files_random(640 * 480, 1);
	int reader;

	ck_assert_int_eq(mkfifo("pipe.gray", 0600), 0);
	reader = open("pipe.gray", O_RDONLY | O_NONBLOCK);
	for (int i = 0; i < 20; i++) {
		struct pstk_video_output *output =
			create(SPEC(.path = "pipe.gray", .width = 640, .height = 480));
		pthread_t thread;

		ck_assert_int_eq(pthread_create(&thread, NULL, stop, output), 0);
		ck_assert_int_eq(pstk_video_output_write(output, map, NULL), -ECANCELED);
		pthread_join(thread, NULL);
		TEST_SAYS(pstk_video_output_error(output), "pipe.gray: ");
		ck_assert_int_eq(pstk_video_output_complete(output), -ECANCELED);
		pstk_video_output_close(output);
	}
	close(reader);
	free(map);
}
END_TEST

START_TEST(to_stdout)
{
	unsigned char map[4] = { 1, 2, 3, 4 };
	int saved, file;

	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	file = open("out", O_WRONLY | O_CREAT, 0666);
	dup2(file, STDOUT_FILENO);
	write_all(SPEC(.path = "-", .width = 2, .height = 2), map, NULL, 1);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(file);
	expect_file("out", map, 4);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* Each system call in turn fails while two frames are written: nothing is left, and it is said. */
START_TEST(system_errors)
{
	const char *name = full_names[_i];
	unsigned char map[64 * 48] = { 0 };
	unsigned failures = 0;

	for (bool more = true; more && failures < 200; failures++) {
		char error[PSTK_VIDEO_ERROR_SIZE] = "";
		struct pstk_video_output *output;
		int err;

		files_fail_system(failures + 1);
		err = pstk_video_output_open(&output,
			PSTK_VIDEO_OUTPUT(.path = name, .width = 64, .height = 48), error, sizeof(error));
		for (int i = 0; i < 2 && !err; i++)
			err = pstk_video_output_write(output, map, NULL);
		if (!err)
			err = pstk_video_output_complete(output);
		more = files_system_failed();
		/* a container may do without a seek */
		if (err)
			ck_assert(more);
		if (err)
			TEST_SAYS(
				output ? pstk_video_output_error(output) : error, name, "Input/output error");
		pstk_video_output_close(output);
		ck_assert_uint_eq(files_count(), err ? 0 : 1);
		if (!err)
			ck_assert_int_eq(remove(name), 0);
	}
	ck_assert_uint_ge(failures, 5);
}
END_TEST

START_TEST(stopped_before)
{
	struct pstk_video_output *output = create(SPEC(.path = "a.gray", .width = 2, .height = 2));
	unsigned char map[4] = { 0 };

	pstk_video_output_stop(output);
	ck_assert_int_eq(pstk_video_output_write(output, map, NULL), -ECANCELED);
	ck_assert_str_eq(pstk_video_output_error(output), "a.gray: stopped");
	pstk_video_output_close(output);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

/* What was cut short does not get the name of a whole file. */
START_TEST(stopped_before_the_end)
{
	static const char *const names[] = { "a.gray", "a.y4m" };
	static const unsigned char map[4];

	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		struct pstk_video_output *output = create(SPEC(.path = names[i], .width = 2, .height = 2));

		ck_assert_int_eq(pstk_video_output_write(output, map, NULL), 0);
		pstk_video_output_stop(output);
		ck_assert_int_eq(pstk_video_output_complete(output), -ECANCELED);
		TEST_SAYS(pstk_video_output_error(output), names[i], ": stopped");
		pstk_video_output_close(output);
		ck_assert_uint_eq(files_count(), 0);
	}
}
END_TEST

#define SIZE_IS(size)                                                                       \
	"pstk_video_output_open: struct_size of its struct pstk_video_output_spec is " size \
	", expected 56, or more with zeros behind that: set .struct_size = sizeof(struct "  \
	"pstk_video_output_spec), "                                                         \
	"as pstk_video_output_spec_init() does"

/* All is as of an output, but for the file. */
START_TEST(dry)
{
	unsigned char map[4] = { 0 };
	struct pstk_video_output *output =
		create(SPEC(.path = "a.y4m", .width = 2, .height = 2, .dry = true));

	ck_assert_int_eq(pstk_video_output_write(output, map, NULL), 0);
	ck_assert_int_eq(pstk_video_output_complete(output), 0);
	pstk_video_output_close(output);
	ck_assert(!files_exists("a.y4m"));
	refuses(SPEC(.path = "none/a.y4m", .width = 2, .height = 2, .dry = true), -ENOENT,
		"none/a.y4m: No such file or directory");
}
END_TEST

START_TEST(wrong_arguments)
{
	struct {
		struct pstk_video_output_spec spec;
		char tail[8];
	} newer;
	unsigned char map[4] = { 0 };
	struct pstk_video_output *output;

	memset(&newer, 0, sizeof(newer));
	newer.spec = pstk_video_output_spec_init();
	newer.spec.path = "a.y4m";
	newer.spec.width = newer.spec.height = 2;
	newer.spec.overlay = true;
	newer.spec.struct_size = sizeof(newer);
	output = create(&newer.spec);
	ck_assert_int_eq(pstk_video_output_write(output, map, NULL), -EINVAL); /* no frame for the overlay */
	ck_assert_int_eq(pstk_video_output_write(output, NULL, map), -EINVAL);
	pstk_video_output_close(output);
	/* a program of the first release has something else where `times` is now */
	newer.spec.struct_size = offsetof(struct pstk_video_output_spec, times);
	newer.spec.times = (struct pstk_video_input *)1;
	pstk_video_output_close(create(&newer.spec));
	newer.spec.times = NULL;
	newer.spec.struct_size = sizeof(newer);
	newer.tail[0] = 1;
	refuses(&newer.spec, -EINVAL, SIZE_IS("64"));
	newer.spec.struct_size = 0;
	refuses(&newer.spec, -EINVAL, SIZE_IS("0"));
	refuses(SPEC(.width = 2, .height = 2), -EINVAL, "wrong arguments");
	refuses(SPEC(.path = "", .width = 2, .height = 2), -EINVAL, "wrong arguments");
	ck_assert_int_eq(pstk_video_output_open(NULL, NULL, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_video_output_write(NULL, map, NULL), -EINVAL);
	ck_assert_int_eq(pstk_video_output_complete(NULL), -EINVAL);
	ck_assert_str_eq(pstk_video_output_error(NULL), "");
	pstk_video_output_stop(NULL);
	pstk_video_output_close(NULL);
}
END_TEST

static const char *const memory_names[] = {
	"a.gray",
	"a.y4m",
#ifdef HAVE_PNG
	"a.png",
#endif
#ifdef HAVE_FFMPEG
	"a.mkv",
#endif
};

START_TEST(out_of_memory)
{
	const char *name = memory_names[_i];
	unsigned char map[64 * 48] = { 0 };

	for (unsigned n = 1;; n++) {
		struct pstk_video_output *output;
		int err;

		test_fail_allocation(n);
		err = pstk_video_output_open(&output,
			SPEC(.path = name, .width = 64, .height = 48, .overlay = strcmp(name, "a.gray") != 0),
			NULL, 0);
		if (!err)
			err = pstk_video_output_write(output, map, map);
		if (!err)
			err = pstk_video_output_complete(output);
		pstk_video_output_close(output);
		if (!test_allocation_failed()) {
			ck_assert_int_eq(err, 0);
			break;
		}
		ck_assert_int_eq(err, -ENOMEM);
		ck_assert_uint_eq(files_count(), 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("video_output");
	TCase *files = files_case(suite, "files"), *errors = files_case(suite, "errors");

	tcase_add_test(files, raw);
	tcase_add_test(files, y4m);
	tcase_add_test(files, y4m_overlay);
	tcase_add_test(files, named_when_whole);
	tcase_add_test(files, own_names);
	tcase_add_test(files, closed_standard_stream);
	tcase_add_test(files, removed_when_not_whole);
	tcase_add_test(files, behind_a_link);
	tcase_add_test(files, to_stdout);
	tcase_add_test(errors, refused);
	tcase_add_test(errors, no_permission);
	tcase_add_loop_test(errors, full_device, 0, TEST_COUNT(full_names));
	tcase_add_loop_test(errors, full_disk, 0, TEST_COUNT(full_names));
	tcase_add_test(errors, closed_pipe);
	tcase_add_test(errors, stop_wakes_a_write);
	tcase_add_loop_test(errors, system_errors, 0, TEST_COUNT(full_names));
	tcase_add_test(errors, stopped_before);
	tcase_add_test(errors, stopped_before_the_end);
	tcase_add_test(errors, dry);
	tcase_add_test(errors, wrong_arguments);
	tcase_add_loop_test(errors, out_of_memory, 0, TEST_COUNT(memory_names));
	return test_main(suite);
}
