/* SPDX-License-Identifier: MIT */
/*
 * The generated signal: OFDM symbols with random data.
 *
 * Symbols whose carriers stop at once have a spectrum that falls slowly, by 6 dB an octave. So each fades in
 * and out by half a cosine, over as many samples as its cyclic prefix has, and overlaps with its neighbours
 * there.
 *
 * The sum of 200 carriers is all but Gaussian: its power exceeds PS_OFDM_PEAK's, 22.6 times the mean, in one
 * sample of exp(22.6) = 6e9. So peaks are just limited; what that does to the spectrum is too rare to be seen.
 */
#include "config.h"

#include "actors/ofdm/ofdm.h"
#include "actors/common/fft.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SIZE = PS_OFDM_SIZE,
	HALF = PS_OFDM_CARRIERS / 2,
	FADE = PS_OFDM_PREFIX,
	STEP = PS_OFDM_PREFIX + PS_OFDM_SIZE, /* from symbol to symbol */
	LEVELS = 8,                           /* of 64-QAM, in each of the two parts: -7, -5, .. 7 */
	BITS = 3
};

struct ps_ofdm {
	struct ps_fft *fft;
	uint64_t random;
	float scale;      /* of the levels */
	float fade[FADE]; /* 0 .. 1 */
	struct pstk_cf32 spectrum[SIZE], symbol[SIZE];
	float tail_re[FADE], tail_im[FADE]; /* the last symbol fades out: what is added to the next one */
	float re[STEP], im[STEP];           /* what is read next */
	size_t at;                          /* of re, im */
};

/* The 64 random bits of splitmix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014): any seed, also 0, gives a good sequence. */
static uint64_t random_bits(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static float level(uint64_t bits, float scale)
{
	return scale * (float)(2 * (int)(bits % LEVELS) - (LEVELS - 1));
}

/* Random data for each carrier; negative frequencies are in the second half. */
static void draw(struct ps_ofdm *o)
{
	enum { EACH = 2 * BITS, FIT = 64 / EACH };
	uint64_t bits = 0;

	for (unsigned c = 0; c < PS_OFDM_CARRIERS; c++) {
		struct pstk_cf32 *x = &o->spectrum[c < HALF ? c + 1 : SIZE - PS_OFDM_CARRIERS + c];

		bits = c % FIT ? bits >> EACH : random_bits(&o->random);
		x->re = level(bits, o->scale);
		x->im = level(bits >> BITS, o->scale);
	}
}

/* The samples that lie under the last symbol's tail, and this one's tail. */
static void join(struct ps_ofdm *o)
{
	const struct pstk_cf32 *prefix = o->symbol + SIZE - PS_OFDM_PREFIX;

	for (size_t i = 0; i < FADE; i++) {
		o->re[i] = o->tail_re[i] + o->fade[i] * prefix[i].re;
		o->im[i] = o->tail_im[i] + o->fade[i] * prefix[i].im;
	}
	for (size_t i = 0; i < FADE; i++) {
		o->tail_re[i] = (1 - o->fade[i]) * o->symbol[i].re;
		o->tail_im[i] = (1 - o->fade[i]) * o->symbol[i].im;
	}
}

static void next_symbol(struct ps_ofdm *o)
{
	draw(o);
	ps_fft_run(o->fft, o->symbol, o->spectrum);
	join(o);
	for (size_t i = 0; i < SIZE; i++) {
		o->re[PS_OFDM_PREFIX + i] = o->symbol[i].re;
		o->im[PS_OFDM_PREFIX + i] = o->symbol[i].im;
	}
	ps_ofdm_limit(o->re, o->im, STEP);
	o->at = 0;
}

void ps_ofdm_limit(float *restrict re, float *restrict im, size_t n)
{
	const float most = (float)(PS_OFDM_PEAK * PS_OFDM_PEAK * (1 - 1e-6)); /* with room for rounding */

	for (size_t i = 0; i < n; i++) {
		float power = re[i] * re[i] + im[i] * im[i];
		float gain = power > most ? sqrtf(most / power) : 1;

		re[i] *= gain;
		im[i] *= gain;
	}
}

/* Where two symbols overlap their powers add up to less than one symbol's. */
static void prepare(struct ps_ofdm *o)
{
	double square = 0, power = STEP - FADE; /* of a symbol of power 1, over a step */

	for (int i = 0; i < FADE; i++) {
		double fade = (1 - cos(PS_PI * (i + 0.5) / FADE)) / 2;

		o->fade[i] = (float)fade;
		power += fade * fade + (1 - fade) * (1 - fade);
	}
	for (int i = 0; i < LEVELS; i++)
		square += 2. * (2 * i - (LEVELS - 1)) * (2 * i - (LEVELS - 1)) / LEVELS;
	o->scale = (float)(PS_OFDM_RMS / sqrt(square * PS_OFDM_CARRIERS * power / STEP));
}

int ps_ofdm_create(struct ps_ofdm **ofdm, uint64_t seed)
{
	struct ps_ofdm *o = calloc(1, sizeof *o);
	int err;

	*ofdm = NULL;
	if (!o)
		return -ENOMEM;
	err = ps_fft_create(&o->fft, SIZE, true);
	if (err) {
		free(o);
		return err;
	}
	o->random = random_bits(
		&seed); /* neighbouring seeds, and those that the sequence passes, are far apart */
	prepare(o);
	next_symbol(o); /* has nothing before it: it is not read, so that the stream begins at full power */
	next_symbol(o);
	*ofdm = o;
	return 0;
}

void ps_ofdm_read(struct ps_ofdm *o, float *restrict re, float *restrict im, size_t n)
{
	while (n) {
		size_t part;

		if (o->at == STEP)
			next_symbol(o);
		part = STEP - o->at < n ? STEP - o->at : n;
		memcpy(re, o->re + o->at, part * sizeof *re);
		memcpy(im, o->im + o->at, part * sizeof *im);
		o->at += part;
		re += part;
		im += part;
		n -= part;
	}
}

void ps_ofdm_destroy(struct ps_ofdm *o)
{
	if (!o)
		return;
	ps_fft_destroy(o->fft);
	free(o);
}
