/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/median5/median5.h"
#include "actors/common/frame.h"
#include "actors/common/wide.h"

#include <string.h>

PS_WIDE_BODY static uint8_t least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

PS_WIDE_BODY static uint8_t most(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/* Of low <= high and three more. The least and the most of two pairs leave three candidates: the greater
 * least, the smaller most and the fifth; the median is theirs. */
PS_WIDE_BODY static uint8_t median(uint8_t low, uint8_t high, uint8_t a, uint8_t b, uint8_t c)
{
	low = most(low, least(a, b));
	high = least(high, most(a, b));
	return most(least(low, high), least(c, most(low, high)));
}

/* Two rows of output, n pixels each, from four rows of which the first is `above`. A pixel and the one below
 * it are in both rows' pluses, so they are put in order once. */
PS_WIDE_BODY static void median_rows(uint8_t *restrict dst, const uint8_t *restrict above, size_t w, size_t n)
{
	const uint8_t *upper = above + w, *lower = upper + w, *below = lower + w;
	const uint8_t *upper_west = upper - 1, *upper_east = upper + 1, *lower_west = lower - 1,
		      *lower_east = lower + 1;
	uint8_t *restrict second = dst + w;

	for (size_t x = 0; x < n; x++) {
		uint8_t low = least(upper[x], lower[x]), high = most(upper[x], lower[x]);

		dst[x] = median(low, high, upper_west[x], upper_east[x], above[x]);
		second[x] = median(low, high, lower_west[x], lower_east[x], below[x]);
	}
}

PS_WIDE_BODY static void median_row(uint8_t *restrict dst, const uint8_t *restrict above, size_t w, size_t n)
{
	const uint8_t *row = above + w, *west = row - 1, *east = row + 1, *below = row + w;

	for (size_t x = 0; x < n; x++)
		dst[x] =
			median(least(above[x], below[x]), most(above[x], below[x]), west[x], east[x], row[x]);
}

/* Without the first and the last row. Whole rows, first and last columns included, whose neighbours are in
 * other rows: vectors divide rows more often than rows without two pixels. */
PS_WIDE_BODY static void filter_body(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	size_t y = 1;

	for (; y + 2 < h; y += 2)
		median_rows(dst + y * w, src + (y - 1) * w, w, w);
	if (y + 1 < h)
		median_row(dst + y * w, src + (y - 1) * w, w, w);
}

PS_WIDE(filter, (uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h), (dst, src, w, h))

void ps_median5_frame(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	if (w <= 2 || h <= 2) {
		memcpy(dst, src, w * h);
		return;
	}
	memcpy(dst, src, w);
	filter(dst, src, w, h);
	for (size_t y = 1; y < h - 1; y++) {
		dst[y * w] = src[y * w];
		dst[y * w + w - 1] = src[y * w + w - 1];
	}
	memcpy(dst + (h - 1) * w, src + (h - 1) * w, w);
}

static int init(struct pstk_actor *self)
{
	return ps_frame_init_kernel(self, ps_median5_work_size);
}

static int fire(struct pstk_firing *f)
{
	return ps_frame_fire(f, ps_median5_frame);
}

const struct pstk_actor_type *pstk_median5_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "median5",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = ps_frame_params,
		.param_count = PS_FRAME_PARAMS,
		.arg_size = sizeof(struct pstk_frame_size),
		.stateless = true,
		.init = init,
		.fire = fire,
		.kernel = &ps_median5_kernel,
	};

	return &type;
}
