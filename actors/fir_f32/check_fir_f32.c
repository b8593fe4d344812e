/* SPDX-License-Identifier: MIT */
/*
 * Filters between two rates, against the definition: a stream with zeros put in, filtered, thinned out, in plain loops.
 * With small whole numbers each sum is exact, whatever its order, so each bit is compared; with others, to a tolerance.
 */
#include "actors/common/check_files.h"
#include "actors/common/check_stream.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TAPS = 300, MOST_SAMPLES = 700 };

struct filter {
	struct pstk_fir_spec spec;
	bool complex_samples;
};

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	const struct filter *f = data;

	return (f->complex_samples ? pstk_fir_cf32_add : pstk_fir_f32_add)(net, "tested", &f->spec);
}

/*
 * The definition, in double precision. in: n samples of `width` floats, and behind them `tail` zeros. A last step that
 * is not full sees zeros. Returns the samples at out, which the caller frees.
 */
static size_t expect(
	const struct pstk_fir_spec *spec, const float *in, size_t n, size_t tail, size_t width, double **out)
{
	size_t up = spec->interpolation, down = spec->decimation, factor = up;
	size_t steps, count;

	while (up % factor || down % factor)
		factor--;
	steps = (n + tail + down / factor - 1) / (down / factor);
	count = steps * (up / factor);
	*out = calloc(count * width + 1, sizeof **out);
	ck_assert_ptr_nonnull(*out);
	for (size_t o = 0; o < count; o++)
		for (size_t k = 0; k < spec->count && k <= o * down; k++)
			for (size_t w = 0; w < width; w++) {
				size_t at = o * down - k; /* in the stream with zeros put in */

				if (at % up == 0 && at / up < n)
					(*out)[o * width + w] +=
						(double)spec->taps[k] * (double)in[at / up * width + w];
			}
	return count;
}

static float whole_number(struct test_rng *rng)
{
	return (float)test_between(rng, 0, 200) - 100;
}

/* Random taps and samples in random ways; whole: numbers whose sums are exact; memory: NULL: on the cores. */
static void run_random(uint64_t seed, bool whole, const char *memory)
{
	struct test_rng rng = { test_mix(seed) };
	static float taps[MOST_TAPS], samples[2 * MOST_SAMPLES];
	struct filter f = { .spec = *PSTK_FIR(.taps = taps,
				    .count = test_between(&rng, 1, test_chance(&rng, 50) ? 20 : MOST_TAPS),
				    .interpolation = test_chance(&rng, 40) ? 1 : test_between(&rng, 1, 12),
				    .decimation = test_chance(&rng, 40) ? 1 : test_between(&rng, 1, 12)),
		.complex_samples = test_chance(&rng, 50) };
	size_t width = f.complex_samples ? 2 : 1, token = width * sizeof(float), count;
	struct stream_run run = { .way = stream_way_on(memory, &rng),
		.in = { { .token_size = token, .tokens = (unsigned char *)samples } },
		.out = { { .token_size = token } } };
	double *expected;

	run.in[0].count =
		test_chance(&rng, 50) ? test_between(&rng, 0, 20) : test_between(&rng, 20, MOST_SAMPLES);
	for (size_t i = 0; i < MOST_TAPS; i++)
		taps[i] = whole ? whole_number(&rng) : whole_number(&rng) / 77;
	for (size_t i = 0; i < 2 * MOST_SAMPLES; i++)
		samples[i] = whole ? whole_number(&rng) : whole_number(&rng) / 99;
	test_guard("a filter", seed);
	stream_run(&run, add, &f);
	count = expect(&f.spec, samples, run.in[0].count, run.way.tail, width, &expected);
	ck_assert_msg(run.out[0].count == count, "PENSTOCK_TEST_SEED=%llu: %zu samples, not %zu",
		(unsigned long long)seed, run.out[0].count, count);
	for (size_t i = 0; i < count * width; i++) {
		double got = (double)((const float *)(const void *)run.out[0].tokens)[i];

		ck_assert_msg(fabs(got - expected[i]) <= (whole ? 0 : 1e-4),
			"PENSTOCK_TEST_SEED=%llu: float %zu: %g, not %g", (unsigned long long)seed, i, got,
			expected[i]);
	}
	free(expected);
	stream_free(&run);
}

START_TEST(whole_numbers)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(600); seed < end; seed++)
		run_random(seed, true, NULL);
}
END_TEST

START_TEST(fractions)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(200); seed < end; seed++)
		run_random(seed, false, NULL);
}
END_TEST

START_TEST(on_devices)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(40); seed < end; seed++)
		run_random(seed, seed % 2, stream_memories[_i]);
}
END_TEST

/* Runs a filter over these samples, in a way; the caller frees the stream. */
static struct stream_run run_one(
	struct filter *f, const float *samples, size_t count, const struct stream_way *way)
{
	size_t token = f->complex_samples ? 8 : 4;
	struct stream_run run = { .way = *way,
		.in = { { .token_size = token, .count = count, .tokens = (unsigned char *)samples } },
		.out = { { .token_size = token } } };

	stream_run(&run, add, f);
	return run;
}

/* To the last bit, with fractions: with any steps, rates, threads, and on a device that is a processor. */
static void check_bits(uint64_t rounds, const char *memory)
{
	struct test_rng rng = { test_mix(test_seed()) };
	static float samples[2 * MOST_SAMPLES];
	const struct stream_way plain = { .steps = 1, .write_rates = { 1 }, .depth = 1, .aside = 1 };

	for (size_t i = 0; i < TEST_COUNT(samples); i++)
		samples[i] = whole_number(&rng) / 99;
	for (int c = 0; c < 2; c++) {
		struct filter f = { .spec = *PSTK_FIR(.cutoff = 0.07, .count = 101, .interpolation = 3,
					    .decimation = 4),
			.complex_samples = c };
		struct stream_run one = run_one(&f, samples, MOST_SAMPLES, &plain);

		ck_assert_uint_eq(one.out[0].count, MOST_SAMPLES * 3 / 4);
		for (uint64_t i = 0; i < rounds; i++) {
			struct stream_way way = stream_way_on(memory, &rng);
			struct stream_run other;

			way.tail = 0;
			if (way.device && !strstr(way.device, ":cpu:"))
				continue;
			other = run_one(&f, samples, MOST_SAMPLES, &way);
			stream_check(&other, 0, one.out[0].tokens, one.out[0].count, test_seed());
			stream_free(&other);
		}
		stream_free(&one);
	}
}

START_TEST(same_bits_in_each_way)
{
	check_bits(test_rounds(60), NULL);
}
END_TEST

START_TEST(same_bits_on_devices)
{
	check_bits(test_rounds(10), "svm");
}
END_TEST

/* -- where taps come from -- */

/* Runs the filter over an impulse: its taps come out, and then zeros. */
static void check_impulse(struct filter *f, const float *taps, size_t count, float tolerance)
{
	static const float impulse[40] = { 1 };
	const struct stream_way way = {
		.steps = 7, .write_rates = { 5 }, .depth = 2, .aside = 2, .threads = 2
	};
	struct stream_run run = run_one(f, impulse, TEST_COUNT(impulse), &way);

	ck_assert_uint_eq(run.out[0].count, 40);
	for (size_t i = 0; i < 40; i++)
		ck_assert_float_eq_tol(
			((float *)(void *)run.out[0].tokens)[i], i < count ? taps[i] : 0, tolerance);
	stream_free(&run);
}

static const float some[] = { 0.5f, -1.25e-3f, 3, 0, -7.75f };
static const char some_text[] = "# taps\n0.5, -1.25e-3,\t3 # the third\n\n 0\r\n-7.75";

START_TEST(text_and_file)
{
	struct filter f = { .spec = *PSTK_FIR(.text = some_text) };

	check_impulse(&f, some, TEST_COUNT(some), 1e-9f);
	files_text("taps.txt", some_text);
	f.spec = *PSTK_FIR(.path = "taps.txt");
	check_impulse(&f, some, TEST_COUNT(some), 1e-9f);
	f.spec = *PSTK_FIR(.taps = some, .count = TEST_COUNT(some));
	check_impulse(&f, some, TEST_COUNT(some), 1e-9f);
}
END_TEST

/* The modified Bessel function of order 0, as an integral. */
static double bessel0(double x)
{
	double sum = 0;

	for (int i = 0; i < 2000; i++)
		sum += exp(x * cos(acos(-1) * (i + 0.5) / 2000));
	return sum / 2000;
}

/* The sinc under a Kaiser window of this shape, as textbooks have it. */
static void expect_design(float *taps, uint32_t count, double cutoff, double shape)
{
	double pi = acos(-1), sum = 0, exact[40];

	for (uint32_t k = 0; k < count; k++) {
		double x = k - (count - 1) / 2.0, place = count > 1 ? 2.0 * k / (count - 1) - 1 : 0;

		exact[k] = x == 0 ? 2 * cutoff : sin(2 * pi * cutoff * x) / (pi * x);
		exact[k] *= bessel0(shape * sqrt(1 - place * place)) / bessel0(shape);
		sum += exact[k];
	}
	for (uint32_t k = 0; k < count; k++)
		taps[k] = (float)(exact[k] / sum);
}

START_TEST(designs)
{
	static const struct {
		double attenuation, shape;
	} shapes[] = { { 0, 5.65326 }, { 60, 5.65326 }, { 80, 7.85726 }, { 30, 2.116624861 }, { 21, 0 },
		{ 10, 0 } };
	float taps[40];

	for (uint32_t count = 1; count <= 40; count++)
		for (size_t i = 0; i < TEST_COUNT(shapes); i++) {
			double cutoff = 0.5 * (double)(count % 7 + 1) / 8;
			struct filter f = { .spec = *PSTK_FIR(.cutoff = cutoff, .count = count,
						    .attenuation = shapes[i].attenuation) };

			expect_design(taps, count, cutoff, shapes[i].shape);
			check_impulse(&f, taps, count, 1e-6f);
		}
}
END_TEST

/* The response of a design at some frequency, a part of the rate. */
static double response(const float *taps, size_t count, double frequency)
{
	double re = 0, im = 0;

	for (size_t k = 0; k < count; k++) {
		re += (double)taps[k] * cos(2 * acos(-1) * frequency * (double)k);
		im += (double)taps[k] * sin(2 * acos(-1) * frequency * (double)k);
	}
	return hypot(re, im);
}

/* Gain 1 at 0 Hz, a half at the cutoff; the attenuation where Kaiser's formula says; symmetric. */
START_TEST(responses)
{
	static float impulse[4 * 101] = { 1 };
	static const double cutoffs[] = { 0.05, 0.11, 0.25, 0.4 }, attenuations[] = { 15, 30, 45, 60, 80 };

	for (size_t i = 0; i < TEST_COUNT(cutoffs) * TEST_COUNT(attenuations); i++) {
		double cutoff = cutoffs[i % 4], db = attenuations[i / 4], edge;
		struct filter f = { .spec = *PSTK_FIR(.cutoff = cutoff, .attenuation = db, .count = 101) };
		const struct stream_way way = { .steps = 8, .write_rates = { 8 }, .depth = 2, .aside = 1 };
		struct stream_run run = run_one(&f, impulse, 101, &way);
		const float *taps = (const float *)(const void *)run.out[0].tokens;

		edge = cutoff + (db > 21 ? (db - 7.95) / 14.36 : 0.92) / 100 / 2;
		ck_assert_double_eq_tol(response(taps, 101, 0), 1, 1e-5);
		ck_assert_double_eq_tol(response(taps, 101, cutoff), 0.5, 0.06);
		for (double at = edge; at < 0.5; at += 0.001)
			ck_assert_double_le(response(taps, 101, at), pow(10, -(db - 2) / 20));
		for (size_t k = 0; k < 101; k++)
			ck_assert(memcmp(taps + k, taps + 100 - k, sizeof *taps) == 0);
		stream_free(&run);
	}
}
END_TEST

/* A sample that is not finite is in the outputs that it is part of. */
START_TEST(not_finite)
{
	static const float bad[] = { NAN, INFINITY };

	for (uint32_t at = 0; at < 60; at++)
		for (size_t b = 0; b < TEST_COUNT(bad); b++) {
			const struct stream_way way = {
				.steps = 4, .write_rates = { 4 }, .depth = 2, .aside = 1
			};
			struct filter f = { .spec = *PSTK_FIR(.cutoff = 0.2, .count = 20, .interpolation = 3,
						    .decimation = 2) };
			float samples[60] = { 0 };
			struct stream_run run;

			samples[at] = bad[b];
			run = run_one(&f, samples, 60, &way);
			ck_assert_uint_eq(run.out[0].count, 90);
			for (uint32_t n = 0; n < 90; n++) {
				bool part = 2 * n >= 3 * at && 2 * n - 3 * at < 20;

				ck_assert_int_eq(!isfinite(((float *)(void *)run.out[0].tokens)[n]), part);
			}
			stream_free(&run);
		}
}
END_TEST

/* -- refusals -- */

#define REFUSES(err, given, ...)                                            \
	do {                                                                \
		struct filter filter = { .spec = *(given) };                \
		STREAM_REFUSES(add, &filter, err, "'tested'", __VA_ARGS__); \
		filter.complex_samples = true;                              \
		STREAM_REFUSES(add, &filter, err, "'tested'", __VA_ARGS__); \
	} while (0)

START_TEST(refused_specs)
{
	static const float bad[] = { 1, NAN };

	REFUSES(-EINVAL, PSTK_FIR(.count = 3), "no taps", "give either taps, a file of them, or a cutoff");
	REFUSES(-EINVAL, PSTK_FIR(.text = "1", .cutoff = 0.1, .count = 3), "several kinds of taps");
	REFUSES(-EINVAL, PSTK_FIR(.taps = some), "without taps: give it at least one");
	REFUSES(-EINVAL, PSTK_FIR(.cutoff = 0.1), "without taps");
	REFUSES(-EINVAL, PSTK_FIR(.taps = some, .count = 4194305), "4194305 taps: it can have up to 4194304");
	REFUSES(-EINVAL, PSTK_FIR(.taps = bad, .count = 2), "tap 1 of 2 is nan: taps are finite numbers");
	REFUSES(-EINVAL, PSTK_FIR(.cutoff = -0.1, .count = 3), "cutoff of -0.1", "at most 0.5");
	REFUSES(-EINVAL, PSTK_FIR(.cutoff = 0.6, .count = 3), "cutoff of 0.6");
	REFUSES(-EINVAL, PSTK_FIR(.cutoff = (double)NAN, .count = 3), "cutoff of");
	REFUSES(-EINVAL, PSTK_FIR(.cutoff = 0.1, .count = 3, .attenuation = -1), "attenuation of -1 dB",
		"200");
	REFUSES(-EINVAL, PSTK_FIR(.cutoff = 0.1, .count = 3, .attenuation = 201), "attenuation of 201 dB");
	REFUSES(-EINVAL, PSTK_FIR(.text = "1", .interpolation = 65537), "an interpolation of 65537",
		"at most 65536");
	REFUSES(-EINVAL, PSTK_FIR(.text = "1", .decimation = 70000), "a decimation of 70000",
		"at most 65536");
	REFUSES(-EINVAL, (&(const struct pstk_fir_spec){ .text = "1" }), "struct_size", "is 0", "PSTK_FIR()");
}
END_TEST

static struct pstk_actor *add_nothing(struct pstk_network *net, const void *data)
{
	(void)data;
	ck_assert_ptr_null(pstk_fir_cf32_add(net, NULL, PSTK_FIR(.text = "1"))); /* a name is needed */
	return pstk_fir_f32_add(net, "tested", NULL);
}

START_TEST(refused_texts)
{
	REFUSES(-EINVAL, PSTK_FIR(.text = ""), "without taps: give");
	REFUSES(-EINVAL, PSTK_FIR(.text = " # 1 2 3"), "without taps");
	REFUSES(-EINVAL, PSTK_FIR(.text = "1, 2x, 3"), "tap 1 is '2x': it is no number");
	REFUSES(-EINVAL, PSTK_FIR(.text = "1;2"), "tap 0 is '1;2'");
	REFUSES(-EINVAL, PSTK_FIR(.text = "1 inf"), "tap 1 of 2 is inf");
	REFUSES(-EINVAL, PSTK_FIR(.text = "1e60"), "tap 0 of 1 is inf");
	REFUSES(-ENOENT, PSTK_FIR(.path = "not/there"), "its taps: not/there: No such file");
	REFUSES(-EISDIR, PSTK_FIR(.path = "."), "its taps: .: Is a directory");
	files_write("zeros", "1\0002", 3);
	REFUSES(-EINVAL, PSTK_FIR(.path = "zeros"), "zeros: a byte 0: it is no text");
	files_text("words", "1 two");
	REFUSES(-EINVAL, PSTK_FIR(.path = "words"), "tap 1 in words is 'two'");
	files_text("empty", "");
	REFUSES(-EINVAL, PSTK_FIR(.path = "empty"), "without taps in empty");
	STREAM_REFUSES(add_nothing, NULL, -EINVAL, "");
	ck_assert_ptr_null(pstk_fir_f32_add(NULL, "tested", PSTK_FIR(.text = "1")));
}
END_TEST

START_TEST(out_of_memory)
{
	const struct pstk_fir_spec *const specs[] = { PSTK_FIR(.text = "1 2"),
		PSTK_FIR(.taps = some, .count = 2), PSTK_FIR(.cutoff = 0.1, .count = 2) };

	for (size_t i = 0; i < TEST_COUNT(specs); i++) {
		struct pstk_actor *actor = NULL;
		unsigned fails = 0;

		for (; !actor; fails++) {
			struct pstk_network *net = pstk_network_create("memory");

			test_fail_allocation(fails + 1);
			actor = pstk_fir_f32_add(net, "tested", specs[i]);
			test_fail_allocation(0);
			if (!actor)
				ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
			pstk_network_destroy(net);
		}
		ck_assert_uint_ge(fails, 2);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fir_f32");
	TCase *tcase = test_case(suite, "fir_f32");

	tcase_add_test(tcase, whole_numbers);
	tcase_add_test(tcase, fractions);
	tcase_add_test(tcase, same_bits_in_each_way);
	tcase_add_test(tcase, designs);
	tcase_add_test(tcase, responses);
	tcase_add_test(tcase, not_finite);
	tcase_add_test(tcase, refused_specs);
	tcase_add_test(tcase, out_of_memory);
	tcase = files_case(suite, "files");
	tcase_add_test(tcase, text_and_file);
	tcase_add_test(tcase, refused_texts);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, on_devices, 0, STREAM_MEMORIES);
	tcase_add_test(tcase, same_bits_on_devices);
	return test_main(suite);
}
