/* SPDX-License-Identifier: MIT */
/* The program's counts are those of the definition, whatever the size, the split, the input and the output. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/check_gnuplot.h"
#include "apps/common/check_program.h"
#include "apps/granulometry/check_oracle.h"
#include "apps/granulometry/check_run.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct oracle_shape shapes[] = { { 64, 48, 1, false, 0, 12 }, { 65, 33, 1, true, 90, 9 },
	{ 1, 40, 1, false, 0, 5 }, { 130, 1, 1, true, 20, 5 }, { 1, 1, 1, false, 0, 3 },
	{ 17, 13, 9, false, 128, 6 }, { 20, 14, 5, true, 0, 6 }, { 63, 9, 2, false, 254, 4 },
	{ 200, 31, 1, false, 30, 1 } };
enum { COUNT = 5 };

static unsigned char *write_raw(const char *name, const struct oracle_shape *s, unsigned count, uint64_t seed)
{
	unsigned char *images = oracle_images(s, count, seed);

	files_write(name, images, count * oracle_bytes(s));
	return images;
}

#define SHAPE(s)                                                                              \
	"--size", oracle_size(s), "--threshold", oracle_number((s)->threshold), "--openings", \
		oracle_number((s)->openings), "--element", (s)->cross ? "cross" : "square"

START_TEST(every_size_and_split)
{
	const struct oracle_shape *s = &shapes[_i];
	unsigned char *images = write_raw("in.u8", s, COUNT, (uint64_t)_i + test_seed());

	for (unsigned split = 1; split <= s->openings; split += TEST_SANITIZED ? 3 : 1) {
		SIEVE("--input", "in.u8", SHAPE(s), "--split", oracle_number(split), "--output", "out.json");
		oracle_expect("out.json", oracle_json(s, images, COUNT, split));
		SIEVE("--input", "in.u8", SHAPE(s), "--split", oracle_number(split), "--output", "out.csv",
			"--overlap", split & 1 ? "on" : "off", "--team", split & 2 ? "2" : "0");
		oracle_expect("out.csv", oracle_csv(s, images, COUNT));
	}
	ck_assert_uint_eq(files_count(), 3);
	free(images);
}
END_TEST

/* Without a split the rule for equal places, 28 of 40; 'auto' measures, and any split gives the same counts. */
START_TEST(chosen_splits)
{
	const struct oracle_shape s = { 37, 25, 1, false, 40, 40 };
	unsigned char *images = write_raw("in.u8", &s, 2, 3);
	char err[10000];

	ck_assert_int_eq(SIEVE_RUN(err, "--input", "in.u8", SHAPE(&s), "--output", "out.json"), 0);
	oracle_expect("out.json", oracle_json(&s, images, 2, test_core(0) == test_core(1) ? 40 : 28));
	ck_assert_int_eq(
		SIEVE_RUN(err, "--input", "in.u8", SHAPE(&s), "--split", "auto", "--output", "out.csv"), 0);
	TEST_SAYS(err, "split ", " of 40: small takes ", " ms an image, large ", ", as measured\n");
	oracle_expect("out.csv", oracle_csv(&s, images, 2));
	free(images);
}
END_TEST

START_TEST(several_inputs)
{
	const struct oracle_shape s = { 30, 20, 1, false, 0, 6 };
	unsigned char *images = oracle_images(&s, 6, 1), *all = malloc(12 * oracle_bytes(&s));

	files_write("a.u8", images, oracle_bytes(&s));
	files_write("b.u8", images + oracle_bytes(&s), 3 * oracle_bytes(&s));
	files_write("c.gray", images + 4 * oracle_bytes(&s), 2 * oracle_bytes(&s));
	SIEVE("--input", "a.u8", "b.u8", "c.gray", SHAPE(&s), "--output", "out.csv");
	oracle_expect("out.csv", oracle_csv(&s, images, 6));
	SIEVE("--input", "a.u8", "--input", "b.u8", SHAPE(&s), "c.gray", "--output", "out.csv");
	oracle_expect("out.csv", oracle_csv(&s, images, 6));
	memcpy(all, images, 6 * oracle_bytes(&s));
	memcpy(all + 6 * oracle_bytes(&s), images, 6 * oracle_bytes(&s));
	SIEVE("--input", "a.u8", "b.u8", "c.gray", SHAPE(&s), "--repeat", "2", "--output", "out.csv");
	oracle_expect("out.csv", oracle_csv(&s, all, 12));
	SIEVE("--input", "a.u8", "a.u8", "--repeat", "1", SHAPE(&s), "--output", "/dev/null");
	free(all);
	free(images);
}
END_TEST

/* Y4M, also as frames of a stream on stdin; the program itself, because it reads its stdin. */
START_TEST(frames)
{
	static const char header[] = "YUV4MPEG2 W30 H20 F25:1 Cmono\n";
	const struct oracle_shape s = { 30, 20, 1, true, 7, 6 };
	size_t bytes = oracle_bytes(&s), size = 0;
	unsigned char *images = oracle_images(&s, 3, 2), *clip = malloc(sizeof header + 3 * (bytes + 6));
	struct run run = { .input = clip };

	memcpy(clip, header, strlen(header));
	size = strlen(header);
	for (unsigned i = 0; i < 3; i++) {
		memcpy(clip + size, "FRAME\n", 6);
		memcpy(clip + size + 6, images + i * bytes, bytes);
		size += 6 + bytes;
	}
	run.input_size = size;
	files_write("in.y4m", clip, size);
	SIEVE("--input", "in.y4m", "--threshold", "7", "--openings", "6", "--element", "cross", "--output",
		"out.csv");
	oracle_expect("out.csv", oracle_csv(&s, images, 3));
	RUN(&run, 0, "--input", "-", "--threshold", "7", "--openings", "6", "--element", "cross", "--output",
		"-");
	files_write("said.csv", run.out, run.out_size);
	oracle_expect("said.csv", oracle_csv(&s, images, 3));
	TEST_SAYS(run.err, "\n3 images in ", " images/s\n");
	program_free(&run);
	free(images);
	free(clip);
}
END_TEST

#ifdef HAVE_FFMPEG
/* 6x4 pixels, 8-bit grey: 10 times their number, from 0 on. */
static const unsigned char png[] = { 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d,
	0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x04, 0x08, 0x00, 0x00, 0x00, 0x00,
	0x88, 0x6f, 0x11, 0x9f, 0x00, 0x00, 0x00, 0x25, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0xe0,
	0x12, 0x91, 0xd3, 0x30, 0x62, 0xb0, 0x71, 0x0b, 0x88, 0x4a, 0xc9, 0x63, 0xa8, 0x68, 0xea, 0x99, 0xb6,
	0x60, 0x15, 0xc3, 0x96, 0x7d, 0x27, 0x2e, 0xdd, 0x79, 0x06, 0x00, 0x63, 0x18, 0x0a, 0xc9, 0xc4, 0x2a,
	0x9a, 0x20, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82 };

START_TEST(pictures)
{
	static const char pgm[] = "P5\n# a comment\n6 4\n255\n";
	const struct oracle_shape s = { 6, 4, 1, false, 90, 3 };
	unsigned char pixels[24], file[sizeof pgm + 24];

	for (unsigned i = 0; i < 24; i++)
		pixels[i] = (unsigned char)(10 * i);
	memcpy(file, pgm, sizeof pgm);
	memcpy(file + strlen(pgm), pixels, 24);
	files_write("in.pgm", file, strlen(pgm) + 24);
	files_write("in.png", png, sizeof png);
	for (int i = 0; i < 2; i++) {
		SIEVE("--input", i ? "in.pgm" : "in.png", "--threshold", "90", "--openings", "3", "--output",
			"out.csv");
		oracle_expect("out.csv", oracle_csv(&s, pixels, 1));
	}
	/* scaled to a size, so that files of several sizes go together */
	files_write("one.u8", pixels, 12);
	SIEVE("--input", "in.png", "one.u8", "--size", "3x4", "--output", "out.csv");
}
END_TEST
#endif

static const char picture_of_one[] = "granulometric curve", spectrum[] = "pattern spectrum";

START_TEST(curves)
{
	const struct oracle_shape s = { 64, 48, 1, false, 0, 12 };
	unsigned char *images = write_raw("in.u8", &s, 3, 5), *picture;
	size_t size;

	if (!gnuplot_is_there())
		return;
	SIEVE("--input", "in.u8", SHAPE(&s), "--output", "out.svg");
	picture = files_read("out.svg", &size);
	picture[size - 1] = '\0';
	TEST_SAYS((char *)picture, "<svg", picture_of_one, spectrum, "size of the opening",
		"sums over 3 images");
	free(picture);
	SIEVE("--input", "in.u8", SHAPE(&s), "--output", "out.png");
	picture = files_read("out.png", &size);
	ck_assert_mem_eq(picture, "\x89PNG", 4);
	free(picture);
	/* nothing in it at all */
	memset(images, 0, oracle_bytes(&s));
	files_write("in.u8", images, oracle_bytes(&s));
	SIEVE("--input", "in.u8", SHAPE(&s), "--output", "out.svg");
	ck_assert_int_gt(files_size("out.svg"), 1000);
	free(images);
}
END_TEST

/* What gnuplot gets: the sums over all images. */
START_TEST(data_of_a_curve)
{
	static const unsigned char images[] = { 0, 1, 1, 1, 0, 9, 9, 9, 9, 9 };
	unsigned char *script;
	size_t size;

	gnuplot_fake("[ \"$1\" = --version ] || { cat >script && echo '<svg></svg>'; }\n");
	files_write("in.u8", images, sizeof images);
	SIEVE("--input", "in.u8", "--size", "5x1", "--openings", "3", "--output", "out.svg");
	script = files_read("script", &size);
	script[size - 1] = '\0';
	TEST_SAYS((char *)script, "$curve << EOD\n0 8\n1 8\n2 5\n3 5\nEOD\n",
		"$spectrum << EOD\n0 0\n1 3\n2 0\nEOD\n", "largest at n = 1'");
	free(script);
}
END_TEST

/* Without a name a line for each image on standard output, by the definition; but nothing beside statistics there. */
START_TEST(no_output)
{
	/* the last opening leaves some; none; the second image is empty */
	static const unsigned char images[] = { 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 0, 0, 7, 0, 0 };
	static const char lines[] = "image 0: 3 pixels, main size 1, none left by opening 2\n"
				    "image 1: no pixels\n"
				    "image 2: 5 pixels, main size 0, 5 left by opening 3\n"
				    "image 3: 1 pixel, main size 0, none left by opening 1\n";
	struct run run = { 0 };

	files_write("in.u8", images, sizeof images);
	RUN(&run, 0, "--input", "in.u8", "--size", "5x1", "--openings", "3", "--trace", "trace.json");
	files_write("said", run.out, run.out_size);
	oracle_expect("said", strdup(lines));
	TEST_SAYS(run.err, "4 actors, 4 FIFOs", "\n4 images in ");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 3);
#ifdef HAVE_JANSSON
	RUN(&run, 0, "--input", "in.u8", "--size", "5x1", "--openings", "3", "--stats", "/dev/stdout");
	ck_assert_uint_eq(run.out[0], '{');
	program_free(&run);
#endif
	RUN(&run, 0, "--input", "in.u8", "--size", "5x1", "--check");
	ck_assert(!run.out_size || memcmp(run.out, "image", 5) != 0);
	program_free(&run);
}
END_TEST

#ifdef HAVE_JANSSON
/* tests/data/granulometry.json */
static void check_case(const json_t *of)
{
	const json_t *size = json_object_get(of, "size"), *objects = json_object_get(of, "objects"),
		     *g = json_object_get(of, "G"), *ps = json_object_get(of, "PS"), *images, *image;
	const char *element = json_string_value(json_object_get(of, "element"));
	int h = (int)json_integer_value(json_array_get(size, 0)),
	    w = (int)json_integer_value(json_array_get(size, 1));
	bool cross = !strcmp(element, "cross");
	unsigned char *pixels = calloc((size_t)h, (size_t)w);
	json_t *out;
	char text[32];

	for (int i = 0; i < w * h; i++)
		for (size_t k = 0; k < json_array_size(objects); k++) {
			const json_t *o = json_array_get(objects, k);
			int y = abs(i / w - (int)json_integer_value(json_array_get(o, 0))),
			    x = abs(i % w - (int)json_integer_value(json_array_get(o, 1))),
			    r = (int)json_integer_value(json_array_get(o, 2));

			if (cross ? x + y <= r : x <= r && y <= r)
				pixels[i] = 1;
		}
	files_write("in.u8", pixels, (size_t)w * (size_t)h);
	snprintf(text, sizeof text, "%dx%d", w, h);
	SIEVE("--input", "in.u8", "--size", text, "--element", element, "--output", "out.json");
	out = json_load_file("out.json", JSON_REJECT_DUPLICATES, NULL);
	images = json_object_get(out, "images");
	ck_assert_uint_eq(json_array_size(images), 1);
	image = json_array_get(images, 0);
	ck_assert(json_equal(json_object_get(image, "G"), g));
	if (ps) {
		ck_assert(json_equal(json_object_get(image, "PS"), ps));
		ck_assert(json_equal(json_object_get(image, "main"), json_object_get(of, "main")));
	}
	json_decref(out);
	free(pixels);
}

START_TEST(vectors)
{
	json_t *all = json_load_file(TEST_DATA "/granulometry.json", JSON_REJECT_DUPLICATES, NULL);

	ck_assert_ptr_nonnull(all);
	check_case(json_object_get(all, "G1"));
	check_case(json_object_get(all, "G2"));
	json_decref(all);
}
END_TEST

START_TEST(statistics)
{
	const struct oracle_shape s = { 20, 14, 5, true, 3, 6 };
	json_t *stats;

	free(write_raw("in.u8", &s, 4, 1));
	SIEVE("--input", "in.u8", SHAPE(&s), "--split", _i ? "auto" : "2", "--stats", "s.json", "--team",
		"0");
	stats = json_load_file("s.json", JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(stats);
#define INTEGER(key) json_integer_value(json_object_get(stats, key))
	ck_assert_int_eq(INTEGER("width"), 20);
	ck_assert_int_eq(INTEGER("height"), 14);
	ck_assert_int_eq(INTEGER("depth"), 5);
	ck_assert_int_eq(INTEGER("threshold"), 3);
	ck_assert_int_eq(INTEGER("openings"), 6);
	ck_assert_int_eq(INTEGER("images"), 4);
	ck_assert_int_eq(INTEGER("team"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(stats, "element")), "cross");
	ck_assert_str_eq(json_string_value(json_object_get(stats, "overlap")), _i ? "on" : "not planned");
	if (_i) {
		ck_assert_double_gt(json_real_value(json_object_get(stats, "small_unit_ns")), 0);
		ck_assert_double_gt(json_real_value(json_object_get(stats, "large_unit_ns")), 0);
		ck_assert_double_gt(json_real_value(json_object_get(stats, "planned_period_s")), 0);
	} else {
		ck_assert_int_eq(INTEGER("split"), 2);
		ck_assert_ptr_null(json_object_get(stats, "small_unit_ns"));
	}
	json_decref(stats);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("granulometry");
	TCase *c = files_case(suite, "counts");

	program_find("apps/granulometry/granulometry", "GRANULOMETRY");
	tcase_add_loop_test(c, every_size_and_split, 0, TEST_COUNT(shapes));
	tcase_add_test(c, chosen_splits);
	tcase_add_test(c, several_inputs);
	tcase_add_test(c, frames);
#ifdef HAVE_FFMPEG
	tcase_add_test(c, pictures);
#endif
	tcase_add_test(c, curves);
	tcase_add_test(c, data_of_a_curve);
	tcase_add_test(c, no_output);
#ifdef HAVE_JANSSON
	tcase_add_test(c, vectors);
	tcase_add_loop_test(c, statistics, 0, 2);
#endif
	return test_main(suite);
}
