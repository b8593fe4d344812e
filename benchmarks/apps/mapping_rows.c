/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/mapping_rows.h"

static size_t clamp(size_t x, size_t d, size_t w)
{
	return x + d < 2 ? 0 : x + d - 2 >= w ? w - 1 : x + d - 2;
}

static uint8_t filter_pixel(const struct mapping_rows *r, size_t x, size_t y)
{
	static const unsigned weights[5] = { 1, 4, 6, 4, 1 };
	unsigned sum = 128;

	for (size_t dy = 0; dy < 5; dy++) {
		const uint8_t *row = r->from + clamp(y, dy, r->height) * r->width;

		for (size_t dx = 0; dx < 5; dx++)
			sum += weights[dy] * weights[dx] * row[clamp(x, dx, r->width)];
	}
	return (uint8_t)(sum >> 8);
}

void mapping_rows_filter(void *data, size_t first, size_t end)
{
	const struct mapping_rows *r = data;

	for (size_t y = first; y < end; y++)
		for (size_t x = 0; x < r->width; x++)
			r->to[y * r->width + x] = filter_pixel(r, x, y);
}
