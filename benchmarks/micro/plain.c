/* SPDX-License-Identifier: MIT */
#include "benchmarks/micro/plain.h"

#include <math.h>
#include <string.h>

/* The compiler's best at loops, whatever the program is built with. clang has it at -O2. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

static const int weights[5] = { 1, 4, 6, 4, 1 };

static inline size_t clamp(size_t x, int i, size_t w)
{
	int64_t at = (int64_t)x + i;

	return at < 0 ? 0 : (size_t)at >= w ? w - 1 : (size_t)at;
}

/* A pixel near the left or right edge. */
static uint8_t gauss_edge(const uint8_t *src, size_t w, size_t x, size_t y)
{
	int sum = 0;

	for (int j = -2; j <= 2; j++)
		for (int i = -2; i <= 2; i++)
			sum += weights[j + 2] * weights[i + 2] *
			       src[clamp(y, j, SIZE_MAX) * w + clamp(x, i, w)];
	return (uint8_t)((sum + 128) >> 8);
}

void plain_gauss5x5(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	memcpy(dst, src, w * h);
	for (size_t y = 2; y + 2 < h; y++) {
		for (size_t x = 2; x + 2 < w; x++) {
			const uint8_t *corner = src + (y - 2) * w + x - 2;
			int sum = 0;

			for (size_t j = 0; j < 5; j++)
				for (size_t i = 0; i < 5; i++)
					sum += weights[j] * weights[i] * corner[j * w + i];
			dst[y * w + x] = (uint8_t)((sum + 128) >> 8);
		}
		for (size_t x = 0; x < w; x += x == 1 && w > 4 ? w - 3 : 1)
			dst[y * w + x] = gauss_edge(src, w, x, y);
	}
}

static inline void order(uint8_t *a, uint8_t *b)
{
	uint8_t least = *a < *b ? *a : *b, most = *a < *b ? *b : *a;

	*a = least;
	*b = most;
}

void plain_median5(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	memcpy(dst, src, w * h);
	for (size_t y = 1; y + 1 < h; y++)
		for (size_t x = 1; x + 1 < w; x++) {
			const uint8_t *p = src + y * w + x;
			uint8_t a = *(p - w), b = *(p - 1), c = *p, d = *(p + 1), e = *(p + w);

			order(&a, &b);
			order(&d, &e);
			order(&a, &d); /* a: the least of four */
			order(&b, &e); /* e: the most of four */
			order(&b, &d);
			order(&c, &d); /* of c and the two in the middle */
			order(&b, &c);
			dst[y * w + x] = c;
		}
}

void plain_threshold(uint8_t *restrict dst, const uint8_t *restrict now, const uint8_t *restrict before,
	int least, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int difference = now[i] - before[i];

		dst[i] = (difference < 0 ? -difference : difference) > least ? 255 : 0;
	}
}

void plain_equalize(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
	size_t counts[256] = { 0 }, upto = 0, lowest = 0;
	uint8_t table[256] = { 0 };

	for (size_t i = 0; i < n; i++)
		counts[src[i]]++;
	for (size_t v = 0; v < 256; v++) {
		upto += counts[v];
		lowest = lowest ? lowest : upto;
		table[v] =
			(uint8_t)(n > lowest ? (255 * (upto - lowest) + (n - lowest) / 2) / (n - lowest) : v);
	}
	for (size_t i = 0; i < n; i++)
		dst[i] = table[src[i]];
}

void plain_overlay_rgb(
	uint8_t *restrict rgb, const uint8_t *restrict map, const uint8_t *restrict frame, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t rest = map[i] ? frame[i] / 4 : frame[i];

		rgb[3 * i] = map[i] ? 255 : frame[i];
		rgb[3 * i + 1] = rest;
		rgb[3 * i + 2] = rest;
	}
}

void plain_overlay_ycc(
	uint8_t *restrict planes, const uint8_t *restrict map, const uint8_t *restrict frame, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int rest = map[i] ? frame[i] / 4 : frame[i], red = (map[i] ? 255 : frame[i]) - rest;

		planes[i] = (uint8_t)(((16 << 16) + rest * 56284 + red * 16829 + (1 << 15)) >> 16);
		planes[n + i] = (uint8_t)(((128 << 16) + red * -9714 + (1 << 15)) >> 16);
		planes[2 * n + i] = (uint8_t)(((128 << 16) + red * 28784 + (1 << 15)) >> 16);
	}
}

void plain_polynomial(float *restrict out, size_t stride, size_t branches, const float *restrict re,
	const float *restrict im, size_t n)
{
	for (size_t b = 0; b < branches; b++)
		for (size_t i = 0; i < n; i++) {
			float a = re[i] * re[i] + im[i] * im[i], power = 1;

			for (size_t k = 0; k < b; k++)
				power *= a;
			out[2 * b * stride + i] = re[i] * power;
			out[(2 * b + 1) * stride + i] = im[i] * power;
		}
}

void plain_adder(float *restrict sum, float *const *in, unsigned count, float constant, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] = 0;
	for (unsigned s = 0; s < count; s++) {
		const float *restrict x = in[s];

		for (size_t i = 0; i < n; i++)
			sum[i] += x[i];
	}
	for (size_t i = 0; i < n; i++)
		sum[i] += constant;
}

void plain_fir(float *restrict re_out, float *restrict im_out, const float *restrict re,
	const float *restrict im, size_t n, const struct pstk_cf32 *taps, size_t count)
{
	for (size_t i = 0; i < n; i++)
		re_out[i] = im_out[i] = 0;
	for (size_t k = 0; k < count; k++)
		for (size_t i = k; i < n; i++) {
			re_out[i] += taps[k].re * re[i - k] - taps[k].im * im[i - k];
			im_out[i] += taps[k].re * im[i - k] + taps[k].im * re[i - k];
		}
}

uint32_t plain_split(float *restrict re, float *restrict im, const float *restrict words, size_t n)
{
	uint32_t wrong = 0;

	for (size_t i = 0; i < n; i++) {
		re[i] = words[2 * i];
		im[i] = words[2 * i + 1];
		wrong += !isfinite(re[i]) || !isfinite(im[i]);
	}
	return wrong;
}

uint32_t plain_join(float *restrict words, const float *restrict re, const float *restrict im, size_t n)
{
	uint32_t wrong = 0;

	for (size_t i = 0; i < n; i++) {
		words[2 * i] = re[i];
		words[2 * i + 1] = im[i];
		wrong += !isfinite(re[i]) || !isfinite(im[i]);
	}
	return wrong;
}

double plain_peak(const float *restrict re, const float *restrict im, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double square = (double)re[i] * re[i] + (double)im[i] * im[i];

		if (square > most && isfinite(square))
			most = square;
	}
	return most;
}
