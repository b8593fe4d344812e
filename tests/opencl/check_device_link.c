/* SPDX-License-Identifier: MIT */
/* Which places share memory, by what devices say and PENSTOCK_MEMORY. */
#include "penstock/plan.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct pstk_device_info device(const char *selector, bool unified, bool fine)
{
	struct pstk_device_info d = { .unified = unified, .svm_coarse = fine, .svm_fine = fine };

	snprintf(d.selector, sizeof d.selector, "%s", selector);
	return d;
}

static const struct {
	const char *memory;
	bool unified, fine, shares;
} cases[] = {
	{ "", true, true, true },
	{ "", true, false, true },
	{ "", false, true, false },
	{ "", false, false, false },
	{ "copy", true, true, false },
	{ "copy", false, false, false },
	{ "map", true, false, true },
	{ "map", false, true, false },
	{ "svm", false, true, true },
	{ "svm", false, false, false },
};

START_TEST(with_the_host)
{
	struct pstk_device_info d = device("x:gpu:0", cases[_i].unified, cases[_i].fine);
	enum pstk_link_kind kind = PSTK_LINK_NET;

	setenv("PENSTOCK_MEMORY", cases[_i].memory, 1);
	ck_assert_int_eq(pstk_device_link(&d, NULL, &kind), 0);
	ck_assert_int_eq(kind, cases[_i].shares ? PSTK_LINK_SHARED : PSTK_LINK_COPY);
}
END_TEST

START_TEST(of_two_devices)
{
	struct pstk_device_info whole = device("x:cpu:1", true, true),
				first = device("x:cpu:1/1of2", true, true),
				second = device("x:cpu:1/2of2", true, true),
				other = device("x:cpu:10", true, true);
	enum pstk_link_kind kind;

	ck_assert_int_eq(pstk_device_link(&first, &second, &kind), 0);
	ck_assert_int_eq(kind, PSTK_LINK_SHARED);
	ck_assert_int_eq(pstk_device_link(&whole, &second, &kind), 0);
	ck_assert_int_eq(kind, PSTK_LINK_SHARED);
	ck_assert_int_eq(pstk_device_link(&other, &first, &kind), 0);
	ck_assert_int_eq(kind, PSTK_LINK_COPY);
	ck_assert_int_eq(pstk_device_link(NULL, &first, &kind), -EINVAL);
	ck_assert_int_eq(pstk_device_link(&other, &first, NULL), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("device_link");
	TCase *c = test_case(s, "link");

	tcase_add_loop_test(c, with_the_host, 0, TEST_COUNT(cases));
	tcase_add_test(c, of_two_devices);
	return test_main(s);
}
