/* SPDX-License-Identifier: MIT */
/*
 * The filter is separable: each row's output is the weighted sum, over columns, of the weighted sums of five
 * rows. The row sums stay in a strip that fits the first-level cache. Two output rows are made at once,
 * because they share four of their five rows. All of it fits 16 bits: 16 x 255 after the rows, 256 x 255 +
 * 128 after the columns, so vectors hold twice as many pixels as with int.
 */
#include "config.h"

#include "actors/gauss5x5/gauss5x5.h"
#include "actors/frame.h"

#include <string.h>

enum { STRIP = 1024, BORDER = 2, PAIR = 2 };

/* The five rows' sums for a strip, with the columns that its outermost pixels need on either side. */
typedef uint16_t row_sums[BORDER + STRIP + BORDER];

/* top: the first of the five rows. n: columns. */
PS_WIDE static void sum_rows(uint16_t *restrict sums, const uint8_t *restrict top, size_t w, size_t n)
{
	const uint8_t *a = top, *b = a + w, *c = b + w, *d = c + w, *e = d + w;

	for (size_t x = 0; x < n; x++)
		sums[x] = (uint16_t)(a[x] + e[x] + 4 * (b[x] + d[x]) + 6 * c[x]);
}

/* Also for the row below, from six rows. */
PS_WIDE static void sum_row_pair(
	uint16_t *restrict sums, uint16_t *restrict below, const uint8_t *restrict top, size_t w, size_t n)
{
	const uint8_t *a = top, *b = a + w, *c = b + w, *d = c + w, *e = d + w, *f = e + w;

	for (size_t x = 0; x < n; x++) {
		sums[x] = (uint16_t)(a[x] + e[x] + 4 * (b[x] + d[x]) + 6 * c[x]);
		below[x] = (uint16_t)(b[x] + f[x] + 4 * (c[x] + e[x]) + 6 * d[x]);
	}
}

/* a .. e: the sums of two columns to the left of dst's up to two to the right. Five pointers though they are
 * neighbours: clang keeps what one round has loaded for the next if it knows, and then does not vectorise. */
PS_WIDE static void sum_columns(uint8_t *restrict dst, const uint16_t *a, const uint16_t *b,
	const uint16_t *c, const uint16_t *d, const uint16_t *e, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		uint16_t sum = (uint16_t)(a[x] + e[x] + 4 * (b[x] + d[x]) + 6 * c[x] + 128);

		dst[x] = (uint8_t)(sum >> 8);
	}
}

/* Fills the border columns that lie outside of the frame: clamping columns clamps their sums. have: those
 * inside. */
static void clamp_sums(uint16_t *sums, size_t n, size_t have_left, size_t have_right)
{
	for (size_t i = BORDER - have_left; i > 0; i--)
		sums[i - 1] = sums[i];
	for (size_t i = BORDER + n + have_right; i < BORDER + n + BORDER; i++)
		sums[i] = sums[i - 1];
}

/* Rows y and y + 1, or only y; none of them is a copied row. */
static void filter_rows(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t y, size_t rows)
{
	row_sums sums[PAIR];

	for (size_t from = 0; from < w; from += STRIP) {
		size_t n = w - from < STRIP ? w - from : STRIP, rest = w - from - n;
		size_t left = from ? BORDER : 0, right = rest < BORDER ? rest : BORDER;
		const uint8_t *top = src + (y - BORDER) * w + from - left;

		if (rows == PAIR)
			sum_row_pair(
				sums[0] + BORDER - left, sums[1] + BORDER - left, top, w, left + n + right);
		else
			sum_rows(sums[0] + BORDER - left, top, w, left + n + right);
		for (size_t row = 0; row < rows; row++) {
			uint16_t *s = sums[row];

			clamp_sums(s, n, left, right);
			sum_columns(dst + (y + row) * w + from, s, s + 1, s + 2, s + 3, s + 4, n);
		}
	}
}

void ps_gauss5x5_frame(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	size_t y = BORDER;

	if (h <= BORDER + BORDER) {
		memcpy(dst, src, w * h);
		return;
	}
	memcpy(dst, src, BORDER * w);
	for (; y + PAIR + BORDER <= h; y += PAIR)
		filter_rows(dst, src, w, y, PAIR);
	if (y + BORDER < h)
		filter_rows(dst, src, w, y, 1);
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
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "u8" },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8" },
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
