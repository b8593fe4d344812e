/* SPDX-License-Identifier: MIT */
/* What the program writes: features and tracks of SD-VBS, found in each frame or in the first one; videos; figures. */
#include "config.h"

#include "actors/common/check_staged.h"
#include "apps/common/check_program.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES "--device", "cores"

/* Frames of a set of tests/data/tracking as Y4M. */
static void write_frames(const char *set, unsigned count, const char *name)
{
	char *all = NULL;
	size_t size = 0;

	for (unsigned i = 1; i <= count; i++) {
		char file[64];
		uint32_t w, h;
		uint8_t *pixels;

		snprintf(file, sizeof file, "tracking/%s_%u.pgm", set, i);
		pixels = staged_read_pgm(file, &w, &h);
		all = realloc(all, size + 200 + (size_t)w * h);
		ck_assert_ptr_nonnull(all);
		if (i == 1)
			size = (size_t)snprintf(
				all, 200, "YUV4MPEG2 W%u H%u F25:1 Cmono\n", (unsigned)w, (unsigned)h);
		memcpy(all + size, "FRAME\n", 6);
		memcpy(all + size + 6, pixels, (size_t)w * h);
		size += 6 + (size_t)w * h;
		free(pixels);
	}
	files_write(name, all, size);
	free(all);
}

/* Lines of PTk, k from 2, against those of the suite; each: only those of k = 2. */
static void check_lines(const char *set, const char *out, bool each)
{
	char name[64], line[128], *at = (char *)(uintptr_t)out;
	unsigned count = 0;
	FILE *file;

	snprintf(name, sizeof name, "tracking/%s.txt", set);
	file = staged_open(name);
	while (fgets(line, sizeof line, file)) {
		double want[4], got[4];
		unsigned k, own;
		int n;

		if (sscanf(line, "PT%u %lf %lf %lf %lf", &k, want, want + 1, want + 2, want + 3) != 5 ||
			k < 2)
			continue;
		if (each && k > 2)
			break;
		ck_assert_msg(
			sscanf(at, "%u %lf %lf %lf %lf\n%n", &own, got, got + 1, got + 2, got + 3, &n) == 5,
			"%.60s", at);
		at += n;
		ck_assert_uint_eq(own, k);
		for (unsigned i = 0; i < 4; i++)
			ck_assert_double_eq_tol(got[i], want[i], 0.02);
		count++;
	}
	fclose(file);
	ck_assert_uint_gt(count, 5);
	if (!each)
		ck_assert_str_eq(at, "");
	else if (*at)
		ck_assert_int_ne(*at, '2');
}

static char *read_text(const char *name)
{
	size_t size;
	char *text = (char *)files_read(name, &size);

	text = realloc(text, size + 1);
	ck_assert_ptr_nonnull(text);
	text[size] = '\0';
	return text;
}

static const struct {
	const char *set;
	unsigned frames;
} sets[] = { { "sqcif", 2 }, { "qcif", 4 }, { "cif", 4 } };

/* As SD-VBS does: carried on from frame to frame. */
START_TEST(first)
{
	static const char *const configurations[] = { "CG:0:1", "MG:0", "adaptive" };
	struct run run = { 0 };
	char *text;

	write_frames(sets[_i].set, sets[_i].frames, "in.y4m");
	RUN(&run, 0, "--input", "in.y4m", CORES, "--features-from", "first", "--pipeline", configurations[_i],
		"--output", "tracks.txt");
	text = read_text("tracks.txt");
	check_lines(sets[_i].set, text, false);
	free(text);
	program_free(&run);
}
END_TEST

START_TEST(each)
{
	static const char *const configurations[] = { "CG:000:2", "MG:000", "adaptive" };
	struct run run = { 0 };
	char *text;

	write_frames(sets[_i].set, sets[_i].frames, "in.y4m");
	RUN(&run, 0, "--input", "in.y4m", CORES, "--pipeline", configurations[_i], "--output", "-");
	text = malloc(run.out_size + 1);
	ck_assert_ptr_nonnull(text);
	memcpy(text, run.out, run.out_size);
	text[run.out_size] = '\0';
	check_lines(sets[_i].set, text, true);
	free(text);
	program_free(&run);
}
END_TEST

START_TEST(on_a_device)
{
	struct run run = { 0 };
	struct pstk_device_info info;
	char *text;

	if (pstk_devices(&info, 1) < 1) {
		printf("no OpenCL device\n");
		return;
	}
	write_frames("qcif", 4, "in.y4m");
	RUN(&run, 0, "--input", "in.y4m", "--device", info.selector, "--pipeline", "DP-CG:111:1", "--output",
		"each.txt");
	text = read_text("each.txt");
	check_lines("qcif", text, true);
	free(text);
	program_free(&run);
	RUN(&run, 0, "--input", "in.y4m", "--device", info.selector, "--pipeline", "DP-CG:1:1",
		"--features-from", "first", "--output", "first.txt");
	text = read_text("first.txt");
	check_lines("qcif", text, false);
	free(text);
	program_free(&run);
}
END_TEST

/* Frames of several sizes: no track from one to the other, and features are found anew. */
START_TEST(several_sizes)
{
	struct run run = { 0 };
	char *text, *at;

	write_frames("sqcif", 2, "a.y4m");
	write_frames("qcif", 2, "b.y4m");
	for (unsigned from = 0; from < 2; from++) {
		RUN(&run, 0, "--input", "a.y4m", "b.y4m", CORES, "--features-from", from ? "first" : "each",
			"--output", "out.txt");
		text = read_text("out.txt");
		check_lines("sqcif", text, true);
		at = strstr(text, "\n4 ");
		ck_assert_ptr_null(strstr(text, "\n3 "));
		ck_assert_ptr_nonnull(at);
		*at = '2';
		for (char *line = at + 1; line; line = strstr(line, "\n4 "), line = line ? line + 1 : NULL)
			*line = '2';
		check_lines("qcif", at + 1, true);
		free(text);
		program_free(&run);
	}
}
END_TEST

/* All frames, the first one without an arrow, with red in the others. */
START_TEST(video)
{
	struct run run = { 0 };
	const size_t pixels = 128 * 96, frame = 6 + 3 * pixels;
	unsigned char *file;
	size_t size, head;

	write_frames("sqcif", 2, "in.y4m");
	for (unsigned from = 0; from < 2; from++) {
		RUN(&run, 0, "--input", "in.y4m", CORES, "--features-from", from ? "first" : "each",
			"--output", "out.y4m");
		file = files_read("out.y4m", &size);
		head = size % frame;
		ck_assert_uint_eq(size / frame, 2);
		for (unsigned k = 0; k < 2; k++) {
			const unsigned char *u = file + head + k * frame + 6 + pixels;
			unsigned coloured = 0;

			for (size_t i = 0; i < 2 * pixels; i++)
				coloured += u[i] != 128;
			ck_assert(k ? coloured > 40 : coloured == 0);
		}
		free(file);
		program_free(&run);
	}
}
END_TEST

/* Small windows and many features. */
START_TEST(own_constants)
{
	struct run run = { 0 };
	char *text;
	unsigned lines = 0;

	write_frames("cif", 2, "in.y4m");
	RUN(&run, 0, "--input", "in.y4m", CORES, "--window", "6", "--features", "4000", "--rounds", "30",
		"--radius", "5", "--output", "out.txt");
	text = read_text("out.txt");
	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	ck_assert_uint_gt(lines, 50);
	ck_assert_ptr_null(strstr(run.err, "warning"));
	free(text);
	program_free(&run);
}
END_TEST

/* Grey frames have no features: it is done, and says what the empty output is. */
START_TEST(nothing_found)
{
	static const char head[] = "YUV4MPEG2 W128 H96 F25:1 Cmono\n", frame[] = "FRAME\n";
	const size_t pixels = 128 * 96, heads = sizeof head - 1, marks = sizeof frame - 1;
	const size_t bytes = heads + 2 * (marks + pixels);
	struct run run = { 0 };
	char *file = malloc(bytes);

	ck_assert_ptr_nonnull(file);
	memset(file, 100, bytes);
	memcpy(file, head, heads);
	for (size_t k = 0; k < 2; k++)
		memcpy(file + heads + k * (marks + pixels), frame, marks);
	files_write("in.y4m", file, bytes);
	free(file);
	RUN(&run, 0, "--input", "in.y4m", CORES, "--output", "out.txt");
	ck_assert_ptr_nonnull(strstr(run.err, "tracking: warning: no feature was found again: a smaller "
					      "--window or more --features help\n"));
	expect_file("out.txt", (const unsigned char *)"", 0);
	program_free(&run);
}
END_TEST

#ifdef HAVE_JANSSON
START_TEST(figures)
{
	struct run run = { 0 };
	json_t *json;

	write_frames("qcif", 4, "in.y4m");
	RUN(&run, 0, "--input", "in.y4m", CORES, "--stats", "s.json");
	json = json_load_file("s.json", 0, NULL);
	ck_assert_str_eq(json_string_value(json_object_get(json, "features_from")), "each");
	ck_assert_int_eq(json_integer_value(json_object_get(json, "pairs")), 3);
	ck_assert_int_gt(json_integer_value(json_object_get(json, "tracks")), 15);
	json_decref(json);
	program_free(&run);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("tracking_program");
	TCase *c = files_case(suite, "program");

	program_find("apps/tracking/tracking", "TRACKING");
	tcase_add_loop_test(c, first, 0, TEST_COUNT(sets));
	tcase_add_loop_test(c, each, 0, TEST_COUNT(sets));
	tcase_add_test(c, on_a_device);
	tcase_add_test(c, several_sizes);
	tcase_add_test(c, video);
	tcase_add_test(c, own_constants);
	tcase_add_test(c, nothing_found);
#ifdef HAVE_JANSSON
	tcase_add_test(c, figures);
#endif
	return test_main(suite);
}
