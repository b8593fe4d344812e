/* SPDX-License-Identifier: MIT */
/* The line for each change of a pipeline's configuration. */
#include "apps/common/app.h"
#include "apps/common/changes.h"
#include "lib/pipeline/carriage.h"
#include "tests/common/common.h"
#include "tests/pipeline/line.h"

#include <stdio.h>
#include <string.h>

const char app_name[] = "check";

static char text[16384];

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
	ck_assert_str_eq(text, "\r\033[Kpipeline 'line': CPU-MG:00:3 from 0.000 s on, it was given\n");
	draw(c);
	ck_assert_str_eq(text, "");
	changes_free(c);
	pstk_network_destroy(line.net);
}
END_TEST

/* However short, each is a line: those of a training, whose experiments take less than a look. */
START_TEST(short_ones)
{
	static const char *const order[] = { "CPU-CG:00:1 from 0.000 s on, an experiment of a training\n",
		"CPU-CG:00:2 from ", "CPU-CG:00:3 from ", "CPU-MG:00:3 from ",
		"a candidate that is tried\n" };
	struct changes *c;
	struct line line;
	const char *at = text;

	line_begin(&line, 2, 400, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2)));
	c = changes_create(line.net);
	ck_assert_ptr_nonnull(c);
	line_run(&line);
	draw(c);
	for (unsigned i = 0; i < TEST_COUNT(order); i++) {
		at = strstr(at, order[i]);
		ck_assert_msg(at != NULL, "'%s' is not in its place in %s", order[i], text);
		at += strlen(order[i]);
	}
	draw(c);
	ck_assert_str_eq(text, "");
	changes_free(c);
	pstk_network_destroy(line.net);
}
END_TEST

/* More than are kept: the latest 64, and how many others. _i: so many more. */
START_TEST(too_many)
{
	struct ps_conductor *conductor;
	struct changes *c;
	struct line line;
	unsigned lines = 0;
	char words[100];

	line_begin(&line, 2, 50, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 2, .configuration = "MG:00")));
	c = changes_create(line.net);
	ck_assert_ptr_nonnull(c);
	line_run(&line);
	draw(c);
	conductor = &line.pipeline->run->conductor;
	for (unsigned n = 0; n < PS_CHANGES_KEPT + (unsigned)_i; n++)
		conductor->changes[conductor->change_count++ % PS_CHANGES_KEPT] =
			(struct pstk_pipeline_change){ .at = n, .configuration.threads = 1 + n % 2 };
	draw(c);
	snprintf(words, sizeof words, "pipeline 'line': %d configurations more", _i);
	ck_assert_int_eq(strstr(text, words) != NULL, _i != 0);
	snprintf(words, sizeof words, "CPU-CG:00:%d from %d.000 s on, nothing was measured yet", 1 + _i % 2,
		_i);
	TEST_SAYS(text, words);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, PS_CHANGES_KEPT + (_i != 0));
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
	tcase_add_test(c, short_ones);
	tcase_add_loop_test(c, too_many, 0, 3);
	tcase_add_test(c, nothing_to_say);
	return test_main(suite);
}
