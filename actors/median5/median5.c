/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/median5/median5.h"
#include "actors/frame.h"

#include <string.h>

static inline uint8_t least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static inline uint8_t most(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/*
 * dst[0 .. n) from the pluses whose squares begin at corner[0 .. n). The least and the most of two pairs
 * leave three candidates: the greater least, the smaller most and the centre; the median is theirs.
 */
PS_WIDE static void median_run(uint8_t *restrict dst, const uint8_t *restrict corner, size_t w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t north = corner[i + 1], south = corner[i + 2 * w + 1], centre = corner[i + w + 1];
		uint8_t west = corner[i + w], east = corner[i + w + 2];
		uint8_t low = most(least(north, south), least(west, east));
		uint8_t high = least(most(north, south), most(west, east));

		dst[i] = most(least(low, high), least(centre, most(low, high)));
	}
}

void ps_median5_frame(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h)
{
	if (w <= 2 || h <= 2) {
		memcpy(dst, src, w * h);
		return;
	}
	memcpy(dst, src, w);
	/* One run over all rows between, first and last columns included: a loop a frame instead of one a
	 * row. */
	median_run(dst + w + 1, src, w, (h - 2) * w - 2);
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
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "u8" },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8" },
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
