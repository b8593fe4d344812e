/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/check_staged_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 24, FRAMES = 3, ARGUMENTS = 40 };

static const struct staged_run *staged; /* constant once the tests run */

void staged_set_up(void)
{
	char text[100 + FRAMES * (6 + WIDTH * WIDTH)];
	int n = snprintf(text, sizeof text, "YUV4MPEG2 W%d H%d F25:1 Cmono\n", WIDTH, WIDTH);

	for (unsigned i = 0; i < FRAMES; i++) {
		memcpy(text + n, "FRAME\n", 6);
		n += 6;
		for (unsigned k = 0; k < WIDTH * WIDTH; k++)
			text[n++] = (k % WIDTH / 7 + k / WIDTH / 7) % 2 ? 'x' : '0';
	}
	files_write("in.y4m", text, (size_t)n);
}

/* The run's arguments and these; valid until the next call. */
static const char *const *with(const char *const *more)
{
	static const char *all[ARGUMENTS];
	unsigned n = 0;

	for (const char *const *a = staged->arguments; *a; a++)
		all[n++] = *a;
	for (; *more; more++) {
		ck_assert_uint_lt(n, ARGUMENTS - 1);
		all[n++] = *more;
	}
	all[n] = NULL;
	return all;
}
#define WITH(...) with((const char *const[]){ __VA_ARGS__, NULL })

static const struct {
	const char *words;
	const char *more[5];
} usages[] = {
	{ "none.y4m: No such file or directory", { "none.y4m" } },
	{ "none%02d.png: ", { "none%02d.png" } }, /* a pattern without pictures */
	{ "empty.y4m: is empty", { "empty.y4m" } },
	{ "--size: '16' is not a size", { "--size", "16" } },
	{ "in.y4m: wrong size 40000x16 (1x1 to 32768x32768)", { "--size", "40000x16" } },
	{ "--frames: '0' is not a number from 1", { "--frames", "0" } },
	{ "--repeat: '-1' is not a number from 1", { "--repeat", "-1" } },
	{ "--repeat: stdin can be read only once", { "-", "--repeat", "2" } },
	{ "--pipeline", { "--pipeline" } },
	{ "pipeline '", { "--pipeline", "fastest" } },
	{ "pipeline '", { "--pipeline", "CG:00000000000000000:1" } }, /* of more stages than any has */
	{ "--pipeline none:2: expected none, or none: and a 0 or 1 for each of ",
		{ "--pipeline", "none:2" } },
	{ "--report is a pipeline's, and --pipeline none makes none", { "--pipeline", "none", "--report" } },
	{ "--cores: '0' is not a number from 1 to 255", { "--cores", "0" } },
	{ "--cores: '-1' is not", { "--cores", "-1" } },
	{ "--in-flight: '0' is not a number from 2 to 256", { "--in-flight", "0" } },
	{ "--in-flight: '1' is not", { "--in-flight", "1" } },
	{ "--objective: 'speed' is not throughput, energy or ratio", { "--objective", "speed" } },
	{ "--min-rate: '0' is not a number above 0", { "--min-rate", "0" } },
	{ "--min-rate: 'nan' is not", { "--min-rate", "nan" } },
	{ "--max-watts: '-5' is not a number above 0", { "--max-watts", "-5" } },
	{ "--max-overhead: '1.5' is not a number from 0 to 1", { "--max-overhead", "1.5" } },
	{ "--max-overhead: '-0.1' is not", { "--max-overhead", "-0.1" } },
	{ "--max-overhead: '5%' is not", { "--max-overhead", "5%" } },
	{ "--rule: 'guess' is not capacity, bounded or paper", { "--rule", "guess" } },
	{ "--candidates: '0' is not a number from 1 to 1024", { "--candidates", "0" } },
	{ "meter", { "--objective", "energy", "--meter", "none" } },
	{ "--output needs a name", { "--output", "" } },
	{ "--input and --output name the same file", { "--output", "in.y4m" } },
	{ "--output and --trace name the same file", { "--trace", "a", "--output", "a" } },
	{ "--output and --rates name the same file", { "--rates", "a", "--output", "a" } },
	{ "--rates p07.png is an input: give another name", { "p%02d.png", "--rates", "p07.png" } },
	{ "unrecognized option '--nonsense'", { "--nonsense" } },
#ifdef HAVE_JANSSON
	{ "--save-measurements is given twice", { "--save-measurements", "a", "--save-measurements", "b" } },
	{ "--save-measurements x=a: the network has no pipeline 'x', but '",
		{ "--save-measurements", "x=a" } },
	{ "--save-measurements a: the network has no pipeline",
		{ "--pipeline", "none", "--save-measurements", "a" } },
	{ "--output and --stats name the same file", { "--stats", "a", "--output", "a" } },
#else
	{ "--stats: this build has no jansson", { "--stats", "a.json" } },
	{ "--save-measurements: this build has no jansson", { "--save-measurements", "a.json" } },
#endif
};

START_TEST(shared_usage)
{
	files_text("empty.y4m", "");
	files_text("p07.png", "x");
	program_fails(2, usages[_i].words, with(usages[_i].more));
	ck_assert_uint_eq(files_count(), staged->files + 2);
}
END_TEST

START_TEST(devices)
{
	program_fails(PROGRAM_NO_SELECTOR, "--device: ", WITH("--device", "a:b:c:d"));
	program_fails(3, "--device: ", WITH("--device", "no such device"));
	ck_assert_uint_eq(files_count(), staged->files);
}
END_TEST

START_TEST(bad_input_leaves_no_output)
{
	files_text("cut.y4m", "YUV4MPEG2 W24 H24 F25:1 Cmono\nFRAME\n0123");
	program_fails(1, "cut.y4m: ", WITH("cut.y4m", "--output", staged->output));
	ck_assert_uint_eq(files_count(), staged->files + 1);
}
END_TEST

START_TEST(output_errors)
{
	char missing[100];

	snprintf(missing, sizeof missing, "missing/%s", staged->output);
	program_fails(1, "No such file or directory", WITH("--output", missing));
	program_fails(1, "/dev/full: No space left on device", WITH("--output", "/dev/full"));
	program_fails(
		1, "/dev/full: No space left on device", WITH("--repeat", "2000", "--output", "/dev/full"));
	program_fails(
		1, "'missing/out.json': No such file or directory", WITH("--trace", "missing/out.json"));
#ifdef HAVE_JANSSON
	program_fails(1, "missing/s.json: No such file or directory", WITH("--stats", "missing/s.json"));
	program_fails(1, "/dev/full: No space left on device", WITH("--stats", "/dev/full"));
#endif
	ck_assert_uint_eq(files_count(), staged->files);
}
END_TEST

START_TEST(closed_pipe)
{
	struct run run = { .out_fd = program_broken_pipe() };

	program_run(&run, 1, WITH("--repeat", "3000", "--output", "-"));
	TEST_SAYS(run.err, "Broken pipe");
	program_free(&run);
}
END_TEST

/* Stages that are actors of their own make the same. */
START_TEST(apart)
{
	struct run run = { 0 };
	unsigned char *bytes;
	size_t size;

	program_run(&run, 0, WITH("--output", staged->output));
	bytes = files_read(staged->output, &size);
	program_free(&run);
	for (const char *cores = "12"; *cores; cores++) {
		const char text[] = { *cores, '\0' };

		program_run(&run, 0, WITH("--pipeline", "none", "--cores", text, "--output", staged->output));
		expect_file(staged->output, bytes, size);
		program_free(&run);
	}
	free(bytes);
}
END_TEST

START_TEST(help_to_a_full_device)
{
	program_help_to_a_full_device();
}
END_TEST

START_TEST(said_and_checked)
{
	struct run run = { 0 };
	char version[100];
	int n = snprintf(version, sizeof version, "%s (penstock) ", staged->program);

	RUN(&run, 0, "--version");
	ck_assert_mem_eq(run.out, version, n);
	program_free(&run);
	program_run(&run, 0, WITH("--check", "--output", staged->output));
	run.out[run.out_size - 1] = '\0';
	TEST_SAYS((char *)run.out, "proven");
	program_free(&run);
	ck_assert_uint_eq(files_count(), staged->files);
}
END_TEST

void staged_add(TCase *c, const struct staged_run *run)
{
	staged = run;
	tcase_add_loop_test(c, shared_usage, 0, TEST_COUNT(usages));
	tcase_add_test(c, devices);
	tcase_add_test(c, bad_input_leaves_no_output);
	tcase_add_test(c, output_errors);
	tcase_add_test(c, closed_pipe);
	tcase_add_test(c, apart);
	tcase_add_test(c, help_to_a_full_device);
	tcase_add_test(c, said_and_checked);
}

void staged_each_allocation_fails(
	const struct main_program *program, const char *const *arguments, const char *output)
{
	const char *all[ARGUMENTS], *files[3] = { output };
	unsigned n = 0;

	for (; arguments[n]; n++) {
		ck_assert_uint_lt(n, ARGUMENTS - 5);
		all[n] = arguments[n];
	}
	all[n++] = "--output";
	all[n++] = output;
#ifdef HAVE_JANSSON
	all[n++] = "--stats";
	all[n++] = files[1] = "stats.json";
#endif
	all[n] = NULL;
	main_each_allocation_fails(program, all, &(const struct main_outputs){ files, true }, 30);
}
