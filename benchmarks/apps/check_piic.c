/* SPDX-License-Identifier: MIT */
/* What P-I-I-C's kernel adds, and that a token that is wrong anywhere where the host looks is seen. */
#include "benchmarks/apps/piic_token.h"
#include "tests/common/common.h"

enum { FLOATS = 3 * PIIC_STRIDE + 7 };

/* The sum goes to pi^2 / 6 - 1 = 0.6449; it passes a half with the fifth term behind the first two. */
START_TEST(zero_or_one)
{
	for (unsigned loops = 0; loops <= 1000; loops++) {
		double sum = 0;

		for (unsigned n = 2; n < loops + 3; n++)
			sum += 1.0 / ((double)n * n);
		ck_assert_int_eq((int)piic_one(loops), loops >= 5);
		ck_assert_int_eq((int)piic_one(loops), (int)(sum + 0.5));
	}
}
END_TEST

START_TEST(tokens)
{
	static float token[FLOATS];
	static const size_t looked_at[] = { 0, PIIC_STRIDE, 2 * PIIC_STRIDE, 3 * PIIC_STRIDE, FLOATS - 1 };

	piic_produce(token, FLOATS, 41);
	ck_assert(piic_is(token, FLOATS, 41, 2, 4));
	ck_assert(piic_is(token, FLOATS, 39, 2, 5));
	ck_assert(piic_is(token, FLOATS, 40, 1, 400));
	ck_assert(!piic_is(token, FLOATS, 41, 2, 5));
	ck_assert(!piic_is(token, FLOATS, 40, 2, 4));
	for (size_t i = 0; i < TEST_COUNT(looked_at); i++) {
		token[looked_at[i]]++;
		ck_assert(!piic_is(token, FLOATS, 41, 2, 4));
		token[looked_at[i]]--;
	}
	ck_assert(piic_is(token, FLOATS, 41, 2, 4));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("piic");
	TCase *tcase = test_case(suite, "piic");

	tcase_add_test(tcase, zero_or_one);
	tcase_add_test(tcase, tokens);
	return test_main(suite);
}
