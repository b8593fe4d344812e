/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/cf32.h"
#include "actors/common/wide.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define EXPONENT 0x7f800000u /* all of its bits: infinite or no number */
#define LOWEST 0x00800000u   /* its lowest bit */
#define TINY 0x0d800000u     /* 2^-100: squares below it have lost digits, or all, as floats */

static bool big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

void ps_words_swap(uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t w = words[i];

		words[i] = w >> 24 | (w >> 8 & 0xff00) | (w << 8 & 0xff0000) | w << 24;
	}
}

/* 1: all bits of an exponent are set, so that the lowest carries into the top bit; a comparison takes
 * longer. */
PS_WIDE_BODY static uint32_t not_finite(uint32_t r, uint32_t m)
{
	return (((r & EXPONENT) + LOWEST) | ((m & EXPONENT) + LOWEST)) >> 31;
}

/* Words are moved, not floats: some machines change a NaN that is loaded. The loops are plain for the
 * vectoriser. */
PS_WIDE_BODY static void split_body(
	float *restrict re, float *restrict im, const uint32_t *restrict words, size_t n, uint32_t *wrong)
{
	uint32_t count = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t r = words[2 * i], m = words[2 * i + 1];

		memcpy(re + i, &r, sizeof(r));
		memcpy(im + i, &m, sizeof(m));
		count += not_finite(r, m);
	}
	*wrong = count;
}

PS_WIDE(split,
	(float *restrict re, float *restrict im, const uint32_t *restrict words, size_t n, uint32_t *wrong),
	(re, im, words, n, wrong))

uint32_t ps_cf32_split(float *restrict re, float *restrict im, uint32_t *restrict words, size_t n)
{
	uint32_t wrong;

	assert(n <= PS_CF32_CHUNK);
	if (big_endian())
		ps_words_swap(words, 2 * n);
	split(re, im, words, n, &wrong);
	return wrong;
}

PS_WIDE_BODY static void split_bytes_body(
	float *restrict re, float *restrict im, const unsigned char *restrict bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		re[i] = ((float)bytes[2 * i] - 127.5F) / 127.5F;
		im[i] = ((float)bytes[2 * i + 1] - 127.5F) / 127.5F;
	}
}

PS_WIDE(split_bytes, (float *restrict re, float *restrict im, const unsigned char *restrict bytes, size_t n),
	(re, im, bytes, n))

void ps_cu8_split(float *restrict re, float *restrict im, const unsigned char *restrict bytes, size_t n)
{
	split_bytes(re, im, bytes, n);
}

PS_WIDE_BODY static void join_body(uint32_t *restrict words, const float *restrict re,
	const float *restrict im, size_t n, uint32_t *wrong)
{
	uint32_t count = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t r, m;

		memcpy(&r, re + i, sizeof(r));
		memcpy(&m, im + i, sizeof(m));
		words[2 * i] = r;
		words[2 * i + 1] = m;
		count += not_finite(r, m);
	}
	*wrong = count;
}

PS_WIDE(join,
	(uint32_t *restrict words, const float *restrict re, const float *restrict im, size_t n,
		uint32_t *wrong),
	(words, re, im, n, wrong))

uint32_t ps_cf32_join(uint32_t *restrict words, const float *restrict re, const float *restrict im, size_t n)
{
	uint32_t wrong;

	assert(n <= PS_CF32_CHUNK);
	join(words, re, im, n, &wrong);
	if (big_endian())
		ps_words_swap(words, 2 * n);
	return wrong;
}

/* The largest of the squares, as the bits of a float: in the order of the numbers, infinities and NaNs above
 * them. Whole numbers, as the vectoriser takes no maximum of floats that may be NaN. */
PS_WIDE_BODY static void largest_bits_body(
	const float *restrict re, const float *restrict im, size_t n, uint32_t *result)
{
	int32_t largest = 0;

	for (size_t i = 0; i < n; i++) {
		float square = re[i] * re[i] + im[i] * im[i];
		int32_t bits;

		memcpy(&bits, &square, sizeof(bits));
		bits &= INT32_MAX;
		largest = bits > largest ? bits : largest;
	}
	*result = (uint32_t)largest;
}

PS_WIDE(largest_bits, (const float *restrict re, const float *restrict im, size_t n, uint32_t *result),
	(re, im, n, result))

/* Where floats don't do: no finite sample's square is too large or too small for a double. */
static double largest_plain(double squared, const float *re, const float *im, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double square = (double)re[i] * re[i] + (double)im[i] * im[i];

		if (square > squared && square < HUGE_VAL)
			squared = square;
	}
	return squared;
}

double ps_cf32_peak(double squared, const float *re, const float *im, size_t n)
{
	enum { BLOCK = 1024 }; /* that much is looked at again for one odd sample */

	for (size_t done = 0; done < n; done += BLOCK) {
		size_t part = n - done < BLOCK ? n - done : BLOCK;
		uint32_t bits;
		float square;

		largest_bits(re + done, im + done, part, &bits);
		memcpy(&square, &bits, sizeof(square));
		if (bits >= EXPONENT || (bits < TINY && squared < 1e-30))
			squared = largest_plain(squared, re + done, im + done, part);
		else if ((double)square > squared)
			squared = (double)square;
	}
	return squared;
}
