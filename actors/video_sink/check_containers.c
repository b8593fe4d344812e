/* SPDX-License-Identifier: MIT */
/* Contact sheets and containers, read back: size, number of frames, and what is to be seen. */
#include "config.h"

#include "actors/common/check_media.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPEC(...) PSTK_VIDEO_OUTPUT(__VA_ARGS__)

static void refuses(const struct pstk_video_output_spec *spec, int err, const char *text)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_output *output;

	ck_assert_int_eq(pstk_video_output_open(&output, spec, error, sizeof(error)), err);
	ck_assert_ptr_null(output);
	ck_assert_str_eq(error, text);
	ck_assert_uint_eq(files_count(), 0);
}

#if defined(HAVE_FFMPEG) || defined(HAVE_PNG)

/* Frames whose left half is black and right half is white, the picture grey: with overlay the right half is
 * red. */
static void write_halves(const char *name, uint32_t w, uint32_t h, unsigned frames, bool overlay)
{
	unsigned char *map = malloc((size_t)w * h), *frame = malloc((size_t)w * h);
	struct pstk_video_output *output;
	char error[PSTK_VIDEO_ERROR_SIZE];
	int err = pstk_video_output_open(&output,
		SPEC(.path = name, .width = w, .height = h, .rate_num = 30000, .rate_den = 1001,
			.overlay = overlay),
		error, sizeof(error));

	ck_assert_msg(!err, "%s", error);
	for (size_t i = 0; i < (size_t)w * h; i++) {
		map[i] = i % w < w / 2 ? 0 : 255;
		frame[i] = 100;
	}
	for (unsigned n = 0; n < frames && !err; n++)
		err = pstk_video_output_write(output, map, frame);
	if (!err)
		err = pstk_video_output_complete(output);
	ck_assert_msg(!err, "%s", pstk_video_output_error(output));
	pstk_video_output_close(output);
	free(map);
	free(frame);
}

#endif

#ifdef HAVE_FFMPEG

#include <libavutil/mem.h>

static void expect_halves(const char *name, uint32_t w, uint32_t h, unsigned frames, int left, int right)
{
	struct pstk_video_input *input = media_open(PSTK_VIDEO_INPUT(.path = name));
	unsigned char *frame = malloc((size_t)w * h);
	struct pstk_video_info info;
	unsigned count = 0;

	pstk_video_input_get_info(input, &info);
	ck_assert_uint_eq(info.width, w);
	ck_assert_uint_eq(info.height, h);
	for (; pstk_video_input_read(input, frame) == 1; count++) {
		for (uint32_t y = 0; y < h; y++) {
			ck_assert_int_le(abs(frame[y * w] - left), 12);
			ck_assert_int_le(abs(frame[y * w + w - 1] - right), 12);
		}
	}
	ck_assert_str_eq(pstk_video_input_error(input), "");
	ck_assert_uint_eq(count, frames);
	pstk_video_input_close(input);
	free(frame);
}

static const char *const containers[] = { "a.mp4", "a.mkv", "a.avi", "a.webm", "a.mov" };
static const uint32_t sizes[][2] = { { 320, 240 }, { 321, 243 }, { 16, 16 }, { 63, 48 } };

START_TEST(containers_read_back)
{
	const char *name = containers[(size_t)_i / TEST_COUNT(sizes)];
	const uint32_t *size = sizes[(size_t)_i % TEST_COUNT(sizes)];

	write_halves(name, size[0], size[1], 12, false);
	expect_halves(name, size[0], size[1], 12, 0, 255);
	write_halves(name, size[0], size[1], 3, true);
	/* the luma of the grey, and of the red (255, 25, 25) */
	expect_halves(name, size[0], size[1], 3, 100, 94);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* Tiny frames: where a codec takes them they are right, where not it says so. */
START_TEST(tiny_frames)
{
	static const uint32_t tiny[][2] = { { 16, 5 }, { 5, 5 }, { 1, 1 } };

	for (size_t i = 0; i < TEST_COUNT(containers); i++) {
		for (size_t k = 0; k < TEST_COUNT(tiny); k++) {
			char error[PSTK_VIDEO_ERROR_SIZE];
			struct pstk_video_output *output;
			int err = pstk_video_output_open(&output,
				SPEC(.path = containers[i], .width = tiny[k][0], .height = tiny[k][1]), error,
				sizeof(error));

			if (err) {
				TEST_SAYS(error, containers[i], "does not take");
				ck_assert_uint_eq(files_count(), 0);
				continue;
			}
			pstk_video_output_close(output);
			write_halves(containers[i], tiny[k][0], tiny[k][1], 5, false);
			expect_halves(
				containers[i], tiny[k][0], tiny[k][1], 5, tiny[k][0] > 1 ? 0 : 255, 255);
			ck_assert_int_eq(remove(containers[i]), 0);
		}
	}
}
END_TEST

START_TEST(other_pixel_formats)
{
	write_halves("a.gif", 64, 48, 4, false);
	expect_halves("a.gif", 64, 48, 4, 0, 255);
	write_halves("a.gif", 64, 48, 4, true);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* MJPEG is of full range. */
START_TEST(motion_jpeg)
{
	write_halves("a.mjpeg", 64, 48, 4, false);
	expect_halves("a.mjpeg", 64, 48, 4, 0, 255);
	write_halves("a.mjpeg", 63, 47, 4, true);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

/* FFmpeg reads no narrower Theora than 18. */
START_TEST(theora_sizes)
{
	struct pstk_video_output *output;
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_input *input;

	ck_assert_int_eq(pstk_video_output_open(&output, SPEC(.path = "a.ogv", .width = 17, .height = 48),
				 error, sizeof(error)),
		-EINVAL);
	TEST_SAYS(error, "a.ogv: ", "does not take 17x48");
	ck_assert_uint_eq(files_count(), 0);
	write_halves("a.ogv", 18, 1, 1, false);
	input = media_open(PSTK_VIDEO_INPUT(.path = "a.ogv"));
	pstk_video_input_close(input);
}
END_TEST

/* What a container can't hold is refused; raw maps have no rate. */
START_TEST(rates)
{
	static const uint32_t odd[][2] = { { UINT32_MAX, 1 }, { 1, UINT32_MAX } };

	for (size_t i = 0; i < TEST_COUNT(odd); i++) {
		char text[160], error[PSTK_VIDEO_ERROR_SIZE];
		struct pstk_video_output *output;

		snprintf(text, sizeof(text),
			"a.mp4: a container takes 1/1000 to 1000000 frames per second, not %u/%u", odd[i][0],
			odd[i][1]);
		refuses(SPEC(.path = "a.mp4", .width = 64, .height = 48, .rate_num = odd[i][0],
				.rate_den = odd[i][1]),
			-EINVAL, text);
		ck_assert_int_eq(pstk_video_output_open(&output,
					 SPEC(.path = "a.gray", .width = 64, .height = 48,
						 .rate_num = odd[i][0], .rate_den = odd[i][1]),
					 error, sizeof(error)),
			0);
		pstk_video_output_close(output);
	}
}
END_TEST

START_TEST(what_a_codec_refuses)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_output *output;
	int reader;

	ck_assert_int_eq(pstk_video_output_open(&output, SPEC(.path = "a.avi", .width = 32768, .height = 16),
				 error, sizeof(error)),
		-EINVAL);
	TEST_SAYS(error, "a.avi: ", "does not take 32768x16 at 25/1 frames per second");
	ck_assert_uint_eq(files_count(), 0);
	/* MP4 goes back to its beginning */
	ck_assert_int_eq(mkfifo("a.mp4", 0600), 0);
	reader = open("a.mp4", O_RDONLY | O_NONBLOCK);
	ck_assert_int_eq(pstk_video_output_open(&output, SPEC(.path = "a.mp4", .width = 64, .height = 48),
				 error, sizeof(error)),
		-EPROTO);
	TEST_SAYS(error, "a.mp4: its header cannot be written");
	close(reader);
}
END_TEST

/* FFmpeg's allocations above so many bytes fail. */
START_TEST(ffmpeg_out_of_memory)
{
	unsigned char map[64 * 48] = { 0 };
	unsigned failures = 0;

	for (size_t most = 16; most < 2000000; most += most / 3) {
		char error[PSTK_VIDEO_ERROR_SIZE] = "";
		struct pstk_video_output *output;
		int err;

		av_max_alloc(most);
		err = pstk_video_output_open(
			&output, SPEC(.path = "a.avi", .width = 64, .height = 48), error, sizeof(error));
		if (!err)
			err = pstk_video_output_write(output, map, NULL);
		if (!err)
			err = pstk_video_output_complete(output);
		pstk_video_output_close(output);
		ck_assert_uint_eq(files_count(), err ? 0 : 1);
		if (!err)
			ck_assert_int_eq(remove("a.avi"), 0);
		failures += err != 0;
	}
	av_max_alloc(INT_MAX);
	ck_assert_uint_gt(failures, 5);
}
END_TEST

START_TEST(unknown_endings)
{
	refuses(SPEC(.path = "a.xyz", .width = 64, .height = 48), -EINVAL,
		"a.xyz: '.xyz' is no ending of a video that can be written");
	refuses(SPEC(.path = "a.wav", .width = 64, .height = 48), -EINVAL,
		"a.wav: '.wav' is no ending of a video that can be written");
	refuses(SPEC(.path = "a.jpg", .width = 64, .height = 48), -EINVAL,
		"a.jpg: '.jpg' is no ending of a video that can be written");
}
END_TEST

#ifdef HAVE_PNG

/* The sheet read back by FFmpeg, as grey. */
START_TEST(png_sheet)
{
	struct pstk_video_input *input;
	struct pstk_video_info info;
	unsigned char *sheet;
	bool overlay = _i;

	write_halves("a.png", 40, 30, 100, overlay);
	input = media_open(PSTK_VIDEO_INPUT(.path = "a.png"));
	pstk_video_input_get_info(input, &info);
	ck_assert_uint_eq(info.width, 4 * 44 + 4);
	ck_assert_uint_eq(info.height, 3 * 34 + 4);
	sheet = malloc((size_t)info.width * info.height);
	ck_assert_int_eq(pstk_video_input_read(input, sheet), 1);
	for (uint32_t i = 0; i < 12; i++) {
		const unsigned char *corner = sheet + (4 + i / 4 * 34) * info.width + 4 + i % 4 * 44;

		ck_assert_int_le(abs(corner[0] - (overlay ? 100 : 0)), 1);
		ck_assert_int_le(abs(corner[39] - (overlay ? 94 : 255)), 1);
		ck_assert_int_le(abs(corner[40] - 32), 1);
	}
	free(sheet);
	pstk_video_input_close(input);
	ck_assert_uint_eq(files_count(), 1);
}
END_TEST

#endif

#else

START_TEST(without_ffmpeg)
{
	refuses(SPEC(.path = "a.mp4", .width = 64, .height = 48), -ENOTSUP,
		"a.mp4: only .gray, .y4m and .png: this build has no FFmpeg");
}
END_TEST

#endif

#ifdef HAVE_PNG

START_TEST(png_is_png)
{
	unsigned char *bytes;
	size_t size;

	write_halves("a.png", 7, 5, 3, true);
	bytes = files_read("a.png", &size);
	ck_assert_uint_gt(size, 33);
	ck_assert_mem_eq(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
	/* 2 columns, 2 rows, eight bits, rgb */
	ck_assert_mem_eq(bytes + 16, "\0\0\0\x1a\0\0\0\x16\x08\x02", 10);
	free(bytes);
}
END_TEST

#else

START_TEST(without_png)
{
	refuses(SPEC(.path = "a.png", .width = 64, .height = 48), -ENOTSUP,
		"a.png: this build has no libpng for contact sheets");
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("containers");
	TCase *tests = files_case(suite, "containers");

#ifdef HAVE_FFMPEG
	tcase_add_loop_test(tests, containers_read_back, 0, TEST_COUNT(containers) * TEST_COUNT(sizes));
	tcase_add_test(tests, tiny_frames);
	tcase_add_test(tests, other_pixel_formats);
	tcase_add_test(tests, motion_jpeg);
	tcase_add_test(tests, theora_sizes);
	tcase_add_test(tests, rates);
	tcase_add_test(tests, what_a_codec_refuses);
	tcase_add_test(tests, ffmpeg_out_of_memory);
	tcase_add_test(tests, unknown_endings);
#ifdef HAVE_PNG
	tcase_add_loop_test(tests, png_sheet, 0, 2);
#endif
#else
	tcase_add_test(tests, without_ffmpeg);
#endif
#ifdef HAVE_PNG
	tcase_add_test(tests, png_is_png);
#else
	tcase_add_test(tests, without_png);
#endif
	return test_main(suite);
}
