/* SPDX-License-Identifier: MIT */
/*
 * CD to DAT by liquid-dsp, called serially, as it is made to be: its rational resamplers, with the same taps and so the
 * same products, and its transforms, block by block. A plan is for one place, so the samples that a transform shares
 * with the one before are moved to the front of it.
 *
 * Usage: liquid_multirate [-n ROUNDS] [-s SECONDS] [-k TEXT] [-c] [-v] [-q]
 */
#include "benchmarks/apps/cd_to_dat.h"
#include "benchmarks/apps/multirate.h"

#include <liquid/liquid.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
	uint32_t iterations;                         /* of a block */
	liquid_float_complex *reads[CD_FILTERS + 1]; /* what a filter reads of a block, and its output */
	rresamp_crcf filters[CD_FILTERS];
	liquid_float_complex *seen, *spectrum; /* what is transformed, and into */
	fftplan plan;
};

static liquid_float_complex *room(size_t samples)
{
	size_t bytes = samples * sizeof(liquid_float_complex);

	return memset(rounds_alloc(bytes), 0, bytes);
}

static void open_line(struct line *l, uint32_t iterations)
{
	const struct stage *stage = cd_stages()->stage;
	const struct cd_filter *f = cd_filters();

	l->iterations = iterations;
	for (unsigned i = 0; i <= CD_FILTERS; i++)
		l->reads[i] = room((size_t)iterations * stage[i].units * stage[i].in);
	for (unsigned i = 0; i < CD_FILTERS; i++) {
		l->filters[i] = rresamp_crcf_create(
			f[i].interpolation, f[i].decimation, f[i].phase_taps / 2, f[i].taps);
		rresamp_crcf_set_scale(l->filters[i], 1);
	}
	l->seen = room(CD_FFT);
	l->spectrum = room(CD_FFT);
	l->plan = fft_create_plan(CD_FFT, l->seen, l->spectrum, LIQUID_FFT_FORWARD, 0);
}

static void close_line(struct line *l)
{
	fft_destroy_plan(l->plan);
	free(l->spectrum);
	free(l->seen);
	for (unsigned i = 0; i < CD_FILTERS; i++)
		rresamp_crcf_destroy(l->filters[i]);
	for (unsigned i = 0; i <= CD_FILTERS; i++)
		free(l->reads[i]);
}

/* Copies spectra to `keep` unless it is NULL; else the sum of their hashes. */
static uint64_t run_line(struct line *l, uint64_t items, liquid_float_complex *keep)
{
	const struct stages *s = cd_stages();
	uint32_t tokens = l->iterations * stages_tokens(s), hops = l->iterations * s->stage[CD_FILTERS].units;
	uint64_t hash = 0, piece = 0;

	for (uint64_t first = 0; first + tokens <= items; first += tokens) {
		stages_source(s, l->reads[0], first, tokens);
		for (unsigned i = 0; i < CD_FILTERS; i++)
			rresamp_crcf_execute_block(l->filters[i], l->reads[i],
				l->iterations * s->stage[i].units, l->reads[i + 1]);
		for (uint32_t hop = 0; hop < hops; hop++, piece++) {
			memmove(l->seen, l->seen + CD_HOP, (CD_FFT - CD_HOP) * sizeof *l->seen);
			memcpy(l->seen + CD_FFT - CD_HOP, l->reads[CD_FILTERS] + hop * CD_HOP,
				CD_HOP * sizeof *l->seen);
			fft_execute(l->plan);
			if (keep)
				memcpy(keep + piece * CD_FFT, l->spectrum, CD_FFT * sizeof *keep);
			else
				hash += stages_sink(s, l->spectrum, piece, 1);
		}
	}
	return hash;
}

static uint64_t run(const void *arg, uint64_t items)
{
	const uint32_t *iterations = arg;
	struct line l;
	uint64_t hash;

	open_line(&l, *iterations);
	hash = run_line(&l, items, NULL);
	close_line(&l);
	return hash;
}

static void check(void)
{
	enum { PIECES = 40 }; /* of CD_LEAST samples */
	liquid_float_complex *spectra = room(PIECES * CD_FFT);
	struct line l;

	open_line(&l, 1);
	run_line(&l, CD_LEAST, spectra);
	cd_check("liquid-dsp", (const float *)spectra, PIECES, false);
	close_line(&l);
	free(spectra);
}

static void add(enum multirate_table which, struct rounds_table *t)
{
	static const uint32_t iterations[] = { 1, 4 };

	if (which == MULTIRATE_FM)
		return;
	if (which == MULTIRATE_CD && cd_stages()->count)
		check();
	for (unsigned i = 0; i < sizeof iterations / sizeof *iterations; i++) {
		char name[ROUNDS_NAME];
		struct rounds_variant *v;

		snprintf(name, sizeof name, "serial calls, iterations %u", iterations[i]);
		v = multirate_add(t, ROUNDS_PEER, run, &iterations[i], name);
		v->group = 1;
		v->one_thread = true;
	}
}

int main(int argc, char **argv)
{
	return multirate_main(argc, argv, add);
}
