/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/motion_kernels.h"

static size_t clamp(size_t x, size_t d, size_t w)
{
	return x + d < 2 ? 0 : x + d - 2 >= w ? w - 1 : x + d - 2;
}

/* The 25 pixels around x, y with their weights; d: 0 to 4 is -2 to 2. */
static uint8_t gauss_pixel(const uint8_t *src, size_t w, size_t x, size_t y)
{
	static const unsigned weights[5][5] = { { 1, 4, 6, 4, 1 }, { 4, 16, 24, 16, 4 }, { 6, 24, 36, 24, 6 },
		{ 4, 16, 24, 16, 4 }, { 1, 4, 6, 4, 1 } };
	unsigned sum = 128;

	for (size_t dy = 0; dy < 5; dy++) {
		const uint8_t *row = src + (y + dy - 2) * w;

		if (x < 2 || x + 2 >= w)
			for (size_t dx = 0; dx < 5; dx++)
				sum += weights[dy][dx] * row[clamp(x, dx, w)];
		else
			for (size_t dx = 0; dx < 5; dx++)
				sum += weights[dy][dx] * row[x + dx - 2];
	}
	return (uint8_t)(sum >> 8);
}

static void gauss(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	for (size_t y = 0; y < h; y++)
		for (size_t x = 0; x < w; x++)
			dst[y * w + x] = y < 2 || y + 2 >= h ? src[y * w + x] : gauss_pixel(src, w, x, y);
}

static void threshold(uint8_t *restrict dst, const uint8_t *restrict now, const uint8_t *restrict before,
	uint8_t threshold_value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int d = now[i] - before[i];

		dst[i] = (d < 0 ? -d : d) > threshold_value ? 255 : 0;
	}
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

/* Of two pairs the smaller one of the larger and the larger one of the smaller: the middle of these and e. */
static uint8_t median_of(int a, int b, int c, int d, int e)
{
	int low = most(least(a, b), least(c, d)), high = least(most(a, b), most(c, d));

	return (uint8_t)most(least(low, high), least(most(low, high), e));
}

static void median(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	for (size_t y = 0; y < h; y++)
		for (size_t x = 0; x < w; x++) {
			const uint8_t *p = src + y * w + x;

			if (!y || !x || y + 1 == h || x + 1 == w)
				dst[y * w + x] = *p;
			else
				dst[y * w + x] = median_of(*p, *(p - w), *(p + w), *(p + 1), *(p - 1));
		}
}

const struct motion_kernels motion_heavy = { "heavy", gauss, threshold, median };
