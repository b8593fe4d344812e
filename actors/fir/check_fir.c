/* SPDX-License-Identifier: MIT */
/* The filter on the cores. */
#include "actors/fir/check_filter.h"
#include "actors/common/wide.h"
#include "actors/fir/fir.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned counts[] = { 1, 2, 5, 10, 31, 32, 33, 34, 63, 64, 65, 1025, 3000 };

/* The loops, in blocks of any lengths, on memory of any alignment. */
static void check_loop(ps_fir_loop loop, struct test_rng *rng, unsigned count, const char *what)
{
	size_t most = test_between(rng, 1, 3 * count + 100), at = count - 1 + test_between(rng, 0, 7), n = 0;
	struct pstk_cf32 *taps = filter_taps(rng, count);
	struct filter_signal x = filter_noise(rng, 4 * count + 300), old = filter_noise(rng, at + 1),
			     y = filter_noise(rng, x.count);

	memset(old.re, 0, at * sizeof *old.re);
	memset(old.im, 0, at * sizeof *old.im);
	while (n < x.count) {
		size_t length = test_between(rng, 1, (uint32_t)most);
		/* the window begins where its past does not end, as in a network */
		struct ps_fir_samples past = { old.re + at - (count - 1), old.im + at - (count - 1) };

		length = length < x.count - n ? length : x.count - n;
		ps_fir_filter(loop, taps, count, past, (struct ps_fir_samples){ x.re + n, x.im + n },
			y.re + n, y.im + n, length);
		n += length;
		for (size_t k = 1; k < count; k++) {
			old.re[at - k] = k <= n ? x.re[n - k] : 0;
			old.im[at - k] = k <= n ? x.im[n - k] : 0;
		}
	}
	filter_check(taps, count, &x, &y, what);
	filter_free(&x);
	filter_free(&y);
	filter_free(&old);
	free(taps);
}

START_TEST(loops)
{
	static const char *const level_names[] = { "any", "avx2", "avx512" };
	struct test_rng rng = { test_seed() };

	for (uint64_t i = 0; i < test_rounds(150); i++) {
		unsigned count =
			test_chance(&rng, 90) ? test_between(&rng, 1, 140) : test_between(&rng, 1, 1500);

		test_guard("a loop", test_seed());
		for (enum ps_wide level = PS_WIDE_ANY; level <= PS_WIDE_AVX512; level++) {
			ps_wide_limit(level);
			check_loop(ps_fir_loop_best(), &rng, count, level_names[level]);
		}
	}
	ck_assert_int_eq(ps_wide_limit(PS_WIDE_ANY), PS_WIDE_AVX512);
	ck_assert(ps_fir_loop_best() == ps_fir_loop_any);
	ps_wide_limit(PS_WIDE_AVX512);
}
END_TEST

static void check_samples(struct test_rng *rng, unsigned count, uint32_t rate, size_t samples)
{
	struct pstk_cf32 *taps = filter_taps(rng, count);
	struct filter_run run = { .taps = taps, .count = count, .rate = rate };
	char what[64];

	snprintf(what, sizeof what, "rate %u", rate);
	test_guard(what, test_seed());
	run.in = filter_noise(rng, samples);
	filter_run(&run);
	filter_check(taps, count, &run.in, &run.out, what);
	filter_free(&run.in);
	filter_free(&run.out);
	free(taps);
}

/* Three windows and a part; with short ones as many as have the whole filter in them. */
static void check_block(struct test_rng *rng, unsigned count, uint32_t rate)
{
	size_t samples = 3 * (size_t)rate + rate / 3;

	if (TEST_SANITIZED && count > 1000) /* which look at each load */
		samples = rate > 1000 ? rate + rate / 3 : samples + 200;
	else if (samples < 2 * count)
		samples += count + count / 2;
	check_samples(rng, count, rate, samples);
}

START_TEST(blocks)
{
	static const uint32_t rates[] = { 1, 2, 7, 32, 33, 1000, 1024, 4096, 32768 };
	struct test_rng rng = { test_seed() };

	for (size_t r = 0; r < TEST_COUNT(rates); r++)
		for (size_t c = 0; c < TEST_COUNT(counts); c += TEST_SANITIZED ? 4 : 1)
			check_block(&rng, counts[c], rates[r]);
}
END_TEST

START_TEST(most_taps)
{
	struct test_rng rng = { test_seed() };

	check_samples(&rng, 65536, 700, TEST_SANITIZED ? 800 : 9000);
}
END_TEST

START_TEST(no_samples)
{
	static const struct pstk_cf32 taps[3] = { { 1, 0 } };
	struct filter_run run = { .taps = taps, .count = 3, .rate = 4 };

	filter_run(&run);
	filter_free(&run.out);
}
END_TEST

/* Windows that don't go through leave no trace. */
START_TEST(frozen_past)
{
	enum { WINDOWS = 40, RATE = 13 };
	struct test_rng rng = { test_seed() };

	for (size_t c = 0; c < TEST_COUNT(counts) && counts[c] < 1000; c++) {
		struct pstk_cf32 *taps = filter_taps(&rng, counts[c]);
		struct filter_run run = { .taps = taps, .count = counts[c], .rate = RATE };
		struct filter_signal through = filter_noise(&rng, WINDOWS * RATE);
		uint32_t sets[WINDOWS];

		through.count = 0;
		run.in = filter_noise(&rng, WINDOWS * RATE);
		for (size_t i = 0; i < WINDOWS; i++) {
			sets[i] = i + 1 == WINDOWS || test_chance(&rng, 50);
			for (size_t j = i * RATE; j < (i + 1) * RATE && sets[i]; j++, through.count++) {
				through.re[through.count] = run.in.re[j];
				through.im[through.count] = run.in.im[j];
			}
		}
		run.sets = sets;
		run.set_count = WINDOWS;
		filter_run(&run);
		ck_assert_uint_eq(run.seen, WINDOWS);
		ck_assert_uint_eq(run.out.count, through.count);
		filter_check(taps, counts[c], &through, &run.out, "frozen");
		filter_free(&run.in);
		filter_free(&run.out);
		filter_free(&through);
		free(taps);
	}
}
END_TEST

/* What is not finite is in the outputs that it is part of, and in no others. */
START_TEST(nan_passes)
{
	static const float bad[] = { NAN, INFINITY, -INFINITY };
	struct test_rng rng = { test_seed() };
	enum { SAMPLES = 500, COUNT = 10 };
	struct pstk_cf32 *taps = filter_taps(&rng, COUNT);

	for (uint32_t rate = 1; rate <= SAMPLES; rate = rate * 3 + 1)
		for (size_t b = 0; b < TEST_COUNT(bad); b++) {
			struct filter_run run = { .taps = taps, .count = COUNT, .rate = rate };
			size_t at = test_between(&rng, 0, SAMPLES - 1);

			run.in = filter_noise(&rng, SAMPLES);
			run.in.im[at] = bad[b];
			filter_run(&run);
			for (size_t n = 0; n < SAMPLES; n++)
				ck_assert_int_eq(!isfinite(run.out.re[n]) && !isfinite(run.out.im[n]),
					n >= at && n < at + COUNT);
			filter_free(&run.in);
			filter_free(&run.out);
		}
	free(taps);
}
END_TEST

/* -- refusals -- */

static void check_refused(const struct pstk_cf32 *taps, unsigned count, int err, const char *word)
{
	struct pstk_network *net = pstk_network_create("refused");

	ck_assert_ptr_null(pstk_fir_add(net, "low pass", taps, count));
	TEST_SAYS(pstk_network_error(net), "'low pass'", word);
	ck_assert_int_eq(pstk_network_start(net), err);
	pstk_network_destroy(net);
}

START_TEST(refusals)
{
	struct pstk_cf32 *taps = calloc(65537, sizeof *taps);

	check_refused(NULL, 3, -EINVAL, "without taps: give it at least one");
	check_refused(taps, 0, -EINVAL, "without taps: give it at least one");
	check_refused(taps, 65537, -EINVAL, "65537 taps: it can have up to 65536");
	check_refused(taps, UINT32_MAX, -EINVAL, "up to 65536");
	taps[2].im = NAN;
	check_refused(taps, 3, -EINVAL, "tap 2 of 3 is 0, nan: taps are finite numbers");
	taps[1].re = -INFINITY;
	check_refused(taps, 3, -EINVAL, "tap 1 of 3 is -inf, 0");
	test_fail_allocation(1);
	check_refused(taps, 1, -ENOMEM, "out of memory");
	ck_assert_ptr_null(pstk_fir_add(NULL, "low pass", taps, 1));
	ck_assert_ptr_null(pstk_fir_add(NULL, NULL, NULL, 0));
	free(taps);
}
END_TEST

START_TEST(no_name)
{
	static const struct pstk_cf32 tap = { 1, 0 };
	struct pstk_network *net = pstk_network_create("refused");

	ck_assert_ptr_null(pstk_fir_add(net, NULL, &tap, 1));
	ck_assert_ptr_null(pstk_fir_add(net, NULL, NULL, 1));
	test_fail_allocation(1);
	ck_assert_ptr_null(pstk_fir_add(net, NULL, &tap, 1));
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	pstk_network_destroy(net);
}
END_TEST

/* From its outputs back to its inputs, with delay tokens for a first firing. */
static struct pstk_network *loop_back(uint32_t re_rate, uint32_t im_rate, size_t im_size)
{
	static const struct pstk_cf32 tap = { 1, 0 };
	struct pstk_network *net = pstk_network_create("loop");
	struct pstk_actor *fir = pstk_fir_add(net, "low pass", &tap, 1);

	pstk_connect(fir, "re_out", fir, "re", PSTK_FIFO(.rate = re_rate, .token_size = 4, .delay = 4));
	pstk_connect(fir, "im_out", fir, "im", PSTK_FIFO(.rate = im_rate, .token_size = im_size, .delay = 4));
	return net;
}

START_TEST(wrong_fifos)
{
	struct pstk_network *net = loop_back(4, 2, 4);

	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'low pass'", "port 'im_out' moves 1 token a step", "'re'",
		"gives it 4", "gives it 2: give it 4, or none");
	pstk_network_destroy(net);
	net = loop_back(4, 4, 8);
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'low pass'", "im", "8");
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fir");
	TCase *tcase = test_case(suite, "fir");

	tcase_add_test(tcase, loops);
	tcase_add_test(tcase, blocks);
	tcase_add_test(tcase, most_taps);
	tcase_add_test(tcase, no_samples);
	tcase_add_test(tcase, frozen_past);
	tcase_add_test(tcase, nan_passes);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, no_name);
	tcase_add_test(tcase, wrong_fifos);
	return test_main(suite);
}
