/* SPDX-License-Identifier: MIT */
/* What applying a plan does to a network on one host: depths, given and planned, once and again. */
#include "config.h"

#include "penstock/plan.h"
#include "tests/common/common.h"
#include "tests/plan/plan_net.h"

#include <errno.h>
#include <stdio.h>

static struct pstk_plan *plan_of(
	struct pstk_network *net, struct pstk_machine *machine, const struct pstk_plan_options *options)
{
	struct pstk_plan *plan = pstk_plan_create(net, machine, options);

	ck_assert_msg(!pstk_plan_result(plan), "%s", pstk_plan_error(plan));
	return plan;
}

static struct pstk_machine *host_of(unsigned cores)
{
	struct pstk_machine *m = pstk_machine_create();

	ck_assert_int_eq(pstk_machine_add_host(m, "h", cores, 0), 0);
	return m;
}

/* The program gave the second FIFO a depth. */
START_TEST(applying_sets_depths)
{
	struct pstk_machine *m = host_of(1);
	struct pstk_network *net = pstk_network_create("apply");
	struct pstk_actor *x = plan_add_source(net, "x"), *y = plan_add(net, "y", false),
			  *z = plan_add_sink(net, "z");
	struct pstk_fifo *f[2] = { pstk_connect(x, "out", y, "in", PSTK_FIFO(.rate = 1, .token_size = 4)),
		pstk_connect(y, "out", z, "in", PSTK_FIFO(.rate = 1, .token_size = 4, .depth = 5)) };
	struct pstk_plan *plan = plan_of(net, m, NULL);

	ck_assert_int_eq(pstk_plan_apply(net, plan), 0);
	ck_assert_uint_eq(plan_info(f[0]).depth, 1);
	ck_assert_uint_eq(plan_info(f[1]).depth, 5);
	ck_assert_int_eq(pstk_plan_apply(NULL, plan), -EINVAL);
	ck_assert_int_eq(pstk_plan_apply(net, NULL), -EINVAL);
	pstk_network_destroy(net);
	net = pstk_network_create("another");
	ck_assert_int_eq(pstk_plan_apply(net, plan), -EINVAL);
	pstk_plan_destroy(plan);
	pstk_network_destroy(net);
	pstk_machine_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("machine_apply");
	TCase *c = test_case(s, "apply");

	tcase_add_checked_fixture(c, plan_setup, NULL);
	tcase_add_test(c, applying_sets_depths);
	return test_main(s);
}
