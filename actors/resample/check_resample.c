/* SPDX-License-Identifier: MIT */
/* Rates changed by p / q: against plain loops over a stream with zeros put in, and against tones that must pass. */
#include "actors/common/check_stream.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct resample {
	uint32_t p, q, zeros;
	bool complex_samples;
};

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	const struct resample *r = data;

	return (r->complex_samples ? pstk_resample_cf32_add : pstk_resample_f32_add)(
		net, "tested", r->p, r->q, r->zeros);
}

static struct stream_run run_one(
	const struct resample *r, const float *samples, size_t count, const struct stream_way *way)
{
	size_t token = r->complex_samples ? 8 : 4;
	struct stream_run run = { .way = *way,
		.in = { { .token_size = token, .count = count, .tokens = (unsigned char *)samples } },
		.out = { { .token_size = token } } };

	stream_run(&run, add, r);
	return run;
}

static float *got(struct stream_run *run)
{
	return (float *)(void *)run->out[0].tokens;
}

static uint32_t without_common_factor(uint32_t p, uint32_t q)
{
	uint32_t factor = p;

	while (p % factor || q % factor)
		factor--;
	return p / factor;
}

/* The taps that the header promises: a sinc whose zeros are `high` taps apart, under Kaiser's window for 80 dB. */
static double *design_taps(uint32_t p, uint32_t q, uint32_t zeros, size_t *count)
{
	uint32_t high = p > q ? p : q;
	size_t least = 2 * (size_t)zeros * high + 1;
	double *taps = calloc(least, sizeof *taps), sum = 0, pi = acos(-1);

	ck_assert_ptr_nonnull(taps);
	for (size_t k = 0; k < least; k++) {
		double x = (double)k - (double)zeros * high, place = x / ((double)zeros * high), window = 0;

		for (int i = 0; i < 400; i++) /* a Bessel function, as an integral */
			window += exp(7.85726 * sqrt(fmax(0, 1 - place * place)) * cos(pi * (i + 0.5) / 400));
		taps[k] = window * (x == 0 ? 1 : sin(pi * x / high) / (pi * x / high));
		sum += taps[k];
	}
	for (size_t k = 0; k < least; k++)
		taps[k] *= p / sum;
	*count = least;
	return taps;
}

static void compare(const struct resample *r, const float *samples, struct stream_run *run, uint64_t seed)
{
	uint32_t p = without_common_factor(r->p, r->q), q = without_common_factor(r->q, r->p);
	size_t width = r->complex_samples ? 2 : 1, taps_count, n = run->in[0].count;
	size_t steps = (n + run->way.tail + q - 1) / q;
	double *taps = design_taps(p, q, r->zeros ? r->zeros : 16, &taps_count);

	ck_assert_msg(run->out[0].count == steps * p, "PENSTOCK_TEST_SEED=%llu: %zu samples, not %zu",
		(unsigned long long)seed, run->out[0].count, steps * p);
	for (size_t i = 0; i < steps * p * width; i++) {
		double sum = 0;

		for (size_t k = 0; k < taps_count && k <= i / width * q; k++) {
			size_t at = i / width * q - k;

			if (at % p == 0 && at / p < n)
				sum += taps[k] * (double)samples[at / p * width + i % width];
		}
		ck_assert_msg(fabs((double)got(run)[i] - sum) < 2e-5,
			"PENSTOCK_TEST_SEED=%llu: float %zu: %g, not %g", (unsigned long long)seed, i,
			(double)got(run)[i], sum);
	}
	free(taps);
}

static void check_rates(uint64_t rounds, const char *memory)
{
	static float samples[600];

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct resample r = { test_between(&rng, 1, 15), test_between(&rng, 1, 15),
			test_chance(&rng, 30) ? 0 : test_between(&rng, 1, 9), test_chance(&rng, 50) };
		struct stream_way way = stream_way_on(memory, &rng);
		struct stream_run run;

		for (size_t i = 0; i < TEST_COUNT(samples); i++)
			samples[i] = (float)test_between(&rng, 0, 20000) / 1e4f - 1;
		test_guard("a rate", seed);
		run = run_one(&r, samples, test_between(&rng, 0, test_chance(&rng, 50) ? 20 : 300), &way);
		compare(&r, samples, &run, seed);
		stream_free(&run);
	}
}

START_TEST(random_rates)
{
	check_rates(test_rounds(200), NULL);
}
END_TEST

START_TEST(random_rates_on_devices)
{
	check_rates(test_rounds(25), stream_memories[_i]);
}
END_TEST

/* 48 kHz to 44.1 kHz and back, to the last bit the same in each way. */
START_TEST(same_bits_in_each_way)
{
	static float samples[2000];
	struct test_rng rng = { test_mix(test_seed()) };
	const struct stream_way plain = { .steps = 1, .write_rates = { 160 }, .depth = 1, .aside = 1 };
	const struct resample both[] = { { 44100, 48000, 0, true }, { 160, 147, 5, false } };

	for (size_t i = 0; i < TEST_COUNT(samples); i++)
		samples[i] = (float)test_between(&rng, 0, 20000) / 1e4f - 1;
	for (size_t b = 0; b < TEST_COUNT(both); b++) {
		struct stream_run one = run_one(&both[b], samples, 1000, &plain);

		ck_assert_uint_eq(one.out[0].count, b ? 7 * 160 : 7 * 147);
		for (uint64_t i = 0; i < test_rounds(30); i++) {
			struct stream_way way = stream_way(&rng);
			struct stream_run other;

			way.tail = 0;
			way.steps = way.steps > 3 ? 3 : way.steps;
			other = run_one(&both[b], samples, 1000, &way);
			stream_check(&other, 0, one.out[0].tokens, one.out[0].count, test_seed());
			stream_free(&other);
		}
		stream_free(&one);
	}
}
END_TEST

/* A tone in the middle of the band comes out as the tone of the other rate, zeros x max(1, q / p) samples later. */
START_TEST(tones_pass)
{
	static const uint32_t rates[][2] = { { 1, 1 }, { 3, 2 }, { 2, 3 }, { 160, 147 }, { 1, 7 }, { 7, 1 } };
	static float samples[3000];

	for (size_t i = 0; i < TEST_COUNT(rates); i++) {
		uint32_t p = rates[i][0], q = rates[i][1];
		const struct resample r = { p, q, 0, false };
		const struct stream_way way = { .steps = 2, .write_rates = { 100 }, .depth = 2, .aside = 1 };
		double part = 0.3 * (p < q ? (double)p / q : 1), later = 16 * (p < q ? (double)q / p : 1);
		struct stream_run run;

		for (size_t n = 0; n < TEST_COUNT(samples); n++)
			samples[n] = (float)sin(2 * acos(-1) * part * (double)n);
		run = run_one(&r, samples, TEST_COUNT(samples), &way);
		for (size_t n = 0; n < run.out[0].count; n++) {
			double at = (double)n * q / p;

			if (at > 2 * later && at < TEST_COUNT(samples))
				ck_assert_double_eq_tol(
					(double)got(&run)[n], sin(2 * acos(-1) * part * (at - later)), 3e-4);
		}
		stream_free(&run);
	}
}
END_TEST

#define REFUSES(err, p, q, zeros, ...)                                                                       \
	do {                                                                                                 \
		STREAM_REFUSES(add, (&(const struct resample){ p, q, zeros, false }), err, "'tested'",       \
			__VA_ARGS__);                                                                        \
		STREAM_REFUSES(                                                                              \
			add, (&(const struct resample){ p, q, zeros, true }), err, "'tested'", __VA_ARGS__); \
	} while (0)

START_TEST(refusals)
{
	REFUSES(-EINVAL, 0, 1, 0, "times 0 / 1: both are 1 .. 65536");
	REFUSES(-EINVAL, 1, 0, 0, "times 1 / 0");
	REFUSES(-EINVAL, 65537, 1, 0, "times 65537 / 1");
	REFUSES(-EINVAL, 2, UINT32_MAX, 0, "times 2 / 4294967295");
	REFUSES(-EINVAL, 30000, 60000, 1048576, "1048576 zeros",
		"1 / 2 need 4194305 taps: there are up to 4194304");
	ck_assert_ptr_null(pstk_resample_f32_add(NULL, "tested", 1, 1, 0));
	ck_assert_ptr_null(pstk_resample_cf32_add(NULL, NULL, 0, 1, 0));
}
END_TEST

START_TEST(out_of_memory)
{
	struct pstk_actor *actor = NULL;
	unsigned fails = 0;

	for (; !actor; fails++) {
		struct pstk_network *net = pstk_network_create("memory");

		test_fail_allocation(fails + 1);
		actor = pstk_resample_f32_add(net, "tested", 3, 2, 0);
		test_fail_allocation(0);
		if (!actor)
			ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
		pstk_network_destroy(net);
	}
	ck_assert_uint_ge(fails, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("resample");
	TCase *tcase = test_case(suite, "resample");

	tcase_add_test(tcase, random_rates);
	tcase_add_test(tcase, same_bits_in_each_way);
	tcase_add_test(tcase, tones_pass);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, out_of_memory);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, random_rates_on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
