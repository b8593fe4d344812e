/* SPDX-License-Identifier: MIT */
/* Where a granulometry is split: against counting each erosion and dilation, and against the planner. */
#include "config.h"

#include "apps/granulometry/cost.h"
#include "apps/granulometry/measure.h"
#include "apps/granulometry/network.h"
#include "tests/common/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The two actors' work, unit by unit. */
static void count_units(unsigned split, unsigned openings, uint64_t units[2])
{
	units[0] = units[1] = 0;
	for (unsigned n = 1; n <= split; n++)
		units[0] += 1 + n;
	for (unsigned n = 1; n <= openings && split < openings; n++)
		units[1] += 1 + (n > split ? n : 0);
}

START_TEST(counted_units)
{
	for (unsigned openings = 1; openings < 60; openings++)
		for (unsigned split = 1; split <= openings; split++) {
			uint64_t counted[2];

			count_units(split, openings, counted);
			ck_assert_uint_eq(cost_first(split), counted[0]);
			ck_assert_uint_eq(cost_second(split, openings), counted[1]);
		}
	ck_assert_uint_eq(cost_first(65535), 65535 + UINT64_C(65535) * 32768);
}
END_TEST

/* The paper's: 40 openings on two equal devices. */
START_TEST(paper)
{
	const struct cost equal = { 1, 1, false };

	ck_assert_uint_eq(cost_split(&equal, 40), 28);
	ck_assert_uint_eq(cost_first(28), 434);
	ck_assert_uint_eq(cost_second(28, 40), 454);
	ck_assert_double_eq(cost_period(&equal, 28, 40), 454);
}
END_TEST

START_TEST(best_of_all)
{
	struct test_rng rng = { test_seed() };

	for (unsigned i = 0; i < 500; i++) {
		const unsigned openings = test_between(&rng, 1, 80);
		const double first = test_between(&rng, 1, 50), second = test_between(&rng, 1, 50);
		const bool together = test_chance(&rng, 20);
		const struct cost cost = { first, second, together };
		unsigned best = 0;
		double least = INFINITY;

		for (unsigned split = 1; split <= openings; split++) {
			uint64_t units[2];
			double a, b, period;

			count_units(split, openings, units);
			a = first * (double)units[0];
			b = second * (double)units[1];
			period = together ? a + b : fmax(a, b);
			ck_assert_double_eq(cost_period(&cost, split, openings), period);
			if (period < least) {
				least = period;
				best = split;
			}
		}
		ck_assert_uint_eq(cost_split(&cost, openings), best);
	}
	/* one place: what is handed on must be eroded once more */
	ck_assert_uint_eq(cost_split(&(const struct cost){ 1, 1, true }, 40), 40);
	ck_assert_uint_eq(cost_split(&(const struct cost){ 1, 1, false }, 1), 1);
}
END_TEST

/*
 * The planner.
 */

static int never(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static const struct pstk_port outs[] = { { .name = "out",
	.kind = PSTK_OUTPUT,
	.token_type = "u64",
	.rate = 1 } },
			      ins[] = { { .name = "small", .token_type = "u64", .rate = 1 },
				      { .name = "large", .token_type = "u64", .rate = 1 } };

/* Built as the program does; the places are a test's machine, whose devices nothing runs on. */
static struct pstk_plan *plan_split(struct granulometry *g, struct pstk_machine *machine, uint32_t split,
	const struct cost *cost, bool no_overlap)
{
	const struct granulometry_spec spec = { .size = { 512, 512, 1 },
		.openings = 40,
		.split = split,
		.team = { .given = true },
		.source = PSTK_ACTOR_TYPE(.name = "source", .ports = outs, .port_count = 1, .fire = never),
		.sink = PSTK_ACTOR_TYPE(.name = "sink", .ports = ins, .port_count = split < 40 ? 2 : 1,
			.fire = never) };

	ck_assert_int_eq(granulometry_build(g, &spec), 0);
	for (unsigned i = 0; i < pstk_network_actor_count(g->network); i++) {
		struct pstk_actor *a = pstk_network_actor(g->network, i);
		bool small = !strcmp(pstk_actor_name(a), "small"),
		     large = !strcmp(pstk_actor_name(a), "large");
		double ns = small ? cost->first * (double)cost_first(split)
		                  : cost->second * (double)cost_second(split, 40);

		if (!small && !large)
			continue;
		pstk_actor_place(a, small || cost->together ? "c0/g0" : "c0/g1");
		pstk_actor_set_time(a, NULL, (uint64_t)ns);
	}
	return pstk_plan_create(g->network, machine, PSTK_PLAN(.no_overlap = no_overlap));
}

static struct pstk_machine *two_devices(void)
{
	static const char *const devices[] = { "c0/g0", "c0/g1" };
	struct pstk_machine *m = pstk_machine_create();

	ck_assert_int_eq(pstk_machine_add_host(m, "c0", 4, 0), 0);
	ck_assert_int_eq(pstk_machine_add_device(m, "c0", "g0", NULL, 0), 1);
	ck_assert_int_eq(pstk_machine_add_device(m, "c0", "g1", NULL, 0), 2);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(
			pstk_machine_add_link(m,
				&(const struct pstk_link){
					.a = "c0", .b = devices[i], .kind = PSTK_LINK_COPY, .rate = 1e12 }),
			(int)i);
	return m;
}

static double planned(uint32_t split, const struct cost *cost)
{
	struct pstk_machine *machine = two_devices();
	struct pstk_plan_summary summary;
	struct granulometry g;
	struct pstk_plan *plan = plan_split(&g, machine, split, cost, false);

	ck_assert_msg(!pstk_plan_result(plan), "%s", pstk_plan_error(plan));
	ck_assert_int_eq(pstk_plan_get_summary(plan, &summary), 0);
	pstk_plan_destroy(plan);
	granulometry_destroy(&g);
	pstk_machine_destroy(machine);
	return summary.period;
}

START_TEST(as_planned)
{
	static const struct cost costs[] = { { 1000, 1000, false }, { 3000, 1000, false },
		{ 1000, 2500, false }, { 1000, 1000, true } };
	const struct cost *cost = &costs[_i];
	uint32_t best = 0;
	double least = INFINITY;

	for (uint32_t split = 1; split <= 40; split++) {
		double period = planned(split, cost), rule = cost_period(cost, split, 40) / 1e9;

		ck_assert_msg(fabs(period - rule) <= 1e-9 * rule, "split %u: planned %g, rule %g", split,
			period, rule);
		best = period < least ? split : best;
		least = fmin(least, period);
	}
	ck_assert_uint_eq(best, cost_split(cost, 40));
}
END_TEST

/* Extra cycles of the second device: +3 with overlap, +1 or +2 without. */
START_TEST(latency_of_the_second_device)
{
	const struct cost two = { 1000, 1000, false }, one = { 1000, 1000, true };
	uint64_t cycles[2][2]; /* overlap off, on; one device, two */

	for (unsigned i = 0; i < 4; i++) {
		struct pstk_machine *machine = two_devices();
		struct pstk_planned_actor a;
		struct granulometry g;
		struct pstk_plan *plan = plan_split(&g, machine, 28, i & 1 ? &two : &one, i < 2);

		ck_assert_int_eq(pstk_plan_result(plan), 0);
		for (unsigned k = 0; k < 4; k++) {
			ck_assert_int_eq(pstk_plan_get_actor(plan, k, &a), 0);
			if (!strcmp(a.name, "sink"))
				cycles[i / 2][i & 1] = a.latency;
		}
		pstk_plan_destroy(plan);
		granulometry_destroy(&g);
		pstk_machine_destroy(machine);
	}
	ck_assert_uint_eq(cycles[1][1] - cycles[1][0], 3);
	ck_assert_uint_ge(cycles[0][1] - cycles[0][0], 1);
	ck_assert_uint_le(cycles[0][1] - cycles[0][0], 2);
}
END_TEST

START_TEST(gaps)
{
	uint64_t moments[] = { 100, 110, 117, 1000, 1009, 1020 }, two[] = { 5, 12 };

	ck_assert_double_eq(measure_gap(moments, TEST_COUNT(moments)), 10); /* of 7, 9, 10, 11, 883 */
	ck_assert_double_eq(measure_gap(two, 2), 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cost");
	TCase *c = test_case(suite, "cost");

	tcase_add_test(c, counted_units);
	tcase_add_test(c, paper);
	tcase_add_test(c, best_of_all);
	tcase_add_loop_test(c, as_planned, 0, 4);
	tcase_add_test(c, latency_of_the_second_device);
	tcase_add_test(c, gaps);
	return test_main(suite);
}
