/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/check_dft.h"
#include "actors/ofdm/ofdm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int not_null; /* what a failed create must replace by NULL */

#ifdef HAVE_KISSFFT

enum {
	SIZE = PS_OFDM_SIZE,
	HALF = PS_OFDM_CARRIERS / 2,
	STEP = PS_OFDM_PREFIX + PS_OFDM_SIZE,
	LEVELS = 8 /* of 64-QAM, in each part */
};

struct samples {
	float *re, *im;
	size_t n;
};

static struct samples read_samples(uint64_t seed, size_t n)
{
	struct samples s = { malloc(n * sizeof(float)), malloc(n * sizeof(float)), n };
	struct ps_ofdm *ofdm;

	ck_assert(s.re && s.im);
	ck_assert_int_eq(ps_ofdm_create(&ofdm, seed), 0);
	ps_ofdm_read(ofdm, s.re, s.im, n);
	ps_ofdm_destroy(ofdm);
	return s;
}

static void samples_free(struct samples *s)
{
	free(s->re);
	free(s->im);
}

static double power_at(const struct samples *s, size_t i)
{
	return (double)s->re[i] * s->re[i] + (double)s->im[i] * s->im[i];
}

/* Also of each tenth: the signal is as strong at its beginning. */
START_TEST(level_and_peak)
{
	struct samples s = read_samples(test_seed(), 4000 * STEP);
	double sum = 0, most = 0, part = 0;

	for (size_t i = 0; i < s.n; i++) {
		double power = power_at(&s, i);

		sum += power;
		part += power;
		most = fmax(most, power);
		if (i % (s.n / 10) == s.n / 10 - 1) {
			ck_assert_double_eq_tol(sqrt(part / ((double)s.n / 10)), PS_OFDM_RMS, 0.002);
			part = 0;
		}
	}
	ck_assert_double_eq_tol(sqrt(sum / (double)s.n), PS_OFDM_RMS, 0.0005);
	ck_assert_double_le(sqrt(most), PS_OFDM_PEAK);
	ck_assert_double_ge(sqrt(most), 3 * PS_OFDM_RMS); /* it is no signal of constant envelope */
	samples_free(&s);
}
END_TEST

/* The first samples lie under the tail of a symbol that is never read. */
START_TEST(begins_at_full_power)
{
	enum { SEEDS = 300, FIRST = 32 };
	double sum = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct samples s = read_samples(test_seed() + seed, FIRST);

		for (size_t i = 0; i < FIRST; i++)
			sum += power_at(&s, i) / FIRST / SEEDS;
		samples_free(&s);
	}
	ck_assert_double_ge(sqrt(sum), 0.95 * PS_OFDM_RMS);
	ck_assert_double_le(sqrt(sum), 1.15 * PS_OFDM_RMS);
}
END_TEST

/* A peak comes once in thousands of millions of samples, so samples of our own are limited. */
START_TEST(peaks_are_limited)
{
	struct test_rng rng = { test_seed() };
	float re[1000], im[1000], was_re[1000], was_im[1000];

	for (size_t i = 0; i < TEST_COUNT(re); i++) {
		was_re[i] = re[i] = (float)(1.5 * test_uniform(&rng));
		was_im[i] = im[i] = (float)(1.5 * test_uniform(&rng));
	}
	ps_ofdm_limit(re, im, TEST_COUNT(re));
	for (size_t i = 0; i < TEST_COUNT(re); i++) {
		double before = hypot((double)was_re[i], (double)was_im[i]);
		double gain = before > PS_OFDM_PEAK ? PS_OFDM_PEAK / before : 1;

		ck_assert_double_le(hypot((double)re[i], (double)im[i]), PS_OFDM_PEAK);
		ck_assert_double_eq_tol(re[i], gain * was_re[i], 2e-6);
		ck_assert_double_eq_tol(im[i], gain * was_im[i], 2e-6);
		if (before < 0.999 * PS_OFDM_PEAK)
			ck_assert(re[i] == was_re[i] && im[i] == was_im[i]);
	}
}
END_TEST

/* One part of a carrier in units of the levels: which one it is. */
static long level_of(double value, size_t symbol, size_t carrier)
{
	long level = lround((value + LEVELS - 1) / 2);

	if (level < 0 || level >= LEVELS || fabs(value - (double)(2 * level - (LEVELS - 1))) > 1e-3)
		ck_abort_msg("symbol %zu, carrier %zu: %g is no level", symbol, carrier, value);
	return level;
}

/* A receiver takes a symbol behind its prefix: each carrier is a point of 64-QAM, the others, that of 0 Hz
 * too, are empty, and each point is about as frequent. */
START_TEST(symbols_carry_data)
{
	enum { SYMBOLS = 200 };
	struct samples s = read_samples(test_seed(), SYMBOLS * STEP);
	int seen[LEVELS][LEVELS] = { { 0 } };
	double fade = 0.75 * PS_OFDM_PREFIX, mean = (STEP - PS_OFDM_PREFIX + fade) / STEP;
	double unit =
		PS_OFDM_RMS / sqrt(2 * 21 * PS_OFDM_CARRIERS * mean); /* 21: mean square of 1, 3, 5, 7 */

	for (size_t symbol = 0; symbol < SYMBOLS; symbol++) {
		const size_t from = symbol * STEP + PS_OFDM_PREFIX;
		double complex x[SIZE];

		for (size_t i = 0; i < SIZE; i++)
			x[i] = ((double)s.re[from + i] + I * (double)s.im[from + i]) / SIZE / unit;
		dft(x, SIZE);
		for (size_t k = 0; k < SIZE; k++) {
			if ((k >= 1 && k <= HALF) || k >= SIZE - HALF) {
				seen[level_of(creal(x[k]), symbol, k)][level_of(cimag(x[k]), symbol, k)]++;
			} else if (cabs(x[k]) > 1e-3) {
				ck_abort_msg("symbol %zu: carrier %zu is not empty", symbol, k);
			}
		}
	}
	for (int re = 0; re < LEVELS; re++) /* 625 of each, with a deviation of 25 */
		for (int im = 0; im < LEVELS; im++)
			ck_assert_int_lt(
				abs(seen[re][im] - SYMBOLS * PS_OFDM_CARRIERS / LEVELS / LEVELS), 150);
	samples_free(&s);
}
END_TEST

enum { BINS = 4096 };

/* Mean power in each bin, 0 Hz first. The window is Blackman's and Harris's: leakage below -92 dB. */
static void measure(double *power, const struct samples *s)
{
	static double complex x[BINS];

	memset(power, 0, BINS * sizeof *power);
	for (size_t from = 0; from + BINS <= s->n; from += BINS / 2) {
		for (size_t i = 0; i < BINS; i++) {
			double at = 2 * 3.14159265358979323846 * (double)i / BINS;
			double w =
				0.35875 - 0.48829 * cos(at) + 0.14128 * cos(2 * at) - 0.01168 * cos(3 * at);

			x[i] = w * ((double)s->re[from + i] + I * (double)s->im[from + i]);
		}
		dft(x, BINS);
		for (size_t i = 0; i < BINS; i++)
			power[i] += creal(x[i] * conj(x[i]));
	}
}

/* Power whose distance from 0 Hz is low .. high carriers. */
static double power_between(const double *power, double low, double high)
{
	double sum = 0;

	for (int i = 0; i < BINS; i++) {
		double carriers = (double)abs(i < BINS / 2 ? i : i - BINS) * SIZE / BINS;

		sum += carriers >= low && carriers < high ? power[i] : 0;
	}
	return sum;
}

static double decibel(double ratio)
{
	return 10 * log10(ratio);
}

START_TEST(spectrum_is_flat_and_steep)
{
	struct samples s = read_samples(test_seed(), test_rounds(400) * BINS);
	static double power[BINS];
	double all, inside, step = 8, parts = (HALF - step) / step;

	measure(power, &s);
	all = power_between(power, 0, SIZE);
	inside = power_between(power, step / 2, HALF - step / 2);
	/* in steps of 8 carriers */
	for (double low = step / 2; low + step <= HALF - step / 2; low += step)
		ck_assert_double_eq_tol(
			decibel(power_between(power, low, low + step) / inside * parts), 0, 0.5);
	/* next to the last carrier by a twentieth of the half, an eighth .. */
	ck_assert_double_lt(decibel(power_between(power, 1.05 * HALF, SIZE) / all), -60);
	ck_assert_double_lt(decibel(power_between(power, 1.125 * HALF, SIZE) / all), -75);
	ck_assert_double_lt(decibel(power_between(power, 1.25 * HALF, SIZE) / all), -90);
	ck_assert_double_lt(decibel(power_between(power, 2 * HALF, SIZE) / all), -110);
	samples_free(&s);
}
END_TEST

static bool same(const struct samples *a, const struct samples *b)
{
	return !memcmp(a->re, b->re, a->n * sizeof *a->re) && !memcmp(a->im, b->im, a->n * sizeof *a->im);
}

START_TEST(seeds_differ)
{
	static const uint64_t seeds[] = { 0, 1, 2, 0x9e3779b97f4a7c15u, UINT64_MAX };

	for (size_t i = 0; i < TEST_COUNT(seeds); i++)
		for (size_t k = 0; k <= i; k++) {
			struct samples a = read_samples(seeds[i], 3 * STEP),
				       b = read_samples(seeds[k], 3 * STEP);
			size_t equal = 0;

			for (size_t n = 0; n < a.n; n++)
				equal += a.re[n] == b.re[n];
			ck_assert(same(&a, &b) == (i == k));
			ck_assert(i == k || equal < a.n / 100);
			samples_free(&a);
			samples_free(&b);
		}
}
END_TEST

/* Reads of any sizes join seamlessly. */
START_TEST(read_in_pieces)
{
	static const size_t most[] = { 1, 2, 7, PS_OFDM_PREFIX, STEP - 1, STEP, STEP + 1, 10 * STEP };
	struct test_rng rng = { test_seed() };
	struct samples whole = read_samples(7, 40 * STEP + 5), pieces = read_samples(8, 40 * STEP + 5);

	for (size_t m = 0; m < TEST_COUNT(most); m++) {
		struct ps_ofdm *ofdm;

		ck_assert_int_eq(ps_ofdm_create(&ofdm, 7), 0);
		memset(pieces.re, 0xff, pieces.n * sizeof(float));
		memset(pieces.im, 0xff, pieces.n * sizeof(float));
		for (size_t at = 0, n; at < pieces.n; at += n) {
			n = test_between(&rng, 0, (uint32_t)most[m]);
			n = n < pieces.n - at ? n : pieces.n - at;
			ps_ofdm_read(ofdm, pieces.re + at, pieces.im + at, n);
		}
		ps_ofdm_destroy(ofdm);
		ck_assert_msg(same(&whole, &pieces), "pieces of at most %zu", most[m]);
	}
	samples_free(&whole);
	samples_free(&pieces);
}
END_TEST

START_TEST(no_memory)
{
	struct ps_ofdm *ofdm;
	int failed = 0;

	for (int err = -ENOMEM; err; failed++) {
		ofdm = (struct ps_ofdm *)(void *)&not_null;
		test_fail_allocation((unsigned)failed + 1);
		err = ps_ofdm_create(&ofdm, 1);
		test_fail_allocation(0);
		ck_assert(err == -ENOMEM ? !ofdm : !err && ofdm);
	}
	ck_assert_int_eq(failed, 3); /* two allocations, and the round in which both succeed */
	ps_ofdm_destroy(ofdm);
	ps_ofdm_destroy(NULL);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, level_and_peak);
	tcase_add_test(tcase, begins_at_full_power);
	tcase_add_test(tcase, peaks_are_limited);
	tcase_add_test(tcase, symbols_carry_data);
	tcase_add_test(tcase, spectrum_is_flat_and_steep);
	tcase_add_test(tcase, seeds_differ);
	tcase_add_test(tcase, read_in_pieces);
	tcase_add_test(tcase, no_memory);
}

#else

START_TEST(unsupported)
{
	struct ps_ofdm *ofdm = (struct ps_ofdm *)(void *)&not_null;

	ck_assert_int_eq(ps_ofdm_create(&ofdm, 1), -ENOTSUP);
	ck_assert_ptr_null(ofdm);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, unsupported);
}

#endif

int main(void)
{
	Suite *suite = suite_create("ofdm");

	add_tests(test_case(suite, "ofdm"));
	return test_main(suite);
}
