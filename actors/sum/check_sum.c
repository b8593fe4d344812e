/* SPDX-License-Identifier: MIT */
/* sum: the maps one after the other, to the bit, on the cores and on devices. */
#include "config.h"

#include "actors/common/check_pathway.h"
#include "actors/common/wide.h"

#include <stdlib.h>

START_TEST(refusals)
{
	pathway_check_refusals(pstk_sum_type());
}
END_TEST

/* Maps that make no whole step are left out. */
static void check_maps(uint64_t rounds, const char *memory)
{
	enum { STEPS = 4 };

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_frame_size size = { test_between(&rng, 8, 60), test_between(&rng, 8, 60) };
		struct pathway_actor actor = { pstk_sum_type(), &size };
		struct stream_way way = stream_way_on(memory, &rng);
		size_t n = (size_t)size.width * size.height, more = seed % 24;
		float *maps = pathway_floats(&rng, (STEPS * PATHWAY_MAPS + more) * n),
		      *want = calloc(STEPS * n, sizeof *want);
		struct stream_run run;

		ck_assert_ptr_nonnull(want);
		test_guard("maps", seed);
		for (size_t i = 0; i < STEPS * n; i++)
			for (size_t map = 0; map < PATHWAY_MAPS; map++)
				want[i] += maps[(i / n * PATHWAY_MAPS + map) * n + i % n];
		way.tail = 0;
		run = pathway_run(&actor, &way, maps, STEPS * PATHWAY_MAPS + more, n * sizeof(float),
			n * sizeof(float));
		stream_check(&run, 0, want, STEPS, seed);
		stream_free(&run);
		free(maps);
		free(want);
	}
}

/* In vectors of each length. */
START_TEST(random_maps)
{
	enum ps_wide limit = ps_wide_limit((enum ps_wide)_i);

	check_maps(test_rounds(100), NULL);
	ps_wide_limit(limit);
}
END_TEST

START_TEST(random_maps_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_maps(test_rounds(20), stream_memories[_i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sum");
	TCase *c = test_case(suite, "sum"), *devices = test_case(suite, "devices");

	tcase_add_test(c, refusals);
	tcase_add_loop_test(c, random_maps, PS_WIDE_ANY, PS_WIDE_AVX2 + 1);
	tcase_add_loop_test(devices, random_maps_on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
