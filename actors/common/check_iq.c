/* SPDX-License-Identifier: MIT */
#include "actors/common/check_iq.h"

#include <stdlib.h>
#include <string.h>

struct pstk_iq_input *iq_open(const struct pstk_iq_input_spec *spec)
{
	char error[PSTK_IQ_ERROR_SIZE] = "?";
	struct pstk_iq_input *input;
	int err = pstk_iq_input_open(&input, spec, error, sizeof(error));

	ck_assert_msg(!err, "%s", error);
	ck_assert_ptr_nonnull(input);
	ck_assert_str_eq(error, "");
	return input;
}

void iq_refuses(const struct pstk_iq_input_spec *spec, int err, const char *text)
{
	char error[PSTK_IQ_ERROR_SIZE] = "?";
	struct pstk_iq_input *input = (struct pstk_iq_input *)1;
	int got = pstk_iq_input_open(&input, spec, error, sizeof(error));

	ck_assert_str_eq(error, text);
	ck_assert_int_eq(got, err);
	ck_assert_ptr_null(input);
}

/* The rule in words: the first byte is the lowest one. */
static float number(const unsigned char *bytes)
{
	uint32_t bits = 0;
	float value;

	for (int i = 3; i >= 0; i--)
		bits = bits << 8 | bytes[i];
	memcpy(&value, &bits, sizeof(value));
	return value;
}

void iq_split(const unsigned char *bytes, float *re, float *im, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		float r = number(bytes + 8 * i), m = number(bytes + 8 * i + 4);

		memcpy(re + i, &r, sizeof(r));
		memcpy(im + i, &m, sizeof(m));
	}
}

void iq_expect(const struct pstk_iq_input_spec *spec, const unsigned char *bytes, size_t samples, size_t most)
{
	struct pstk_iq_input *input = iq_open(spec);
	float *re = calloc(samples + most + 1, sizeof(*re)), *im = calloc(samples + most + 1, sizeof(*im));
	float *r = calloc(samples + 1, sizeof(*r)), *m = calloc(samples + 1, sizeof(*m));
	struct test_rng rng = { samples + most };
	size_t done = 0;

	for (;;) {
		size_t n = test_between(&rng, 1, (uint32_t)most);
		int got = pstk_iq_input_read(input, re + done, im + done, n);

		ck_assert_str_eq(pstk_iq_input_error(input), "");
		ck_assert_int_ge(got, 0);
		done += (size_t)got;
		ck_assert_uint_le(done, samples);
		if ((size_t)got < n)
			break;
	}
	ck_assert_uint_eq(done, samples);
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, 1), 0);
	iq_split(bytes, r, m, samples);
	ck_assert(!memcmp(re, r, samples * sizeof(*re)));
	ck_assert(!memcmp(im, m, samples * sizeof(*im)));
	pstk_iq_input_close(input);
	free(re);
	free(im);
	free(r);
	free(m);
}

void iq_write(const struct pstk_iq_output_spec *spec, const unsigned char *bytes, size_t n)
{
	float *re = calloc(n + 1, sizeof(*re)), *im = calloc(n + 1, sizeof(*im));
	char error[PSTK_IQ_ERROR_SIZE] = "?";
	struct pstk_iq_output *output;
	struct test_rng rng = { n };
	int err = pstk_iq_output_open(&output, spec, error, sizeof(error));

	ck_assert_msg(!err, "%s", error);
	ck_assert_str_eq(error, "");
	iq_split(bytes, re, im, n);
	for (size_t done = 0; done < n;) {
		size_t part = test_between(&rng, 0, 40000);

		part = part < n - done ? part : n - done;
		ck_assert_int_eq(pstk_iq_output_write(output, re + done, im + done, part), 0);
		done += part;
	}
	ck_assert_int_eq(pstk_iq_output_complete(output), 0);
	ck_assert_str_eq(pstk_iq_output_error(output), "");
	pstk_iq_output_close(output);
	free(re);
	free(im);
}

void iq_expect_file(const char *name, const void *bytes, size_t size)
{
	size_t got;
	unsigned char *there = files_read(name, &got);

	ck_assert_uint_eq(got, size);
	ck_assert(!memcmp(there, bytes, size));
	free(there);
}
