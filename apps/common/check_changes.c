/* SPDX-License-Identifier: MIT */
/* The line for each change of a pipeline's configuration. */
#include "apps/common/app.h"
#include "apps/common/changes.h"
#include "tests/common/common.h"
#include "tests/pipeline/line.h"

#include <stdio.h>
#include <string.h>

const char app_name[] = "check";

static char text[1024];

static void draw(struct changes *c)
{
	FILE *file;

	memset(text, 0, sizeof text);
	file = fmemopen(text, sizeof text, "w");
	ck_assert_ptr_nonnull(file);
	changes_print(c, file);
	fclose(file);
}

START_TEST(each_change_once)
{
	struct changes *c;
	struct line line;

	line_begin(&line, 2, 50, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "MG:00")));
	c = changes_create(line.net);
	ck_assert_ptr_nonnull(c);
	line_run(&line);
	draw(c);
	ck_assert_str_eq(text, "\r\033[Kpipeline 'line': CPU-MG:00:3, it was given\n");
	draw(c);
	ck_assert_str_eq(text, "");
	changes_free(c);
	pstk_network_destroy(line.net);
}
END_TEST

START_TEST(nothing_to_say)
{
	struct line line;

	line_begin(&line, 2, 4, 1);
	ck_assert_ptr_null(changes_create(line.net)); /* no pipeline */
	draw(NULL);
	ck_assert_str_eq(text, "");
	changes_free(NULL);
	pstk_network_destroy(line.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("changes");
	TCase *c = test_case(suite, "changes");

	tcase_add_test(c, each_change_once);
	tcase_add_test(c, nothing_to_say);
	return test_main(suite);
}
