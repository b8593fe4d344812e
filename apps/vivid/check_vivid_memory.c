/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/vivid/check_run.h"

#include <stdlib.h>
#include <string.h>

static void set_up(void)
{
	unsigned char *pixels = files_random(2 * 16 * 16, 1);

	files_write("in.gray", pixels, 2 * 16 * 16);
	free(pixels);
}

#define ARGUMENTS \
	"--input", "in.gray", "--size", "16x16", "--device", "cores", "--rows", "3", "--output", "out.txt"

START_TEST(each_allocation_fails)
{
#ifdef HAVE_JANSSON
	static const char *const arguments[] = { ARGUMENTS, "--stats", "stats.json", NULL };
	static const char *const files[] = { "out.txt", "stats.json", NULL };
#else
	static const char *const arguments[] = { ARGUMENTS, NULL };
	static const char *const files[] = { "out.txt", NULL };
#endif

	/* the lines are whole before the figures are written */
	main_each_allocation_fails(
		&vivid_program, arguments, &(const struct main_outputs){ files, true }, 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vivid_memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_checked_fixture(c, set_up, NULL);
	tcase_add_test(c, each_allocation_fails);
	return test_main(suite);
}
