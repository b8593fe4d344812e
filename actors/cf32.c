/* SPDX-License-Identifier: MIT */
#include "actors/cf32.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define EXPONENT 0x7f800000u /* all of its bits: infinite or no number */
#define LOWEST 0x00800000u   /* its lowest bit */

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

/* Words are moved, not floats: some machines change a NaN that is loaded. The loops are plain for the
 * vectoriser. */
uint32_t ps_cf32_split(float *restrict re, float *restrict im, uint32_t *restrict words, size_t n)
{
	uint32_t wrong = 0;

	assert(n <= PS_CF32_CHUNK);
	if (big_endian())
		ps_words_swap(words, 2 * n);
	for (size_t i = 0; i < n; i++) {
		uint32_t r = words[2 * i], m = words[2 * i + 1];

		memcpy(re + i, &r, sizeof(r));
		memcpy(im + i, &m, sizeof(m));
		/* the top bit: all bits of an exponent were set; a comparison takes longer */
		wrong += (((r & EXPONENT) + LOWEST) | ((m & EXPONENT) + LOWEST)) >> 31;
	}
	return wrong;
}

void ps_cf32_join(uint32_t *restrict words, const float *restrict re, const float *restrict im, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		memcpy(words + 2 * i, re + i, sizeof(*words));
		memcpy(words + 2 * i + 1, im + i, sizeof(*words));
	}
	if (big_endian())
		ps_words_swap(words, 2 * n);
}
