/* SPDX-License-Identifier: MIT */
/* normalize: the vector of tests/data/saliency.json (S3), random maps against the definition in double precision, and
 * the same bits on the cores, in vectors of each length, and on devices. */
#include "config.h"

#include "actors/common/check_pathway.h"
#include "actors/common/wide.h"
#include "actors/normalize/normalize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(refusals)
{
	struct pstk_network *net = pstk_network_create("parameters");
	struct pstk_actor *actor = pathway_add(net, &(struct pathway_actor){ pstk_normalize_type(), NULL });

	pathway_check_refusals(pstk_normalize_type());
	ck_assert_int_eq(pstk_actor_set_param(actor, "flat", "-1"), -ERANGE);
	pstk_network_destroy(net);
}
END_TEST

/* [0 1 2 4], as often as a map has room for. */
START_TEST(vector)
{
	static const float values[] = { 0, 1, 2, 4 };
	static const double expected[] = { 0, 0.01977539, 0.11865234, 0.31640625 };
	const struct pstk_normalize_arg arg = { { 16, 8 }, 1e-9f };
	float map[128], got[128];

	for (size_t i = 0; i < 128; i++)
		map[i] = values[i % 4];
	ps_normalize_map(got, map, &arg);
	for (size_t i = 0; i < 128; i++)
		ck_assert_double_eq_tol(got[i], expected[i % 4], 1e-7);
}
END_TEST

/* Peaks, plateaus, noise, all negative, nearly flat on a high ground, flat, tiny, huge. */
static void fill(struct test_rng *rng, float *map, size_t n, unsigned kind)
{
	float *noise = pathway_floats(rng, n);

	for (size_t i = 0; i < n; i++) {
		float x = noise[i];
		const float of[] = { x, x > .98f ? 5 + x : x / 50, x > 0, x - 3, 1000 + x / 1000, 7,
			x * 1e-12f, x * 1e30f, x * x * x * x };

		map[i] = of[kind];
	}
	free(noise);
}

enum { KINDS = 9 };

START_TEST(random_maps)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(300); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_normalize_arg arg = {
			{ test_between(&rng, 8, 150), test_between(&rng, 8, 90) }, 1e-9f
		};
		size_t n = (size_t)arg.size.width * arg.size.height;
		float *map = malloc(n * sizeof *map), *got = malloc(n * sizeof *got);
		double *want = malloc(n * sizeof *want), most = 0;

		ck_assert(map && got && want);
		fill(&rng, map, n, (unsigned)(seed % KINDS));
		for (size_t i = 0; i < n; i++)
			want[i] = map[i];
		pathway_normalize(want, n, 1e-9);
		ps_normalize_map(got, map, &arg);
		for (size_t i = 0; i < n; i++)
			most = fmax(most, want[i]);
		for (size_t i = 0; i < n; i++)
			ck_assert_msg(fabs(got[i] - want[i]) <= 2e-5 * most,
				"PENSTOCK_TEST_SEED=%llu: pixel %zu: %g, not %g", (unsigned long long)seed, i,
				(double)got[i], want[i]);
		free(map);
		free(got);
		free(want);
	}
}
END_TEST

/* What is no number makes no difference to whether it ends, and gives zeros. */
START_TEST(no_numbers)
{
	const struct pstk_normalize_arg arg = { { 8, 8 }, 1e-9f };
	float map[64] = { 1, 2, NAN }, got[64];

	ps_normalize_map(got, map, &arg);
	for (size_t i = 0; i < 64; i++)
		ck_assert_float_eq(got[i], 0);
}
END_TEST

/* What the type gives in a network, in whatever way, is what the function gives with the shortest vectors. */
static void check_bits(uint64_t rounds, const char *memory)
{
	enum { MAPS = 2 * KINDS };

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_normalize_arg arg = {
			{ test_between(&rng, 8, 200), test_between(&rng, 8, 60) }, 1e-9f
		};
		struct pathway_actor actor = { pstk_normalize_type(), &arg };
		struct stream_way way = stream_way_on(memory, &rng);
		size_t n = (size_t)arg.size.width * arg.size.height;
		float *maps = malloc(MAPS * n * sizeof *maps), *want = malloc(MAPS * n * sizeof *want);
		struct stream_run run;
		enum ps_wide limit = ps_wide_limit(PS_WIDE_ANY);

		ck_assert(maps && want);
		test_guard("bits", seed);
		for (unsigned i = 0; i < MAPS; i++) {
			fill(&rng, maps + i * n, n, i % KINDS);
			ps_normalize_map(want + i * n, maps + i * n, &arg);
		}
		ps_wide_limit(limit);
		way.tail = 0;
		run = pathway_run(&actor, &way, maps, MAPS, n * sizeof(float), n * sizeof(float));
		stream_check(&run, 0, want, MAPS, seed);
		stream_free(&run);
		free(maps);
		free(want);
	}
}

START_TEST(same_bits_in_each_way)
{
	check_bits(test_rounds(60), NULL);
}
END_TEST

START_TEST(same_bits_on_devices)
{
	if (stream_device(stream_memories[_i]))
		check_bits(test_rounds(20), stream_memories[_i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("normalize");
	TCase *c = test_case(suite, "normalize"), *devices = test_case(suite, "devices");

	tcase_add_test(c, refusals);
	tcase_add_test(c, vector);
	tcase_add_test(c, random_maps);
	tcase_add_test(c, no_numbers);
	tcase_add_test(c, same_bits_in_each_way);
	tcase_add_loop_test(devices, same_bits_on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
