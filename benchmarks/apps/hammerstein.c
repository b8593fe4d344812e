/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/hammerstein.h"

#include "actors/adder/adder.h"
#include "actors/fir/fir.h"
#include "actors/polynomial/polynomial.h"
#include "apps/predistortion/coefficients_built_in.h"
#include "benchmarks/common/rounds.h"

#include <stdlib.h>
#include <string.h>

enum {
	BRANCHES = HAMMERSTEIN_BRANCHES,
	SIGNAL = 8192, /* samples, then again; both parts stay in a second-level cache */
	TAPS = sizeof built_in_taps[0] / sizeof built_in_taps[0][0],
	LINE = 16 /* floats */
};

const struct pstk_polynomial_branch hammerstein_terms[BRANCHES] = { { 1, false }, { 3, false }, { 5, false },
	{ 7, false }, { 9, false }, { 1, true }, { 3, true }, { 5, true }, { 7, true }, { 9, true } };

static float *signal_re, *signal_im;     /* constant after open */
static struct ps_polynomial *polynomial; /* constant after open */
static ps_fir_loop fir_loop;             /* constant after open */

_Static_assert(TAPS == HAMMERSTEIN_PAST + 1, "the past of a filter");

const struct pstk_cf32 *hammerstein_taps(unsigned branch, unsigned *count)
{
	*count = TAPS;
	return built_in_taps[branch];
}

struct pstk_cf32 hammerstein_constant(void)
{
	return built_in_lo;
}

/* As pstk_polynomial_add() does: by rising powers. */
static void make_polynomial(void)
{
	polynomial = rounds_alloc(sizeof *polynomial + BRANCHES * sizeof *polynomial->terms);
	for (uint8_t power = 0; polynomial->count < BRANCHES; power++)
		for (unsigned b = 0; b < BRANCHES; b++)
			if (hammerstein_terms[b].order == 2u * power + 1)
				polynomial->terms[polynomial->count++] =
					(struct ps_polynomial_term){ .branch = (uint16_t)b,
						.power = power,
						.conjugate = hammerstein_terms[b].conjugate };
}

void hammerstein_open(void)
{
	uint32_t seed = 1;

	signal_re = rounds_alloc(2 * SIGNAL * sizeof *signal_re);
	signal_im = signal_re + SIGNAL;
	for (size_t i = 0; i < 2 * SIGNAL; i++) {
		seed = seed * 1664525 + 1013904223;
		signal_re[i] = ((float)(seed >> 8) / (1 << 24) - 0.5F) * 1.4F;
	}
	make_polynomial();
	fir_loop = ps_fir_loop_best();
}

void hammerstein_close(void)
{
	free(signal_re);
	free(polynomial);
}

/* The finaliser of SplitMix64. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Random: 2 to 10 of them, as in the program. */
uint32_t hammerstein_set(unsigned active, uint64_t period)
{
	const uint32_t all = (1u << BRANCHES) - 1;
	uint64_t state = period * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t set;

	if (active != HAMMERSTEIN_RANDOM)
		return (1u << active) - 1;
	do
		set = (uint32_t)mix(++state) & all;
	while (__builtin_popcount(set) < 2);
	return set;
}

void hammerstein_source(float *re, float *im, uint64_t from, size_t n)
{
	while (n) {
		size_t at = (size_t)(from % SIGNAL), m = SIGNAL - at < n ? SIGNAL - at : n;

		memcpy(re, signal_re + at, m * sizeof *re);
		memcpy(im, signal_im + at, m * sizeof *im);
		re += m;
		im += m;
		from += m;
		n -= m;
	}
}

uint64_t hammerstein_sink(const float *re, const float *im, uint64_t index, size_t n)
{
	return rounds_hash_at(rounds_hash(re, n * sizeof *re) + 3 * rounds_hash(im, n * sizeof *im), index);
}

/* -- what all call -- */

void hammerstein_polynomial(
	const struct hammerstein_signal *branches, uint32_t set, struct hammerstein_signal in, size_t n)
{
	struct ps_branch out[BRANCHES] = { { NULL, NULL } };

	for (unsigned b = 0; b < BRANCHES; b++)
		if (set >> b & 1)
			out[b] = (struct ps_branch){ branches[b].re, branches[b].im };
	ps_polynomial_block(polynomial, (struct ps_branch){ in.re, in.im }, out, n);
}

void hammerstein_remember(struct hammerstein_past *past, struct hammerstein_signal in, size_t n)
{
	memcpy(past->re, in.re + n - HAMMERSTEIN_PAST, sizeof past->re);
	memcpy(past->im, in.im + n - HAMMERSTEIN_PAST, sizeof past->im);
}

void hammerstein_filter(unsigned branch, struct hammerstein_signal out, struct hammerstein_past *past,
	struct hammerstein_signal in, size_t n)
{
	ps_fir_filter(fir_loop, built_in_taps[branch], TAPS, (struct ps_fir_samples){ past->re, past->im },
		(struct ps_fir_samples){ in.re, in.im }, out.re, out.im, n);
	hammerstein_remember(past, in, n);
}

void hammerstein_add(
	struct hammerstein_signal sum, const struct hammerstein_signal *branches, uint32_t set, size_t n)
{
	float *re[BRANCHES], *im[BRANCHES];
	unsigned on = 0;

	for (unsigned b = 0; b < BRANCHES; b++)
		if (set >> b & 1) {
			re[on] = branches[b].re;
			im[on++] = branches[b].im;
		}
	ps_adder_sum(sum.re, re, on, built_in_lo.re, n);
	ps_adder_sum(sum.im, im, on, built_in_lo.im, n);
}

/* -- a stream -- */

struct stream {
	size_t block;
	struct hammerstein_signal in, sum;
	/* of the branches: what the polynomial and the filters give */
	struct hammerstein_signal powers[BRANCHES], filtered[BRANCHES];
	struct hammerstein_past past[BRANCHES];
	float *memory;
};

/* Blocks begin one cache line more apart, so that they don't lie at one place of their pages all. */
static struct hammerstein_signal take_memory(const struct stream *s, float **at)
{
	struct hammerstein_signal b = { *at, *at + s->block + LINE };

	*at += 2 * (s->block + LINE);
	return b;
}

static void open_stream(struct stream *s, size_t block)
{
	float *at;

	*s = (struct stream){ .block = block };
	at = s->memory = rounds_alloc((2 + 2 * BRANCHES) * 2 * (block + LINE) * sizeof(float));
	s->in = take_memory(s, &at);
	s->sum = take_memory(s, &at);
	for (unsigned b = 0; b < BRANCHES; b++) {
		s->powers[b] = take_memory(s, &at);
		s->filtered[b] = take_memory(s, &at);
	}
}

/* What the filters remember when a period begins: of each the end of the last period in which it was
 * active. */
static void remember_before(struct stream *s, unsigned active, uint64_t first)
{
	const size_t n = 4 * LINE;
	uint32_t left = (1u << BRANCHES) - 1;

	for (uint64_t p = first; p-- > 0 && left;) {
		uint32_t set = hammerstein_set(active, p) & left;

		if (active != HAMMERSTEIN_RANDOM)
			left = set; /* others never were */
		hammerstein_source(s->in.re, s->in.im, (p + 1) * HAMMERSTEIN_PERIOD - n, n);
		hammerstein_polynomial(s->powers, set, s->in, n);
		for (unsigned b = 0; b < BRANCHES; b++)
			if (set >> b & 1)
				hammerstein_remember(&s->past[b], s->powers[b], n);
		left &= ~set;
	}
}

static void run_block(struct stream *s, uint32_t set, uint64_t from)
{
	hammerstein_source(s->in.re, s->in.im, from, s->block);
	hammerstein_polynomial(s->powers, set, s->in, s->block);
	for (unsigned b = 0; b < BRANCHES; b++)
		if (set >> b & 1)
			hammerstein_filter(b, s->filtered[b], &s->past[b], s->powers[b], s->block);
	hammerstein_add(s->sum, s->filtered, set, s->block);
}

uint64_t hammerstein_run(unsigned active, size_t block, uint64_t first, uint64_t end)
{
	struct stream s;
	uint64_t sum = 0;

	open_stream(&s, block);
	remember_before(&s, active, first);
	for (uint64_t i = first * HAMMERSTEIN_PERIOD / block; i < end * HAMMERSTEIN_PERIOD / block; i++) {
		run_block(&s, hammerstein_set(active, i * block / HAMMERSTEIN_PERIOD), i * block);
		sum += hammerstein_sink(s.sum.re, s.sum.im, i, block);
	}
	free(s.memory);
	return sum;
}
