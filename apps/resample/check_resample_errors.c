/* SPDX-License-Identifier: MIT */
/* The built program: pipes, what it says and leaves behind when something is wrong or it is interrupted. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/common/check_wav.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TO_48K "--rate", "48000"
#define WAYS "--input", "in.wav", "--output", "out.wav"

enum { FRAMES = 5000, OUT_FRAMES = 5443 }; /* 5000 x 160 / 147 = 5442.2 */

/* in.wav: two channels of 16 bits */
static unsigned char *bytes;
static size_t size;

static void set_up(void)
{
	struct sound sound = sound_tone(44100, 2, 16, FRAMES, 1000);

	bytes = sound_bytes(&sound, &size);
	sound_free(&sound);
}

static void tear_down(void)
{
	free(bytes);
}

static void write_changed(size_t at, uint32_t value, unsigned count)
{
	unsigned char *copy = malloc(size);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, size);
	for (unsigned i = 0; i < count; i++)
		copy[at + i] = (unsigned char)(value >> 8 * i);
	files_write("in.wav", copy, size);
	free(copy);
}

START_TEST(usage)
{
	FAILS(2, "resample: --input IN.wav is needed\nTry 'resample --help'.\n", "--output", "o.wav", TO_48K);
	FAILS(2, "resample: --output OUT.wav is needed\n", "--input", "in.wav", TO_48K);
	FAILS(2, "resample: --rate HZ or --ratio P/Q is needed\n", WAYS);
	FAILS(3, "--device: ", WAYS, TO_48K, "--device", "no-such-device");
	FAILS(PROGRAM_NO_SELECTOR, "--device: ", WAYS, TO_48K, "--device", "a:b:c:d");
	FAILS(2, "resample: --rate and --ratio exclude each other\n", WAYS, TO_48K, "--ratio", "2/1");
	FAILS(2, "--output o.mp3: what is written is a WAV file, whose name ends in .wav", "--input",
		"in.wav", "--output", "o.mp3", TO_48K);
	FAILS(2, "--input needs a name", "--input", "", "--output", "o.wav", TO_48K);
	FAILS(2, "--output needs a name", "--input", "in.wav", "--output", "", TO_48K);
	FAILS(2, "--stats needs a name", WAYS, TO_48K, "--stats", "");
	FAILS(2, "--ratio: '2' is not a ratio such as 160/147", WAYS, "--ratio", "2");
	FAILS(2, "--ratio: '2/0' is not a ratio", WAYS, "--ratio", "2/0");
	FAILS(2, "--ratio: '0/2' is not a ratio", WAYS, "--ratio", "0/2");
	FAILS(2, "--ratio: '2/3x' is not a ratio", WAYS, "--ratio", "2/3x");
	FAILS(2, "--rate: '0' is not a number from 1 to 4294967295", WAYS, "--rate", "0");
	FAILS(2, "--steps: '0' is not a number from 1 to 1048576, or auto", WAYS, TO_48K, "--steps", "0");
	FAILS(2, "--team: '257' is not a number from 0 to 256", WAYS, TO_48K, "--team", "257");
	FAILS(2, "unexpected argument 'in.wav': is --input meant?", "in.wav");
	FAILS(2, "unrecognized option '--speed'", "--speed", "2");
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

START_TEST(one_file_twice)
{
	files_write("in.wav", bytes, size);
	ck_assert_int_eq(symlink("in.wav", "link.wav"), 0);
	FAILS(2, "--input and --output name the same file", "--input", "in.wav", "--output", "link.wav",
		TO_48K);
	FAILS(2, "--output and --stats name the same file", WAYS, TO_48K, "--stats", "out.wav");
	FAILS(2, "--input and --stats name the same file", WAYS, TO_48K, "--stats", "./in.wav");
	expect_file("in.wav", bytes, size);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(help_and_version)
{
	struct run run = { 0 };

	RUN(&run, 0, "--help");
	TEST_SAYS((const char *)run.out, "Usage: resample --input IN.wav", "Exit status: 0 done");
	program_free(&run);
	RUN(&run, 0, "--version");
	ck_assert_str_eq((const char *)run.out, "resample (penstock) " PACKAGE_VERSION "\n");
	program_free(&run);
	run.out_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	RUN(&run, 1, "--help");
	TEST_SAYS(run.err, "resample: stdout: No space left on device");
	program_free(&run);
}
END_TEST

/* Each is refused by name, and no output is made. */
static void refused(const char *words)
{
	FAILS(2, words, WAYS, TO_48K);
	ck_assert(!files_exists("out.wav"));
}

START_TEST(other_files)
{
	unsigned count = 1;

	FAILS(2, "resample: in.wav: No such file or directory\n", WAYS, TO_48K);
	FAILS(2, "resample: .: Is a directory\n", "--input", ".", "--output", "out.wav", TO_48K);
	files_text("in.wav", "");
	refused("resample: in.wav: is empty\n");
	files_text("in.wav", "RIF");
	refused("resample: in.wav: is no WAV file: ffmpeg");
	files_text("in.wav", "RIFF....AVI LIST....");
	refused("resample: in.wav: is no WAV file: ffmpeg");
	files_text("in.wav", "RF64....WAVEds64");
	refused("in.wav: is an RF64 file, which is not read: ffmpeg");
	files_text("in.wav", "RIFX....WAVEfmt ");
	refused("in.wav: is a RIFX file, big-endian, which is not read: ffmpeg");
	ck_assert_uint_eq(files_count(), count);
}
END_TEST

START_TEST(other_formats)
{
	write_changed(20, 6, 2);
	refused("in.wav: its samples are A-law of 16 bits (tag 6), which is not read; PCM of 16 or 24 bits "
		"and");
	write_changed(20, 7, 2);
	refused("mu-law");
	write_changed(20, 2, 2);
	refused("ADPCM");
	write_changed(20, 0x11, 2);
	refused("ADPCM");
	write_changed(20, 0x55, 2);
	refused("MP3");
	write_changed(20, 0x1234, 2);
	refused("an unknown format of 16 bits (tag 4660)");
	write_changed(20, 0xfffe, 2);
	refused("samples of an unknown format");
	write_changed(20, 3, 2);
	refused("floats of 16 bits");
	write_changed(34, 8, 2);
	refused("PCM of 8 bits");
	write_changed(34, 32, 2);
	refused("PCM of 32 bits");
	write_changed(22, 0, 2);
	refused("has 0 channels: 1 to 64 can be read");
	write_changed(22, 65, 2);
	refused("has 65 channels");
	write_changed(24, 0, 4);
	refused("its fmt chunk is broken: rate 0, 2 channels of 2 bytes in frames of 4 bytes");
	write_changed(32, 3, 2);
	refused("its fmt chunk is broken: rate 44100, 2 channels of 2 bytes in frames of 3 bytes");
	write_changed(16, 15, 4);
	refused("its fmt chunk is broken: 15 bytes");
	write_changed(12, 0, 1);
	refused("has no fmt chunk before its data chunk");
	write_changed(40, 0, 4);
	refused("has no samples");
	write_changed(40, 3, 4);
	refused("has no samples");
}
END_TEST

/* Wherever the head is cut. */
START_TEST(cut_heads)
{
	for (size_t i = 1; i < 48; i++) {
		files_write("in.wav", bytes, i);
		refused(i < 12   ? "is no WAV file"
			: i < 20 ? "has no data chunk: it is cut off, or no sound"
			: i < 36 ? "is cut off within its fmt chunk"
			: i < 44 ? "has no data chunk"
				 : "has no samples");
	}
}
END_TEST

/* Chunks that are of no interest, of odd lengths and behind the samples, too. */
START_TEST(other_chunks)
{
	unsigned char *copy = calloc(1, size + 40);
	struct run run = { 0 };
	struct sound plain, other;

	ck_assert_ptr_nonnull(copy);
	files_write("in.wav", bytes, size);
	RUN(&run, 0, WAYS, TO_48K);
	program_free(&run);
	plain = sound_read("out.wav");
	memcpy(copy, bytes, 12);
	memcpy(copy + 12, "LIST\5\0\0\0abcde\0", 14);
	memcpy(copy + 26, bytes + 12, size - 12);
	memcpy(copy + 14 + size, "LIST\3\0\0\0abc\0", 12);
	files_write("in.wav", copy, size + 26);
	RUN(&run, 0, WAYS, TO_48K);
	ck_assert_ptr_null(strstr(run.err, "warning"));
	program_free(&run);
	other = sound_read("out.wav");
	ck_assert_uint_eq(other.frames, OUT_FRAMES);
	ck_assert_mem_eq(plain.samples, other.samples, OUT_FRAMES * 2 * sizeof(double));
	sound_free(&plain);
	sound_free(&other);
	free(copy);
}
END_TEST

static void expect_frames(size_t frames)
{
	struct sound out = sound_read("out.wav");

	ck_assert_uint_eq(out.frames, frames);
	sound_free(&out);
}

/* The sound until there is kept. */
START_TEST(cut_input)
{
	struct run run = { 0 };

	files_write("in.wav", bytes, 44 + 147 * 4);
	RUN(&run, 0, WAYS, TO_48K);
	TEST_SAYS(
		run.err, "resample: warning: in.wav: is cut off: its header says 5000 frames, 147 are there");
	program_free(&run);
	expect_frames(160);
	files_write("in.wav", bytes, 44 + 147 * 4 + 3);
	RUN(&run, 0, WAYS, TO_48K);
	TEST_SAYS(run.err, "5000 frames, 147 are there");
	program_free(&run);
	expect_frames(160);
	write_changed(40, 147 * 4 + 1, 4);
	RUN(&run, 0, WAYS, TO_48K);
	TEST_SAYS(run.err, "resample: warning: in.wav: ends within a frame, which is dropped\n");
	program_free(&run);
	expect_frames(160);
	run.input = bytes;
	run.input_size = 44 + 294 * 4 + 2;
	RUN(&run, 0, "--input", "-", "--output", "out.wav", TO_48K);
	TEST_SAYS(
		run.err, "resample: warning: stdin: is cut off: its header says 5000 frames, 294 are there");
	program_free(&run);
	expect_frames(320);
}
END_TEST

/* stdin and stdout, each a pipe or a file; programs that do not know the length put the largest one into the header. */
START_TEST(pipes)
{
	static const uint32_t unknown[] = { 0xffffffff, 0x7ffff000 };
	struct run run = { .input = bytes, .input_size = size };
	struct sound out;
	unsigned char *copy;
	int ends[2];

	RUN(&run, 0, "--input", "-", "--output", "-", TO_48K);
	out = sound_parse(run.out, run.out_size);
	ck_assert(!out.unknown);
	ck_assert_uint_eq(out.frames, OUT_FRAMES);
	sound_free(&out);
	program_free(&run);
	for (size_t i = 0; i < TEST_COUNT(unknown); i++) {
		write_changed(40, unknown[i], 4);
		copy = files_read("in.wav", &size);
		run.input = copy;
		run.input_size = size;
		RUN(&run, 0, "--input", "-", "--output", "out.wav", TO_48K);
		ck_assert_ptr_null(strstr(run.err, "warning"));
		program_free(&run);
		expect_frames(OUT_FRAMES);
		RUN(&run, 0, WAYS, TO_48K);
		ck_assert_ptr_null(strstr(run.err, "warning"));
		program_free(&run);
		expect_frames(OUT_FRAMES);
		free(copy);
	}
	/* what came is not what the header said, which can't be changed in a pipe */
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	run.input = bytes;
	run.input_size = 44 + 147 * 4;
	run.out_fd = ends[1];
	RUN(&run, 0, "--input", "-", "--output", "-", TO_48K);
	TEST_SAYS(run.err,
		"resample: warning: stdout: its header, which was written before the end was known, "
		"says 5443 frames, and 160 came");
	close(ends[0]);
	program_free(&run);
}
END_TEST

START_TEST(output_errors)
{
	struct run run = { .file_limit = 4096 };

	files_write("in.wav", bytes, size);
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	FAILS(1, "/dev/full: No space left on device", "--input", "in.wav", "--output", "/dev/full", TO_48K);
	FAILS(1, "missing/out.wav: No such file or directory", "--input", "in.wav", "--output",
		"missing/out.wav", TO_48K);
	FAILS(1, "folder: Is a directory", "--input", "in.wav", "--output", "folder", TO_48K);
	RUN(&run, 1, WAYS, TO_48K);
	TEST_SAYS(run.err, "out.wav: File too large");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 2);
	ck_assert_int_eq(rmdir("folder"), 0);
}
END_TEST

/* Ratios that no filter is made for, rates that a header can't have, outputs that a file can't. */
START_TEST(ratios)
{
	struct run run = { 0 };
	int ends[2];

	files_write("in.wav", bytes, size);
	FAILS(2, "in.wav: its rate times 65537/65536 takes too large a filter: choose", WAYS, "--ratio",
		"65537/65536");
	FAILS(2, "in.wav: its rate times 1000003/44100 takes too large a filter", WAYS, "--rate", "1000003");
	FAILS(2, "in.wav: its rate of 44100 Hz times 1/100000 is no rate that a WAV file can have", WAYS,
		"--ratio", "1/100000");
	FAILS(2, "is no rate that a WAV file can have", WAYS, "--ratio", "100000/1");
	ck_assert_uint_eq(files_count(), 1);
	RUN(&run, 0, WAYS, "--ratio", "1/11");
	TEST_SAYS(run.err, "the output's rate is 4009.091 Hz, and its header has whole ones: it says 4009\n");
	program_free(&run);
	/* 0x60000000 bytes, which become four times as many */
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_eq(write(ends[1], bytes, 40) + write(ends[1], "\0\0\0\x60", 4), 44);
	close(ends[1]);
	run.in_fd = ends[0];
	RUN(&run, 2, "--input", "-", "--output", "out.wav", "--ratio", "4/1");
	TEST_SAYS(run.err,
		"resample: out.wav: would have 1610612736 frames of 4 bytes, and a WAV file has less");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(network)
{
	struct run run = { 0 };

	files_write("in.wav", bytes, size);
	RUN(&run, 0, "--input", "in.wav", TO_48K, "--print-network");
	TEST_SAYS((const char *)run.out, "12 actors, 12 FIFOs", "stage1_2", "proven: free of deadlock");
	program_free(&run);
	RUN(&run, 0, WAYS, TO_48K, "--print-network", "--steps", "3");
	TEST_SAYS((const char *)run.out, "3 steps a firing");
	program_free(&run);
	run.out_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	RUN(&run, 1, "--input", "in.wav", TO_48K, "--print-network");
	TEST_SAYS(run.err, "resample: stdout: No space left on device");
	program_free(&run);
	FAILS(2, "none.wav: No such file", "--input", "none.wav", TO_48K, "--print-network");
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

#ifdef HAVE_JANSSON
static json_int_t figure(const json_t *report, const char *key)
{
	ck_assert_msg(json_is_integer(json_object_get(report, key)), "no %s", key);
	return json_integer_value(json_object_get(report, key));
}

START_TEST(figures)
{
	struct run run = { 0 };
	json_t *report;

	files_write("in.wav", bytes, size);
	RUN(&run, 0, WAYS, TO_48K, "--team", "2", "--stats", "stats.json");
	program_free(&run);
	report = json_load_file("stats.json", 0, NULL);
	ck_assert_ptr_nonnull(report);
	ck_assert_int_eq(figure(report, "input_rate"), 44100);
	ck_assert_int_eq(figure(report, "output_rate"), 48000);
	ck_assert_int_eq(figure(report, "channels"), 2);
	ck_assert_int_eq(figure(report, "bits"), 16);
	ck_assert_int_eq(figure(report, "input_frames"), FRAMES);
	ck_assert_int_eq(figure(report, "output_frames"), OUT_FRAMES);
	ck_assert_int_eq(figure(report, "samples"), 2 * FRAMES);
	ck_assert_int_eq(figure(report, "clipped"), 0);
	ck_assert_int_eq(figure(report, "team"), 2);
	ck_assert_str_eq(json_string_value(json_object_get(report, "stages")), "4/3 8/7 5/7");
	json_decref(report);
	remove("out.wav");
	FAILS(1, "missing/s.json: No such file or directory", WAYS, TO_48K, "--stats", "missing/s.json");
	FAILS(1, "/dev/full: No space left on device", WAYS, TO_48K, "--stats", "/dev/full");
}
END_TEST
#endif

/* The first signal ends the input; what has come is resampled and has its whole length. 200 frames come out when about
 * 240 have been given; which of the 294 that are there are given before the signal, depends. */
START_TEST(interrupted)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct run run = { 0 };
	struct sound whole, out;
	int ends[2];

	files_write("in.wav", bytes, size);
	RUN(&run, 0, WAYS, TO_48K);
	program_free(&run);
	whole = sound_read("out.wav");
	remove("out.wav");
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_eq(write(ends[1], bytes, 44 + 294 * 4), 44 + 294 * 4);
	run.in_fd = ends[0];
	program_start(&run,
		(const char *const[]){ "--input", "-", "--output", "out.wav", TO_48K, "--steps", "1", NULL });
	while (files_size(files_part("out.wav")) < 44 + 200 * 4)
		sched_yield();
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "resample: interrupted\n");
	ck_assert_ptr_null(strstr(run.err, "warning"));
	close(ends[1]);
	out = sound_read("out.wav");
	ck_assert_uint_ge(out.frames, 240);
	ck_assert_uint_le(out.frames, 320);
	ck_assert_mem_eq(out.samples, whole.samples, 200 * 2 * sizeof(double));
	sound_free(&out);
	sound_free(&whole);
	program_free(&run);
}
END_TEST

/* No process reads the FIFO: the first signal's draining can't end, the second one aborts. */
START_TEST(interrupted_twice)
{
	struct run run = { 0 };
	char text[1];
	int reader;

	files_write("in.wav", bytes, size);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	program_start(&run,
		(const char *const[]){ "--input", "in.wav", "--output", "fifo", "--ratio", "20/1", NULL });
	while (read(reader, text, 1) != 1)
		sched_yield();
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(kill(run.pid, SIGINT), 0);
		while (!program_has_taken(&run))
			sched_yield();
	}
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "resample: interrupted, no file was completed\n");
	close(reader);
	program_free(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("resample_errors");
	TCase *c = files_case(suite, "errors");

	program_find("apps/resample/resample", "RESAMPLE");
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, usage);
	tcase_add_test(c, one_file_twice);
	tcase_add_test(c, help_and_version);
	tcase_add_test(c, other_files);
	tcase_add_test(c, other_formats);
	tcase_add_test(c, cut_heads);
	tcase_add_test(c, other_chunks);
	tcase_add_test(c, cut_input);
	tcase_add_test(c, pipes);
	tcase_add_test(c, output_errors);
	tcase_add_test(c, ratios);
	tcase_add_test(c, network);
#ifdef HAVE_JANSSON
	tcase_add_test(c, figures);
#endif
	tcase_add_loop_test(c, interrupted, 0, 3);
	tcase_add_test(c, interrupted_twice);
	return test_main(suite);
}
