/* SPDX-License-Identifier: MIT */
/* The numbers in options: all of the text or nothing, at the ends of each range. */
#include "benchmarks/common/number.h"

#include "tests/common/common.h"

#include <stdio.h>

/* None of them is a whole number, or a part of a list or size. */
static const char *const no_numbers[] = { "", "x", "2x", "x2", " 2", "2 ", "+2", "-2", "-0", "2.", "2.5",
	"2e1", "0x2", "2,", "18446744073709551616", "99999999999999999999999999", "\t2", "2\n" };

START_TEST(whole)
{
	uint64_t value;
	unsigned small;

	ck_assert(number_whole("0", 0, 0, &value));
	ck_assert_uint_eq(value, 0);
	ck_assert(number_whole("007", 7, 7, &value));
	ck_assert_uint_eq(value, 7);
	ck_assert(number_whole("18446744073709551615", 0, UINT64_MAX, &value));
	ck_assert_uint_eq(value, UINT64_MAX);
	ck_assert(!number_whole("4", 5, 9, &value));
	ck_assert(!number_whole("10", 5, 9, &value));
	for (size_t i = 0; i < TEST_COUNT(no_numbers); i++)
		ck_assert_msg(!number_whole(no_numbers[i], 0, UINT64_MAX, &value), "'%s'", no_numbers[i]);
	ck_assert(number_unsigned("4294967295", 0, UINT32_MAX, &small));
	ck_assert_uint_eq(small, UINT32_MAX);
	ck_assert(!number_unsigned("4294967296", 0, UINT32_MAX, &small));
	ck_assert_uint_eq(small, UINT32_MAX);
}
END_TEST

START_TEST(real)
{
	static const struct {
		const char *text;
		double value;
	} right[] = { { "0", 0 }, { "0.25", 0.25 }, { ".5", 0.5 }, { "5.", 5 }, { "1e3", 1000 },
		{ "2.5e-1", 0.25 }, { "1e+2", 100 } };
	static const char *const wrong[] = { "", ".", "-1", "+1", " 1", "1 ", "1s", "0x10", "inf", "nan",
		"e1", "1e", "1.2.3", "1e400", "1,5" };
	double value;

	for (size_t i = 0; i < TEST_COUNT(right); i++) {
		ck_assert_msg(number_real(right[i].text, 0, 1000, &value), "'%s'", right[i].text);
		ck_assert_double_eq(value, right[i].value);
	}
	for (size_t i = 0; i < TEST_COUNT(wrong); i++)
		ck_assert_msg(!number_real(wrong[i], 0, 1e300, &value), "'%s'", wrong[i]);
	ck_assert(!number_real("0.4", 0.5, 1, &value));
	ck_assert(!number_real("1.1", 0.5, 1, &value));
}
END_TEST

START_TEST(size)
{
	static const char *const wrong[] = { "", "x", "3x", "x4", "3", "3x4x5", "3x4 ", " 3x4", "3X4", "0x4",
		"3x0", "11x4", "3x11", "3,4", "-3x4", "000000000000000000000000003x4" };
	uint32_t w = 0, h = 0;

	ck_assert(number_size("3x4", 10, &w, &h));
	ck_assert(w == 3 && h == 4);
	ck_assert(number_size("10x1", 10, &w, &h));
	ck_assert(w == 10 && h == 1);
	for (size_t i = 0; i < TEST_COUNT(wrong); i++)
		ck_assert_msg(!number_size(wrong[i], 10, &w, &h), "'%s'", wrong[i]);
}
END_TEST

START_TEST(list)
{
	static const char *const wrong[] = { "", ",", "1,", ",1", "1,,2", "1,2,3,4", "1, 2", "1,11", "0,1",
		"1;2" };
	unsigned values[3] = { 0 }, count;
	char text[32];

	ck_assert(number_list("7", 1, 10, values, 3, &count));
	ck_assert(count == 1 && values[0] == 7);
	ck_assert(number_list("1,10,2", 1, 10, values, 3, &count));
	ck_assert(count == 3 && values[0] == 1 && values[1] == 10 && values[2] == 2);
	for (size_t i = 0; i < TEST_COUNT(wrong); i++)
		ck_assert_msg(!number_list(wrong[i], 1, 10, values, 3, &count), "'%s'", wrong[i]);
	for (size_t i = 0; i < TEST_COUNT(no_numbers); i++) {
		snprintf(text, sizeof text, "1,%s", no_numbers[i]);
		ck_assert_msg(!number_list(text, 0, UINT32_MAX, values, 3, &count), "'%s'", text);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("number");
	TCase *c = test_case(suite, "number");

	tcase_add_test(c, whole);
	tcase_add_test(c, real);
	tcase_add_test(c, size);
	tcase_add_test(c, list);
	return test_main(suite);
}
