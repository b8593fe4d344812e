/* SPDX-License-Identifier: MIT */
/*
 * With the sums L and G of the four differences and of their squares, J^2 cancels out of the formulas of srad1:
 *
 *	q = (G / 2 - L^2 / 16) / m^2,   m = J + L / 4, the mean of the four neighbours
 *	c = 1 / (1 + (q - q0) / (q0 (1 + q0))) = q0 (1 + q0) m^2 / ((G / 2 - L^2 / 16) + q0^2 m^2)
 *
 * So a pixel needs one division where the formulas have five. G / 2 - L^2 / 16 is at least G / 4, so c is above 0. Of a
 * picture of one grey level q0 is 0: then c is 0, the least normal number in the denominator keeps it from 0 / 0, and
 * the picture stays.
 *
 * This file is compiled with -ffp-contract=off: an inlined copy of a row's loop must not round in another way.
 */
#include "config.h"

#include "actors/srad/diffusion.h"
#include "actors/common/wide.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LANES = 8 };

void ps_srad_make_table(float table[PS_SRAD_LEVELS])
{
	for (int i = 0; i < PS_SRAD_LEVELS; i++)
		table[i] = (float)exp(i / 255.);
}

void ps_srad_extract_row(float *restrict to, const uint8_t *restrict from, size_t w,
	const float table[restrict PS_SRAD_LEVELS])
{
	for (size_t x = 0; x < w; x++)
		to[x] = table[from[x]];
}

PS_WIDE_BODY static void square_row_body(float *restrict to, const float *restrict from, size_t w)
{
	for (size_t x = 0; x < w; x++)
		to[x] = from[x] * from[x];
}

PS_WIDE(square_row, (float *restrict to, const float *restrict from, size_t w), (to, from, w))

void ps_srad_square_row(float *restrict to, const float *restrict from, size_t w)
{
	square_row(to, from, w);
}

PS_WIDE_BODY static double pairwise(double *lanes)
{
	for (size_t half = LANES / 2; half; half /= 2)
		for (size_t k = 0; k < half; k++)
			lanes[k] += lanes[k + half];
	return lanes[0];
}

PS_WIDE_BODY static void sum_body(double *restrict sum, const float *restrict from, size_t w)
{
	double lanes[LANES] = { 0 };
	size_t x = 0;

	for (; x + LANES <= w; x += LANES)
		for (size_t k = 0; k < LANES; k++)
			lanes[k] += (double)from[x + k];
	for (size_t k = 0; x + k < w; k++)
		lanes[k] += (double)from[x + k];
	*sum = pairwise(lanes);
}

PS_WIDE(sum, (double *restrict sum, const float *restrict from, size_t w), (sum, from, w))

PS_WIDE_BODY static void sum_both_body(
	struct ps_srad_sums *restrict sums, const float *restrict from, size_t w)
{
	double values[LANES] = { 0 }, squares[LANES] = { 0 };
	size_t x = 0;

	for (; x + LANES <= w; x += LANES)
		for (size_t k = 0; k < LANES; k++) {
			float value = from[x + k], square = value * value;

			values[k] += (double)value;
			squares[k] += (double)square;
		}
	for (size_t k = 0; x + k < w; k++) {
		float value = from[x + k], square = value * value;

		values[k] += (double)value;
		squares[k] += (double)square;
	}
	sums->values = pairwise(values);
	sums->squares = pairwise(squares);
}

PS_WIDE(sum_both, (struct ps_srad_sums *restrict sums, const float *restrict from, size_t w), (sums, from, w))

void ps_srad_sum_row(struct ps_srad_sums *sums, const float *values, const float *squares, size_t w)
{
	struct ps_srad_sums row;

	if (squares) {
		sum(&row.values, values, w);
		sum(&row.squares, squares, w);
	} else {
		sum_both(&row, values, w);
	}
	sums->values += row.values;
	sums->squares += row.squares;
}

/* What the rounding of the squares to single precision may be of a mean square, twice. */
static const double least_variance = 0x1p-23;

struct ps_srad_stats ps_srad_stats(const struct ps_srad_sums *sums, uint64_t pixels)
{
	double mean, variance, q0;

	if (!pixels)
		return (struct ps_srad_stats){ 0, 0, 0, 0 };
	mean = sums->values / (double)pixels;
	variance = sums->squares / (double)pixels - mean * mean;
	q0 = variance / (mean * mean);
	if (!(q0 > least_variance))
		return (struct ps_srad_stats){ (float)mean, 0, 0, 0 };
	return (struct ps_srad_stats){ (float)mean, (float)variance, (float)q0, 0 };
}

/* gain: q0 (1 + q0); floor: q0^2 */
PS_WIDE_BODY static float coefficient(float n, float s, float w, float e, float j, float gain, float floor)
{
	float dn = n - j, ds = s - j, dw = w - j, de = e - j;
	float l = dn + ds + dw + de, g = dn * dn + ds * ds + dw * dw + de * de, m = j + l * .25f;
	float m2 = m * m, rest = g * .5f - l * l * .0625f + floor * m2;
	float c = gain * m2 / (rest > FLT_MIN ? rest : FLT_MIN);

	return c < 1 ? c : 1;
}

PS_WIDE_BODY static void coefficients_body(
	float *restrict to, const float *n, const float *j, const float *s, size_t w, float gain, float floor)
{
	size_t last = w - 1;

	to[0] = coefficient(n[0], s[0], j[0], j[w > 1], j[0], gain, floor);
	for (size_t x = 1; x < last; x++)
		to[x] = coefficient(n[x], s[x], j[x - 1], j[x + 1], j[x], gain, floor);
	if (last)
		to[last] = coefficient(n[last], s[last], j[last - 1], j[last], j[last], gain, floor);
}

PS_WIDE(coefficients,
	(float *restrict to, const float *n, const float *j, const float *s, size_t w, float gain,
		float floor),
	(to, n, j, s, w, gain, floor))

void ps_srad_coefficient_row(float *to, const float *north, const float *row, const float *south, size_t w,
	const struct ps_srad_stats *stats)
{
	coefficients(to, north, row, south, w, stats->q0 * (1 + stats->q0), stats->q0 * stats->q0);
}

PS_WIDE_BODY static float moved(
	float n, float s, float w, float e, float j, float c, float cs, float ce, float rate)
{
	return j + rate * (c * ((n - j) + (w - j)) + cs * (s - j) + ce * (e - j));
}

PS_WIDE_BODY static void step_body(float *restrict to, const float *n, const float *j, const float *s,
	const float *c, const float *cs, size_t w, float rate)
{
	size_t last = w - 1;

	to[0] = moved(n[0], s[0], j[0], j[w > 1], j[0], c[0], cs[0], c[w > 1], rate);
	for (size_t x = 1; x < last; x++)
		to[x] = moved(n[x], s[x], j[x - 1], j[x + 1], j[x], c[x], cs[x], c[x + 1], rate);
	if (last)
		to[last] = moved(
			n[last], s[last], j[last - 1], j[last], j[last], c[last], cs[last], c[last], rate);
}

PS_WIDE(step,
	(float *restrict to, const float *n, const float *j, const float *s, const float *c, const float *cs,
		size_t w, float rate),
	(to, n, j, s, c, cs, w, rate))

void ps_srad_step_row(float *to, const float *north, const float *row, const float *south, const float *c,
	const float *below, size_t w, float rate)
{
	step(to, north, row, south, c, below, w, rate);
}

/*
 * log x = e log 2 + log m, m from sqrt(1/2) to sqrt(2), by the polynomial of logf() in S. Moshier's Cephes library: the
 * error is below 1e-7 for x from 1 to e. A call of logf() for each pixel would take ten times as long.
 */
PS_WIDE_BODY static float logarithm(float x)
{
	int32_t bits, exponent;
	float m, z, p, e;

	memcpy(&bits, &x, sizeof bits);
	bits -= 0x3f3504f3; /* of sqrt(1/2) */
	exponent = bits >> 23;
	bits = (bits & 0x7fffff) + 0x3f3504f3;
	memcpy(&m, &bits, sizeof m);
	m -= 1;
	e = (float)exponent;
	z = m * m;
	p = 7.0376836292e-2f;
	p = p * m - 1.1514610310e-1f;
	p = p * m + 1.1676998740e-1f;
	p = p * m - 1.2420140846e-1f;
	p = p * m + 1.4249322787e-1f;
	p = p * m - 1.6668057665e-1f;
	p = p * m + 2.0000714765e-1f;
	p = p * m - 2.4999993993e-1f;
	p = p * m + 3.3333331174e-1f;
	p = p * m * z - e * 2.12194440e-4f - .5f * z;
	return m + p + e * .693359375f;
}

/* The slack is more than the rounding of all stages, so that a pixel that has not changed is what it was. */
PS_WIDE_BODY static void compress_row_body(uint8_t *restrict to, const float *restrict from, size_t w)
{
	const float slack = 0x1p-13f;

	for (size_t x = 0; x < w; x++) {
		float level = logarithm(from[x]) * 255 + slack;

		level = level > 0 ? level : 0;
		level = level < 255 ? level : 255;
		to[x] = (uint8_t)(int32_t)level;
	}
}

PS_WIDE(compress_row, (uint8_t *restrict to, const float *restrict from, size_t w), (to, from, w))

void ps_srad_compress_row(uint8_t *to, const float *from, size_t w)
{
	compress_row(to, from, w);
}
