/* SPDX-License-Identifier: MIT */
/* Inputs of cf32_le, from files and pipes, the generated signal, and what is wrong with them. */
#include "config.h"

#include "actors/common/cf32.h"
#include "actors/common/check_iq.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPEC(...) PSTK_IQ_INPUT(__VA_ARGS__)

static uint64_t samples_of(const struct pstk_iq_input *input)
{
	struct pstk_iq_info info;

	ck_assert_int_eq(pstk_iq_input_get_info(input, &info), 0);
	ck_assert_double_eq(info.sample_rate, 0);
	ck_assert_double_eq(info.frequency, 0);
	return info.samples;
}

static void expect_info(const struct pstk_iq_input_spec *spec, uint64_t samples)
{
	struct pstk_iq_input *input = iq_open(spec);

	ck_assert_uint_eq(samples_of(input), samples);
	pstk_iq_input_close(input);
}

/* Random bytes are floats of every kind: each is there bit by bit, NaNs too, whatever is read at once. */
START_TEST(from_a_file)
{
	enum { N = 40001 };
	unsigned char *bytes = files_random((size_t)N * 8, 1);

	files_write("a.cf32", bytes, (size_t)N * 8);
	iq_expect(SPEC(.path = "a.cf32"), bytes, N, 1);
	iq_expect(SPEC(.path = "a.cf32"), bytes, N, 1000);
	iq_expect(SPEC(.path = "a.cf32"), bytes, N, 100000);
	iq_expect(SPEC(.path = "a.cf32", .samples = 12345), bytes, 12345, 100);
	iq_expect(SPEC(.path = "a.cf32", .samples = N + 1), bytes, N, 100);
	expect_info(SPEC(.path = "a.cf32"), N);
	expect_info(SPEC(.path = "a.cf32", .samples = 12345), 12345);
	expect_info(SPEC(.path = "a.cf32", .samples = N + 1), N);
	free(bytes);
}
END_TEST

/* A generated signal has none, and stdin's is unknown. */
START_TEST(file_of_the_samples)
{
	struct pstk_iq_input *input;

	files_text("a.cf32", "01234567");
	input = iq_open(SPEC(.path = "./a.cf32"));
	ck_assert_str_eq(pstk_iq_input_file(input), "./a.cf32");
	pstk_iq_input_close(input);
	input = iq_open(SPEC(.path = "-"));
	ck_assert_ptr_null(pstk_iq_input_file(input));
	pstk_iq_input_close(input);
	ck_assert_ptr_null(pstk_iq_input_file(NULL));
}
END_TEST

START_TEST(empty)
{
	int ends[2], saved = dup(STDIN_FILENO);

	files_text("a.cf32", "");
	iq_expect(SPEC(.path = "a.cf32"), NULL, 0, 10);
	expect_info(SPEC(.path = "a.cf32"), 0);
	ck_assert_int_eq(pipe(ends), 0);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	iq_expect(SPEC(.path = "-"), NULL, 0, 10);
	dup2(saved, STDIN_FILENO);
	close(saved);
}
END_TEST

/* Where the program wants at least one sample, none is an error when it is opened; what a pipe's look for its first
 * byte has taken is there. */
START_TEST(refuse_empty)
{
	unsigned char *bytes = files_random(80, 9);
	int ends[2], saved = dup(STDIN_FILENO);

	files_text("a.cf32", "");
	iq_refuses(SPEC(.path = "a.cf32", .refuse_empty = true), -ENODATA, "a.cf32: is empty");
	files_write("a.cf32", bytes, 80);
	iq_expect(SPEC(.path = "a.cf32", .refuse_empty = true), bytes, 10, 3);
	for (size_t size = 0; size <= 80; size += 80) {
		ck_assert_int_eq(pipe(ends), 0);
		ck_assert_int_eq(write(ends[1], bytes, size), (ssize_t)size);
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		if (size)
			iq_expect(SPEC(.path = "-", .refuse_empty = true), bytes, 10, 3);
		else
			iq_refuses(SPEC(.path = "-", .refuse_empty = true), -ENODATA, "stdin: is empty");
	}
	ck_assert_ptr_nonnull(freopen("/", "r", stdin));
	iq_refuses(SPEC(.path = "/dev/fd/0", .refuse_empty = true), -EISDIR, "/dev/fd/0: Is a directory");
	dup2(saved, STDIN_FILENO);
	close(saved);
	free(bytes);
}
END_TEST

struct feeder {
	int fd;
	const unsigned char *bytes;
	size_t size, step;
};

/* Writes in steps that fit nothing. */
static void *feed(void *arg)
{
	struct feeder *f = arg;

	for (size_t at = 0; at < f->size; at += f->step)
		ck_assert_int_gt(
			write(f->fd, f->bytes + at, f->size - at < f->step ? f->size - at : f->step), 0);
	close(f->fd);
	return NULL;
}

/* A thread that writes the bytes into what stdin is then. */
static pthread_t feed_stdin(struct feeder *feeder)
{
	pthread_t thread;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_ge(dup2(ends[0], STDIN_FILENO), 0);
	close(ends[0]);
	feeder->fd = ends[1];
	ck_assert_int_eq(pthread_create(&thread, NULL, feed, feeder), 0);
	return thread;
}

START_TEST(from_pipes)
{
	enum { N = 30011 };
	unsigned char *bytes = files_random((size_t)N * 8, 2);
	static const char *const names[] = { "-", "/dev/stdin", "/dev/fd/0", "pipe" };
	int saved = dup(STDIN_FILENO);

	ck_assert_int_eq(symlink("/dev/stdin", "pipe"), 0);
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		struct feeder feeder = { .bytes = bytes, .size = (size_t)N * 8, .step = i % 2 ? 777 : 5001 };
		pthread_t thread = feed_stdin(&feeder);

		iq_expect(SPEC(.path = names[i]), bytes, N, 5000);
		pthread_join(thread, NULL);
	}
	dup2(saved, STDIN_FILENO);
	close(saved);
	free(bytes);
}
END_TEST

/* stdin need not be at its file's beginning, and stays the program's own. */
START_TEST(from_a_file_on_stdin)
{
	unsigned char *bytes = files_random(8005, 3);
	int saved = dup(STDIN_FILENO), fd;

	files_write("a", bytes, 8005);
	fd = open("a", O_RDONLY);
	dup2(fd, STDIN_FILENO);
	ck_assert_int_eq(lseek(STDIN_FILENO, 5, SEEK_SET), 5);
	expect_info(SPEC(.path = "-"), 1000);
	iq_expect(SPEC(.path = "-"), bytes + 5, 1000, 64);
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), 0);
	/* beyond the end */
	ck_assert_int_eq(lseek(STDIN_FILENO, 8010, SEEK_SET), 8010);
	iq_expect(SPEC(.path = "-"), NULL, 0, 64);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fd);
	free(bytes);
}
END_TEST

/* A limit does not say a pipe's length. */
START_TEST(limited_pipe)
{
	unsigned char *bytes = files_random(80, 4);
	int fd;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR);
	ck_assert_int_eq(write(fd, bytes, 80), 80);
	expect_info(SPEC(.path = "pipe", .samples = 7), UINT64_MAX);
	iq_expect(SPEC(.path = "pipe", .samples = 7), bytes, 7, 3);
	close(fd);
	free(bytes);
}
END_TEST

/* A long path and a size of ten digits leave room for the whole message. */
static void longest_refusal(void)
{
	char name[200], error[PSTK_IQ_ERROR_SIZE];
	struct pstk_iq_input *input;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	files_text(name, "");
	ck_assert_int_eq(truncate(name, 9999999999), 0);
	ck_assert_int_eq(pstk_iq_input_open(&input, SPEC(.path = name), error, sizeof(error)), -EINVAL);
	TEST_SAYS(error, "nnn: 9999999999 bytes", "head -c 9999999992 FILE >COPY");
	ck_assert_int_eq(remove(name), 0);
}

START_TEST(refused)
{
	files_text("odd.cf32", "0123456789abc");
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	files_text("a.sigmf", "");
	files_text("a.sigmf-collection", "");
	iq_refuses(SPEC(.path = "odd.cf32"), -EINVAL,
		"odd.cf32: 13 bytes, read as cf32_le, 8 bytes a sample: is it such a file? If only its end "
		"is "
		"broken: head -c 8 FILE >COPY");
	longest_refusal();
	iq_refuses(SPEC(.path = "folder"), -EISDIR, "folder: Is a directory");
	iq_refuses(SPEC(.path = "none.cf32"), -ENOENT, "none.cf32: No such file or directory");
	iq_refuses(SPEC(.path = "odd.cf32/a"), -ENOTDIR, "odd.cf32/a: Not a directory");
	iq_refuses(SPEC(.path = "a\nb"), -ENOENT, "a\\x0ab: No such file or directory");
	iq_refuses(SPEC(.path = "a.sigmf"), -EINVAL,
		"a.sigmf: is a SigMF archive; unpack it (tar xf) and name its .sigmf-meta file");
	iq_refuses(SPEC(.path = "a.sigmf-collection"), -EINVAL,
		"a.sigmf-collection: is a SigMF collection; name the .sigmf-meta file of a recording");
	iq_refuses(SPEC(.path = "none.sigmf"), -ENOENT, "none.sigmf: No such file or directory");
	if (geteuid() == 0)
		return; /* root may read everything */
	ck_assert_int_eq(chmod("odd.cf32", 0), 0);
	iq_refuses(SPEC(.path = "odd.cf32"), -EACCES, "odd.cf32: Permission denied");
}
END_TEST

/* A path that is cut to its end begins with a whole character. */
START_TEST(long_path)
{
	char path[151], text[PSTK_IQ_ERROR_SIZE];

	for (int i = 0; i < 150; i += 3)
		snprintf(path + i, 4, "\xe2\x82\xac");
	for (int i = 0; i < 3; i++) {
		snprintf(path + 144, 7, "%s", &"123456"[i]);
		snprintf(text, sizeof(text), "...%s: No such file or directory", path + (i == 2 ? 48 : 51));
		iq_refuses(SPEC(.path = path), -ENOENT, text);
	}
}
END_TEST

/* A pipe that ends within a sample: the error comes at the end, and stays. */
START_TEST(cut_pipe)
{
	unsigned char *bytes = files_random(40000 * 8 + 8, 5);
	int saved = dup(STDIN_FILENO);
	float re[64], im[64];

	for (size_t rest = 1; rest < 8; rest++) {
		struct feeder feeder = {
			.bytes = bytes, .size = (rest == 4 ? 40000 : 100) * 8 + rest, .step = 1001
		};
		pthread_t thread = feed_stdin(&feeder);
		struct pstk_iq_input *input = iq_open(SPEC(.path = "-"));
		char text[80];
		int got;

		snprintf(text, sizeof(text), "stdin: ends within sample %zu: %zu of its 8 bytes came",
			feeder.size / 8, rest);
		while ((got = pstk_iq_input_read(input, re, im, 64)) == 64)
			ck_assert_str_eq(pstk_iq_input_error(input), "");
		ck_assert_int_eq(got, -EPROTO);
		ck_assert_str_eq(pstk_iq_input_error(input), text);
		ck_assert_int_eq(pstk_iq_input_read(input, re, im, 1), -EPROTO);
		pstk_iq_input_close(input);
		pthread_join(thread, NULL);
	}
	dup2(saved, STDIN_FILENO);
	close(saved);
	free(bytes);
}
END_TEST

/* What grows is read as long as it was; what becomes shorter is an error. */
START_TEST(changing_file)
{
	unsigned char *bytes = files_random(1600, 6);
	struct pstk_iq_input *input;
	float re[200], im[200];

	files_write("a", bytes, 1600);
	input = iq_open(SPEC(.path = "a"));
	ck_assert_int_eq(truncate("a", 3205), 0);
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, 150), 150);
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, 150), 50);
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, 150), 0);
	pstk_iq_input_close(input);
	ck_assert_int_eq(truncate("a", 1600), 0);
	input = iq_open(SPEC(.path = "a"));
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, 100), 100);
	ck_assert_int_eq(truncate("a", 1203), 0);
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, 100), -EPROTO);
	ck_assert_str_eq(
		pstk_iq_input_error(input), "a: became shorter while it was read: it had 50 samples more");
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, 100), -EPROTO);
	pstk_iq_input_close(input);
	free(bytes);
}
END_TEST

/* Against the classes of the C library. */
START_TEST(not_finite)
{
	struct test_rng rng = { 7 };
	const uint32_t kinds[] = { 0, 0x80000000, 1, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0x7f800000,
		0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x7fbfffff, 0x007fffff, 0x00800000 };
	enum { N = 50003 };
	unsigned char *bytes = calloc(N, 8);
	float *re = calloc(N, sizeof(*re)), *im = calloc(N, sizeof(*im));
	uint64_t expected = 0;
	struct pstk_iq_input *input;

	for (size_t i = 0; i < (size_t)N * 2; i++) {
		uint32_t bits = kinds[test_between(&rng, 0, TEST_COUNT(kinds) - 1)];

		for (unsigned b = 0; b < 4; b++)
			bytes[4 * i + b] = (unsigned char)(bits >> 8 * b);
	}
	files_write("a", bytes, (size_t)N * 8);
	iq_split(bytes, re, im, N);
	input = iq_open(SPEC(.path = "a"));
	for (size_t i = 0, n; i < N; i += n) {
		n = test_between(&rng, 1, 3000);
		n = n < N - i ? n : N - i;
		for (size_t k = i; k < i + n; k++)
			expected += !isfinite(re[k]) || !isfinite(im[k]);
		ck_assert_int_eq(pstk_iq_input_read(input, re + i, im + i, n), (int)n);
		ck_assert_uint_eq(pstk_iq_input_not_finite(input), expected);
	}
	ck_assert_uint_gt(expected, N / 3);
	pstk_iq_input_close(input);
	free(re);
	free(im);
	free(bytes);
}
END_TEST

/* The definition, in doubles. */
static double plain_peak(const float *re, const float *im, size_t n)
{
	double peak = 0;

	for (size_t i = 0; i < n; i++) {
		double magnitude = hypot((double)re[i], (double)im[i]);

		peak = isfinite(magnitude) && magnitude > peak ? magnitude : peak;
	}
	return peak;
}

/* Of all sizes that floats have, whose squares may be none; with infinities and NaNs among them, or only
 * such. */
START_TEST(peak)
{
	static const float scales[] = { 0, 1e-44F, 1e-30F, 1e-16F, 1e-14F, 1e-3F, 1, 1e5F, 1e18F, 1e30F,
		3e38F };
	const float odd[] = { NAN, -NAN, INFINITY, -INFINITY };
	struct test_rng rng = { 11 };
	enum { N = 9001 };
	float *re = calloc(N, sizeof(*re)), *im = calloc(N, sizeof(*im)), *both = calloc(N, 8);

	for (unsigned k = 0; k < 3 * TEST_COUNT(scales); k++) {
		unsigned every = k % 3 == 0 ? 0 : k % 3 == 1 ? 700 : 1; /* one of so many is odd; 0: none */
		struct pstk_iq_input *input;

		for (size_t i = 0; i < 2 * N; i++) {
			float part = (float)test_between(&rng, 0, 2000) / 1000 - 1;

			/* the second half may be larger */
			part *= i < N ? scales[k / 3] : scales[test_between(&rng, 0, k / 3)];
			both[i] = every && test_between(&rng, 1, every) == 1 ? odd[i % 4] : part;
		}
		files_write("a", both, (size_t)N * 8);
		input = iq_open(SPEC(.path = "a"));
		ck_assert(pstk_iq_input_peak(input) == 0);
		for (size_t i = 0, n; i < N; i += n) {
			double expected;

			n = test_between(&rng, 1, 3000);
			n = n < N - i ? n : N - i;
			ck_assert_int_eq(pstk_iq_input_read(input, re + i, im + i, n), (int)n);
			expected = plain_peak(re, im, i + n);
			ck_assert_double_le(fabs(pstk_iq_input_peak(input) - expected), 1e-6 * expected);
		}
		pstk_iq_input_close(input);
	}
	free(re);
	free(im);
	free(both);
}
END_TEST

START_TEST(swapped)
{
	uint32_t words[19];
	unsigned char *bytes = files_random(sizeof(words), 8), got[sizeof(words)];

	for (size_t n = 0; n <= 19; n++) {
		memcpy(words, bytes, sizeof(words));
		ps_words_swap(words, n);
		memcpy(got, words, sizeof(words));
		for (size_t i = 0; i < sizeof(words); i++)
			ck_assert_uint_eq(got[i], bytes[i < 4 * n ? i / 4 * 4 + 3 - i % 4 : i]);
	}
	free(bytes);
}
END_TEST

static void *stop(void *input)
{
	pstk_iq_input_stop(input);
	return NULL;
}

/* A pipe that has a sample and a half: whenever the stop comes, what has come by then is read, then the
 * end. */
START_TEST(stop_wakes_a_read)
{
	float re[16] = { 0 }, im[16] = { 0 };
	int fd;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR);
	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < 20; i++) {
		struct pstk_iq_input *input;
		pthread_t thread;
		char rest[16];
		int got;

		ck_assert_int_eq(write(fd, "0123456789ab", 12), 12);
		input = iq_open(SPEC(.path = "pipe"));
		ck_assert_int_eq(pthread_create(&thread, NULL, stop, input), 0);
		got = pstk_iq_input_read(input, re, im, 16);
		pthread_join(thread, NULL);
		ck_assert_int_ge(got, 0);
		ck_assert_int_le(got, 1);
		ck_assert_str_eq(pstk_iq_input_error(input), "");
		ck_assert_int_eq(pstk_iq_input_read(input, re, im, 16), 0);
		pstk_iq_input_close(input);
		fcntl(fd, F_SETFL, O_NONBLOCK);
		while (read(fd, rest, sizeof(rest)) > 0)
			;
		fcntl(fd, F_SETFL, 0);
	}
	close(fd);
}
END_TEST

#ifdef HAVE_KISSFFT
START_TEST(generated)
{
	enum { N = 40000 };
	float *re = calloc(3 * N, sizeof(*re)), *im = calloc(3 * N, sizeof(*im));

	for (unsigned k = 0; k < 3; k++) {
		struct pstk_iq_input *input = iq_open(SPEC(.seed = k / 2, .samples = k ? N : 0));
		size_t done = 0;
		int got;

		ck_assert_uint_eq(samples_of(input), k ? N : UINT64_MAX);
		for (; done < N; done += (size_t)got) {
			size_t n = k ? 777 : 20000;

			got = pstk_iq_input_read(input, re + k * N + done, im + k * N + done, n);
			ck_assert_int_gt(got, 0);
		}
		ck_assert_uint_eq(done, N);
		ck_assert_uint_eq(pstk_iq_input_not_finite(input), 0);
		if (k > 0) /* blocks of 777 are cut at the end: all that was read is there */
			ck_assert_double_le(
				fabs(pstk_iq_input_peak(input) - plain_peak(re + k * N, im + k * N, N)),
				1e-7);
		pstk_iq_input_stop(input);
		ck_assert_int_eq(pstk_iq_input_read(input, re, im, 1), 0);
		pstk_iq_input_close(input);
	}
	ck_assert(!memcmp(re, re + N, N * sizeof(*re)) && !memcmp(im, im + N, N * sizeof(*im)));
	ck_assert(memcmp(re, re + 2 * N, N * sizeof(*re)) != 0);
	free(re);
	free(im);
}
END_TEST
#else
START_TEST(generated)
{
	iq_refuses(SPEC(.seed = 1), -ENOTSUP, "generated signal: this build has no kissfft, which makes it");
}
END_TEST
#endif

/* Each system call in turn fails while a file, or a pipe, is opened and read. */
START_TEST(system_errors)
{
	static const char *const paths[] = { "a", "pipe", "-" };
	const struct pstk_iq_input_spec spec = { sizeof(spec), paths[_i], 4, 0 };
	int fd, saved = dup(STDIN_FILENO);
	unsigned failures = 0;

	files_text("a", "0123456789abcdef0123456789abcdef");
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR);
	for (bool more = true; more;) {
		char error[PSTK_IQ_ERROR_SIZE] = "", rest[16];
		struct pstk_iq_input *input;
		float re[4], im[4];
		int in = open("a", O_RDONLY), err;

		dup2(in, STDIN_FILENO);
		close(in);
		ck_assert_int_eq(write(fd, "0123456789abcdef0123456789abcdef", 32), 32);
		files_fail_system(failures + 1);
		err = pstk_iq_input_open(&input, &spec, error, sizeof(error));
		if (!err)
			err = pstk_iq_input_read(input, re, im, 4);
		more = files_system_failed();
		ck_assert_int_eq(err, more ? -EIO : 4);
		if (more)
			TEST_SAYS(input ? pstk_iq_input_error(input) : error, "Input/output error");
		pstk_iq_input_close(input);
		fcntl(fd, F_SETFL, O_NONBLOCK);
		while (read(fd, rest, sizeof(rest)) > 0)
			;
		fcntl(fd, F_SETFL, 0);
		failures += more;
	}
	ck_assert_uint_ge(failures, 3);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fd);
}
END_TEST

#define SIZE_IS(size)                                                                      \
	"pstk_iq_input_open: struct_size of its struct pstk_iq_input_spec is " size        \
	", expected 48, or more with zeros behind that: set .struct_size = sizeof(struct " \
	"pstk_iq_input_spec), "                                                            \
	"as pstk_iq_input_spec_init() does"

START_TEST(wrong_arguments)
{
	struct {
		struct pstk_iq_input_spec spec;
		char tail[8];
	} newer;
	struct pstk_iq_input *input;
	struct pstk_iq_info info;
	float x;

	files_text("a", "01234567");
	memset(&newer, 0, sizeof(newer));
	newer.spec = pstk_iq_input_spec_init();
	newer.spec.path = "a";
	newer.spec.struct_size = sizeof(newer);
	input = iq_open(&newer.spec);
	ck_assert_int_eq(pstk_iq_input_read(input, NULL, &x, 1), -EINVAL);
	ck_assert_int_eq(pstk_iq_input_read(input, &x, NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_iq_input_read(input, &x, &x, (size_t)INT_MAX + 1), -EINVAL);
	ck_assert_int_eq(pstk_iq_input_get_info(input, NULL), -EINVAL);
	pstk_iq_input_close(input);
	/* a program of the first release knows nothing of what was added */
	newer.spec.struct_size = offsetof(struct pstk_iq_input_spec, refuse_empty);
	newer.spec.refuse_empty = true;
	files_text("none", "");
	newer.spec.path = "none";
	pstk_iq_input_close(iq_open(&newer.spec));
	ck_assert_int_eq(remove("none"), 0);
	newer.spec = pstk_iq_input_spec_init();
	newer.spec.path = "a";
	newer.spec.struct_size = sizeof(newer);
	newer.tail[3] = 1;
	iq_refuses(&newer.spec, -EINVAL, SIZE_IS("56"));
	newer.spec.struct_size = 12; /* ends within the path */
	iq_refuses(&newer.spec, -EINVAL, SIZE_IS("12"));
	newer.spec.struct_size = 3;
	iq_refuses(&newer.spec, -EINVAL, SIZE_IS("3"));
	newer.spec.struct_size = UINT32_MAX; /* is not read to its end */
	iq_refuses(&newer.spec, -EINVAL, SIZE_IS("4294967295"));
	ck_assert_int_eq(pstk_iq_input_open(NULL, SPEC(.path = "a"), NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_iq_input_open(&input, NULL, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_iq_input_open(&input, SPEC(.path = "none"), NULL, 0), -ENOENT);
	ck_assert_int_eq(pstk_iq_input_read(NULL, &x, &x, 1), -EINVAL);
	ck_assert_int_eq(pstk_iq_input_get_info(NULL, &info), -EINVAL);
	ck_assert_uint_eq(pstk_iq_input_not_finite(NULL), 0);
	ck_assert(pstk_iq_input_peak(NULL) == 0);
	ck_assert_str_eq(pstk_iq_input_error(NULL), "");
	pstk_iq_input_stop(NULL);
	pstk_iq_input_close(NULL);
}
END_TEST

START_TEST(out_of_memory)
{
	static const struct pstk_iq_input_spec specs[] = {
		{ sizeof(struct pstk_iq_input_spec), "a", 0, 0 },
#ifdef HAVE_KISSFFT
		{ sizeof(struct pstk_iq_input_spec), NULL, 0, 0 },
#endif
	};

	files_text("a", "01234567");
	for (size_t i = 0; i < TEST_COUNT(specs); i++) {
		unsigned failures = 0;

		for (bool more = true; more; failures += more) {
			struct pstk_iq_input *input;
			char error[PSTK_IQ_ERROR_SIZE];
			int err;

			test_fail_allocation(failures + 1);
			err = pstk_iq_input_open(&input, &specs[i], error, sizeof(error));
			more = test_allocation_failed();
			ck_assert_int_eq(err, more ? -ENOMEM : 0);
			if (more)
				ck_assert_ptr_nonnull(strstr(error, "emory"));
			pstk_iq_input_close(input);
		}
		ck_assert_uint_ge(failures, 2);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("iq_input");
	TCase *good = files_case(suite, "good"), *bad = files_case(suite, "bad");

	tcase_add_test(good, from_a_file);
	tcase_add_test(good, file_of_the_samples);
	tcase_add_test(good, empty);
	tcase_add_test(good, refuse_empty);
	tcase_add_test(good, from_pipes);
	tcase_add_test(good, from_a_file_on_stdin);
	tcase_add_test(good, limited_pipe);
	tcase_add_test(good, not_finite);
	tcase_add_test(good, peak);
	tcase_add_test(good, swapped);
	tcase_add_test(good, stop_wakes_a_read);
	tcase_add_test(good, generated);
	tcase_add_test(bad, refused);
	tcase_add_test(bad, long_path);
	tcase_add_test(bad, cut_pipe);
	tcase_add_test(bad, changing_file);
	tcase_add_loop_test(bad, system_errors, 0, 3);
	tcase_add_test(bad, wrong_arguments);
	tcase_add_test(bad, out_of_memory);
	return test_main(suite);
}
