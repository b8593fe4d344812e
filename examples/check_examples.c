/* SPDX-License-Identifier: MIT */
/* The applications as graph files: what they write is what the programs write. */
#include "config.h"

#include "actors/common/check_clip.h"
#include "apps/common/check_program.h"
#include "penstock/graph.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 33, HEIGHT = 21, FRAMES = 30, SAMPLES = 150001 };

/* Before a test has a folder of its own. */
static char programs[3][PATH_MAX], plugins[4][PATH_MAX];
static const char *const plugin_list[] = { plugins[0], plugins[1], plugins[2], plugins[3], NULL };

static void find(const char *path, char found[PATH_MAX])
{
	if (realpath(path, found))
		return;
	fprintf(stderr, "no %s: run this in the build folder\n", path);
	exit(1);
}

/* Runs it with these parameters, "name=value", up to NULL. */
static void run_graph(const char *path, const char *const *sets)
{
	struct pstk_graph *g = pstk_graph_load(path, PSTK_GRAPH(.sets = sets, .plugins = plugin_list));
	struct pstk_network *net = pstk_graph_network(g);

	ck_assert_msg(net != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_msg(pstk_network_run(net) == 0, "%s", pstk_network_error(net));
	pstk_graph_destroy(g);
}
#define GRAPH(name, ...) run_graph(EXAMPLES "/" name, (const char *const[]){ __VA_ARGS__, NULL })

static void run_program(const char *const *arguments)
{
	struct run run = { 0 };

	program_run(&run, 0, arguments);
	program_free(&run);
}
#define PROGRAM(...) run_program((const char *const[]){ __VA_ARGS__, NULL })

static void expect_equal(const char *name, const char *expected, size_t least)
{
	size_t size;
	unsigned char *bytes = files_read(expected, &size);

	ck_assert_uint_ge(size, least);
	expect_file(name, bytes, size);
	free(bytes);
}

static void write_clip(void)
{
	unsigned char *bytes = files_random((size_t)WIDTH * HEIGHT * FRAMES, 1);
	FILE *f = fopen("in.y4m", "w");

	fprintf(f, "YUV4MPEG2 W%d H%d F30000:1001 Cmono\n", WIDTH, HEIGHT);
	for (unsigned n = 0; n < FRAMES; n++) {
		fputs("FRAME\n", f);
		/* a third of them is as the one before */
		fwrite(bytes + (size_t)(n - n % 3 / 2) * WIDTH * HEIGHT, 1, (size_t)WIDTH * HEIGHT, f);
	}
	ck_assert_int_eq(fclose(f), 0);
	free(bytes);
}

START_TEST(motion)
{
	static const char *const rates[] = { "1", "4" };

	program_find(programs[0], "MOTION_DETECTION");
	write_clip();
	for (unsigned i = 0; i < TEST_COUNT(rates); i++) {
		char rate[16];

		snprintf(rate, sizeof rate, "rate=%s", rates[i]);
		PROGRAM("--input", "in.y4m", "--output", "p.y4m", "--rate", rates[i], "--threshold", "90");
		GRAPH("motion.yaml", "input=in.y4m", "size=", "output=g.y4m", rate, "threshold=90");
		expect_equal("g.y4m", "p.y4m", (size_t)WIDTH * HEIGHT * FRAMES);
		PROGRAM("--synthetic", "64x48", "--frames", "21", "--output", "p.gray", "--rate", rates[i]);
		GRAPH("motion.yaml", "size=64x48", "frames=21", "output=g.gray", rate, "team=0");
		expect_equal("g.gray", "p.gray", 64 * 48 * 21);
	}
}
END_TEST

/* The same network with a pipeline. */
START_TEST(pipeline)
{
	static const char *const configurations[] = { "configuration=adaptive", "configuration=CPU-CG:00:2",
		"configuration=MG:00" };

	program_find(programs[0], "MOTION_DETECTION");
	write_clip();
	PROGRAM("--input", "in.y4m", "--output", "p.y4m", "--threshold", "90");
	for (unsigned i = 0; i < TEST_COUNT(configurations); i++) {
		GRAPH("pipeline.yaml", "input=in.y4m", "size=", "output=g.y4m", "threshold=90",
			configurations[i]);
		expect_equal("g.y4m", "p.y4m", (size_t)WIDTH * HEIGHT * FRAMES);
	}
}
END_TEST

#ifdef HAVE_FFMPEG
/* Of irregular time stamps: at a constant rate frames are repeated and left out. Chosen ones have another size. */
START_TEST(irregular_video)
{
	struct clip clip = clip_irregular("in.mkv", 1000);

	program_find(programs[0], "MOTION_DETECTION");
	clip_write(&clip);
	PROGRAM("--input", "in.mkv", "--output", "p.y4m");
	GRAPH("motion.yaml", "input=in.mkv", "size=", "output=g.y4m");
	expect_equal("g.y4m", "p.y4m", (size_t)40 * CLIP_WIDTH * CLIP_HEIGHT);
	PROGRAM("--input", "in.mkv", "--size", "30x20", "--output", "p.y4m");
	GRAPH("motion.yaml", "input=in.mkv", "size=30x20", "output=g.y4m");
	expect_equal("g.y4m", "p.y4m", 40 * 30 * 20);
}
END_TEST
#endif

static void write_samples(void)
{
	float *samples = malloc(2 * SAMPLES * sizeof *samples);
	struct test_rng rng = { 2 };

	for (size_t i = 0; i < 2 * SAMPLES; i++)
		samples[i] = (float)test_between(&rng, 0, 2000) / 2000 - .5F;
	files_write("in.cf32", samples, 2 * SAMPLES * sizeof *samples);
	free(samples);
}

START_TEST(predistortion)
{
	program_find(programs[1], "PREDISTORTION");
	write_samples();
	files_text("sets", "1111111111\n1010000000\n0100000001\n0101010101\n");
	PROGRAM("--input", "in.cf32", "--output", "p.cf32", "--active", "sets", "--block", "8192", "--period",
		"32768");
	GRAPH("predistortion.yaml", "input=in.cf32", "output=g.cf32", "active=1023 5 514 682", "block=8192",
		"period=4");
	expect_equal("g.cf32", "p.cf32", 2 * SAMPLES * sizeof(float));
	GRAPH("predistortion.yaml", "input=in.cf32", "output=g.cf32", "active=1023, 5, 514, 682",
		"block=8192", "period=4", "depth=3", "control_depth=8", "team=3");
	expect_equal("g.cf32", "p.cf32", 2 * SAMPLES * sizeof(float));
}
END_TEST

#ifdef HAVE_KISSFFT
START_TEST(saliency)
{
	static const char *const maps[] = { "maps=1", "maps=24" };

	program_find(programs[2], "SALIENCY");
	write_clip();
	PROGRAM("--input", "in.y4m", "--output", "p.y4m", "--frames", "7", "--window", "flat8");
	for (unsigned i = 0; i < TEST_COUNT(maps); i++) {
		GRAPH("saliency.yaml", "input=in.y4m", "size=", "output=g.y4m", "frames=7", "window=flat8",
			maps[i]);
		expect_equal("g.y4m", "p.y4m", (size_t)WIDTH * HEIGHT * 7);
	}
	PROGRAM("--synthetic", "64x48", "--frames", "3", "--output", "p.gray");
	GRAPH("saliency.yaml", "size=64x48", "frames=3", "output=g.gray", "team=0");
	expect_equal("g.gray", "p.gray", 64 * 48 * 3);
}
END_TEST
#endif

/* To be looked at they need no file, and make none. */
START_TEST(dry)
{
	static const char *const names[] = { EXAMPLES "/motion.yaml", EXAMPLES "/predistortion.yaml",
		EXAMPLES "/saliency.yaml", EXAMPLES "/pipeline.yaml" };

	for (unsigned i = 0; i < TEST_COUNT(names); i++) {
		struct pstk_graph *g = pstk_graph_load(names[i],
			PSTK_GRAPH(.plugins = plugin_list, .dry = true,
				.sets = (const char *const[]){ "input=none", "output=none.gray", NULL }));

		ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
		ck_assert_int_eq(pstk_network_check(pstk_graph_network(g), NULL, NULL), 0);
		pstk_graph_destroy(g);
	}
	ck_assert(!files_exists("none.gray"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("examples");
	TCase *c = files_case(suite, "examples");

	find("apps/motion_detection/motion_detection", programs[0]);
	find("apps/predistortion/predistortion", programs[1]);
	find("apps/saliency/saliency", programs[2]);
	find("actors/.libs/actors.so", plugins[0]);
	find("actors/.libs/iq.so", plugins[1]);
	find("actors/.libs/media.so", plugins[2]);
	find("actors/.libs/saliency.so", plugins[3]);
	tcase_add_test(c, motion);
	tcase_add_test(c, pipeline);
#ifdef HAVE_FFMPEG
	tcase_add_test(c, irregular_video);
#endif
	tcase_add_test(c, predistortion);
#ifdef HAVE_KISSFFT
	tcase_add_test(c, saliency);
#endif
	tcase_add_test(c, dry);
	return test_main(suite);
}
