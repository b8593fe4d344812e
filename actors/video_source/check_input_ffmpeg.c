/* SPDX-License-Identifier: MIT */
/* What FFmpeg reads, and scaling; the Y4M reader against libswscale. Without FFmpeg: what is said then. */
#include "config.h"

#include "actors/common/check_media.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPEC(...) PSTK_VIDEO_INPUT(__VA_ARGS__)

#ifdef HAVE_FFMPEG

#include <libavutil/md5.h>
#include <libavutil/mem.h>
#include <libswscale/swscale.h>

#define CLIP "/usr/share/doc/opencv-doc/examples/data/vtest.avi"

/* A binary PGM or PPM picture of random bytes, which are returned. */
static unsigned char *write_picture(
	const char *name, unsigned w, unsigned h, unsigned channels, uint64_t seed)
{
	unsigned char *bytes = files_random((size_t)w * h * channels, seed);
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "P%c\n%u %u\n255\n", channels == 1 ? '5' : '6', w, h);
	fwrite(bytes, 1, (size_t)w * h * channels, file);
	ck_assert_int_eq(fclose(file), 0);
	return bytes;
}

START_TEST(one_picture)
{
	unsigned char *bytes = write_picture("a.pgm", 33, 17, 1, 1), got[2 * 33 * 17];
	struct pstk_video_input *input = media_open(SPEC(.path = "a.pgm"));
	size_t count;

	ck_assert_int_eq(media_drain(input, got, 2, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_mem_eq(got, bytes, 33 * 17);
	pstk_video_input_close(input);
	free(bytes);
}
END_TEST

START_TEST(numbered_pictures)
{
	unsigned char all[5 * 35], got[6 * 35];
	struct pstk_video_input *input;
	size_t count;

	for (unsigned i = 0; i < 5; i++) {
		char name[16];
		unsigned char *bytes;

		snprintf(name, sizeof(name), "p%02u.pgm", i);
		bytes = write_picture(name, 7, 5, 1, i);
		memcpy(all + (size_t)i * 35, bytes, 35);
		free(bytes);
	}
	input = media_open(SPEC(.path = "p%02d.pgm"));
	ck_assert_int_eq(media_drain(input, got, 6, &count), 0);
	ck_assert_uint_eq(count, 5);
	ck_assert_mem_eq(got, all, sizeof(all));
	pstk_video_input_close(input);
	input = media_open(SPEC(.path = "p%02d.pgm", .frames = 2));
	ck_assert_int_eq(media_drain(input, NULL, 0, &count), 0);
	ck_assert_uint_eq(count, 2);
	pstk_video_input_close(input);
}
END_TEST

static void second_picture_differs(unsigned w, unsigned h, unsigned channels, const char *text)
{
	struct pstk_video_input *input;
	size_t count;

	free(write_picture("p0.ppm", 6, 4, 3, 1));
	free(write_picture("p1.ppm", w, h, channels, 2));
	input = media_open(SPEC(.path = "p%d.ppm"));
	ck_assert_int_eq(media_drain(input, NULL, 0, &count), -EPROTO);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(pstk_video_input_error(input), text);
	pstk_video_input_close(input);
}

START_TEST(frame_size_changes)
{
	second_picture_differs(8, 4, 3, "p%d.ppm: the frame size changes from 6x4 to 8x4 in frame 1");
	second_picture_differs(6, 3, 3, "p%d.ppm: the frame size changes from 6x4 to 6x3 in frame 1");
	second_picture_differs(6, 4, 1, "p%d.ppm: the pixel format changes in frame 1");
}
END_TEST

/* A clip of 20 frames in a container, from the synthetic scene. */
static void write_clip(const char *name)
{
	struct pstk_video_input *scene =
		media_open(SPEC(.scene_width = 64, .scene_height = 48, .frames = 20));
	struct pstk_video_output *output;
	unsigned char frame[64 * 48];
	char error[PSTK_VIDEO_ERROR_SIZE];

	ck_assert_msg(!pstk_video_output_open(&output,
			      PSTK_VIDEO_OUTPUT(.path = name, .width = 64, .height = 48, .rate_num = 10,
				      .rate_den = 1),
			      error, sizeof(error)),
		"%s", error);
	while (pstk_video_input_read(scene, frame) == 1)
		ck_assert_int_eq(pstk_video_output_write(output, frame, NULL), 0);
	ck_assert_int_eq(pstk_video_output_complete(output), 0);
	pstk_video_output_close(output);
	pstk_video_input_close(scene);
}

START_TEST(clip_and_its_rate)
{
	struct pstk_video_input *input;
	struct pstk_video_info info;
	size_t count;

	write_clip("a.avi");
	input = media_open(SPEC(.path = "a.avi"));
	ck_assert_int_eq(pstk_video_input_get_info(input, &info), 0);
	ck_assert_uint_eq(info.width, 64);
	ck_assert_uint_eq(info.height, 48);
	ck_assert_uint_eq(info.rate_num, 10 * info.rate_den);
	ck_assert_int_eq(media_drain(input, NULL, 0, &count), 0);
	ck_assert_uint_eq(count, 20);
	pstk_video_input_close(input);
}
END_TEST

/* The same clip through a FIFO gives the same frames. */
START_TEST(clip_on_a_pipe)
{
	unsigned char *direct = malloc(21 * 64 * 48), *piped = malloc(21 * 64 * 48);
	struct pstk_video_input *input;
	size_t count;
	FILE *cat;
	char path[32];

	write_clip("a.mkv");
	input = media_open(SPEC(.path = "a.mkv"));
	ck_assert_int_eq(media_drain(input, direct, 21, &count), 0);
	ck_assert_uint_eq(count, 20);
	pstk_video_input_close(input);
	cat = popen("cat a.mkv", "r");
	ck_assert_ptr_nonnull(cat);
	snprintf(path, sizeof(path), "/dev/fd/%d", fileno(cat));
	input = media_open(SPEC(.path = path));
	ck_assert_int_eq(media_drain(input, piped, 21, &count), 0);
	ck_assert_uint_eq(count, 20);
	ck_assert_mem_eq(direct, piped, (size_t)20 * 64 * 48);
	pstk_video_input_close(input);
	pclose(cat);
	free(direct);
	free(piped);
}
END_TEST

/* Cut in its last third, where its frames are: either within a packet or between two. */
START_TEST(clip_truncated)
{
	static const char *const names[] = { "a.avi", "a.mkv", "a.webm" };
	const char *name = names[_i];
	char fix[64];
	struct pstk_video_input *input;
	struct stat status;
	size_t count, all;

	write_clip(name);
	ck_assert_int_eq(stat(name, &status), 0);
	ck_assert_int_eq(truncate(name, status.st_size * 2 / 3), 0);
	input = media_open(SPEC(.path = name));
	ck_assert_int_lt(media_drain(input, NULL, 0, &all), 0);
	ck_assert_uint_lt(all, 20);
	TEST_SAYS(pstk_video_input_error(input), name, ": truncated");
	/* what is whole can be had, and the message says how */
	snprintf(fix, sizeof(fix), "(--frames %zu takes these)", all);
	TEST_SAYS(pstk_video_input_error(input), fix);
	pstk_video_input_close(input);
	input = media_open(SPEC(.path = name, .frames = all));
	ck_assert_int_eq(media_drain(input, NULL, 0, &count), 0);
	ck_assert_uint_eq(count, all);
	pstk_video_input_close(input);
}
END_TEST

/* The header counts 20 frames, and the file ends after a whole one: its index, at the end, is cut off with
 * the rest. */
START_TEST(header_counts_more)
{
	struct pstk_video_input *input;
	unsigned char *bytes;
	size_t size, count, cut = 0, found = 0;
	char text[160];

	write_clip("a.avi");
	bytes = files_read("a.avi", &size);
	/* behind "movi" each frame is "00dc", its length, its data: the start of the 13th */
	for (size_t i = (size_t)((unsigned char *)memmem(bytes, size, "movi", 4) - bytes);
		i + 4 < size && !cut; i++) {
		if (!memcmp(bytes + i, "00dc", 4) && ++found == 13)
			cut = i;
	}
	ck_assert_uint_gt(cut, 0);
	files_write("a.avi", bytes, cut);
	free(bytes);
	input = media_open(SPEC(.path = "a.avi"));
	ck_assert_int_eq(media_drain(input, NULL, 0, &count), -ENODATA);
	snprintf(text, sizeof(text),
		"a.avi: truncated: 12 of the 20 frames in its header (--frames 12 takes these)");
	ck_assert_str_eq(pstk_video_input_error(input), text);
	pstk_video_input_close(input);
	input = media_open(SPEC(.path = "a.avi", .frames = 12));
	ck_assert_int_eq(media_drain(input, NULL, 0, &count), 0);
	ck_assert_uint_eq(count, 12);
	pstk_video_input_close(input);
}
END_TEST

/* Adds one to the four bytes behind `after` bytes of the text, where AVI counts frames. */
static void count_one_more(unsigned char *bytes, size_t size, const char *text, size_t after)
{
	unsigned char *at = memmem(bytes, size, text, 4);

	ck_assert_ptr_nonnull(at);
	ck_assert_uint_eq(at[after], 20);
	at[after]++;
}

/* An AVI counts chunks, also empty ones, which are no frames: the whole file is no truncated one. By name, on stdin as
 * a file, and through a pipe. */
START_TEST(avi_counts_an_empty_chunk)
{
	struct pstk_video_input *input;
	unsigned char *bytes;
	size_t size, count;
	FILE *cat = NULL;
	int saved = dup(STDIN_FILENO);

	write_clip("a.avi");
	bytes = files_read("a.avi", &size);
	count_one_more(bytes, size, "avih", 8 + 16);
	count_one_more(bytes, size, "strh", 8 + 32);
	files_write("a.avi", bytes, size);
	free(bytes);
	if (_i == 2)
		cat = popen("cat a.avi", "r");
	ck_assert_ptr_nonnull(freopen("a.avi", "r", stdin));
	if (cat)
		dup2(fileno(cat), STDIN_FILENO);
	input = media_open(SPEC(.path = _i ? "-" : "a.avi"));
	ck_assert_int_eq(media_drain(input, NULL, 0, &count), 0);
	ck_assert_uint_eq(count, 20);
	pstk_video_input_close(input);
	if (cat)
		pclose(cat);
	dup2(saved, STDIN_FILENO);
	close(saved);
}
END_TEST

/* The same frames from a file on stdin as from the file, though FFmpeg seeks in it; also when what is before it has
 * been read. */
START_TEST(clip_on_stdin)
{
	static const char *const names[] = { "a.avi", "a.mp4", "a.mkv", "a.mp4" };
	const char *name = names[_i];
	unsigned char *direct = malloc(21 * 64 * 48), *again = malloc(21 * 64 * 48), *bytes;
	int saved = dup(STDIN_FILENO), fd;
	struct pstk_video_input *input;
	size_t count, size;
	FILE *file;

	write_clip(name);
	input = media_open(SPEC(.path = name));
	ck_assert_int_eq(media_drain(input, direct, 21, &count), 0);
	pstk_video_input_close(input);
	bytes = files_read(name, &size);
	file = fopen("behind", "w");
	fwrite("before", 1, 6, file);
	fwrite(bytes, 1, size, file);
	fclose(file);
	free(bytes);
	fd = open(_i == 3 ? "behind" : name, O_RDONLY);
	ck_assert_int_ge(lseek(fd, _i == 3 ? 6 : 0, SEEK_SET), 0);
	dup2(fd, STDIN_FILENO);
	close(fd);
	input = media_open(SPEC(.path = "-"));
	ck_assert_int_eq(media_drain(input, again, 21, &count), 0);
	ck_assert_uint_eq(count, 20);
	ck_assert_mem_eq(direct, again, (size_t)20 * 64 * 48);
	pstk_video_input_close(input);
	dup2(saved, STDIN_FILENO);
	close(saved);
	free(direct);
	free(again);
}
END_TEST

/* What FFmpeg takes for a protocol or a pattern is a name like any other when such a file is there. */
START_TEST(odd_names)
{
	static const char *const names[] = { "12:30.avi", "lit%03d.avi", "50%.avi", "a b.avi" };
	struct pstk_video_input *input;
	unsigned char *bytes, got[35];
	size_t count;

	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		write_clip("clip.avi");
		ck_assert_int_eq(rename("clip.avi", names[i]), 0);
		input = media_open(SPEC(.path = names[i]));
		ck_assert_int_eq(media_drain(input, NULL, 0, &count), 0);
		ck_assert_uint_eq(count, 20);
		pstk_video_input_close(input);
	}
	bytes = write_picture("lit%03d.pgm", 7, 5, 1, 1);
	input = media_open(SPEC(.path = "lit%03d.pgm"));
	ck_assert_int_eq(media_drain(input, got, 1, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_mem_eq(got, bytes, 35);
	pstk_video_input_close(input);
	free(bytes);
}
END_TEST

/* The last bytes are missing: the frames that are whole can be had, and it is said. Each container has another sign of
 * its end. */
START_TEST(end_is_missing)
{
	static const char *const names[] = { "a.mkv", "a.webm", "a.ogv", "a.gif", "a.apng", "a.mjpeg" };
	const char *name = names[_i];
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_output *output;
	struct pstk_video_input *input;
	unsigned char *map = files_random(64 * 48, 7);
	struct stat status;
	size_t all, count;

	ck_assert_msg(
		!pstk_video_output_open(&output, PSTK_VIDEO_OUTPUT(.path = name, .width = 64, .height = 48),
			error, sizeof(error)),
		"%s", error);
	for (int i = 0; i < 6; i++) {
		map[i * 100] ^= 255;
		ck_assert_int_eq(pstk_video_output_write(output, map, NULL), 0);
	}
	ck_assert_int_eq(pstk_video_output_complete(output), 0);
	pstk_video_output_close(output);
	free(map);
	input = media_open(SPEC(.path = name));
	ck_assert_int_eq(media_drain(input, NULL, 0, &all), 0);
	pstk_video_input_close(input);
	ck_assert_int_eq(stat(name, &status), 0);
	ck_assert_int_eq(truncate(name, status.st_size - 60), 0);
	input = media_open(SPEC(.path = name));
	ck_assert_int_lt(media_drain(input, NULL, 0, &count), 0);
	ck_assert_uint_le(count, all);
	TEST_SAYS(pstk_video_input_error(input), name, ": truncated");
	pstk_video_input_close(input);
}
END_TEST

static void expect_no_index(const char *path)
{
	char text[160];

	snprintf(text, sizeof(text),
		"%s: is cut off before its index, without which none of its frames can be found: copy or "
		"record it "
		"again",
		path);
	media_refuses(SPEC(.path = path), -ENODATA, text);
}

/* An MP4's index is its last box, unless it was moved: without it there is nothing to be had. Cut in the frames, where
 * they end, within the index; through a pipe; the length of the frames still to be filled in, as a recorder leaves it
 * that has lost its power. */
START_TEST(index_is_missing)
{
	static const char *const names[] = { "a.mp4", "a.mov" };
	const char *name = names[_i];
	unsigned char *bytes, *frames, *index;
	char path[32];
	size_t size, at;
	FILE *cat;

	write_clip(name);
	bytes = files_read(name, &size);
	frames = memmem(bytes, size, "mdat", 4);
	index = memmem(bytes, size, "moov", 4);
	ck_assert(frames && index && frames < index);
	at = (size_t)(index - bytes);
	for (size_t i = 0; i < 6; i++) {
		const size_t cuts[] = { at / 2, at - 4, at + 3, at + 100, at + (size - at) / 2, at / 2 };

		if (i == 5)
			memset(frames - 4, 0, 4);
		files_write(name, bytes, cuts[i]);
		expect_no_index(name);
	}
	snprintf(path, sizeof(path), "cat %s", name);
	cat = popen(path, "r");
	ck_assert_ptr_nonnull(cat);
	snprintf(path, sizeof(path), "/dev/fd/%d", fileno(cat));
	expect_no_index(path);
	pclose(cat);
	free(bytes);
}
END_TEST

/* Boxes without an index that nothing cut off, or that are no MP4's: as before. */
START_TEST(no_index_of_its_own)
{
	static const char moof[] = "\0\0\0\x10"
				   "ftypisom\0\0\0\0"
				   "\0\0\0\x8"
				   "moof"
				   "\0\0\0\x10"
				   "mdat12345678";
	static const char other[] = "\0\0\0\x10"
				    "abcdefgh\0\0\0\0"
				    "\0\0\0\x40"
				    "mdat12345678";

	files_write("a.mp4", (const unsigned char *)moof, sizeof(moof) - 1);
	media_refuses(SPEC(.path = "a.mp4"), -EINVAL, "a.mp4: is not a video");
	files_write("a.mp4", (const unsigned char *)other, sizeof(other) - 1);
	media_refuses(SPEC(.path = "a.mp4"), -EINVAL, "a.mp4: is not a video");
}
END_TEST

/* Nothing of the first frame is there: no advice to take no frames. */
START_TEST(no_frame_is_there)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_input *input;
	unsigned char *bytes, *movi;
	size_t size;

	write_clip("a.avi");
	bytes = files_read("a.avi", &size);
	movi = memmem(bytes, size, "movi", 4);
	ck_assert_ptr_nonnull(movi);
	files_write("a.avi", bytes, (size_t)(movi - bytes) + 40);
	free(bytes);
	ck_assert_int_lt(pstk_video_input_open(&input, SPEC(.path = "a.avi"), error, sizeof(error)), 0);
	TEST_SAYS(error, "a.avi: truncated");
	ck_assert_ptr_null(strstr(error, "--frames"));
}
END_TEST

START_TEST(frame_too_wide)
{
	free(write_picture("a.pgm", 40000, 1, 1, 1));
	media_refuses(SPEC(.path = "a.pgm"), -EINVAL, "a.pgm: wrong frame size 40000x1");
	/* smaller it can be had */
	pstk_video_input_close(media_open(SPEC(.path = "a.pgm", .width = 400, .height = 1)));
}
END_TEST

START_TEST(damaged_pictures)
{
	struct pstk_video_input *input;
	size_t count;

	free(write_picture("p0.ppm", 6, 4, 3, 1));
	files_text("p1.ppm", "P6\n6 4\n255\nshort");
	input = media_open(SPEC(.path = "p%d.ppm"));
	ck_assert_int_eq(media_drain(input, NULL, 0, &count), -EPROTO);
	ck_assert_uint_eq(count, 1);
	TEST_SAYS(pstk_video_input_error(input), "p%d.ppm: cannot be decoded");
	pstk_video_input_close(input);
}
END_TEST

START_TEST(not_a_video)
{
	/* one second of silence, 8 bits, 8 kHz */
	static const unsigned char wav[44 + 64] =
		"RIFF\x64\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x8\0"
		"data\x40\0\0";

	files_text("a.avi",
		"This is no video, but a text that is long enough to be looked at by all of them.\n");
	media_refuses(SPEC(.path = "a.avi"), -EINVAL, "a.avi: is not a video");
	files_write("a.wav", wav, sizeof(wav));
	media_refuses(SPEC(.path = "a.wav"), -EINVAL, "a.wav: is not a video: no video stream");
	files_text("empty.mp4", "");
	media_refuses(SPEC(.path = "empty.mp4"), -ENODATA, "empty.mp4: is empty");
	media_refuses(SPEC(.path = "none.mp4"), -ENOENT, "none.mp4: No such file or directory");
	media_refuses(SPEC(.path = "."), -EISDIR, ".: Is a directory");
	media_refuses(SPEC(.path = "none://a"), -EPROTO, "none://a: cannot be opened: Protocol not found");
	media_refuses(SPEC(.path = "none%d.pgm"), -EPROTO,
		"none%d.pgm: there is no such picture with a number from 0 to 4, as the first one's is");
}
END_TEST

/* All 256 values of luma, limited range, against libswscale. */
START_TEST(y4m_equals_swscale)
{
	unsigned char *planes[4] = { av_mallocz(512), av_mallocz(512), av_mallocz(512) },
		      *grey[4] = { av_mallocz(512) };
	const int strides[4] = { 256, 128, 128 }, to_strides[4] = { 256 };
	struct SwsContext *scale = sws_getContext(
		256, 1, AV_PIX_FMT_YUV444P, 256, 1, AV_PIX_FMT_GRAY8, SWS_BICUBIC, NULL, NULL, NULL);
	const int wide[4] = { 256, 256, 256 };
	struct pstk_video_input *input;
	unsigned char got[256];
	FILE *file = fopen("a.y4m", "w");

	(void)strides;
	fputs("YUV4MPEG2 W256 H1 F25:1 C444\nFRAME\n", file);
	for (int i = 0; i < 256; i++)
		planes[0][i] = (unsigned char)i;
	for (int p = 0; p < 3; p++)
		fwrite(planes[p], 1, 256, file);
	fclose(file);
	sws_scale(scale, (const uint8_t *const *)planes, wide, 0, 1, grey, to_strides);
	input = media_open(SPEC(.path = "a.y4m"));
	ck_assert_int_eq(pstk_video_input_read(input, got), 1);
	ck_assert_mem_eq(got, grey[0], 256);
	ck_assert_uint_eq(got[16], 0);
	ck_assert_uint_eq(got[235], 255);
	pstk_video_input_close(input);
	sws_freeContext(scale);
	for (int p = 0; p < 3; p++)
		av_free(planes[p]);
	av_free(grey[0]);
}
END_TEST

/* A frame of 90x60 scaled as FFmpeg scales yuv420p to grey: at once. */
START_TEST(scaled_equals_swscale)
{
	static const uint32_t sizes[][2] = { { 45, 30 }, { 120, 77 }, { 31, 99 }, { 5, 5 }, { 91, 60 } };
	uint32_t w = sizes[_i][0], h = sizes[_i][1];
	unsigned char *bytes = files_random(90 * 60 * 3 / 2, 5), *got = malloc((size_t)w * h);
	unsigned char *planes[4] = { av_mallocz(96 * 62), av_mallocz(64 * 32), av_mallocz(64 * 32) };
	const int strides[4] = { 96, 64, 64 }, to_strides[4] = { (int)w + 64 };
	unsigned char *grey[4] = { av_mallocz((size_t)to_strides[0] * (h + 1)) };
	struct SwsContext *scale = sws_getContext(
		90, 60, AV_PIX_FMT_YUV420P, (int)w, (int)h, AV_PIX_FMT_GRAY8, SWS_BICUBIC, NULL, NULL, NULL);
	struct pstk_video_input *input;
	FILE *file = fopen("a.y4m", "w");

	fputs("YUV4MPEG2 W90 H60 F25:1\nFRAME\n", file);
	fwrite(bytes, 1, 90 * 60 * 3 / 2, file);
	fclose(file);
	for (size_t y = 0; y < 60; y++)
		memcpy(planes[0] + y * 96, bytes + y * 90, 90);
	sws_scale(scale, (const uint8_t *const *)planes, strides, 0, 60, grey, to_strides);
	input = media_open(SPEC(.path = "a.y4m", .width = w, .height = h));
	ck_assert_int_eq(pstk_video_input_read(input, got), 1);
	for (size_t y = 0; y < h; y++)
		ck_assert_mem_eq(got + y * w, grey[0] + y * (size_t)to_strides[0], w);
	pstk_video_input_close(input);
	sws_freeContext(scale);
	for (int p = 0; p < 3; p++)
		av_free(planes[p]);
	av_free(grey[0]);
	free(bytes);
	free(got);
}
END_TEST

/* Allocations of FFmpeg's larger than so many bytes fail: every step says so and leaves nothing behind. */
START_TEST(ffmpeg_out_of_memory)
{
	unsigned failures = 0;

	write_clip("a.avi");
	for (size_t most = 16; most < 4000000; most += most / 3) {
		struct pstk_video_input *input;
		char error[PSTK_VIDEO_ERROR_SIZE];
		size_t count;
		int err;

		av_max_alloc(most);
		err = pstk_video_input_open(
			&input, SPEC(.path = "a.avi", .width = 300, .height = 200), error, sizeof(error));
		if (!err) {
			media_drain(input, NULL, 0, &count);
			pstk_video_input_close(input);
		} else {
			ck_assert_ptr_null(input);
			ck_assert_int_eq(strncmp(error, "a.avi: ", 7), 0);
			failures++;
		}
		/* and where only scaling needs FFmpeg */
		err = pstk_video_input_open(&input,
			SPEC(.scene_width = 90, .scene_height = 60, .width = 30, .height = 20), error,
			sizeof(error));
		if (err)
			TEST_SAYS(error, "synthetic scene: cannot scale 90x60 to 30x20");
		pstk_video_input_close(input);
	}
	av_max_alloc(INT_MAX);
	ck_assert_uint_gt(failures, 5);
}
END_TEST

START_TEST(street_clip)
{
	struct pstk_video_input *input;
	struct AVMD5 *md5 = av_md5_alloc();
	unsigned char *frame = malloc(768 * 576);
	uint8_t sum[16];
	char text[33];
	unsigned count = 0;

	if (access(CLIP, R_OK)) {
		fprintf(stderr, "skipped: %s is not installed (opencv-doc)\n", CLIP);
	} else {
		input = media_open(SPEC(.path = CLIP));
		av_md5_init(md5);
		for (; pstk_video_input_read(input, frame) == 1; count++)
			av_md5_update(md5, frame, 768 * 576);
		av_md5_final(md5, sum);
		for (int i = 0; i < 16; i++)
			snprintf(text + 2 * i, 3, "%02x", sum[i]);
		ck_assert_str_eq(pstk_video_input_error(input), "");
		ck_assert_uint_eq(count, 795);
		ck_assert_str_eq(text, "0463c6d8646dfc569622be3b36689c98");
		pstk_video_input_close(input);
	}
	av_free(md5);
	free(frame);
}
END_TEST

static void add_tests(Suite *suite)
{
	TCase *ffmpeg = files_case(suite, "ffmpeg");

	tcase_add_test(ffmpeg, one_picture);
	tcase_add_test(ffmpeg, numbered_pictures);
	tcase_add_test(ffmpeg, frame_size_changes);
	tcase_add_test(ffmpeg, clip_and_its_rate);
	tcase_add_test(ffmpeg, clip_on_a_pipe);
	tcase_add_loop_test(ffmpeg, clip_truncated, 0, 3);
	tcase_add_test(ffmpeg, header_counts_more);
	tcase_add_loop_test(ffmpeg, avi_counts_an_empty_chunk, 0, 3);
	tcase_add_loop_test(ffmpeg, clip_on_stdin, 0, 4);
	tcase_add_test(ffmpeg, odd_names);
	tcase_add_loop_test(ffmpeg, end_is_missing, 0, 6);
	tcase_add_loop_test(ffmpeg, index_is_missing, 0, 2);
	tcase_add_test(ffmpeg, no_index_of_its_own);
	tcase_add_test(ffmpeg, no_frame_is_there);
	tcase_add_test(ffmpeg, frame_too_wide);
	tcase_add_test(ffmpeg, damaged_pictures);
	tcase_add_test(ffmpeg, not_a_video);
	tcase_add_test(ffmpeg, y4m_equals_swscale);
	tcase_add_loop_test(ffmpeg, scaled_equals_swscale, 0, 5);
	tcase_add_test(ffmpeg, ffmpeg_out_of_memory);
	tcase_add_test(ffmpeg, street_clip);
}

#else

START_TEST(without_ffmpeg)
{
	files_text("a.avi", "RIFF....AVI LIST");
	media_refuses(SPEC(.path = "a.avi"), -ENOTSUP,
		"a.avi: is neither .gray nor Y4M, and this build has no FFmpeg");
	files_text("a.gray", "0123");
	media_refuses(SPEC(.path = "none://a"), -ENOTSUP,
		"none://a: is neither .gray nor Y4M, and this build has no FFmpeg");
	media_refuses(SPEC(.scene_width = 20, .scene_height = 10, .width = 10, .height = 5), -ENOTSUP,
		"synthetic scene: cannot scale 20x10 to 10x5: this build has no FFmpeg");
}
END_TEST

static void add_tests(Suite *suite)
{
	tcase_add_test(files_case(suite, "none"), without_ffmpeg);
}

#endif

int main(void)
{
	Suite *suite = suite_create("input_ffmpeg");

	add_tests(suite);
	return test_main(suite);
}
