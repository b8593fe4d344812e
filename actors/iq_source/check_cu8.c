/* SPDX-License-Identifier: MIT */
/* Inputs of unsigned bytes: from files, pipes and recordings, and the formats that may be said. */
#include "config.h"

#include "actors/common/check_iq.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SPEC(...) PSTK_IQ_INPUT(__VA_ARGS__)

enum { N = 33336 };

/* Against the definition. */
static void expect(const struct pstk_iq_input_spec *spec, const unsigned char *bytes, bool regular)
{
	float *re = calloc(N, sizeof *re), *im = calloc(N, sizeof *im);
	struct pstk_iq_input *input = iq_open(spec);
	struct pstk_iq_info info;
	double peak = 0;

	ck_assert_int_eq(pstk_iq_input_get_info(input, &info), 0);
	ck_assert_uint_eq(info.samples, regular ? N : UINT64_MAX);
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, 10001), 10001);
	ck_assert_int_eq(pstk_iq_input_read(input, re + 10001, im + 10001, N), N - 10001);
	for (size_t i = 0; i < N; i++) {
		double r = bytes[2 * i] * 2 / 255. - 1, m = bytes[2 * i + 1] * 2 / 255. - 1;

		ck_assert_double_eq_tol((double)re[i], r, 1e-7);
		ck_assert_double_eq_tol((double)im[i], m, 1e-7);
		peak = fmax(peak, hypot(r, m));
	}
	ck_assert_uint_eq(pstk_iq_input_not_finite(input), 0);
	ck_assert_double_eq_tol(pstk_iq_input_peak(input), peak, 1e-6);
	pstk_iq_input_close(input);
	free(re);
	free(im);
}

START_TEST(files)
{
	unsigned char *bytes = files_random(2 * (size_t)N, 12);

	files_write("a.cu8", bytes, 2 * (size_t)N);
	files_write("b.iq", bytes, 2 * (size_t)N);
	expect(SPEC(.path = "a.cu8"), bytes, true);
	expect(SPEC(.path = "a.cu8", .format = "cu8"), bytes, true);
	expect(SPEC(.path = "b.iq", .format = "cu8"), bytes, true);
	iq_expect(SPEC(.path = "a.cu8", .format = "cf32_le"), bytes, N / 4, 1000);
	free(bytes);
}
END_TEST

#ifdef HAVE_JANSSON
START_TEST(recording)
{
	unsigned char *bytes = files_random(2 * (size_t)N, 13);

	files_write("a.sigmf-data", bytes, 2 * (size_t)N);
	files_text("a.sigmf-meta", "{\"global\": {\"core:datatype\": \"cu8\", \"core:version\": \"1.0.0\"}}");
	expect(SPEC(.path = "a.sigmf-meta"), bytes, true);
	free(bytes);
}
END_TEST
#endif

/* Two bytes and one more: the error comes at the pipe's end. */
START_TEST(from_a_pipe)
{
	int ends[2], saved = dup(STDIN_FILENO);
	float re[4], im[4];

	for (int bytes = 2; bytes <= 3; bytes++) {
		struct pstk_iq_input *input;

		ck_assert_int_eq(pipe(ends), 0);
		ck_assert_int_eq(write(ends[1], "\377\0\200", (size_t)bytes), bytes);
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		input = iq_open(SPEC(.path = "-", .format = "cu8"));
		ck_assert_int_eq(pstk_iq_input_read(input, re, im, 4), bytes == 2 ? 1 : -EPROTO);
		ck_assert_float_eq(re[0], 1);
		ck_assert_float_eq(im[0], -1);
		ck_assert_str_eq(pstk_iq_input_error(input),
			bytes == 2 ? "" : "stdin: ends within sample 1: 1 of its 2 bytes came");
		pstk_iq_input_close(input);
	}
	dup2(saved, STDIN_FILENO);
	close(saved);
}
END_TEST

START_TEST(refused)
{
	files_text("a.cu8", "1234567");
	iq_refuses(SPEC(.path = "a.cu8"), -EINVAL,
		"a.cu8: 7 bytes, read as cu8, 2 bytes a sample: is it such a file? If only its end is "
		"broken: "
		"head -c 6 FILE >COPY");
	iq_refuses(SPEC(.path = "a.cu8", .format = "cu16"), -EINVAL,
		"a.cu8: the format 'cu16' is not known: cf32_le and cu8 are");
	iq_refuses(SPEC(.path = "a.sigmf-meta", .format = "cu8"), -EINVAL,
		"a.sigmf-meta: its metadata say what its samples are: leave the format out");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cu8");
	TCase *tcase = files_case(suite, "cu8");

	tcase_add_test(tcase, files);
#ifdef HAVE_JANSSON
	tcase_add_test(tcase, recording);
#endif
	tcase_add_test(tcase, from_a_pipe);
	tcase_add_test(tcase, refused);
	return test_main(suite);
}
