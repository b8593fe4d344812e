/* SPDX-License-Identifier: MIT */
/* gabor against the definition, which turns the axes and knows nothing of factors. */
#include "config.h"

#include "actors/common/check_pathway.h"

#include <math.h>
#include <stdlib.h>

START_TEST(refusals)
{
	pathway_check_refusals(pstk_gabor_type());
}
END_TEST

static void compare(const struct pstk_cf32 *got, const struct pstk_cf32 *from, size_t w, size_t h)
{
	for (unsigned map = 0; map < PATHWAY_MAPS; map++)
		for (size_t i = 0; i < w * h; i++, got++) {
			double g = pathway_gabor(w, h, i % w, i / w, map);

			/* the facts' sigmas have seven digits; factors below 1e-12 are 0 */
			ck_assert_msg(fabs(got->re - g * from[i].re) <= 1e-6 &&
					      fabs(got->im - g * from[i].im) <= 1e-6,
				"%zux%zu, map %u, number %zu: %g%+gi, not %g%+gi", w, h, map, i,
				(double)got->re, (double)got->im, g * from[i].re, g * from[i].im);
		}
}

static void check_spectra(uint64_t rounds, const char *memory)
{
	enum { TOKENS = 5 };

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_frame_size size = { test_between(&rng, 8, 40), test_between(&rng, 8, 40) };
		struct pathway_actor actor = { pstk_gabor_type(), &size };
		struct stream_way way = stream_way_on(memory, &rng);
		size_t n = (size_t)size.width * size.height, bytes = n * sizeof(struct pstk_cf32);
		struct pstk_cf32 *x = (void *)pathway_floats(&rng, 2 * TOKENS * n);
		struct stream_run run;

		test_guard("spectra", seed);
		way.tail = 0;
		run = pathway_run(&actor, &way, x, TOKENS, bytes, bytes);
		ck_assert_uint_eq(run.out[0].count, TOKENS * PATHWAY_MAPS);
		for (size_t i = 0; i < TOKENS; i++)
			compare((const struct pstk_cf32 *)(void *)run.out[0].tokens + i * PATHWAY_MAPS * n,
				x + i * n, size.width, size.height);
		stream_free(&run);
		free(x);
	}
}

START_TEST(random_spectra)
{
	check_spectra(test_rounds(100), NULL);
}
END_TEST

START_TEST(random_spectra_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_spectra(test_rounds(15), stream_memories[_i]);
}
END_TEST

START_TEST(out_of_memory)
{
	const struct pstk_frame_size size = { 8, 8 };
	struct pathway_actor actor = { pstk_gabor_type(), &size };

	ck_assert_uint_eq(pathway_fail_allocations(&actor, 512, 512), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gabor");
	TCase *c = test_case(suite, "gabor"), *devices = test_case(suite, "devices");

	tcase_add_test(c, refusals);
	tcase_add_test(c, random_spectra);
	tcase_add_test(c, out_of_memory);
	tcase_add_loop_test(devices, random_spectra_on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
