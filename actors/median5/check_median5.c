/* SPDX-License-Identifier: MIT */
#include "actors/common/check_frames.h"
#include "actors/common/check_moving.h"
#include "actors/median5/median5.h"

#include <stdlib.h>
#include <string.h>

START_TEST(sizes_and_rates)
{
	frame_check_filter(pstk_median5_type(), frame_expect_median5);
}
END_TEST

START_TEST(moves)
{
	frame_check_moves(pstk_median5_type(), frame_expect_median5, moving_memories[_i]);
}
END_TEST

START_TEST(refusals)
{
	frame_check_refusals(pstk_median5_type());
}
END_TEST

/* Each order of five values, those with equal ones included: 5^5 frames of 3 x 3. */
START_TEST(all_orders)
{
	for (unsigned order = 0; order < 3125; order++) {
		uint8_t src[9] = { 0 }, dst[9], expected[9];
		static const unsigned plus[5] = { 1, 3, 4, 5, 7 };
		unsigned digits = order;

		for (unsigned i = 0; i < 5; i++, digits /= 5)
			src[plus[i]] = (uint8_t)(digits % 5 * 60);
		ps_median5_frame(dst, src, 3, 3);
		frame_expect_median5(expected, src, 3, 3);
		ck_assert_mem_eq(dst, expected, sizeof dst);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("median5");
	TCase *tcase = test_case(suite, "median5");

	tcase_add_test(tcase, sizes_and_rates);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, all_orders);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, moves, 0, MOVING_MEMORIES);
	return test_main(suite);
}
