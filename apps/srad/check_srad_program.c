/* SPDX-License-Identifier: MIT */
/* What the program writes: Rodinia's pictures, in each form; pictures of several sizes; figures. */
#include "config.h"

#include "actors/common/check_staged.h"
#include "apps/common/check_program.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES "--device", "cores"

/* The picture of the vectors as raw frames, and as Y4M. */
static void write_picture(void)
{
	uint32_t w, h;
	uint8_t *pixels = staged_read_pgm("srad/in.pgm", &w, &h);
	size_t bytes = (size_t)w * h;
	char *y4m = malloc(bytes + 100);
	int n = snprintf(y4m, 100, "YUV4MPEG2 W%u H%u F25:1 Cmono\nFRAME\n", (unsigned)w, (unsigned)h);

	memcpy(y4m + n, pixels, bytes);
	files_write("in.y4m", y4m, (size_t)n + bytes);
	files_write("in.gray", pixels, bytes);
	free(pixels);
	free(y4m);
}

/* A PGM file, or what begins so at *at, against one of the vectors; at goes behind it. */
static void check_pgm(unsigned char **at, const unsigned char *end, const char *vector)
{
	static const char head[] = "P5\n458 502\n255\n";
	uint32_t w, h, different = 0;
	uint8_t *want = staged_read_pgm(vector, &w, &h);
	const size_t bytes = (size_t)w * h;

	ck_assert_uint_ge((size_t)(end - *at), strlen(head) + bytes);
	ck_assert_mem_eq(*at, head, strlen(head));
	*at += strlen(head);
	for (size_t i = 0; i < bytes; i++) {
		ck_assert_int_le(abs((*at)[i] - want[i]), 1);
		different += (*at)[i] != want[i];
	}
	ck_assert_uint_le(different, bytes / 1000);
	*at += bytes;
	free(want);
}

static void check_file(const char *name, const char *vector, unsigned pictures)
{
	size_t size;
	unsigned char *file = files_read(name, &size), *at = file;

	for (unsigned i = 0; i < pictures; i++)
		check_pgm(&at, file + size, vector);
	ck_assert_ptr_eq(at, file + size);
	free(file);
}

static const struct {
	const char *iterations, *loop, *pipeline, *vector;
} forms[] = { { "1", "stages", "CG:000000:1", "srad/out1.pgm" }, { "1", "fused", "MG:000", "srad/out1.pgm" },
	{ "1", "stages", "adaptive", "srad/out1.pgm" }, { "10", "fused", "CG:000:2", "srad/out10.pgm" },
	{ "100", "fused", "adaptive", "srad/out100.pgm" } };

START_TEST(vectors)
{
	struct run run = { 0 };

	write_picture();
	RUN(&run, 0, "--input", "in.gray", "--size", "458x502", CORES, "--iterations", forms[_i].iterations,
		"--loop", forms[_i].loop, "--pipeline", forms[_i].pipeline, "--output", "out.pgm", "--repeat",
		"2");
	check_file("out.pgm", forms[_i].vector, 2);
	program_free(&run);
}
END_TEST

/* Without --loop: stages up to 3 iterations, then one that loops; the same pictures. */
START_TEST(default_loop)
{
	struct run run = { 0 };
	unsigned char *stages, *fused;
	size_t size, other;

	write_picture();
	RUN(&run, 0, "--input", "in.y4m", CORES, "--iterations", "3", "--pipeline", "CG:00000000000000:1",
		"--output", "stages.pgm");
	program_free(&run);
	RUN(&run, 0, "--input", "in.y4m", CORES, "--iterations", "3", "--loop", "fused", "--pipeline",
		"MG:000", "--output", "fused.pgm");
	program_free(&run);
	stages = files_read("stages.pgm", &size);
	fused = files_read("fused.pgm", &other);
	ck_assert_uint_eq(size, other);
	ck_assert_mem_eq(stages, fused, size);
	free(stages);
	free(fused);
	RUN(&run, 0, "--input", "in.y4m", CORES, "--iterations", "4", "--pipeline", "CG:000:1");
	program_free(&run);
}
END_TEST

/* Numbered files, a stream on stdout, a video. */
START_TEST(outputs)
{
	struct run run = { 0 };
	unsigned char *at, *video;
	size_t size;

	write_picture();
	RUN(&run, 0, "--input", "in.y4m", CORES, "--repeat", "2", "--output", "a%03db.pgm");
	check_file("a000b.pgm", "srad/out1.pgm", 1);
	check_file("a001b.pgm", "srad/out1.pgm", 1);
	ck_assert(!files_exists("a002b.pgm"));
	program_free(&run);
	RUN(&run, 0, "--input", "in.y4m", CORES, "--output", "-");
	at = run.out;
	check_pgm(&at, run.out + run.out_size, "srad/out1.pgm");
	program_free(&run);
	RUN(&run, 0, "--input", "in.y4m", CORES, "--repeat", "3", "--frames", "2", "--output", "out.y4m");
	video = files_read("out.y4m", &size);
	ck_assert_mem_eq(video, "YUV4MPEG2 W458 H502", 19);
	ck_assert_uint_ge(size, 2 * 458 * 502 + 12);
	ck_assert_uint_lt(size, 3 * 458 * 502);
	free(video);
	program_free(&run);
}
END_TEST

/* Flat pictures of several sizes stay what they are: one pixel, one row. */
START_TEST(several_sizes)
{
	struct run run = { 0 };
	static const char want[] = "P5\n1 1\n255\nxP5\n3 1\n255\nyyyP5\n2 2\n255\nzzzz";

	files_text("a.y4m", "YUV4MPEG2 W1 H1 F25:1 Cmono\nFRAME\nx");
	files_text("b.y4m", "YUV4MPEG2 W3 H1 F25:1 Cmono\nFRAME\nyyy");
	files_text("c.y4m", "YUV4MPEG2 W2 H2 F25:1 Cmono\nFRAME\nzzzz");
	RUN(&run, 0, "--input", "a.y4m", "b.y4m", "c.y4m", CORES, "--iterations", "5", "--output", "out.pgm");
	expect_file("out.pgm", (const unsigned char *)want, sizeof want - 1);
	program_free(&run);
}
END_TEST

START_TEST(on_a_device)
{
	struct run run = { 0 };
	struct pstk_device_info info;

	if (pstk_devices(&info, 1) < 1) {
		printf("no OpenCL device\n");
		return;
	}
	write_picture();
	RUN(&run, 0, "--input", "in.y4m", "--device", info.selector, "--pipeline", "DP-CG:111111:1",
		"--output", "a.pgm");
	check_file("a.pgm", "srad/out1.pgm", 1);
	program_free(&run);
	RUN(&run, 0, "--input", "in.y4m", "--device", info.selector, "--iterations", "10", "--pipeline",
		"CP-CG:010:2", "--output", "b.pgm", "--report");
	check_file("b.pgm", "srad/out10.pgm", 1);
	TEST_SAYS(run.err, "pipeline 'srad': CP-CG:010:2, it was given", "loop ");
	program_free(&run);
	RUN(&run, 0, "--input", "in.y4m", "--device", info.selector, "--pipeline", "none:011100", "--cores",
		"2", "--output", "c.pgm");
	check_file("c.pgm", "srad/out1.pgm", 1);
	TEST_SAYS(run.err, "srad1", info.selector);
	program_free(&run);
}
END_TEST

#ifdef HAVE_JANSSON
START_TEST(figures)
{
	struct run run = { 0 };
	json_t *json;

	write_picture();
	RUN(&run, 0, "--input", "in.y4m", CORES, "--iterations", "2", "--stats", "s.json");
	json = json_load_file("s.json", 0, NULL);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "iterations")), 2);
	ck_assert_str_eq(json_string_value(json_object_get(json, "loop")), "stages");
	ck_assert_int_eq(json_integer_value(json_object_get(json, "width")), 458);
	json_decref(json);
	program_free(&run);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("srad_program");
	TCase *c = files_case(suite, "program");

	program_find("apps/srad/srad", "SRAD");
	tcase_add_loop_test(c, vectors, 0, TEST_COUNT(forms));
	tcase_add_test(c, default_loop);
	tcase_add_test(c, outputs);
	tcase_add_test(c, several_sizes);
	tcase_add_test(c, on_a_device);
#ifdef HAVE_JANSSON
	tcase_add_test(c, figures);
#endif
	return test_main(suite);
}
