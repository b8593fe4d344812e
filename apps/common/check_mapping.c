/* SPDX-License-Identifier: MIT */
/* Which device a pipeline gets without --device; what options mean. Wrong ones are in the programs' tests. */
#include "config.h"

#include "apps/common/app.h"
#include "apps/common/mapping.h"
#include "tests/common/common.h"
#ifdef HAVE_OPENCL
#include "tests/fake_cl/fake_cl.h"
#endif

const char app_name[] = "check";

#ifdef HAVE_OPENCL
START_TEST(the_only_device)
{
	static const struct {
		const char *settings;
		int status;
		const char *device;
	} cases[] = { { "devices=0", 0, NULL }, { "devices=1", 0, "pstk:gpu:0" },
		{ "devices=2", EXIT_DEVICE, NULL } };
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, cases[_i].settings, NULL);
	struct mapping m;

	ck_assert_ptr_nonnull(fake);
	fake->reset();
	ck_assert_int_eq(fake->configure(cases[_i].settings), 0);
	mapping_init(&m);
	ck_assert_int_eq(mapping_find(&m), cases[_i].status);
	if (cases[_i].device)
		ck_assert_str_eq(m.spec.device, cases[_i].device);
	else
		ck_assert_ptr_null(m.spec.device);
	ck_assert_int_eq(mapping_take(&m, OPT_MAPPING_DEVICE, "cores"), 0);
	ck_assert_int_eq(mapping_find(&m), 0);
	ck_assert_ptr_null(m.spec.device);
}
END_TEST
#endif

START_TEST(values)
{
	struct mapping m;

	mapping_init(&m);
	ck_assert_int_eq(mapping_take(&m, OPT_MAX_OVERHEAD, "0"), 0);
	ck_assert(m.spec.once && m.spec.max_overhead == 0);
	ck_assert_int_eq(mapping_take(&m, OPT_MAX_OVERHEAD, "0.25"), 0);
	ck_assert(!m.spec.once && m.spec.max_overhead == 0.25);
	ck_assert_int_eq(mapping_take(&m, OPT_PIPELINE, "MG:000"), 0);
	ck_assert_str_eq(m.spec.configuration, "MG:000");
	ck_assert_int_eq(mapping_take(&m, OPT_PIPELINE, "adaptive"), 0);
	ck_assert_ptr_null(m.spec.configuration);
	ck_assert_int_eq(mapping_take(&m, OPT_OBJECTIVE, "ratio"), 0);
	ck_assert_int_eq(m.spec.objective, PSTK_OBJECTIVE_RATIO);
	ck_assert_int_eq(mapping_take(&m, OPT_RULE, "bounded"), 0);
	ck_assert_int_eq(m.spec.rule, PSTK_RULE_BOUNDED);
	ck_assert_int_eq(mapping_take(&m, OPT_MAX_WATTS, "12.5"), 0);
	ck_assert(m.spec.max_watts == 12.5);
	ck_assert_int_eq(mapping_take(&m, 'x', "1"), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mapping");
	TCase *c = test_case(suite, "mapping");

#ifdef HAVE_OPENCL
	tcase_add_loop_test(c, the_only_device, 0, 3);
#endif
	tcase_add_test(c, values);
	return test_main(suite);
}
