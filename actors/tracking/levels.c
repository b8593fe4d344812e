/* SPDX-License-Identifier: MIT */
/*
 * Sums are of integers, or exact in single precision: those of level 0 have 16 bits, of its gradients 19, of level 1
 * 24. So any order gives the same.
 *
 * A row is made in strips, whose sums over rows stay in the first-level cache; the sums over columns follow.
 */
#include "config.h"

#include "actors/tracking/levels.h"
#include "actors/common/wide.h"

#include <stdbool.h>
#include <string.h>

enum { BORDER = 2, TAPS = 2 * BORDER + 1, STRIP = 1024 };

struct ps_levels ps_levels_of(uint32_t width, uint32_t height)
{
	struct ps_levels l = { .w = { width, ((size_t)width + 1) / 2 },
		.h = { height, ((size_t)height + 1) / 2 } };
	size_t at = 0;

	for (unsigned level = 0; level < 2; level++)
		for (unsigned part = PS_PICTURE; part <= PS_ALONG; part++) {
			l.at[level][part] = at;
			at += l.w[level] * l.h[level];
		}
	return l;
}

/* Of n columns the sums over rows, of rows with pixels that count as 0 where they are NULL. */
PS_WIDE_BODY static void sum_rows(uint16_t *restrict sums, const uint8_t *const rows[TAPS], size_t n)
{
	const uint8_t *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3], *e = rows[4];

	for (size_t x = 0; x < n; x++)
		sums[x] = (uint16_t)(a[x] + e[x] + 4 * (b[x] + d[x]) + 6 * c[x]);
}

PS_WIDE_BODY static void sum_columns(float *restrict to, const uint16_t *restrict sums, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		uint16_t sum =
			(uint16_t)(sums[x] + sums[x + 4] + 4 * (sums[x + 1] + sums[x + 3]) + 6 * sums[x + 2]);

		to[x] = (float)sum * (1 / 256.f);
	}
}

/* Pixels BORDER .. w - BORDER - 1 of a row. rows: of the frame, at column 0. */
PS_WIDE_BODY static void blur_body(
	float *restrict to, const uint8_t *const rows[TAPS], const bool there[TAPS], size_t w)
{
	static const uint8_t nothing[STRIP + 2 * BORDER];
	uint16_t sums[STRIP + 2 * BORDER];

	for (size_t from = BORDER; from + BORDER < w; from += STRIP) {
		size_t left = w - BORDER - from, n = left < STRIP ? left : STRIP;
		const uint8_t *at[TAPS];

		for (unsigned i = 0; i < TAPS; i++)
			at[i] = there[i] ? rows[i] + from - BORDER : nothing;
		sum_rows(sums, at, n + 2 * BORDER);
		sum_columns(to + from, sums, n);
	}
}

PS_WIDE(blur, (float *restrict to, const uint8_t *const rows[TAPS], const bool there[TAPS], size_t w),
	(to, rows, there, w))

static void clear(float *to, size_t n)
{
	memset(to, 0, n * sizeof *to);
}

void ps_levels_blur(float *levels, const struct ps_levels *l, const uint8_t *frame, size_t y)
{
	const size_t w = l->w[0], h = l->h[0];
	float *to = levels + l->at[0][PS_PICTURE] + y * w;
	const uint8_t *rows[TAPS];
	bool there[TAPS];

	if (w < TAPS || y < BORDER || y + BORDER >= h) {
		clear(to, w);
		return;
	}
	/* the first way has made nothing in the outermost rows */
	for (unsigned i = 0; i < TAPS; i++) {
		size_t row = y - BORDER + i;

		there[i] = row >= BORDER && row + BORDER < h;
		rows[i] = frame + row * w;
	}
	clear(to, BORDER);
	blur(to, rows, there, w);
	clear(to + w - BORDER, BORDER);
}

PS_WIDE_BODY static void halve_body(float *restrict to, const float *from, size_t w, size_t n)
{
	const float *a = from, *b = a + w, *c = b + w, *d = c + w, *e = d + w;
	float sums[STRIP + TAPS];

	for (size_t begin = 0; begin < n; begin += STRIP / 2) {
		size_t left = n - begin, count = left < STRIP / 2 ? left : STRIP / 2,
		       columns = 2 * count + TAPS - 2, at = 2 * begin;

		for (size_t x = 0; x < columns; x++)
			sums[x] = a[at + x] + e[at + x] + 4 * (b[at + x] + d[at + x]) + 6 * c[at + x];
		for (size_t x = 0; x < count; x++)
			to[begin + x] =
				(sums[2 * x] + sums[2 * x + 4] + 4 * (sums[2 * x + 1] + sums[2 * x + 3]) +
					6 * sums[2 * x + 2]) *
				(1 / 256.f);
	}
}

PS_WIDE(halve, (float *restrict to, const float *from, size_t w, size_t n), (to, from, w, n))

void ps_levels_halve(float *levels, const struct ps_levels *l, size_t y)
{
	const size_t w = l->w[0], h = l->h[0], row = BORDER + 2 * y, own = l->w[1];
	const size_t n = w < TAPS ? 0 : (w - TAPS) / 2 + 1; /* every second of BORDER .. w - BORDER - 1 */
	float *to = levels + l->at[1][PS_PICTURE] + y * own;

	if (!n || row + BORDER >= h) {
		clear(to, own);
		return;
	}
	halve(to, levels + l->at[0][PS_PICTURE] + (row - BORDER) * w, w, n);
	clear(to + n, own - n);
}

/* n pixels of both; a, b, c: the rows above, of and below the first of them, one pixel before it. above, below: 1, or 0
 * where the first way has made nothing in that row. */
PS_WIDE_BODY static void slope_body(float *restrict across, float *restrict along, const float *a,
	const float *b, const float *c, size_t n, float above, float below)
{
	for (size_t x = 0; x < n; x++) {
		across[x] = (above * (a[x + 2] - a[x]) + below * (c[x + 2] - c[x]) + 2 * (b[x + 2] - b[x])) *
		            .125f;
		along[x] = ((c[x] - a[x]) + (c[x + 2] - a[x + 2]) + 2 * (c[x + 1] - a[x + 1])) * .125f;
	}
}

PS_WIDE(slope,
	(float *restrict across, float *restrict along, const float *a, const float *b, const float *c,
		size_t n, float above, float below),
	(across, along, a, b, c, n, above, below))

/* The first way has made nothing in the outermost columns: what the pixels beside them have of these goes. */
static void mend_columns(float *along, const float *a, const float *c, size_t w)
{
	along[1] -= (c[0] - a[0]) * .125f;
	along[w - 2] -= (c[w - 1] - a[w - 1]) * .125f;
}

void ps_levels_slope(float *levels, const struct ps_levels *l, unsigned level, size_t y)
{
	const size_t w = l->w[level], h = l->h[level];
	const float *row = levels + l->at[level][PS_PICTURE] + y * w;
	float *across = levels + l->at[level][PS_ACROSS] + y * w,
	      *along = levels + l->at[level][PS_ALONG] + y * w;

	if (w < 3 || !y || y + 1 >= h) {
		clear(across, w);
		clear(along, w);
		return;
	}
	slope(across + 1, along + 1, row - w, row, row + w, w - 2, y > 1, y + 2 < h);
	mend_columns(along, row - w, row + w, w);
	across[0] = across[w - 1] = along[0] = along[w - 1] = 0;
}
