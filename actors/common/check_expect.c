/* SPDX-License-Identifier: MIT */
#include "actors/common/check_frames.h"

#include <stdlib.h>
#include <string.h>

TEST_ONE_THREAD static int clamp(int x, int w)
{
	return x < 0 ? 0 : x >= w ? w - 1 : x;
}

TEST_ONE_THREAD void frame_expect_gauss5x5(uint8_t *dst, const uint8_t *src, int w, int h)
{
	static const int weight[5] = { 1, 4, 6, 4, 1 };

	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			int sum = 0;

			if (y < 2 || y >= h - 2) {
				dst[y * w + x] = src[y * w + x];
				continue;
			}
			for (int j = -2; j <= 2; j++)
				for (int i = -2; i <= 2; i++)
					sum += weight[j + 2] * weight[i + 2] *
					       src[(y + j) * w + clamp(x + i, w)];
			dst[y * w + x] = (uint8_t)((sum + 128) >> 8);
		}
}

TEST_ONE_THREAD static int compare(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* Sorts the five. */
TEST_ONE_THREAD void frame_expect_median5(uint8_t *dst, const uint8_t *src, int w, int h)
{
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			const uint8_t *p = src + y * w + x;
			uint8_t plus[5];

			dst[y * w + x] = *p;
			if (y == 0 || y == h - 1 || x == 0 || x == w - 1)
				continue;
			memcpy(plus, (const uint8_t[]){ p[0], p[-w], p[w], p[-1], p[1] }, sizeof plus);
			qsort(plus, sizeof plus, 1, compare);
			dst[y * w + x] = plus[2];
		}
}
