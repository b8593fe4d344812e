/* SPDX-License-Identifier: MIT */
/* How ratios are split, and what makes the delay of all stages whole. */
#include "config.h"

#include "apps/resample/plan.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect(uint32_t p, uint32_t q, const char *stages)
{
	char text[256] = "";
	struct plan plan;

	ck_assert(plan_make(&plan, p, q));
	for (unsigned i = 0; i < plan.count; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u/%u", i ? " " : "",
			plan.stages[i].p, plan.stages[i].q);
	ck_assert_str_eq(text, stages);
}

START_TEST(splits)
{
	expect(48000, 44100, "4/3 8/7 5/7");
	expect(44100, 48000, "7/5 7/8 3/4");
	expect(48000, 22050, "4/3 8/7 10/7");
	expect(96000, 11025, "4/3 8/7 5/7 8/1");
	expect(729, 512, "3/2 3/2 1/2 3/2 3/2 9/16");
	expect(2, 1, "2/1");
	expect(96000, 8000, "12/1");
	expect(1, 6, "1/6");
	expect(11, 10, "11/10");
	expect(1009, 1000, "1009/1000");
	expect(7, 7, "");
}
END_TEST

/* The stages make the ratio, no rate in between is below both ends, and all of them delay by whole outputs. */
START_TEST(random_ratios)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(5000); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		uint32_t most = test_chance(&rng, 50) ? 200 : 20000;
		uint32_t p = test_between(&rng, 1, most), q = test_between(&rng, 1, most);
		double rate = 1, late, lowest = fmin(1, (double)p / q);
		struct plan plan;

		ck_assert(plan_make(&plan, p, q));
		late = plan.delay;
		for (unsigned i = 0; i < plan.count; i++) {
			const struct plan_stage *s = &plan.stages[i];
			double ratio = (double)s->p / s->q;

			late += s->zeros * fmax(1, 1 / ratio) / rate; /* in samples of the input */
			rate *= ratio;
			ck_assert_double_ge(rate, lowest * 0.999999);
		}
		ck_assert_double_eq_tol(rate, (double)p / q, 1e-9 * rate);
		ck_assert_double_eq_tol(late * rate, plan.skip, 1e-6 * (1 + plan.skip));
		ck_assert_double_ge(plan.tail + 1e-6, late - plan.delay);
		ck_assert(plan.tail < late - plan.delay + 1);
	}
}
END_TEST

START_TEST(lengths)
{
	for (uint32_t p = 1; p < 12; p++) {
		for (uint32_t q = 1; q < 12; q++) {
			struct plan plan;

			ck_assert(plan_make(&plan, p, q));
			for (uint64_t n = 0, m = 0; n < 50; n++) {
				while (m * q < n * p)
					m++;
				ck_assert_uint_eq(plan_length(&plan, n), m);
			}
		}
	}
}
END_TEST

START_TEST(too_large)
{
	struct plan plan;

	ck_assert(!plan_make(&plan, 1000003, 1000000));
	ck_assert(!plan_make(&plan, 1, 1000003));
	ck_assert(!plan_make(&plan, 65537, 65536));
	ck_assert(!plan_make(&plan, 65536, 1)); /* one tap more than a filter can have */
	ck_assert(plan_make(&plan, 2000006, 2000006));
	ck_assert(plan_make(&plan, 48000, 44101));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan");
	TCase *c = test_case(suite, "plan");

	tcase_add_test(c, splits);
	tcase_add_test(c, random_ratios);
	tcase_add_test(c, lengths);
	tcase_add_test(c, too_large);
	return test_main(suite);
}
