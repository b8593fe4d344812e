/* SPDX-License-Identifier: MIT */
#include "lib/fifo/layout.h"
#include "tests/common/common.h"
#include "tests/fifo/layout_model.h"

#include <errno.h>
#include <stdio.h>

static struct ps_layout layout(uint32_t r, uint32_t d, uint32_t k, size_t s)
{
	struct ps_layout l;

	ck_assert_int_eq(ps_layout_init(&l, r, d, k, s), 0);
	return l;
}

/* The figure of the paper: r = 4, d = 1. */
START_TEST(paper_figure)
{
	struct ps_layout l = layout(4, 1, 2, 1);
	const uint64_t writes[] = { 1, 5, 9, 1, 5, 9 }, reads[] = { 0, 4, 8, 0, 4, 8 };

	ck_assert_uint_eq(l.slots, 13);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_uint_eq(ps_layout_write_slot(&l, i), writes[i]);
		ck_assert_uint_eq(ps_layout_read_slot(&l, i), reads[i]);
		ck_assert_int_eq(ps_layout_wraps(&l, i), i % 3 == 2);
	}
}
END_TEST

/* Eq. 1 and the tables of the papers. */
START_TEST(paper_sizes)
{
	ck_assert_uint_eq(layout(4, 1, 2, 1).slots, 13);
	ck_assert_uint_eq(layout(1, 1, 2, 1).slots, 3);
	ck_assert_uint_eq(layout(4, 0, 2, 1).slots, 8);
	ck_assert_uint_eq(layout(4, 6, 2, 1).slots, 18);
	/* motion detection: four FIFOs without delay, one with */
	ck_assert_uint_eq(4 * layout(1, 0, 2, 76800).bytes + layout(1, 1, 2, 76800).bytes, 844800);
	ck_assert_uint_eq(4 * layout(4, 0, 2, 76800).bytes + layout(4, 1, 2, 76800).bytes, 3456000);
	/* predistortion: 44 FIFOs of 131072-byte windows */
	ck_assert_uint_eq(44 * layout(32768, 0, 2, 4).bytes, 11534336);
}
END_TEST

START_TEST(every_state_of_small_fifos)
{
	uint64_t states = 0;
	char text[160];

	for (uint32_t r = 1; r <= 8; r++)
		for (uint32_t d = 0; d <= 3 * r + 2; d++)
			for (uint32_t k = 1; k <= 4; k++)
				if (layout_model_check(r, d, k, text, sizeof text, &states))
					ck_abort_msg("%s", text);
	printf("layout: %llu states\n", (unsigned long long)states);
	ck_assert_uint_gt(states, 100000);
}
END_TEST

START_TEST(every_state_of_shared_readers)
{
	uint64_t states = 0;
	char text[160];

	for (uint32_t r = 1; r <= 4; r++)
		for (uint32_t d = 0; d <= 2 * r + 2; d++)
			for (uint32_t k = 1; k <= 3; k++)
				for (uint32_t plain = 1; plain <= 3; plain++)
					if (layout_model_check_shared(
						    r, d, k, plain, text, sizeof text, &states))
						ck_abort_msg("%s", text);
	printf("shared layout: %llu states\n", (unsigned long long)states);
	ck_assert_uint_gt(states, 100000);
}
END_TEST

/* Motion detection's pair: 13 slots for both, where each for itself takes 13 and 8. */
START_TEST(shared_figure)
{
	struct ps_layout memory = layout(4, 1, 2, 1), plain = layout(4, 0, 2, 1);

	ck_assert_int_eq(ps_layout_share(&memory, &plain), 0);
	ck_assert_uint_eq(memory.slots, 13);
	for (unsigned j = 0; j < 6; j++) { /* 1, 5, 9, 1, .. and 0, 4, 8, 0, .. */
		ck_assert_uint_eq(ps_layout_shared_read_slot(&memory, 0, j), 1 + 4 * (j % 3));
		ck_assert_uint_eq(ps_layout_shared_read_slot(&memory, 1, j), 4 * (j % 3));
	}
	ck_assert_uint_eq(ps_layout_beyond(&memory), 3);
	ck_assert_uint_eq(ps_layout_beyond(&plain), 0);
}
END_TEST

START_TEST(sharing_refused)
{
	const struct ps_layout fits = layout(4, 1, 2, 8), others[] = { layout(4, 2, 2, 8), layout(4, 5, 2, 8),
		layout(2, 1, 2, 8), layout(4, 1, 2, 4), layout(2, 0, 2, 8), layout(4, 0, 2, 4) };
	struct ps_layout memory = fits, deep = layout(1, UINT32_MAX, 1, SIZE_MAX >> 33),
			 deeper = layout(1, 0, UINT32_MAX, SIZE_MAX >> 33);

	for (unsigned i = 0; i < TEST_COUNT(others); i++)
		ck_assert_int_eq(ps_layout_share(&memory, &others[i]), -EINVAL);
	ck_assert_mem_eq(&memory, &fits, sizeof fits);
	memory = deep;
	ck_assert_int_eq(ps_layout_share(&memory, &deeper), -EOVERFLOW);
	ck_assert_mem_eq(&memory, &deep, sizeof deep);
	memory = layout(4, 0, 2, 8); /* the delay tokens must be the memory's */
	ck_assert_int_eq(ps_layout_share(&memory, &fits), -EINVAL);
}
END_TEST

START_TEST(valid_tokens_at_the_end)
{
	/* facts of the model: r = 4, ten tokens: 4, 4, 2; with one delay token 4, 4, 3 */
	const uint32_t plain[] = { 4, 4, 2, 0 }, delayed[] = { 4, 4, 3, 0 };
	struct ps_layout a = layout(4, 0, 2, 1), b = layout(4, 1, 2, 1);

	for (unsigned j = 0; j < 4; j++) {
		ck_assert_uint_eq(ps_layout_valid(&a, j, 10), plain[j]);
		ck_assert_uint_eq(ps_layout_valid(&b, j, 10), delayed[j]);
	}
}
END_TEST

START_TEST(refused)
{
	struct ps_layout l;

	ck_assert_int_eq(ps_layout_init(&l, 0, 0, 2, 1), -EINVAL);
	ck_assert_int_eq(ps_layout_init(&l, 1, 0, 0, 1), -EINVAL);
	ck_assert_int_eq(ps_layout_init(&l, 1, 0, 2, 0), -EINVAL);
	ck_assert_int_eq(ps_layout_init(&l, 1, 0, 2, SIZE_MAX), -EOVERFLOW);
	ck_assert_int_eq(ps_layout_init(&l, 1, 0, 2, SIZE_MAX / 2), -EOVERFLOW);
	ck_assert_int_eq(ps_layout_init(&l, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1), -EOVERFLOW);
	ck_assert_int_eq(ps_layout_init(&l, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX, 1), -EOVERFLOW);
	ck_assert_int_eq(ps_layout_init(&l, 1, UINT32_MAX, UINT32_MAX, 1), 0); /* 8 GiB is a size */
	ck_assert_uint_eq(l.slots, 2 * (uint64_t)UINT32_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layout");
	TCase *c = test_case(suite, "layout");

	tcase_add_test(c, paper_figure);
	tcase_add_test(c, paper_sizes);
	tcase_add_test(c, every_state_of_small_fifos);
	tcase_add_test(c, every_state_of_shared_readers);
	tcase_add_test(c, shared_figure);
	tcase_add_test(c, sharing_refused);
	tcase_add_test(c, valid_tokens_at_the_end);
	tcase_add_test(c, refused);
	return test_main(suite);
}
