/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "benchmarks/apps/cd_to_dat.h"

#include "actors/common/fft.h"
#include "actors/common/polyphase.h"
#include "actors/common/taps.h"
#include "benchmarks/common/rounds.h"
#include "penstock/iq.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNAL = 2 * CD_LEAST, FFT_STAGE = CD_FILTERS, STAGES };

/* Constant between cd_open() and cd_close(). */
static struct cd_filter filters[CD_FILTERS] = {
	{ "4/3", 4, 3, 32, NULL },
	{ "8/7", 8, 7, 32, NULL },
	{ "5/7", 5, 7, 46, NULL },
};
static struct stages stages;
static struct pstk_network *holder; /* never started: its actors have the filters' args */
static struct ps_fft *fft;

const struct stages *cd_stages(void)
{
	return &stages;
}

const struct cd_filter *cd_filters(void)
{
	return filters;
}

static struct pstk_actor *add_filter(struct pstk_network *net, const struct cd_filter *filter)
{
	return pstk_fir_cf32_add(net, filter->name,
		PSTK_FIR(.taps = filter->taps, .count = filter->interpolation * filter->phase_taps,
			.interpolation = filter->interpolation, .decimation = filter->decimation));
}

/* -- the stages -- */

static void run_filter(const struct stage *s, void *out, const void *in, size_t units)
{
	ps_polyphase_run(s->arg, out, in, units * s->out);
}

static void run_fft(const struct stage *s, void *out, const void *in, size_t units)
{
	struct pstk_cf32 *to = out;
	const struct pstk_cf32 *from = in;

	(void)s;
	for (size_t i = 0; i < units; i++)
		ps_fft_run(fft, to + i * CD_FFT, from + i * CD_HOP);
}

static void make_taps(struct cd_filter *filter)
{
	uint32_t high =
		filter->interpolation > filter->decimation ? filter->interpolation : filter->decimation;
	struct ps_taps taps;

	if (ps_taps_design(&taps, holder, filter->name, filter->interpolation * filter->phase_taps,
		    0.5 / high, 80, filter->interpolation))
		rounds_fail("%s", pstk_network_error(holder));
	filter->taps = taps.tap;
}

static float *make_signal(void)
{
	float *x = rounds_alloc(SIGNAL * 2 * sizeof *x);
	uint32_t noise = 1;

	for (unsigned i = 0; i < 2 * SIGNAL; i++) {
		noise = noise * 1664525u + 1013904223u;
		x[i] = (float)(int32_t)noise / 2147483648.0f;
	}
	return x;
}

const char *cd_open(void)
{
	static const uint32_t units[] = { 392, 224, 256, 5 };
	const size_t sample = sizeof(struct pstk_cf32);

	if (ps_fft_create(&fft, CD_FFT, false))
		return "this build has no kissfft";
	holder = pstk_network_create("filters");
	stages = (struct stages){
		.count = STAGES, .signal = make_signal(), .signal_tokens = SIGNAL, .piece = CD_FFT
	};
	for (unsigned i = 0; i < CD_FILTERS; i++) {
		struct cd_filter *f = &filters[i];

		make_taps(f);
		stages.stage[i] =
			(struct stage){ units[i], f->decimation, f->interpolation, f->phase_taps - 1, sample,
				sample, run_filter, pstk_actor_arg(add_filter(holder, f)) };
	}
	stages.stage[FFT_STAGE] = (struct stage){ units[FFT_STAGE], CD_HOP, CD_FFT, CD_FFT - CD_HOP, sample,
		sample, run_fft, NULL };
	return NULL;
}

void cd_close(void)
{
	if (!fft)
		return;
	for (unsigned i = 0; i < CD_FILTERS; i++)
		free(filters[i].taps);
	free((void *)(uintptr_t)stages.signal);
	pstk_network_destroy(holder);
	ps_fft_destroy(fft);
}

uint64_t cd_run_serial(const void *arg, uint64_t items)
{
	(void)arg;
	return stages_run_serial(&stages, 1, items);
}

/* -- another's output -- */

/* What a stage gives of n tokens, which are freed. Behind it there is room for the zeros of the next one. */
static struct pstk_cf32 *run_whole(const struct stage *s, struct pstk_cf32 *in, size_t *n, bool filled)
{
	size_t units = (*n - (filled ? s->history : 0)) / s->in;
	struct pstk_cf32 *out = rounds_alloc((units * s->out + CD_FFT) * sizeof *out);

	if (!filled) {
		memmove(in + s->history, in, *n * sizeof *in);
		memset(in, 0, s->history * sizeof *in);
	}
	s->run(s, out, in, units);
	free(in);
	*n = units * s->out;
	return out;
}

void cd_check(const char *name, const float *spectra, size_t pieces, bool filled)
{
	size_t n = (pieces / stages.stage[FFT_STAGE].units + 1) * stages_tokens(&stages);
	struct pstk_cf32 *tokens = rounds_alloc((n + CD_FFT) * sizeof *tokens);
	double largest = 0, worst = 0;

	stages_source(&stages, tokens, 0, n);
	for (unsigned i = 0; i < STAGES; i++)
		tokens = run_whole(&stages.stage[i], tokens, &n, filled && i < FFT_STAGE);
	for (size_t i = 0; i < pieces * CD_FFT * 2; i++) {
		double expected = (double)((const float *)tokens)[i];

		largest = fmax(largest, fabs(expected));
		worst = fmax(worst, fabs((double)spectra[i] - expected));
	}
	free(tokens);
	if (!(worst <= 2e-6 * largest))
		rounds_fail("%s: a bin is off by %g, the largest is %g", name, worst, largest);
}

/* -- the library -- */

static void set_windows(const struct cd_way *way, struct pstk_network *net, struct pstk_actor *const *actors)
{
	if (!way->steps && !way->iterations) {
		pstk_network_set_flags(net, PSTK_STEPS_AUTO);
		return;
	}
	for (unsigned i = 0; i < CD_FILTERS; i++)
		pstk_actor_set_steps(
			actors[i + 1], way->steps ? way->steps : way->iterations * stages.stage[i].units);
	pstk_actor_set_steps(actors[0],
		way->steps ? way->steps * stages.stage[0].in : way->iterations * stages_tokens(&stages));
	if (way->steps)
		return;
	pstk_actor_set_steps(actors[STAGES], way->iterations * stages.stage[FFT_STAGE].units);
	pstk_actor_set_steps(actors[STAGES + 1], way->iterations * stages.stage[FFT_STAGE].units);
}

uint64_t cd_run_network(const void *arg, uint64_t items)
{
	const struct cd_way *way = arg;
	struct stages_run run = { &stages, items, 0 };
	struct pstk_network *net = pstk_network_create("cd_to_dat");
	struct pstk_actor *actors[STAGES + 2] = { stages_source_add(net, &run) };

	for (unsigned i = 0; i < CD_FILTERS; i++)
		actors[i + 1] = add_filter(net, &filters[i]);
	actors[STAGES] = pstk_network_add(
		net, "fft", pstk_fft_type(), &(struct pstk_fft_arg){ CD_FFT, CD_HOP, NULL, false });
	actors[STAGES + 1] = stages_sink_add(net, &run);
	pstk_network_set_threads(net, way->team);
	set_windows(way, net, actors);
	for (unsigned i = 0; i <= STAGES; i++)
		pstk_connect(actors[i], "out", actors[i + 1], "in", PSTK_FIFO(.depth = way->depth));
	rounds_run_network(net);
	return run.hash;
}
