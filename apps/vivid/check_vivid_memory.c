/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. */
#include "apps/common/check_staged_program.h"
#include "apps/vivid/check_run.h"

START_TEST(each_allocation_fails)
{
	static const char *const arguments[] = { STAGED_IN, "--rows", "3", NULL };

	staged_each_allocation_fails(&vivid_program, arguments, "out.txt");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vivid_memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_checked_fixture(c, staged_set_up, NULL);
	tcase_add_test(c, each_allocation_fails);
	return test_main(suite);
}
