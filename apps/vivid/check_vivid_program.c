/* SPDX-License-Identifier: MIT */
/* What the program writes: vectors, lines, videos, figures; whatever the configuration. */
#include "config.h"

#include "actors/common/check_files.h"
#include "actors/common/check_vivid.h"
#include "apps/common/check_program.h"
#include "apps/vivid/check_run.h"
#include "apps/vivid/coefficients.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 120, PIXELS = WIDTH * HEIGHT, CELLS = 300, FILTERS = 100, ROWS = 420 };

static float *floats(const char *name, size_t count)
{
	size_t size;
	unsigned char *bytes = files_read(name, &size);
	float *to = malloc(count * sizeof *to);

	ck_assert_ptr_nonnull(to);
	ck_assert_uint_eq(size, 4 * count);
	for (size_t i = 0; i < count; i++) {
		const unsigned char *b = bytes + 4 * i;
		uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;

		memcpy(to + i, &word, sizeof word);
	}
	free(bytes);
	return to;
}

/* The picture of the vectors, as it is and as two frames. */
static void write_picture(const char *name, unsigned copies)
{
	unsigned char *pixels = vivid_file("in_160x120.pgm", 15, PIXELS),
		      *all = malloc(copies * (size_t)PIXELS);

	ck_assert_ptr_nonnull(all);
	for (unsigned i = 0; i < copies; i++)
		memcpy(all + i * (size_t)PIXELS, pixels, PIXELS);
	files_write(name, all, copies * (size_t)PIXELS);
	free(pixels);
	free(all);
}

static void compare(const char *name, const float *want, size_t count, float share, float least)
{
	float *got = floats(name, count);

	for (size_t i = 0; i < count; i++)
		ck_assert_msg(fabsf(got[i] - want[i]) <= share * want[i] + least,
			"%s: number %zu is %g, not %g", name, i, (double)got[i], (double)want[i]);
	free(got);
}

static void check_distances(const char *name)
{
	float *got = floats(name, (size_t)ROWS * CELLS),
	      *want = vivid_floats("stage3_dist_21x300.f32", 21 * CELLS);

	for (size_t i = 0; i < 21 * CELLS; i++)
		ck_assert_float_le(fabsf(got[i / CELLS * 20 * CELLS + i % CELLS] - want[i]), 1e-5f * want[i]);
	free(got);
	free(want);
}

START_TEST(vectors)
{
	static const char *const configurations[] = { "CG:000:1", "CPU-CG:000:2", "MG:000", "adaptive",
		"baseline", "none" };
	float *value = vivid_floats("stage1_value.f32", PIXELS),
	      *hist = vivid_floats("stage2_hist_300x100.f32", CELLS * FILTERS);
	unsigned char *index = vivid_file("stage1_index.u8", 0, PIXELS), *got;
	size_t size;

	write_picture("in.gray", 2);
	VIVID("--input", "in.gray", "--size", "160x120", "--device", "cores", "--pipeline",
		configurations[_i], "--dump", ".");
	for (unsigned frame = 0; frame < 2; frame++) {
		compare(frame ? "00001.value.f32" : "00000.value.f32", value, PIXELS, 0, 1e-3f);
		compare(frame ? "00001.hist.f32" : "00000.hist.f32", hist, CELLS * FILTERS, 1e-3f, 1e-3f);
		check_distances(frame ? "00001.dist.f32" : "00000.dist.f32");
		got = files_read(frame ? "00001.index.u8" : "00000.index.u8", &size);
		ck_assert_uint_eq(size, PIXELS);
		for (size_t i = 0; i < PIXELS; i++)
			ck_assert(got[i] == index[i] || value[i] <= 1e-3f);
		free(got);
	}
	ck_assert(!files_exists("00002.index.u8"));
	free(value);
	free(hist);
	free(index);
}
END_TEST

/* Y4M frames of random pixels. */
static void write_frames(const char *name, unsigned w, unsigned h, unsigned count, uint64_t seed)
{
	unsigned char *pixels = files_random((size_t)w * h, seed),
		      *all = malloc(100 + count * (w * (size_t)h + 6));
	size_t at = (size_t)snprintf((char *)all, 100, "YUV4MPEG2 W%u H%u F25:1 Cmono\n", w, h);

	for (unsigned i = 0; i < count; i++) {
		memcpy(all + at, "FRAME\n", 6);
		memcpy(all + at + 6, pixels, (size_t)w * h);
		pixels[0]++;
		at += 6 + (size_t)w * h;
	}
	files_write(name, all, at);
	free(pixels);
	free(all);
}

/* Frames of several sizes, twice: the lines are of what was dumped. */
START_TEST(lines)
{
	static const unsigned sizes[][2] = { { 17, 9 }, { 40, 24 }, { 40, 24 }, { 9, 33 } };
	char *text, *at;
	size_t size;

	write_frames("a.y4m", 17, 9, 1, 1);
	write_frames("b.y4m", 40, 24, 2, 2);
	write_frames("c.y4m", 9, 33, 1, 3);
	VIVID("--input", "a.y4m", "--input", "b.y4m", "c.y4m", "--repeat", "2", "--device", "cores",
		"--filter-count", "7", "--rows", "5", "--distance", "3e7", "--dump", ".", "--output",
		"out.txt");
	text = (char *)files_read("out.txt", &size);
	text = realloc(text, size + 1);
	ck_assert_ptr_nonnull(text);
	text[size] = '\0';
	at = text;
	for (unsigned frame = 0; frame < 8; frame++) {
		const unsigned *s = sizes[frame % 4], across = s[0] / 8, cells = across * (s[1] / 8);
		char name[40], want[100];
		float *dist;

		snprintf(name, sizeof name, "%05u.dist.f32", frame);
		dist = floats(name, 5 * (size_t)cells);
		for (unsigned row = 0; row < 5; row++) {
			unsigned best = 0;

			for (unsigned i = 1; i < cells; i++)
				best = dist[row * cells + i] < dist[row * cells + best] ? i : best;
			if (dist[row * cells + best] >= 3e7f)
				continue;
			snprintf(want, sizeof want, "%u %u %u %u %.9g\n", frame, row, best % across * 8,
				best / across * 8, (double)dist[row * cells + best]);
			ck_assert_msg(!strncmp(at, want, strlen(want)), "%.40s, not %s", at, want);
			at += strlen(want);
		}
		free(dist);
	}
	ck_assert_str_eq(at, "");
	ck_assert_ptr_ne(at, text);
	free(text);
}
END_TEST

/* The stream ends after so many frames, in the second round of the inputs. */
START_TEST(frames_and_repeat)
{
	write_frames("a.y4m", 16, 16, 3, 1);
	VIVID("--input", "a.y4m", "--repeat", "4", "--frames", "5", "--device", "cores", "--rows", "2",
		"--dump", ".");
	ck_assert(files_exists("00004.index.u8"));
	ck_assert(!files_exists("00005.index.u8"));
}
END_TEST

/* Frames that go around stages that are actors of their own, as around a pipeline. */
START_TEST(video_apart)
{
	unsigned char *bytes;
	size_t size;

	write_frames("a.y4m", 32, 16, 3, 1);
	VIVID("--input", "a.y4m", "--device", "cores", "--repeat", "20", "--output", "want.y4m");
	bytes = files_read("want.y4m", &size);
	for (unsigned i = 0; i < 3; i++) {
		const char *cores[] = { "1", "2", "4" };

		VIVID("--input", "a.y4m", "--device", "cores", "--cores", cores[i], "--repeat", "20",
			"--pipeline", "none", "--output", "got.y4m");
		expect_file("got.y4m", bytes, size);
	}
	free(bytes);
}
END_TEST

/* A frame of a video is 3 planes of its pixels: what is painted is red. */
START_TEST(video)
{
	unsigned char *none, *all;
	size_t size, head = strlen("YUV4MPEG2 W32 H16 F25:1 Ip A0:0 C444\n"), other;

	write_frames("a.y4m", 32, 16, 2, 1);
	VIVID("--input", "a.y4m", "--device", "cores", "--rows", "1", "--distance", "1e-6", "--output",
		"none.y4m");
	VIVID("--input", "a.y4m", "--device", "cores", "--rows", "1", "--output", "all.y4m");
	none = files_read("none.y4m", &size);
	all = files_read("all.y4m", &other);
	ck_assert_uint_eq(size, other);
	ck_assert_uint_ge(size, head / 2 + 2 * (6 + 3 * 32 * 16));
	ck_assert(memcmp(none, all, size) != 0);
	free(none);
	free(all);
}
END_TEST

static void write_floats(const char *name, const float *from, size_t count)
{
	unsigned char *bytes = malloc(4 * count);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < count; i++) {
		uint32_t word;

		memcpy(&word, from + i, sizeof word);
		for (unsigned k = 0; k < 4; k++)
			bytes[4 * i + k] = (unsigned char)(word >> 8 * k);
	}
	files_write(name, bytes, 4 * count);
	free(bytes);
}

/* The generated ones from files give the same. */
START_TEST(coefficients_of_files)
{
	float *filters, *classifier;
	unsigned char *a;
	size_t size;

	write_frames("a.y4m", 32, 16, 2, 1);
	ck_assert_int_eq(coefficients_make_filters(3, &filters), 0);
	ck_assert_int_eq(coefficients_make_classifier(4, 3, &classifier), 0);
	write_floats("filters.f32", filters, 27);
	write_floats("classifier.f32", classifier, 12);
	VIVID("--input", "a.y4m", "--device", "cores", "--filter-count", "3", "--rows", "4", "--output",
		"a.txt");
	VIVID("--input", "a.y4m", "--device", "cores", "--filter-count", "3", "--rows", "4", "--filters",
		"filters.f32", "--classifier", "classifier.f32", "--output", "b.txt");
	a = files_read("a.txt", &size);
	ck_assert_uint_gt(size, 0);
	expect_file("b.txt", a, size);
	free(a);
	free(filters);
	free(classifier);
}
END_TEST

#ifdef HAVE_JANSSON
START_TEST(figures)
{
	static char err[10000];
	json_t *json, *pipeline;

	write_frames("a.y4m", 32, 16, 3, 1);
	ck_assert_int_eq(
		VIVID_RUN(err, "--input", "a.y4m", "--repeat", "40", "--device", "cores", "--cores", "1",
			"--rows", "4", "--stats", "s.json", "--save-measurements", "m.json", "--report",
			"--rule", "paper", "--candidates", "1", "--in-flight", "3", "--max-overhead", "0",
			"--min-rate", "0.001", "--objective", "throughput", "--trace", "t.json"),
		0);
	TEST_SAYS(err, "pipeline 'vivid': CPU-", "filters", "histogram", "classify", "one core");
	json = json_load_file("s.json", 0, NULL);
	ck_assert_ptr_nonnull(json);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "frames")), 120);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "rows")), 4);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "filters")), 100);
	pipeline = json_array_get(json_object_get(json, "pipelines"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(pipeline, "name")), "vivid");
	json_decref(json);
	json = json_load_file("m.json", 0, NULL);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "nC")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "R")), 3);
	json_decref(json);
	ck_assert(files_exists("t.json"));
}
END_TEST
#endif

/* Without --report there is none. */
START_TEST(no_report)
{
	static char err[10000];

	write_frames("a.y4m", 32, 16, 3, 1);
	ck_assert_int_eq(VIVID_RUN(err, "--input", "a.y4m", "--device", "cores"), 0);
	TEST_SAYS(err, "3 frames in ");
	ck_assert_ptr_null(strstr(err, "pipeline 'vivid'"));
}
END_TEST

#ifdef HAVE_OPENCL
/* The only device, or what --device says. */
START_TEST(on_a_device)
{
	static char err[10000];

	write_picture("in.gray", 1);
	if (pstk_devices(NULL, 0) != 1) {
		printf("not one OpenCL device\n");
		return;
	}
	ck_assert_int_eq(VIVID_RUN(err, "--input", "in.gray", "--size", "160x120", "--pipeline",
				 "DP-CG:111:1", "--dump", "."),
		0);
	TEST_SAYS(err, "on cores and ");
	check_distances("00000.dist.f32");
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("vivid");
	TCase *c = files_case(suite, "vivid");

	tcase_add_loop_test(c, vectors, 0, 6);
	tcase_add_test(c, lines);
	tcase_add_test(c, frames_and_repeat);
	tcase_add_test(c, video);
	tcase_add_test(c, video_apart);
	tcase_add_test(c, coefficients_of_files);
#ifdef HAVE_JANSSON
	tcase_add_test(c, figures);
#endif
	tcase_add_test(c, no_report);
#ifdef HAVE_OPENCL
	tcase_add_test(c, on_a_device);
#endif
	return test_main(suite);
}
