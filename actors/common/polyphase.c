/* SPDX-License-Identifier: MIT */
/*
 * Output n is the sum over j of taps[phase + j L] x[i - j], where i = n M / L, rounded down, phase = n M modulo L, L is
 * the interpolation and M the decimation. The taps of a phase lie side by side, the last one first, as their samples
 * do. So an output is the sum of products of two arrays.
 *
 * It is added up in LANES partial sums, whichever vectors the processor has, and these pairwise. A complex sample is
 * two floats side by side, and each tap is there twice: even lanes are the real part then. So the result is the same
 * with any number of steps, on any x86 processor.
 */
#include "config.h"

#include "actors/common/polyphase.h"
#include "actors/common/strips.h"
#include "actors/common/wide.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { IN, OUT };

enum { LANES = 16 };

/* The actor's arg. */
struct filter {
	uint32_t interpolation;
	uint32_t in, out;     /* samples of a step: both without their common factor */
	uint32_t width;       /* floats of a sample: 1 or 2 */
	uint32_t history;     /* the most taps of a phase, less one */
	uint32_t whole, more; /* decimation / interpolation, and what is left */
	uint32_t full;        /* phases that have history + 1 taps; the others have one less */
	/* For each phase history + 1 places, `width` times each; the taps of a phase that has one less lie at the end
	 * of its part. */
	float taps[];
};

/* -- the filter -- */

PS_WIDE_BODY static uint32_t phase_taps(const struct filter *filter, uint32_t phase)
{
	return filter->history + (phase < filter->full);
}

PS_WIDE_BODY static void add_products(
	float *restrict sums, const float *restrict taps, const float *restrict x, size_t lanes)
{
	for (size_t lane = 0; lane < lanes; lane++)
		sums[lane] += taps[lane] * x[lane];
}

/* out[0 .. width) = the sum of n products, n a multiple of width. */
PS_WIDE_BODY static void sum_products(
	float *restrict out, const float *restrict taps, const float *restrict x, size_t n, uint32_t width)
{
	float sums[LANES] = { 0 };
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		add_products(sums, taps + i, x + i, LANES);
	if (n - i >= 8) {
		add_products(sums, taps + i, x + i, 8);
		i += 8;
	}
	if (n - i >= 4) {
		add_products(sums, taps + i, x + i, 4);
		i += 4;
	}
	if (n - i >= 2) {
		add_products(sums, taps + i, x + i, 2);
		i += 2;
	}
	if (i < n)
		add_products(sums, taps + i, x + i, 1);
	for (size_t half = LANES / 2; half >= width; half /= 2)
		for (size_t lane = 0; lane < half; lane++)
			sums[lane] += sums[lane + half];
	out[0] = sums[0];
	if (width > 1)
		out[1] = sums[1];
}

/* width: f->width, as a constant. */
PS_WIDE_BODY static void run_width(
	const struct filter *f, float *restrict out, const float *restrict x, size_t n, uint32_t width)
{
	size_t stride = ((size_t)f->history + 1) * width;
	uint32_t phase = 0;

	for (size_t i = 0; i < n; i++) {
		size_t products = (size_t)phase_taps(f, phase) * width, missing = stride - products;

		sum_products(
			out + i * width, f->taps + phase * stride + missing, x + missing, products, width);
		x += (size_t)f->whole * width;
		phase += f->more;
		if (phase >= f->interpolation) {
			phase -= f->interpolation;
			x += width;
		}
	}
}

/* n outputs; x: the oldest sample of the history of the first one. */
PS_WIDE_BODY static void run_body(
	const struct filter *f, float *restrict out, const float *restrict x, size_t n)
{
	if (f->width == 1)
		run_width(f, out, x, n, 1);
	else
		run_width(f, out, x, n, 2);
}

PS_WIDE(run, (const struct filter *f, float *restrict out, const float *restrict x, size_t n), (f, out, x, n))

void ps_polyphase_run(const void *filter, float *out, const float *x, size_t n)
{
	run(filter, out, x, n);
}

/* -- the actor -- */

static int rates(struct pstk_actor *self)
{
	const struct filter *filter = pstk_actor_arg(self);

	pstk_actor_set_history(self, IN, filter->history);
	pstk_actor_set_rate(self, IN, filter->in);
	return pstk_actor_set_rate(self, OUT, filter->out);
}

/* The arguments of polyphase.cl. */
static int init(struct pstk_actor *self)
{
	const struct filter *filter = pstk_actor_arg(self);
	const uint32_t decimation = filter->whole * filter->interpolation + filter->more;
	size_t taps = ((size_t)filter->history + 1) * filter->interpolation * filter->width;
	int err = ps_strips_set_work_size(self, OUT);

	if (!err)
		err = pstk_actor_set_arg(self, 0, taps * sizeof *filter->taps, filter->taps);
	if (!err)
		err = pstk_actor_set_arg(self, 1, sizeof(uint32_t), &filter->interpolation);
	if (!err)
		err = pstk_actor_set_arg(self, 2, sizeof(uint32_t), &decimation);
	if (!err)
		err = pstk_actor_set_arg(self, 3, sizeof(uint32_t), &filter->history);
	if (!err)
		err = pstk_actor_set_arg(self, 4, sizeof(uint32_t), &filter->full);
	return err ? err : pstk_actor_set_arg(self, 5, sizeof(uint32_t), PSTK_ARG_VALID(OUT));
}

static int fire(struct pstk_firing *f)
{
	const struct filter *filter = pstk_actor_arg(pstk_firing_actor(f));
	const float *in = pstk_fifo_read_start(f, IN);
	float *out = pstk_fifo_write_start(f, OUT);

	run(filter, out, in, (size_t)pstk_firing_steps(f) * filter->out);
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

static uint32_t common_factor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void place_taps(struct filter *filter, const struct ps_taps *taps)
{
	for (uint32_t k = 0; k < taps->count; k++) {
		uint32_t phase = k % filter->interpolation, j = k / filter->interpolation;
		size_t row = (size_t)phase * (filter->history + 1);
		float *at = filter->taps + (row + filter->history - j) * filter->width;

		for (uint32_t w = 0; w < filter->width; w++)
			at[w] = taps->tap[k];
	}
}

/* NULL: no memory. */
static struct filter *make_filter(const struct ps_polyphase *p, size_t *size)
{
	uint32_t factor = common_factor(p->interpolation, p->decimation);
	uint32_t most = (p->taps.count - 1) / p->interpolation + 1, width = p->complex_samples ? 2 : 1;
	struct filter *filter;

	*size = sizeof *filter + (size_t)most * p->interpolation * width * sizeof *filter->taps;
	filter = calloc(1, *size);
	if (!filter)
		return NULL;
	filter->interpolation = p->interpolation;
	filter->in = p->decimation / factor;
	filter->out = p->interpolation / factor;
	filter->width = width;
	filter->history = most - 1;
	filter->whole = p->decimation / p->interpolation;
	filter->more = p->decimation % p->interpolation;
	filter->full = p->taps.count - filter->history * p->interpolation;
	place_taps(filter, &p->taps);
	return filter;
}

struct pstk_actor *ps_polyphase_add(struct pstk_network *net, const char *name, const struct ps_polyphase *p)
{
	const char *element = p->complex_samples ? "cf32" : "f32";
	size_t token = p->complex_samples ? sizeof(struct pstk_cf32) : sizeof(float), size;
	const struct pstk_port ports[] = {
		{ .name = "in", .kind = PSTK_INPUT, .token_size = token, .token_type = element },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_size = token, .token_type = element },
	};
	const struct pstk_kernel kernel = {
		.source =
#include "actors/common/polyphase.clh"
			, .name = "polyphase", .options = p->complex_samples ? "-DWIDTH=2" : "-DWIDTH=1",
	};
	struct filter *filter = make_filter(p, &size);
	struct pstk_actor *actor;

	if (!filter) {
		pstk_network_refuse(net, -ENOMEM, "'%s': out of memory", name);
		return NULL;
	}
	actor = pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = p->type, .ports = ports, .port_count = sizeof ports / sizeof *ports,
			.arg_size = size, .stateless = true, .rates = rates, .init = init, .fire = fire,
			.kernel = &kernel),
		filter);
	free(filter);
	return actor;
}
