/* SPDX-License-Identifier: MIT */
#include "actors/common/check_frames.h"
#include "actors/common/check_moving.h"
#include "actors/gauss5x5/gauss5x5.h"

#include <stdlib.h>
#include <string.h>

START_TEST(sizes_and_rates)
{
	frame_check_filter(pstk_gauss5x5_type(), frame_expect_gauss5x5);
}
END_TEST

START_TEST(moves)
{
	frame_check_moves(pstk_gauss5x5_type(), frame_expect_gauss5x5, moving_memories[_i]);
}
END_TEST

START_TEST(refusals)
{
	frame_check_refusals(pstk_gauss5x5_type());
}
END_TEST

/* Values that were worked out by hand: one white pixel spreads as the weights, rounded. */
START_TEST(one_pixel)
{
	uint8_t src[9 * 9] = { 0 }, dst[9 * 9];
	static const uint8_t row[3][5] = { { 1, 4, 6, 4, 1 }, { 4, 16, 24, 16, 4 }, { 6, 24, 36, 24, 6 } };

	src[4 * 9 + 4] = 255; /* 255 x weight + 128 >> 8 = weight */
	ps_gauss5x5_frame(dst, src, 9, 9);
	for (int y = 0; y < 9; y++)
		for (int x = 0; x < 9; x++) {
			int dy = y > 4 ? y - 4 : 4 - y, dx = x > 4 ? x - 4 : 4 - x;

			ck_assert_uint_eq(dst[y * 9 + x], dx > 2 || dy > 2 ? 0 : row[2 - dy][2 + dx]);
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gauss5x5");
	TCase *tcase = test_case(suite, "gauss5x5");

	tcase_add_test(tcase, sizes_and_rates);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, one_pixel);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, moves, 0, MOVING_MEMORIES);
	return test_main(suite);
}
