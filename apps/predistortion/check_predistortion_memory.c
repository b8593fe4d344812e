/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/check_gnuplot.h"
#include "apps/predistortion/check_inside.h"

#include <errno.h>
#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <stdio.h>
#include <string.h>

/* the output, and what this build can write beside it */
enum {
	FILES = 1
#ifdef HAVE_JANSSON
	        + 1
#define FIGURES , "--stats", "stats.json"
#else
#define FIGURES
#endif
#ifdef HAVE_KISSFFT
	        + 1
#define INPUT "--synthetic", "3000"
#define PICTURE , "--plot", "plot.svg"
#else
#define INPUT "--input", "/dev/null"
#define PICTURE
#endif
};

static bool no_stream;

FILE *__real_fdopen(int fd, const char *mode);
PSTK_PUBLIC FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode)
{
	if (no_stream) {
		errno = ENFILE;
		return NULL;
	}
	return __real_fdopen(fd, mode);
}

static int run_once(char *err, size_t size)
{
	return INSIDE(NULL, err, size, INPUT, "--block", "1000", "--period", "2000", "--active", "random:1",
		"--device", "cores,cores,cores", "--output", "out.cf32" PICTURE FIGURES);
}

static void remove_outputs(void)
{
	ck_assert_uint_eq(files_count(), FILES);
	remove("out.cf32");
	remove("plot.svg");
	remove("stats.json");
}

#if defined(HAVE_JANSSON) || defined(HAVE_KISSFFT)
START_TEST(no_stream_for_figures)
{
	char err[200];

	no_stream = true;
	ck_assert_int_eq(run_once(err, sizeof(err)), 1);
	no_stream = false;
	TEST_SAYS(err, "predistortion: ", "Too many open files in system");
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST
#endif

static const char *end_of(const char *text)
{
	size_t length = strlen(text);

	return text + (length > 400 ? length - 400 : 0);
}

START_TEST(each_allocation_fails)
{
	unsigned n = 0, failed = 0;
	char err[10000];

	for (;;) {
		int status;

		test_guard("the program", ++n);
		main_fail_allocation = n;
		status = run_once(err, sizeof(err));
		/* some it can do without (a buffer of stdio's, say): then the outputs are whole */
		if (!status)
			remove_outputs();
		if (!main_allocation_failed) {
			ck_assert_int_eq(status, 0);
			break;
		}
		if (!status)
			continue;
		failed++;
		ck_assert_msg(
			status == 1 || status == 2, "allocation %u: status %d: %s", n, status, end_of(err));
		ck_assert_msg(files_count() == 0, "allocation %u: a file is left: %s", n, end_of(err));
		ck_assert_msg(main_says_memory(err), "allocation %u: %s", n, end_of(err));
	}
	printf("predistortion: %u allocations failed\n", failed);
	ck_assert_uint_gt(failed, 100);
}
END_TEST

#ifdef HAVE_JANSSON
/* When the buffer of its tokens can't grow, to 32, 64 or 128 bytes, jansson 2.14 fails an assertion of its
 * own. */
void *__real_malloc(size_t size);
static void *allocate(size_t size)
{
	return size == 32 || size == 64 || size == 128 ? __real_malloc(size) : malloc(size);
}

/* Files of all kinds are read and a recording is written. */
static int run_files(char *err, size_t size)
{
	return INSIDE(NULL, err, size, "--input", "in.sigmf-meta", "--coefficients", "c.json", "--active",
		"sets", "--output", "out.sigmf-meta");
}

/* jansson calls some of what it can't have malformed JSON: then the file is named. */
START_TEST(each_allocation_for_files_fails)
{
	unsigned n = 0, failed = 0;
	char err[10000];

	json_set_alloc_funcs(allocate, free);
	files_write("in.sigmf-data", "12345678", 8);
	files_text("in.sigmf-meta", "{\"global\": {\"core:datatype\": \"cf32_le\", \"core:version\": "
				    "\"1.0.0\"}, \"captures\": []}");
	files_text("c.json", "{\"branches\": [{\"order\": 1, \"conjugate\": false, \"taps\": [[1, 0]]}], "
			     "\"lo\": [0, 0]}");
	files_text("sets", "1\n");
	for (;;) {
		int status;

		test_guard("the program", ++n);
		main_fail_allocation = n;
		status = run_files(err, sizeof(err));
		if (!status) {
			ck_assert_uint_eq(files_count(), 6);
			remove("out.sigmf-meta");
			remove("out.sigmf-data");
		}
		if (!main_allocation_failed) {
			ck_assert_int_eq(status, 0);
			break;
		}
		if (!status)
			continue;
		failed++;
		ck_assert_msg(
			main_says_memory(err) ||
				(status == 2 && (strstr(err, "c.json:") || strstr(err, "in.sigmf-meta:"))),
			"allocation %u: status %d: %s", n, status, end_of(err));
		ck_assert_msg(files_count() == 4, "allocation %u: a file is left: %s", n, end_of(err));
	}
	ck_assert_uint_gt(failed, 100);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("predistortion_memory");
	TCase *memory = files_case(suite, "memory");

	gnuplot_fake(GNUPLOT_DRAWS);
	/* each run has a guard of its own */
	tcase_add_test(memory, each_allocation_fails);
#ifdef HAVE_JANSSON
	tcase_add_test(memory, each_allocation_for_files_fails);
#endif
#if defined(HAVE_JANSSON) || defined(HAVE_KISSFFT)
	tcase_add_test(memory, no_stream_for_figures);
#endif
	return test_main(suite);
}
