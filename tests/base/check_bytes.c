/* SPDX-License-Identifier: MIT */
#include "lib/base/bytes.h"
#include "lib/base/memory.h"
#include "tests/common/common.h"

/* What is put in comes out, in that order, whatever the sizes. */
START_TEST(there_and_back)
{
	struct ps_bytes b = { 0 };
	struct ps_bytes_left left;
	unsigned char block[700];
	uint64_t n;

	for (unsigned i = 0; i < sizeof block; i++)
		block[i] = (unsigned char)i;
	for (uint64_t i = 0; i < 700; i += 7) {
		ps_bytes_put_number(&b, i);
		ps_bytes_put(&b, block, i);
	}
	ck_assert(!b.failed);
	left = (struct ps_bytes_left){ b.at, b.size };
	for (uint64_t i = 0; i < 700; i += 7) {
		unsigned char got[700];

		ck_assert(ps_bytes_take_number(&left, &n));
		ck_assert_uint_eq(n, i);
		ck_assert(ps_bytes_take(&left, got, n));
		ck_assert_mem_eq(got, block, n);
	}
	ck_assert_uint_eq(left.size, 0);
	ck_assert(!ps_bytes_take_number(&left, &n));
	ck_assert(ps_bytes_take(&left, NULL, 0));
	ps_bytes_free(&b);
	ck_assert_ptr_null(b.at);
}
END_TEST

START_TEST(too_little_takes_nothing)
{
	uint64_t n = 5;
	struct ps_bytes_left left = { (const unsigned char *)"1234567", 7 };

	ck_assert(!ps_bytes_take_number(&left, &n));
	ck_assert_uint_eq(n, 5);
	ck_assert_uint_eq(left.size, 7);
}
END_TEST

/* It says so, and takes no more. */
START_TEST(without_memory)
{
	struct ps_bytes b = { 0 };

	ps_bytes_put_number(&b, 1);
	ps_memory_fail_at = 0;
	for (unsigned i = 0; i < 100; i++)
		ps_bytes_put_number(&b, 2);
	ps_memory_fail_at = -1;
	ck_assert(b.failed);
	ck_assert_uint_le(b.size, b.room);
	ps_bytes_put_number(&b, 3);
	ck_assert(b.failed);
	ps_bytes_free(&b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("bytes");
	TCase *c = test_case(s, "bytes");

	tcase_add_test(c, there_and_back);
	tcase_add_test(c, too_little_takes_nothing);
	tcase_add_test(c, without_memory);
	return test_main(s);
}
