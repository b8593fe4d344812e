/* SPDX-License-Identifier: MIT */
/* grey against its definition, and by hand. */
#include "config.h"

#include "actors/common/check_pathway.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(refusals)
{
	struct pstk_network *net = pstk_network_create("cores");
	const struct pstk_grey_arg size = { { 8, 8 }, 0 };
	struct pstk_actor *actor = pathway_add(net, &(struct pathway_actor){ pstk_grey_type(), &size });

	pathway_check_refusals(pstk_grey_type());
	ck_assert_int_ne(pstk_actor_map(actor, "cpu"), 0); /* it has no device form */
	pstk_network_destroy(net);
}
END_TEST

/* 64 pixels, the rest of them 0. */
static const struct {
	float values[5];
	uint8_t greys[5];
	uint32_t mark;
} cases[] = {
	{ { 0, 1, 2, 4, -4 }, { 0, 64, 128, 255, 0 }, 0 }, /* 63.75, 127.5 */
	{ { 0, 1, 2, 4, -4 }, { 0, 0, 255, 255, 0 }, 128 },
	{ { 0, 1, 2, 4, -4 }, { 0, 0, 0, 255, 0 }, 129 },
	{ { -1, -2, 0, 0, 0 }, { 0, 0, 0, 0, 0 }, 0 },
	{ { 1e-40f, 0, 5e-41f, 0, 0 }, { 255, 0, 128, 0, 0 }, 0 },
	{ { 3e38f, 1.5e38f, 3e37f, 0, 0 }, { 255, 128, 26, 0, 0 }, 0 },
};

START_TEST(by_hand)
{
	const struct pstk_grey_arg arg = { { 8, 8 }, cases[_i].mark };
	struct pathway_actor actor = { pstk_grey_type(), &arg };
	struct stream_way way = pathway_plain();
	float map[64] = { 0 };
	uint8_t want[64] = { 0 };
	struct stream_run run;

	memcpy(map, cases[_i].values, sizeof cases[_i].values);
	memcpy(want, cases[_i].greys, sizeof cases[_i].greys);
	run = pathway_run(&actor, &way, map, 1, sizeof map, sizeof want);
	stream_check(&run, 0, want, 1, 0);
	stream_free(&run);
}
END_TEST

START_TEST(random_maps)
{
	enum { MAPS = 6 };

	for (uint64_t seed = test_seed(), end = seed + test_rounds(100); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const struct pstk_grey_arg arg = { { test_between(&rng, 8, 60), test_between(&rng, 8, 60) },
			0 };
		const struct pstk_frame_size size = arg.size;
		struct pathway_actor actor = { pstk_grey_type(), &arg };
		struct stream_way way = stream_way(&rng);
		size_t n = (size_t)size.width * size.height;
		float *maps = pathway_floats(&rng, MAPS * n);
		struct stream_run run;

		test_guard("maps", seed);
		way.tail = 0;
		run = pathway_run(&actor, &way, maps, MAPS, n * sizeof(float), n);
		ck_assert_uint_eq(run.out[0].count, MAPS);
		for (size_t m = 0; m < MAPS; m++) {
			double most = 0;

			for (size_t i = 0; i < n; i++)
				most = fmax(most, maps[m * n + i]);
			for (size_t i = 0; i < n; i++)
				ck_assert_double_eq_tol(run.out[0].tokens[m * n + i],
					fmax(0, 255 * maps[m * n + i] / most), 0.5001);
		}
		stream_free(&run);
		free(maps);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("grey");
	TCase *c = test_case(suite, "grey");

	tcase_add_test(c, refusals);
	tcase_add_loop_test(c, by_hand, 0, TEST_COUNT(cases));
	tcase_add_test(c, random_maps);
	return test_main(suite);
}
