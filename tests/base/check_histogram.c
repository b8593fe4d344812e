/* SPDX-License-Identifier: MIT */
#include "lib/base/histogram.h"
#include "tests/common/common.h"

#include <stdlib.h>

enum { VALUES = 2000 };

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each bucket begins behind the one before, and is no wider than 1/32 of where it begins. */
START_TEST(test_borders)
{
	for (unsigned i = 1; i < PS_HISTOGRAM_BUCKETS; i++) {
		uint64_t from = ps_histogram_from(i - 1), width = ps_histogram_from(i) - from;

		ck_assert_uint_ge(width, 1);
		ck_assert(width == 1 || width * 32 <= from);
	}
	ck_assert_uint_eq(ps_histogram_from(0), 0);
	ck_assert_uint_gt(ps_histogram_from(PS_HISTOGRAM_BUCKETS - 1), UINT64_C(19) * 3600 * 1000000000);
}
END_TEST

/* A value lies in the bucket that says so; what is larger than all in the last one. */
START_TEST(test_buckets)
{
	static struct ps_histogram h;
	uint64_t last = ps_histogram_from(PS_HISTOGRAM_BUCKETS - 1);

	for (unsigned i = 0; i < PS_HISTOGRAM_BUCKETS - 1; i++) {
		ps_histogram_add(&h, ps_histogram_from(i));
		ps_histogram_add(&h, ps_histogram_from(i + 1) - 1);
		ck_assert_uint_eq(h.buckets[i], 2);
		ck_assert_uint_eq(h.buckets[i + 1], 0);
	}
	ps_histogram_add(&h, last);
	ps_histogram_add(&h, UINT64_MAX);
	ck_assert_uint_eq(h.buckets[PS_HISTOGRAM_BUCKETS - 1], 2);
	ck_assert_uint_eq(h.most, UINT64_MAX);
	ck_assert_uint_eq(ps_histogram_within(&h, 1), UINT64_MAX);
}
END_TEST

/* Against the sorted values: not less, and up to 1/32 more. _i: bits of the values. */
START_TEST(test_within)
{
	static const double shares[] = { 0, 0.001, 0.25, 0.5, 0.9, 0.99, 1 };
	static struct ps_histogram h;
	static uint64_t values[VALUES];
	struct test_rng rng = { test_seed() + (uint64_t)_i };
	uint64_t sum = 0;

	for (unsigned i = 0; i < VALUES; i++) {
		values[i] = test_random(&rng) >> (64 - _i) >> (test_random(&rng) % (unsigned)_i);
		ps_histogram_add(&h, values[i]);
		sum += values[i];
	}
	qsort(values, VALUES, sizeof *values, compare);
	ck_assert_uint_eq(h.count, VALUES);
	ck_assert_uint_eq(h.sum, sum);
	ck_assert_uint_eq(h.most, values[VALUES - 1]);
	for (unsigned i = 0; i < TEST_COUNT(shares); i++) {
		double exact = shares[i] * VALUES;
		unsigned rank = exact <= 1 ? 1 : (unsigned)exact;
		uint64_t right = values[rank - 1], got = ps_histogram_within(&h, shares[i]);

		ck_assert_uint_ge(got, right);
		ck_assert_uint_le(got, right + right / 32);
	}
}
END_TEST

START_TEST(test_empty)
{
	static struct ps_histogram h;

	ck_assert_uint_eq(ps_histogram_within(&h, 0.5), 0);
	ck_assert_uint_eq(ps_histogram_within(&h, 1), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("histogram");
	TCase *tc = test_case(suite, "histogram");

	tcase_add_test(tc, test_borders);
	tcase_add_test(tc, test_buckets);
	tcase_add_loop_test(tc, test_within, 1, 46);
	tcase_add_test(tc, test_empty);
	return test_main(suite);
}
