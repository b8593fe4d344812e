/* SPDX-License-Identifier: MIT */
/*
 * The program's pipeline as frames change, and as they come slowly. When it trains again is compared with an oracle in
 * virtual time (tests/pipeline/check_conductor_monitor). Here threads and frames are real, and the machine may be busy:
 * what must hold even then is compared.
 */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/check_program.h"

#include <fcntl.h>
#include <sched.h>
#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL "--filter-count", "7", "--rows", "5"

/* Y4M frames of one picture. */
static void write_frames(const char *name, unsigned w, unsigned h, unsigned count)
{
	size_t pixels = (size_t)w * h, at;
	unsigned char *picture = files_random(pixels, w), *all = malloc(100 + count * (pixels + 6));

	ck_assert_ptr_nonnull(all);
	at = (size_t)snprintf((char *)all, 100, "YUV4MPEG2 W%u H%u F25:1 Cmono\n", w, h);
	for (unsigned i = 0; i < count; i++, at += 6 + pixels) {
		memcpy(all + at, "FRAME\n", 6);
		memcpy(all + at + 6, picture, pixels);
	}
	files_write(name, all, at);
	free(picture);
	free(all);
}

#ifdef HAVE_JANSSON
static double real(const json_t *of, const char *key)
{
	return json_number_value(json_object_get(of, key));
}

static const char *words(const json_t *of, const char *key)
{
	return json_string_value(json_object_get(of, key));
}

/* Each training: the first one at the start, the others because of the rate alone, when eq. 2 allows it. */
static void check_trainings(const json_t *pipeline)
{
	const json_t *list = json_object_get(pipeline, "trainings"), *t, *former = NULL,
		     *all = json_object_get(pipeline, "trained");
	double items = 0, least;
	size_t i;

	ck_assert_uint_ge(json_array_size(list), 1);
	json_array_foreach(list, i, t)
	{
		if (json_array_size(list) == (size_t)real(all, "count"))
			ck_assert_str_eq(words(t, "why"), i ? "changed" : "first");
		if (former) {
			least = real(former, "dt") < real(former, "seconds") ? real(former, "dt")
			                                                     : real(former, "seconds");
			ck_assert_double_ge(
				real(t, "at"), real(former, "at") + least + real(former, "interval") - 1e-6);
			ck_assert_str_eq(words(t, "before"), words(former, "after"));
		}
		ck_assert(json_is_true(json_object_get(t, "whole")));
		ck_assert_double_ge(real(t, "items"), 12);
		items += real(t, "items");
		former = t;
	}
	ck_assert_double_le(items, real(all, "items"));
	if (json_array_size(list) == (size_t)real(all, "count"))
		ck_assert_double_eq(items, real(all, "items"));
}

/* They are in order; the last one is what the pipeline ends with. */
static void check_changes(const json_t *pipeline)
{
	const json_t *list = json_object_get(pipeline, "changes"), *c;
	double at = 0;
	size_t i;

	ck_assert_uint_ge(json_array_size(list), 5);
	json_array_foreach(list, i, c)
	{
		ck_assert_double_ge(real(c, "at"), at);
		at = real(c, "at");
		ck_assert_ptr_nonnull(words(c, "why"));
	}
	c = json_array_get(list, json_array_size(list) - 1);
	ck_assert_str_eq(words(c, "configuration"), words(pipeline, "configuration"));
	ck_assert_str_eq(words(c, "why"), words(pipeline, "why"));
}

static void check_stats(const char *name)
{
	json_t *json = json_load_file(name, 0, NULL);
	const json_t *pipeline = json_array_get(json_object_get(json, "pipelines"), 0);

	ck_assert_ptr_nonnull(pipeline);
	check_trainings(pipeline);
	check_changes(pipeline);
	json_decref(json);
}
#define STATS "--stats", "s.json",
#else
#define STATS
#endif

/* A line each, the last one of all frames. */
static void check_rates(const char *name, unsigned frames)
{
	FILE *file = fopen(name, "r");
	char line[200], configuration[100];
	unsigned long count = 0, before = 0;
	double seconds = 0, former = 0, rate;

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
	ck_assert_str_eq(line, "# seconds frames frames/s configuration\n");
	while (fgets(line, sizeof line, file)) {
		ck_assert_int_eq(sscanf(line, "%lf %lu %lf %99s", &seconds, &count, &rate, configuration), 4);
		ck_assert_double_ge(seconds, former);
		ck_assert_uint_ge(count, before);
		TEST_SAYS(configuration, "PU-");
		former = seconds;
		before = count;
	}
	fclose(file);
	ck_assert_uint_eq(count, frames);
}

/* Small frames, large ones, small ones: whatever is chosen when, the results are those of one configuration. */
START_TEST(sizes_change)
{
	struct run run = { 0 };
	unsigned char *text;
	size_t size;

	write_frames("small.y4m", 32, 16, 2000);
	write_frames("large.y4m", 160, 128, 300);
	RUN(&run, 0, "--input", "small.y4m", "--input", "large.y4m", "--input", "small.y4m", "--repeat", "2",
		"--device", "cores", "--cores", "2", SMALL, "--pipeline", "CG:000:1", "--output", "one.txt");
	program_free(&run);
	RUN(&run, 0, "--input", "small.y4m", "--input", "large.y4m", "--input", "small.y4m", "--repeat", "2",
		"--device", "cores", "--cores", "2", SMALL, "--candidates", "2", "--max-overhead", "0.5",
		"--report", STATS "--rates", "rates.txt", "--output", "adaptive.txt");
	TEST_SAYS(run.err, "8600 frames in ", "  trainings  ", " items, ", "then CPU-");
	program_free(&run);
	text = files_read("one.txt", &size);
	ck_assert_uint_gt(size, 8600);
	expect_file("adaptive.txt", text, size);
	free(text);
	check_rates("rates.txt", 8600);
#ifdef HAVE_JANSSON
	check_stats("s.json");
#endif
}
END_TEST

/* Like a camera: each frame comes when the one before it is through and was seen, so carriers wait nearly all the time.
 * It trains once, from whatever comes. */
START_TEST(live)
{
	enum { FRAMES = 300, PIXELS = 64 * 64, DIST = 64 * 20 * 4 };
	unsigned char *picture = files_random(PIXELS, 3);
	struct run run = { 0 };
	char name[40];
	int fd;

	ck_assert_int_eq(mkfifo("live.gray", 0600), 0);
	program_start(&run, (const char *const[]){ "--input", "live.gray", "--size", "64x64", "--device",
				    "cores", "--cores", "2", "--rows", "20", "--candidates", "1", "--report",
				    "--dump", ".", NULL });
	fd = open("live.gray", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	for (unsigned i = 0; i < FRAMES; i++) {
		ck_assert_int_eq(write(fd, picture, PIXELS), PIXELS);
		snprintf(name, sizeof name, "%05u.dist.f32", i);
		while (files_size(name) < DIST)
			sched_yield();
	}
	close(fd);
	program_wait(&run);
	ck_assert_int_eq(run.status, 0);
	TEST_SAYS(run.err, "300 frames in ", "  trainings  1, of ",
		"at 0.000 s, the first: ", " waited for input");
	ck_assert_ptr_null(strstr(run.err, "another one is wanted"));
	program_free(&run);
	free(picture);
}
END_TEST

START_TEST(rates_elsewhere)
{
	struct run run = { 0 };

	write_frames("a.y4m", 16, 16, 3);
	RUN(&run, 0, "--input", "a.y4m", "--device", "cores", SMALL, "--pipeline", "CG:000:1", "--rates",
		"-");
	run.out[run.out_size - 1] = '\0';
	TEST_SAYS((char *)run.out, "# seconds frames frames/s configuration\n", " 3 ", "CPU-CG:000:1");
	program_free(&run);
	RUN(&run, 0, "--input", "a.y4m", "--device", "cores", SMALL, "--pipeline", "none", "--rates", "-");
	run.out[run.out_size - 1] = '\0';
	TEST_SAYS((char *)run.out, " 3 ", " -"); /* no configuration */
	program_free(&run);
	FAILS(1, "/dev/full: No space left on device", "--input", "a.y4m", "--device", "cores", "--rates",
		"/dev/full");
	FAILS(1, "missing/r.txt: No such file or directory", "--input", "a.y4m", "--device", "cores",
		"--rates", "missing/r.txt");
	FAILS(1, "cut.y4m: ", "--input", "a.y4m", "cut.y4m", "--device", "cores", "--rates", "r.txt");
	ck_assert(!files_exists("r.txt"));
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

static void set_up(void)
{
	files_text("cut.y4m", "YUV4MPEG2 W8 H8 F25:1 Cmono\nFRAME\n0123");
}

int main(void)
{
	Suite *suite = suite_create("vivid_adapting");
	TCase *c = files_case(suite, "adapting"), *rates = files_case(suite, "rates");

	program_find("apps/vivid/vivid", "VIVID");
	tcase_add_test(c, sizes_change);
	tcase_add_test(c, live);
	tcase_add_checked_fixture(rates, set_up, NULL);
	tcase_add_test(rates, rates_elsewhere);
	return test_main(suite);
}
