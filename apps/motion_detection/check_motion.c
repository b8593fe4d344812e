/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/motion_detection/check_motion.h"

#include <stdlib.h>

void motion_find(void)
{
	program_find("apps/motion_detection/motion_detection", "MOTION_DETECTION");
}

/* The definition, pixel by pixel. */
TEST_ONE_THREAD static int gauss_pixel(const unsigned char *src, int w, int h, int x, int y)
{
	static const int weights[5] = { 1, 4, 6, 4, 1 };
	int sum = 0;

	if (y < 2 || y >= h - 2)
		return src[(size_t)y * (size_t)w + (size_t)x];
	for (int dy = -2; dy <= 2; dy++) {
		for (int dx = -2; dx <= 2; dx++) {
			int column = x + dx < 0 ? 0 : x + dx > w - 1 ? w - 1 : x + dx;

			sum += weights[dy + 2] * weights[dx + 2] *
			       src[(size_t)(y + dy) * (size_t)w + (size_t)column];
		}
	}
	return (sum + 128) >> 8;
}

TEST_ONE_THREAD static int median_pixel(const unsigned char *src, int w, int h, int x, int y)
{
	const unsigned char *c = src + (size_t)y * (size_t)w + x;
	int ones;

	if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
		return *c;
	/* of five values that are 0 or 255 the median is the more frequent one */
	ones = (c[0] == 255) + (c[-1] == 255) + (c[1] == 255) + (c[-w] == 255) + (c[w] == 255);
	return ones >= 3 ? 255 : 0;
}

TEST_ONE_THREAD unsigned char *oracle_maps(
	const unsigned char *frames, unsigned w, unsigned h, size_t count, int threshold)
{
	size_t size = (size_t)w * h;
	unsigned char *maps = malloc(count * size), *before = calloc(1, size), *now = malloc(size),
		      *moved = malloc(size);

	for (size_t n = 0; n < count; n++) {
		unsigned char *swapped = before;

		for (size_t i = 0; i < size; i++) {
			now[i] = (unsigned char)gauss_pixel(
				frames + n * size, (int)w, (int)h, (int)(i % w), (int)(i / w));
			moved[i] = abs(now[i] - before[i]) > threshold ? 255 : 0;
		}
		for (size_t i = 0; i < size; i++)
			maps[n * size + i] = (unsigned char)median_pixel(
				moved, (int)w, (int)h, (int)(i % w), (int)(i / w));
		before = now;
		now = swapped;
	}
	free(before);
	free(now);
	free(moved);
	return maps;
}
