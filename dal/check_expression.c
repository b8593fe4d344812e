/* SPDX-License-Identifier: MIT */
/* Expressions against values worked out by hand. */
#include "dal/expression.h"
#include "tests/common/common.h"

#include <errno.h>
#include <string.h>

/* N = 4, i = 3, next is i + 1, twice is 2 * next, endless uses itself, odd has something behind it. */
static const struct ps_dal_scope all[] = {
	{ "N", 4, NULL, &all[1] },
	{ "i", 3, NULL, &all[2] },
	{ "next", 0, "i + 1", &all[3] },
	{ "twice", 0, " 2 * next ", &all[4] },
	{ "endless", 0, "1 + endless", &all[5] },
	{ "odd", 0, "1 2", &all[6] },
	{ "i", 100, NULL, &all[7] }, /* hidden by the inner one */
	{ "_x9", -7, NULL, NULL },
};

START_TEST(test_values)
{
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {
		{ "0", 0 },
		{ " 42 ", 42 },
		{ "N", 4 },
		{ "i", 3 },
		{ "_x9", -7 },
		{ "N+1", 5 },
		{ "N - i - 2", -1 }, /* from the left */
		{ "2*N+3*i", 17 },
		{ "2*(N+3)*i", 42 },
		{ "17/N", 4 },
		{ "100 / 5 / 2", 10 },
		{ "7 / 2 * 2", 6 },
		{ "-3 + 5", 2 },
		{ "- -3", 3 },
		{ "2 * -N", -8 },
		{ "((((1))))", 1 },
		{ "next", 4 },
		{ "twice * twice", 64 },
		{ "(twice + 1) / i", 3 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775807 - 1", INT64_MIN },
		{ "\t1\n+\n1", 2 },
	};

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		int64_t value = 4711;
		char why[100];

		ck_assert_msg(ps_dal_evaluate(cases[i].text, all, &value, why, sizeof why) == 0, "%s: %s",
			cases[i].text, why);
		ck_assert_msg(value == cases[i].value, "%s is not %lld", cases[i].text, (long long)value);
		ck_assert_str_eq(why, "");
	}
}
END_TEST

START_TEST(test_errors)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "a number or a name is missing" },
		{ "1 +", "a number or a name is missing" },
		{ "1 + )", "a number or a name is expected at )" },
		{ "1 2", "an operator is expected at 2" },
		{ "(1", "a ) is missing" },
		{ "1)", "an operator is expected at )" },
		{ "M", "there is no variable, function or iterator M" },
		{ "Nn", "there is no variable, function or iterator Nn" },
		{ "1 / (N - 4)", "a division by 0" },
		{ "9223372036854775808", "a number is too large" },
		{ "9223372036854775807 + 1", "it is too large" },
		{ "-9223372036854775807 - 2", "it is too large" },
		{ "9223372036854775807 * 2", "it is too large" },
		{ "(-9223372036854775807 - 1) / -1", "it is too large" },
		{ "-(-9223372036854775807 - 1)", "it is too large" },
		{ "endless", "does a function use itself" },
		{ "odd", "a function has something behind its expression: 2" },
		{ "1 % 2", "an operator is expected at % 2" },
	};

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		int64_t value;
		char why[100] = "";

		ck_assert_msg(ps_dal_evaluate(cases[i].text, all, &value, why, sizeof why) == -EINVAL, "%s",
			cases[i].text);
		ck_assert_msg(strstr(why, cases[i].why), "%s: %s", cases[i].text, why);
	}
}
END_TEST

/* 64 levels are too many, fewer are not; a text of any length ends. */
START_TEST(test_depth)
{
	char text[1001], why[100];
	int64_t value;

	memset(text, '(', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	ck_assert_int_eq(ps_dal_evaluate(text, NULL, &value, why, sizeof why), -EINVAL);
	TEST_SAYS(why, "nested too deeply");
	memset(text, '-', sizeof text - 1);
	ck_assert_int_eq(ps_dal_evaluate(text, NULL, &value, why, sizeof why), -EINVAL);
	TEST_SAYS(why, "nested too deeply");
	text[61] = '1';
	text[62] = '\0';
	ck_assert_int_eq(ps_dal_evaluate(text, NULL, &value, why, sizeof why), 0);
	ck_assert_int_eq(value, -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expression");
	TCase *tests = test_case(suite, "tests");

	tcase_add_test(tests, test_values);
	tcase_add_test(tests, test_errors);
	tcase_add_test(tests, test_depth);
	return test_main(suite);
}
