/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. */
#define main srad_main
int main(int argc, char **argv);
#include "apps/srad/srad.c"
#undef main

#include "apps/common/check_staged_program.h"

static const struct {
	const char *arguments[8], *output;
} runs[] = {
	{ { STAGED_IN, "--iterations", "1" }, "out.pgm" },
	{ { STAGED_IN, "--iterations", "5" }, "out.y4m" },
};

START_TEST(each_allocation_fails)
{
	static const struct main_program program = { "srad", srad_main };

	staged_each_allocation_fails(&program, runs[_i].arguments, runs[_i].output);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("srad_memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_checked_fixture(c, staged_set_up, NULL);
	tcase_add_loop_test(c, each_allocation_fails, 0, TEST_COUNT(runs));
	return test_main(suite);
}
