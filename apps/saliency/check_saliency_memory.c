/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. It runs inside of this
 * one. */
#define main saliency_main
int main(int argc, char **argv);
#include "apps/saliency/saliency.c"
#undef main

#include "actors/common/check_media.h"
#include "apps/common/check_main.h"

#ifdef HAVE_JANSSON
#define STATS "--stats", "stats.json",
#define STATS_FILE "stats.json",
#else
#define STATS
#define STATS_FILE
#endif

static const char *const floats[] = { "--synthetic", "17x9", "--frames", "2", "--device", "cores",
	"--overlap", "on", "--output", "maps.f32", STATS NULL };
static const char *const pictures[] = { "--synthetic", "16x9", "--frames", "2", "--device", "cores,cores",
	"--split", "auto", "--overlay", "--output", "maps.y4m", STATS NULL };
static const char *const *const lists[] = { floats, pictures };
static const char *const float_files[] = { "maps.f32", STATS_FILE NULL };
static const char *const picture_files[] = { "maps.y4m", STATS_FILE NULL };

START_TEST(each_allocation_fails)
{
	static const struct main_program program = { "saliency", saliency_main };
	const struct main_outputs outputs = { _i ? picture_files : float_files, false };

	main_each_allocation_fails(&program, lists[_i], &outputs, 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("saliency memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_loop_test(c, each_allocation_fails, 0, 2);
	return test_main(suite);
}
