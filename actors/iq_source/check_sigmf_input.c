/* SPDX-License-Identifier: MIT */
/* SigMF recordings that are read: what the meta file says, and what is wrong with it. */
#include "config.h"

#include "actors/common/check_iq.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPEC(...) PSTK_IQ_INPUT(__VA_ARGS__)
#define META(global, rest) "{\"global\": {\"core:datatype\": \"cf32_le\"" global "}" rest "}"

#ifdef HAVE_JANSSON
#include <jansson.h>

static void expect(
	const char *path, double rate, double frequency, const unsigned char *bytes, size_t samples)
{
	struct pstk_iq_input *input = iq_open(SPEC(.path = path));
	struct pstk_iq_info info;

	ck_assert_int_eq(pstk_iq_input_get_info(input, &info), 0);
	ck_assert_double_eq(info.sample_rate, rate);
	ck_assert_double_eq(info.frequency, frequency);
	ck_assert_uint_eq(info.samples, samples);
	pstk_iq_input_close(input);
	iq_expect(SPEC(.path = path), bytes, samples, 50);
}

START_TEST(recordings)
{
	unsigned char *bytes = files_random(808, 1);

	files_write("a.sigmf-data", bytes, 800);
	files_text("a.sigmf-meta", META("", ""));
	expect("a.sigmf-meta", 0, 0, bytes, 100);
	expect("a.sigmf-data", 0, 0, bytes, 100);
	files_text("a.sigmf-meta",
		META(", \"core:version\": \"1.2.3\", \"core:sample_rate\": 30720000, \"core:num_channels\": "
		     "1",
			", \"captures\": [{\"core:sample_start\": 0, \"core:frequency\": 2.4e9},"
			" {\"core:sample_start\": 7, \"core:frequency\": 1}], \"annotations\": [{\"x\": "
			"[1]}]"));
	expect("a.sigmf-meta", 30.72e6, 2.4e9, bytes, 100);
	expect("./a.sigmf-data", 30.72e6, 2.4e9, bytes, 100);
	files_text("a.sigmf-meta",
		META(", \"core:version\": \"0.0.2\", \"core:sample_rate\": 0.5, \"core:metadata_only\": true,"
		     "\"core:extensions\": [{\"name\": \"x\", \"version\": \"1.0.0\", \"optional\": true}]",
			", \"captures\": [], \"annotations\": []"));
	expect("a.sigmf-meta", 0.5, 0, bytes, 100);
	iq_expect(SPEC(.path = "a.sigmf-meta", .samples = 33), bytes, 33, 50);
	ck_assert_int_eq(truncate("a.sigmf-data", 0), 0);
	expect("a.sigmf-meta", 0.5, 0, NULL, 0);
	free(bytes);
}
END_TEST

/* Samples in a file of another name, with bytes around them, in another folder. */
START_TEST(non_conforming)
{
	unsigned char *bytes = files_random(821, 2);

	ck_assert_int_eq(mkdir("folder", 0777), 0);
	files_write("folder/some.dat", bytes, 821);
	files_text("folder/a.sigmf-meta",
		META(", \"core:dataset\": \"some.dat\", \"core:trailing_bytes\": 8",
			", \"captures\": [{\"core:sample_start\": 0, \"core:header_bytes\": 13.0, "
			"\"core:frequency\": -5}]"));
	expect("folder/a.sigmf-meta", 0, -5, bytes + 13, 100);
	expect("folder/a.sigmf-data", 0, -5, bytes + 13, 100);
	ck_assert_int_eq(truncate("folder/some.dat", 20), 0);
	iq_refuses(SPEC(.path = "folder/a.sigmf-meta"), -EINVAL,
		"folder/some.dat: has 20 bytes, fewer than its 13 header_bytes and 8 trailing_bytes");
	ck_assert_int_eq(truncate("folder/some.dat", 28), 0);
	iq_refuses(SPEC(.path = "folder/a.sigmf-meta"), -EINVAL,
		"folder/some.dat: has 7 bytes between header_bytes and trailing_bytes, and cf32_le is 8 "
		"bytes "
		"a sample: are these counts right?");
	ck_assert_int_eq(remove("folder/some.dat"), 0);
	iq_refuses(
		SPEC(.path = "folder/a.sigmf-meta"), -ENOENT, "folder/some.dat: No such file or directory");
	ck_assert_int_eq(remove("folder/a.sigmf-meta"), 0);
	free(bytes);
}
END_TEST

static void expect_file(const char *path, const char *file)
{
	struct pstk_iq_input *input = iq_open(SPEC(.path = path));

	ck_assert_str_eq(pstk_iq_input_file(input), file);
	pstk_iq_input_close(input);
}

/* Opening a FIFO would wait for its writer; "-" is a file like others here. */
START_TEST(datasets)
{
	const char *const fifo = "b.sigmf-meta";
	unsigned char *bytes = files_random(80, 3);
	int saved = dup(STDIN_FILENO), ends[2];

	files_text("a.sigmf-meta", META("", ""));
	ck_assert_int_eq(mkfifo("a.sigmf-data", 0600), 0);
	iq_refuses(SPEC(.path = "a.sigmf-meta"), -EINVAL,
		"a.sigmf-data: the samples of a recording are a regular file");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	iq_refuses(SPEC(.path = fifo), -EINVAL,
		"b.sigmf-meta: is no metadata: no regular file of at most 64 MiB");
	files_write("-", bytes, 80);
	files_text("a.sigmf-meta", META(", \"core:dataset\": \"-\"", ""));
	ck_assert_int_eq(pipe(ends), 0);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	expect("a.sigmf-meta", 0, 0, bytes, 10);
	expect("./a.sigmf-meta", 0, 0, bytes, 10);
	expect_file("a.sigmf-meta", "./-");
	dup2(saved, STDIN_FILENO);
	close(saved);
	free(bytes);
}
END_TEST

/* The samples' file, whichever of a recording's names was given. */
START_TEST(file_of_the_samples)
{
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	files_text("folder/a.sigmf-data", "01234567");
	files_text("folder/a.sigmf-meta", META("", ""));
	expect_file("folder/a.sigmf-meta", "folder/a.sigmf-data");
	expect_file("folder/a.sigmf-data", "folder/a.sigmf-data");
	files_text("folder/a.sigmf-meta", META(", \"core:dataset\": \"b.bin\"", ""));
	files_text("folder/b.bin", "01234567");
	expect_file("folder/a.sigmf-meta", "folder/b.bin");
	expect_file("folder/a.sigmf-data", "folder/b.bin");
	for (const char *const *name = (const char *const[]){ "a.sigmf-data", "a.sigmf-meta", "b.bin", NULL };
		*name; name++) {
		char path[32];

		snprintf(path, sizeof(path), "folder/%s", *name);
		ck_assert_int_eq(remove(path), 0);
	}
}
END_TEST

static const struct {
	const char *meta;
	int err;
	const char *text;
} wrong[] = {
	{ "", -EINVAL, ":1:0: '[' or '{' expected near end of file" },
	{ "{\"global\": {\"core:datatype\": \"cf32_le\"},\n  \"captures\": [}", -EINVAL,
		":2:16: unexpected token near '}'" },
	{ "{\"global\": {\"core:datatype\": \"cf32_le\"}, \"global\": {}}", -EINVAL,
		":1:49: duplicate object key near '\"global\"'" },
	{ "{\"global\": {\"core:datatype\": \"cf32\nle\"}}", -EINVAL,
		":1:34: unexpected newline near '\"cf32'" },
	{ META(", \"core:sample_rate\": 1e999", ""), -EINVAL, ":1:65: real number overflow near '1e999'" },
	{ "[]", -EINVAL, ": is no SigMF metadata: it has no object \"global\"" },
	{ "{}", -EINVAL, ": is no SigMF metadata: it has no object \"global\"" },
	{ "{\"global\": 5}", -EINVAL, ": is no SigMF metadata: it has no object \"global\"" },
	{ "{\"global\": {}}", -EINVAL, ": has no core:datatype" },
	{ "{\"global\": {\"core:datatype\": 5}}", -EINVAL, ": core:datatype is no text" },
	{ "{\"global\": {\"core:datatype\": \"ci16_le\"}}", -EINVAL,
		": core:datatype ci16_le; only cf32_le and cu8 are read: convert the samples, with numpy or "
		"GNU "
		"Radio" },
	{ "{\"global\": {\"core:datatype\": \"a\\u0007\\nb\"}}", -EINVAL,
		": core:datatype a\\x07\\x0ab; only cf32_le and cu8 are read: convert the samples, with "
		"numpy or GNU "
		"Radio" },
	{ META(", \"core:version\": 1", ""), -EINVAL, ": core:version is no text" },
	{ META(", \"core:version\": \"2.0.0\"", ""), -ENOTSUP, ": SigMF of version 2.0.0; up to 1 is read" },
	{ META(", \"core:num_channels\": 2", ""), -EINVAL,
		": core:num_channels 2; one is read: give each a recording of its own" },
	{ META(", \"core:num_channels\": -1", ""), -EINVAL,
		": core:num_channels is no whole number from 0 on" },
	{ META(", \"core:num_channels\": 1.5", ""), -EINVAL,
		": core:num_channels is no whole number from 0 on" },
	{ META(", \"core:num_channels\": \"1\"", ""), -EINVAL,
		": core:num_channels is no whole number from 0 on" },
	{ META(", \"core:sample_rate\": 0", ""), -EINVAL, ": core:sample_rate 0 is not above 0" },
	{ META(", \"core:sample_rate\": -1.5", ""), -EINVAL, ": core:sample_rate -1.5 is not above 0" },
	{ META(", \"core:sample_rate\": \"1\"", ""), -EINVAL, ": core:sample_rate is no number" },
	{ META(", \"core:dataset\": 1", ""), -EINVAL, ": core:dataset is no text" },
	{ META(", \"core:dataset\": \"\"", ""), -EINVAL,
		": core:dataset \"\" is no name of a file in its own folder" },
	{ META(", \"core:dataset\": \"../b\"", ""), -EINVAL,
		": core:dataset \"../b\" is no name of a file in its own folder" },
	{ META(", \"core:trailing_bytes\": 1e300", ""), -EINVAL,
		": core:trailing_bytes is no whole number from 0 on" },
	{ META(", \"core:extensions\": [{\"name\": \"x\", \"optional\": false}]", ""), -ENOTSUP,
		": needs the extension x, which is unknown here; \"optional\": true lets it be read" },
	{ META(", \"core:extensions\": [5, {\"optional\": false}]", ""), -ENOTSUP,
		": needs the extension without a name, which is unknown here; \"optional\": true lets it be "
		"read" },
	{ META("", ", \"captures\": {}"), -EINVAL, ": captures is no array" },
	{ META("", ", \"captures\": [{}, 5]"), -EINVAL, ": captures[1] is no object" },
	{ META("", ", \"captures\": [{\"core:frequency\": \"x\"}]"), -EINVAL,
		": core:frequency is no number" },
	{ META("", ", \"captures\": [{\"core:header_bytes\": \"x\"}]"), -EINVAL,
		": core:header_bytes is no whole number from 0 on" },
	{ META("", ", \"captures\": [{}, {\"core:header_bytes\": 4}]"), -ENOTSUP,
		": core:header_bytes in captures[1]; they are skipped in the first one only" },
};

START_TEST(wrong_meta)
{
	char text[PSTK_IQ_ERROR_SIZE];

	files_text("a.sigmf-data", "01234567");
	for (size_t i = 0; i < TEST_COUNT(wrong); i++) {
		files_text("a.sigmf-meta", wrong[i].meta);
		snprintf(text, sizeof(text), "a.sigmf-meta%s", wrong[i].text);
		iq_refuses(SPEC(.path = i % 2 ? "a.sigmf-meta" : "a.sigmf-data"), wrong[i].err, text);
	}
}
END_TEST

START_TEST(wrong_files)
{
	const char *const path = "a.sigmf-meta";

	files_text("a.sigmf-data", "01234567");
	iq_refuses(SPEC(.path = "a.sigmf-data"), -ENOENT, "a.sigmf-meta: No such file or directory");
	ck_assert_int_eq(mkdir(path, 0777), 0);
	iq_refuses(SPEC(.path = path), -EISDIR, "a.sigmf-meta: Is a directory");
	ck_assert_int_eq(remove(path), 0);
	ck_assert_int_eq(symlink("/dev/zero", path), 0);
	iq_refuses(SPEC(.path = path), -EINVAL,
		"a.sigmf-meta: is no metadata: no regular file of at most 64 MiB");
	ck_assert_int_eq(remove(path), 0);
	files_text(path, META("", ""));
	ck_assert_int_eq(truncate(path, (64 << 20) + 1), 0);
	iq_refuses(SPEC(.path = path), -EINVAL,
		"a.sigmf-meta: is no metadata: no regular file of at most 64 MiB");
	files_text(path, META("", ""));
	files_text("a.sigmf-data", "0123456789abcde");
	iq_refuses(SPEC(.path = path), -EINVAL,
		"a.sigmf-data: 15 bytes, read as cf32_le, 8 bytes a sample: is it such a file? If only its "
		"end "
		"is broken: head -c 8 FILE >COPY");
	ck_assert_int_eq(remove("a.sigmf-data"), 0);
	iq_refuses(SPEC(.path = path), -ENOENT, "a.sigmf-data: No such file or directory");
	ck_assert_int_eq(mkdir("a.sigmf-data", 0777), 0);
	iq_refuses(SPEC(.path = path), -EISDIR, "a.sigmf-data: Is a directory");
	ck_assert_int_eq(remove("a.sigmf-data"), 0);
	ck_assert_int_eq(symlink("/dev/zero", "a.sigmf-data"), 0);
	iq_refuses(
		SPEC(.path = path), -EINVAL, "a.sigmf-data: the samples of a recording are a regular file");
	ck_assert_int_eq(remove("a.sigmf-data"), 0);
	files_text(path, META(", \"core:metadata_only\": true", ""));
	iq_refuses(SPEC(.path = path), -ENOENT,
		"a.sigmf-meta: describes a signal, but its samples are not there: core:metadata_only");
}
END_TEST

/* A meta file with bytes changed, left out, put in or moved, as often as not still JSON: it opens or is
 * refused in one line, and what opens gives no more samples than there are. */
static void mutate(char *text, size_t size, struct test_rng *rng)
{
	static const char *const pieces[] = { "\"", "{", "}", "[", "]", ",", ":", "-1", "1e9",
		"9999999999999999999", "null", "true", "\\u0000", "\xff", "\n", "core:dataset",
		"core:header_bytes", "cf32_le", "" };
	unsigned changes = test_between(rng, 1, 4);

	while (changes--) {
		size_t length = strlen(text), at = test_between(rng, 0, (uint32_t)length);
		size_t gone = test_between(rng, 0, 3) ? test_between(rng, 0, 12) : 0;
		const char *piece = pieces[test_between(rng, 0, TEST_COUNT(pieces) - 1)];
		char *tail;

		gone = gone < length - at ? gone : length - at;
		tail = strdup(text + at + gone);
		if (test_chance(rng, 20) && at < length)
			text[at] = (char)test_between(rng, 1, 255);
		else
			snprintf(text + at, size - at, "%s%s", piece, tail);
		free(tail);
	}
}

START_TEST(mutations)
{
	static const char valid[] =
		"{\"global\": {\"core:datatype\": \"cf32_le\", \"core:version\": \"1.0.0\", "
		"\"core:sample_rate\": 1e6,"
		" \"core:num_channels\": 1, \"core:dataset\": \"b\", \"core:trailing_bytes\": 16,\n"
		" \"core:extensions\": [{\"name\": \"x\", \"version\": \"1.0.0\", \"optional\": true}]},\n"
		" \"captures\": [{\"core:sample_start\": 0, \"core:frequency\": 1e8, \"core:header_bytes\": "
		"8}],\n"
		" \"annotations\": []}\n";
	struct test_rng rng = { test_seed() };
	uint64_t rounds = test_rounds(3000);
	unsigned opened = 0, refused = 0;
	char text[1000], data[400] = { 0 };

	files_write("a.sigmf-data", data, sizeof(data));
	files_write("b", data, sizeof(data));
	for (uint64_t i = 0; i < rounds; i++) {
		char error[PSTK_IQ_ERROR_SIZE];
		struct pstk_iq_input *input;
		float re[100], im[100];

		snprintf(text, sizeof(text), "%s", valid);
		if (i)
			mutate(text, sizeof(text), &rng);
		files_text("a.sigmf-meta", text);
		if (pstk_iq_input_open(&input, SPEC(.path = "a.sigmf-meta"), error, sizeof(error))) {
			ck_assert_uint_gt(strlen(error), 4);
			ck_assert_ptr_null(strpbrk(error, "\n\r\t"));
			refused++;
			continue;
		}
		ck_assert_int_le(pstk_iq_input_read(input, re, im, 100), 50);
		pstk_iq_input_close(input);
		opened++;
	}
	ck_assert_uint_ge(opened, 1);
	ck_assert_uint_ge(refused, 1);
}
END_TEST

/* Each system call in turn fails. */
START_TEST(system_errors)
{
	unsigned failures = 0;

	files_text("a.sigmf-data", "x01234567");
	files_text("a.sigmf-meta", META("", ", \"captures\": [{\"core:header_bytes\": 1}]"));
	for (bool more = true; more; failures += more) {
		char error[PSTK_IQ_ERROR_SIZE];
		struct pstk_iq_input *input;
		float re, im;
		int err;

		files_fail_system(failures + 1);
		err = pstk_iq_input_open(&input, SPEC(.path = "a.sigmf-meta"), error, sizeof(error));
		if (!err)
			err = pstk_iq_input_read(input, &re, &im, 1);
		more = files_system_failed();
		/* a failed close of what was only read is nothing */
		ck_assert(err == 1 || err == -EIO);
		if (err == -EIO)
			TEST_SAYS(
				input ? pstk_iq_input_error(input) : error, "a.sigmf-", "Input/output error");
		pstk_iq_input_close(input);
	}
	ck_assert_uint_ge(failures, 10);
}
END_TEST

void *__real_malloc(size_t size);

/* When the buffer of its tokens can't grow, to 32, 64 or 128 bytes, jansson 2.14 fails an assertion of
 * its own. */
static void *allocate(size_t size)
{
	return size == 32 || size == 64 || size == 128 ? __real_malloc(size) : malloc(size);
}

/* Each allocation in turn fails, jansson's too, which calls some of them something else. */
START_TEST(out_of_memory)
{
	unsigned failures = 0, named = 0;

	json_set_alloc_funcs(allocate, free);
	files_text("b", "01234567");
	files_text("a.sigmf-meta",
		META(", \"core:dataset\": \"b\"", ", \"captures\": [{\"core:frequency\": 1, \"x\": \"y\"}]"));
	for (bool more = true; more; failures += more) {
		char error[PSTK_IQ_ERROR_SIZE];
		struct pstk_iq_input *input;
		int err;

		test_fail_allocation(failures + 1);
		err = pstk_iq_input_open(&input, SPEC(.path = "a.sigmf-meta"), error, sizeof(error));
		more = test_allocation_failed();
		if (more)
			ck_assert(err == -ENOMEM || err == -EINVAL);
		else
			ck_assert_int_eq(err, 0);
		named += err == -ENOMEM && strstr(error, "emory");
		pstk_iq_input_close(input);
	}
	ck_assert_uint_ge(failures, 20);
	ck_assert_uint_ge(named, 5);
}
END_TEST
#else
START_TEST(without_jansson)
{
	files_text("a.sigmf-meta", META("", ""));
	iq_refuses(SPEC(.path = "a.sigmf-meta"), -ENOTSUP,
		"a.sigmf-meta: this build has no jansson, which reading SigMF needs");
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("sigmf_input");
	TCase *tests = files_case(suite, "sigmf");

#ifdef HAVE_JANSSON
	tcase_add_test(tests, recordings);
	tcase_add_test(tests, non_conforming);
	tcase_add_test(tests, file_of_the_samples);
	tcase_add_test(tests, datasets);
	tcase_add_test(tests, wrong_meta);
	tcase_add_test(tests, wrong_files);
	tcase_add_test(tests, mutations);
	tcase_add_test(tests, system_errors);
	tcase_add_test(tests, out_of_memory);
#else
	tcase_add_test(tests, without_jansson);
#endif
	return test_main(suite);
}
