/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/fm_receiver/demodulator.h"

#include <penstock/actors.h>

#include <math.h>

static int pair_fire(struct pstk_firing *f)
{
	const float *re = pstk_fifo_read_start(f, 0), *im = pstk_fifo_read_start(f, 1);
	struct pstk_cf32 *out = pstk_fifo_write_start(f, 2);

	for (uint32_t i = 0; i < pstk_firing_steps(f); i++)
		out[i] = (struct pstk_cf32){ re[i], im[i] };
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	pstk_fifo_write_end(f, 2);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *pair_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "re", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "im", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out",
			.kind = PSTK_OUTPUT,
			.token_size = sizeof(struct pstk_cf32),
			.token_type = "cf32",
			.rate = 1 },
	};
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "pair",
		.ports = ports,
		.port_count = 3,
		.stateless = true,
		.fire = pair_fire };

	return &type;
}

/* The first sample of all has a zero before it: atan2(0, 0) is 0. */
static int discriminator_fire(struct pstk_firing *f)
{
	const struct discriminator *d = pstk_actor_arg(pstk_firing_actor(f));
	const struct pstk_cf32 *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);
	uint64_t first = pstk_firing_index(f) * pstk_actor_port_rate(pstk_firing_actor(f), 1);

	for (uint32_t i = 0; i < pstk_firing_steps(f); i++) {
		const struct pstk_cf32 last = in[i], now = in[i + 1];
		float turn = atan2f(now.im * last.re - now.re * last.im, now.re * last.re + now.im * last.im);

		out[i] = isfinite(turn) && first + i >= d->mute ? d->gain * turn : 0;
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *discriminator_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in",
			.kind = PSTK_INPUT,
			.token_size = sizeof(struct pstk_cf32),
			.token_type = "cf32",
			.rate = 1,
			.history = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "discriminator",
		.ports = ports,
		.port_count = 2,
		.arg_size = sizeof(struct discriminator),
		.stateless = true,
		.fire = discriminator_fire };

	return &type;
}

/* The source has published what this firing's samples are made of; and at the end all that it will. */
static int deemphasis_fire(struct pstk_firing *f)
{
	struct deemphasis *d = pstk_actor_arg(pstk_firing_actor(f));
	const float *in = pstk_fifo_read_start(f, 0);
	float *out = pstk_fifo_write_start(f, 1);
	struct pstk_fifo_info info = { 0 };
	uint64_t left;
	uint32_t n = pstk_firing_steps(f);

	pstk_fifo_get_info(d->first, &info);
	left = plan_length(d->plan, info.written) - d->written;
	n = n < left ? n : (uint32_t)left;
	for (uint32_t i = 0; i < n; i++) {
		d->last = d->gain * ((double)in[i] + d->zero * d->before) + d->pole * d->last;
		d->before = (double)in[i];
		out[i] = (float)d->last;
	}
	d->written += n;
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end_partial(f, 1, n);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *deemphasis_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "deemphasis",
		.ports = ports,
		.port_count = 2,
		.fire = deemphasis_fire };

	return &type;
}

void deemphasis_design(struct deemphasis *d, uint32_t microseconds, uint32_t rate)
{
	double pi = acos(-1), tau = microseconds * 1e-6, equal = fmin(15000, 0.45 * rate);
	double c = cos(2 * pi * equal / rate), a = tau > 0 ? exp(-1 / (tau * rate)) : 0, r, half;

	d->gain = 1;
	d->zero = d->pole = 0;
	if (!(tau > 0))
		return;
	/* |1 + z e^-jw|^2 / (1 + z)^2 = r makes the gain there that of the circuit; of both z the one in the unit
	 * circle */
	r = (1 - 2 * a * c + a * a) / ((1 - a) * (1 - a)) / (1 + pow(2 * pi * equal * tau, 2));
	half = (r - c) / (1 - r);
	d->zero = half - copysign(sqrt(half * half - 1), half);
	d->pole = a;
	d->gain = (1 - a) / (1 + d->zero);
}
