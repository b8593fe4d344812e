/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/fm_receiver/stereo.h"

#include <penstock/actors.h>

#include <math.h>

/* Parts of a full swing; a transmitter's pilot has 0.08 to 0.1. Between these the sound goes from mono to stereo. */
#define NO_PILOT 0.02
#define PILOT 0.04

static double pi(void)
{
	return acos(-1);
}

/* 19 kHz beside the multiplex. Whole numbers, so that it is exact after days, too: in a second of the input there are
 * `rate` turns of 1 / rate. */
struct oscillator {
	uint64_t rate, step, now;
};

/* At `back` samples before the first one of a firing. */
static struct oscillator oscillator(const struct pstk_firing *f, const struct plan *plan, uint32_t back)
{
	uint64_t rate = plan->rate, step = (uint64_t)PLAN_PILOT * plan->decimation % rate;
	uint64_t first = pstk_firing_index(f) * pstk_actor_port_rate(pstk_firing_actor(f), 0);

	/* whole periods more, because there are samples before the first one */
	first = (first + (back / rate + 1) * rate - back) % rate;
	return (struct oscillator){ rate, step, first * step % rate };
}

/* The phase of the next sample. */
static double next_phase(struct oscillator *o)
{
	double phase = 2 * pi() * (double)o->now / (double)o->rate;

	o->now += o->step;
	o->now -= o->now >= o->rate ? o->rate : 0;
	return phase;
}

static int shift_fire(struct pstk_firing *f)
{
	const struct plan *plan = pstk_actor_arg(pstk_firing_actor(f));
	const float *in = pstk_fifo_read_start(f, 0);
	struct pstk_cf32 *out = pstk_fifo_write_start(f, 1);
	struct oscillator o = oscillator(f, plan, 0);

	for (uint32_t i = 0; i < pstk_firing_steps(f); i++) {
		double phase = next_phase(&o), x = (double)in[i];

		out[i] = (struct pstk_cf32){ (float)(x * cos(phase)), (float)(-x * sin(phase)) };
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *shift_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "out",
			.kind = PSTK_OUTPUT,
			.token_size = sizeof(struct pstk_cf32),
			.token_type = "cf32",
			.rate = 1 },
	};
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "shift",
		.ports = ports,
		.port_count = 2,
		.stateless = true,
		.fire = shift_fire };

	return &type;
}

enum { IN, FILTERED, LEFT, RIGHT };

/* The multiplex waits for the pilot, which its filter delays: it is read so far back. */
static uint32_t delay(const struct plan *plan)
{
	return (plan->pilot.taps - 1) / 2;
}

static int decoder_rates(struct pstk_actor *self)
{
	const struct decoder *d = pstk_actor_arg(self);

	return pstk_actor_set_history(self, IN, delay(d->plan));
}

/* A change of phase from sample to sample is the mean of the frequency between them, which is less where it changes
 * fast: by this much at the 38 kHz of the difference. */
static double lift(const struct plan *plan)
{
	double x = pi() * 2 * PLAN_PILOT / plan->middle;

	return x / sin(x);
}

/* sin 2a, 0 without a pilot. b: what is left of the pilot sin a at 0 Hz; its magnitude is a half of the pilot's. */
static double subcarrier(struct pstk_cf32 b, double phase, double *size)
{
	double re = (double)b.re, im = (double)b.im, power = re * re + im * im;

	*size = fmin(1, fmax(0, (2 * sqrt(power) - NO_PILOT) / (PILOT - NO_PILOT)));
	if (!(*size > 0))
		return 0;
	return *size * -((re * re - im * im) * sin(2 * phase) + 2 * re * im * cos(2 * phase)) / power;
}

static int decoder_fire(struct pstk_firing *f)
{
	struct decoder *d = pstk_actor_arg(pstk_firing_actor(f));
	const struct plan *plan = d->plan;
	const float *in = pstk_fifo_read_start(f, IN);
	const struct pstk_cf32 *pilot = pstk_fifo_read_start(f, FILTERED);
	float *left = pstk_fifo_write_start(f, LEFT), *right = pstk_fifo_write_start(f, RIGHT);
	const double twice = 2 * lift(plan);
	struct oscillator o = oscillator(f, plan, delay(plan)); /* of in[0] */
	uint32_t n = pstk_firing_steps(f);

	for (uint32_t i = 0; i < n; i++) {
		double size, x = (double)in[i];
		/* of samples at the start the filter makes something of any frequency */
		struct pstk_cf32 b = d->samples++ < plan->pilot.taps ? (struct pstk_cf32){ 0 } : pilot[i];
		double difference = twice * x * subcarrier(b, next_phase(&o), &size);

		left[i] = (float)(x + difference);
		right[i] = (float)(x - difference);
		d->with_pilot += size > 0.5;
	}
	pstk_fifo_read_end(f, IN);
	pstk_fifo_read_end(f, FILTERED);
	pstk_fifo_write_end(f, LEFT);
	pstk_fifo_write_end(f, RIGHT);
	return PSTK_AGAIN;
}

const struct pstk_actor_type *decoder_type(void)
{
	static const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		{ .name = "pilot",
			.kind = PSTK_INPUT,
			.token_size = sizeof(struct pstk_cf32),
			.token_type = "cf32",
			.rate = 1 },
		{ .name = "left", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
		{ .name = "right", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};
	static const struct pstk_actor_type type = { .struct_size = sizeof type,
		.name = "decoder",
		.ports = ports,
		.port_count = 4,
		.rates = decoder_rates,
		.fire = decoder_fire };

	return &type;
}
