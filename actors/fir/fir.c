/* SPDX-License-Identifier: MIT */
/*
 * A complex FIR filter: y[n] = sum over k of h[k] x[n-k]. Samples are two arrays of floats each, so that
 * all of it is plain multiplying and adding of vectors. The count - 1 samples before the window are an
 * array of their own, the past. Only the first count - 1 outputs need it.
 */
#include "config.h"

#include "actors/fir/fir.h"
#include "actors/common/ports.h"
#include "actors/common/strips.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RE, IM, RE_OUT, IM_OUT };

/* Up to KNOWN_TAPS a kernel is compiled for their number. */
enum { MAX_TAPS = 65536, KNOWN_TAPS = 32 };

/* The actor's arg. */
struct fir {
	uint32_t count;
	ps_fir_loop loop;
	struct pstk_cf32 taps[];
};

/* -- the filter -- */

enum { EDGE = 32 };

/* The last EDGE samples of the past and the first EDGE of the window, side by side: what the outputs near
 * its beginning need from both. */
struct edge {
	float re[2 * EDGE], im[2 * EDGE];
};

static void make_edge(
	struct edge *e, size_t before, struct ps_fir_samples past, struct ps_fir_samples x, size_t n)
{
	size_t old = before < EDGE ? before : EDGE, new = n < EDGE ? n : EDGE;

	memcpy(e->re + EDGE - old, past.re + before - old, old * sizeof *e->re);
	memcpy(e->im + EDGE - old, past.im + before - old, old * sizeof *e->im);
	memcpy(e->re + EDGE, x.re, new * sizeof *e->re);
	memcpy(e->im + EDGE, x.im, new * sizeof *e->im);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Adds taps from .. end - 1 of samples that lie one after the other; x: that of the first output for tap 0.
 * A few taps at a time, whose sums are added then: the errors of a long sum in single precision grow with
 * its length. */
static void add_taps(ps_fir_loop loop, struct ps_fir_part *p, const struct pstk_cf32 *taps, size_t from,
	size_t end, struct ps_fir_samples x)
{
	enum { FEW = 512 };

	for (; from < end; from += p->count) {
		p->taps = taps + from;
		p->count = least(FEW, end - from);
		p->x = (struct ps_fir_samples){ x.re - from, x.im - from };
		loop(p);
		p->add = true;
	}
}

/* The first outputs, EDGE at a time: of n .. n + m - 1 taps below n need the window, those above n + m the
 * past. */
static size_t filter_first(ps_fir_loop loop, const struct pstk_cf32 *taps, size_t count,
	struct ps_fir_samples past, struct ps_fir_samples x, float *re, float *im, size_t n)
{
	size_t before = count - 1, first = least(before, n);
	struct edge e;

	make_edge(&e, before, past, x, n);
	for (size_t from = 0; from < first; from += EDGE) {
		size_t m = least(EDGE, first - from), mixed = least(from + m + 1, count);
		struct ps_fir_part p = { .re = re + from, .im = im + from, .n = m };

		add_taps(loop, &p, taps, 0, from, (struct ps_fir_samples){ x.re + from, x.im + from });
		add_taps(loop, &p, taps, from, mixed,
			(struct ps_fir_samples){ e.re + EDGE + from, e.im + EDGE + from });
		add_taps(loop, &p, taps, mixed, count,
			(struct ps_fir_samples){ past.re + before + from, past.im + before + from });
	}
	return first;
}

void ps_fir_filter(ps_fir_loop loop, const struct pstk_cf32 *taps, size_t count, struct ps_fir_samples past,
	struct ps_fir_samples x, float *re, float *im, size_t n)
{
	size_t first = filter_first(loop, taps, count, past, x, re, im, n);
	struct ps_fir_part p = { .re = re + first, .im = im + first, .n = n - first };

	add_taps(loop, &p, taps, 0, count, (struct ps_fir_samples){ x.re + first, x.im + first });
}

/* -- the actor -- */

/*
 * The state is two halves, each the past's re and then its im. Firing n reads half n & 1 and writes the
 * other one, as the kernel must, whose work-items run in any order.
 */
static float *half(struct pstk_actor *self, const struct fir *fir, uint64_t firing)
{
	return (float *)pstk_actor_state(self) + (firing & 1) * 2 * (fir->count - 1);
}

/* to = the last `before` of from[0 .. before), x[0 .. n) */
static void remember(float *to, const float *from, size_t before, const float *x, size_t n)
{
	size_t old = before - least(before, n), fresh = before - old;

	memcpy(to, from + before - old, old * sizeof *to);
	memcpy(to + old, x + n - fresh, fresh * sizeof *to);
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct fir *fir = pstk_actor_arg(self);
	const float *re = pstk_fifo_read_start(f, RE), *im = pstk_fifo_read_start(f, IM);
	float *re_out = pstk_fifo_write_start(f, RE_OUT), *im_out = pstk_fifo_write_start(f, IM_OUT);
	size_t before = fir->count - 1, n = pstk_port_valid(f, RE_OUT);
	const float *old = half(self, fir, pstk_firing_index(f));
	float *next = half(self, fir, pstk_firing_index(f) + 1);

	ps_fir_filter(fir->loop, fir->taps, fir->count, (struct ps_fir_samples){ old, old + before },
		(struct ps_fir_samples){ re, im }, re_out, im_out, n);
	remember(next, old, before, re, n);
	remember(next + before, old + before, before, im, n);
	pstk_fifo_read_end(f, RE);
	pstk_fifo_read_end(f, IM);
	pstk_fifo_write_end(f, RE_OUT);
	pstk_fifo_write_end(f, IM_OUT);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct fir *fir = pstk_actor_arg(self);
	int err = ps_strips_set_work_size(self, RE);

	if (!err)
		err = pstk_actor_set_arg(self, 0, fir->count * sizeof *fir->taps, fir->taps);
	if (!err)
		err = pstk_actor_set_arg(self, 1, sizeof fir->count, &fir->count);
	if (!err)
		err = pstk_actor_set_arg(self, 2, sizeof(uint32_t), PSTK_ARG_VALID(RE_OUT));
	return err;
}

const struct pstk_kernel ps_fir_kernel = {
	.source =
#include "actors/fir/fir.clh"
		, .name = "fir",
};

static struct pstk_actor *add_actor(
	struct pstk_network *net, const char *name, const struct fir *fir, size_t size)
{
	static const struct pstk_port ports[] = {
		PS_PORT_F32("re", PSTK_INPUT),
		PS_PORT_F32("im", PSTK_INPUT),
		PS_PORT_F32("re_out", PSTK_OUTPUT),
		PS_PORT_F32("im_out", PSTK_OUTPUT),
	};
	struct pstk_kernel kernel = ps_fir_kernel;
	char options[32];
	/* one tap remembers nothing, but a state of 0 bytes would be one argument less */
	size_t remembered = fir->count > 1 ? fir->count - 1 : 1;

	if (fir->count <= KNOWN_TAPS) {
		snprintf(options, sizeof options, "-DTAPS=%" PRIu32, fir->count);
		kernel.options = options;
	}
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "fir", .ports = ports, .port_count = sizeof ports / sizeof *ports,
			.arg_size = size, .state_size = 2 * 2 * sizeof(float) * remembered,
			.portable_state = true, .init = init, .fire = fire, .kernel = &kernel),
		(void *)fir);
}

static int check_taps(
	struct pstk_network *net, const char *name, const struct pstk_cf32 *taps, unsigned count)
{
	if (!taps || !count)
		return pstk_network_refuse(
			net, -EINVAL, "'%s': a filter without taps: give it at least one", name);
	if (count > MAX_TAPS)
		return pstk_network_refuse(net, -EINVAL, "'%s': a filter of %u taps: it can have up to %d",
			name, count, MAX_TAPS);
	for (unsigned k = 0; k < count; k++)
		if (!isfinite(taps[k].re) || !isfinite(taps[k].im))
			return pstk_network_refuse(net, -EINVAL,
				"'%s': tap %u of %u is %g, %g: taps are finite numbers", name, k, count,
				(double)taps[k].re, (double)taps[k].im);
	return 0;
}

struct pstk_actor *pstk_fir_add(
	struct pstk_network *net, const char *name, const struct pstk_cf32 *taps, unsigned count)
{
	size_t size = sizeof(struct fir) + (size_t)count * sizeof *taps;
	struct pstk_actor *actor;
	struct fir *fir;

	if (check_taps(net, name ? name : "", taps, count))
		return NULL;
	fir = calloc(1, size);
	if (!fir) {
		pstk_network_refuse(net, -ENOMEM, "'%s': out of memory", name ? name : "");
		return NULL;
	}
	fir->count = count;
	fir->loop = ps_fir_loop_best();
	memcpy(fir->taps, taps, count * sizeof *taps);
	actor = add_actor(net, name, fir, size);
	free(fir);
	return actor;
}
