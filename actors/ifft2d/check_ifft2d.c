/* SPDX-License-Identifier: MIT */
/* ifft2d against the definition, in double precision: any size on the cores, those that clFFT takes on devices. */
#include "config.h"

#include "actors/common/check_moving.h"
#include "actors/common/check_pathway.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(refusals)
{
	pathway_check_refusals(pstk_ifft2d_type());
}
END_TEST

static void compare(const float *got, const struct pstk_cf32 *from, size_t w, size_t h)
{
	double complex *want = malloc(w * h * sizeof *want);
	double most = 0;

	ck_assert_ptr_nonnull(want);
	for (size_t i = 0; i < w * h; i++)
		want[i] = from[i].re + I * from[i].im;
	pathway_dft(want, w, h, true);
	for (size_t i = 0; i < w * h; i++)
		most = cabs(want[i]) > most ? cabs(want[i]) : most;
	for (size_t i = 0; i < w * h; i++)
		ck_assert_msg(fabs(got[i] - creal(want[i] * conj(want[i]))) <= 4e-6 * most * most,
			"%zux%zu, number %zu: %g, not %g", w, h, i, (double)got[i],
			creal(want[i] * conj(want[i])));
	free(want);
}

/* Rows of zeros, which take a way of their own, at the ends and in the middle. */
static void clear_rows(struct pstk_cf32 *x, size_t w, size_t h, struct test_rng *rng)
{
	for (size_t y = 0; y < h; y++)
		if (test_chance(rng, 40)) {
			memset(x + y * w, 0, w * sizeof *x);
			/* .. but for one number at an end */
			if (test_chance(rng, 30))
				x[y * w + (y % 2 ? w - 1 : 0)] = (struct pstk_cf32){ y % 4 < 2, y % 4 > 1 };
		}
}

enum { TOKENS = 5 };

static void check_size(struct pstk_frame_size size, const struct stream_way *way, struct test_rng *rng)
{
	struct pathway_actor actor = { pstk_ifft2d_type(), &size };
	size_t n = (size_t)size.width * size.height;
	struct pstk_cf32 *x = (void *)pathway_floats(rng, 2 * TOKENS * n);
	struct stream_run run;

	clear_rows(x + n, size.width, size.height, rng);
	memset(x + 2 * n, 0, n * sizeof *x);
	run = pathway_run(&actor, way, x, TOKENS, n * sizeof *x, n * sizeof(float));
	ck_assert_uint_eq(run.out[0].count, TOKENS);
	for (size_t i = 0; i < TOKENS; i++)
		compare((const float *)(void *)run.out[0].tokens + i * n, x + i * n, size.width, size.height);
	stream_free(&run);
	free(x);
}

/* Powers of two, radix 3 and 5, odd ones, primes. */
static const struct pstk_frame_size sizes[] = { { 8, 8 }, { 64, 48 }, { 45, 60 }, { 9, 15 }, { 13, 121 },
	{ 17, 8 }, { 8, 31 }, { 101, 53 }, { 34, 26 }, { 127, 11 }, { 720, 9 }, { 10, 576 } };

START_TEST(every_kind_of_size)
{
	struct test_rng rng = { test_seed() };
	struct stream_way way = pathway_plain();

	for (size_t i = 0; i < TEST_COUNT(sizes); i++)
		check_size(sizes[i], &way, &rng);
}
END_TEST

START_TEST(random_ways)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(100); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct stream_way way = stream_way(&rng);

		test_guard("ways", seed);
		way.tail = 0;
		check_size((struct pstk_frame_size){ test_between(&rng, 8, 70), test_between(&rng, 8, 70) },
			&way, &rng);
	}
}
END_TEST

START_TEST(out_of_memory)
{
	/* two plans and their memory; of a size with a large prime: also what its convolution needs */
	const struct pstk_frame_size size = { 8, 8 }, prime = { 8, 17 };
	const struct pathway_actor actor = { pstk_ifft2d_type(), &size },
				   other = { pstk_ifft2d_type(), &prime };

	ck_assert_uint_eq(pathway_fail_allocations(&actor, 64 * 8, 64 * 4), 7);
	ck_assert_uint_eq(pathway_fail_allocations(&other, 136 * 8, 136 * 4), 11);
}
END_TEST

#ifdef HAVE_KISSFFT
static const bool has_kissfft = true;
#else
static const bool has_kissfft = false;
#endif

static struct pstk_network *alone(const struct pstk_frame_size *size, const char *device)
{
	struct pathway_actor actor = { pstk_ifft2d_type(), size };
	size_t n = (size_t)size->width * size->height;

	return pathway_alone(&actor, n * sizeof(struct pstk_cf32), n * sizeof(float), device);
}

START_TEST(says_no)
{
	struct pstk_network *net = alone(&(const struct pstk_frame_size){ 8, 8 }, NULL);

	ck_assert_int_eq(pstk_network_run(net), -ENOTSUP);
	TEST_SAYS(pstk_network_error(net), "'tested'", "this build has no kissfft", "libkissfft-dev");
	pstk_network_destroy(net);
}
END_TEST

#ifdef HAVE_OPENCL
#ifdef HAVE_CLFFT
START_TEST(on_a_device)
{
	static const struct pstk_frame_size fitting[] = { { 8, 8 }, { 45, 60 }, { 13, 121 } };
	struct test_rng rng = { test_seed() };
	struct stream_way way = stream_way_on(stream_memories[_i], &rng);

	way.tail = 0;
	for (size_t i = 0; way.device && i < TEST_COUNT(fitting); i++) {
		if (!moving_is(way.device))
			way.steps = 1 + (uint32_t)i;
		check_size(fitting[i], &way, &rng);
	}
}
END_TEST

START_TEST(primes_on_a_device)
{
	const char *device = stream_device("svm");
	struct pstk_network *net;

	if (!device)
		return;
	net = alone(&(const struct pstk_frame_size){ 34, 19 }, device);
	ck_assert_int_eq(pstk_network_run(net), -ENOTSUP);
	TEST_SAYS(pstk_network_error(net), "'tested'", "34 x 19", "19 is a prime factor above 13",
		"scale to 33 x 18");
	pstk_network_destroy(net);
}
END_TEST
#else
START_TEST(without_clfft)
{
	const char *device = stream_device("svm");
	struct pstk_network *net;

	if (!device)
		return;
	net = alone(&(const struct pstk_frame_size){ 8, 8 }, device);
	ck_assert_int_eq(pstk_network_run(net), -ENOTSUP);
	TEST_SAYS(pstk_network_error(net), "'tested'", "this build has no clFFT", "libclfft-dev");
	pstk_network_destroy(net);
}
END_TEST
#endif
#endif

int main(void)
{
	Suite *suite = suite_create("ifft2d");
	TCase *c = test_case(suite, "ifft2d");

	tcase_add_test(c, refusals);
	if (has_kissfft) {
		tcase_add_test(c, every_kind_of_size);
		tcase_add_test(c, random_ways);
		tcase_add_test(c, out_of_memory);
	} else {
		tcase_add_test(c, says_no);
	}
#ifdef HAVE_OPENCL
	c = test_case(suite, "devices");
#ifdef HAVE_CLFFT
	tcase_add_loop_test(c, on_a_device, 0, STREAM_MEMORIES);
	tcase_add_test(c, primes_on_a_device);
#else
	tcase_add_test(c, without_clfft);
#endif
#endif
	return test_main(suite);
}
