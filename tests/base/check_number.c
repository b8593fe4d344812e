/* SPDX-License-Identifier: MIT */
/* Numbers as text and back: shortest texts, all sizes, any locale. What is refused: check_param. */
#include "lib/base/number.h"
#include "tests/common/common.h"

#include <locale.h>
#include <string.h>

#define AT(type, value) &(type){ value }, sizeof(type)

static const struct number {
	enum ps_number_kind kind;
	const void *from;
	size_t size;
	const char *text;
} numbers[] = {
	{ PS_SIGNED, AT(int8_t, -128), "-128" },
	{ PS_SIGNED, AT(int16_t, 32767), "32767" },
	{ PS_SIGNED, AT(int32_t, -1), "-1" },
	{ PS_SIGNED, AT(int64_t, INT64_MIN), "-9223372036854775808" },
	{ PS_UNSIGNED, AT(uint8_t, 255), "255" },
	{ PS_UNSIGNED, AT(uint16_t, 256), "256" },
	{ PS_UNSIGNED, AT(uint32_t, UINT32_MAX), "4294967295" },
	{ PS_UNSIGNED, AT(uint64_t, UINT64_MAX), "18446744073709551615" },
	{ PS_FLOAT, AT(float, 0.1F), "0.1" },
	{ PS_FLOAT, AT(float, 16777215.F), "16777215" },
	{ PS_FLOAT, AT(float, -0.F), "-0" },
	{ PS_FLOAT, AT(float, 1e-45F), "1.4013e-45" },
	{ PS_FLOAT, AT(double, 0.1), "0.1" },
	{ PS_FLOAT, AT(double, 0.30000000000000004), "0.30000000000000004" },
	{ PS_FLOAT, AT(double, 123456.7), "123456.7" },
	{ PS_FLOAT, AT(double, 1e308), "1e+308" },
};

START_TEST(number)
{
	const struct number *n = &numbers[_i];
	char text[PS_NUMBER_TEXT];
	struct ps_number parsed;
	unsigned char back[8];

	setlocale(LC_ALL, "de_DE.UTF-8");
	ps_number_format(n->kind, n->size, n->from, text);
	ck_assert_str_eq(text, n->text);
	ck_assert(ps_number_parse(n->kind, n->size, text, &parsed));
	ps_number_store(n->kind, n->size, &parsed, back);
	ck_assert_mem_eq(back, n->from, n->size);
}
END_TEST

/* Zeros in front make no number octal. */
START_TEST(zeros_in_front)
{
	struct ps_number parsed;

	ck_assert(ps_number_parse(PS_UNSIGNED, 4, "010", &parsed));
	ck_assert_uint_eq(parsed.u, 10);
	ck_assert(ps_number_parse(PS_SIGNED, 4, "-010", &parsed));
	ck_assert_int_eq(parsed.i, -10);
	ck_assert(ps_number_parse(PS_SIGNED, 4, "-0x10", &parsed));
	ck_assert_int_eq(parsed.i, -16);
	ck_assert(ps_number_parse(PS_UNSIGNED, 4, "0X1f", &parsed));
	ck_assert_uint_eq(parsed.u, 31);
	ck_assert(ps_number_parse(PS_UNSIGNED, 4, "0", &parsed));
	ck_assert_uint_eq(parsed.u, 0);
	ck_assert(!ps_number_parse(PS_UNSIGNED, 4, "0x", &parsed));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("number");
	TCase *c = test_case(suite, "numbers");

	tcase_add_loop_test(c, number, 0, (int)TEST_COUNT(numbers));
	tcase_add_test(c, zeros_in_front);
	return test_main(suite);
}
