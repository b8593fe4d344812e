/* SPDX-License-Identifier: MIT */
/* What the program says and leaves behind when something is wrong. */
#include "config.h"

#include "apps/common/check_staged_program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that each test has: frames, a word, weights of two classes. */
#define CORES "--device", "cores"
#define FILES "--vocabulary", "v.f32", "--weights", "w.f32"
#define IN FILES, "--classes", "a,b", STAGED_IN

static void set_up(void)
{
	static const char zeros[512];

	staged_set_up();
	files_write("v.f32", zeros, 512);
	files_write("w.f32", zeros, 16);
}

static const struct {
	const char *words;
	const char *arguments[16];
} usages[] = {
	{ "--input FILE is needed", { FILES, "--classes", "a" } },
	{ "--vocabulary FILE and --weights FILE are needed", { STAGED_IN } },
	{ "--classes A,B,.. is needed", { STAGED_IN, FILES } },
	{ "--classes: 'a,,b' is not 1 to 4096 names", { STAGED_IN, FILES, "--classes", "a,,b" } },
	{ "--classes: 'a' is given twice: each class has a name of its own",
		{ STAGED_IN, FILES, "--classes", "a,c,a" } },
	{ "in.gray: frames of 8x32 pixels have no patch of 16x16 pixels",
		{ "--input", "in.gray", "--size", "8x32", CORES, FILES, "--classes", "a,b" } },
	{ "--vocabulary: none.f32: No such file or directory",
		{ STAGED_IN, "--vocabulary", "none.f32", "--weights", "w.f32", "--classes", "a,b" } },
	{ "--vocabulary: - is standard input, which is not read here: name a file, or /dev/stdin",
		{ STAGED_IN, "--vocabulary", "-", "--weights", "w.f32", "--classes", "a,b" } },
	{ "--weights: - is standard input",
		{ STAGED_IN, "--vocabulary", "v.f32", "--weights", "-", "--classes", "a,b" } },
	{ "--vocabulary: w.f32 has 16 bytes: expected 1 to 4096 words of 128 numbers, 4 bytes each: a "
	  "multiple of 512",
		{ STAGED_IN, "--vocabulary", "w.f32", "--weights", "v.f32", "--classes", "a,b" } },
	{ "--weights: w.f32 has 16 bytes, but 2 rows (one for each word, one more) of 3 numbers, 4 bytes "
	  "each, have 24",
		{ STAGED_IN, FILES, "--classes", "a,b,c" } },
	{ "--weights: w.f32 has more, 16 bytes, but 2 rows (one for each word, one more) of 1 numbers",
		{ STAGED_IN, FILES, "--classes", "a" } },
	{ "--weights: nan.f32: number 3 is nan: they are finite",
		{ STAGED_IN, "--vocabulary", "v.f32", "--weights", "nan.f32", "--classes", "a,b" } },
	{ "--words: '0' is not a number from 1 to 4096", { IN, "--words", "0" } },
	{ "--words: '4097' is not", { IN, "--words", "4097" } },
	{ "--words is of --train: a vocabulary that is read has as many words as its file",
		{ IN, "--words", "5" } },
	{ "--vocabulary and --rates name the same file", { IN, "--rates", "v.f32" } },
	{ "--weights and --rates name the same file", { IN, "--rates", "./w.f32" } },
	{ "--vocabulary and --trace name the same file", { IN, "--trace", "v.f32" } },
	{ "--weights and --output name the same file", { IN, "--output", "w.f32" } },
#ifdef HAVE_JANSSON
	{ "--vocabulary and --stats name the same file", { IN, "--stats", "v.f32" } },
	{ "--weights and --save-measurements name the same file",
		{ IN, "--save-measurements", "scene_recognition=w.f32" } },
#endif
	{ "pipeline 'scene_recognition': ", { IN, "--pipeline", "CG:000:1" } },
	{ "needs a device", { IN, "--pipeline", "CP-CG:10:1" } },
	{ "--train and --input exclude each other", { IN, "--train", "." } },
	{ "--train: none: No such file or directory", { "--train", "none", FILES } },
	{ "--train: in.gray: Not a directory", { "--train", "in.gray", FILES } },
	{ "--train: one has 1 folder: expected one for each class, 2 to 4096", { "--train", "one", FILES } },
	{ "--train: two/b has no picture", { "--train", "two", FILES } },
	{ "--vocabulary FILE and --weights FILE are needed", { "--train", "full" } },
	{ "--classes is what --train finds", { "--train", "full", FILES, "--classes", "a,b" } },
	{ "--train and --output exclude each other", { "--train", "full", FILES, "--output", "x" } },
	{ "--train looks at each picture once", { "--train", "full", FILES, "--repeat", "2" } },
	{ "--train looks at each picture once", { "--train", "full", FILES, "--frames", "1" } },
	{ "--vocabulary and --weights name the same file",
		{ "--train", "full", "--vocabulary", "x", "--weights", "x" } },
	{ "--weights and --rates name the same file",
		{ "--train", "full", "--vocabulary", "x", "--weights", "y", "--rates", "y" } },
	{ "--vocabulary: full/b/1.gray is a picture of --train",
		{ "--train", "full", "--vocabulary", "full/a/../b/1.gray", "--weights", "y" } },
	{ "--weights: full/a/1.gray is a picture of --train",
		{ "--train", "full", "--vocabulary", "x", "--weights", "full/a/1.gray" } },
	{ "--train: comma/a,b has a comma in its name, which --classes takes for two classes: rename the "
	  "folder",
		{ "--train", "comma", FILES } },
	{ "--words: 32 are more than the 2 patches of all pictures",
		{ "--train", "full", "--vocabulary", "x", "--weights", "y", "--size", "16x16", CORES } },
};

static void make_folders(void)
{
	static const char *const folders[] = { "one", "one/a", "two", "two/a", "two/b", "full", "full/a",
		"full/b", "comma", "comma/a,b", "comma/c" };
	static const char zeros[256];

	for (unsigned i = 0; i < TEST_COUNT(folders); i++)
		ck_assert_int_eq(mkdir(folders[i], 0777), 0);
	files_write("one/a/1.gray", zeros, 256);
	files_write("two/a/1.gray", zeros, 256);
	files_write("full/a/1.gray", zeros, 256);
	files_write("full/b/1.gray", zeros, 256);
	files_write("comma/a,b/1.gray", zeros, 256);
	files_write("comma/c/1.gray", zeros, 256);
}

static void remove_folders(void)
{
	static const char *const names[] = { "one/a/1.gray", "two/a/1.gray", "full/a/1.gray", "full/b/1.gray",
		"comma/a,b/1.gray", "comma/c/1.gray", "one/a", "two/a", "two/b", "full/a", "full/b",
		"comma/a,b", "comma/c", "one", "two", "full", "comma" };

	for (unsigned i = 0; i < TEST_COUNT(names); i++)
		ck_assert_int_eq(remove(names[i]), 0);
}

START_TEST(usage)
{
	static const unsigned char nan[16] = { [14] = 0xc0, [15] = 0x7f }, zeros[256];

	files_write("nan.f32", nan, sizeof nan);
	files_write("in.gray", zeros, sizeof zeros);
	make_folders();
	program_fails(2, usages[_i].words, usages[_i].arguments);
	remove_folders();
	ck_assert_uint_eq(files_count(), 5);
}
END_TEST

START_TEST(too_many_words)
{
	const size_t bytes = 4097 * (size_t)512;
	void *zeros = calloc(1, bytes);

	ck_assert_ptr_nonnull(zeros);
	files_write("v.f32", zeros, bytes);
	free(zeros);
	FAILS(2,
		"--vocabulary: v.f32 has 2097664 bytes: expected 1 to 4096 words of 128 numbers, 4 bytes "
		"each: a multiple of 512",
		IN);
}
END_TEST

START_TEST(training_errors)
{
	make_folders();
	FAILS(1, "/dev/full: No space left on device", "--train", "full", "--words", "1", "--vocabulary",
		"/dev/full", "--weights", "x", "--size", "16x16", CORES);
	FAILS(1, "missing/x: No such file or directory", "--train", "full", "--words", "1", "--vocabulary",
		"y", "--weights", "missing/x", "--size", "16x16", CORES);
	remove_folders();
	ck_assert_uint_eq(files_count(), 3);
}
END_TEST

/* Neither file is new if one of them can't be. */
START_TEST(a_vocabulary_is_not_left_beside_old_weights)
{
	make_folders();
	files_text("v7.f32", "old");
	FAILS(1, "/dev/full: No space left on device", "--train", "full", "--words", "1", "--vocabulary",
		"v7.f32", "--weights", "/dev/full", "--size", "16x16", CORES);
	expect_file("v7.f32", (const unsigned char *)"old", 3);
	FAILS(1, "/dev/full: No space left on device", "--train", "full", "--words", "1", "--vocabulary",
		"/dev/full", "--weights", "v7.f32", "--size", "16x16", CORES);
	expect_file("v7.f32", (const unsigned char *)"old", 3);
	remove_folders();
	ck_assert_uint_eq(files_count(), 4);
}
END_TEST

/* Two classes with one file each, of black pictures of 16x16 pixels. */
static void make_long_training(unsigned pictures)
{
	make_folders();
	ck_assert_int_eq(truncate("full/a/1.gray", 256 * (off_t)pictures), 0);
	ck_assert_int_eq(truncate("full/b/1.gray", 256 * (off_t)pictures), 0);
	files_text("x.f32", "old");
	files_text("y.f32", "old too");
}
#define LONG_TRAINING \
	"--train", "full", "--vocabulary", "x.f32", "--weights", "y.f32", "--size", "16x16", CORES

/* Waits until this has come out of the program. */
static void await(int from, const char *words)
{
	static char text[65536];
	size_t size = 0;

	*text = '\0';
	while (!strstr(text, words)) {
		ssize_t n = read(from, text + size, sizeof text - 1 - size);

		ck_assert_msg(n > 0, "no '%s' but '%s'", words, text);
		size += (size_t)n;
		text[size] = '\0';
	}
}

static void check_untouched(void)
{
	expect_file("x.f32", (const unsigned char *)"old", 3);
	expect_file("y.f32", (const unsigned char *)"old too", 7);
	remove_folders();
	ck_assert_uint_eq(files_count(), 5);
}

/* A part of the pictures makes no vocabulary. */
START_TEST(interrupted_while_it_reads)
{
	struct run run = { 0 };
	int ends[2];

	make_long_training(400000);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	run.out_fd = ends[1];
	program_start(&run, (const char *const[]){ LONG_TRAINING, "--words", "1", "--rates", "-", NULL });
	await(ends[0], "\n0."); /* the first line of figures: pictures go through */
	ck_assert_int_eq(kill(run.pid, SIGTERM), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "interrupted before it learned: neither file is written", ": interrupted\n");
	program_free(&run);
	close(ends[0]);
	check_untouched();
}
END_TEST

/* The summary of the run comes before it learns, of 40000 descriptors 4000 words: that takes minutes. */
START_TEST(interrupted_while_it_learns)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct run run = { 0 };
	int ends[2];

	make_long_training(20000);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	run.err_fd = ends[1];
	program_start(&run, (const char *const[]){ LONG_TRAINING, "--words", "4000", NULL });
	await(ends[0], "busiest actor");
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	await(ends[0], "interrupted while it learned: neither file is written\n");
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	program_free(&run);
	close(ends[0]);
	check_untouched();
}
END_TEST

/* What it says of the classes can be given to a shell. */
START_TEST(classes_to_paste)
{
	struct run run = { 0 };

	make_folders();
	ck_assert_int_eq(rename("full/b", "full/it's a"), 0);
	RUN(&run, 0, "--train", "full", "--words", "1", "--vocabulary", "-", "--weights", "y", "--size",
		"16x16", CORES);
	TEST_SAYS(run.err, "2 descriptors of 2 pictures; --classes 'a,it'\\''s a'\n");
	ck_assert_uint_eq(run.out_size, 512); /* the vocabulary */
	program_free(&run);
	ck_assert_int_eq(remove("y"), 0);
	ck_assert_int_eq(rename("full/it's a", "full/b"), 0);
	remove_folders();
}
END_TEST

/* On a terminal a line says which round it is. */
START_TEST(learning_on_a_terminal)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct run run = { 0 };

	if (master < 0) {
		printf("no pseudo-terminal here: the line of learning is not tested\n");
		return;
	}
	ck_assert_int_eq(grantpt(master) | unlockpt(master), 0);
	run.err_fd = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	make_long_training(20000);
	program_start(&run, (const char *const[]){ LONG_TRAINING, "--words", "4000", NULL });
	await(master, "\rlearning: round 1 of 10\033[K");
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	await(master, "\r\033[Kscene_recognition: interrupted while it learned");
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	program_free(&run);
	close(master);
	check_untouched();
}
END_TEST

int main(void)
{
	const struct staged_run run = { "scene_recognition", (const char *const[]){ IN, NULL }, "out.txt",
		3 };
	Suite *suite = suite_create("scene_errors");
	TCase *c = files_case(suite, "errors");

	program_find("apps/scene_recognition/scene_recognition", "SCENE_RECOGNITION");
	tcase_add_checked_fixture(c, set_up, NULL);
	staged_add(c, &run);
	tcase_add_loop_test(c, usage, 0, TEST_COUNT(usages));
	tcase_add_test(c, too_many_words);
	tcase_add_test(c, training_errors);
	tcase_add_test(c, a_vocabulary_is_not_left_beside_old_weights);
	tcase_add_test(c, interrupted_while_it_reads);
	tcase_add_loop_test(c, interrupted_while_it_learns, 0, 3);
	tcase_add_test(c, learning_on_a_terminal);
	tcase_add_test(c, classes_to_paste);
	return test_main(suite);
}
