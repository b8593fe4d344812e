/* SPDX-License-Identifier: MIT */
/*
 * The actors' loops at each length of vectors that this processor has, against plain code for each pixel and
 * sample: any size, memory that begins anywhere, nothing written beyond the end (and under AddressSanitizer
 * nothing read).
 */
#include "actors/adder/adder.h"
#include "actors/common/cf32.h"
#include "actors/common/check_frames.h"
#include "actors/common/wide.h"
#include "actors/equalize/equalize.h"
#include "actors/gauss5x5/gauss5x5.h"
#include "actors/median5/median5.h"
#include "actors/polynomial/polynomial.h"
#include "actors/threshold/threshold.h"
#include "actors/video_sink/output.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, GUARD_BYTE = 0xa7, OFFSETS = 33 };

/* Sizes around vectors and strips. */
static const size_t lengths[] = { 0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1023, 1024,
	1025, 1040, 2049, 5000 };

/* Check writes into a file at each assertion: too slow for each pixel. */
#define EXPECT(condition, ...)                     \
	do {                                       \
		if (!(condition))                  \
			ck_abort_msg(__VA_ARGS__); \
	} while (0)

/* Memory of which the first byte, or element, is used anywhere, and the bytes behind the last one are
 * guarded. */
struct memory {
	unsigned char *all, *used;
	size_t bytes;
};

static struct memory memory_of(struct test_rng *rng, size_t bytes, size_t element)
{
	size_t offset = test_between(rng, 0, OFFSETS - 1) * element;
	struct memory m = { malloc(offset + bytes + GUARD), NULL, bytes };

	ck_assert_ptr_nonnull(m.all);
	m.used = m.all + offset;
	memset(m.all, GUARD_BYTE, offset + bytes + GUARD);
	return m;
}

/* What is read: as long as it is. */
static struct memory input_of(struct test_rng *rng, size_t bytes, size_t element)
{
	size_t offset = test_between(rng, 0, OFFSETS - 1) * element;
	struct memory m = { malloc(offset + bytes + 1), NULL, bytes };

	ck_assert_ptr_nonnull(m.all);
	m.used = m.all + offset;
	for (size_t i = 0; i < bytes; i++)
		m.used[i] = (unsigned char)test_random(rng);
	return m;
}

static struct memory floats_of(struct test_rng *rng, size_t n)
{
	struct memory m = input_of(rng, n * sizeof(float), sizeof(float));
	float *x = (float *)(void *)m.used;

	for (size_t i = 0; i < n; i++)
		x[i] = (float)((int)test_between(rng, 0, 1400000) - 700000) * 1e-6F;
	return m;
}

static float *as_floats(const struct memory *m)
{
	return (float *)(void *)m->used;
}

static void release(struct memory *m)
{
	free(m->all);
}

static void check_guard(const struct memory *m, const char *what)
{
	for (const unsigned char *p = m->all; p < m->used; p++)
		EXPECT(*p == GUARD_BYTE, "%s wrote before its output", what);
	for (size_t i = 0; i < GUARD; i++)
		EXPECT(m->used[m->bytes + i] == GUARD_BYTE, "%s wrote behind its output", what);
}

/* A test, at each level that there is; those that this processor lacks are the one below again. */
static void at_each_level(void (*check)(struct test_rng *, enum ps_wide))
{
	struct test_rng rng = { test_seed() };

	for (enum ps_wide level = PS_WIDE_ANY; level <= PS_WIDE_AVX512; level++) {
		ps_wide_limit(level);
		test_guard("a level", test_seed());
		check(&rng, level);
		ck_assert_int_eq(ps_wide_limit(PS_WIDE_AVX512), level);
	}
}

START_TEST(limits)
{
	enum ps_wide most = ps_wide_level();

	for (enum ps_wide level = PS_WIDE_ANY; level <= PS_WIDE_AVX512; level++) {
		ps_wide_limit(level);
		ck_assert_int_eq(ps_wide_level(), level < most ? level : most);
	}
	ck_assert_int_eq(ps_wide_limit(PS_WIDE_ANY), PS_WIDE_AVX512);
	ck_assert_int_eq(ps_wide_level(), PS_WIDE_ANY);
	ps_wide_limit(PS_WIDE_AVX512);
}
END_TEST

/* -- frames -- */

typedef void (*frame_filter)(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h);

static void check_frame(
	struct test_rng *rng, const char *what, frame_filter filter, frame_expect expect, size_t w, size_t h)
{
	struct memory in = input_of(rng, w * h, 1), out = memory_of(rng, w * h, 1);
	uint8_t *expected = malloc(w * h);

	ck_assert_ptr_nonnull(expected);
	if (test_chance(rng, 30)) /* only the extremes */
		for (size_t i = 0; i < w * h; i++)
			in.used[i] = in.used[i] & 1 ? 255 : 0;
	expect(expected, in.used, (int)w, (int)h);
	filter(out.used, in.used, w, h);
	for (size_t i = 0; i < w * h; i++)
		EXPECT(out.used[i] == expected[i], "%s, %zux%zu: x %zu, y %zu: %u, not %u", what, w, h, i % w,
			i / w, out.used[i], expected[i]);
	check_guard(&out, what);
	free(expected);
	release(&in);
	release(&out);
}

static void expect_equalize(uint8_t *dst, const uint8_t *src, int w, int h)
{
	for (int i = 0; i < w * h; i++) {
		int64_t upto = 0, least = 255, first = 0, n;

		for (int j = 0; j < w * h; j++) {
			upto += src[j] <= src[i];
			least = src[j] < least ? src[j] : least;
		}
		for (int j = 0; j < w * h; j++)
			first += src[j] == least;
		n = (int64_t)w * h - first;
		/* to the nearest, halves up */
		dst[i] = (uint8_t)(n ? (2 * 255 * (upto - first) + n) / (2 * n) : src[i]);
	}
}

static void check_frames(struct test_rng *rng, enum ps_wide level)
{
	static const size_t widths[] = { 1, 2, 3, 4, 5, 16, 31, 32, 33, 34, 64, 65, 66, 320, 1022, 1023, 1024,
		1025, 1026, 1027, 2047, 2048, 2049, 2050 };

	(void)level;
	for (size_t i = 0; i < TEST_COUNT(widths); i++)
		for (size_t h = 1; h < 14; h += 1 + (widths[i] > 100)) {
			check_frame(rng, "gauss5x5", ps_gauss5x5_frame, frame_expect_gauss5x5, widths[i], h);
			check_frame(rng, "median5", ps_median5_frame, frame_expect_median5, widths[i], h);
		}
	for (uint64_t i = 0; i < test_rounds(100); i++) {
		size_t w = test_between(rng, 1, 120), h = test_between(rng, 1, 20);

		check_frame(rng, "gauss5x5", ps_gauss5x5_frame, frame_expect_gauss5x5, w, h);
		check_frame(rng, "median5", ps_median5_frame, frame_expect_median5, w, h);
		check_frame(rng, "equalize", ps_equalize_frame, expect_equalize, 1 + w % 20, h);
	}
}

START_TEST(frames)
{
	at_each_level(check_frames);
}
END_TEST

/* -- bytes -- */

static void check_threshold(struct test_rng *rng, size_t n, uint8_t threshold)
{
	struct memory now = input_of(rng, n, 1), before = input_of(rng, n, 1), out = memory_of(rng, n, 1);

	ps_threshold_bytes(out.used, now.used, before.used, threshold, n);
	for (size_t i = 0; i < n; i++)
		EXPECT(out.used[i] == (abs(now.used[i] - before.used[i]) > threshold ? 255 : 0),
			"threshold %u of %u, %u: %u", threshold, now.used[i], before.used[i], out.used[i]);
	check_guard(&out, "threshold");
	release(&now);
	release(&before);
	release(&out);
}

/* round(x / 65536), halves up */
static unsigned rounded(int x)
{
	return (unsigned)floor((double)x / 65536 + 0.5);
}

static void check_overlay(struct test_rng *rng, size_t n)
{
	struct memory map = input_of(rng, n, 1), frame = input_of(rng, n, 1);
	struct memory rgb = memory_of(rng, 3 * n, 1), ycc = memory_of(rng, 3 * n, 1);

	for (size_t i = 0; i < n; i++) {
		map.used[i] = map.used[i] & 1 ? 255 : 0;
		if (n >= 1024)
			frame.used[i] = (unsigned char)(i / 2),
			map.used[i] = i & 1 ? 255 : 0; /* all there are */
	}
	ps_overlay_rgb(rgb.used, map.used, frame.used, n);
	ps_overlay_ycc(ycc.used, map.used, frame.used, n);
	for (size_t i = 0; i < n; i++) {
		int rest = map.used[i] ? frame.used[i] / 4 : frame.used[i],
		    red = map.used[i] ? 255 : frame.used[i];

		EXPECT(rgb.used[3 * i] == red && rgb.used[3 * i + 1] == rest && rgb.used[3 * i + 2] == rest,
			"overlay of %u at %u, rgb: %u %u %u", map.used[i], frame.used[i], rgb.used[3 * i],
			rgb.used[3 * i + 1], rgb.used[3 * i + 2]);
		EXPECT(ycc.used[i] == 16 + rounded(56284 * rest + 16829 * (red - rest)) &&
				ycc.used[n + i] == rounded(128 * 65536 - 9714 * (red - rest)) &&
				ycc.used[2 * n + i] == rounded(128 * 65536 + 28784 * (red - rest)),
			"overlay of %u at %u, ycc: %u %u %u", map.used[i], frame.used[i], ycc.used[i],
			ycc.used[n + i], ycc.used[2 * n + i]);
	}
	check_guard(&rgb, "overlay, rgb");
	check_guard(&ycc, "overlay, ycc");
	release(&map);
	release(&frame);
	release(&rgb);
	release(&ycc);
}

static void check_bytes(struct test_rng *rng, enum ps_wide level)
{
	static const uint8_t thresholds[] = { 0, 20, 127, 128, 254, 255 };

	(void)level;
	for (size_t i = 0; i < TEST_COUNT(lengths); i++) {
		for (size_t t = 0; t < TEST_COUNT(thresholds); t++)
			check_threshold(rng, lengths[i], thresholds[t]);
		check_overlay(rng, lengths[i]);
	}
}

START_TEST(bytes)
{
	at_each_level(check_bytes);
}
END_TEST

/* -- samples -- */

static void check_near(const char *what, size_t n, size_t at, double got, double expected)
{
	EXPECT(fabs(got - expected) <= 1e-5, "%s, %zu samples: sample %zu is %g, not %g", what, n, at, got,
		expected);
}

enum { TERMS = 7 };

/* Powers that follow each other, that are left out and that are there twice; some branches are off. */
static void check_polynomial(struct test_rng *rng, size_t n)
{
	static const uint8_t powers[TERMS] = { 0, 0, 1, 2, 2, 5, 9 };
	struct memory re = floats_of(rng, n), im = floats_of(rng, n), out[2 * TERMS];
	struct ps_branch branches[TERMS], in = { as_floats(&re), as_floats(&im) };
	struct ps_polynomial *p = calloc(1, sizeof *p + TERMS * sizeof *p->terms);
	unsigned off = test_between(rng, 0, (1 << TERMS) - 1);

	ck_assert_ptr_nonnull(p);
	for (unsigned b = 0; b < TERMS; b++) {
		p->terms[p->count++] = (struct ps_polynomial_term){ (uint16_t)b, powers[b], b % 2 };
		for (unsigned part = 0; part < 2; part++)
			out[2 * b + part] = memory_of(rng, n * sizeof(float), sizeof(float));
		branches[b] = off >> b & 1 ? (struct ps_branch){ NULL, NULL }
		                           : (struct ps_branch){ as_floats(&out[2 * b]),
						     as_floats(&out[2 * b + 1]) };
	}
	ps_polynomial_block(p, in, branches, n);
	for (unsigned b = 0; b < TERMS; b++) {
		for (size_t i = 0; i < n && branches[b].re; i++) {
			double x = (double)in.re[i], y = (double)in.im[i],
			       power = pow(x * x + y * y, powers[b]);

			check_near("polynomial, re", n, i, (double)branches[b].re[i], x * power);
			check_near(
				"polynomial, im", n, i, (double)branches[b].im[i], (b % 2 ? -y : y) * power);
		}
		check_guard(&out[2 * b], "polynomial");
		check_guard(&out[2 * b + 1], "polynomial");
		release(&out[2 * b]);
		release(&out[2 * b + 1]);
	}
	free(p);
	release(&re);
	release(&im);
}

/* In single precision the order of addition shows: so bit for bit. */
static void check_adder(struct test_rng *rng, unsigned count, size_t n)
{
	struct memory in[32], out = memory_of(rng, n * sizeof(float), sizeof(float));
	float *x[32], constant = (float)test_between(rng, 0, 3) * 0.3F;

	for (unsigned s = 0; s < count; s++) {
		in[s] = floats_of(rng, n);
		x[s] = as_floats(&in[s]);
	}
	ps_adder_sum(as_floats(&out), x, count, constant, n);
	for (size_t i = 0; i < n; i++) {
		volatile float sum = 0; /* each sum is rounded */

		for (unsigned s = 0; s < count; s++)
			sum += x[s][i];
		sum += constant;
		check_near("adder", n, i, (double)as_floats(&out)[i], (double)sum);
		if (FLT_EVAL_METHOD == 0)
			EXPECT(as_floats(&out)[i] == sum,
				"%u signals, %zu samples: sample %zu is %.9g, not %.9g", count, n, i,
				(double)as_floats(&out)[i], (double)sum);
	}
	check_guard(&out, "adder");
	for (unsigned s = 0; s < count; s++)
		release(&in[s]);
	release(&out);
}

static void check_samples(struct test_rng *rng, enum ps_wide level)
{
	(void)level;
	for (size_t i = 0; i < TEST_COUNT(lengths); i++) {
		check_polynomial(rng, lengths[i]);
		for (unsigned count = 0; count <= 32; count += count < 18 ? 1 : 7)
			check_adder(rng, count, lengths[i]);
	}
}

START_TEST(samples)
{
	at_each_level(check_samples);
}
END_TEST

/* Any bits, many of them no number: they are moved as they are. */
static void check_split_and_join(struct test_rng *rng, size_t n)
{
	struct memory words = input_of(rng, 8 * n, 4), again = memory_of(rng, 8 * n, 4);
	struct memory re = memory_of(rng, 4 * n, 4), im = memory_of(rng, 4 * n, 4);
	struct memory kept = input_of(rng, 8 * n, 4);
	uint32_t wrong = 0;

	for (size_t i = 0; i < 2 * n; i++)
		if (test_chance(rng, 5)) {
			words.used[4 * i + 2] |= 0x80;
			words.used[4 * i + 3] |= 0x7f;
		}
	for (size_t i = 0; i < n; i++) {
		const unsigned char *w = words.used + 8 * i;

		wrong += ((w[2] & 0x80) && (w[3] & 0x7f) == 0x7f) || ((w[6] & 0x80) && (w[7] & 0x7f) == 0x7f);
	}
	memcpy(kept.used, words.used, 8 * n); /* split may change it */
	ck_assert_uint_eq(
		ps_cf32_split(as_floats(&re), as_floats(&im), (uint32_t *)(void *)words.used, n), wrong);
	for (size_t i = 0; i < n; i++) {
		/* little-endian, whatever the machine is */
		const unsigned char *w = kept.used + 8 * i;
		uint32_t r = w[0] | (uint32_t)w[1] << 8 | (uint32_t)w[2] << 16 | (uint32_t)w[3] << 24;
		uint32_t m = w[4] | (uint32_t)w[5] << 8 | (uint32_t)w[6] << 16 | (uint32_t)w[7] << 24;

		EXPECT(!memcmp(re.used + 4 * i, &r, 4) && !memcmp(im.used + 4 * i, &m, 4),
			"split: sample %zu of %zu", i, n);
	}
	ck_assert_uint_eq(
		ps_cf32_join((uint32_t *)(void *)again.used, as_floats(&re), as_floats(&im), n), wrong);
	ck_assert(!n || !memcmp(again.used, kept.used, 8 * n));
	check_guard(&again, "join");
	check_guard(&re, "split");
	check_guard(&im, "split");
	release(&words);
	release(&again);
	release(&kept);
	release(&re);
	release(&im);
}

static void check_peak(struct test_rng *rng, size_t n)
{
	struct memory re = floats_of(rng, n), im = floats_of(rng, n);
	float *x = as_floats(&re), *y = as_floats(&im);
	double most = 0, got;

	for (size_t i = 0; i < n; i++) {
		if (test_chance(rng, 2))
			x[i] = test_chance(rng, 50) ? NAN : INFINITY;
		if (isfinite(x[i]))
			most = fmax(most, (double)x[i] * x[i] + (double)y[i] * y[i]);
	}
	got = ps_cf32_peak(0, x, y, n);
	ck_assert_msg(fabs(got - most) <= 1e-6 * most, "%zu samples: %g, not %g", n, got, most);
	ck_assert_double_eq(ps_cf32_peak(5, x, y, n), 5);
	release(&re);
	release(&im);
}

static void check_cf32(struct test_rng *rng, enum ps_wide level)
{
	(void)level;
	for (size_t i = 0; i < TEST_COUNT(lengths); i++) {
		check_split_and_join(rng, lengths[i]);
		check_peak(rng, lengths[i]);
	}
	check_split_and_join(rng, PS_CF32_CHUNK);
}

START_TEST(cf32)
{
	at_each_level(check_cf32);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wide");
	TCase *tcase = test_case(suite, "wide");

	tcase_add_test(tcase, limits);
	tcase_add_test(tcase, frames);
	tcase_add_test(tcase, bytes);
	tcase_add_test(tcase, samples);
	tcase_add_test(tcase, cf32);
	return test_main(suite);
}
