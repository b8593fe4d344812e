/* SPDX-License-Identifier: MIT */
/* On the cores: every sample is that of the model, whatever the block, rate, depth, length, coefficients and
 * sets; and what the network is. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/check_gnuplot.h"
#include "apps/predistortion/active.h"
#include "apps/predistortion/check_inside.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct coefficients ten; /* the built-in ones */

static void load_ten(void)
{
	ck_assert_int_eq(coefficients_load(&ten, NULL), 0);
}

static void free_ten(void)
{
	coefficients_free(&ten);
}

#ifdef HAVE_JANSSON
static void free_taps(struct coefficients *set)
{
	for (unsigned b = 0; b < set->count; b++)
		free(set->branches[b].taps);
}
#endif

/* Sets of two or more of the ten; the first one is not all of them, so that some history begins late. */
static const uint32_t some_sets[] = { 0x155, 0x2aa, 0x003, 0x3ff, 0x201, 0x0f0 };

static void use_sets(struct setup *setup, const uint32_t *sets, size_t count, unsigned branches)
{
	inside_write_sets("sets", sets, count, branches);
	setup->active = "sets";
	setup->count = count;
	memcpy(setup->sets, sets, count * sizeof(*sets));
}

START_TEST(every_block_and_rate)
{
	static const char *const blocks[] = { "1024", "1500", "32768", "65536" };
	static const char *const rates[] = { "1", "2", "4" };
	float *in = model_input(550000, 1);

	for (size_t r = 0; r < TEST_COUNT(rates); r++) {
		struct setup setup = { .coefficients = &ten, .block = blocks[_i], .rate = rates[r] };

		if (TEST_SANITIZED && (r + (size_t)_i) % 3)
			continue;
		use_sets(&setup, some_sets + r, 3, 10);
		/* more than two periods of the largest, about three and a half of the others */
		inside_expect(&setup, in, _i == 3 && r == 2 ? 550000 : 230777);
	}
	free(in);
}
END_TEST

/* Around multiples of the window and the period, of 1000 and 3000 samples. */
START_TEST(every_length)
{
	static const size_t lengths[] = { 1, 2, 9, 10, 11, 999, 1000, 1001, 1999, 2000, 2001, 2999, 3000,
		3001, 5999, 6000, 6001, 8999, 9000, 9001, 20500 };
	float *in = model_input(20500, 2);
	struct setup setup = { .coefficients = &ten, .block = "500", .rate = "2", .period = 3000 };

	use_sets(&setup, some_sets, TEST_COUNT(some_sets), 10);
	for (size_t i = 0; i < TEST_COUNT(lengths); i++)
		inside_expect(&setup, in, lengths[i]);
	/* a window of a sample, and one that no sample fills */
	setup.block = setup.rate = "1";
	setup.period = 7;
	inside_expect(&setup, in, 50);
	setup.block = "1000000";
	setup.period = 0;
	inside_expect(&setup, in, 20500);
	free(in);
}
END_TEST

START_TEST(every_depth)
{
	static const char *const depths[] = { "1", "2", "3", "7", "64" };
	float *in = model_input(20500, 3);

	for (size_t d = 0; d < TEST_COUNT(depths); d++) {
		struct setup setup = {
			.coefficients = &ten, .block = "100", .period = 300, .depth = depths[d]
		};

		use_sets(&setup, some_sets, TEST_COUNT(some_sets), 10);
		inside_expect(&setup, in, 20500);
	}
	free(in);
}
END_TEST

START_TEST(every_team)
{
	static const char *const teams[] = { "0", "1", "2", "3", "8" };
	float *in = model_input(20500, 3);

	for (size_t t = 0; t < TEST_COUNT(teams); t++)
		for (unsigned k = 0; k < 3; k++) {
			struct setup setup = { .coefficients = &ten,
				.block = "100",
				.period = 300,
				.team = teams[t],
				.depth = k == 2 ? "auto"
				         : k    ? "3"
				                : NULL };

			use_sets(&setup, some_sets, TEST_COUNT(some_sets), 10);
			inside_expect(&setup, in, 20500);
		}
	free(in);
}
END_TEST

/* What --active may be: nothing, a string, a number, a file (longer and shorter than the stream), random. */
START_TEST(every_way_to_say_sets)
{
	static const struct {
		const char *active;
		uint32_t set;
	} constant[] = { { NULL, 0x3ff }, { "1000000001", 0x201 }, { "1111111111", 0x3ff },
		{ "0110000000", 0x006 }, { "2", 0x003 }, { "7", 0x07f }, { "10", 0x3ff } };
	float *in = model_input(30000, 4);
	struct setup setup = { .coefficients = &ten, .block = "512", .period = 1024 };

	for (size_t i = 0; i < TEST_COUNT(constant); i++) {
		setup.active = constant[i].active;
		setup.sets[0] = constant[i].set;
		setup.count = 1;
		inside_expect(&setup, in, 5000);
	}
	use_sets(&setup, some_sets, TEST_COUNT(some_sets), 10);
	inside_expect(&setup, in, 2500);
	inside_expect(&setup, in, 30000);
	free(in);
}
END_TEST

/* The sets of a seed are what active_set() says, which has a suite of its own: here the network takes each at
 * its time. */
START_TEST(random_sets)
{
	static const char *const specs[] = { "random:0", "random:1", "random:18446744073709551615" };
	float *in = model_input(60000, 5);

	for (size_t i = 0; i < TEST_COUNT(specs); i++) {
		struct setup setup = { .coefficients = &ten,
			.active = specs[i],
			.block = "500",
			.rate = "2",
			.period = 1000,
			.count = SETS_MOST };
		struct active active;
		unsigned changes = 0;

		ck_assert_int_eq(active_parse(&active, specs[i], &ten), 0);
		for (size_t p = 0; p < SETS_MOST; p++) {
			setup.sets[p] = active_set(&active, p);
			ck_assert_int_ge(__builtin_popcount(setup.sets[p]), 2);
			changes += p && setup.sets[p] != setup.sets[p - 1];
		}
		ck_assert_uint_gt(changes, SETS_MOST / 2);
		active_free(&active);
		inside_expect(&setup, in, 60000);
	}
	free(in);
}
END_TEST

#ifdef HAVE_JANSSON
/* 1 .. 16 branches of their own orders and numbers of taps. */
START_TEST(other_coefficients)
{
	float *in = model_input(20000, 6);
	struct test_rng rng = { test_seed() };

	for (unsigned count = 1; count <= PSTK_MAX_BRANCHES; count += TEST_SANITIZED ? 5 : 1) {
		struct setup setup = {
			.coefficients_file = "set.json", .block = "700", .rate = "2", .period = 2800
		};
		struct coefficients set;
		uint32_t sets[8];

		model_coefficients(&set, count, count % 4 ? 12 : 150, test_random(&rng));
		model_write(&set, "set.json");
		setup.coefficients = &set;
		for (size_t i = 0; i < TEST_COUNT(sets); i++)
			sets[i] = test_between(&rng, 1, (1u << count) - 1);
		use_sets(&setup, sets, TEST_COUNT(sets), count);
		inside_expect(&setup, in, 20000);
		free_taps(&set);
	}
	free(in);
}
END_TEST
#endif

/* A sample that is not a number is in what its branches remember, and comes back with them. */
START_TEST(not_finite)
{
	static const size_t at[] = { 0, 999, 1000, 2990, 3001, 9999 };
	float *in = model_input(20000, 7);
	struct setup setup = { .coefficients = &ten, .block = "1000", .period = 3000 };
	char err[300];

	for (size_t i = 0; i < TEST_COUNT(at); i++)
		in[2 * at[i] + i % 2] = i % 3 == 2 ? INFINITY : i % 3 ? -NAN : NAN;
	use_sets(&setup, some_sets, TEST_COUNT(some_sets), 10);
	inside_expect(&setup, in, 20000);
	ck_assert_int_eq(INSIDE(NULL, err, sizeof(err), "--input", "in.cf32"), 0);
	TEST_SAYS(err, "in.cf32", "6 samples", "not finite");
	in[0] = in[1] = 0;
	files_write("in.cf32", in, 8 * 999);
	ck_assert_int_eq(INSIDE(NULL, err, sizeof(err), "--input", "in.cf32"), 0);
	ck_assert_ptr_null(strstr(err, "not finite"));
	free(in);
}
END_TEST

#ifdef HAVE_JANSSON

#include <jansson.h>

/* Pairs of numbers. The caller frees them. */
static double *load_pairs(const json_t *pairs, size_t n)
{
	double *numbers = calloc(2 * n, sizeof(*numbers));

	ck_assert_ptr_nonnull(numbers);
	ck_assert_uint_eq(json_array_size(pairs), n);
	for (size_t i = 0; i < 2 * n; i++) {
		const json_t *number = json_array_get(json_array_get(pairs, i / 2), i % 2);

		ck_assert(json_is_number(number));
		numbers[i] = json_number_value(number);
	}
	return numbers;
}

/* The published coefficients on the published input give what was published: neither the model nor this
 * program had a part in that. */
START_TEST(published)
{
	static const char *const blocks[] = { "32768", "100", "1" };
	json_t *vectors = json_load_file(TEST_DATA "/dpd-5x5-vectors.json", 0, NULL);
	double *in = load_pairs(json_object_get(vectors, "input"), 999),
	       *out = load_pairs(json_object_get(vectors, "expected"), 999);
	float samples[2 * 999];

	for (size_t i = 0; i < 2 * 999; i++)
		samples[i] = (float)in[i];
	files_write("in.cf32", samples, sizeof(samples));
	for (size_t b = 0; b < TEST_COUNT(blocks); b++) {
		size_t size;
		float *got;

		ck_assert_int_eq(INSIDE(NULL, NULL, 0, "--input", "in.cf32", "--output", "out.cf32",
					 "--coefficients", TEST_DATA "/dpd-5x5.json", "--block", blocks[b]),
			0);
		got = (float *)(void *)files_read("out.cf32", &size);
		ck_assert_uint_eq(size, sizeof(samples));
		model_expect(got, out, 999, "published");
		free(got);
	}
	free(in);
	free(out);
	json_decref(vectors);
}
END_TEST

#endif

/* The network of `branches` branches, and `more` actors with a signal each, says so itself, and is proven
 * whatever the set is, the empty one included. */
static void expect_network(
	const char *text, const char *team, unsigned branches, size_t window, size_t depth, unsigned more)
{
	unsigned actors = branches + 5 + more, fifos = 4 * branches + 6 + 2 * more, listed = 0;
	size_t control = (2 * depth + 2) * 4, data = (fifos - 2) * window * depth * 4, bytes = 0;
	char line[128];

	snprintf(line, sizeof(line), "network 'predistortion': %u actors, %u FIFOs%s\n", actors, fifos, team);
	ck_assert_msg(!strncmp(text, line, strlen(line)), "%s", text);
	for (const char *at = strstr(text, "token 4 B: "); at; at = strstr(at + 1, "token 4 B: ")) {
		bytes += strtoul(at + strlen("token 4 B: "), NULL, 10);
		listed++;
	}
	ck_assert_uint_eq(listed, fifos);
	ck_assert_uint_eq(bytes, data + 2 * control);
	snprintf(line, sizeof(line), "FIFO memory: %.3f MB", (double)bytes / 1e6);
	ck_assert_ptr_nonnull(strstr(text, line));
	snprintf(line, sizeof(line), "1 control group with %u values", 1u << branches);
	ck_assert_ptr_nonnull(strstr(text, line));
	ck_assert_ptr_nonnull(strstr(text, "proven: free of deadlock"));
}

/* Without a word on threads: as many as cores, if there are fewer than the 15 actors. */
START_TEST(threads_that_suit)
{
	static char text[200000];
	unsigned threads = 1;
	cpu_set_t cores;
	char team[64] = "";

	if (!sched_getaffinity(0, sizeof cores, &cores))
		threads = (unsigned)CPU_COUNT(&cores);
	threads = threads < 15 ? threads : 0;
	if (threads)
		snprintf(team, sizeof team, ", a team of %u thread%s", threads, threads == 1 ? "" : "s");
	unsetenv("PENSTOCK_TEAM");
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(
			INSIDE(text, NULL, sizeof(text), "--print-network", i ? "--team" : NULL, "auto"), 0);
		expect_network(text, team, 10, 32768, threads ? 2 * threads : 2, 0);
		setenv("PENSTOCK_TEAM", "3", 1); /* which auto does not look at */
	}
	setenv("PENSTOCK_TEAM", "3", 1);
	ck_assert_int_eq(INSIDE(text, NULL, sizeof(text), "--print-network"), 0);
	expect_network(text, ", a team of 3 threads", 10, 32768, 6, 0);
}
END_TEST

START_TEST(print_network)
{
	static char text[200000];

	setenv("PENSTOCK_TEAM", "0", 1);
	ck_assert_int_eq(INSIDE(text, NULL, sizeof(text), "--print-network"), 0);
	expect_network(text, "", 10, 32768, 2, 0);
	ck_assert_ptr_nonnull(strstr(text, "15 actors, 46 FIFOs"));
	ck_assert_ptr_nonnull(strstr(text, "FIFO memory: 11.534 MB"));
	/* neither is opened */
	ck_assert_int_eq(INSIDE(text, NULL, sizeof(text), "--print-network", "--input", "none.cf32",
				 "--output", "missing/out", "--rate", "4", "--block", "1500", "--depth", "3"),
		0);
	expect_network(text, "", 10, 6000, 3, 0);
#ifdef HAVE_JANSSON
	ck_assert_int_eq(INSIDE(text, NULL, sizeof(text), "--print-network", "--stats", "missing/s.json"), 0);
	expect_network(text, "", 10, 32768, 2, 0);
#endif
	/* the depth of a team, whatever depth is given, and as many windows as are good: small ones fit at
	 * any depth */
	ck_assert_int_eq(INSIDE(text, NULL, sizeof(text), "--print-network", "--team", "3"), 0);
	expect_network(text, ", a team of 3 threads", 10, 32768, 6, 0);
	ck_assert_int_eq(
		INSIDE(text, NULL, sizeof(text), "--print-network", "--team", "1", "--depth", "5"), 0);
	expect_network(text, ", a team of 1 thread", 10, 32768, 5, 0);
	ck_assert_int_eq(INSIDE(text, NULL, sizeof(text), "--print-network", "--depth", "auto"), 0);
	expect_network(text, "", 10, 32768, 2, 0); /* 5.8 MB a window: none more */
	ck_assert_int_eq(
		INSIDE(text, NULL, sizeof(text), "--print-network", "--depth", "auto", "--block", "4"), 0);
	expect_network(text, "", 10, 4, 32, 0);
	ck_assert_int_eq(INSIDE(text, NULL, sizeof(text), "--print-network", "--depth", "auto", "--block",
				 "4", "--team", "20"),
		0);
	expect_network(text, ", a team of 20 threads", 10, 4, 40, 0);
#ifdef HAVE_KISSFFT
	ck_assert_int_eq(
		INSIDE(text, NULL, sizeof(text), "--print-network", "--plot", "missing/plot.svg"), 0);
	expect_network(text, "", 10, 32768, 2, 6);
#endif
	ck_assert_uint_eq(files_count(), 0);
#ifdef HAVE_JANSSON
	for (unsigned count = 1; count <= PSTK_MAX_BRANCHES; count += 5) {
		struct coefficients set;

		model_coefficients(&set, count, 3, 1);
		model_write(&set, "set.json");
		free_taps(&set);
		ck_assert_int_eq(INSIDE(text, NULL, sizeof(text), "--print-network", "--coefficients",
					 "set.json", "--active", "1"),
			0);
		expect_network(text, "", count, 32768, 2, 0);
#ifdef HAVE_KISSFFT
		ck_assert_int_eq(INSIDE(text, NULL, sizeof(text), "--print-network", "--coefficients",
					 "set.json", "--plot", "plot.svg"),
			0);
		expect_network(text, "", count, 32768, 2, 2);
#endif
	}
#endif
}
END_TEST

#ifdef HAVE_KISSFFT
/* It is said before anything is opened; a network can be printed without. */
START_TEST(no_gnuplot)
{
	char err[4096];

	gnuplot_fake("exit 127\n");
	ck_assert_int_eq(INSIDE(NULL, err, sizeof(err), "--input", "missing.cf32", "--plot", "plot.svg"), 1);
	ck_assert_str_eq(err,
		"predistortion: --plot: 'gnuplot --version' fails: install it anew, or leave out --plot\n");
	ck_assert_int_eq(INSIDE(NULL, err, sizeof(err), "--print-network", "--plot", "plot.svg"), 0);
	gnuplot_fake("[ \"$1\" = --version ] || { echo 'no such font' >&2; exit 1; }\n");
	ck_assert_int_eq(INSIDE(NULL, err, sizeof(err), "--synthetic", "1000", "--plot", "plot.svg"), 1);
	TEST_SAYS(err, "predistortion: plot.svg: gnuplot failed: no such font\n");
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("predistortion");
	TCase *cores = files_case(suite, "cores");

	/* each run has a guard of its own */
	tcase_add_checked_fixture(cores, load_ten, free_ten);
	tcase_add_loop_test(cores, every_block_and_rate, 0, 4);
#ifdef HAVE_KISSFFT
	tcase_add_test(cores, no_gnuplot);
#endif
	tcase_add_test(cores, every_length);
	tcase_add_test(cores, every_depth);
	tcase_add_test(cores, every_team);
	tcase_add_test(cores, every_way_to_say_sets);
	tcase_add_test(cores, random_sets);
	tcase_add_test(cores, not_finite);
	tcase_add_test(cores, threads_that_suit);
	tcase_add_test(cores, print_network);
#ifdef HAVE_JANSSON
	tcase_add_test(cores, other_coefficients);
	tcase_add_test(cores, published);
#endif
	return test_main(suite);
}
