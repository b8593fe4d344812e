/* SPDX-License-Identifier: MIT */
/* What the program asks of the system and does not get: each allocation fails once. */
#include "apps/common/check_staged_program.h"
#include "apps/scene_recognition/check_run.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void set_up(void)
{
	static const char zeros[512];

	staged_set_up();
	files_write("v.f32", zeros, 512);
	files_write("w.f32", zeros, 16);
}

START_TEST(each_allocation_fails)
{
	static const char *const arguments[] = { STAGED_IN, "--vocabulary", "v.f32", "--weights", "w.f32",
		"--classes", "a,b", NULL };

	staged_each_allocation_fails(&scene_program, arguments, "out.txt");
}
END_TEST

START_TEST(each_allocation_of_a_training_fails)
{
	static const char *const arguments[] = { "--train", "t", "--size", "16x16", "--device", "cores",
		"--words", "2", "--vocabulary", "x.f32", "--weights", "y.f32", NULL };
	static const char *const files[] = { "x.f32", "y.f32", NULL };
	static const char zeros[256];

	ck_assert_int_eq(mkdir("t", 0777), 0);
	ck_assert_int_eq(mkdir("t/a", 0777), 0);
	ck_assert_int_eq(mkdir("t/b", 0777), 0);
	files_text("t/a/1.gray", "0123456789abcdef");
	ck_assert_int_eq(truncate("t/a/1.gray", 256), 0);
	files_write("t/b/1.gray", zeros, 256);
	main_each_allocation_fails(
		&scene_program, arguments, &(const struct main_outputs){ files, false }, 30);
	remove("t/a/1.gray");
	remove("t/b/1.gray");
	remove("t/a");
	remove("t/b");
	remove("t");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scene_memory");
	TCase *c = files_case(suite, "memory");

	tcase_add_checked_fixture(c, set_up, NULL);
	tcase_add_test(c, each_allocation_fails);
	tcase_add_test(c, each_allocation_of_a_training_fails);
	return test_main(suite);
}
