/* SPDX-License-Identifier: MIT */
/* The maps that the program makes on the cores, against the whole pathway in double precision; what holds for all maps;
 * and the kinds of files. */
#include "config.h"

#include "apps/saliency/check_saliency.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(unsigned w, unsigned h)
{
	static char text[32];

	snprintf(text, sizeof text, "%ux%u", w, h);
	return text;
}

static void run_program(const char *const *arguments)
{
	struct run run = { 0 };

	program_run(&run, 0, arguments);
	program_free(&run);
}
#define PROGRAM(...) run_program((const char *const[]){ __VA_ARGS__, NULL })

static const char *const windows[] = { "hann", "flat8", "none" };

static void check_size(unsigned w, unsigned h, size_t count, const char *window, const char *team)
{
	unsigned char *frames = saliency_frames(w, h, count, w * 1000 + h);
	double *maps = saliency_oracle(frames, w, h, count, window);

	files_write("in.gray", frames, (size_t)w * h * count);
	PROGRAM("--input", "in.gray", "--size", text_of(w, h), "--window", window, "--team", team, "--output",
		"out.f32");
	saliency_expect("out.f32", maps, (size_t)w * h, count);
	free(frames);
	free(maps);
}

/* Also odd ones, primes, the smallest. */
static const struct {
	unsigned w, h;
} sizes[] = { { 64, 48 }, { 8, 8 }, { 9, 11 }, { 45, 33 }, { 31, 57 }, { 8, 100 }, { 127, 16 }, { 34, 26 },
	{ 96, 97 } };

START_TEST(every_size)
{
	for (size_t i = 0; i < TEST_COUNT(windows); i++)
		check_size(sizes[_i].w, sizes[_i].h, 3, windows[i], i ? "2" : "0");
}
END_TEST

#ifdef HAVE_FFTW
/* The definition would take minutes for these. */
START_TEST(full_sizes)
{
	check_size(512, 512, 1, "hann", "2");
	check_size(720, 576, 1, "hann", "2");
	if (!TEST_SANITIZED)
		check_size(641, 479, 1, "flat8", "3");
}
END_TEST
#endif

/* A frame that is brighter, or of another contrast, has the same map. */
START_TEST(brightness_and_contrast)
{
	enum { W = 60, H = 50, N = W * H };
	unsigned char *frames = saliency_frames(W, H, 1, 7), changed[3 * N];
	size_t count;
	double *maps, most = 0;

	for (size_t i = 0; i < N; i++) {
		changed[i] = frames[i] / 3;
		changed[N + i] = (unsigned char)(changed[i] * 3);
		changed[2 * N + i] = (unsigned char)(changed[i] + 120);
	}
	files_write("in.gray", changed, sizeof changed);
	PROGRAM("--input", "in.gray", "--size", "60x50", "--output", "out.f32");
	maps = saliency_read("out.f32", &count);
	ck_assert_uint_eq(count, 3 * N);
	for (size_t i = 0; i < N; i++)
		most = fmax(most, maps[i]);
	ck_assert_double_gt(most, 0.1);
	for (size_t i = 0; i < N; i++) {
		ck_assert_double_eq_tol(maps[N + i], maps[i], 1e-5 * most);
		ck_assert_double_eq_tol(maps[2 * N + i], maps[i], 1e-5 * most);
	}
	free(frames);
	free(maps);
}
END_TEST

/* Each value of a frame that is all one: exactly 0, in either form of output. */
START_TEST(constant_frames)
{
	enum { W = 31, H = 24, N = W * H, VALUES = 6 };
	unsigned char *frames = malloc(VALUES * N), *zeros = calloc(VALUES * N, sizeof(float));

	for (size_t i = 0; i < VALUES * N; i++)
		frames[i] = (unsigned char)(i / N * 51);
	files_write("in.gray", frames, VALUES * N);
	PROGRAM("--input", "in.gray", "--size", "31x24", "--window", windows[_i], "--output", "out.f32");
	expect_file("out.f32", zeros, VALUES * N * sizeof(float));
	PROGRAM("--input", "in.gray", "--size", "31x24", "--window", windows[_i], "--output", "out.gray");
	expect_file("out.gray", zeros, VALUES * N);
	free(frames);
	free(zeros);
}
END_TEST

/*
 * Files.
 */

enum { WIDTH = 40, HEIGHT = 30, PIXELS = WIDTH * HEIGHT, FRAMES = 5 };

/* Frames, their maps as floats of the program, and the same as 8-bit grey by the definition. */
static unsigned char *frames, greys[FRAMES * PIXELS];

static void make_files(void)
{
	size_t count;
	double *maps;

	frames = saliency_frames(WIDTH, HEIGHT, FRAMES, 3);
	files_write("in.gray", frames, FRAMES * PIXELS);
	PROGRAM("--input", "in.gray", "--size", "40x30", "--output", "maps.f32");
	maps = saliency_read("maps.f32", &count);
	ck_assert_uint_eq(count, FRAMES * PIXELS);
	for (size_t n = 0; n < FRAMES; n++) {
		double most = 0;

		for (size_t i = 0; i < PIXELS; i++)
			most = fmax(most, maps[n * PIXELS + i]);
		for (size_t i = 0; i < PIXELS; i++)
			greys[n * PIXELS + i] = (unsigned char)fmax(
				0, floor((float)maps[n * PIXELS + i] / (float)most * 255 + 0.5f));
	}
	free(maps);
}

#define GRAY "--input", "in.gray", "--size", "40x30"

START_TEST(raw_grey)
{
	struct run run = { 0 };

	make_files();
	PROGRAM(GRAY, "--output", "out.gray");
	expect_file("out.gray", greys, FRAMES * PIXELS);
	RUN(&run, 0, GRAY, "--output", "-", "--frames", "2");
	ck_assert_uint_eq(run.out_size, 2 * PIXELS);
	ck_assert_mem_eq(run.out, greys, 2 * PIXELS);
	program_free(&run);
	PROGRAM(GRAY, "--output", "/dev/null");
	PROGRAM(GRAY);
	free(frames);
}
END_TEST

static void write_y4m(const char *name)
{
	FILE *f = fopen(name, "w");

	fprintf(f, "YUV4MPEG2 W%d H%d F30000:1001 Cmono XCOLORRANGE=FULL\n", WIDTH, HEIGHT);
	for (size_t n = 0; n < FRAMES; n++) {
		fputs("FRAME\n", f);
		fwrite(frames + n * PIXELS, 1, PIXELS, f);
	}
	ck_assert_int_eq(fclose(f), 0);
}

#ifdef HAVE_PNG
/* Width and height stand in the first chunk, at bytes 16 and 20. */
static void expect_size(const char *name, unsigned width, unsigned height)
{
	size_t size;
	unsigned char *png = files_read(name, &size);

	ck_assert_uint_gt(size, 24);
	ck_assert_mem_eq(png, "\x89PNG", 4);
	ck_assert_uint_eq(png[18] * 256u + png[19], width);
	ck_assert_uint_eq(png[22] * 256u + png[23], height);
	free(png);
}
#endif

START_TEST(videos)
{
	struct run run = { 0 };
	size_t size;

	make_files();
	write_y4m("in.y4m");
	PROGRAM("--input", "in.y4m", "--output", "out.gray");
	expect_file("out.gray", greys, FRAMES * PIXELS);
	run.input = files_read("in.y4m", &run.input_size);
	RUN(&run, 0, "--input", "-", "--output", "out.f32");
	free((void *)run.input);
	program_free(&run);
	run.input = files_read("maps.f32", &size);
	expect_file("out.f32", run.input, size);
	free((void *)run.input);
	PROGRAM("--input", "in.y4m", "--output", "out.y4m");
	ck_assert_int_gt(files_size("out.y4m"), FRAMES * PIXELS);
#ifdef HAVE_PNG
	PROGRAM("--input", "in.y4m", "--output", "out.png");
	ck_assert_int_gt(files_size("out.png"), 0);
	/* a still is as large as its input */
	PROGRAM("--input", "in.y4m", "--frames", "1", "--output", "still.png");
	expect_size("still.png", WIDTH, HEIGHT);
#endif
#ifdef HAVE_FFMPEG
	PROGRAM("--input", "in.y4m", "--output", "out.mkv", "--size", "20x16");
	ck_assert_int_gt(files_size("out.mkv"), 0);
#endif
	free(frames);
}
END_TEST

/* Red is where a map is half as bright as its largest value, and only there. */
START_TEST(overlay)
{
	unsigned char *bytes, *at;
	size_t size;

	make_files();
	PROGRAM(GRAY, "--overlay", "--output", "out.y4m", "--team", _i ? "3" : "0");
	bytes = files_read("out.y4m", &size);
	at = memchr(bytes, '\n', size);
	ck_assert_ptr_nonnull(at);
	ck_assert_uint_eq(size - (size_t)(at + 1 - bytes), FRAMES * (6 + 3 * PIXELS));
	at++;
	for (size_t n = 0; n < FRAMES; n++) {
		ck_assert_mem_eq(at, "FRAME\n", 6);
		at += 6;
		for (size_t i = 0; i < PIXELS; i++)
			ck_assert_int_eq(at[2 * PIXELS + i] != 128, greys[n * PIXELS + i] >= 128);
		at += 3 * PIXELS;
	}
	free(bytes);
	free(frames);
}
END_TEST

START_TEST(a_network_that_is_only_checked)
{
	struct run run = { 0 };

	RUN(&run, 0, "--synthetic", "40x30", "--check", "--output", "out.gray", "--overlay", "--output",
		"out.y4m");
	TEST_SAYS((char *)run.out, "free of deadlock");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 0);
	RUN(&run, 0, "--version");
	TEST_SAYS((char *)run.out, "saliency (penstock) ");
	program_free(&run);
	RUN(&run, 0, "--help");
	TEST_SAYS((char *)run.out, "Usage: saliency ", "--split STEP");
	program_free(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("saliency");
	TCase *maps = files_case(suite, "maps"), *files = files_case(suite, "files");

	saliency_find();
	tcase_add_loop_test(maps, every_size, 0, TEST_COUNT(sizes));
#ifdef HAVE_FFTW
	tcase_add_test(maps, full_sizes);
#endif
	tcase_add_test(maps, brightness_and_contrast);
	tcase_add_loop_test(maps, constant_frames, 0, TEST_COUNT(windows));
	tcase_add_test(files, raw_grey);
	tcase_add_test(files, videos);
	tcase_add_loop_test(files, overlay, 0, 2);
	tcase_add_test(files, a_network_that_is_only_checked);
	return test_main(suite);
}
