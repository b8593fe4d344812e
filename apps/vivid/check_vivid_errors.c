/* SPDX-License-Identifier: MIT */
/* What the program says and leaves behind when something is wrong, and when it is interrupted. */
#include "config.h"

#include "apps/common/check_staged_program.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CORES "--device", "cores"
#define IN STAGED_IN

static const struct {
	const char *words;
	const char *arguments[12];
} usages[] = {
	{ "--input FILE is needed", { NULL } },
	{ "unexpected argument 'in.y4m': is --input meant?", { "in.y4m" } },
	{ "in.gray: is raw: give its --size", { "--input", "in.gray", CORES } },
	{ "wide.gray: frames of 33000x16 pixels: a side has 32768 at most",
		{ "--input", "wide.gray", "--size", "33000x16", CORES } },
	{ "narrow.y4m: frames of 7x16 pixels have no cell of 8x8 pixels", { IN, "narrow.y4m" } },
	{ "flat.y4m: frames of 16x7 pixels have no cell of 8x8 pixels", { "--input", "flat.y4m", CORES } },
	{ "--filter-count: '0' is not a number from 1 to 256", { IN, "--filter-count", "0" } },
	{ "--filter-count: '257' is not", { IN, "--filter-count", "257" } },
	{ "--filter-count: '-3' is not", { IN, "--filter-count", "-3" } },
	{ "--rows: '0' is not a number from 1 to 1048576", { IN, "--rows", "0" } },
	{ "--filters: none.f32: No such file or directory", { IN, "--filters", "none.f32" } },
	{ "--filters: .: Is a directory", { IN, "--filters", "." } },
	{ "--filters: two.f32 has 8 bytes, but 100 filters of 9 numbers, 4 bytes each, have 3600",
		{ IN, "--filters", "two.f32" } },
	{ "--filters: empty.y4m has 0 bytes, but 1 filters of 9 numbers, 4 bytes each, have 36",
		{ IN, "--filters", "empty.y4m", "--filter-count", "1" } },
	{ "--classifier: two.f32 has more, 8 bytes, but 1 rows of 1 numbers, 4 bytes each, have 4",
		{ IN, "--classifier", "two.f32", "--filter-count", "1", "--rows", "1" } },
	{ "--classifier: two.f32 has 8 bytes, but 3 rows of 1 numbers",
		{ IN, "--classifier", "two.f32", "--filter-count", "1", "--rows", "3" } },
	{ "--classifier: nan.f32: number 1 is nan: they are finite",
		{ IN, "--classifier", "nan.f32", "--filter-count", "1", "--rows", "2" } },
	{ "--distance: '0' is not a number above 0", { IN, "--output", "a.txt", "--distance", "0" } },
	{ "--distance: 'near' is not", { IN, "--output", "a.txt", "--distance", "near" } },
	{ "--distance: 'nan' is not", { IN, "--output", "a.txt", "--distance", "nan" } },
	{ "--distance says what is written: it needs --output", { IN, "--distance", "5" } },
	{ "--dump: in.gray: Not a directory", { IN, "--dump", "in.gray" } },
	{ "--dump needs a name", { IN, "--dump", "" } },
	{ "--filters and --output name the same file",
		{ IN, "--filters", "two.f32", "--output", "two.f32" } },
	{ "--classifier and --rates name the same file",
		{ IN, "--classifier", "two.f32", "--rates", "two.f32" } },
#ifdef HAVE_JANSSON
	{ "--filters and --stats name the same file", { IN, "--filters", "two.f32", "--stats", "two.f32" } },
	{ "--filters and --save-measurements name the same file",
		{ IN, "--filters", "two.f32", "--save-measurements", "two.f32" } },
#endif
	{ "--filters and --trace name the same file",
		{ IN, "--filters", "two.f32", "--trace", "./two.f32" } },
	{ "pipeline 'vivid': ", { IN, "--pipeline", "CG:00:1" } }, /* of two stages */
	{ "pipeline 'vivid': ", { IN, "--pipeline", "CG:000:9", "--cores", "2" } },
	{ "needs a device", { IN, "--pipeline", "DP-CG:111:1" } },
	{ "--pipeline none:010 needs a device: give --device", { IN, "--pipeline", "none:010" } },
	{ "a video has frames of one size, and these inputs have several",
		{ IN, "other.y4m", "--output", "a.y4m" } },
	{ "a.gray", { IN, "--output", "a.gray" } },
};

START_TEST(usage)
{
	static const unsigned char nan[8] = { 0, 0, 0, 0, 0, 0, 0xc0, 0x7f };

	files_text("empty.y4m", "");
	files_text("in.gray", "x");
	files_text("two.f32", "12345678");
	files_write("nan.f32", nan, sizeof nan);
	files_text("narrow.y4m", "YUV4MPEG2 W7 H16 F25:1 Cmono\n");
	files_text("flat.y4m", "YUV4MPEG2 W16 H7 F25:1 Cmono\n");
	files_text("other.y4m", "YUV4MPEG2 W8 H8 F25:1 Cmono\n");
	files_write("wide.gray", "", 0);
	ck_assert_int_eq(truncate("wide.gray", 33000 * 16), 0);
	program_fails(2, usages[_i].words, usages[_i].arguments);
	ck_assert_uint_eq(files_count(), 9);
}
END_TEST

static void write_zeros(const char *name, size_t floats)
{
	void *zeros = calloc(floats, sizeof(float));

	ck_assert_ptr_nonnull(zeros);
	files_write(name, zeros, floats * sizeof(float));
	free(zeros);
}

START_TEST(more_output_errors)
{
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	FAILS(1, "folder: Is a directory", IN, "--output", "folder");
	ck_assert_int_eq(symlink("/dev/full", "full.y4m"), 0);
	FAILS(1, "full.y4m: No space left on device", IN, "--repeat", "2000", "--output", "full.y4m");
	FAILS(1, "missing/out.y4m: No such file or directory", IN, "--output", "missing/out.y4m");
	ck_assert_int_eq(remove("full.y4m"), 0);
	FAILS(2, "--dump: missing/folder: No such file or directory", IN, "--dump", "missing/folder");
	ck_assert_int_eq(mkdir("folder/00000.value.f32", 0777), 0);
	FAILS(1, "folder/00000.value.f32: Is a directory", IN, "--dump", "folder");
	ck_assert_int_eq(rmdir("folder/00000.value.f32"), 0);
	ck_assert_int_eq(symlink("/dev/full", "folder/00000.hist.f32"), 0);
	FAILS(1, "folder/00000.hist.f32: No space left on device", IN, "--dump", "folder");
#ifdef HAVE_JANSSON
	FAILS(1, "pipeline 'vivid' has measured nothing", IN, "--pipeline", "CG:000:1", "--save-measurements",
		"m");
	ck_assert(!files_exists("m"));
#endif
	ck_assert_int_eq(remove("folder/00000.hist.f32"), 0);
	write_zeros("folder/00000.hist.f32", 900);
	FAILS(1, "folder/00000.hist.f32: is read: give --dump another folder", IN, "--filters",
		"folder/00000.hist.f32", "--dump", "folder");
	ck_assert_int_eq(files_size("folder/00000.hist.f32"), 3600);
	remove("folder/00000.value.f32");
	remove("folder/00000.index.u8");
	remove("folder/00000.hist.f32");
	ck_assert_int_eq(remove("folder"), 0);
}
END_TEST

/* The first signal ends the input; what was written is whole, up to the last frame. */
START_TEST(interrupted)
{
	struct run run = { 0 };
	unsigned char *text;
	size_t size;

	program_start(&run, (const char *const[]){ IN, "--repeat", "1000000000", "--output", "out.txt",
				    "--pipeline", "CG:000:1", NULL });
	while (files_size(files_part("out.txt")) < 10000)
		sched_yield();
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "interrupted", "frames/s");
	text = files_read("out.txt", &size);
	ck_assert_int_eq(text[size - 1], '\n');
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

	ck_assert_int_eq(mkfifo("pipe.gray", 0600), 0);
	both = open("pipe.gray", O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(write(both, "0123", 4), 4);
	program_start(&run, (const char *const[]){ "--input", "pipe.gray", "--size", "8x8", CORES, "--output",
				    "out.txt", NULL });
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
	const struct staged_run run = { "vivid", (const char *const[]){ IN, NULL }, "out.txt", 1 };
	Suite *suite = suite_create("vivid_errors");
	TCase *c = files_case(suite, "errors");

	program_find("apps/vivid/vivid", "VIVID");
	tcase_add_checked_fixture(c, staged_set_up, NULL);
	staged_add(c, &run);
	tcase_add_loop_test(c, usage, 0, TEST_COUNT(usages));
	tcase_add_test(c, more_output_errors);
	tcase_add_test(c, interrupted);
	tcase_add_test(c, interrupted_at_a_pipe);
	return test_main(suite);
}
