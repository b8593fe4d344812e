/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. */
#define main tracking_main
int main(int argc, char **argv);
#include "apps/tracking/tracking.c"
#undef main

#include "actors/common/check_files.h"
#include "apps/common/check_main.h"
#include "tests/common/common.h"

#include <stdlib.h>

static void set_up(void)
{
	unsigned char *pixels = files_random(2 * 24 * 24, 1);

	files_write("in.gray", pixels, 2 * 24 * 24);
	free(pixels);
}

/* The outputs are whole before the figures are written. */
START_TEST(each_allocation_fails)
{
	static const struct main_program program = { "tracking", tracking_main };
#ifdef HAVE_JANSSON
#define STATS "--stats", "stats.json"
	static const char *const files[2][3] = { { "out.txt", "stats.json", NULL },
		{ "out.y4m", "stats.json", NULL } };
#else
#define STATS "--repeat", "1"
	static const char *const files[2][3] = { { "out.txt", NULL }, { "out.y4m", NULL } };
#endif
	static const char *const arguments[2][16] = { { "--input", "in.gray", "--size", "24x24", "--device",
							      "cores", "--features", "20", "--output",
							      "out.txt", STATS, NULL },
		{ "--input", "in.gray", "--size", "24x24", "--device", "cores", "--features-from", "first",
			"--output", "out.y4m", STATS, NULL } };

	main_each_allocation_fails(
		&program, arguments[_i], &(const struct main_outputs){ files[_i], true }, 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracking_memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_checked_fixture(c, set_up, NULL);
	tcase_add_loop_test(c, each_allocation_fails, 0, 2);
	return test_main(suite);
}
