/* SPDX-License-Identifier: MIT */
/* The built program: wrong options, inputs and outputs that fail, a signal. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/fm_receiver/check_modulator.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOOD "--input", "in.cf32", "--rate", "250000"

enum { LENGTH = 60000 };

static float *samples;

static void set_up(void)
{
	const struct modulator m = { .rate = 250000, .tone = 1000, .deviation = 75000 };

	samples = modulate(&m, LENGTH);
	files_write("in.cf32", samples, LENGTH * 8);
}

static void tear_down(void)
{
	free(samples);
}

/* Nothing is touched by any of them. */
START_TEST(options)
{
	FAILS(2, "fm_receiver: --input FILE is needed\n", "--rate", "250000");
	FAILS(2, "fm_receiver: --rate HZ is needed: in.cf32 does not say it\n", "--input", "in.cf32");
	FAILS(2, "--rate: '999' is not a number from 1000 to 100000000", "--input", "in.cf32", "--rate",
		"999");
	FAILS(2, "--rate: '2.4M' is not a number", "--input", "in.cf32", "--rate", "2.4M");
	FAILS(2, "--audio: '0' is not a number from 1000 to 384000", GOOD, "--audio", "0");
	FAILS(2, "--deviation: '-5' is not a number", GOOD, "--deviation", "-5");
	FAILS(2, "--deemphasis: '' is not a number", GOOD, "--deemphasis", "");
	FAILS(2, "--format: 'cs16' is not cf32 or cu8", GOOD, "--format", "cs16");
	FAILS(2, "--format cu8: in.cf32 says by its name that it is cf32: leave --format out", GOOD,
		"--format", "cu8");
	FAILS(2, "--format cf32: x/in.CU8 says by its name that it is CU8", "--input", "x/in.CU8", "--rate",
		"250000", "--format", "cf32");
	FAILS(2, "--team: '257' is not a number from 0 to 256", GOOD, "--team", "257");
	FAILS(3, "--device: ", GOOD, "--device", "no-such-device", "--output", "out.wav");
	FAILS(PROGRAM_NO_SELECTOR, "--device: ", GOOD, "--device", "a:b:c:d", "--output", "out.wav");
	FAILS(PROGRAM_NO_SELECTOR, "--device: ", "--print-network", "--rate", "250000", "--device", "");
	FAILS(2, "unexpected argument 'x'", GOOD, "x");
	FAILS(2, "--print-network needs --rate HZ", "--print-network");
	FAILS(2, "--output needs a name", GOOD, "--output", "");
	FAILS(2, "--output a.mp3: what is written is a WAV file, whose name ends in .wav", GOOD, "--output",
		"a.mp3");
	FAILS(2, "--output out: what is written", GOOD, "--output", "out");
	FAILS(2, "--rate 100000 is too low for --deviation 75000: more than 150000", "--input", "in.cf32",
		"--rate", "100000", "--output", "out.wav");
	FAILS(2,
		"--rate 127999 is too low for --stereo, which reaches up to 53 kHz: 128000 or more is needed",
		"--stereo", "--input", "in.cf32", "--rate", "127999", "--deviation", "50000", "--output",
		"out.wav");
	FAILS(2, "--audio 47999 of --rate 250000: a ratio of 47999 / 250000 is too fine", GOOD, "--audio",
		"47999", "--output", "out.wav");
	files_text("same.wav", "former");
	/* what is yet to be, by way of links */
	ck_assert_int_eq(mkdir("sub", 0700), 0);
	ck_assert_int_eq(symlink("sub/second", "first"), 0);
	ck_assert_int_eq(symlink("../none.wav", "sub/second"), 0);
#ifdef HAVE_JANSSON
	FAILS(2, "--output and --stats name the same file", GOOD, "--output", "none.wav", "--stats", "first");
#endif
	ck_assert_int_eq(unlink("sub/second") | unlink("first") | rmdir("sub"), 0);
	FAILS(2, "--input and --output name the same file", "--input", "same.wav", "--rate", "250000",
		"--output", "./same.wav");
	expect_file("same.wav", (const unsigned char *)"former", 6);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(inputs)
{
	struct run run = { .input = (const unsigned char *)samples, .input_size = 40001 };

	files_text("empty.cf32", "");
	files_write("odd.cu8", samples, 4001);
	FAILS(2, "fm_receiver: none.cf32: No such file or directory\n", "--input", "none.cf32", "--rate",
		"250000", "--output", "out.wav");
	FAILS(2, "fm_receiver: empty.cf32: is empty\n", "--input", "empty.cf32", "--rate", "250000",
		"--output", "out.wav");
	FAILS(2, "fm_receiver: stdin: is empty\n", "--input", "-", "--rate", "250000", "--output", "out.wav");
	FAILS(2, "odd.cu8: 4001 bytes, read as cu8, 2 bytes a sample", "--input", "odd.cu8", "--rate",
		"250000");
	FAILS(2, ": Is a directory", "--input", ".", "--rate", "250000");
	/* a pipe's end is known when it is there, and then no file is left */
	RUN(&run, 1, "--input", "-", "--rate", "250000", "--output", "out.wav");
	TEST_SAYS(run.err, "stdin: ends within sample 5000: 1 of its 8 bytes came");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 3);
}
END_TEST

START_TEST(outputs)
{
	struct run run = { .file_limit = 4096 };

	FAILS(1, "/dev/full: No space left on device", GOOD, "--output", "/dev/full");
	FAILS(1, "none/out.wav: No such file or directory", GOOD, "--output", "none/out.wav");
	ck_assert_int_eq(mkdir("folder.wav", 0777), 0);
	FAILS(1, "folder.wav: Is a directory", GOOD, "--output", "folder.wav");
	run.out_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	RUN(&run, 1, GOOD, "--output", "-");
	TEST_SAYS(run.err, "stdout: No space left on device");
	program_free(&run);
	/* what was there stays until the new one is whole */
	files_text("out.wav", "former");
	run = (struct run){ .file_limit = 4096 };
	RUN(&run, 1, GOOD, "--output", "out.wav");
	TEST_SAYS(run.err, "out.wav: File too large");
	program_free(&run);
	expect_file("out.wav", (const unsigned char *)"former", 6);
#ifdef HAVE_JANSSON
	FAILS(1, "/dev/full: No space left on device", GOOD, "--stats", "/dev/full");
#endif
	ck_assert_uint_eq(files_count(), 3);
}
END_TEST

START_TEST(closed_pipe)
{
	struct run run = { .out_fd = program_broken_pipe() };

	RUN(&run, 1, GOOD, "--output", "-");
	TEST_SAYS(run.err, "stdout: Broken pipe");
	program_free(&run);
}
END_TEST

/* The first signal ends the input. What has come is written: two blocks, which are known to be on their way, and what
 * it finds of the third one. */
START_TEST(interrupted)
{
	enum { TWO_BLOCKS = 960, ALL = 1152 };
	unsigned char out[44 + 2 * ALL + 1];
	struct run run = { 0 };
	int in[2], outs[2];
	size_t got = 0;
	ssize_t more;

	ck_assert_int_eq(pipe2(in, O_CLOEXEC) | pipe2(outs, O_CLOEXEC), 0);
	ck_assert_int_eq(write(in[1], samples, 6000 * 8), 6000 * 8);
	run.in_fd = in[0];
	run.out_fd = outs[1];
	program_start(
		&run, (const char *const[]){ "--input", "-", "--rate", "250000", "--output", "-", NULL });
	close(outs[1]);
	while (got < 44 + 2 * TWO_BLOCKS) {
		more = read(outs[0], out + got, 44 + 2 * TWO_BLOCKS - got);
		ck_assert_int_gt(more, 0);
		got += (size_t)more;
	}
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	while ((more = read(outs[0], out + got, sizeof out - got)) > 0)
		got += (size_t)more;
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "fm_receiver: interrupted\n");
	ck_assert_uint_le(got, 44 + 2 * ALL);
	program_free(&run);
	close(in[1]);
	close(outs[0]);
}
END_TEST

START_TEST(said)
{
	struct run run = { 0 };

	RUN(&run, 0, "--help");
	TEST_SAYS((const char *)run.out, "Usage: fm_receiver --input FILE --rate HZ");
	program_free(&run);
	RUN(&run, 0, "--version");
	TEST_SAYS((const char *)run.out, "fm_receiver (penstock) ");
	program_free(&run);
	run.out_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	RUN(&run, 1, "--print-network", "--rate", "250000");
	TEST_SAYS(run.err, "stdout: No space left on device");
	program_free(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fm_receiver_errors");
	TCase *tcase = files_case(suite, "errors");

	program_find("apps/fm_receiver/fm_receiver", "FM_RECEIVER");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, options);
	tcase_add_test(tcase, inputs);
	tcase_add_test(tcase, outputs);
	tcase_add_test(tcase, closed_pipe);
	tcase_add_test(tcase, interrupted);
	tcase_add_test(tcase, said);
	return test_main(suite);
}
