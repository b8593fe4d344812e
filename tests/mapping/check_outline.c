/* SPDX-License-Identifier: MIT */
/* Outlines against plans that another planner computed (tests/data). */
#include "lib/mapping/outline.h"
#include "lib/base/memory.h"
#include "lib/mapping/selftimed.h"
#include "tests/common/common.h"
#include "tests/mapping/flow_case.h"

#include <errno.h>

static const char *const files[] = { "pacco-piic", "pacco-fig5", "pacco-reconvergent",
	"pacco-saliency-cost" };

START_TEST(vectors_are_met)
{
	for (int overlap = 0; overlap < 2; overlap++) {
		struct flow_case c;
		struct ps_outline o;

		flow_case_open(&c, files[_i]);
		ck_assert_int_eq(ps_outline_make(&o, &c.flow, overlap), 0);
		flow_case_compare(&c, &o);
		ps_outline_fini(&o);
		flow_case_close(&c);
	}
}
END_TEST

/* The slack of the short way makes the difference: 10.9 ms without it, 4 ms with it. */
START_TEST(slack_keeps_the_period)
{
	struct flow_case c;
	struct ps_outline o;
	double period;

	flow_case_open(&c, "pacco-reconvergent");
	ck_assert_int_eq(ps_outline_make(&o, &c.flow, true), 0);
	ck_assert_uint_eq(o.slack[1], 6);
	ck_assert_int_eq(ps_selftimed(&o, true, &period), 0);
	ck_assert_double_eq_tol(period, 0.004, 0.00004);
	o.buffers[o.feeds[1]].depth = 2;
	ck_assert_int_eq(ps_selftimed(&o, true, &period), 0);
	ck_assert_double_eq_tol(period, 0.0109, 0.0001);
	ps_outline_fini(&o);
	flow_case_close(&c);
}
END_TEST

/* One transfer and one kernel in turn: nothing overlaps. */
START_TEST(the_paper_s_overlap)
{
	struct flow_case c;
	struct ps_outline o;
	double on, off;

	flow_case_open(&c, "pacco-piic");
	ck_assert_int_eq(ps_outline_make(&o, &c.flow, true), 0);
	ck_assert_int_eq(ps_selftimed(&o, true, &on), 0);
	ps_outline_fini(&o);
	ck_assert_int_eq(ps_outline_make(&o, &c.flow, false), 0);
	ck_assert_int_eq(ps_selftimed(&o, true, &off), 0);
	ps_outline_fini(&o);
	/* max(a n, Th, Tib); of neighbouring stages with one window each the largest sum, Th + Tib */
	ck_assert_double_eq_tol(on, 16 / 2600.0, 1e-9);
	ck_assert_double_eq_tol(off, 16 / 5000.0 + 16 / 2600.0, 1e-9);
	flow_case_close(&c);
}
END_TEST

START_TEST(memory_may_be_out)
{
	struct flow_case c;
	struct ps_outline o;
	long fail;
	int err = -ENOMEM;
	double period;

	flow_case_open(&c, "pacco-fig5");
	for (fail = 0; err; fail++) {
		ps_memory_fail_at = fail;
		err = ps_outline_make(&o, &c.flow, true);
		if (!err)
			err = ps_selftimed(&o, true, &period);
		ck_assert(!err || err == -ENOMEM);
		ps_outline_fini(&o);
	}
	ps_memory_fail_at = -1;
	ck_assert_int_gt(fail, 30);
	flow_case_close(&c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("outline");
	TCase *c = test_case(s, "vectors");

	tcase_add_loop_test(c, vectors_are_met, 0, TEST_COUNT(files));
	tcase_add_test(c, slack_keeps_the_period);
	tcase_add_test(c, the_paper_s_overlap);
	tcase_add_test(c, memory_may_be_out);
	suite_add_tcase(s, c);
	return test_main(s);
}
