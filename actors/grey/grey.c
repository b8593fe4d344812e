/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/plane.h"

static int init(struct pstk_actor *self)
{
	return ps_plane_init(self, PS_PLANE_MAP, PS_PLANE_FRAME);
}

static float largest(const float *map, size_t n)
{
	float most = 0;

	for (size_t i = 0; i < n; i++)
		most = map[i] > most ? map[i] : most;
	return most;
}

/* A quotient, because a largest value that is tiny has no finite reciprocal. */
static uint8_t grey_of(float value, float most)
{
	return value > 0 ? (uint8_t)(value / most * 255 + 0.5f) : 0;
}

static int fire(struct pstk_firing *f)
{
	const float *in = pstk_fifo_read_start(f, PS_PLANE_IN);
	uint8_t *out = pstk_fifo_write_start(f, PS_PLANE_OUT);
	const struct pstk_grey_arg *arg = pstk_actor_arg(pstk_firing_actor(f));
	size_t pixels = ps_plane_pixels(pstk_firing_actor(f)), maps = ps_plane_tokens(f, PS_PLANE_OUT);

	for (size_t i = 0; i < maps; i++, in += pixels, out += pixels) {
		float most = largest(in, pixels);

		for (size_t k = 0; k < pixels; k++)
			out[k] = grey_of(in[k], most);
		for (size_t k = 0; arg->mark && k < pixels; k++)
			out[k] = out[k] >= arg->mark ? 255 : 0;
	}
	pstk_fifo_read_end(f, PS_PLANE_IN);
	pstk_fifo_write_end(f, PS_PLANE_OUT);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *pstk_grey_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "u8", .rate = 1 },
	};
	static const struct pstk_param params[] = {
		PS_PLANE_SIDES,
		{ .name = "mark",
			.type = "u32",
			.default_value = "0",
			.range = "0..255",
			.help = "what is so bright becomes 255, the rest 0; 0: all shades",
			.offset = offsetof(struct pstk_grey_arg, mark) },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "grey",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = params,
		.param_count = sizeof params / sizeof *params,
		.arg_size = sizeof(struct pstk_grey_arg),
		.stateless = true,
		.init = init,
		.fire = fire,
	};

	return &type;
}
