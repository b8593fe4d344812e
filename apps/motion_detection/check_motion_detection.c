/* SPDX-License-Identifier: MIT */
/* The program's maps are those of the definition, whatever the size, rate, depth, pinning, input and output.
 */
#include "config.h"

#include "apps/motion_detection/check_motion.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLIP "/usr/share/doc/opencv-doc/examples/data/vtest.avi"

static const struct {
	unsigned w, h;
	const char *size;
} sizes[] = { { 320, 240, "320x240" }, { 768, 576, "768x576" }, { 321, 243, "321x243" }, { 16, 5, "16x5" },
	{ 5, 5, "5x5" } };
static const char *const rates[] = { "1", "2", "3", "4", "8", "16" };
static const size_t counts[] = { 1, 2, 5, 7, 10, 17, 33 };
enum { MOST = 33 };

static const char *text(size_t number)
{
	static char texts[4][24];
	static unsigned next;
	char *here = texts[next++ % 4];

	snprintf(here, sizeof(texts[0]), "%zu", number);
	return here;
}

START_TEST(every_size_rate_and_count)
{
	unsigned w = sizes[_i].w, h = sizes[_i].h;
	size_t size = (size_t)w * h;
	bool large = size > 100000;
	unsigned char *frames = files_random(size * MOST, 1), *maps = oracle_maps(frames, w, h, MOST, 20);

	files_write("in.gray", frames, size * MOST);
	for (size_t r = 0; r < TEST_COUNT(rates); r++) {
		for (size_t c = 0; c < TEST_COUNT(counts); c++) {
			struct run run = { 0 };

			/* the large one: the ends of the list and one in the middle */
			if ((large && c % 3) || (TEST_SANITIZED && (r + c) % 7))
				continue;
			RUN(&run, 0, "--input", "in.gray", "--size", sizes[_i].size, "--rate", rates[r],
				"--frames", text(counts[c]), "--output", "out.gray");
			expect_file("out.gray", maps, counts[c] * size);
			ck_assert_uint_eq(run.out_size, 0);
			program_free(&run);
		}
	}
	ck_assert_uint_eq(files_count(), 2);
	free(frames);
	free(maps);
}
END_TEST

/* One clip of 10 frames of 321x243 for the rest. */
enum { W = 321, H = 243, SIZE = W * H, COUNT = 10 };

static unsigned char *frames, *maps;

static void write_input(void)
{
	frames = files_random((size_t)SIZE * COUNT, 2);
	maps = oracle_maps(frames, W, H, COUNT, 20);
	files_write("in.gray", frames, (size_t)SIZE * COUNT);
}

static void free_input(void)
{
	free(frames);
	free(maps);
}

#define GRAY "--input", "in.gray", "--size", "321x243"

START_TEST(depths_teams_and_pins)
{
	char one[16], seven[64], two[32];
	const char *const options[][2] = { { "--depth", "1" }, { "--depth", "2" }, { "--depth", "3" },
		{ "--depth", "4" }, { "--depth", "17" }, { "--depth", "auto" }, { "--team", "0" },
		{ "--team", "1" }, { "--team", "2" }, { "--team", "3" }, { "--team", "8" }, { "--pin", one },
		{ "--pin", seven }, { "--pin", two } };
	unsigned c = test_core(0);

	snprintf(one, sizeof(one), "%u", c);
	snprintf(seven, sizeof(seven), "%u,%u,%u,%u,%u,%u,%u", c, c, c, c, c, c, c);
	snprintf(two, sizeof(two), "%u,%u", c, test_core(1));
	for (size_t i = 0; i < TEST_COUNT(options); i++) {
		for (size_t r = strcmp(options[i][0], "--team") ? 0 : 3; r < 4; r += 3) {
			struct run run = { 0 };

			RUN(&run, 0, GRAY, "--rate", rates[r], options[i][0], options[i][1], "--output",
				"out.gray");
			expect_file("out.gray", maps, (size_t)SIZE * COUNT);
			program_free(&run);
		}
	}
}
END_TEST

START_TEST(every_threshold)
{
	static const int thresholds[] = { 0, 1, 5, 60, 255 };

	for (size_t i = 0; i < TEST_COUNT(thresholds); i++) {
		unsigned char *expected = oracle_maps(frames, W, H, COUNT, thresholds[i]);
		struct run run = { 0 };

		RUN(&run, 0, GRAY, "--threshold", text((size_t)thresholds[i]), "--output", "out.gray");
		expect_file("out.gray", expected, (size_t)SIZE * COUNT);
		program_free(&run);
		free(expected);
	}
}
END_TEST

START_TEST(stdout_has_the_maps_only)
{
	struct run run = { 0 };

	RUN(&run, 0, GRAY, "--output", "-", "--output", "out.gray");
	ck_assert_uint_eq(run.out_size, (size_t)SIZE * COUNT);
	ck_assert_mem_eq(run.out, maps, (size_t)SIZE * COUNT);
	expect_file("out.gray", maps, (size_t)SIZE * COUNT);
	program_free(&run);
	RUN(&run, 0, GRAY);
	ck_assert_uint_eq(run.out_size, 0);
	ck_assert_uint_eq(files_count(), 2);
	program_free(&run);
}
END_TEST

/* Y4M on a pipe, mono and colour: colour's luma is 16 + 219/255 of the grey, limited to values that come back
 * exactly. */
START_TEST(y4m_on_a_pipe)
{
	static const char header[] = "YUV4MPEG2 W321 H243 F25:1 Ip A1:1 Cmono\n";
	size_t frame = SIZE + 6, size = sizeof(header) - 1 + COUNT * frame;
	unsigned char *bytes = malloc(size);

	memcpy(bytes, header, sizeof(header) - 1);
	for (size_t n = 0; n < COUNT; n++) {
		memcpy(bytes + sizeof(header) - 1 + n * frame, "FRAME\n", 6);
		memcpy(bytes + sizeof(header) - 1 + n * frame + 6, frames + n * SIZE, SIZE);
	}
	for (size_t r = 0; r < TEST_COUNT(rates); r++) {
		struct run run = { .input = bytes, .input_size = size };

		RUN(&run, 0, "--input", "-", "--rate", rates[r], "--output", "-");
		ck_assert_uint_eq(run.out_size, (size_t)SIZE * COUNT);
		ck_assert_mem_eq(run.out, maps, (size_t)SIZE * COUNT);
		program_free(&run);
	}
	free(bytes);
}
END_TEST

/* 4:2:0 of limited range: black and white patches, whose luma 16 and 235 is 0 and 255 in the grey. */
START_TEST(y4m_colour)
{
	size_t size = (size_t)64 * 48, chroma = (size_t)2 * 32 * 24;
	unsigned char *grey = files_random(size * 5, 3), *expected, *noise = files_random(chroma, 4);
	FILE *file = fopen("in.y4m", "w");
	struct run run = { 0 };

	fputs("YUV4MPEG2 W64 H48 F25:1\n", file);
	for (size_t n = 0; n < 5; n++) {
		fputs("FRAME\n", file);
		for (size_t i = 0; i < size; i++) {
			grey[n * size + i] = grey[n * size + i] & 1 ? 255 : 0;
			fputc(grey[n * size + i] ? 235 : 16, file);
		}
		fwrite(noise, 1, chroma, file);
	}
	fclose(file);
	expected = oracle_maps(grey, 64, 48, 5, 20);
	RUN(&run, 0, "--input", "in.y4m", "--output", "out.gray");
	expect_file("out.gray", expected, size * 5);
	program_free(&run);
	free(grey);
	free(expected);
	free(noise);
}
END_TEST

/* The scene as the library reads it. */
START_TEST(synthetic_scene)
{
	struct pstk_video_input *scene =
		media_open(PSTK_VIDEO_INPUT(.scene_width = 100, .scene_height = 70, .frames = COUNT));
	unsigned char *grey = malloc((size_t)7000 * COUNT), *expected;
	struct run run = { 0 };
	size_t count;

	ck_assert_int_eq(media_drain(scene, grey, COUNT, &count), 0);
	ck_assert_uint_eq(count, COUNT);
	expected = oracle_maps(grey, 100, 70, COUNT, 20);
	RUN(&run, 0, "--synthetic", "100x70", "--frames", "10", "--rate", "3", "--output", "out.gray");
	expect_file("out.gray", expected, (size_t)7000 * COUNT);
	program_free(&run);
	pstk_video_input_close(scene);
	free(grey);
	free(expected);
}
END_TEST

START_TEST(overlay_as_y4m)
{
	static const char header[] = "YUV4MPEG2 W321 H243 F25:1 Ip A1:1 C444\n";
	size_t frame = (size_t)3 * SIZE + 6, size;

	for (size_t i = 0; i < 6; i++) {
		struct run run = { 0 };
		unsigned char *bytes;

		RUN(&run, 0, GRAY, "--overlay", "--rate", rates[i], "--depth", text(1 + i % 3), "--output",
			"out.y4m");
		program_free(&run);
		bytes = files_read("out.y4m", &size);
		ck_assert_uint_eq(size, sizeof(header) - 1 + COUNT * frame);
		ck_assert_mem_eq(bytes, header, sizeof(header) - 1);
		for (size_t n = 0; n < COUNT; n++) {
			const unsigned char *y = bytes + sizeof(header) - 1 + n * frame + 6,
					    *cr = y + (size_t)2 * SIZE;

			for (size_t p = 0; p < SIZE; p++) {
				unsigned char grey = frames[n * SIZE + p];
				bool moved = maps[n * SIZE + p] == 255;
				/* the luma of grey, or of red with a quarter of the grey; red's Cr lies far
				 * above grey's 128 */
				double r = moved ? 255 : grey, rest = moved ? grey / 4 : grey; /* integers */

				if (abs(y[p] - (int)(16.5 + 219 / 255.0 * (0.299 * r + 0.701 * rest))) > 1 ||
					(moved ? cr[p] < 200 : cr[p] != 128))
					ck_abort_msg("frame %zu, pixel %zu: %u, %u", n, p, y[p], cr[p]);
			}
		}
		free(bytes);
	}
}
END_TEST

START_TEST(says_where_and_how_much)
{
	struct run run = { 0 };
	char core[32];

	snprintf(core, sizeof(core), "core %u", test_core(0));
	RUN(&run, 0, "--synthetic", "320x240", "--frames", "8", "--team", "0", "--pin", core + 5);
	TEST_SAYS(run.err, "source", "gauss", "thres", "med", "sink", core,
		"FIFO memory: 0.845 MB, with shared buffers 0.691 MB", "8 frames in", "frames/s",
		"busiest actor: ", " % of one thread's time (CPU time ", " %) in 8 firings\n");
	program_free(&run);
	RUN(&run, 0, "--synthetic", "320x240", "--frames", "8", "--team", "0", "--rate", "4");
	TEST_SAYS(run.err, "any core", "FIFO memory: 3.456 MB, with shared buffers 2.842 MB", "998400 B\n",
		"614400 B, shared\n", "8 frames in");
	/* progress is for terminals */
	ck_assert_ptr_null(strchr(run.err, '\r'));
	program_free(&run);
	RUN(&run, 0, "--help");
	TEST_SAYS((char *)run.out, "--input", "--synthetic", "--size", "--frames", "--output", "--overlay",
		"--rate", "--depth", "--threshold", "--team", "--pin", "--stats", "--help", "--version");
	ck_assert_str_eq(run.err, "");
	program_free(&run);
	RUN(&run, 0, "--version");
	ck_assert_str_eq((char *)run.out, "motion_detection (penstock) " PSTK_VERSION "\n");
	program_free(&run);
}
END_TEST

#ifdef HAVE_FFMPEG

/* Pictures, which FFmpeg reads without a change. */
START_TEST(ffmpeg_pictures)
{
	struct run run = { 0 };

	for (size_t n = 0; n < COUNT; n++) {
		char name[16];
		FILE *file;

		snprintf(name, sizeof(name), "p%02zu.pgm", n);
		file = fopen(name, "w");
		fprintf(file, "P5\n321 243\n255\n");
		fwrite(frames + n * SIZE, 1, SIZE, file);
		fclose(file);
	}
	RUN(&run, 0, "--input", "p%02d.pgm", "--rate", "4", "--output", "out.gray");
	expect_file("out.gray", maps, (size_t)SIZE * COUNT);
	program_free(&run);
}
END_TEST

/* Scaled: as the library scales. */
START_TEST(scaled)
{
	struct pstk_video_input *input = media_open(PSTK_VIDEO_INPUT(.scene_width = 90, .scene_height = 60,
		.width = 41, .height = 23, .frames = 5));
	unsigned char *grey = malloc((size_t)41 * 23 * 5), *expected;
	struct run run = { 0 };
	size_t count;

	ck_assert_int_eq(media_drain(input, grey, 5, &count), 0);
	expected = oracle_maps(grey, 41, 23, 5, 20);
	RUN(&run, 0, "--synthetic", "90x60", "--size", "41x23", "--frames", "5", "--output", "out.gray");
	expect_file("out.gray", expected, (size_t)41 * 23 * 5);
	program_free(&run);
	pstk_video_input_close(input);
	free(grey);
	free(expected);
}
END_TEST

START_TEST(street_clip)
{
	struct pstk_video_input *input;
	unsigned char *grey = malloc((size_t)768 * 576 * 9), *expected;
	struct run run = { 0 };
	size_t count;

	if (access(CLIP, R_OK)) {
		fprintf(stderr, "skipped: %s is not installed (opencv-doc)\n", CLIP);
		free(grey);
		return;
	}
	input = media_open(PSTK_VIDEO_INPUT(.path = CLIP, .frames = 9));
	ck_assert_int_eq(media_drain(input, grey, 9, &count), 0);
	expected = oracle_maps(grey, 768, 576, 9, 20);
	RUN(&run, 0, "--input", CLIP, "--frames", "9", "--rate", "4", "--output", "out.gray", "--output",
		"out.mp4", "--output", "out.mkv");
	expect_file("out.gray", expected, (size_t)768 * 576 * 9);
	ck_assert_uint_eq(files_count(), 4); /* and in.gray */
	program_free(&run);
	pstk_video_input_close(input);
	free(grey);
	free(expected);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("motion_detection");
	TCase *exact = files_case(suite, "exact"), *rest = files_case(suite, "rest");

	motion_find();
	tcase_add_loop_test(exact, every_size_rate_and_count, 0, TEST_COUNT(sizes));
	tcase_add_checked_fixture(rest, write_input, free_input);
	tcase_add_test(rest, depths_teams_and_pins);
	tcase_add_test(rest, every_threshold);
	tcase_add_test(rest, stdout_has_the_maps_only);
	tcase_add_test(rest, y4m_on_a_pipe);
	tcase_add_test(rest, y4m_colour);
	tcase_add_test(rest, synthetic_scene);
	tcase_add_test(rest, overlay_as_y4m);
	tcase_add_test(rest, says_where_and_how_much);
#ifdef HAVE_FFMPEG
	tcase_add_test(rest, ffmpeg_pictures);
	tcase_add_test(rest, scaled);
	tcase_add_test(rest, street_clip);
#endif
	return test_main(suite);
}
