/* SPDX-License-Identifier: MIT */
/* fft2d against the definition, in double precision: any size on the cores, those that clFFT takes on devices. */
#include "config.h"

#include "actors/common/check_moving.h"
#include "actors/common/check_pathway.h"

#include <errno.h>
#include <stdlib.h>

START_TEST(refusals)
{
	pathway_check_refusals(pstk_fft2d_type());
}
END_TEST

static void compare(const struct pstk_cf32 *got, const float *from, size_t w, size_t h)
{
	double complex *want = malloc(w * h * sizeof *want);
	double most = 0;

	ck_assert_ptr_nonnull(want);
	for (size_t i = 0; i < w * h; i++)
		want[i] = from[i];
	pathway_dft(want, w, h, false);
	for (size_t i = 0; i < w * h; i++)
		most = cabs(want[i]) > most ? cabs(want[i]) : most;
	for (size_t i = 0; i < w * h; i++)
		ck_assert_msg(cabs((double)got[i].re + I * (double)got[i].im - want[i]) <= 2e-6 * most,
			"%zux%zu, number %zu: %g%+gi, not %g%+gi", w, h, i, (double)got[i].re,
			(double)got[i].im, creal(want[i]), cimag(want[i]));
	free(want);
}

enum { TOKENS = 5 };

static void check_size(struct pstk_frame_size size, const struct stream_way *way, struct test_rng *rng)
{
	struct pathway_actor actor = { pstk_fft2d_type(), &size };
	size_t n = (size_t)size.width * size.height;
	float *maps = pathway_floats(rng, TOKENS * n);
	struct stream_run run =
		pathway_run(&actor, way, maps, TOKENS, n * sizeof(float), n * sizeof(struct pstk_cf32));

	ck_assert_uint_eq(run.out[0].count, TOKENS);
	for (size_t i = 0; i < TOKENS; i++)
		compare((const struct pstk_cf32 *)(void *)run.out[0].tokens + i * n, maps + i * n, size.width,
			size.height);
	stream_free(&run);
	free(maps);
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
	const struct pathway_actor actor = { pstk_fft2d_type(), &size },
				   other = { pstk_fft2d_type(), &prime };

	ck_assert_uint_eq(pathway_fail_allocations(&actor, 64 * 4, 64 * 8), 7);
	ck_assert_uint_eq(pathway_fail_allocations(&other, 136 * 4, 136 * 8), 11);
}
END_TEST

#ifdef HAVE_KISSFFT
static const bool has_kissfft = true;
#else
static const bool has_kissfft = false;
#endif

static struct pstk_network *alone(const struct pstk_frame_size *size, const char *device)
{
	struct pathway_actor actor = { pstk_fft2d_type(), size };
	size_t n = (size_t)size->width * size->height;

	return pathway_alone(&actor, n * sizeof(float), n * sizeof(struct pstk_cf32), device);
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
	Suite *suite = suite_create("fft2d");
	TCase *c = test_case(suite, "fft2d");

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
