/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/plane.h"
#include "actors/common/wide.h"

enum { STRIP = 1024 };

static int init(struct pstk_actor *self)
{
	int err = ps_plane_init(self, PS_PLANE_MAP, PS_PLANE_MAP);

	return err ? err : ps_plane_set_kernel(self, 0, 1);
}

/* n pixels of maps that are `pixels` apart, in the order of the maps. */
PS_WIDE_BODY static void add_body(float *restrict to, const float *restrict from, size_t pixels, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
	for (size_t map = 1; map < PS_PLANE_MAPS; map++)
		for (size_t i = 0; i < n; i++)
			to[i] += from[map * pixels + i];
}

PS_WIDE(add, (float *restrict to, const float *restrict from, size_t pixels, size_t n), (to, from, pixels, n))

static int fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, PS_PLANE_IN);
	float *out = pstk_fifo_write_start(f, PS_PLANE_OUT);
	size_t pixels = ps_plane_pixels(pstk_firing_actor(f));

	for (size_t step = 0; step < pstk_firing_steps(f); step++)
		for (size_t i = 0; i < pixels; i += STRIP)
			add(out + step * pixels + i, in + step * PS_PLANE_MAPS * pixels + i, pixels,
				pixels - i < STRIP ? pixels - i : STRIP);
	pstk_fifo_read_end(f, PS_PLANE_IN);
	pstk_fifo_write_end(f, PS_PLANE_OUT);
	return PSTK_AGAIN;
}

static const struct pstk_kernel kernel = {
	.source =
#include "actors/sum/sum.clh"
		, .name = "sum",
};

const struct pstk_actor_type *pstk_sum_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = PS_PLANE_MAPS },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "sum",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = ps_plane_params,
		.param_count = PS_PLANE_PARAMS,
		.arg_size = sizeof(struct pstk_frame_size),
		.stateless = true,
		.whole_steps = true,
		.init = init,
		.fire = fire,
		.kernel = &kernel,
	};

	return &type;
}
