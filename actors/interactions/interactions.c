/* SPDX-License-Identifier: MIT */
/* The maps of a frame are taken strip by strip, so that the strips of all 24 stay in the second-level cache. */
#include "config.h"

#include "actors/common/plane.h"
#include "actors/common/wide.h"

enum { STRIP = 1024, ORIENTATIONS = PSTK_SALIENCY_ORIENTATIONS };

static int init(struct pstk_actor *self)
{
	int err = ps_plane_init(self, PS_PLANE_MAP, PS_PLANE_MAP);

	return err ? err : ps_plane_set_kernel(self, 0, 1);
}

/* n pixels of one map: support by the bands below and above, which may be none (NULL), inhibition by both neighbours
 * in orientation. */
PS_WIDE_BODY static void mix_body(float *restrict to, const float *restrict own, const float *restrict below,
	const float *restrict above, const float *restrict left, const float *restrict right, size_t n)
{
	if (below && above)
		for (size_t i = 0; i < n; i++)
			to[i] = own[i] + 0.5f * (below[i] + above[i]) - 0.5f * (left[i] + right[i]);
	else if (below)
		for (size_t i = 0; i < n; i++)
			to[i] = own[i] + 0.5f * below[i] - 0.25f * (left[i] + right[i]);
	else
		for (size_t i = 0; i < n; i++)
			to[i] = own[i] + 0.5f * above[i] - 0.25f * (left[i] + right[i]);
}

PS_WIDE(mix,
	(float *restrict to, const float *restrict own, const float *restrict below,
		const float *restrict above, const float *restrict left, const float *restrict right,
		size_t n),
	(to, own, below, above, left, right, n))

/* Both point to a strip of n pixels of map 0; maps are `pixels` apart. */
static void mix_strip(float *to, const float *from, size_t pixels, size_t n)
{
	for (size_t j = 0; j < ORIENTATIONS; j++) {
		size_t left = (j + ORIENTATIONS - 1) % ORIENTATIONS, right = (j + 1) % ORIENTATIONS;

		for (size_t i = 0; i < PS_PLANE_BANDS; i++) {
			size_t own = j * PS_PLANE_BANDS + i;

			mix(to + own * pixels, from + own * pixels, i > 0 ? from + (own - 1) * pixels : NULL,
				i + 1 < PS_PLANE_BANDS ? from + (own + 1) * pixels : NULL,
				from + (left * PS_PLANE_BANDS + i) * pixels,
				from + (right * PS_PLANE_BANDS + i) * pixels, n);
		}
	}
}

static int fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, PS_PLANE_IN);
	float *out = pstk_fifo_write_start(f, PS_PLANE_OUT);
	size_t pixels = ps_plane_pixels(pstk_firing_actor(f));

	for (size_t step = 0; step < pstk_firing_steps(f); step++) {
		size_t first = step * PS_PLANE_MAPS * pixels;

		for (size_t i = 0; i < pixels; i += STRIP)
			mix_strip(out + first + i, in + first + i, pixels,
				pixels - i < STRIP ? pixels - i : STRIP);
	}
	pstk_fifo_read_end(f, PS_PLANE_IN);
	pstk_fifo_write_end(f, PS_PLANE_OUT);
	return PSTK_AGAIN;
}

static const struct pstk_kernel kernel = {
	.source =
#include "actors/interactions/interactions.clh"
		, .name = "interactions",
};

const struct pstk_actor_type *pstk_interactions_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = PS_PLANE_MAPS },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = PS_PLANE_MAPS },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "interactions",
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
