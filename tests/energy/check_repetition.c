/* SPDX-License-Identifier: MIT */
/* Repetition: counts and shares by hand. */
#include "lib/energy/repetition.h"
#include "tests/common/common.h"

#include <math.h>

START_TEST(how_often)
{
	static const struct {
		double seconds;
		unsigned times;
	} cases[] = {
		{ 1, 1 },
		{ 0.020, 1 },
		{ 0.0199, 3 }, /* twice is not 50 ms */
		{ 0.017, 3 },
		{ 0.015625, 4 },
		{ 0.0125, 4 }, /* 50 ms exactly */
		{ 0.001, 50 },
		{ 0.0011, 46 },
		{ 1.0 / 1048576, 52429 },
		{ 5.1e-7, 98040 },
		{ 1e-9, PS_ENERGY_REPETITIONS },
		{ 0, PS_ENERGY_REPETITIONS },
		{ -1, PS_ENERGY_REPETITIONS },
		{ (double)NAN, PS_ENERGY_REPETITIONS },
		{ (double)INFINITY, 1 },
	};

	for (unsigned i = 0; i < TEST_COUNT(cases); i++)
		ck_assert_uint_eq(ps_energy_repetitions(cases[i].seconds), cases[i].times);
}
END_TEST

START_TEST(shares)
{
	static const double seconds[] = { 0.003, 0, 0.001 };
	const struct pstk_joules total = { 8, 4, 2 };
	struct pstk_joules stages[3];

	ck_assert_int_eq(ps_energy_split(&total, 2, seconds, 3, stages), 0);
	ck_assert_double_eq_tol(stages[0].cores, 3, 1e-12);
	ck_assert_double_eq_tol(stages[0].device, 1.5, 1e-12);
	ck_assert_double_eq_tol(stages[0].rest, 0.75, 1e-12);
	ck_assert_double_eq(stages[1].cores, 0);
	ck_assert_double_eq_tol(stages[2].cores, 1, 1e-12);
	ck_assert_double_eq_tol(stages[2].device, 0.5, 1e-12);
	ck_assert_double_eq_tol(stages[2].rest, 0.25, 1e-12);
}
END_TEST

START_TEST(what_is_refused)
{
	static const double zeros[] = { 0, 0 }, negative[] = { 2, -1 }, unknown[] = { 1, (double)NAN },
			    endless[] = { 1, (double)INFINITY }, vast[] = { 1e308, 1e308 }, fine[] = { 1, 2 };
	const struct pstk_joules total = { 8, 4, 2 };
	struct pstk_joules stages[2] = { { .cores = 5 } };

	ck_assert_int_eq(ps_energy_split(&total, 1, zeros, 2, stages), -EINVAL);
	ck_assert_int_eq(ps_energy_split(&total, 1, negative, 2, stages), -EINVAL);
	ck_assert_int_eq(ps_energy_split(&total, 1, unknown, 2, stages), -EINVAL);
	ck_assert_int_eq(ps_energy_split(&total, 1, endless, 2, stages), -EINVAL);
	ck_assert_int_eq(ps_energy_split(&total, 1, vast, 2, stages), -EINVAL);
	ck_assert_int_eq(ps_energy_split(&total, 0, fine, 2, stages), -EINVAL);
	ck_assert_int_eq(ps_energy_split(&total, 1, fine, 0, stages), -EINVAL);
	ck_assert_double_eq(stages[0].cores, 5);
	ck_assert_int_eq(ps_energy_split(&total, 1, fine, 2, stages), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("repetition");
	TCase *c = test_case(s, "repetition");

	tcase_add_test(c, how_often);
	tcase_add_test(c, shares);
	tcase_add_test(c, what_is_refused);
	return test_main(s);
}
