/* SPDX-License-Identifier: MIT */
/* The built program: pipes, SigMF, what it says and leaves behind when something is wrong or it is
 * interrupted, its figures and its picture. */
#include "config.h"

#include "apps/common/check_gnuplot.h"
#include "apps/common/check_program.h"
#include "apps/predistortion/check_model.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GENERATED "--synthetic", "5000", "--block", "1000"

enum { LENGTH = 70000 };

static float *input;
static double *expected; /* of all branches that are built in */

static void set_up(void)
{
	static const uint32_t all = 0x3ff;
	struct coefficients ten;

	ck_assert_int_eq(coefficients_load(&ten, NULL), 0);
	input = model_input(LENGTH, 10);
	expected = calloc(2 * LENGTH, sizeof(*expected));
	ck_assert_ptr_nonnull(expected);
	model_run(&ten, &all, 1, 65536, input, LENGTH, expected);
	coefficients_free(&ten);
}

static void tear_down(void)
{
	free(input);
	free(expected);
}

/* What was said after the network's line. */
static const char *said(const struct run *run)
{
	const char *after = strstr(run->err, "of FIFO memory");

	ck_assert_ptr_nonnull(after);
	return after;
}

static void expect_samples(const char *path, size_t n)
{
	size_t size;
	unsigned char *got = files_read(path, &size);

	ck_assert_uint_eq(size, n * 8);
	model_expect((const float *)(const void *)got, expected, n, path);
	free(got);
}

/* stdin and stdout, each a pipe, a file or nothing. */
START_TEST(pipes)
{
	static const size_t lengths[] = { 1, 32768, LENGTH };
	struct run run = { 0 };

	for (size_t i = 0; i < TEST_COUNT(lengths); i++) {
		run.input = (const unsigned char *)input;
		run.input_size = lengths[i] * 8;
		RUN(&run, 0, "--input", "-", "--output", "-");
		ck_assert_uint_eq(run.out_size, lengths[i] * 8);
		model_expect((const float *)(const void *)run.out, expected, lengths[i], "a pipe");
		program_free(&run);
	}
	files_write("in.cf32", input, LENGTH * 8);
	run.in_fd = open("in.cf32", O_RDONLY | O_CLOEXEC);
	RUN(&run, 0, "--input", "-", "--output", "out.cf32");
	expect_samples("out.cf32", LENGTH);
	program_free(&run);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

/* It says that the samples are not kept, also where a picture or figures are. */
START_TEST(no_output)
{
	static const char nothing[] = "predistortion: no --output: the samples are not kept\n";
	struct run run = { 0 };

	files_write("in.cf32", input, LENGTH * 8);
	RUN(&run, 0, "--input", "in.cf32");
	ck_assert_uint_eq(run.out_size, 0);
	TEST_SAYS(run.err, nothing);
	TEST_SAYS(said(&run), "70000 samples in ", "samples/s", "busiest actor: ");
	program_free(&run);
	RUN(&run, 0, "--input", "in.cf32", "--output", "/dev/null");
	ck_assert_ptr_null(strstr(run.err, nothing));
	program_free(&run);
#ifdef HAVE_KISSFFT
	RUN(&run, 0, "--input", "in.cf32", "--plot", "/dev/null");
	TEST_SAYS(run.err, nothing);
	program_free(&run);
#endif
#ifdef HAVE_JANSSON
	RUN(&run, 0, "--input", "in.cf32", "--stats", "/dev/null");
	TEST_SAYS(run.err, nothing);
	program_free(&run);
#endif
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* As motion_detection has it: a file, stdin and a recording without a sample are refused, and no output is made. */
START_TEST(empty_input)
{
	files_text("empty.cf32", "");
	files_text("former.cf32", "former");
	FAILS(2, "predistortion: empty.cf32: is empty\n", "--input", "empty.cf32", "--output", "former.cf32");
	FAILS(2, "predistortion: stdin: is empty\n", "--input", "-", "--output", "-");
#ifdef HAVE_JANSSON
	files_text("r.sigmf-data", "");
	files_text("r.sigmf-meta",
		"{\"global\": {\"core:datatype\": \"cf32_le\", \"core:version\": \"1.0.0\"}}");
	FAILS(2, "r.sigmf-data: has no samples\n", "--input", "r.sigmf-meta", "--output", "former.cf32");
	ck_assert_int_eq(remove("r.sigmf-data") | remove("r.sigmf-meta"), 0);
#endif
	expect_file("former.cf32", (const unsigned char *)"former", 6);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(cut_input)
{
	struct run run = { .input = (const unsigned char *)input, .input_size = 40001 };

	files_write("odd.cf32", input, 40001);
	FAILS(2, "odd.cf32: 40001 bytes, read as cf32_le, 8 bytes a sample", "--input", "odd.cf32",
		"--output", "out.cf32");
	/* a pipe's end is known when it is there */
	RUN(&run, 1, "--input", "-", "--output", "out.cf32");
	TEST_SAYS(said(&run), "source", "stdin");
	program_free(&run);
	FAILS(2, "none.cf32: No such file or directory", "--input", "none.cf32", "--output", "out.cf32");
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(not_finite)
{
	struct run run = { .input = (const unsigned char *)input, .input_size = 10000 * 8 };

	input[2 * 7 + 1] = NAN;
	RUN(&run, 0, "--input", "-", "--output", "out.cf32");
	/* it stays in each of the ten taps */
	TEST_SAYS(said(&run), "predistortion: warning: stdin: 1 sample is not finite (NaN or infinite)\n",
		"predistortion: warning: out.cf32: 10 samples are not finite (NaN or infinite)\n");
	ck_assert_ptr_null(strstr(run.err, "scale it"));
	program_free(&run);
}
END_TEST

static size_t not_finite_in(const char *path)
{
	size_t size, count;
	float *got = (float *)(void *)files_read(path, &size);

	count = model_not_finite(got, size / 8);
	free(got);
	return count;
}

/* Integers that have not been scaled. */
START_TEST(large_input)
{
	struct run run = { .input_size = 10000 * 8 };
	char line[128];
	size_t count;

	for (size_t i = 0; i < 2 * 10000; i++)
		input[i] = 2e4F * input[i];
	input[2 * 9] = -1e5F;
	input[2 * 9 + 1] = 0;
	run.input = (const unsigned char *)input;
	RUN(&run, 0, "--input", "-", "--output", "out.cf32");
	TEST_SAYS(said(&run), "predistortion: warning: stdin: the largest magnitude is 1e+05, about 1 is "
			      "expected: scale it\n");
	count = not_finite_in("out.cf32");
	ck_assert_uint_gt(count, 1);
	snprintf(line, sizeof(line), "predistortion: warning: out.cf32: %zu samples are not finite", count);
	TEST_SAYS(said(&run), line);
	program_free(&run);
}
END_TEST

/* Nothing is said of a little headroom; of what is no signal, something else. */
START_TEST(magnitudes)
{
	static const struct {
		float magnitude;
		const char *text;
	} cases[] = {
		{ 1.99F, NULL },
		{ 2.01F, "the largest magnitude is 2.01, about 1 is expected: scale it\n" },
		{ 0x1p31F, "the largest magnitude is 2.15e+09, about 1 is expected: scale it\n" },
		{ 3e38F,
			"the largest magnitude is 3e+38, about 1 is expected: are these cf32_le samples?\n" },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct run run = { .input = (const unsigned char *)input, .input_size = 100 * 8 };

		input[2 * 50] = 0;
		input[2 * 50 + 1] = -cases[i].magnitude;
		RUN(&run, 0, "--input", "-", "--output", "-");
		if (cases[i].text)
			TEST_SAYS(run.err, cases[i].text);
		else
			ck_assert_ptr_null(strstr(run.err, "warning"));
		program_free(&run);
	}
}
END_TEST

#ifdef HAVE_KISSFFT

START_TEST(output_errors)
{
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	files_text("former", "former");
	FAILS(1, "/dev/full: No space left on device", GENERATED, "--output", "/dev/full");
	FAILS(1, "missing/out: No such file or directory", GENERATED, "--output", "missing/out");
	FAILS(1, "folder: Is a directory", GENERATED, "--output", "folder");
	FAILS(1, "missing/plot.svg: No such file or directory", GENERATED, "--output", "former", "--plot",
		"missing/plot.svg");
	FAILS(1, "/dev/full: No space left on device", GENERATED, "--plot", "/dev/full");
#ifdef HAVE_JANSSON
	FAILS(1, "missing/out.json: No such file or directory", GENERATED, "--output", "former", "--plot",
		"plot.svg", "--stats", "missing/out.json");
	FAILS(1, "/dev/full: No space left on device", GENERATED, "--stats", "/dev/full");
#endif
	expect_file("former", (const unsigned char *)"former", 6);
	ck_assert_uint_eq(files_count(), 2);
	ck_assert_int_eq(remove("folder"), 0);
}
END_TEST

START_TEST(full_disk)
{
	struct run run = { .file_limit = 10000 };

	RUN(&run, 1, GENERATED, "--output", "out.cf32");
	TEST_SAYS(said(&run), "sink", "out.cf32: File too large");
	program_free(&run);
	run.file_limit = 10000;
	RUN(&run, 1, GENERATED, "--plot", "plot.svg");
	TEST_SAYS(said(&run), "plot.svg: File too large");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

/* stdout is a pipe that no process reads any more. */
START_TEST(closed_pipe)
{
	struct run run = { .out_fd = program_broken_pipe() };

	RUN(&run, 1, "--synthetic", "1000000000", "--output", "-", "--plot", "plot.svg");
	TEST_SAYS(said(&run), "sink", "stdout: Broken pipe");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

START_TEST(devices)
{
	files_text("one.json",
		"{\"branches\": [{\"order\": 1, \"conjugate\": false, \"taps\": [[1, 0]]}], \"lo\": [0, 0]}");
	FAILS(3, "'no-such-device'", GENERATED, "--device", "no-such-device", "--output", "out.cf32");
	FAILS(3, "'no-such-device'", "--device", "cores,no-such-device,cores", "--print-network");
	FAILS(PROGRAM_NO_SELECTOR, "--device: ", GENERATED, "--device", "a:b:c:d", "--output", "out.cf32");
	FAILS(2,
		"2 selectors, but there must be one for all, three for the polynomial, the filters and the "
		"adder, or 12, one for each of them\n",
		GENERATED, "--device", "cores,cores");
	FAILS(2,
		"19 selectors, but there must be one for all, three for the polynomial, the filters and the "
		"adder, or 12,",
		GENERATED, "--device", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19");
	FAILS(2, "4 selectors, but there must be one for all", GENERATED, "--device",
		"cores,cores,cores,cores");
	FAILS(2, "the adder, or 12, one for each", "--print-network", "--device",
		"cores,cores,cores,cores,cores");
#ifdef HAVE_JANSSON
	FAILS(2,
		"4 selectors, but there must be one for all or three, for the polynomial, the filter and the "
		"adder\n",
		GENERATED, "--device", "cores,cores,cores,cores", "--coefficients", "one.json");
#endif
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

START_TEST(not_enough_memory)
{
	FAILS(1, "its FIFOs take", GENERATED, "--depth", "4294967295", "--output", "out.cf32");
	FAILS(1, "\npredistortion: smaller --block, --rate or --depth take less memory\n", GENERATED,
		"--depth", "4294967295", "--output", "out.cf32");
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

/* The first signal ends the input; what was written is whole. */
START_TEST(interrupted)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct run run = { 0 };

	program_start(&run, (const char *const[]){ "--synthetic", "100000000000", "--block", "1000",
				    "--output", "out.cf32", "--plot", "plot.svg", NULL });
	while (files_size(files_part("out.cf32")) < 8000)
		sched_yield();
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(said(&run), "predistortion: interrupted\n", "samples/s");
	ck_assert_int_ge(files_size("out.cf32"), 8000);
	ck_assert_int_eq(files_size("out.cf32") % 8000, 0);
	ck_assert_uint_eq(files_count(), 2);
	program_free(&run);
}
END_TEST

#ifdef HAVE_JANSSON
#define STATS , "--stats", "s.json"
#else
#define STATS
#endif

/* No process reads the FIFO: the first signal's draining can't end, the second aborts. */
START_TEST(interrupted_twice)
{
	static const int signals[] = { SIGINT, SIGHUP };
	struct run run = { 0 };
	char text[1];
	int reader;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	program_start(&run, (const char *const[]){ "--synthetic", "100000000000", "--output", "pipe",
				    "--plot", "plot.svg" STATS, NULL });
	while (read(reader, text, 1) != 1)
		sched_yield();
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
		while (!program_has_taken(&run))
			sched_yield();
	}
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(said(&run), "interrupted, no file was completed");
	ck_assert_uint_eq(files_count(), 1);
	close(reader);
	program_free(&run);
}
END_TEST

/* Before the input and the output are there a signal ends it at once. */
START_TEST(interrupted_at_a_fifo)
{
	struct run run = { 0 };

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	program_start(&run,
		_i ? (const char *const[]){ "--input", "pipe", "--output", "out.cf32", NULL }
		   : (const char *const[]){ GENERATED, "--output", "pipe", "--plot", "plot.svg", NULL });
	program_await_asleep(&run, SIGINT);
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	ck_assert_uint_eq(files_count(), 1);
	program_free(&run);
}
END_TEST

/* SIGUSR1 makes snapshots while the network runs; before and afterwards nothing happens. */
START_TEST(snapshot_at_a_fifo)
{
	struct run run = { 0 };
	int writer;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	program_start(&run, (const char *const[]){ "--input", "pipe", "--output", "out.cf32", NULL });
	program_await_asleep(&run, SIGINT);
	ck_assert_int_eq(kill(run.pid, SIGUSR1), 0);
	writer = open("pipe", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(writer, 0);
	ck_assert_int_eq(write(writer, "12345678", 8), 8);
	close(writer);
	program_wait(&run);
	ck_assert_int_eq(run.status, 0);
	ck_assert_int_eq(files_size("out.cf32"), 8);
	program_free(&run);
}
END_TEST

START_TEST(snapshots)
{
	for (uint64_t i = 0; i < test_rounds(TEST_SANITIZED ? 5 : 20); i++) {
		struct run run = { 0 };

		program_start(&run, (const char *const[]){ GENERATED, "--output", "out.cf32", NULL });
		program_pester(&run, SIGUSR1, test_seed() + i);
		program_wait(&run);
		ck_assert_int_eq(run.status, 0);
		ck_assert_uint_eq(files_count(), 1);
		ck_assert_int_eq(remove("out.cf32"), 0);
		program_free(&run);
	}
}
END_TEST

/* On a terminal there is a line that is written over and over. */
START_TEST(progress_on_a_terminal)
{
	char text[65536];
	size_t size = 0;
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct run run = { 0 };

	if (master < 0) {
		printf("no pseudo-terminal here: the progress line is not tested\n");
		return;
	}
	ck_assert_int_eq(grantpt(master) | unlockpt(master), 0);
	run.err_fd = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	program_start(&run, (const char *const[]){ "--synthetic", "99999999999", NULL });
	for (const char *line = NULL; !line;) {
		ssize_t got = read(master, text + size, sizeof(text) - 1 - size);

		ck_assert_int_gt(got, 0);
		size += (size_t)got;
		text[size] = '\0';
		line = strstr(text, " of 99999999999 samples, ");
	}
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	close(master);
	program_free(&run);
}
END_TEST

/* Of hardly any samples, too. Six actors more draw it: the spectra of both signals, the transmitter for each
 * and the spectra of what these send. */
START_TEST(plot)
{
	static const char *const lengths[] = { "1", "100000" };
	struct run run = { 0 };
	unsigned char *picture;
	size_t size;

	RUN(&run, 0, "--synthetic", lengths[_i], "--plot", "plot.svg");
	ck_assert_ptr_nonnull(strstr(run.err, "21 actors, 58 FIFOs"));
	TEST_SAYS(said(&run), _i ? "\n100000 samples in " : "\n1 sample in ");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 1);
	picture = files_read("plot.svg", &size);
	picture[size] = '\0';
	TEST_SAYS((const char *)picture, "<svg", "</svg>");
	free(picture);
}
END_TEST

#else

START_TEST(no_kissfft)
{
	files_write("in.cf32", (const float[]){ 0, 0 }, 8);
	FAILS(2, "no kissfft", GENERATED);
	FAILS(2, "--plot: this build has no kissfft", "--input", "in.cf32", "--plot", "plot.svg");
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

#endif

#ifdef HAVE_JANSSON

#include <jansson.h>

START_TEST(sigmf)
{
	struct run run = { 0 };
	json_t *meta, *global, *captures;
	double rate, frequency;

	files_write("in.sigmf-data", input, LENGTH * 8);
	files_text("in.sigmf-meta", "{\"global\": {\"core:datatype\": \"cf32_le\", \"core:version\": "
				    "\"1.0.0\", \"core:sample_rate\": 30.72e6},"
				    " \"captures\": [{\"core:sample_start\": 0, \"core:frequency\": 2.4e9}], "
				    "\"annotations\": []}");
	RUN(&run, 0, "--input", _i ? "in.sigmf-data" : "in.sigmf-meta", "--output",
		_i ? "out.sigmf-data" : "out.sigmf-meta");
	program_free(&run);
	expect_samples("out.sigmf-data", LENGTH);
	meta = json_load_file("out.sigmf-meta", JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(meta);
	global = json_object_get(meta, "global");
	captures = json_object_get(meta, "captures");
	ck_assert_str_eq(json_string_value(json_object_get(global, "core:datatype")), "cf32_le");
	rate = json_number_value(json_object_get(global, "core:sample_rate"));
	frequency = json_number_value(json_object_get(json_array_get(captures, 0), "core:frequency"));
	ck_assert_double_eq(rate, 30.72e6);
	ck_assert_double_eq(frequency, 2.4e9);
	json_decref(meta);
	ck_assert_uint_eq(files_count(), 4);
	/* what metadata name is no output either */
	files_write("foo.bin", input, 80);
	files_text("d.sigmf-meta", "{\"global\": {\"core:datatype\": \"cf32_le\", \"core:version\": "
				   "\"1.0.0\", \"core:dataset\": \"foo.bin\"}, \"captures\": []}");
	FAILS(2, "--input and --output name the same file", "--input", "d.sigmf-meta", "--output", "foo.bin");
	FAILS(2, "--input and --stats name the same file", "--input", "d.sigmf-meta", "--stats", "./foo.bin");
	FAILS(2, "--input and --plot name the same file", "--input", "d.sigmf-meta", "--plot", "foo.bin");
	expect_file("foo.bin", (const unsigned char *)input, 80);
	ck_assert_int_eq(remove("foo.bin") | remove("d.sigmf-meta"), 0);
	/* nor can a FIFO be one of two files */
	ck_assert_int_eq(mkfifo(_i ? "f.sigmf-data" : "f.sigmf-meta", 0600), 0);
	FAILS(2, ": a SigMF recording is two regular files", "--input", "in.sigmf-meta", "--output",
		"f.sigmf-meta");
	FAILS(2, ": a SigMF recording is two regular files", "--input", "in.sigmf-meta", "--output",
		"f.sigmf-data");
	ck_assert_int_eq(remove(_i ? "f.sigmf-data" : "f.sigmf-meta"), 0);
	files_text("in.sigmf-meta", "{\"global\": {\"core:datatype\": \"ci16_le\", \"core:version\": "
				    "\"1.0.0\"}, \"captures\": []}");
	FAILS(2, "in.sigmf-meta", "--input", "in.sigmf-meta", "--output", "other.cf32");
	ck_assert_uint_eq(files_count(), 4);
}
END_TEST

#endif

#if defined(HAVE_JANSSON) && defined(HAVE_KISSFFT)

static json_int_t integer(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	ck_assert_msg(json_is_integer(value), "%s", key);
	return json_integer_value(value);
}

static const char *string(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	ck_assert_msg(json_is_string(value), "%s", key);
	return json_string_value(value);
}

static json_t *load_stats(void);

/* A name need not be UTF-8, JSON must be. */
START_TEST(any_name)
{
	static const char name[] = "s\xff\xc3\xa9\xed\xa0\x80\xf0\x9f\x98\x80\xe2\x82";
	struct run run = { 0 };
	json_t *stats;

	files_text(name, "1111111111\n");
	RUN(&run, 0, GENERATED, "--active", name, "--stats", "s.json");
	program_free(&run);
	stats = load_stats();
	ck_assert_str_eq(string(stats, "active"), "s\ufffd\u00e9\ufffd\ufffd\ufffd\U0001f600\ufffd\ufffd");
	json_decref(stats);
}
END_TEST

static json_t *load_stats(void)
{
	json_error_t error;
	json_t *stats = json_load_file("s.json", JSON_REJECT_DUPLICATES, &error);

	ck_assert_msg(stats != NULL, "%s", error.text);
	return stats;
}

static void expect_actors(const json_t *actors)
{
	ck_assert_uint_eq(json_array_size(actors), 15);
	for (size_t i = 0; i < 15; i++) {
		const json_t *actor = json_array_get(actors, i);
		char name[32];

		snprintf(name, sizeof(name),
			i == 0    ? "source"
			: i == 1  ? "conf"
			: i == 2  ? "poly"
			: i == 13 ? "adder"
			: i == 14 ? "sink"
				  : "fir%zu",
			i - 2);
		ck_assert_str_eq(string(actor, "name"), name);
		ck_assert(json_is_null(json_object_get(actor, "device")));
		/* 7 windows of 1000 and one of 42; fir1 and fir2 are always on, 3 to 10 in the second and
		 * fourth period */
		if (i != 1)
			ck_assert_int_eq(integer(actor, "firings"), i > 4 && i < 13 ? 4 : 8);
	}
}

START_TEST(statistics)
{
	struct run run = { 0 };
	json_t *stats;
	double seconds, rate;

	files_text("sets", "1100000000\n1111111111\n1100000000\n1111111111\n");
	RUN(&run, 0, "--synthetic", "7042", "--block", "500", "--rate", "2", "--period", "2000", "--active",
		"sets", "--team", "0", "--stats", "s.json");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 2);
	stats = load_stats();
	seconds = json_real_value(json_object_get(stats, "seconds"));
	rate = json_real_value(json_object_get(stats, "samples_per_second"));
	ck_assert_str_eq(string(stats, "version"), PSTK_VERSION);
	ck_assert_str_eq(string(stats, "active"), "sets");
	ck_assert_int_eq(integer(stats, "samples"), 7042);
	ck_assert_int_eq(integer(stats, "block"), 500);
	ck_assert_int_eq(integer(stats, "rate"), 2);
	ck_assert_int_eq(integer(stats, "period"), 2000);
	ck_assert_int_eq(integer(stats, "depth"), 2);
	ck_assert_int_eq(integer(stats, "team"), 0);
	ck_assert_int_eq(integer(stats, "branches"), 10);
	ck_assert_int_eq(integer(stats, "reconfigurations"), 3);
	ck_assert_int_eq(integer(stats, "not_finite"), 0);
	ck_assert_double_eq(json_number_value(json_object_get(stats, "sample_rate")), 0);
	ck_assert_double_eq_tol(seconds * rate, 7042, 1e-3);
	ck_assert_int_eq(integer(stats, "fifo_bytes"), 44 * 2 * 4000 + 2 * 6 * 4);
	ck_assert_int_eq(integer(stats, "shared_bytes"), 44 * 2 * 4000 + 6 * 4);
	/* the control tokens' few bytes are rounded up */
	/* large FIFOs begin at different places of a page */
	ck_assert_int_ge(integer(stats, "allocated_bytes"), 44 * 2 * 4000 + 64);
	ck_assert_int_lt(integer(stats, "allocated_bytes"), 44 * (2 * 4000 + 4096) + 64);
	ck_assert_int_eq(integer(stats, "bytes_copied"), 0);
	expect_actors(json_object_get(stats, "actors"));
	ck_assert_uint_eq(json_array_size(json_object_get(stats, "fifos")), 46);
	json_decref(stats);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("predistortion_errors");
	TCase *samples = files_case(suite, "samples"), *running = files_case(suite, "running");

	program_find("apps/predistortion/predistortion", "PREDISTORTION");
	gnuplot_fake(GNUPLOT_DRAWS);
	tcase_add_checked_fixture(samples, set_up, tear_down);
	tcase_add_test(samples, cut_input);
	tcase_add_test(samples, empty_input);
	tcase_add_test(samples, not_finite);
	tcase_add_test(samples, large_input);
	tcase_add_test(samples, magnitudes);
	tcase_add_test(samples, pipes);
	tcase_add_test(samples, no_output);
#ifdef HAVE_KISSFFT
	tcase_add_test(running, output_errors);
	tcase_add_test(running, full_disk);
	tcase_add_test(running, closed_pipe);
	tcase_add_test(running, devices);
	tcase_add_test(running, not_enough_memory);
	tcase_add_loop_test(running, interrupted, 0, 3);
	tcase_add_loop_test(running, interrupted_twice, 0, 2);
	tcase_add_loop_test(running, interrupted_at_a_fifo, 0, 2);
	tcase_add_test(running, snapshot_at_a_fifo);
	tcase_add_test(running, snapshots);
	tcase_add_test(running, progress_on_a_terminal);
	tcase_add_loop_test(running, plot, 0, 2);
#else
	tcase_add_test(running, no_kissfft);
#endif
#ifdef HAVE_JANSSON
	tcase_add_loop_test(samples, sigmf, 0, 2);
#endif
#if defined(HAVE_JANSSON) && defined(HAVE_KISSFFT)
	tcase_add_test(running, statistics);
	tcase_add_test(running, any_name);
#endif
	return test_main(suite);
}
