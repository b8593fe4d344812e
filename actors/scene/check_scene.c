/* SPDX-License-Identifier: MIT */
/* The synthetic scene: the same frames always, a still street, walkers that move, every size. */
#include "actors/scene/scene.h"
#include "tests/common/common.h"

#include <errno.h>
#include <penstock/media.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 0x5a

static const uint32_t sizes[][2] = { { 5, 5 }, { 16, 5 }, { 5, 300 }, { 321, 243 }, { 320, 240 },
	{ 900, 7 } };

static unsigned char *new_frame(uint32_t w, uint32_t h)
{
	unsigned char *frame = malloc((size_t)w * h + 64);

	ck_assert_ptr_nonnull(frame);
	memset(frame, GUARD, (size_t)w * h + 64);
	return frame;
}

static uint64_t fnv(const unsigned char *bytes, size_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

START_TEST(stays_in_its_frame)
{
	uint32_t w = sizes[_i][0], h = sizes[_i][1];
	unsigned char *frame = new_frame(w, h);
	struct ps_scene *scene = NULL;

	ck_assert_int_eq(ps_scene_create(&scene, w, h), 0);
	for (uint64_t n = 0; n < 200; n += 3) {
		ps_scene_frame(scene, n, frame);
		for (size_t i = 0; i < 64; i++)
			ck_assert_uint_eq(frame[(size_t)w * h + i], GUARD);
	}
	ps_scene_destroy(scene);
	free(frame);
}
END_TEST

START_TEST(frames_do_not_depend_on_what_was_asked_before)
{
	unsigned char *a = new_frame(64, 48), *b = new_frame(64, 48);
	struct ps_scene *scene = NULL, *other = NULL;

	ck_assert_int_eq(ps_scene_create(&scene, 64, 48), 0);
	ck_assert_int_eq(ps_scene_create(&other, 64, 48), 0);
	for (uint64_t n = 0; n < 10; n++)
		ps_scene_frame(scene, n, a);
	ps_scene_frame(other, 9, b);
	ck_assert_mem_eq(a, b, 64 * 48);
	ps_scene_frame(other, 8, b);
	ck_assert_mem_ne(a, b, 64 * 48);
	ps_scene_destroy(scene);
	ps_scene_destroy(other);
	free(a);
	free(b);
}
END_TEST

/* Written down from a little-endian 64-bit machine: every other one must give the same. */
START_TEST(frames_are_the_same_on_every_machine)
{
	static const uint64_t expected[] = { UINT64_C(0x7fdf693021cc327b), UINT64_C(0xabe3a84471db384d),
		UINT64_C(0x050138af9d89e217) };
	static const uint64_t numbers[] = { 0, 57, UINT64_C(1) << 40 };
	unsigned char *frame = new_frame(321, 243);
	struct ps_scene *scene = NULL;

	ck_assert_int_eq(ps_scene_create(&scene, 321, 243), 0);
	for (size_t i = 0; i < 3; i++) {
		ps_scene_frame(scene, numbers[i], frame);
		ck_assert_uint_eq(fnv(frame, 321 * 243), expected[i]);
	}
	ps_scene_destroy(scene);
	free(frame);
}
END_TEST

/* Above the horizon and the walkers' heads nothing moves: there two frames differ by the noise at most. */
START_TEST(the_street_is_still)
{
	unsigned char *a = new_frame(320, 240), *b = new_frame(320, 240);
	struct ps_scene *scene = NULL;
	int differ = 0;

	ck_assert_int_eq(ps_scene_create(&scene, 320, 240), 0);
	ps_scene_frame(scene, 0, a);
	for (uint64_t n = 1; n < 60; n++) {
		ps_scene_frame(scene, n, b);
		for (size_t i = 0; i < (size_t)320 * 60; i++) {
			ck_assert_int_le(abs(a[i] - b[i]), 2 * (int)PS_SCENE_NOISE);
			differ += a[i] != b[i];
		}
	}
	ck_assert_int_gt(differ, 0);
	ps_scene_destroy(scene);
	free(a);
	free(b);
}
END_TEST

/* Some pixels of the ground, but not many, change by more than the usual threshold from frame to frame. */
START_TEST(walkers_move)
{
	unsigned char *a = new_frame(320, 240), *b = new_frame(320, 240);
	struct ps_scene *scene = NULL;

	ck_assert_int_eq(ps_scene_create(&scene, 320, 240), 0);
	ps_scene_frame(scene, 0, a);
	for (uint64_t n = 1; n < 100; n++) {
		unsigned char *c = a;
		int moved = 0;

		ps_scene_frame(scene, n, b);
		for (size_t i = 0; i < (size_t)320 * 240; i++)
			moved += abs(a[i] - b[i]) > 20;
		ck_assert_int_gt(moved, 100);
		ck_assert_int_lt(moved, 320 * 240 / 10);
		a = b;
		b = c;
	}
	ps_scene_destroy(scene);
	free(a);
	free(b);
}
END_TEST

START_TEST(wrong_sizes)
{
	struct ps_scene *scene = NULL;

	ck_assert_int_eq(ps_scene_create(&scene, 4, 5), -EINVAL);
	ck_assert_int_eq(ps_scene_create(&scene, 5, 4), -EINVAL);
	ck_assert_int_eq(ps_scene_create(&scene, 32769, 5), -EINVAL);
	ck_assert_int_eq(ps_scene_create(&scene, 5, 32769), -EINVAL);
	ck_assert_ptr_null(scene);
	ps_scene_destroy(NULL);
}
END_TEST

START_TEST(as_an_input)
{
	unsigned char *a = new_frame(40, 30), *b = new_frame(40, 30);
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_input *input;
	struct pstk_video_info info;
	struct ps_scene *scene = NULL;

	ck_assert_int_eq(pstk_video_input_open(&input, PSTK_VIDEO_INPUT(.scene_width = 4, .scene_height = 30),
				 error, sizeof(error)),
		-EINVAL);
	ck_assert_str_eq(error, "synthetic scene: wrong size 4x30 (5x5 to 32768x32768)");
	ck_assert_int_eq(pstk_video_input_open(&input,
				 PSTK_VIDEO_INPUT(.scene_width = 40, .scene_height = 30, .frames = 2), error,
				 sizeof(error)),
		0);
	ck_assert_int_eq(pstk_video_input_get_info(input, &info), 0);
	ck_assert_uint_eq(info.width, 40);
	ck_assert_uint_eq(info.height, 30);
	ck_assert_uint_eq(info.rate_num, 25);
	ck_assert_uint_eq(info.rate_den, 1);
	ck_assert_int_eq(ps_scene_create(&scene, 40, 30), 0);
	for (uint64_t n = 0; n < 2; n++) {
		ck_assert_int_eq(pstk_video_input_read(input, a), 1);
		ps_scene_frame(scene, n, b);
		ck_assert_mem_eq(a, b, 40 * 30);
	}
	ck_assert_int_eq(pstk_video_input_read(input, a), 0);
	ck_assert_int_eq(pstk_video_input_read(input, a), 0);
	ck_assert_str_eq(pstk_video_input_error(input), "");
	pstk_video_input_close(input);
	ps_scene_destroy(scene);
	free(a);
	free(b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scene");
	TCase *frames = test_case(suite, "frames");

	tcase_add_loop_test(frames, stays_in_its_frame, 0, TEST_COUNT(sizes));
	tcase_add_test(frames, frames_do_not_depend_on_what_was_asked_before);
	tcase_add_test(frames, frames_are_the_same_on_every_machine);
	tcase_add_test(frames, the_street_is_still);
	tcase_add_test(frames, walkers_move);
	tcase_add_test(frames, wrong_sizes);
	tcase_add_test(frames, as_an_input);
	return test_main(suite);
}
