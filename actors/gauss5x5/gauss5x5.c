/* SPDX-License-Identifier: MIT */
/*
 * The filter is separable: each row's output is the weighted sum, over columns, of the weighted sums of five
 * rows. Four rows of output are made at once, from eight of input: [1 4 6 4 1] is adding neighbours to each
 * other four times, and what rows share is added once. In between even and odd columns are apart: a vector of
 * bytes becomes two of 16 bits by a mask and a shift, where widening takes shuffles, of which processors do
 * fewer at a time, and back again by a mask and an or. All fits 16 bits: 16 x 255 + 8 after the rows, 16
 * times that after the columns. A strip's sums stay in the first-level cache.
 */
#include "config.h"

#include "actors/gauss5x5/gauss5x5.h"
#include "actors/common/frame.h"
#include "actors/common/wide.h"

#include <string.h>

enum { BORDER = 2, ROWS = 4, INPUTS = ROWS + 2 * BORDER, STRIP = 1024, PAIRS = STRIP / 2 };

/* What is to be added for rounding to 1/256, to each sum of rows: the columns' weights are 16. */
enum { ROUND = 128 / 16 };

/* A row's sums: of a strip, with the pair of columns that its outermost pixels need on either side. */
struct sums {
	uint16_t even[1 + PAIRS + 1], odd[1 + PAIRS + 1];
};

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FIRST(pair) ((uint16_t)((pair) >> 8))
#define SECOND(pair) ((uint16_t)((pair)&0xff))
#define HIGH_BYTES(first, second) ((uint16_t)(((first)&0xff00) | (second) >> 8))
#else
#define FIRST(pair) ((uint16_t)((pair)&0xff))
#define SECOND(pair) ((uint16_t)((pair) >> 8))
#define HIGH_BYTES(first, second) ((uint16_t)((first) >> 8 | ((second)&0xff00)))
#endif

/* Neighbours in a row that begins anywhere. */
PS_WIDE_BODY static uint16_t load_pair(const uint8_t *row, size_t pair)
{
	uint16_t value;

	memcpy(&value, row + 2 * pair, sizeof value);
	return value;
}

PS_WIDE_BODY static uint16_t add(uint16_t a, uint16_t b)
{
	return (uint16_t)(a + b);
}

/* Of one column: x are the rows' pixels, sums those of four rows. */
PS_WIDE_BODY static void add_rows(uint16_t *a, uint16_t *b, uint16_t *c, uint16_t *d, uint16_t x0,
	uint16_t x1, uint16_t x2, uint16_t x3, uint16_t x4, uint16_t x5, uint16_t x6, uint16_t x7)
{
	uint16_t once[7] = { add(x0, x1), add(x1, x2), add(x2, x3), add(x3, x4), add(x4, x5), add(x5, x6),
		add(x6, x7) };
	uint16_t twice[6] = { add(once[0], once[1]), add(once[1], once[2]), add(once[2], once[3]),
		add(once[3], once[4]), add(once[4], once[5]), add(once[5], once[6]) };
	uint16_t thrice[5] = { add(twice[0], twice[1]), add(twice[1], twice[2]), add(twice[2], twice[3]),
		add(twice[3], twice[4]), add(twice[4], twice[5]) };

	*a = add(add(thrice[0], thrice[1]), ROUND);
	*b = add(add(thrice[1], thrice[2]), ROUND);
	*c = add(add(thrice[2], thrice[3]), ROUND);
	*d = add(add(thrice[3], thrice[4]), ROUND);
}

/* sums[0 .. 3] from the rows r, pairs `to` .. to + n - 1 from the rows' first n. */
PS_WIDE_BODY static void sum_rows(struct sums *restrict sums, size_t to, const uint8_t *const *rows, size_t n)
{
	const uint8_t *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4],
		      *r5 = rows[5], *r6 = rows[6], *r7 = rows[7];
	struct sums *a = sums, *b = sums + 1, *c = sums + 2, *d = sums + 3;

	for (size_t i = 0; i < n; i++) {
		uint16_t x0 = load_pair(r0, i), x1 = load_pair(r1, i), x2 = load_pair(r2, i),
			 x3 = load_pair(r3, i), x4 = load_pair(r4, i), x5 = load_pair(r5, i),
			 x6 = load_pair(r6, i), x7 = load_pair(r7, i);

		add_rows(&a->even[to + i], &b->even[to + i], &c->even[to + i], &d->even[to + i], FIRST(x0),
			FIRST(x1), FIRST(x2), FIRST(x3), FIRST(x4), FIRST(x5), FIRST(x6), FIRST(x7));
		add_rows(&a->odd[to + i], &b->odd[to + i], &c->odd[to + i], &d->odd[to + i], SECOND(x0),
			SECOND(x1), SECOND(x2), SECOND(x3), SECOND(x4), SECOND(x5), SECOND(x6), SECOND(x7));
	}
}

/* A last column without a neighbour. */
PS_WIDE_BODY static void sum_single(struct sums *sums, size_t to, const uint8_t *const *rows, size_t column)
{
	uint16_t x[INPUTS];

	for (size_t i = 0; i < INPUTS; i++)
		x[i] = rows[i][column];
	add_rows(&sums[0].even[to], &sums[1].even[to], &sums[2].even[to], &sums[3].even[to], x[0], x[1], x[2],
		x[3], x[4], x[5], x[6], x[7]);
	for (size_t row = 0; row < ROWS; row++)
		sums[row].odd[to] = sums[row].even[to];
}

PS_WIDE_BODY static uint16_t add_columns(uint16_t a, uint16_t b, uint16_t c, uint16_t d, uint16_t e)
{
	return (uint16_t)(a + e + 2 * (c + 2 * (b + c + d)));
}

/* A row of output: n pairs, the first of them from the sums at 1. */
PS_WIDE_BODY static void sum_columns(uint8_t *restrict dst, const struct sums *restrict sums, size_t n)
{
	const uint16_t *even = sums->even, *odd = sums->odd;

	for (size_t i = 0; i < n; i++) {
		uint16_t first = add_columns(even[i], odd[i], even[i + 1], odd[i + 1], even[i + 2]);
		uint16_t second = add_columns(odd[i], even[i + 1], odd[i + 1], even[i + 2], odd[i + 2]);
		uint16_t pair = HIGH_BYTES(first, second);

		memcpy(dst + 2 * i, &pair, sizeof pair);
	}
}

/* All sums that the outputs from .. from + n - 1 of a strip need. Clamping columns clamps their sums. */
PS_WIDE_BODY static void sum_strip(
	struct sums *sums, const uint8_t *const *rows, size_t w, size_t from, size_t n)
{
	size_t left = from ? BORDER : 0, end = w - from - n < BORDER ? w : from + n + BORDER;
	size_t columns = end - (from - left), at = from ? 0 : 1;
	const uint8_t *first[INPUTS];

	for (size_t i = 0; i < INPUTS; i++)
		first[i] = rows[i] + from - left;
	sum_rows(sums, at, first, columns / 2);
	at += columns / 2;
	if (columns % 2)
		sum_single(sums, at++, first, columns - 1);
	for (size_t row = 0; row < ROWS; row++) {
		struct sums *s = sums + row;

		if (!from)
			s->even[0] = s->odd[0] = s->even[1];
		if (at <= PAIRS + 1)
			s->even[at] = s->odd[at] = s->odd[at - 1];
	}
}

/* Rows y .. y + count - 1 of output; none of them is a copied row. */
PS_WIDE_BODY static void filter_rows(
	uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h, size_t y, size_t count)
{
	const uint8_t *rows[INPUTS];
	struct sums sums[ROWS];

	/* what lies below the frame is needed for no output */
	for (size_t i = 0; i < INPUTS; i++)
		rows[i] = src + (y - BORDER + i < h ? y - BORDER + i : h - 1) * w;
	for (size_t from = 0; from < w; from += STRIP) {
		size_t n = w - from < STRIP ? w - from : STRIP;

		sum_strip(sums, rows, w, from, n);
		for (size_t row = 0; row < count; row++) {
			const struct sums *s = sums + row;
			uint8_t *to = dst + (y + row) * w + from;
			size_t i = n / 2;

			sum_columns(to, s, i);
			if (n % 2)
				to[n - 1] = (uint8_t)(add_columns(s->even[i], s->odd[i], s->even[i + 1],
							      s->odd[i + 1], s->even[i + 2]) >>
						      8);
		}
	}
}

PS_WIDE_BODY static void filter_body(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	for (size_t y = BORDER; y + BORDER < h; y += ROWS) {
		size_t left = h - BORDER - y;

		filter_rows(dst, src, w, h, y, left < ROWS ? left : ROWS);
	}
}

PS_WIDE(filter, (uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h), (dst, src, w, h))

void ps_gauss5x5_frame(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	if (h <= BORDER + BORDER) {
		memcpy(dst, src, w * h);
		return;
	}
	memcpy(dst, src, BORDER * w);
	filter(dst, src, w, h);
	memcpy(dst + (h - BORDER) * w, src + (h - BORDER) * w, BORDER * w);
}

static int init(struct pstk_actor *self)
{
	return ps_frame_init_kernel(self, ps_gauss5x5_work_size);
}

static int fire(struct pstk_firing *f)
{
	return ps_frame_fire(f, ps_gauss5x5_frame);
}

const struct pstk_actor_type *pstk_gauss5x5_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "gauss5x5",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = ps_frame_params,
		.param_count = PS_FRAME_PARAMS,
		.arg_size = sizeof(struct pstk_frame_size),
		.stateless = true,
		.init = init,
		.fire = fire,
		.kernel = &ps_gauss5x5_kernel,
	};

	return &type;
}
