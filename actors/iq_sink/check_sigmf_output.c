/* SPDX-License-Identifier: MIT */
/* SigMF recordings that are written: what the meta file says, and that both files get their names or
 * neither. */
#include "config.h"

#include "actors/common/check_iq.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPEC(...) PSTK_IQ_OUTPUT(__VA_ARGS__)

static void refuses(const struct pstk_iq_output_spec *spec, int err, const char *text)
{
	char error[PSTK_IQ_ERROR_SIZE] = "?";
	struct pstk_iq_output *output = (struct pstk_iq_output *)1;
	int got = pstk_iq_output_open(&output, spec, error, sizeof(error));

	ck_assert_str_eq(error, text);
	ck_assert_int_eq(got, err);
	ck_assert_ptr_null(output);
	ck_assert_uint_eq(files_count(), 0);
}

#ifdef HAVE_JANSSON
#include <jansson.h>

/* The whole of the meta file, member by member, in any order. */
static void expect_meta(const char *expected)
{
	json_error_t error;
	json_t *got = json_load_file("a.sigmf-meta", JSON_REJECT_DUPLICATES, &error);
	json_t *wanted = json_loads(expected, 0, NULL);

	ck_assert_msg(got != NULL, "%s", error.text);
	ck_assert_ptr_nonnull(wanted);
	ck_assert_msg(json_equal(got, wanted), "%s", json_dumps(got, 0));
	json_decref(got);
	json_decref(wanted);
}

START_TEST(recording)
{
	enum { N = 70001 };
	unsigned char *bytes = files_random((size_t)N * 8, 1);
	struct pstk_iq_input *input;
	struct pstk_iq_info info;

	iq_write(SPEC(.path = "a.sigmf-meta", .sample_rate = 30.72e6, .frequency = -2.5e9,
			 .description = "a \"test\",\n\xc3\xa9"),
		bytes, N);
	ck_assert_uint_eq(files_count(), 2);
	iq_expect_file("a.sigmf-data", bytes, (size_t)N * 8);
	expect_meta("{\"global\": {\"core:datatype\": \"cf32_le\", \"core:version\": \"1.0.0\","
		    " \"core:sample_rate\": 30720000.0, \"core:recorder\": \"penstock " PSTK_VERSION "\","
		    " \"core:description\": \"a \\\"test\\\",\\n\\u00e9\"},"
		    " \"captures\": [{\"core:sample_start\": 0, \"core:frequency\": -2500000000.0}],"
		    " \"annotations\": []}");
	input = iq_open(PSTK_IQ_INPUT(.path = "a.sigmf-meta"));
	ck_assert_int_eq(pstk_iq_input_get_info(input, &info), 0);
	ck_assert_double_eq(info.sample_rate, 30.72e6);
	ck_assert_double_eq(info.frequency, -2.5e9);
	ck_assert_uint_eq(info.samples, N);
	pstk_iq_input_close(input);
	iq_expect(PSTK_IQ_INPUT(.path = "a.sigmf-data"), bytes, N, 50000);
	/* what is not known is not said */
	iq_write(SPEC(.path = "./a.sigmf-data"), bytes, 0);
	expect_meta("{\"global\": {\"core:datatype\": \"cf32_le\", \"core:version\": \"1.0.0\","
		    " \"core:recorder\": \"penstock " PSTK_VERSION "\"},"
		    " \"captures\": [{\"core:sample_start\": 0}], \"annotations\": []}");
	iq_expect(PSTK_IQ_INPUT(.path = "a.sigmf-meta"), NULL, 0, 5);
	ck_assert_uint_eq(files_count(), 2);
	free(bytes);
}
END_TEST

/* Files of an older run, one of them a link, stay as they were until the last moment. */
START_TEST(older_files)
{
	unsigned char *bytes = files_random(80, 2);
	struct pstk_iq_output *output;
	float re[10], im[10];

	files_text("real", "old data");
	ck_assert_int_eq(symlink("real", "a.sigmf-data"), 0);
	files_text("a.sigmf-meta", "old meta");
	iq_split(bytes, re, im, 10);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(pstk_iq_output_open(&output, SPEC(.path = "a.sigmf-data"), NULL, 0), 0);
		ck_assert_int_eq(pstk_iq_output_write(output, re, im, 10), 0);
		iq_expect_file("a.sigmf-data", "old data", 8);
		iq_expect_file("a.sigmf-meta", "old meta", 8);
		ck_assert_uint_eq(files_count(), 5);
		if (i)
			ck_assert_int_eq(pstk_iq_output_complete(output), 0);
		pstk_iq_output_close(output);
		ck_assert_uint_eq(files_count(), 3);
	}
	iq_expect_file("real", bytes, 80);
	iq_expect(PSTK_IQ_INPUT(.path = "a.sigmf-meta"), bytes, 10, 4);
	free(bytes);
}
END_TEST

/* Each system call of complete() fails in turn, with and without an older recording: both files are the
 * new ones or both are the old ones, and there is none beside them. Without links (the first call but
 * two closes) it goes on. */
START_TEST(both_or_neither)
{
	unsigned failures = 0, whole = 0;
	float re = 1, im = 2;

	for (bool more = true; more; failures += more) {
		for (int old = 0; old < 2; old++) {
			struct pstk_iq_output *output;
			int err;

			if (old) {
				files_text("a.sigmf-data", "old data");
				files_text("a.sigmf-meta", "old meta");
			}
			ck_assert_int_eq(
				pstk_iq_output_open(&output, SPEC(.path = "a.sigmf-meta"), NULL, 0), 0);
			ck_assert_int_eq(pstk_iq_output_write(output, &re, &im, 1), 0);
			files_fail_system(failures + 1);
			err = pstk_iq_output_complete(output);
			more = files_system_failed();
			ck_assert(err == 0 || (more && err == -EIO));
			if (err)
				ck_assert_str_eq(
					pstk_iq_output_error(output), "a.sigmf-meta: Input/output error");
			pstk_iq_output_close(output);
			ck_assert_uint_eq(files_count(), err && !old ? 0 : 2);
			if (err && old) {
				iq_expect_file("a.sigmf-data", "old data", 8);
				iq_expect_file("a.sigmf-meta", "old meta", 8);
			} else if (!err) {
				iq_expect(PSTK_IQ_INPUT(.path = "a.sigmf-meta"),
					(const unsigned char *)"\0\0\200\77\0\0\0\100", 1, 2);
				whole += more;
			}
			if (!err || old) {
				ck_assert_int_eq(remove("a.sigmf-data"), 0);
				ck_assert_int_eq(remove("a.sigmf-meta"), 0);
			}
		}
	}
	/* close, close, link, rename, rename */
	ck_assert_uint_eq(failures, 5);
	ck_assert_uint_eq(whole, 2);
}
END_TEST

/* The meta file's name is a folder by now. */
START_TEST(second_name_taken)
{
	struct pstk_iq_output *output;
	float re = 1, im = 2;

	files_text("a.sigmf-data", "old data");
	ck_assert_int_eq(pstk_iq_output_open(&output, SPEC(.path = "a.sigmf-meta"), NULL, 0), 0);
	ck_assert_int_eq(mkdir("a.sigmf-meta", 0777), 0);
	ck_assert_int_eq(pstk_iq_output_write(output, &re, &im, 1), 0);
	ck_assert_int_eq(pstk_iq_output_complete(output), -EISDIR);
	ck_assert_str_eq(pstk_iq_output_error(output), "a.sigmf-meta: Is a directory");
	pstk_iq_output_close(output);
	iq_expect_file("a.sigmf-data", "old data", 8);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

/* So is the data file's: the folder stays. */
START_TEST(first_name_taken)
{
	struct pstk_iq_output *output;
	float re = 1, im = 2;

	ck_assert_int_eq(pstk_iq_output_open(&output, SPEC(.path = "a.sigmf-meta"), NULL, 0), 0);
	files_text("a.sigmf-meta", "old meta");
	ck_assert_int_eq(mkdir("a.sigmf-data", 0777), 0);
	files_text("a.sigmf-data/precious", "x");
	ck_assert_int_eq(pstk_iq_output_write(output, &re, &im, 1), 0);
	ck_assert_int_eq(pstk_iq_output_complete(output), -EISDIR);
	TEST_SAYS(pstk_iq_output_error(output), "a.sigmf-data: Is a directory");
	pstk_iq_output_close(output);
	iq_expect_file("a.sigmf-meta", "old meta", 8);
	iq_expect_file("a.sigmf-data/precious", "x", 1);
	ck_assert_uint_eq(files_count(), 2);
	ck_assert_int_eq(remove("a.sigmf-data/precious"), 0);
}
END_TEST

START_TEST(refused)
{
	refuses(SPEC(.path = "a.sigmf-meta", .sample_rate = -1), -EINVAL,
		"a.sigmf-meta: wrong sample rate -1 (SigMF has 1 to 1e12, 0 is unknown)");
	refuses(SPEC(.path = "a.sigmf-meta", .sample_rate = (double)NAN), -EINVAL,
		"a.sigmf-meta: wrong sample rate nan (SigMF has 1 to 1e12, 0 is unknown)");
	refuses(SPEC(.path = "a.sigmf-meta", .sample_rate = (double)INFINITY), -EINVAL,
		"a.sigmf-meta: wrong sample rate inf (SigMF has 1 to 1e12, 0 is unknown)");
	refuses(SPEC(.path = "a.sigmf-data", .frequency = 2e12), -EINVAL,
		"a.sigmf-data: wrong frequency 2e+12 (SigMF has -1e12 to 1e12, 0 is unknown)");
	refuses(SPEC(.path = "a.sigmf-data", .frequency = (double)NAN), -EINVAL,
		"a.sigmf-data: wrong frequency nan (SigMF has -1e12 to 1e12, 0 is unknown)");
	refuses(SPEC(.path = "a.sigmf-meta", .description = "\xff"), -EINVAL,
		"a.sigmf-meta: its description is no UTF-8");
	refuses(SPEC(.path = "none/a.sigmf-meta"), -ENOENT, "none/a.sigmf-meta: No such file or directory");
}
END_TEST

/* One of the names is there and is no regular file. */
START_TEST(wrong_files)
{
	static const char *const parts[] = { "a.sigmf-meta", "a.sigmf-data" };
	char error[PSTK_IQ_ERROR_SIZE], text[80];
	struct pstk_iq_output *output;

	for (int i = 0; i < 2; i++) {
		/* opening a FIFO would wait for a reader */
		for (int fifo = 0; fifo < 2; fifo++) {
			ck_assert_int_eq(fifo ? mkfifo(parts[i], 0600) : symlink("/dev/null", parts[i]), 0);
			snprintf(text, sizeof(text), "%s: a SigMF recording is two regular files", parts[i]);
			ck_assert_int_eq(pstk_iq_output_open(
						 &output, SPEC(.path = "a.sigmf-meta"), error, sizeof(error)),
				-EINVAL);
			ck_assert_str_eq(error, text);
			ck_assert_int_eq(remove(parts[i]), 0);
		}
		ck_assert_int_eq(mkdir(parts[i], 0777), 0);
		snprintf(text, sizeof(text), "%s: Is a directory", parts[i]);
		ck_assert_int_eq(
			pstk_iq_output_open(&output, SPEC(.path = "a.sigmf-meta"), error, sizeof(error)),
			-EISDIR);
		ck_assert_str_eq(error, text);
		ck_assert_int_eq(remove(parts[i]), 0);
		ck_assert_uint_eq(files_count(), 0);
	}
}
END_TEST

/* Each allocation in turn fails, jansson's too. */
START_TEST(out_of_memory)
{
	unsigned failures = 0;

	json_set_alloc_funcs(malloc, free);
	for (bool more = true; more; failures += more) {
		struct pstk_iq_output *output;
		char error[PSTK_IQ_ERROR_SIZE];
		int err;

		test_fail_allocation(failures + 1);
		err = pstk_iq_output_open(&output,
			SPEC(.path = "a.sigmf-meta", .sample_rate = 1, .frequency = 1, .description = "x"),
			error, sizeof(error));
		if (!err)
			err = pstk_iq_output_complete(output);
		more = test_allocation_failed();
		ck_assert_int_eq(err, more ? -ENOMEM : 0);
		if (err)
			TEST_SAYS(output ? pstk_iq_output_error(output) : error, "emory");
		pstk_iq_output_close(output);
		ck_assert_uint_eq(files_count(), err ? 0 : 2);
	}
	ck_assert_uint_ge(failures, 20);
}
END_TEST

/* All is as of a recording, but for its files. */
START_TEST(dry)
{
	float x = 0;
	struct pstk_iq_output *output;

	ck_assert_int_eq(pstk_iq_output_open(&output, SPEC(.path = "a.sigmf-meta", .dry = true), NULL, 0), 0);
	ck_assert_int_eq(pstk_iq_output_write(output, &x, &x, 1), 0);
	ck_assert_int_eq(pstk_iq_output_complete(output), 0);
	pstk_iq_output_close(output);
	refuses(SPEC(.path = "none/a.sigmf-meta", .dry = true), -ENOENT,
		"none/a.sigmf-meta: No such file or directory");
	refuses(SPEC(.path = "a.sigmf-meta", .sample_rate = 0.5, .dry = true), -EINVAL,
		"a.sigmf-meta: wrong sample rate 0.5 (SigMF has 1 to 1e12, 0 is unknown)");
}
END_TEST
#else
START_TEST(without_jansson)
{
	refuses(SPEC(.path = "a.sigmf-meta"), -ENOTSUP,
		"a.sigmf-meta: this build has no jansson, which writing SigMF needs");
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("sigmf_output");
	TCase *tests = files_case(suite, "sigmf");

#ifdef HAVE_JANSSON
	tcase_add_test(tests, recording);
	tcase_add_test(tests, older_files);
	tcase_add_test(tests, both_or_neither);
	tcase_add_test(tests, second_name_taken);
	tcase_add_test(tests, first_name_taken);
	tcase_add_test(tests, refused);
	tcase_add_test(tests, wrong_files);
	tcase_add_test(tests, out_of_memory);
	tcase_add_test(tests, dry);
#else
	tcase_add_test(tests, without_jansson);
#endif
	return test_main(suite);
}
