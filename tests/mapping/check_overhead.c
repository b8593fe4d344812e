/* SPDX-License-Identifier: MIT */
/* What a training costs: the paper's numbers, and wrong calls. */
#include "penstock/mapper.h"
#include "tests/common/common.h"

#include <math.h>

START_TEST(items)
{
	static const struct {
		unsigned cores;
		int items;
	} cases[] = { { 1, 5 }, { 2, 8 }, { 4, 17 }, { 4096, 4098 * 4097 / 2 + 2 } };

	for (unsigned i = 0; i < TEST_COUNT(cases); i++)
		ck_assert_int_eq(pstk_training_items(cases[i].cores), cases[i].items);
	ck_assert_int_eq(pstk_training_items(0), -EINVAL);
	ck_assert_int_eq(pstk_training_items(4097), -EINVAL);
}
END_TEST

/* Section III.B: 0.46 s, 65 items/s, 5 %: "every 3.7 sec"; ViVid HD: 6.47 s, 5.9 items/s, 1.81 times as fast. */
START_TEST(numbers_of_the_paper)
{
	const double cgn[] = { 0.1, 0.1, 0.1, 0.06 };
	struct pstk_training t = { .struct_size = sizeof t,
		.cores = 4,
		.t_cg = 0.05,
		.t_cgn = cgn,
		.t_mg = 0.03,
		.t_g = 0.02,
		.rate = 65 };
	double dt, seconds;

	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	ck_assert_double_eq_tol(dt, 0.46 - 17 / 65.0, 1e-12);
	ck_assert_int_eq(pstk_training_interval(dt, 0.05, &seconds), 0);
	ck_assert_double_eq_tol(seconds, 3.770769230769231, 1e-9);
	ck_assert_int_eq(pstk_training_break_even(dt, 1.3, &seconds), 0);
	ck_assert_double_eq_tol(seconds, 0.86, 1e-9);
	t.t_cg += 6.47 - 0.46;
	t.rate = 5.9;
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	ck_assert_double_eq_tol(dt, 3.58864406779661, 1e-9);
	ck_assert_int_eq(pstk_training_break_even(dt, 1.81, &seconds), 0);
	ck_assert_double_eq_tol(seconds, 8.019068842854153, 1e-9);
}
END_TEST

START_TEST(parts)
{
	const double cgn[] = { 3 };
	struct pstk_training t = {
		.struct_size = sizeof t, .cores = 1, .t_cg = 2, .t_cgn = cgn, .t_mg = 1, .t_g = 4, .rate = 1
	};
	double dt;

	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	ck_assert_double_eq_tol(dt, 10 - 5, 1e-12);
	t.t_mg = 0; /* its item was not there, either */
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	ck_assert_double_eq_tol(dt, 9 - 4, 1e-12);
	t.t_g = 0;
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	ck_assert_double_eq_tol(dt, 5 - 3, 1e-12);
	t.trying = 7;
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	ck_assert_double_eq_tol(dt, 2 + 7, 1e-12);
	t.items = 4;
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	ck_assert_double_eq_tol(dt, 1 + 7, 1e-12);
	t.items = 6; /* the training was faster than what runs: it costs nothing */
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	ck_assert_double_eq_tol(dt, 7, 1e-12);
}
END_TEST

START_TEST(wrong_trainings)
{
	const double wrong[] = { -1, (double)NAN, (double)INFINITY, 1e-13, 1e13 };
	double cgn[] = { 3, 4 }, dt;
	struct pstk_training t = {
		.struct_size = sizeof t, .cores = 2, .t_cg = 2, .t_cgn = cgn, .t_mg = 1, .t_g = 4, .rate = 1
	};
	double *const numbers[] = { &t.t_cg, &cgn[0], &cgn[1], &t.rate, &t.t_mg, &t.t_g, &t.trying };

	ck_assert_int_eq(pstk_training_overhead(&t, &dt), 0);
	for (unsigned k = 0; k < TEST_COUNT(numbers); k++) {
		const double right = *numbers[k];

		for (unsigned i = 0; i < TEST_COUNT(wrong); i++) {
			*numbers[k] = wrong[i];
			if (numbers[k] != &t.trying || i != 3) /* a little is as good as nothing there */
				ck_assert_int_eq(pstk_training_overhead(&t, &dt), -EINVAL);
		}
		*numbers[k] = 0;
		ck_assert_int_eq(pstk_training_overhead(&t, &dt), k < 4 ? -EINVAL : 0);
		*numbers[k] = right;
	}
	ck_assert_int_eq(pstk_training_overhead(NULL, &dt), -EINVAL);
	ck_assert_int_eq(pstk_training_overhead(&t, NULL), -EINVAL);
	t.t_cgn = NULL;
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), -EINVAL);
	t.t_cgn = cgn;
	t.cores = 0;
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), -EINVAL);
	t.cores = 2;
	t.struct_size++;
	ck_assert_int_eq(pstk_training_overhead(&t, &dt), -EINVAL);
}
END_TEST

START_TEST(wrong_numbers)
{
	static const double gains[] = { 1, 0.5, -2, (double)NAN, (double)INFINITY };
	static const double shares[] = { 0, -0.1, 1.1, 1e-13, (double)NAN, (double)INFINITY };
	static const double dts[] = { -1, (double)NAN, (double)INFINITY };
	double s = 77;

	for (unsigned i = 0; i < TEST_COUNT(gains); i++)
		ck_assert_int_eq(pstk_training_break_even(1, gains[i], &s), -EINVAL);
	for (unsigned i = 0; i < TEST_COUNT(shares); i++)
		ck_assert_int_eq(pstk_training_interval(1, shares[i], &s), -EINVAL);
	for (unsigned i = 0; i < TEST_COUNT(dts); i++) {
		ck_assert_int_eq(pstk_training_break_even(dts[i], 2, &s), -EINVAL);
		ck_assert_int_eq(pstk_training_interval(dts[i], 0.5, &s), -EINVAL);
	}
	ck_assert_int_eq(pstk_training_break_even(1, 2, NULL), -EINVAL);
	ck_assert_int_eq(pstk_training_interval(1, 0.5, NULL), -EINVAL);
	ck_assert(s == 77);
	ck_assert_int_eq(pstk_training_interval(1, 1, &s), 0);
	ck_assert(s == 0);
	ck_assert_int_eq(pstk_training_break_even(0, 2, &s), 0);
	ck_assert(s == 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("overhead");
	TCase *c = test_case(suite, "overhead");

	tcase_add_test(c, items);
	tcase_add_test(c, numbers_of_the_paper);
	tcase_add_test(c, parts);
	tcase_add_test(c, wrong_trainings);
	tcase_add_test(c, wrong_numbers);
	return test_main(suite);
}
