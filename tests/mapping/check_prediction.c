/* SPDX-License-Identifier: MIT */
/* Predictions of random pipelines against the oracle, what must hold of them, and wrong calls. */
#include "tests/mapping/mapper_oracle.h"
#include "tests/mapping/pipeline.h"

#include <inttypes.h>
#include <math.h>

static const enum pstk_mapper_rule rules[] = { PSTK_RULE_CAPACITY, PSTK_RULE_BOUNDED, PSTK_RULE_PAPER };

static struct pstk_prediction found[PIPELINE_CONFIGURATIONS], wanted[PIPELINE_CONFIGURATIONS];

static bool is_near(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(b);
}

static bool is_same(const struct pstk_prediction *a, const struct pstk_prediction *b)
{
	return a->configuration.mask == b->configuration.mask &&
	       a->configuration.threads == b->configuration.threads &&
	       a->configuration.medium_grain == b->configuration.medium_grain && is_near(a->rate, b->rate) &&
	       is_near(a->energy, b->energy) && fabs(a->device_share - b->device_share) <= 1e-9;
}

static void expect_all(const struct pipeline *p, uint64_t seed)
{
	for (unsigned r = 0; r < TEST_COUNT(rules); r++) {
		const unsigned count = pipeline_predict(p, rules[r], found);

		ck_assert_uint_eq(count, mapper_oracle_predict(&p->m, rules[r], wanted));
		for (unsigned i = 0; i < count; i++) {
			struct pstk_prediction one;

			ck_assert_msg(is_same(&found[i], &wanted[i]),
				"seed %" PRIu64 ", rule %u, number %u: %g %g %g, expected %g %g %g", seed, r,
				i, found[i].rate, found[i].energy, found[i].device_share, wanted[i].rate,
				wanted[i].energy, wanted[i].device_share);
			ck_assert(found[i].rate > 0 && isfinite(found[i].rate));
			ck_assert(found[i].device_share >= 0 && found[i].device_share <= 1);
			ck_assert_int_eq(
				pstk_mapper_predict(&p->m, rules[r], &found[i].configuration, &one), 0);
			ck_assert(is_same(&one, &found[i]));
		}
	}
}

START_TEST(random_pipelines)
{
	const uint64_t first = test_seed(), rounds = test_rounds(2000);

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { seed };
		struct pipeline p;

		test_guard("check_prediction", seed);
		pipeline_random(&p, &rng);
		expect_all(&p, seed);
	}
}
END_TEST

/* Rates go with 1 / time, energies stay. */
START_TEST(times_are_scaled)
{
	for (uint64_t seed = 1; seed <= test_rounds(200); seed++) {
		struct test_rng rng = { seed };
		struct pipeline p, q;
		const double k = 4;

		pipeline_random(&p, &rng);
		p.m.tdp = 0;
		q = p;
		pipeline_link(&q);
		for (unsigned i = 0; i < PSTK_MAPPER_STAGES; i++) {
			q.t_cg1[i] *= k;
			q.t_g[i] *= k;
			q.t_mg[i] *= k;
		}
		for (unsigned i = 0; i <= PIPELINE_CORES; i++)
			q.t_cg[i] *= k;
		for (unsigned i = 0; i <= PSTK_MAPPER_STAGES; i++) {
			q.h2d[i] *= k;
			q.d2h[i] *= k;
		}
		for (unsigned r = 0; r < TEST_COUNT(rules); r++) {
			const unsigned count = pipeline_predict(&p, rules[r], wanted);

			ck_assert_uint_eq(count, pipeline_predict(&q, rules[r], found));
			for (unsigned i = 0; i < count; i++) {
				wanted[i].rate /= k;
				ck_assert(is_same(&found[i], &wanted[i]));
			}
		}
	}
}
END_TEST

static double rate_of(const struct pipeline *p, enum pstk_mapper_rule rule, const char *text)
{
	const struct pstk_configuration c = pipeline_configuration(p, text);
	struct pstk_prediction one;

	ck_assert_int_eq(pstk_mapper_predict(&p->m, rule, &c, &one), 0);
	return one.rate;
}

/* Two stages of 1 s on a core and 0.5 s on the device, two cores; by hand. */
START_TEST(by_hand)
{
	struct pipeline p;

	pipeline_make(&p, 2, 2);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_PAPER, "CG:00:1"), 0.5, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_PAPER, "CG:00:3"), 1, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_PAPER, "MG:00"), 1, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_PAPER, "CG:11:1"), 1, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_PAPER, "CG:11:3"), 2, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_PAPER, "MG:11"), 2, 1e-12);
	/* one thread does both parts in turn: the paper's min() takes them for two */
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_PAPER, "CG:10:1"), 1, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_BOUNDED, "CG:10:1"), 1 / 1.5, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "CG:10:1"), 1 / 1.5, 1e-12);
	/* three threads: the device path needs 1 s of a core an item, and two cores are there */
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_BOUNDED, "CG:10:3"), 1 + 0.5, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "CG:10:3"), 2, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "MG:10"), 2, 1e-12);
	/* two runs on one device */
	pipeline_make(&p, 3, 2);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_PAPER, "MG:101"), 2, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_BOUNDED, "MG:101"), 1, 1e-12);
	/* what is moved: in front of stages 1 and 3, behind 1 and 3 */
	p.m.h2d = p.h2d;
	p.m.d2h = p.d2h;
	for (unsigned k = 0; k <= 3; k++) {
		p.h2d[k] = 0.01 * (1 << k);
		p.d2h[k] = 0.1 * (1 << k);
	}
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_BOUNDED, "MG:101"), 1 / (1 + 0.05 + 1.0), 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_BOUNDED, "CG:111:1"), 1 / (1.5 + 0.01 + 0.8), 1e-12);
}
END_TEST

/* A bound on items in flight counts the slowest path, and that of a CPU path only where items take it. */
START_TEST(in_flight)
{
	struct pipeline p;

	pipeline_make(&p, 2, 2);
	p.m.in_flight = 1;
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "CG:00:2"), 0.5, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "CG:11:1"), 1, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "CG:11:2"), 0.5, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "MG:11"), 1, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "CG:10:2"), 0.5, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "MG:10"), 1, 1e-12);
	p.t_g[0] = p.t_g[1] = 100;
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "MG:11"), 1.0 / 200, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_CAPACITY, "CG:11:3"), 1.0 / 200, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_PAPER, "CG:11:3"), 1 + 1.0 / 200, 1e-12);
	ck_assert_double_eq_tol(rate_of(&p, PSTK_RULE_BOUNDED, "CG:11:3"), 1 + 1.0 / 200, 1e-12);
}
END_TEST

/* The chip takes no more than its TDP. */
START_TEST(tdp)
{
	struct pipeline p;

	pipeline_make(&p, 2, 2);
	p.m.tdp = 3;
	for (unsigned r = 0; r < TEST_COUNT(rules); r++) {
		const unsigned count = pipeline_predict(&p, rules[r], found);

		for (unsigned i = 0; i < count; i++)
			ck_assert_double_le(found[i].rate * found[i].energy, 3 * (1 + 1e-12));
	}
}
END_TEST

START_TEST(one_stage_on_one_core)
{
	struct pipeline p;
	unsigned count;

	pipeline_make(&p, 1, 1);
	count = pipeline_predict(&p, PSTK_RULE_CAPACITY, found);
	ck_assert_uint_eq(count, 6);
	expect_all(&p, 0);
	ck_assert_double_eq_tol(found[3].rate, 2, 1e-12); /* DP-CG:1:1 */
	ck_assert_double_eq_tol(found[4].rate, 3, 1e-12); /* DP-CG:1:2 */
	ck_assert(found[0].energy > 0);
	p.m.e_cg1 = p.m.e_cg = p.m.e_g = p.m.e_mg = NULL;
	pipeline_predict(&p, PSTK_RULE_CAPACITY, found);
	ck_assert(isnan(found[0].energy));
}
END_TEST

/* 2^16 masks; one list more than there is room for. */
START_TEST(many_stages)
{
	struct pipeline p;

	pipeline_make(&p, 16, 8);
	ck_assert_int_eq(pstk_mapper_count(&p.m), 65536 * 10);
	ck_assert_int_eq(
		pstk_mapper_predict_all(&p.m, PSTK_RULE_PAPER, found, PIPELINE_CONFIGURATIONS), -ENOSPC);
	p.m.device_must = 0xffe0;
	ck_assert_int_eq(pstk_mapper_count(&p.m), 320);
	ck_assert_int_eq(pstk_mapper_predict_all(&p.m, PSTK_RULE_PAPER, found, 319), -ENOSPC);
	ck_assert_int_eq(pstk_mapper_predict_all(&p.m, PSTK_RULE_PAPER, found, 320), 320);
	expect_all(&p, 0);
}
END_TEST

START_TEST(wrong_calls)
{
	static const struct pstk_configuration wrong[] = { { 8, 1, false }, { 0, 0, false }, { 0, 4, false },
		{ 0, 2, true }, { 0, 4, true } };
	const struct pstk_configuration good = { 7, 3, true };
	struct pipeline p;

	pipeline_make(&p, 3, 2);
	ck_assert_int_eq(pstk_mapper_predict(&p.m, PSTK_RULE_PAPER, &good, found), 0);
	ck_assert_int_eq(pstk_mapper_predict(NULL, PSTK_RULE_PAPER, &good, found), -EINVAL);
	ck_assert_int_eq(pstk_mapper_predict(&p.m, PSTK_RULE_PAPER, NULL, found), -EINVAL);
	ck_assert_int_eq(pstk_mapper_predict(&p.m, PSTK_RULE_PAPER, &good, NULL), -EINVAL);
	ck_assert_int_eq(pstk_mapper_predict(&p.m, (enum pstk_mapper_rule)3, &good, found), -EINVAL);
	for (unsigned i = 0; i < TEST_COUNT(wrong); i++)
		ck_assert_int_eq(pstk_mapper_predict(&p.m, PSTK_RULE_PAPER, &wrong[i], found), -EINVAL);
	p.m.device_ok = 3;
	ck_assert_int_eq(pstk_mapper_predict(&p.m, PSTK_RULE_PAPER, &good, found), -ENOENT);
	p.m.device_ok = 7;
	p.m.medium_grain = false;
	ck_assert_int_eq(pstk_mapper_predict(&p.m, PSTK_RULE_PAPER, &good, found), -ENOENT);
	p.m.device_must = 1;
	ck_assert_int_eq(pstk_mapper_predict(
				 &p.m, PSTK_RULE_PAPER, &(struct pstk_configuration){ 2, 1, false }, found),
		-ENOENT);
	ck_assert_int_eq(pstk_mapper_predict_all(&p.m, PSTK_RULE_PAPER, NULL, 100), -EINVAL);
	ck_assert_int_eq(pstk_mapper_predict_all(NULL, PSTK_RULE_PAPER, found, 100), -EINVAL);
	ck_assert_int_eq(pstk_mapper_predict_all(&p.m, (enum pstk_mapper_rule)3, found, 100), -EINVAL);
	ck_assert_int_eq(pstk_mapper_predict_all(&p.m, PSTK_RULE_PAPER, found, 0), -ENOSPC);
	ck_assert_int_eq(pstk_mapper_count(NULL), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("prediction");
	TCase *c = test_case(suite, "prediction");

	tcase_add_test(c, random_pipelines);
	tcase_add_test(c, times_are_scaled);
	tcase_add_test(c, by_hand);
	tcase_add_test(c, in_flight);
	tcase_add_test(c, tdp);
	tcase_add_test(c, one_stage_on_one_core);
	tcase_add_test(c, many_stages);
	tcase_add_test(c, wrong_calls);
	return test_main(suite);
}
