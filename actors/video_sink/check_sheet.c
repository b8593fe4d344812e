/* SPDX-License-Identifier: MIT */
/* Thumbnails: bounded, evenly spaced, the mean of what they stand for; and the colours of the overlay. */
#include "actors/common/check_media.h"
#include "actors/video_sink/output.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 4, GAP_GREY = 32, SHOWN = 12 };

/* Puts frames 0 .. count-1 of 1x1 pixel, whose number is in their three bytes; *kept: how many were wanted.
 */
static struct ps_sheet *put_numbers(uint64_t count, unsigned *wanted)
{
	struct ps_sheet *sheet = ps_sheet_create(1, 1, 3);

	*wanted = 0;
	for (uint64_t n = 0; n < count; n++) {
		unsigned char pixel[3] = { (unsigned char)n, (unsigned char)(n >> 8),
			(unsigned char)(n >> 16) };

		if (!ps_sheet_wants(sheet, n))
			continue;
		ps_sheet_put(sheet, pixel);
		++*wanted;
	}
	return sheet;
}

/* The numbers that the sheet shows, in order. */
static unsigned shown_numbers(const struct ps_sheet *sheet, uint64_t *numbers)
{
	uint32_t w, h;
	unsigned char *pixels = ps_sheet_make(sheet, &w, &h);
	unsigned count = 0;

	ck_assert_ptr_nonnull(pixels);
	for (uint32_t y = GAP; y < h; y += 1 + GAP) {
		for (uint32_t x = GAP; x < w; x += 1 + GAP) {
			const unsigned char *p = pixels + ((size_t)y * w + x) * 3;

			if (p[0] == GAP_GREY && p[1] == GAP_GREY && p[2] == GAP_GREY)
				continue; /* no thumbnail */
			numbers[count++] = p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16;
		}
	}
	free(pixels);
	return count;
}

START_TEST(evenly_spaced)
{
	static const uint64_t lengths[] = { 2, 3, 5, 11, 12, 13, 23, 24, 25, 47, 48, 49, 100, 795, 1000,
		99999 };

	for (size_t i = 0; i < TEST_COUNT(lengths); i++) {
		uint64_t numbers[64], length = lengths[i], expected = length < SHOWN ? length : SHOWN;
		unsigned wanted;
		struct ps_sheet *sheet = put_numbers(length, &wanted);

		ck_assert_uint_eq(shown_numbers(sheet, numbers), expected);
		for (unsigned k = 0; k < expected; k++) {
			uint64_t from = k * length / expected, to = (k + 1) * length / expected;

			/* each thumbnail lies in its own part of the stream, give or take a sixth of the
			 * parts' width */
			ck_assert_uint_ge(numbers[k] + 1 + length / expected, from);
			ck_assert_uint_le(numbers[k], to + length / expected);
			if (k)
				ck_assert_uint_gt(numbers[k], numbers[k - 1]);
		}
		/* not 24 more for each doubling, but 12 */
		ck_assert_uint_le(wanted, 24 + 12 * 24);
		ps_sheet_destroy(sheet);
	}
}
END_TEST

START_TEST(short_streams_show_all)
{
	for (uint64_t length = 2; length <= SHOWN; length++) {
		uint64_t numbers[64];
		unsigned wanted;
		struct ps_sheet *sheet = put_numbers(length, &wanted);

		ck_assert_uint_eq(shown_numbers(sheet, numbers), length);
		for (unsigned k = 0; k < length; k++)
			ck_assert_uint_eq(numbers[k], k);
		ps_sheet_destroy(sheet);
	}
}
END_TEST

/* A still is no sheet: it keeps its size, and has no border. */
START_TEST(one_frame_is_whole)
{
	static const uint32_t sizes[][3] = { { 1, 1, 1 }, { 700, 500, 1 }, { 321, 7, 3 } };

	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		size_t size = (size_t)sizes[i][0] * sizes[i][1] * sizes[i][2];
		struct ps_sheet *sheet = ps_sheet_create(sizes[i][0], sizes[i][1], sizes[i][2]);
		unsigned char *bytes = files_random(size, i), *pixels;
		uint32_t w, h;

		ps_sheet_put(sheet, bytes);
		pixels = ps_sheet_make(sheet, &w, &h);
		ck_assert_uint_eq(w, sizes[i][0]);
		ck_assert_uint_eq(h, sizes[i][1]);
		ck_assert_mem_eq(pixels, bytes, size);
		free(pixels);
		free(bytes);
		ps_sheet_destroy(sheet);
	}
}
END_TEST

/* Squares of 3x3 pixels of 700x500 become one; the right column and the bottom row stand for 1x3, 3x2 and
 * 1x2. */
START_TEST(thumbnails_are_means)
{
	unsigned char *bytes = files_random((size_t)700 * 500, 1), *pixels;
	struct ps_sheet *sheet = ps_sheet_create(700, 500, 1);
	uint32_t w, h;

	ps_sheet_put(sheet, bytes);
	ps_sheet_put(sheet, bytes);
	pixels = ps_sheet_make(sheet, &w, &h);
	ck_assert_uint_eq(w, 2 * (234 + GAP) + GAP);
	ck_assert_uint_eq(h, 167 + 2 * GAP);
	for (uint32_t y = 0; y < h; y++) {
		for (uint32_t x = 0; x < 234 + 2 * GAP; x++) {
			unsigned sum = 0, count = 0;

			if (x < GAP || y < GAP || x >= 234 + GAP || y >= h - GAP) {
				ck_assert_uint_eq(pixels[(size_t)y * w + x], GAP_GREY);
				continue;
			}
			for (uint32_t v = 3 * (y - GAP); v < 3 * (y - GAP) + 3 && v < 500; v++) {
				for (uint32_t u = 3 * (x - GAP); u < 3 * (x - GAP) + 3 && u < 700;
					u++, count++)
					sum += bytes[(size_t)v * 700 + u];
			}
			ck_assert_uint_eq(pixels[(size_t)y * w + x], (sum + count / 2) / count);
		}
	}
	free(pixels);
	free(bytes);
	ps_sheet_destroy(sheet);
}
END_TEST

START_TEST(extreme_sizes)
{
	static const uint32_t sizes[][4] = {
		{ 1, 1, 1, 1 },
		{ 320, 240, 320, 240 },
		{ 321, 240, 161, 120 },
		{ 32768, 1, 319, 1 },
		{ 1, 32768, 1, 240 },
	};

	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		struct ps_sheet *sheet = ps_sheet_create(sizes[i][0], sizes[i][1], 1);
		unsigned char *bytes = files_random((size_t)sizes[i][0] * sizes[i][1], 2), *pixels;
		uint32_t w, h;

		ps_sheet_put(sheet, bytes);
		ps_sheet_put(sheet, bytes);
		pixels = ps_sheet_make(sheet, &w, &h);
		ck_assert_uint_le(w, 2 * (320 + GAP) + GAP);
		ck_assert_uint_le(h, 240 + 2 * GAP);
		ck_assert_uint_eq(w, 2 * (sizes[i][2] + GAP) + GAP);
		ck_assert_uint_le(h, sizes[i][3] + 2 * GAP);
		free(pixels);
		free(bytes);
		ps_sheet_destroy(sheet);
	}
}
END_TEST

START_TEST(out_of_memory)
{
	uint32_t w, h;
	unsigned char pixel = 0;
	struct ps_sheet *sheet;

	for (unsigned n = 1; n <= 3; n++) {
		test_fail_allocation(n);
		ck_assert_ptr_null(ps_sheet_create(4, 4, 1));
	}
	test_fail_allocation(0);
	sheet = ps_sheet_create(1, 1, 1);
	ps_sheet_put(sheet, &pixel);
	test_fail_allocation(1);
	ck_assert_ptr_null(ps_sheet_make(sheet, &w, &h));
	test_fail_allocation(0);
	ps_sheet_destroy(sheet);
	ps_sheet_destroy(NULL);
}
END_TEST

START_TEST(red_in_rgb)
{
	const unsigned char map[] = { 0, 0, 0, 255, 255, 255 }, frame[] = { 0, 100, 255, 0, 100, 255 };
	const unsigned char expected[] = { 0, 0, 0, 100, 100, 100, 255, 255, 255, 255, 0, 0, 255, 25, 25, 255,
		63, 63 };
	unsigned char rgb[18];

	ps_overlay_rgb(rgb, map, frame, 6);
	ck_assert_mem_eq(rgb, expected, 18);
}
END_TEST

/* The definition of BT.601 in floating point, from the rgb form. */
START_TEST(red_in_ycc)
{
	unsigned char map[512], frame[512], rgb[3 * 512], planes[3 * 512];

	for (unsigned i = 0; i < 512; i++) {
		map[i] = i < 256 ? 0 : 255;
		frame[i] = (unsigned char)i;
	}
	ps_overlay_rgb(rgb, map, frame, 512);
	ps_overlay_ycc(planes, map, frame, 512);
	for (size_t i = 0; i < 512; i++) {
		double r = rgb[3 * i] / 255.0, g = rgb[3 * i + 1] / 255.0, b = rgb[3 * i + 2] / 255.0;
		double y = 0.299 * r + 0.587 * g + 0.114 * b;

		ck_assert_double_eq_tol(planes[i], 16 + 219 * y, 0.51);
		ck_assert_double_eq_tol(planes[512 + i], 128 + 224 * (b - y) / 1.772, 0.51);
		ck_assert_double_eq_tol(planes[1024 + i], 128 + 224 * (r - y) / 1.402, 0.51);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sheet");
	TCase *sheet = files_case(suite, "sheet"), *overlay = files_case(suite, "overlay");

	tcase_add_test(sheet, evenly_spaced);
	tcase_add_test(sheet, short_streams_show_all);
	tcase_add_test(sheet, one_frame_is_whole);
	tcase_add_test(sheet, thumbnails_are_means);
	tcase_add_test(sheet, extreme_sizes);
	tcase_add_test(sheet, out_of_memory);
	tcase_add_test(overlay, red_in_rgb);
	tcase_add_test(overlay, red_in_ycc);
	return test_main(suite);
}
