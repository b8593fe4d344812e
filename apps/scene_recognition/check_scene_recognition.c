/* SPDX-License-Identifier: MIT */
/* The program on the pictures of tests/data/scene: classes, scores and histograms; what it learns of them. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/check_program.h"
#include "apps/scene_recognition/check_run.h"
#include "apps/common/pattern.h"

#include <penstock/penstock.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA TEST_DATA "/scene/"
enum { SIDE = 256, PIXELS = SIDE * SIDE, HEAD = 15 };

static char err[10000];

static void must(const char *const *arguments)
{
	test_guard("the program", test_seed());
	ck_assert_msg(scene_run(err, sizeof err, arguments) == 0, "%s", err);
}
#define MUST(...) must((const char *const[]){ __VA_ARGS__, NULL })

static unsigned char *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = malloc(1 << 20);

	ck_assert_msg(file && bytes, "%s", path);
	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

/* A picture of the data as raw grey: not every build reads PGM. */
static void take(const char *from, const char *to)
{
	char path[400];
	unsigned char *bytes;
	size_t size;

	snprintf(path, sizeof path, DATA "%s", from);
	bytes = read_all(path, &size);
	ck_assert_uint_eq(size, HEAD + PIXELS);
	files_write(to, bytes + HEAD, PIXELS);
	free(bytes);
}

static const char *const classes[] = { "brick", "grass", "gravel" };
static const unsigned crops[] = { 1, 2, 0, 3 }; /* to test, to train */

#define FILES "--vocabulary", DATA "vocabulary_32x128.f32", "--weights", DATA "svm_weights_33x3.f32"
#define TESTS "brick1.gray", "brick2.gray", "grass1.gray", "grass2.gray", "gravel1.gray", "gravel2.gray"

static void take_all(void)
{
	char from[40], to[40];

	for (unsigned c = 0; c < 3; c++)
		for (unsigned i = 0; i < 4; i++) {
			snprintf(from, sizeof from, "%s_%s_%u.pgm", i < 2 ? "test" : "train", classes[c],
				crops[i]);
			snprintf(to, sizeof to, i < 2 ? "%s%u.gray" : "t/%s/%u.gray", classes[c], crops[i]);
			take(from, to);
		}
}

static void set_up(void)
{
	char folder[40];

	ck_assert_int_eq(mkdir("t", 0777), 0);
	for (unsigned c = 0; c < 3; c++) {
		snprintf(folder, sizeof folder, "t/%s", classes[c]);
		ck_assert_int_eq(mkdir(folder, 0777), 0);
	}
	take_all();
}

static void tear_down(void)
{
	char name[40];

	for (unsigned c = 0; c < 3; c++) {
		for (unsigned i = 2; i < 4; i++) {
			snprintf(name, sizeof name, "t/%s/%u.gray", classes[c], crops[i]);
			remove(name);
		}
		snprintf(name, sizeof name, "t/%s", classes[c]);
		remove(name);
	}
	remove("t");
}

/* What a file of lines says; each of the six pictures its own class. */
static void check_classes(const char *name)
{
	size_t size;
	char *text = (char *)files_read(name, &size), *at;

	text = realloc(text, size + 1);
	ck_assert_ptr_nonnull(text);
	text[size] = '\0';
	at = text;
	for (unsigned i = 0; i < 6; i++) {
		char want[60];

		snprintf(want, sizeof want, "%s%u.gray %s ", classes[i / 2], crops[i % 2], classes[i / 2]);
		ck_assert_msg(!strncmp(at, want, strlen(want)), "%.60s, not %s", at, want);
		at = strchr(at, '\n') + 1;
	}
	ck_assert_str_eq(at, "");
	free(text);
}

START_TEST(pictures)
{
	static const char *const configurations[] = { "CG:00:1", "CPU-CG:00:3", "adaptive", "baseline" };

	MUST("--input", TESTS, "--size", "256x256", FILES, "--classes", "brick,grass,gravel", "--device",
		"cores", "--cores", "2", "--pipeline", configurations[_i], "--output", "out.txt");
	check_classes("out.txt");
}
END_TEST

#ifdef HAVE_JANSSON
/* To 0.01, as the data say. */
START_TEST(scores)
{
	json_t *data = json_load_file(DATA "expected.json", 0, NULL), *image;
	size_t size, i, at = 0;
	unsigned char *text;

	MUST("--input", TESTS, "--size", "256x256", FILES, "--classes", "brick,grass,gravel", "--device",
		"cores", "--output", "out.txt");
	text = files_read("out.txt", &size);
	ck_assert_ptr_nonnull(data);
	json_array_foreach(json_object_get(data, "images"), i, image)
	{
		double got[3];
		int used;

		if (strcmp(json_string_value(json_object_get(image, "role")), "test") != 0)
			continue;
		ck_assert_int_eq(
			sscanf((char *)text + at, "%*s %*s %lf %lf %lf %n", &got[0], &got[1], &got[2], &used),
			3);
		at += (size_t)used;
		for (unsigned c = 0; c < 3; c++)
			ck_assert_double_eq_tol(got[c],
				json_number_value(json_array_get(json_object_get(image, "scores"), c)), 0.01);
	}
	ck_assert_uint_eq(at, size);
	free(text);
	json_decref(data);
}
END_TEST
#endif

static float number(const unsigned char *b)
{
	uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	float f;

	memcpy(&f, &word, sizeof f);
	return f;
}

static void compare(const char *name, const char *path, double tolerance)
{
	size_t size, wanted;
	unsigned char *got = files_read(name, &size), *want = read_all(path, &wanted);

	ck_assert_uint_eq(size, wanted);
	for (size_t i = 0; i < size; i += 4)
		ck_assert_msg(fabs(number(got + i) - number(want + i)) <= tolerance,
			"%s: number %zu is %g, not %g", name, i / 4, (double)number(got + i),
			(double)number(want + i));
	free(got);
	free(want);
}

/* The same vocabulary and weights as the data's, each time; and all pictures to test are right with them. */
START_TEST(training)
{
	unsigned char *first;
	size_t size;

	MUST("--train", "t", "--size", "256x256", "--vocabulary", "v.f32", "--weights", "w.f32", "--device",
		"cores");
	TEST_SAYS(err, "5766 descriptors of 6 pictures; --classes brick,grass,gravel\n");
	compare("v.f32", DATA "vocabulary_32x128.f32", 1e-5);
	compare("w.f32", DATA "svm_weights_33x3.f32", 1e-3);
	first = files_read("w.f32", &size);
	MUST("--train", "t", "--size", "256x256", "--vocabulary", "v.f32", "--weights", "w.f32", "--device",
		"cores", "--pipeline", "CG:00:2");
	expect_file("w.f32", first, size);
	free(first);
	MUST("--input", TESTS, "--size", "256x256", "--vocabulary", "v.f32", "--weights", "w.f32",
		"--classes", "brick,grass,gravel", "--device", "cores", "--output", "out.txt");
	check_classes("out.txt");
}
END_TEST

/* Frames behind an input's first one have a number; of a second round, too. */
START_TEST(names)
{
	static const char pixels[3 * 16 * 16];
	size_t size;
	unsigned char *text;

	files_write("three.gray", pixels, sizeof pixels);
	files_write("one.gray", pixels, 16 * 16);
	MUST("--input", "three.gray", "one.gray", "--size", "16x16", "--repeat", "2", FILES, "--classes",
		"a,b,c", "--device", "cores", "--output", "out.txt");
	text = files_read("out.txt", &size);
	for (unsigned i = 0, at = 0; i < 8; i++) {
		static const char *const wanted[] = { "three.gray ", "three.gray:1 ", "three.gray:2 ",
			"one.gray " };

		ck_assert_msg(!memcmp(text + at, wanted[i % 4], strlen(wanted[i % 4])), "line %u: %.20s", i,
			(char *)text + at);
		while (text[at++] != '\n')
			;
	}
	free(text);
}
END_TEST

/* A line is one picture's, whatever its name and its class are. */
START_TEST(odd_names)
{
	static const char pixels[16 * 16], wanted[] = "a b\\x0ac.gray x y\\x0a ";
	size_t size;
	unsigned char *text;

	files_write("a b\nc.gray", pixels, sizeof pixels);
	MUST("--input", "a b\nc.gray", "--size", "16x16", FILES, "--classes", "x,y,x y\n", "--device",
		"cores", "--output", "out.txt");
	text = files_read("out.txt", &size);
	ck_assert_msg(!memcmp(text, wanted, strlen(wanted)), "%.40s", (char *)text);
	ck_assert_ptr_eq(memchr(text, '\n', size), text + size - 1);
	free(text);
}
END_TEST

static const struct {
	const char *pattern, *name; /* of number 7; NULL: it is none */
} patterns[] = {
	{ "p%d.png", "p7.png" },
	{ "%03d", "007" },
	{ "%0d", "7" },
	{ "%2dx", "07x" }, /* as FFmpeg has it */
	{ "100%%/%02d.pgm", "100%/07.pgm" },
	{ "p.png", NULL },
	{ "p%%d.png", NULL },
	{ "%d%d", NULL },
	{ "p%", NULL },
	{ "p%03", NULL },
	{ "p%s", NULL },
	{ "p%100d", NULL },
	{ "p%99999999999999999999d", NULL },
};

START_TEST(names_of_patterns)
{
	char name[PATH_MAX], longest[PATH_MAX + 10];

	if (!patterns[_i].name) {
		ck_assert(!pattern_name(name, patterns[_i].pattern, 7));
		return;
	}
	ck_assert(pattern_name(name, patterns[_i].pattern, 7));
	ck_assert_str_eq(name, patterns[_i].name);
	memset(longest, 'x', sizeof longest);
	for (size_t length = PATH_MAX - 2; length < sizeof longest - 2; length++) {
		memcpy(longest + length - 2, "%d", 3);
		ck_assert_int_eq(pattern_name(name, longest, 7), length <= PATH_MAX);
		longest[length - 2] = longest[length - 1] = longest[length] = 'x';
	}
}
END_TEST

/* Numbered pictures are known by their own names; what is there under the pattern's name is a file. */
START_TEST(numbered_pictures)
{
	char name[PATH_MAX];

	files_text("p03.png", "");
	ck_assert(pattern_picture(name, "p%02d.png", 0));
	ck_assert_str_eq(name, "p03.png");
	ck_assert(pattern_picture(name, "p%02d.png", 9));
	ck_assert_str_eq(name, "p12.png");
	ck_assert(!pattern_picture(name, "q%02d.png", 0));
	files_text("p%02d.png", "");
	ck_assert(!pattern_picture(name, "p%02d.png", 0));
}
END_TEST

#ifdef HAVE_FFMPEG
START_TEST(output_of_numbered_pictures)
{
	static const char *const wanted[] = { "p2.pgm ", "p3.pgm ", "p4.pgm " };
	static char pgm[HEAD + PIXELS] = "P5\n256 256\n255\n";
	char *text, *at;
	size_t size;

	for (unsigned i = 2; i < 5; i++) {
		char name[16];

		snprintf(name, sizeof name, "p%u.pgm", i);
		files_write(name, pgm, sizeof pgm);
	}
	MUST("--input", "p%d.pgm", "--repeat", "2", FILES, "--classes", "a,b,c", "--device", "cores",
		"--output", "out.txt");
	at = text = (char *)files_read("out.txt", &size);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_msg(!strncmp(at, wanted[i % 3], 7), "line %u: %.20s", i, at);
		at = strchr(at, '\n') + 1;
	}
	ck_assert_ptr_eq(at, text + size);
	free(text);
}
END_TEST
#endif

#ifdef HAVE_OPENCL
START_TEST(on_a_device)
{
	if (pstk_devices(NULL, 0) != 1) {
		printf("not one OpenCL device\n");
		return;
	}
	MUST("--input", TESTS, "--size", "256x256", FILES, "--classes", "brick,grass,gravel", "--pipeline",
		"CP-CG:10:2", "--cores", "2", "--output", "out.txt");
	check_classes("out.txt");
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("scene_recognition");
	TCase *c = files_case(suite, "scene_recognition");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_loop_test(c, pictures, 0, 4);
#ifdef HAVE_JANSSON
	tcase_add_test(c, scores);
#endif
	tcase_add_test(c, training);
	tcase_add_test(c, names);
	tcase_add_test(c, odd_names);
	tcase_add_loop_test(c, names_of_patterns, 0, TEST_COUNT(patterns));
	tcase_add_test(c, numbered_pictures);
#ifdef HAVE_FFMPEG
	tcase_add_test(c, output_of_numbered_pictures);
#endif
#ifdef HAVE_OPENCL
	tcase_add_test(c, on_a_device);
#endif
	return test_main(suite);
}
