/* SPDX-License-Identifier: MIT */
/* Which files are inputs, under whatever name. */
#include "actors/common/check_files.h"
#include "apps/common/app.h"
#include "apps/common/originals.h"

#include <stdio.h>
#include <unistd.h>

const char app_name[] = "check";

START_TEST(of_any_name)
{
	static const char *const yes[] = { "a.y4m", "./a.y4m", "link", "other", "p007.png", "p12.png",
		"q*1.x" };
	static const char *const no[] = { "b.y4m", "none", "x.png", "p.pgm", "qq1.x", "/dev/null",
		"p%03d.png" };
	struct originals o = { .list = NULL };

	for (unsigned i = 0; i < TEST_COUNT(no) - 2; i++)
		if (i != 1)
			files_text(no[i], "x");
	ck_assert(!originals_have(&o, "b.y4m"));
	files_text("a.y4m", "x");
	files_text("p007.png", "x");
	files_text("p12.png", "x");
	files_text("q*1.x", "x");
	ck_assert_int_eq(symlink("a.y4m", "link"), 0);
	ck_assert_int_eq(link("p007.png", "other"), 0);
	ck_assert_int_eq(originals_add(&o, NULL), 0);
	ck_assert_int_eq(originals_add(&o, "none"), 0);
	ck_assert_int_eq(originals_add(&o, "none%d"), 0);
	ck_assert_int_eq(originals_add(&o, "/dev/null"), 0);
	ck_assert_int_eq(originals_add(&o, "a.y4m"), 0);
	ck_assert_int_eq(originals_add(&o, "p%03d.png"), 0);
	ck_assert_int_eq(originals_add(&o, "q*%d.x"), 0);
	for (unsigned i = 0; i < TEST_COUNT(yes); i++)
		ck_assert_msg(originals_have(&o, yes[i]), "%s", yes[i]);
	for (unsigned i = 0; i < TEST_COUNT(no); i++)
		ck_assert_msg(!originals_have(&o, no[i]), "%s", no[i]);
	originals_free(&o);
	ck_assert(!originals_have(&o, "a.y4m"));
}
END_TEST

START_TEST(many)
{
	struct originals o = { .list = NULL };
	char name[20];

	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "%u.x", i);
		files_text(name, "x");
	}
	ck_assert_int_eq(originals_add(&o, "%02d.x"), 0);
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "%u.x", i);
		ck_assert(originals_have(&o, name));
	}
	originals_free(&o);
}
END_TEST

START_TEST(out_of_memory)
{
	struct originals o = { .list = NULL };

	files_text("a.x", "x");
	for (unsigned i = 0; i < 2; i++) {
		int status;

		test_fail_allocation(1);
		status = originals_add(&o, i ? "%d.x" : "a.x");
		test_fail_allocation(0);
		ck_assert_int_eq(status, EXIT_FAILED);
		originals_free(&o);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("originals");
	TCase *c = files_case(suite, "originals");

	tcase_add_test(c, of_any_name);
	tcase_add_test(c, many);
	tcase_add_test(c, out_of_memory);
	return test_main(suite);
}
