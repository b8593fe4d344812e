/* SPDX-License-Identifier: MIT */
/*
 * The power spectral density of a signal, by Welch. Samples are gathered into a segment; when it is full it
 * is windowed, transformed and its power added, and its second half becomes the next one's first.
 */
#include "config.h"

#include "actors/common/fft.h"
#include "actors/common/ports.h"
#include "actors/common/take.h"
#include "penstock/iq.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_LEAST = 16, SIZE_MOST = 65536 };

/* Of the adding thread, but what says something else. */
struct pstk_spectrum {
	struct ps_fft *fft;
	size_t size;       /* constant */
	atomic_bool taken; /* an actor of a running network adds to it */
	size_t fill;       /* samples in re, im */
	int64_t segments;  /* in power */
	float *re, *im;    /* size each: the segment that is being gathered; all arrays are one block */
	float *window;     /* size; constant */
	struct pstk_cf32 *in, *out; /* size each: of the transform */
	double *power;              /* size: sums of squares of out */
	double scale;               /* constant: a segment's sum of squares to its mean square */
};

static void place_arrays(struct pstk_spectrum *s, char *block)
{
	size_t floats = s->size * sizeof(float);

	s->power = (double *)(void *)block;
	block += s->size * sizeof *s->power;
	s->in = (struct pstk_cf32 *)(void *)block;
	s->out = s->in + s->size;
	block += 2 * s->size * sizeof *s->in;
	s->re = (float *)(void *)block;
	s->im = (float *)(void *)(block + floats);
	s->window = (float *)(void *)(block + 2 * floats);
}

/* Hann, periodic: halves that overlap add up to 1 everywhere. */
static void prepare(struct pstk_spectrum *s)
{
	double squares = 0;

	for (size_t i = 0; i < s->size; i++) {
		s->window[i] = (float)((1 - cos(2 * PS_PI * (double)i / (double)s->size)) / 2);
		squares += (double)s->window[i] * s->window[i];
	}
	s->scale = 1 / (squares * (double)s->size);
}

int pstk_spectrum_create(struct pstk_spectrum **spectrum, size_t size)
{
	struct pstk_spectrum *s;
	int err;

	if (!spectrum)
		return -EINVAL;
	*spectrum = NULL;
	if (size < SIZE_LEAST || size > SIZE_MOST || size & (size - 1))
		return -EINVAL;
	s = calloc(1, sizeof *s + size * (sizeof *s->power + 2 * sizeof *s->in + 3 * sizeof(float)));
	if (!s)
		return -ENOMEM;
	s->size = size;
	err = ps_fft_create(&s->fft, size, false);
	if (err) {
		free(s);
		return err;
	}
	place_arrays(s, (char *)(s + 1));
	prepare(s);
	*spectrum = s;
	return 0;
}

/* A sample that is not finite makes each bin NaN or infinite; so do samples whose sums overflow. */
static void add_segment(struct pstk_spectrum *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->size; i++) {
		s->in[i].re = s->re[i] * s->window[i];
		s->in[i].im = s->im[i] * s->window[i];
	}
	ps_fft_run(s->fft, s->out, s->in);
	for (size_t i = 0; i < s->size; i++)
		sum += (double)s->out[i].re * s->out[i].re + (double)s->out[i].im * s->out[i].im;
	if (!isfinite(sum))
		return;
	for (size_t i = 0; i < s->size; i++)
		s->power[i] += (double)s->out[i].re * s->out[i].re + (double)s->out[i].im * s->out[i].im;
	s->segments++;
}

int pstk_spectrum_add(struct pstk_spectrum *s, const float *re, const float *im, size_t n)
{
	if (!s || !re || !im)
		return -EINVAL;
	while (n) {
		size_t half = s->size / 2, part = s->size - s->fill < n ? s->size - s->fill : n;

		memcpy(s->re + s->fill, re, part * sizeof *re);
		memcpy(s->im + s->fill, im, part * sizeof *im);
		s->fill += part;
		re += part;
		im += part;
		n -= part;
		if (s->fill < s->size)
			break;
		add_segment(s);
		memcpy(s->re, s->re + half, half * sizeof *s->re);
		memcpy(s->im, s->im + half, half * sizeof *s->im);
		s->fill = half;
	}
	return 0;
}

int64_t pstk_spectrum_get(const struct pstk_spectrum *s, double *power)
{
	if (!s || !power)
		return -EINVAL;
	for (size_t i = 0; i < s->size; i++) {
		double sum = s->power[(i + s->size / 2) % s->size];

		power[i] = s->segments ? sum * s->scale / (double)s->segments : 0;
	}
	return s->segments;
}

void pstk_spectrum_destroy(struct pstk_spectrum *s)
{
	if (!s)
		return;
	ps_fft_destroy(s->fft);
	free(s);
}

enum { RE, IM };

static int init(struct pstk_actor *self)
{
	struct pstk_spectrum *s = pstk_actor_arg(self);

	if (!s)
		return pstk_actor_error(
			self, -EINVAL, "its arg is NULL: give it a spectrum, of pstk_spectrum_create()");
	return ps_take(self, &s->taken, "spectrum", "give each its own");
}

static int fire(struct pstk_firing *f)
{
	struct pstk_spectrum *s = pstk_actor_arg(pstk_firing_actor(f));
	const float *re = pstk_fifo_read_start(f, RE), *im = pstk_fifo_read_start(f, IM);
	uint32_t valid = pstk_port_valid(f, RE) < pstk_port_valid(f, IM) ? pstk_port_valid(f, RE)
	                                                                 : pstk_port_valid(f, IM);

	pstk_spectrum_add(s, re, im, valid);
	pstk_fifo_read_end(f, RE);
	pstk_fifo_read_end(f, IM);
	return PSTK_AGAIN;
}

/* The next network may use it. */
static int finish(struct pstk_actor *self)
{
	struct pstk_spectrum *s = pstk_actor_arg(self);

	atomic_store(&s->taken, false);
	return 0;
}

const struct pstk_actor_type *pstk_spectrum_type(void)
{
	static const struct pstk_port ports[] = {
		PS_PORT_F32("re", PSTK_INPUT),
		PS_PORT_F32("im", PSTK_INPUT),
	};
	static const struct pstk_actor_type type = {
		.struct_size = (uint32_t)sizeof(struct pstk_actor_type),
		.name = "spectrum",
		.ports = ports,
		.port_count = sizeof ports / sizeof *ports,
		.init = init,
		.fire = fire,
		.finish = finish,
	};

	return &type;
}
