/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. */
#define main fm_receiver_main
int main(int argc, char **argv);
#include "apps/fm_receiver/fm_receiver.c"
#undef main

#include "actors/common/check_files.h"
#include "apps/common/check_main.h"
#include "apps/fm_receiver/check_modulator.h"

#include <stdlib.h>

#ifdef HAVE_JANSSON
#define FIGURES , "--stats", "stats.json"
#define FIGURES_FILE , "stats.json"
#else
#define FIGURES
#define FIGURES_FILE
#endif

START_TEST(each_allocation_fails)
{
	const struct modulator m = { .rate = 250000, .tone = 1000, .deviation = 75000 };
	float *samples = modulate(&m, 3000);
	static const struct main_program program = { "fm_receiver", fm_receiver_main };
	static const char *const arguments[] = { "--input", "in.cf32", "--rate", "250000", "--output",
		"out.wav", "--stereo" FIGURES, NULL };
	static const char *const outputs[] = { "out.wav" FIGURES_FILE, NULL };

	files_write("in.cf32", samples, 3000 * 8);
	free(samples);
	main_each_allocation_fails(&program, arguments, &(const struct main_outputs){ outputs, false }, 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fm_receiver_memory");
	TCase *tcase = files_case(suite, "memory");

	tcase_add_test(tcase, each_allocation_fails);
	return test_main(suite);
}
