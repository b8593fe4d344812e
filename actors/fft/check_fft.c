/* SPDX-License-Identifier: MIT */
/* Transforms of blocks against the definition, in double precision. */
#include "config.h"

#include "actors/common/check_dft.h"
#include "actors/common/check_stream.h"
#include "penstock/iq.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	return pstk_network_add(net, "tested", pstk_fft_type(), (void *)data);
}

START_TEST(refusals)
{
	struct pstk_network *net = pstk_network_create("parameters");
	struct pstk_actor *actor = add(net, NULL);

	ck_assert_int_eq(pstk_actor_set_param(actor, "size", "1"), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_param(actor, "size", "2097152"), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_param(actor, "hop", "1048577"), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_param(actor, "window", "hamming"), -ERANGE);
	pstk_network_destroy(net);
	STREAM_REFUSES(add, (&(const struct pstk_fft_arg){ .size = 24 }), -EINVAL, "'tested'",
		"a size of 24: it is a power of two, 2 .. 1048576");
	STREAM_REFUSES(add, (&(const struct pstk_fft_arg){ .size = 16, .hop = 17 }), -EINVAL, "'tested'",
		"a hop of 17: it is at most the size, 16");
	STREAM_REFUSES(add, (&(const struct pstk_fft_arg){ .size = 0 }), -ERANGE, "'tested'", "size");
}
END_TEST

enum { MOST = 1500 };

struct block {
	const struct pstk_fft_arg *arg;
	const struct pstk_cf32 *in;
	size_t count;
};

static size_t hop_of(const struct pstk_fft_arg *arg)
{
	return arg->hop ? arg->hop : arg->size;
}

static double window_at(const struct pstk_fft_arg *arg, size_t n)
{
	bool hann = arg->window && arg->window[0] == 'h';

	return hann ? 0.5 - 0.5 * cos(2 * acos(-1) * (double)n / arg->size) : 1;
}

/* The b-th block: samples before the stream and behind it are 0. Returns the largest magnitude. */
static double expect_block(double complex *to, const struct block *of, size_t b)
{
	const struct pstk_fft_arg *arg = of->arg;
	double most = 0;

	for (size_t n = 0; n < arg->size; n++) {
		size_t at = (b + 1) * hop_of(arg) + n; /* + size */
		bool there = at >= arg->size && at - arg->size < of->count;
		double complex x =
			there ? (double)of->in[at - arg->size].re + I * (double)of->in[at - arg->size].im : 0;

		to[n] = window_at(arg, n) * (arg->inverse ? conj(x) : x);
	}
	dft(to, arg->size);
	for (size_t k = 0; k < arg->size; k++) {
		to[k] = arg->inverse ? conj(to[k]) : to[k];
		most = fmax(most, cabs(to[k]));
	}
	return most;
}

static void compare(const struct stream_run *run, const struct pstk_fft_arg *arg, uint64_t seed)
{
	const struct block of = { arg, (const void *)run->in[0].tokens, run->in[0].count };
	const struct pstk_cf32 *got = (const void *)run->out[0].tokens;
	size_t blocks = (run->in[0].count + run->way.tail + hop_of(arg) - 1) / hop_of(arg);
	double complex *bins = calloc(arg->size, sizeof *bins);

	ck_assert_ptr_nonnull(bins);
	ck_assert_msg(run->out[0].count == blocks * arg->size,
		"PENSTOCK_TEST_SEED=%llu: %zu bins, not %zu blocks of %u", (unsigned long long)seed,
		run->out[0].count, blocks, arg->size);
	for (size_t b = 0; b < blocks; b++) {
		double most = expect_block(bins, &of, b);

		for (size_t k = 0; k < arg->size; k++, got++)
			ck_assert_msg(
				cabs((double)got->re + I * (double)got->im - bins[k]) <= 2e-6 * most + 1e-5,
				"PENSTOCK_TEST_SEED=%llu: block %zu of %zu, bin %zu",
				(unsigned long long)seed, b, blocks, k);
	}
	free(bins);
}

static struct stream_run run_one(const struct pstk_fft_arg *arg, const struct pstk_cf32 *samples,
	size_t count, const struct stream_way *way)
{
	struct stream_run run = { .way = *way,
		.in = { { .token_size = 8, .count = count, .tokens = (unsigned char *)samples } },
		.out = { { .token_size = 8 } } };

	stream_run(&run, add, arg);
	return run;
}

static void fill(struct pstk_cf32 *samples, size_t count, struct test_rng *rng)
{
	for (size_t i = 0; i < count; i++)
		samples[i] = (struct pstk_cf32){ (float)test_uniform(rng), (float)test_uniform(rng) };
}

/* Any size, hop, window, also streams that are empty or shorter than a block, a hop, a history. */
static void check_blocks(uint64_t rounds, const char *memory)
{
	static const char *const windows[] = { NULL, "rect", "hann" };
	static struct pstk_cf32 samples[MOST];

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct pstk_fft_arg arg = { .size = 1U << test_between(&rng, 1, 9),
			.window = windows[test_between(&rng, 0, 2)],
			.inverse = test_chance(&rng, 30) };
		struct stream_way way = stream_way_on(memory, &rng);
		struct stream_run run;

		arg.hop = test_chance(&rng, 30) ? 0 : test_between(&rng, 1 + arg.size / 16, arg.size);
		test_guard("blocks", seed);
		fill(samples, MOST, &rng);
		run = run_one(&arg, samples, test_between(&rng, 0, test_chance(&rng, 50) ? 20 : MOST), &way);
		compare(&run, &arg, seed);
		stream_free(&run);
	}
}

START_TEST(random_blocks)
{
	check_blocks(test_rounds(300), NULL);
}
END_TEST

/* Without kissfft, too. */
START_TEST(random_blocks_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_blocks(test_rounds(40), stream_memories[_i]);
}
END_TEST

START_TEST(same_bits_in_each_way)
{
	static struct pstk_cf32 samples[MOST];
	struct test_rng rng = { test_mix(test_seed()) };
	const struct stream_way plain = { .steps = 1, .write_rates = { 1 }, .depth = 1, .aside = 1 };
	const struct pstk_fft_arg arg = { 128, 50, "hann", false };
	struct stream_run one;

	fill(samples, MOST, &rng);
	one = run_one(&arg, samples, MOST, &plain);
	ck_assert_uint_eq(one.out[0].count, 128 * 30);
	for (uint64_t i = 0; i < test_rounds(40); i++) {
		struct stream_way way = stream_way(&rng);
		struct stream_run other;

		way.tail = 0;
		other = run_one(&arg, samples, MOST, &way);
		stream_check(&other, 0, one.out[0].tokens, one.out[0].count, test_seed());
		stream_free(&other);
	}
	stream_free(&one);
}
END_TEST

/* By default: blocks of 1024, one after the other, as they are. */
START_TEST(defaults)
{
	static struct pstk_cf32 samples[MOST];
	struct test_rng rng = { test_mix(test_seed()) };
	const struct stream_way way = { .steps = 2, .write_rates = { 100 }, .depth = 2, .aside = 1 };
	const struct pstk_fft_arg same = { .size = 1024 };
	struct stream_run run = { .way = way, .out = { { .token_size = 8 } } };

	fill(samples, MOST, &rng);
	run.in[0] = (struct stream){ .token_size = 8, .count = MOST, .tokens = (unsigned char *)samples };
	stream_run(&run, add, NULL);
	compare(&run, &same, test_seed());
	stream_free(&run);
}
END_TEST

/* The inverse of a transform is size times what went in. */
static void check_largest(const char *device)
{
	enum { SIZE = TEST_SANITIZED ? 1 << 14 : 1 << 20 };
	struct pstk_cf32 *samples = calloc(SIZE, sizeof *samples), *back;
	struct test_rng rng = { test_mix(test_seed()) };
	const struct stream_way way = {
		.steps = 1, .write_rates = { SIZE }, .depth = 1, .aside = 1, .device = device
	};
	const struct pstk_fft_arg forth = { .size = SIZE }, inverse = { .size = SIZE, .inverse = true };
	struct stream_run run, again;

	ck_assert_ptr_nonnull(samples);
	fill(samples, SIZE, &rng);
	run = run_one(&forth, samples, SIZE, &way);
	again = run_one(&inverse, (const void *)run.out[0].tokens, SIZE, &way);
	back = (void *)again.out[0].tokens;
	ck_assert_uint_eq(again.out[0].count, SIZE);
	for (size_t i = 0; i < SIZE; i++) {
		ck_assert_float_eq_tol(back[i].re / SIZE, samples[i].re, 1e-5f);
		ck_assert_float_eq_tol(back[i].im / SIZE, samples[i].im, 1e-5f);
	}
	stream_free(&run);
	stream_free(&again);
	free(samples);
}

START_TEST(largest_size_there_and_back)
{
	check_largest(NULL);
}
END_TEST

START_TEST(largest_size_on_a_device)
{
	const char *device = stream_device("svm");

	if (device)
		check_largest(device);
}
END_TEST

static struct pstk_actor *add_failing(struct pstk_network *net, const void *data)
{
	struct pstk_actor *actor = add(net, data);

	test_fail_allocation(1); /* that of init() */
	return actor;
}

static struct pstk_actor *add_failing_there(struct pstk_network *net, const void *data)
{
	struct pstk_actor *actor = add(net, data);

	ck_assert_int_eq(pstk_actor_map(actor, stream_device("svm")), 0);
	test_fail_allocation(1);
	return actor;
}

START_TEST(out_of_memory)
{
	STREAM_REFUSES(add_failing, (&(const struct pstk_fft_arg){ .size = 16 }), -ENOMEM, "'tested'",
		"out of memory for a transform of 16");
}
END_TEST

START_TEST(out_of_memory_on_a_device)
{
	if (stream_device("svm"))
		STREAM_REFUSES(add_failing_there, (&(const struct pstk_fft_arg){ .size = 16 }), -ENOMEM,
			"'tested'", "out of memory for a transform of 16");
}
END_TEST

START_TEST(says_no)
{
	STREAM_REFUSES(add, (&(const struct pstk_fft_arg){ .size = 16 }), -ENOTSUP, "'tested'",
		"this build has no kissfft");
}
END_TEST

#ifdef HAVE_KISSFFT
static const bool has_kissfft = true;
#else
static const bool has_kissfft = false;
#endif

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, random_blocks);
	tcase_add_test(tcase, same_bits_in_each_way);
	tcase_add_test(tcase, defaults);
	tcase_add_test(tcase, largest_size_there_and_back);
	tcase_add_test(tcase, out_of_memory);
}

int main(void)
{
	Suite *suite = suite_create("fft");
	TCase *tcase = test_case(suite, "fft");

	tcase_add_test(tcase, refusals);
	if (has_kissfft)
		add_tests(tcase);
	else
		tcase_add_test(tcase, says_no);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, random_blocks_on_devices, 0, STREAM_MEMORIES);
	tcase = test_case(suite, "large"); /* oclgrind would take hours */
	tcase_add_test(tcase, largest_size_on_a_device);
	tcase_add_test(tcase, out_of_memory_on_a_device);
	return test_main(suite);
}
