/* SPDX-License-Identifier: MIT */
/* Measurements that are wrong are refused, with the name of the value. */
#include "tests/mapping/pipeline.h"

#include <math.h>

static void is_refused(const struct pipeline *p, const char *said)
{
	static struct pstk_prediction list[PIPELINE_CONFIGURATIONS];
	const struct pstk_configuration c = { 0, 1, false };
	char text[256] = "";

	ck_assert_int_eq(pstk_measurements_check(&p->m, text, sizeof text), -EINVAL);
	TEST_SAYS(text, said);
	ck_assert_int_eq(pstk_measurements_check(&p->m, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_mapper_count(&p->m), -EINVAL);
	ck_assert_int_eq(pstk_mapper_predict(&p->m, PSTK_RULE_PAPER, &c, list), -EINVAL);
	ck_assert_int_eq(
		pstk_mapper_predict_all(&p->m, PSTK_RULE_PAPER, list, PIPELINE_CONFIGURATIONS), -EINVAL);
}

static void is_taken(const struct pipeline *p)
{
	char text[256] = "";

	ck_assert_msg(!pstk_measurements_check(&p->m, text, sizeof text), "%s", text);
}

START_TEST(numbers)
{
	struct pipeline p;

	pipeline_make(&p, 3, 2);
	is_taken(&p);
	p.m.stages = 0;
	is_refused(&p, "s is 0, expected 1 to 16 stages");
	p.m.stages = 17;
	is_refused(&p, "s is 17, expected 1 to 16 stages");
	p.m.stages = 3;
	p.m.cores = 0;
	is_refused(&p, "nC is 0, expected 1 to 4096 cores");
	p.m.cores = 4097;
	is_refused(&p, "nC is 4097, expected 1 to 4096 cores");
	p.m.cores = 2;
	p.m.device_ok = 8;
	is_refused(&p, "device_ok has a stage behind stage 3, the last one");
	p.m.device_ok = 5;
	p.m.device_must = 2;
	is_refused(&p, "device_must has a stage that device_ok has not");
	p.m.device_must = 4;
	is_taken(&p);
	for (unsigned i = 0; i < 3; i++) {
		p.m.tdp = i == 0 ? -1 : i == 1 ? (double)NAN : 1e13;
		is_refused(&p, "TDP is ");
	}
	p.m.tdp = 1;
	p.m.struct_size--;
	is_refused(&p, "there are no measurements, or they are of another library");
	ck_assert_int_eq(pstk_measurements_check(NULL, NULL, 0), -EINVAL);
}
END_TEST

/* Wrong in each entry, one after the other. */
static void times_are_checked(struct pipeline *p, double *times, unsigned count, const char *name, bool zero)
{
	const double wrong[] = { -1, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e13, -1e-300, 0,
		1e-13 };

	for (unsigned k = 0; k < count; k++)
		for (unsigned i = 0; i < TEST_COUNT(wrong) - (zero ? 2 : 0); i++) {
			const double right = times[k];
			char said[64];

			times[k] = wrong[i];
			snprintf(said, sizeof said, "%s: value %u of %u is ", name, k + 1, count);
			is_refused(p, said);
			times[k] = right;
		}
	is_taken(p);
}

START_TEST(times)
{
	struct pipeline p;

	pipeline_make(&p, 3, 2);
	p.m.h2d = p.h2d;
	p.m.d2h = p.d2h;
	is_taken(&p);
	times_are_checked(&p, p.t_cg1, 3, "T_CG1", false);
	times_are_checked(&p, p.t_cg, 3, "T_CG", false);
	times_are_checked(&p, p.t_g, 3, "T_G", false);
	times_are_checked(&p, p.t_mg, 3, "T_MG", false);
	times_are_checked(&p, p.h2d, 4, "h2d", true);
	times_are_checked(&p, p.d2h, 4, "d2h", true);
	p.t_cg[1] = -2;
	is_refused(&p, "T_CG: value 2 of 3 is -2, expected a time in s from 1e-12 to 1e+12");
}
END_TEST

static void joules_are_checked(
	struct pipeline *p, struct pstk_joules *joules, unsigned count, const char *name)
{
	static const char *const parts[] = { "cores", "device", "rest" };
	const double wrong[] = { -1, (double)NAN, (double)INFINITY, 1e13 };

	for (unsigned k = 0; k < count; k++)
		for (unsigned part = 0; part < 3; part++)
			for (unsigned i = 0; i < TEST_COUNT(wrong); i++) {
				const struct pstk_joules right = joules[k];
				char said[64];

				*(part == 0         ? &joules[k].cores
					: part == 1 ? &joules[k].device
						    : &joules[k].rest) = wrong[i];
				snprintf(said, sizeof said, "%s: value %u of %u, %s, is ", name, k + 1, count,
					parts[part]);
				is_refused(p, said);
				joules[k] = right;
			}
	joules[0] = (struct pstk_joules){ 0, 0, 0 };
	is_taken(p);
}

START_TEST(energies)
{
	struct pipeline p;

	pipeline_make(&p, 3, 2);
	joules_are_checked(&p, p.e_cg1, 3, "E_CG1");
	joules_are_checked(&p, p.e_cg, 3, "E_CG");
	joules_are_checked(&p, p.e_g, 3, "E_G");
	joules_are_checked(&p, p.e_mg, 3, "E_MG");
}
END_TEST

START_TEST(arrays_that_lack)
{
	struct pipeline p;

	pipeline_make(&p, 3, 2);
	p.m.t_cg1 = NULL;
	is_refused(&p, "T_CG1 is missing, expected 3 times in s");
	pipeline_make(&p, 3, 1);
	p.m.t_cg = NULL;
	is_refused(&p, "T_CG is missing, expected 2 times in s");
	pipeline_make(&p, 3, 2);
	p.m.t_g = NULL;
	is_refused(&p, "T_G is missing, expected 3 times in s");
	pipeline_make(&p, 1, 2);
	p.m.t_mg = NULL;
	is_refused(&p, "T_MG is missing, expected 1 time in s");
	pipeline_make(&p, 3, 2);
	p.m.e_cg1 = NULL;
	is_refused(&p, "E_CG1 is missing: other energies are there, expected all or none");
	pipeline_make(&p, 3, 2);
	p.m.e_cg = NULL;
	is_refused(&p, "E_CG is missing");
	pipeline_make(&p, 3, 2);
	p.m.e_g = NULL;
	is_refused(&p, "E_G is missing");
	pipeline_make(&p, 3, 2);
	p.m.e_mg = NULL;
	is_refused(&p, "E_MG is missing");
	p.m.e_cg1 = p.m.e_cg = p.m.e_g = NULL;
	is_taken(&p);
}
END_TEST

/* What no configuration needs may be anything. */
START_TEST(what_is_not_needed)
{
	struct pipeline p;

	pipeline_make(&p, 3, 2);
	p.m.device_ok = 5;
	p.t_g[1] = (double)NAN;
	p.e_g[1].device = -1;
	is_taken(&p);
	ck_assert_int_eq(pstk_mapper_count(&p.m), 4 * 4);
	p.m.device_ok = 0;
	p.m.t_g = NULL;
	p.m.e_g = NULL;
	p.m.h2d = p.h2d;
	p.h2d[0] = -1;
	is_taken(&p);
	ck_assert_int_eq(pstk_mapper_count(&p.m), 4);
	p.m.medium_grain = false;
	p.m.t_mg = NULL;
	p.m.e_mg = NULL;
	is_taken(&p);
	ck_assert_int_eq(pstk_mapper_count(&p.m), 3);
	p.m.e_cg = NULL;
	is_refused(&p, "E_CG is missing");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("measurements");
	TCase *c = test_case(suite, "measurements");

	tcase_add_test(c, numbers);
	tcase_add_test(c, times);
	tcase_add_test(c, energies);
	tcase_add_test(c, arrays_that_lack);
	tcase_add_test(c, what_is_not_needed);
	return test_main(suite);
}
