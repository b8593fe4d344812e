/* SPDX-License-Identifier: MIT */
/*
 * The gradients of level 0 are multiples of 2^-11 below 128, so their products and the sums of up to 2^16 of them are
 * exact in double precision: 36 bits and 16. So it makes no difference where a sum begins, and how rows are shared out;
 * a device gets the same by integers. Only from there on it is single precision, each operation rounded by itself: this
 * file is compiled with -ffp-contract=off.
 *
 * Positive floats are ordered as the integers with the same bits.
 */
#include "config.h"

#include "actors/tracking/strongest.h"
#include "actors/common/wide.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of a column the sums of gx^2, gx gy, gy^2. */
struct columns {
	double *xx, *xy, *yy;
};

/* Adds a row's products with a sign. */
PS_WIDE_BODY static void add_row_body(double *restrict xx, double *restrict xy, double *restrict yy,
	const float *gx, const float *gy, size_t w, double sign)
{
	for (size_t x = 0; x < w; x++) {
		double across = (double)gx[x], along = (double)gy[x], signed_across = sign * across;

		xx[x] += signed_across * across;
		xy[x] += signed_across * along;
		yy[x] += sign * along * along;
	}
}

PS_WIDE(add_row,
	(double *restrict xx, double *restrict xy, double *restrict yy, const float *gx, const float *gy,
		size_t w, double sign),
	(xx, xy, yy, gx, gy, w, sign))

/* to: n sums of `window` columns each, the first of them from column `from` on. */
static void slide(const struct columns *to, const struct columns *c, size_t from, size_t n, size_t window)
{
	double xx = 0, xy = 0, yy = 0;

	for (size_t x = from; x < from + window; x++) {
		xx += c->xx[x];
		xy += c->xy[x];
		yy += c->yy[x];
	}
	for (size_t i = 0; i < n; i++) {
		size_t x = from + i;

		to->xx[i] = xx;
		to->xy[i] = xy;
		to->yy[i] = yy;
		xx += c->xx[x + window] - c->xx[x];
		xy += c->xy[x + window] - c->xy[x];
		yy += c->yy[x + window] - c->yy[x];
	}
}

PS_WIDE_BODY static void weigh_body(float *restrict to, const double *restrict xx, const double *restrict xy,
	const double *restrict yy, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		float a = (float)xx[x], b = (float)xy[x], d = (float)yy[x];
		float strength = (a * d - b * b) / (a + d + 1e-5f);

		to[x] = strength > 0 ? strength : 0;
	}
}

PS_WIDE(weigh,
	(float *restrict to, const double *restrict xx, const double *restrict xy, const double *restrict yy,
		size_t n),
	(to, xx, xy, yy, n))

/* A part's sums of columns: of the rows that those of row `from` need, but for the last one. */
static void begin_columns(
	const struct columns *c, const float *gx, const float *gy, size_t w, size_t first, size_t n)
{
	memset(c->xx, 0, 3 * w * sizeof *c->xx);
	for (size_t y = first; y < first + n; y++)
		add_row(c->xx, c->xy, c->yy, gx + y * w, gy + y * w, w, 1);
}

void ps_strengths(float *strengths, const float *levels, const struct ps_levels *l, uint32_t window,
	size_t from, size_t to, double *columns)
{
	const size_t w = l->w[0], h = l->h[0], before = (window + 1) / 2;
	const float *gx = levels + l->at[0][PS_ACROSS], *gy = levels + l->at[0][PS_ALONG];
	const struct columns c = { columns, columns + w, columns + 2 * w },
			     sums = { columns + 3 * w, columns + 4 * w, columns + 5 * w };
	bool begun = false;

	memset(strengths + from * w, 0, (to - from) * w * sizeof *strengths);
	if (w <= 2 * (size_t)window)
		return;
	for (size_t y = from < window ? window : from; y < to && y + window < h; y++) {
		size_t first = y - before;

		if (!begun)
			begin_columns(&c, gx, gy, w, first, window - 1);
		else
			add_row(c.xx, c.xy, c.yy, gx + (first - 1) * w, gy + (first - 1) * w, w, -1);
		begun = true;
		add_row(c.xx, c.xy, c.yy, gx + (first + window - 1) * w, gy + (first + window - 1) * w, w, 1);
		slide(&sums, &c, window - before, w - 2 * (size_t)window, window);
		weigh(strengths + y * w + window, sums.xx, sums.xy, sums.yy, w - 2 * (size_t)window);
	}
}

/*
 * Choosing.
 */

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* The bits of the strengths are looked at in three digits. */
enum { DIGITS = 3, DIGIT_SIZE = 2048, BLOCK = PS_STRONGEST_BLOCK };
static const unsigned shifts[DIGITS] = { 21, 10, 0 }, masks[DIGITS] = { 2047, 2047, 1023 };

/* Strengths that are searched: those of blocks whose largest one is `bound` at least, as bits. */
struct field {
	const float *strengths, *largest; /* largest: of each block; NULL: all are searched */
	size_t n;
	uint32_t bound;
};

/* The block at i has a strength that counts. */
static bool is_searched(const struct field *f, size_t i)
{
	uint32_t bits = f->largest ? bits_of(f->largest[i / BLOCK]) : 1;

	return bits && bits >= f->bound;
}

static size_t end_of_block(const struct field *f, size_t i)
{
	return f->n - i < BLOCK ? f->n : i + BLOCK;
}

/* How many strengths begin with `prefix` (its digits in front of this one), by this digit. */
static void count_digits(uint32_t counts[DIGIT_SIZE], const struct field *f, unsigned digit, uint32_t prefix)
{
	const unsigned above = digit ? shifts[digit - 1] : 31;

	memset(counts, 0, DIGIT_SIZE * sizeof *counts);
	for (size_t begin = 0; begin < f->n; begin += BLOCK)
		for (size_t i = begin; is_searched(f, begin) && i < end_of_block(f, begin); i++) {
			uint32_t bits = bits_of(f->strengths[i]);

			if (bits && bits >> above == prefix >> above)
				counts[bits >> shifts[digit] & masks[digit]]++;
		}
}

/* The least strength that is taken, as bits; *equal: how many of those that have it. 0: all are. */
static uint32_t find_least(const struct field *f, uint32_t most, uint32_t *equal)
{
	uint32_t counts[DIGIT_SIZE], prefix = 0, left = most;

	for (unsigned digit = 0; digit < DIGITS; digit++) {
		uint32_t value = masks[digit];

		count_digits(counts, f, digit, prefix);
		while (value && counts[value] < left)
			left -= counts[value--];
		if (!value && counts[0] < left && !digit) {
			*equal = 0; /* there are not so many */
			return 0;
		}
		prefix |= value << shifts[digit];
	}
	*equal = left;
	return prefix;
}

static int stronger_first(const void *a, const void *b)
{
	const struct ps_candidate *x = a, *y = b;

	if (x->bits != y->bits)
		return x->bits < y->bits ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

PS_WIDE_BODY static void find_largest_body(float *restrict largest, const float *restrict strengths, size_t n)
{
	for (size_t begin = 0; begin < n; begin += BLOCK) {
		size_t end = n - begin < BLOCK ? n : begin + BLOCK;
		float most = 0;

		for (size_t i = begin; i < end; i++)
			most = strengths[i] > most ? strengths[i] : most;
		*largest++ = most;
	}
}

PS_WIDE(find_largest, (float *restrict largest, const float *restrict strengths, size_t n),
	(largest, strengths, n))

/* Takes those that are stronger than `least`, and `equal` of those that are as strong. */
static uint32_t take(
	struct ps_candidate *found, const struct field *f, uint32_t most, uint32_t least, uint32_t equal)
{
	uint32_t count = 0;

	for (size_t begin = 0; begin < f->n; begin += BLOCK)
		for (size_t i = begin; is_searched(f, begin) && i < end_of_block(f, begin) && count < most;
			i++) {
			uint32_t bits = bits_of(f->strengths[i]);

			if (!bits || bits < least || (bits == least && !equal))
				continue;
			if (bits == least)
				equal--;
			found[count++] = (struct ps_candidate){ bits, (uint32_t)i };
		}
	return count;
}

/* As many blocks as strengths are wanted have one that is no less than the bound: so many strengths are not, either. */
uint32_t ps_strongest(
	struct ps_candidate *found, const float *strengths, size_t n, uint32_t most, float *largest)
{
	struct field all = { strengths, largest, n, 0 };
	const struct field blocks = { largest, NULL, (n + BLOCK - 1) / BLOCK, 0 };
	uint32_t equal, least, count;

	find_largest(largest, strengths, n);
	all.bound = find_least(&blocks, most, &equal);
	least = find_least(&all, most, &equal);
	count = take(found, &all, most, least, equal);
	qsort(found, count, sizeof *found, stronger_first);
	return count;
}

uint32_t ps_apart(struct pstk_feature *features, uint32_t count, uint32_t radius)
{
	const float least = (float)radius * (float)radius;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct pstk_feature f = features[i];
		uint32_t k = 0;

		while (k < kept) {
			float dx = features[k].x - f.x, dy = features[k].y - f.y;

			if (dx * dx + dy * dy <= least)
				break;
			k++;
		}
		if (k == kept)
			features[kept++] = f;
	}
	return kept;
}
