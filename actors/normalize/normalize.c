/* SPDX-License-Identifier: MIT */
/*
 * Bit for bit what normalize.cl makes, on any device with denormal numbers. So
 *   - nothing may be contracted to a fused multiply-add: this file is compiled with -ffp-contract=off;
 *   - there is no division, in which devices may err: the reciprocal of max - min is computed with integers, that of
 *     the number of pixels is an argument of the kernel, and M / (M - M / 5) is 5 / 4;
 *   - sums have one order: that of a row is of LANES sums, each of every 32nd pixel, added pairwise; then rows one
 *     after the other.
 *
 * A row's sum is that of its values less its own least one; (the row's least value - the map's) x width is what is
 * missing. So a device needs one walk through the rows for all of it.
 */
#include "actors/normalize/normalize.h"

#include "actors/common/wide.h"

#include <math.h>
#include <string.h>

enum { LANES = 32 };

struct bounds {
	float min, max;
};

/* What becomes of a pixel r: with n = (r - min) scale, n > least ? (n - least) 5 / 4 : 0. */
struct change {
	float min, scale, least;
};

PS_WIDE_BODY static float lower(float a, float b)
{
	return a < b ? a : b;
}

PS_WIDE_BODY static float higher(float a, float b)
{
	return a > b ? a : b;
}

PS_WIDE_BODY static struct bounds bounds_of(const float *from, size_t n, struct bounds so_far)
{
	float min[LANES], max[LANES];
	size_t i = 0;

	for (size_t k = 0; k < LANES; k++) {
		min[k] = so_far.min;
		max[k] = so_far.max;
	}
	for (; i + LANES <= n; i += LANES)
		for (size_t k = 0; k < LANES; k++) {
			min[k] = lower(from[i + k], min[k]);
			max[k] = higher(from[i + k], max[k]);
		}
	for (size_t k = 0; i + k < n; k++) {
		min[k] = lower(from[i + k], min[k]);
		max[k] = higher(from[i + k], max[k]);
	}
	for (size_t k = 1; k < LANES; k++) {
		min[0] = lower(min[k], min[0]);
		max[0] = higher(max[k], max[0]);
	}
	return (struct bounds){ min[0], max[0] };
}

PS_WIDE_BODY static float sum_of(const float *from, size_t n, float min)
{
	float lanes[LANES] = { 0 };
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		for (size_t k = 0; k < LANES; k++)
			lanes[k] += from[i + k] - min;
	for (size_t k = 0; i + k < n; k++)
		lanes[k] += from[i + k] - min;
	for (size_t half = LANES / 2; half; half /= 2)
		for (size_t k = 0; k < half; k++)
			lanes[k] += lanes[k + half];
	return lanes[0];
}

/* The bounds of a map, and the sum of its values less the least one. */
PS_WIDE_BODY static void measure_body(
	const float *from, size_t w, size_t h, struct bounds *bounds, float *restrict sum)
{
	*bounds = bounds_of(from, w * h, (struct bounds){ from[0], from[0] });
	*sum = 0;
	for (size_t y = 0; y < h; y++, from += w) {
		struct bounds row = bounds_of(from, w, (struct bounds){ from[0], from[0] });

		*sum += sum_of(from, w, row.min) + (row.min - bounds->min) * (float)w;
	}
}

PS_WIDE(measure, (const float *from, size_t w, size_t h, struct bounds *bounds, float *restrict sum),
	(from, w, h, bounds, sum))

/* 1 / x by integers: a normal x is m 2^(e - 150), with a mantissa of 24 bits. */
static float reciprocal(float x)
{
	uint32_t bits, m;
	uint64_t q;

	memcpy(&bits, &x, sizeof bits);
	m = (bits & 0x7fffff) | 0x800000;
	q = ((UINT64_C(1) << 47) + m / 2) / m;
	return ldexpf((float)q, 103 - (int)(bits >> 23 & 0xff));
}

/* M is the largest n: of the largest value. */
static struct change change_for(const struct bounds *bounds, float sum, float share)
{
	float range = bounds->max - bounds->min, inverse = reciprocal(range);
	float rest = 1 - sum * inverse * share, scale = inverse * (rest * rest);

	return (struct change){ bounds->min, scale, 0.2f * (range * scale) };
}

PS_WIDE_BODY static void apply_body(
	float *restrict to, const float *restrict from, size_t n, const struct change *c)
{
	float min = c->min, scale = c->scale, least = c->least;

	for (size_t i = 0; i < n; i++) {
		float value = (from[i] - min) * scale, rest = (value - least) * 1.25f;

		to[i] = value > least ? rest : 0;
	}
}

PS_WIDE(apply, (float *restrict to, const float *restrict from, size_t n, const struct change *c),
	(to, from, n, c))

void ps_normalize_map(float *restrict to, const float *restrict from, const struct pstk_normalize_arg *arg)
{
	size_t w = arg->size.width, h = arg->size.height;
	struct bounds bounds;
	struct change change;
	float sum;

	measure(from, w, h, &bounds, &sum);
	if (!(bounds.max - bounds.min > arg->flat)) {
		memset(to, 0, w * h * sizeof *to);
		return;
	}
	change = change_for(&bounds, sum, 1 / (float)(w * h));
	apply(to, from, w * h, &change);
}

#ifdef HAVE_OPENCL
static int finish(struct pstk_actor *self)
{
	ps_launch_end(pstk_actor_state(self));
	return 0;
}
#endif

static int init(struct pstk_actor *self)
{
	return ps_plane_init(self, PS_PLANE_MAP, PS_PLANE_MAP);
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const float *in = pstk_fifo_read_start(f, PS_PLANE_IN);
	float *out = pstk_fifo_write_start(f, PS_PLANE_OUT);
	size_t pixels = ps_plane_pixels(self), maps = ps_plane_tokens(f, PS_PLANE_OUT);

	for (size_t i = 0; i < maps; i++)
		ps_normalize_map(out + i * pixels, in + i * pixels, pstk_actor_arg(self));
	pstk_fifo_read_end(f, PS_PLANE_IN);
	pstk_fifo_write_end(f, PS_PLANE_OUT);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *pstk_normalize_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	static const struct pstk_param params[] = {
		PS_PLANE_SIDES,
		{ .name = "flat",
			.type = "f32",
			.default_value = "1e-9",
			.range = "0..",
			.help = "a map whose values differ by no more becomes 0",
			.offset = offsetof(struct pstk_normalize_arg, flat) },
	};
	static const struct pstk_actor_type type = {
		.struct_size = sizeof type,
		.name = "normalize",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.params = params,
		.param_count = sizeof params / sizeof *params,
		.arg_size = sizeof(struct pstk_normalize_arg),
		.stateless = true,
		.init = init,
		.fire = fire,
#ifdef HAVE_OPENCL
		.state_size = sizeof(struct ps_launches),
		.fire_cl = ps_normalize_fire_cl,
		.open_place = ps_normalize_open_place,
		.finish = finish,
#endif
	};

	return &type;
}
