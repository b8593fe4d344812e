/* SPDX-License-Identifier: MIT */
/* Inputs, each with its own size. Those of one size are granulometry's tests'. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/app.h"
#include "apps/common/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char app_name[] = "check";

static const struct size none = { 0, 0, 0 };

/* A frame of one grey. */
static void write_frame(const char *name, unsigned w, unsigned h, const char *rate, int grey)
{
	char text[2000];
	int n = snprintf(text, sizeof text, "YUV4MPEG2 W%u H%u F%s Cmono\nFRAME\n", w, h, rate);

	memset(text + n, grey, w * (size_t)h);
	files_write(name, text, (size_t)n + w * (size_t)h);
}

START_TEST(each_its_own_size)
{
	static const char *const paths[] = { "a.y4m", "b.y4m" };
	static const struct size sizes[] = { { 10, 30, 1 }, { 20, 6, 1 } };
	uint8_t grey[20 * 30];
	uint32_t num, den;
	struct inputs in;

	write_frame("a.y4m", 10, 30, "30000:1001", 'a');
	write_frame("b.y4m", 20, 6, "5:1", 'b');
	ck_assert_int_eq(inputs_open(&in, paths, 2, &none, true, 2), 0);
	ck_assert_uint_eq(in.size.width, 20); /* no side of any is larger */
	ck_assert_uint_eq(in.size.height, 30);
	inputs_get_rate(&in, &num, &den);
	ck_assert_uint_eq(num, 30000);
	ck_assert_uint_eq(den, 1001);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(inputs_read(&in, grey), 1);
		ck_assert_mem_eq(&in.now, &sizes[i % 2], sizeof in.now);
		ck_assert_mem_eq(inputs_size(&in, i % 2), &sizes[i % 2], sizeof in.now);
		ck_assert_uint_eq(grey[0], i % 2 ? 'b' : 'a');
	}
	ck_assert_int_eq(inputs_read(&in, grey), 0);
	inputs_close(&in);
}
END_TEST

/* With --size there is one size for all. */
START_TEST(one_size_that_is_given)
{
	static const char *const paths[] = { "a.gray" };
	struct inputs in;
	uint8_t grey[4];
	uint32_t num, den;

	files_text("a.gray", "abcd");
	ck_assert_int_eq(inputs_open(&in, paths, 1, &(const struct size){ 2, 2, 1 }, true, 1), 0);
	inputs_get_rate(&in, &num, &den);
	ck_assert(num == 25 && den == 1);
	ck_assert_int_eq(inputs_read(&in, grey), 1);
	ck_assert_mem_eq(grey, "abcd", 4);
	ck_assert_uint_eq(in.now.width, 2);
	inputs_close(&in);
}
END_TEST

/* A file that has grown since it was looked at: there is no room for its frames. */
START_TEST(a_size_that_has_changed)
{
	static const char *const paths[] = { "a.y4m", "b.y4m" };
	struct inputs in;
	uint8_t grey[20 * 30];

	write_frame("a.y4m", 10, 8, "25:1", 'a');
	write_frame("b.y4m", 10, 8, "25:1", 'b');
	ck_assert_int_eq(inputs_open(&in, paths, 2, &none, true, 1), 0);
	write_frame("b.y4m", 11, 8, "25:1", 'b');
	ck_assert_int_eq(inputs_read(&in, grey), 1);
	ck_assert_int_eq(inputs_read(&in, grey), -EINVAL);
	TEST_SAYS(in.error, "b.y4m", "has changed: it has 11x8 pixels now, more than before");
	inputs_close(&in);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("inputs");
	TCase *c = files_case(suite, "inputs");

	tcase_add_test(c, each_its_own_size);
	tcase_add_test(c, one_size_that_is_given);
	tcase_add_test(c, a_size_that_has_changed);
	return test_main(suite);
}
