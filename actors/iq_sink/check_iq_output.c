/* SPDX-License-Identifier: MIT */
/* Outputs: what is in the files, when they get their names, and what is said when something is wrong. */
#include "config.h"

#include "actors/common/check_iq.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPEC(...) PSTK_IQ_OUTPUT(__VA_ARGS__)

static const char *const names[] = {
	"a.cf32",
#ifdef HAVE_JANSSON
	"a.sigmf-meta",
#endif
};

static struct pstk_iq_output *create(const struct pstk_iq_output_spec *spec)
{
	char error[PSTK_IQ_ERROR_SIZE];
	struct pstk_iq_output *output;
	int err = pstk_iq_output_open(&output, spec, error, sizeof(error));

	ck_assert_msg(!err, "%s", error);
	return output;
}

static void refuses(const struct pstk_iq_output_spec *spec, int err, const char *text)
{
	char error[PSTK_IQ_ERROR_SIZE] = "?";
	struct pstk_iq_output *output = (struct pstk_iq_output *)1;
	int got = pstk_iq_output_open(&output, spec, error, sizeof(error));

	if (text)
		ck_assert_str_eq(error, text);
	ck_assert_int_eq(got, err);
	ck_assert_ptr_null(output);
}

/* Bit by bit, in blocks of any size, and back. */
START_TEST(round_trip)
{
	enum { N = 100003 };
	unsigned char *bytes = files_random((size_t)N * 8, 1);

	iq_write(SPEC(.path = "a.cf32"), bytes, N);
	iq_expect_file("a.cf32", bytes, (size_t)N * 8);
	iq_expect(PSTK_IQ_INPUT(.path = "a.cf32"), bytes, N, 30000);
	iq_write(SPEC(.path = "no_ending"), bytes, 3);
	iq_expect_file("no_ending", bytes, 24);
	iq_write(SPEC(.path = "empty"), bytes, 0);
	iq_expect_file("empty", bytes, 0);
	iq_write(SPEC(.path = "/dev/null"), bytes, N);
	ck_assert_uint_eq(files_count(), 3);
	free(bytes);
}
END_TEST

/* Against the classes of the C library; only what was written counts. */
START_TEST(not_finite)
{
	const float kinds[] = { 0, -1, 3e38F, 1e-44F, INFINITY, -INFINITY, NAN, -NAN };
	enum { N = 40003 };
	float *re = calloc(N, sizeof(*re)), *im = calloc(N, sizeof(*im));
	struct pstk_iq_output *output = create(SPEC(.path = "/dev/null")), *full;
	struct test_rng rng = { 5 };
	uint64_t expected = 0;

	for (size_t i = 0; i < N; i++) {
		re[i] = kinds[test_between(&rng, 0, TEST_COUNT(kinds) - 1)];
		im[i] = kinds[test_between(&rng, 0, TEST_COUNT(kinds) - 1)];
	}
	for (size_t i = 0, n; i < N; i += n) {
		n = test_between(&rng, 1, 20000);
		n = n < N - i ? n : N - i;
		for (size_t k = i; k < i + n; k++)
			expected += !isfinite(re[k]) || !isfinite(im[k]);
		ck_assert_int_eq(pstk_iq_output_write(output, re + i, im + i, n), 0);
		ck_assert_uint_eq(pstk_iq_output_not_finite(output), expected);
	}
	ck_assert_uint_gt(expected, N / 3);
	pstk_iq_output_close(output);
	full = create(SPEC(.path = "/dev/full"));
	ck_assert_int_eq(pstk_iq_output_write(full, re, im, N), -ENOSPC);
	ck_assert_uint_eq(pstk_iq_output_not_finite(full), 0);
	pstk_iq_output_close(full);
	ck_assert_uint_eq(pstk_iq_output_not_finite(NULL), 0);
	free(re);
	free(im);
}
END_TEST

static void *drain(void *arg)
{
	unsigned char *to = arg;
	int fd = open("pipe", O_RDONLY);
	ssize_t got;

	while ((got = read(fd, to, 5000)) > 0)
		to += got;
	close(fd);
	return NULL;
}

START_TEST(to_a_pipe)
{
	enum { N = 50001 };
	unsigned char *bytes = files_random((size_t)N * 8, 2), *got = calloc(N + 1000, 8);
	pthread_t thread;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, drain, got), 0);
	iq_write(SPEC(.path = "pipe"), bytes, N);
	pthread_join(thread, NULL);
	ck_assert(!memcmp(got, bytes, (size_t)N * 8));
	free(got);
	free(bytes);
}
END_TEST

START_TEST(to_stdout)
{
	unsigned char *bytes = files_random(80, 3);
	static const char *const paths[] = { "-", "/dev/stdout", "/dev/fd/1" };

	for (size_t i = 0; i < TEST_COUNT(paths); i++) {
		int saved, file;

		fflush(stdout);
		saved = dup(STDOUT_FILENO);
		file = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
		dup2(file, STDOUT_FILENO);
		iq_write(SPEC(.path = paths[i]), bytes, 10);
		dup2(saved, STDOUT_FILENO);
		close(saved);
		close(file);
		iq_expect_file("out", bytes, 80);
		ck_assert_uint_eq(files_count(), 1);
	}
	free(bytes);
}
END_TEST

START_TEST(named_when_whole)
{
	unsigned char *bytes = files_random(80, 4);
	struct pstk_iq_output *output;
	float re[10], im[10];

	files_text("real", "old");
	ck_assert_int_eq(symlink("real", "a.cf32"), 0);
	iq_split(bytes, re, im, 10);
	output = create(SPEC(.path = "a.cf32"));
	ck_assert_int_eq(pstk_iq_output_write(output, re, im, 10), 0);
	ck_assert(files_exists(files_part("real")));
	iq_expect_file("real", "old", 3);
	ck_assert_int_eq(pstk_iq_output_complete(output), 0);
	ck_assert_str_eq(files_part("real"), "");
	iq_expect_file("real", bytes, 80);
	ck_assert_int_eq(pstk_iq_output_write(output, re, im, 10), -EINVAL);
	ck_assert_int_eq(pstk_iq_output_complete(output), -EINVAL);
	pstk_iq_output_close(output);
	iq_expect_file("a.cf32", bytes, 80);
	ck_assert_uint_eq(files_count(), 2);
	free(bytes);
}
END_TEST

static mode_t mode_of(const char *name)
{
	struct stat status;

	ck_assert_int_eq(stat(name, &status), 0);
	return status.st_mode & 07777;
}

/* What takes a file's place gets that file's permissions; a new file gets those that umask leaves. */
START_TEST(permissions)
{
	static const mode_t modes[] = { 0600, 0444, 0666 };
	unsigned char *bytes = files_random(80, 5);
	mode_t former = umask(027);

	for (size_t i = 0; i < TEST_COUNT(modes); i++) {
		files_text("a.cf32", "old");
		ck_assert_int_eq(chmod("a.cf32", modes[i]), 0);
		iq_write(SPEC(.path = "a.cf32"), bytes, 10);
		ck_assert_int_eq(mode_of("a.cf32"), modes[i]);
		iq_expect_file("a.cf32", bytes, 80);
		ck_assert_int_eq(remove("a.cf32"), 0);
	}
	iq_write(SPEC(.path = "a.cf32"), bytes, 10);
	ck_assert_int_eq(mode_of("a.cf32"), 0640);
	umask(former);
	free(bytes);
}
END_TEST

/* Links whose file is not there yet lead to it, from folder to folder; a circle leads nowhere. */
START_TEST(links)
{
	unsigned char *bytes = files_random(80, 6);

	ck_assert_int_eq(mkdir("folder", 0777), 0);
	ck_assert_int_eq(symlink("folder/second", "first"), 0);
	ck_assert_int_eq(symlink("../real", "folder/second"), 0);
	iq_write(SPEC(.path = "first"), bytes, 10);
	iq_expect_file("real", bytes, 80);
	iq_write(SPEC(.path = "./first"), bytes, 5);
	iq_expect_file("real", bytes, 40);
	ck_assert_uint_eq(files_count(), 3);
	ck_assert_int_eq(remove("folder/second"), 0);
	ck_assert_int_eq(symlink("../first", "folder/second"), 0);
	refuses(SPEC(.path = "first"), -ELOOP, "first: Too many levels of symbolic links");
	ck_assert_int_eq(remove("folder/second"), 0);
	refuses(SPEC(.path = "first/x"), -ENOENT, "first/x: No such file or directory");
	ck_assert_int_eq(remove("first"), 0);
	ck_assert_int_eq(symlink("none/x", "first"), 0);
	refuses(SPEC(.path = "first"), -ENOENT, "first: No such file or directory");
	free(bytes);
}
END_TEST

/* All names that a file may have; a part's name is cut between characters. */
START_TEST(long_names)
{
	unsigned char *bytes = files_random(80, 7);
	char name[300], part[300], *end = name;

	for (int length = 0; length < 255; length += 3, end += 3)
		snprintf(end, 4, "\xe2\x82\xac");
	for (int i = 0; i < 6; i++) {
		char path[310];
		struct pstk_iq_output *output;

		snprintf(path, sizeof(path), "%s%.*s%s", i % 2 ? "./" : "", i % 3, "xy", name + 3);
		output = create(SPEC(.path = path));
		snprintf(part, sizeof(part), "%s", files_part("*"));
		ck_assert_uint_gt(strlen(part), 200);
		ck_assert_uint_lt(strlen(part), 240);
		ck_assert_int_eq(strchr(part, '.')[-1], '\xac');
		ck_assert_int_eq(pstk_iq_output_complete(output), 0);
		pstk_iq_output_close(output);
		iq_expect_file(path, "", 0);
		ck_assert_uint_eq(files_count(), 1);
		ck_assert_int_eq(remove(path), 0);
	}
	snprintf(end, 4, "xyz");
	iq_write(SPEC(.path = name + 3), bytes, 10);
	iq_expect_file(name + 3, bytes, 80);
	refuses(SPEC(.path = name), -ENAMETOOLONG, NULL);
	free(bytes);
}
END_TEST

/* Without complete() nothing is left, and nothing that was there is gone. */
START_TEST(removed_when_not_whole)
{
	float zeros[10] = { 0 };

	for (size_t i = 0; i < 2 * TEST_COUNT(names); i++) {
		struct pstk_iq_output *output = create(SPEC(.path = names[i / 2]));

		ck_assert_int_eq(pstk_iq_output_write(output, zeros, zeros, 10), 0);
		pstk_iq_output_close(output);
		ck_assert_uint_eq(files_count(), 0);
		/* stopped before its samples, or after some of them */
		output = create(SPEC(.path = names[i / 2]));
		if (i % 2)
			ck_assert_int_eq(pstk_iq_output_write(output, zeros, zeros, 10), 0);
		pstk_iq_output_stop(output);
		if (!(i % 2))
			ck_assert_int_eq(pstk_iq_output_write(output, zeros, zeros, 10), -ECANCELED);
		ck_assert_int_eq(pstk_iq_output_complete(output), -ECANCELED);
		TEST_SAYS(pstk_iq_output_error(output), names[i / 2], ": stopped");
		ck_assert_int_eq(pstk_iq_output_complete(output), -ECANCELED);
		pstk_iq_output_close(output);
		ck_assert_uint_eq(files_count(), 0);
	}
}
END_TEST

START_TEST(refused)
{
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	files_text("file", "");
	refuses(SPEC(.path = "folder"), -EISDIR, "folder: Is a directory");
	refuses(SPEC(.path = "none/a"), -ENOENT, "none/a: No such file or directory");
	refuses(SPEC(.path = "file/a"), -ENOTDIR, "file/a: Not a directory");
	refuses(SPEC(.path = "a.sigmf"), -EINVAL,
		"a.sigmf: a SigMF recording is written as NAME.sigmf-meta, no other way");
	refuses(SPEC(.path = "a.sigmf-collection"), -EINVAL,
		"a.sigmf-collection: a SigMF recording is written as NAME.sigmf-meta, no other way");
	ck_assert_uint_eq(files_count(), 2);
	if (geteuid() == 0)
		return; /* root may write everywhere */
	ck_assert_int_eq(chmod(".", 0500), 0);
	refuses(SPEC(.path = "a"), -EACCES, "a: Permission denied");
	ck_assert_int_eq(chmod(".", 0700), 0);
}
END_TEST

/* Writes until it fails or is complete; the error, which stays. */
static int fill(struct pstk_iq_output *output, unsigned blocks)
{
	static float zeros[5000];
	int err = 0;

	for (unsigned i = 0; i < blocks && !err; i++)
		err = pstk_iq_output_write(output, zeros, zeros, TEST_COUNT(zeros));
	if (!err)
		err = pstk_iq_output_complete(output);
	ck_assert_int_eq(pstk_iq_output_write(output, zeros, zeros, 1), err);
	ck_assert_int_eq(pstk_iq_output_complete(output), err);
	return err;
}

START_TEST(full_device)
{
	struct pstk_iq_output *output;

	ck_assert_int_eq(symlink("/dev/full", "full"), 0);
	output = create(SPEC(.path = "full"));
	ck_assert_int_eq(fill(output, 3), -ENOSPC);
	ck_assert_str_eq(pstk_iq_output_error(output), "full: No space left on device");
	pstk_iq_output_close(output);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* Files that can't grow beyond some bytes: too few for the samples, or even for the meta file. */
START_TEST(full_disk)
{
	static const rlim_t limits[] = { 50000, 100 };

	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < 2 * TEST_COUNT(names); i++) {
		const char *name = names[i / 2];
		struct rlimit limit = { limits[i % 2], RLIM_INFINITY }, former;
		struct pstk_iq_output *output;
		char error[PSTK_IQ_ERROR_SIZE];
		int err;

		ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &former), 0);
		limit.rlim_max = former.rlim_max;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		err = pstk_iq_output_open(&output, SPEC(.path = name), error, sizeof(error));
		if (!err) {
			err = fill(output, 100);
			snprintf(error, sizeof(error), "%s", pstk_iq_output_error(output));
		}
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &former), 0);
		ck_assert_int_eq(err, -EFBIG);
		TEST_SAYS(error, name, ": File too large");
		pstk_iq_output_close(output);
		ck_assert_uint_eq(files_count(), 0);
	}
}
END_TEST

START_TEST(closed_pipe)
{
	struct pstk_iq_output *output;
	int reader;

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	output = create(SPEC(.path = "pipe"));
	close(reader);
	ck_assert_int_eq(fill(output, 1), -EPIPE);
	ck_assert_str_eq(pstk_iq_output_error(output), "pipe: Broken pipe");
	pstk_iq_output_close(output);
	ck_assert(files_exists("pipe"));
}
END_TEST

static void *stop(void *output)
{
	pstk_iq_output_stop(output);
	return NULL;
}

/* No process reads the pipe: whenever the stop comes, writing ends. */
START_TEST(stop_wakes_a_write)
{
	static float zeros[100000];
	int reader;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	for (int i = 0; i < 20; i++) {
		struct pstk_iq_output *output = create(SPEC(.path = "pipe"));
		pthread_t thread;

		ck_assert_int_eq(pthread_create(&thread, NULL, stop, output), 0);
		ck_assert_int_eq(pstk_iq_output_write(output, zeros, zeros, 100000), -ECANCELED);
		pthread_join(thread, NULL);
		ck_assert_str_eq(pstk_iq_output_error(output), "pipe: stopped");
		pstk_iq_output_close(output);
	}
	close(reader);
}
END_TEST

/* Each system call in turn fails: it is said, and nothing is left. */
START_TEST(system_errors)
{
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		unsigned failures = 0;

		for (bool more = true; more; failures += more) {
			char error[PSTK_IQ_ERROR_SIZE] = "";
			struct pstk_iq_output *output;
			float zeros[10] = { 0 };
			int err;

			files_fail_system(failures + 1);
			err = pstk_iq_output_open(&output, SPEC(.path = names[i]), error, sizeof(error));
			if (!err)
				err = pstk_iq_output_write(output, zeros, zeros, 10);
			if (!err)
				err = pstk_iq_output_complete(output);
			more = files_system_failed();
			/* without links a recording gets its names, too */
			ck_assert(err == (more ? -EIO : 0) || (i && !err));
			if (err)
				TEST_SAYS(output ? pstk_iq_output_error(output) : error, "a.",
					"Input/output error");
			pstk_iq_output_close(output);
			ck_assert_uint_eq(files_count(), err ? 0 : i + 1);
			if (!err) {
				remove("a.cf32");
				remove("a.sigmf-meta");
				remove("a.sigmf-data");
			}
		}
		ck_assert_uint_ge(failures, 5);
	}
}
END_TEST

#define SIZE_IS(size)                                                                      \
	"pstk_iq_output_open: struct_size of its struct pstk_iq_output_spec is " size      \
	", expected 48, or more with zeros behind that: set .struct_size = sizeof(struct " \
	"pstk_iq_output_spec), "                                                           \
	"as pstk_iq_output_spec_init() does"

START_TEST(wrong_arguments)
{
	struct {
		struct pstk_iq_output_spec spec;
		char tail[8];
	} newer;
	struct pstk_iq_output *output;
	float x = 0;

	memset(&newer, 0, sizeof(newer));
	newer.spec = pstk_iq_output_spec_init();
	newer.spec.path = "a";
	newer.spec.struct_size = sizeof(newer);
	output = create(&newer.spec);
	ck_assert_int_eq(pstk_iq_output_write(output, NULL, &x, 1), -EINVAL);
	ck_assert_int_eq(pstk_iq_output_write(output, &x, NULL, 1), -EINVAL);
	pstk_iq_output_close(output);
	/* an older program has something else where `dry` is now */
	newer.spec.struct_size = offsetof(struct pstk_iq_output_spec, dry);
	newer.spec.dry = true;
	output = create(&newer.spec);
	ck_assert_int_eq(pstk_iq_output_complete(output), 0);
	ck_assert(files_exists("a"));
	pstk_iq_output_close(output);
	newer.spec.dry = false;
	newer.spec.struct_size = sizeof(newer);
	newer.tail[0] = 1;
	refuses(&newer.spec, -EINVAL, SIZE_IS("56"));
	newer.spec.struct_size = 12; /* ends within the path */
	refuses(&newer.spec, -EINVAL, SIZE_IS("12"));
	newer.spec.struct_size = 0;
	refuses(&newer.spec, -EINVAL, SIZE_IS("0"));
	newer.spec.struct_size = UINT32_MAX; /* is not read to its end */
	refuses(&newer.spec, -EINVAL, SIZE_IS("4294967295"));
	refuses(SPEC(.path = NULL), -EINVAL, "wrong arguments");
	refuses(SPEC(.path = ""), -EINVAL, "wrong arguments");
	ck_assert_int_eq(pstk_iq_output_open(NULL, NULL, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_iq_output_write(NULL, &x, &x, 1), -EINVAL);
	ck_assert_int_eq(pstk_iq_output_complete(NULL), -EINVAL);
	ck_assert_str_eq(pstk_iq_output_error(NULL), "");
	pstk_iq_output_stop(NULL);
	pstk_iq_output_close(NULL);
}
END_TEST

START_TEST(out_of_memory)
{
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		unsigned failures = 0;

		for (bool more = true; more; failures += more) {
			struct pstk_iq_output *output;
			float zeros[10] = { 0 };
			int err;

			test_fail_allocation(failures + 1);
			err = pstk_iq_output_open(&output, SPEC(.path = names[i]), NULL, 0);
			if (!err)
				err = pstk_iq_output_write(output, zeros, zeros, 10);
			if (!err)
				err = pstk_iq_output_complete(output);
			pstk_iq_output_close(output);
			more = test_allocation_failed();
			ck_assert_int_eq(err, more ? -ENOMEM : 0);
			if (err)
				ck_assert_uint_eq(files_count(), 0);
		}
		ck_assert_uint_ge(failures, 2);
		remove("a.cf32");
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("iq_output");
	TCase *files = files_case(suite, "files"), *errors = files_case(suite, "errors");

	tcase_add_test(files, round_trip);
	tcase_add_test(files, not_finite);
	tcase_add_test(files, to_a_pipe);
	tcase_add_test(files, to_stdout);
	tcase_add_test(files, named_when_whole);
	tcase_add_test(files, removed_when_not_whole);
	tcase_add_test(files, permissions);
	tcase_add_test(files, links);
	tcase_add_test(files, long_names);
	tcase_add_test(errors, refused);
	tcase_add_test(errors, full_device);
	tcase_add_test(errors, full_disk);
	tcase_add_test(errors, closed_pipe);
	tcase_add_test(errors, stop_wakes_a_write);
	tcase_add_test(errors, system_errors);
	tcase_add_test(errors, wrong_arguments);
	tcase_add_test(errors, out_of_memory);
	return test_main(suite);
}
