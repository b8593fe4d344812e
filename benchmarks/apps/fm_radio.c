/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/fm_radio.h"

#include "actors/common/polyphase.h"
#include "benchmarks/common/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATE 250e3 /* Hz */

enum { STEPS = 64, SIGNAL = 4 * FM_LEAST, PART = 256 };

/* Constant between fm_open() and fm_close(). */
static struct stages stages;
static struct pstk_network *holder; /* never started: its actors have the filters' args */
static const void *filters[FM_FILTERS];
static float gains[FM_BANDS];

const struct stages *fm_stages(void)
{
	return &stages;
}

const void *fm_filter(unsigned filter)
{
	return filters[filter];
}

/* The lower edge of a band, Hz: they are equally far apart to the ear. */
static double edge(unsigned band)
{
	return 55 * pow(1760. / 55, (double)band / FM_BANDS);
}

struct pstk_actor *fm_filter_add(struct pstk_network *net, const char *name, unsigned filter)
{
	double cutoff = filter == FM_LOW   ? 30e3
	                : filter < FM_UPTO ? edge(filter - FM_BELOW)
	                                   : edge(filter - FM_UPTO + 1);

	return pstk_fir_f32_add(net, name,
		PSTK_FIR(.cutoff = cutoff / RATE, .count = FM_TAPS,
			.decimation = filter == FM_LOW ? FM_DECIMATION : 1));
}

/* -- the loops -- */

void fm_demodulate(float *out, const float *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = 8 * atanf(in[i] * in[i + 1]);
}

void fm_subtract(float *out, const float *below, const float *upto, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = upto[i] - below[i];
}

void fm_subtract_pairs(float *out, const float *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = pairs[2 * i + 1] - pairs[2 * i];
}

void fm_amplify(float *out, const float *in, size_t n, unsigned band)
{
	for (size_t i = 0; i < n; i++)
		out[i] = gains[band] * in[i];
}

void fm_add(float *sum, const float *band, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] += band[i];
}

void fm_add_rows(float *out, const float *rows, size_t n)
{
	for (size_t i = 0; i < n; i++, rows += FM_BANDS) {
		out[i] = 0;
		for (unsigned band = 0; band < FM_BANDS; band++)
			out[i] += rows[band];
	}
}

static void equalize_part(float *out, const float *in, size_t n)
{
	float below[PART], upto[PART];

	memset(out, 0, n * sizeof *out);
	for (unsigned band = 0; band < FM_BANDS; band++) {
		ps_polyphase_run(filters[FM_BELOW + band], below, in, n);
		ps_polyphase_run(filters[FM_UPTO + band], upto, in, n);
		fm_subtract(below, below, upto, n);
		fm_amplify(below, below, n, band);
		fm_add(out, below, n);
	}
}

void fm_equalize(float *out, const float *in, size_t n)
{
	for (size_t at = 0; at < n; at += PART)
		equalize_part(out + at, in + at, n - at < PART ? n - at : PART);
}

/* -- the stages -- */

static void run_low(const struct stage *s, void *out, const void *in, size_t units)
{
	ps_polyphase_run(s->arg, out, in, units);
}

static void run_demodulate(const struct stage *s, void *out, const void *in, size_t units)
{
	(void)s;
	fm_demodulate(out, in, units);
}

static void run_equalize(const struct stage *s, void *out, const void *in, size_t units)
{
	(void)s;
	fm_equalize(out, in, units);
}

/* A carrier at 20 kHz; a tone of 440 Hz moves it by up to 5 kHz. */
static float *make_signal(void)
{
	const double pi = acos(-1);
	float *x = rounds_alloc(SIGNAL * sizeof *x);

	for (unsigned i = 0; i < SIGNAL; i++) {
		double t = i / RATE;

		x[i] = (float)cos(2 * pi * 20e3 * t + 5e3 / 440 * sin(2 * pi * 440 * t));
	}
	return x;
}

void fm_open(void)
{
	const size_t f = sizeof(float);

	holder = pstk_network_create("filters");
	for (unsigned i = 0; i < FM_FILTERS; i++) {
		char name[] = { (char)('A' + i), 0 };

		filters[i] = pstk_actor_arg(fm_filter_add(holder, name, i));
	}
	for (unsigned band = 0; band < FM_BANDS; band++)
		gains[band] = 2 - fabsf((float)band - (FM_BANDS - 1) / 2.F) / 5;
	stages = (struct stages){ .count = 3,
		.stage = { { STEPS, FM_DECIMATION, 1, FM_TAPS - 1, f, f, run_low, filters[FM_LOW] },
			{ STEPS, 1, 1, 1, f, f, run_demodulate, NULL },
			{ STEPS, 1, 1, FM_TAPS - 1, f, f, run_equalize, NULL } },
		.signal = make_signal(),
		.signal_tokens = SIGNAL,
		.piece = STEPS };
}

void fm_close(void)
{
	free((void *)(uintptr_t)stages.signal);
	pstk_network_destroy(holder);
}

uint64_t fm_run_serial(const void *arg, uint64_t items)
{
	(void)arg;
	return stages_run_serial(&stages, 4, items);
}
