/* SPDX-License-Identifier: MIT */
/* interactions: the vectors of tests/data/saliency.json (S2), and random maps against the definition. */
#include "config.h"

#include "actors/common/check_pathway.h"
#include "actors/common/wide.h"

#include <math.h>
#include <stdlib.h>

enum { PIXELS = 64 };

START_TEST(refusals)
{
	pathway_check_refusals(pstk_interactions_type());
}
END_TEST

static void run_once(float *to, const float *maps, const char *device)
{
	const struct pstk_frame_size size = { 8, 8 };
	struct pathway_actor actor = { pstk_interactions_type(), &size };
	struct stream_way way = pathway_plain();
	struct stream_run run;

	way.device = device;
	run = pathway_run(&actor, &way, maps, PATHWAY_MAPS, PIXELS * sizeof(float), PIXELS * sizeof(float));
	ck_assert_uint_eq(run.out[0].count, PATHWAY_MAPS);
	for (size_t i = 0; i < PATHWAY_MAPS * PIXELS; i++)
		to[i] = ((const float *)(void *)run.out[0].tokens)[i];
	stream_free(&run);
}

static void check_vectors(const char *device)
{
	float maps[PATHWAY_MAPS * PIXELS] = { 0 }, got[PATHWAY_MAPS * PIXELS];

	/* a unit impulse at (2, 1), everywhere */
	for (size_t p = 0; p < PIXELS; p++)
		maps[(2 * 4 + 1) * PIXELS + p] = 1;
	run_once(got, maps, device);
	for (size_t m = 0; m < PATHWAY_MAPS; m++)
		for (size_t p = 0; p < PIXELS; p++) {
			float want = m == 9 ? 1 : m == 8 || m == 10 ? 0.5f : m == 5 || m == 13 ? -0.5f : 0;

			ck_assert_float_eq(got[m * PIXELS + p], want);
		}
	for (size_t i = 0; i < PATHWAY_MAPS * PIXELS; i++)
		maps[i] = 1;
	run_once(got, maps, device);
	for (size_t i = 0; i < PATHWAY_MAPS * PIXELS; i++)
		ck_assert_float_eq(got[i], 1);
}

START_TEST(vectors)
{
	check_vectors(NULL);
}
END_TEST

START_TEST(vectors_on_a_device)
{
	const char *device = stream_device("svm");

	if (device)
		check_vectors(device);
}
END_TEST

/* Also maps that make no whole step: they are left out. */
static void check_maps(uint64_t rounds, const char *memory)
{
	enum { STEPS = 3 };

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_frame_size size = { test_between(&rng, 8, 50), test_between(&rng, 8, 50) };
		struct pathway_actor actor = { pstk_interactions_type(), &size };
		struct stream_way way = stream_way_on(memory, &rng);
		size_t n = (size_t)size.width * size.height, count = STEPS * PATHWAY_MAPS, more = seed % 24;
		float *maps = pathway_floats(&rng, (count + more) * n);
		double *from = malloc(PATHWAY_MAPS * n * sizeof *from),
		       *want = malloc(PATHWAY_MAPS * n * sizeof *want);
		struct stream_run run;

		ck_assert(from && want);
		test_guard("maps", seed);
		way.tail = 0;
		run = pathway_run(&actor, &way, maps, count + more, n * sizeof(float), n * sizeof(float));
		ck_assert_uint_eq(run.out[0].count, count);
		for (size_t step = 0; step < STEPS; step++) {
			const float *got = (const float *)(void *)run.out[0].tokens + step * PATHWAY_MAPS * n;

			for (size_t i = 0; i < PATHWAY_MAPS * n; i++)
				from[i] = maps[step * PATHWAY_MAPS * n + i];
			pathway_interactions(want, from, n);
			for (size_t i = 0; i < PATHWAY_MAPS * n; i++)
				ck_assert_double_eq_tol(got[i], want[i], 1e-6);
		}
		stream_free(&run);
		free(maps);
		free(from);
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
		check_maps(test_rounds(15), stream_memories[_i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("interactions");
	TCase *c = test_case(suite, "interactions"), *devices = test_case(suite, "devices");

	tcase_add_test(c, refusals);
	tcase_add_test(c, vectors);
	tcase_add_loop_test(c, random_maps, PS_WIDE_ANY, PS_WIDE_AVX2 + 1);
	tcase_add_test(devices, vectors_on_a_device);
	tcase_add_loop_test(devices, random_maps_on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
