/* SPDX-License-Identifier: MIT */
/* Choices of random pipelines against the oracle, what must hold of them, and wrong calls. */
#include "tests/mapping/mapper_oracle.h"
#include "tests/mapping/pipeline.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

enum { MOST = 12 };

static struct pstk_prediction list[PIPELINE_CONFIGURATIONS];
static struct pstk_candidate all[PIPELINE_CONFIGURATIONS];

static double rate_squared(void *data, double rate, double joules)
{
	++*(unsigned *)data;
	return rate * rate / (isnan(joules) ? 1 : joules);
}

static struct pstk_goal random_goal(struct test_rng *rng, bool has_meter, unsigned count, unsigned *calls)
{
	struct pstk_goal g = { .struct_size = sizeof g, .score = rate_squared, .data = calls };
	const struct pstk_prediction *some = &list[test_between(rng, 0, count - 1)];

	g.objective = has_meter              ? (enum pstk_objective)test_between(rng, 0, 3)
	              : test_chance(rng, 50) ? PSTK_OBJECTIVE_THROUGHPUT
	                                     : PSTK_OBJECTIVE_SCORE;
	if (test_chance(rng, 50))
		g.min_rate = some->rate * (test_chance(rng, 20) ? 10 : 1);
	if (test_chance(rng, 50) && has_meter)
		g.max_watts = some->rate * some->energy / (test_chance(rng, 20) ? 10 : 1);
	return g;
}

static void expect_choice(const struct pstk_goal *g, unsigned count, unsigned wanted, uint64_t seed)
{
	unsigned best[MOST];
	bool met[MOST];
	const int there = pstk_mapper_choose(list, count, g, all, wanted);

	if (wanted > count)
		wanted = count;
	ck_assert_int_eq(there, (int)wanted);
	mapper_oracle_choose(list, count, g, best, met, wanted);
	for (unsigned i = 0; i < wanted; i++) {
		const struct pstk_configuration *c = &all[i].prediction.configuration,
						*d = &list[best[i]].configuration;

		ck_assert_msg(c->mask == d->mask && c->threads == d->threads &&
				      c->medium_grain == d->medium_grain && all[i].met == met[i],
			"seed %" PRIu64 ", candidate %u", seed, i);
		if (all[i].excess > 0)
			ck_assert_int_eq(all[i].met, all[i].excess <= 1 + 1e-9);
	}
}

START_TEST(random_pipelines)
{
	const uint64_t first = test_seed(), rounds = test_rounds(2000);

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { seed };
		struct pipeline p;
		struct pstk_goal g;
		unsigned count, calls = 0;

		test_guard("check_choice", seed);
		pipeline_random(&p, &rng);
		count = pipeline_predict(&p, (enum pstk_mapper_rule)test_between(&rng, 0, 2), list);
		g = random_goal(&rng, p.m.e_cg, count, &calls);
		ck_assert_int_eq(pstk_mapper_choose(list, count, &g, all, 1), 1);
		ck_assert_uint_eq(calls, g.objective == PSTK_OBJECTIVE_SCORE ? count : 0);
		expect_choice(&g, count, test_between(&rng, 1, MOST), seed);
	}
}
END_TEST

static void expect_best(
	const struct pipeline *p, enum pstk_mapper_rule rule, enum pstk_objective objective, const char *text)
{
	const unsigned count = pipeline_predict(p, rule, list);
	char found[PSTK_CONFIGURATION_TEXT];

	ck_assert_int_eq(pstk_mapper_choose(list, count, PSTK_GOAL(.objective = objective), all, 1), 1);
	pstk_configuration_print(&all[0].prediction.configuration, p->m.stages, found, sizeof found);
	ck_assert_str_eq(found, text);
	ck_assert(all[0].met);
	ck_assert(all[0].excess == 0);
}

/* Of what is alike the simplest is taken. */
START_TEST(ties)
{
	struct pipeline p;

	pipeline_make(&p, 3, 4);
	p.m.device_ok = 0;
	/* four and five threads are as fast, and so is medium grain */
	expect_best(&p, PSTK_RULE_CAPACITY, PSTK_OBJECTIVE_THROUGHPUT, "CPU-CG:000:4");
	expect_best(&p, PSTK_RULE_CAPACITY, PSTK_OBJECTIVE_ENERGY, "CPU-CG:000:1");
	/* nothing takes any energy */
	p.m.device_ok = 7;
	for (unsigned k = 0; k < 3; k++)
		p.e_cg1[k] = p.e_g[k] = p.e_mg[k] = (struct pstk_joules){ 0, 0, 0 };
	for (unsigned n = 0; n < 5; n++)
		p.e_cg[n] = (struct pstk_joules){ 0, 0, 0 };
	expect_best(&p, PSTK_RULE_PAPER, PSTK_OBJECTIVE_ENERGY, "CPU-CG:000:1");
	expect_best(&p, PSTK_RULE_PAPER, PSTK_OBJECTIVE_RATIO, "CPU-CG:000:1");
}
END_TEST

/* The same of predictions that differ by rounding only. */
START_TEST(ties_in_order)
{
	list[0] = (struct pstk_prediction){ { 4, 2, false }, 1, NAN, 1 };
	list[1] = (struct pstk_prediction){ { 1, 2, false }, 1 - 1e-12, NAN, 1 };
	list[2] = (struct pstk_prediction){ { 1, 2, true }, 1, NAN, 1 };
	list[3] = (struct pstk_prediction){ { 5, 2, false }, 1 + 1e-12, NAN, 1 };
	list[4] = (struct pstk_prediction){ { 1, 3, false }, 1, NAN, 1 };
	ck_assert_int_eq(pstk_mapper_choose(list, 5, PSTK_GOAL(.min_rate = 1), all, 9), 5);
	for (unsigned i = 0; i < 5; i++) {
		static const struct pstk_configuration order[] = { { 1, 2, false }, { 4, 2, false },
			{ 1, 2, true }, { 5, 2, false }, { 1, 3, false } };
		const struct pstk_configuration *c = &all[i].prediction.configuration;

		ck_assert(all[i].met);
		ck_assert(c->mask == order[i].mask && c->threads == order[i].threads &&
			  c->medium_grain == order[i].medium_grain);
	}
}
END_TEST

/* A device a thousand times slower than a core holds up what is behind its items. */
START_TEST(useless_device)
{
	for (unsigned stages = 1; stages <= 4; stages++)
		for (unsigned cores = 1; cores <= 4; cores++) {
			struct pipeline p;

			pipeline_make(&p, stages, cores);
			for (unsigned k = 0; k < stages; k++)
				p.t_g[k] = 1000;
			p.m.in_flight = 2 * (cores + 1);
			ck_assert_int_eq(
				pstk_mapper_choose(list, pipeline_predict(&p, PSTK_RULE_CAPACITY, list),
					PSTK_GOAL(0), all, 1),
				1);
			ck_assert_uint_eq(all[0].prediction.configuration.mask, 0);
			ck_assert_uint_eq(all[0].prediction.configuration.threads, cores);
		}
}
END_TEST

/* A device that is better in all leaves the cores nothing to save. */
START_TEST(best_device)
{
	struct pipeline p;

	pipeline_make(&p, 3, 2);
	for (unsigned k = 0; k < 3; k++) {
		p.t_g[k] = 0.001;
		p.e_g[k] = (struct pstk_joules){ 0, 0.001, 0 };
	}
	expect_best(&p, PSTK_RULE_PAPER, PSTK_OBJECTIVE_ENERGY, "DP-CG:111:1");
	expect_best(&p, PSTK_RULE_CAPACITY, PSTK_OBJECTIVE_ENERGY, "DP-CG:111:1");
	expect_best(&p, PSTK_RULE_CAPACITY, PSTK_OBJECTIVE_THROUGHPUT, "DP-CG:111:3");
}
END_TEST

START_TEST(limits)
{
	static const struct pstk_prediction four[] = { { { 0, 1, false }, 10, 1, 0 },
		{ { 0, 2, false }, 20, 3, 0 }, { { 1, 1, false }, 30, 2, 1 }, { { 1, 2, false }, 40, 5, 1 } };
	struct pstk_candidate c[4];

	/* the least energy of those that are fast enough */
	ck_assert_int_eq(pstk_mapper_choose(four, 4,
				 PSTK_GOAL(.objective = PSTK_OBJECTIVE_ENERGY, .min_rate = 15), c, 4),
		4);
	ck_assert(c[0].prediction.rate == 30 && c[0].met);
	ck_assert(c[1].prediction.rate == 20 && c[1].met);
	ck_assert(c[2].prediction.rate == 40 && c[2].met);
	ck_assert(c[3].prediction.rate == 10 && !c[3].met && c[3].excess == 1.5 && c[3].score == -1);
	/* the fastest of those that take 10, 60, 60, 200 W */
	ck_assert_int_eq(pstk_mapper_choose(four, 4, PSTK_GOAL(.max_watts = 100), c, 4), 4);
	ck_assert(c[0].prediction.rate == 30 && c[0].met && c[0].score == 30);
	ck_assert(c[3].prediction.rate == 40 && !c[3].met && c[3].excess == 2);
	/* none does: the nearest */
	ck_assert_int_eq(pstk_mapper_choose(four, 4, PSTK_GOAL(.max_watts = 5), c, 2), 2);
	ck_assert(c[0].prediction.rate == 10 && !c[0].met);
	ck_assert(c[1].prediction.rate == 30 && !c[1].met); /* 60 W as the other, but faster */
	ck_assert_int_eq(pstk_mapper_choose(four, 4,
				 PSTK_GOAL(.objective = PSTK_OBJECTIVE_ENERGY, .min_rate = 50), c, 2),
		2);
	ck_assert(c[0].prediction.rate == 40 && !c[0].met && c[0].excess == 1.25);
	/* both: the one that is the least beyond */
	ck_assert_int_eq(pstk_mapper_choose(four, 4, PSTK_GOAL(.min_rate = 40, .max_watts = 50), c, 1), 1);
	ck_assert(c[0].prediction.rate == 30 && !c[0].met);
}
END_TEST

static double constant(void *data, double rate, double joules)
{
	(void)rate, (void)joules;
	return *(const double *)data;
}

START_TEST(scores)
{
	double value = (double)NAN;
	struct pstk_goal g = {
		.struct_size = sizeof g, .objective = PSTK_OBJECTIVE_SCORE, .score = constant, .data = &value
	};
	struct pipeline p;
	unsigned count;

	pipeline_make(&p, 2, 2);
	p.m.e_cg1 = p.m.e_cg = p.m.e_g = p.m.e_mg = NULL;
	count = pipeline_predict(&p, PSTK_RULE_CAPACITY, list);
	ck_assert_int_eq(pstk_mapper_choose(list, count, &g, all, 1), -EDOM);
	for (unsigned i = 0; i < 3; i++) {
		value = i == 0 ? (double)INFINITY : i == 1 ? -(double)INFINITY : -2;
		ck_assert_int_eq(pstk_mapper_choose(list, count, &g, all, 1), 1);
		ck_assert_uint_eq(all[0].prediction.configuration.mask, 0);
		ck_assert_uint_eq(all[0].prediction.configuration.threads, 1);
	}
}
END_TEST

START_TEST(wrong_calls)
{
	const double wrong[] = { -1, (double)NAN, (double)INFINITY };
	struct pstk_goal g = { .struct_size = sizeof g };
	struct pipeline p;
	unsigned count;

	pipeline_make(&p, 2, 2);
	count = pipeline_predict(&p, PSTK_RULE_CAPACITY, list);
	ck_assert_int_eq(pstk_mapper_choose(list, count, &g, all, 1), 1);
	ck_assert_int_eq(pstk_mapper_choose(NULL, count, &g, all, 1), -EINVAL);
	ck_assert_int_eq(pstk_mapper_choose(list, 0, &g, all, 1), -EINVAL);
	ck_assert_int_eq(pstk_mapper_choose(list, (unsigned)INT_MAX + 1, &g, all, 1), -EINVAL);
	ck_assert_int_eq(pstk_mapper_choose(list, count, NULL, all, 1), -EINVAL);
	ck_assert_int_eq(pstk_mapper_choose(list, count, &g, NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_mapper_choose(list, count, &g, all, 0), -EINVAL);
	ck_assert_int_eq(pstk_mapper_choose(list, count, &g, all, (unsigned)INT_MAX + 1), -EINVAL);
	for (unsigned i = 0; i < TEST_COUNT(wrong); i++) {
		ck_assert_int_eq(
			pstk_mapper_choose(list, count, PSTK_GOAL(.min_rate = wrong[i]), all, 1), -EINVAL);
		ck_assert_int_eq(
			pstk_mapper_choose(list, count, PSTK_GOAL(.max_watts = wrong[i]), all, 1), -EINVAL);
	}
	ck_assert_int_eq(
		pstk_mapper_choose(list, count, PSTK_GOAL(.objective = (enum pstk_objective)4), all, 1),
		-EINVAL);
	ck_assert_int_eq(
		pstk_mapper_choose(list, count, PSTK_GOAL(.objective = PSTK_OBJECTIVE_SCORE), all, 1),
		-EINVAL);
	g.struct_size--;
	ck_assert_int_eq(pstk_mapper_choose(list, count, &g, all, 1), -EINVAL);
	p.m.e_cg1 = p.m.e_cg = p.m.e_g = p.m.e_mg = NULL;
	count = pipeline_predict(&p, PSTK_RULE_CAPACITY, list);
	ck_assert_int_eq(pstk_mapper_choose(list, count, PSTK_GOAL(.min_rate = 1), all, 1), 1);
	ck_assert_int_eq(pstk_mapper_choose(list, count, PSTK_GOAL(.max_watts = 1), all, 1), -ENODATA);
	ck_assert_int_eq(
		pstk_mapper_choose(list, count, PSTK_GOAL(.objective = PSTK_OBJECTIVE_ENERGY), all, 1),
		-ENODATA);
	ck_assert_int_eq(
		pstk_mapper_choose(list, count, PSTK_GOAL(.objective = PSTK_OBJECTIVE_RATIO), all, 1),
		-ENODATA);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("choice");
	TCase *c = test_case(suite, "choice");

	tcase_add_test(c, random_pipelines);
	tcase_add_test(c, ties);
	tcase_add_test(c, ties_in_order);
	tcase_add_test(c, useless_device);
	tcase_add_test(c, best_device);
	tcase_add_test(c, limits);
	tcase_add_test(c, scores);
	tcase_add_test(c, wrong_calls);
	return test_main(suite);
}
