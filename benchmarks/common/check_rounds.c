/* SPDX-License-Identifier: MIT */
/* rounds: what they refuse, run, compare, and print. Variants are counted, not timed. */
#include "apps/common/probe.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/common/rounds_print.h"
#include "benchmarks/common/rounds_protocol.h"
#include "lib/base/clock.h"
#include "tests/common/common.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEAST = 12, TEXT = 8192 };

/* A variant that computes nothing. */
struct fake {
	unsigned runs;  /* without those of the calibration, which has other numbers of items */
	uint64_t items; /* of the last run */
	uint64_t wrong; /* what is added to its output */
	bool sometimes; /* only from the third run on */
};

static uint64_t right(const void *arg, uint64_t items)
{
	(void)arg;
	return items * 3 + 1;
}

static uint64_t run_fake(const void *arg, uint64_t items)
{
	struct fake *fake = (struct fake *)arg;

	fake->runs++;
	fake->items = items;
	return right(arg, items) + (!fake->sometimes || fake->runs > 2 ? fake->wrong : 0);
}

static struct rounds_table new_table(void)
{
	return (struct rounds_table){ .title = "fakes", .unit = "items/s", .scale = 1, .least = LEAST };
}

static const struct rounds_options brief = { .rounds = 3, .seconds = 1e-6 };

/* What was printed from here on is text_of_output()'s. */
static FILE *output;

static void catch_output(void)
{
	output = tmpfile();
	ck_assert_ptr_nonnull(output);
	fflush(stdout);
	ck_assert_int_ge(dup2(fileno(output), 1), 0);
}

static const char *text_of_output(void)
{
	static char text[TEXT];
	size_t n;

	fflush(stdout);
	rewind(output);
	n = fread(text, 1, sizeof text - 1, output);
	text[n] = '\0';
	return text;
}

START_TEST(each_runs_once_a_round)
{
	struct fake first = { 0 }, all = { 0 }, part = { 0 }, other = { 0 };
	struct rounds_table t = new_table();
	struct rounds_options o = brief;

	rounds_add(&t, run_fake, &first, "first")->versus = "first";
	rounds_add(&t, run_fake, &all, "all of %d", 3);
	rounds_add(&t, run_fake, &part, "all of a part")->divide = 1000000;
	rounds_add(&t, run_fake, &other, "another");
	t.expect = right;
	o.only = "all of";
	o.verbose = true; /* whatever others do on this machine */
	catch_output();
	rounds_run(&o, &t);
	ck_assert_uint_eq(all.runs, 3);
	ck_assert_uint_eq(part.runs, 3);
	ck_assert_uint_eq(other.runs, 0);
	ck_assert_uint_gt(first.runs, 3); /* and to calibrate */
	ck_assert_uint_eq(first.items, all.items);
	ck_assert_uint_eq(all.items % LEAST, 0);
	ck_assert_uint_eq(part.items, LEAST);
	TEST_SAYS(text_of_output(), "fakes", "first", "all of 3", "all of a part");
	ck_assert_ptr_null(strstr(text_of_output(), "another"));
}
END_TEST

static void run_two(struct fake *one, struct fake *two, bool expect, unsigned group)
{
	struct rounds_table t = new_table();

	rounds_add(&t, run_fake, one, "one");
	rounds_add(&t, run_fake, two, "two")->group = group;
	t.expect = expect ? right : NULL;
	catch_output();
	rounds_run(&brief, &t);
}

START_TEST(different_outputs_end_it)
{
	run_two(&(struct fake){ 0 }, &(struct fake){ .wrong = 1 }, false, 0);
}
END_TEST

START_TEST(later_differences_end_it)
{
	run_two(&(struct fake){ 0 }, &(struct fake){ .wrong = 1, .sometimes = true }, false, 0);
}
END_TEST

START_TEST(unexpected_outputs_end_it)
{
	run_two(&(struct fake){ .wrong = 1 }, &(struct fake){ .wrong = 1 }, true, 0);
}
END_TEST

START_TEST(groups_may_differ)
{
	struct fake two = { .wrong = 1 };

	run_two(&(struct fake){ 0 }, &two, false, 1);
	ck_assert_uint_eq(two.runs, 3);
}
END_TEST

START_TEST(network_that_fails_ends_it)
{
	rounds_run_network(pstk_network_create("empty"));
}
END_TEST

START_TEST(too_many_variants_end_it)
{
	struct rounds_table t = new_table();

	for (unsigned i = 0; i <= ROUNDS_VARIANTS; i++)
		rounds_add(&t, run_fake, NULL, "fake");
}
END_TEST

START_TEST(absent_variants_are_named)
{
	struct fake first = { 0 }, all = { 0 };
	struct rounds_table t = new_table();

	rounds_add(&t, run_fake, &first, "first")->absent = "no such thing";
	rounds_add(&t, run_fake, &all, "second");
	catch_output();
	rounds_run(&brief, &t);
	ck_assert_uint_eq(first.runs, 0);
	ck_assert_uint_gt(all.runs, 3);
	TEST_SAYS(text_of_output(), "first: not here: no such thing");
	t.variants[1].absent = "neither";
	catch_output();
	rounds_run(&brief, &t);
	TEST_SAYS(text_of_output(), "second: not here: neither");
}
END_TEST

/* -- a choice of variants, -k -- */

/* Its reference alone is nothing that was asked for. */
static struct rounds_table new_compared(struct fake *fake, const char *name)
{
	struct rounds_table t = new_table();

	rounds_add(&t, run_fake, fake, "serial")->versus = "serial";
	rounds_add(&t, run_fake, fake, "%s", name);
	return t;
}

START_TEST(table_without_a_match_is_skipped)
{
	struct fake skipped = { 0 }, run = { 0 };
	struct rounds_table without = new_compared(&skipped, "two"), with = new_compared(&run, "three");
	struct rounds_options o = brief;

	o.only = "four|three";
	catch_output();
	rounds_run(&o, &without);
	ck_assert_uint_eq(skipped.runs, 0);
	ck_assert_str_eq(text_of_output(), "");
	rounds_run(&o, &with);
	ck_assert_uint_gt(run.runs, 6);
	o.only = "serial"; /* by its name, not only by rule */
	rounds_run(&o, &without);
	ck_assert_uint_gt(skipped.runs, 3);
}
END_TEST

/* Status 2, but an error of its own keeps its status. */
START_TEST(no_match_at_all_ends_it)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_compared(&fake, "two");
	struct rounds_options o = brief;
	int status;

	o.only = "four|five";
	catch_output();
	if (!fork()) { /* its stderr is looked at */
		dup2(1, 2);
		rounds_run(&o, &t);
		rounds_run(&o, &t);
		if (_i)
			rounds_fail("no such file");
		exit(0);
	}
	ck_assert_int_ge(wait(&status), 0);
	ck_assert_int_eq(WEXITSTATUS(status), _i ? 1 : 2);
	/* each name once, though two tables have it */
	ck_assert_str_eq(strchr(text_of_output(), ':'),
		_i ? ": no such file\n"
		   : ": no variant has 'four|five' (-k) in its name; there are:\n  serial\n  two\n");
}
END_TEST

/* -- for a driver -- */

/* The table has one variant of each role, and all that JSON must not be given as it is. */
static struct rounds_table new_driven(struct fake *fake)
{
	static const enum rounds_role roles[] = { ROUNDS_PEER, ROUNDS_LIMIT, ROUNDS_BASELINE,
		ROUNDS_LIBRARY };
	struct rounds_table t = new_table();

	t.title = "\"fakes\"\t\\";
	rounds_add(&t, run_fake, fake, "one")->versus = "serial";
	rounds_add(&t, run_fake, fake, "two, r 4, block 0.5")->versus = "ideal";
	rounds_add(&t, run_fake, fake, "8 live tokens, 2nd, two threads, a4")->divide = 10;
	for (unsigned i = 0; i < TEST_COUNT(roles); i++)
		rounds_add(&t, run_fake, fake, "role %u", i)->role = roles[i];
	t.variants[3].absent = "not \"here\"";
	t.variants[3].group = 7;
	return t;
}

START_TEST(list)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_driven(&fake);
	struct rounds_options o = { .mode = ROUNDS_LIST };
	const char *text;

	rounds_again(&t, "-b", "%d", 12);
	t.variants[0].one_thread = true;
	t.family = "all fakes";
	t.sweep = "items";
	t.at = 2.5;
	catch_output();
	rounds_run(&o, &t);
	text = text_of_output();
	ck_assert_uint_eq(fake.runs, 0);
	TEST_SAYS(text,
		"{\"table\": \"\\\"fakes\\\"\\u0009\\\\\", \"unit\": \"items/s\", \"scale\": 1, \"least\": "
		"12, "
		"\"times\": false, \"expect\": false, \"family\": \"all fakes\", \"sweep\": \"items\", "
		"\"at\": 2.5, "
		"\"name\": \"one\", \"role\": \"serial\", \"group\": 0, \"divide\": 1, \"one_thread\": true, "
		"\"absent\": null, \"parameters\": {}, \"again\": [\"-b\", \"12\"]}\n");
	TEST_SAYS(text, "\"ideal\"", "\"peer\", \"group\": 7", "\"limit\"", "\"baseline\"", "\"library\"",
		"\"absent\": \"not \\\"here\\\"\"");
	TEST_SAYS(text, "\"parameters\": {\"r\": 4, \"block\": 0.5}",
		"\"divide\": 10, \"one_thread\": false, \"absent\": null, \"parameters\": {\"live tokens\": "
		"8}");
}
END_TEST

static const char *run_for_driver(struct rounds_table *t, const char *const *words)
{
	char *argv[12] = { (char *)(uintptr_t) "program" };
	int argc = 1;
	struct rounds_options o;

	for (; *words; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	optind = 1;
	o = rounds_parse(argc, argv, "", NULL, "");
	catch_output();
	rounds_run(&o, t);
	return text_of_output();
}
#define RUN(t, ...) run_for_driver(t, (const char *const[]){ __VA_ARGS__, NULL })

/* -k A|B leaves out of the list what has neither in its name; what others are compared with stays. */
START_TEST(list_of_some)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_table();
	struct rounds_options o = { .mode = ROUNDS_LIST, .only = "r 1, depth|four" };
	const char *text;

	rounds_add(&t, run_fake, &fake, "one");
	rounds_add(&t, run_fake, &fake, "two")->versus = "two";
	rounds_add(&t, run_fake, &fake, "three, r 1, depth 2");
	rounds_add(&t, run_fake, &fake, "three, r 16, depth 2");
	rounds_add(&t, run_fake, &fake, "number four")->absent = "no such thing";
	rounds_add(&t, run_fake, &fake, "five");
	catch_output();
	rounds_run(&o, &t);
	text = text_of_output();
	TEST_SAYS(text, "\"one\"", "\"two\"", "\"three, r 1, depth 2\"", "\"number four\"");
	ck_assert_ptr_null(strstr(text, "three, r 16"));
	ck_assert_ptr_null(strstr(text, "five"));
}
END_TEST

START_TEST(one_run)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_table(), other = new_table();
	struct rounds_options o = { .mode = ROUNDS_ONE, .variant = "fake", .table = "fakes", .items = 1200 };
	const char *text;
	char hash[32];

	rounds_add(&t, run_fake, &fake, "fake");
	rounds_add(&other, run_fake, &fake, "fake");
	other.title = "others";
	t.expect = right;
	fake.wrong = 1;
	text = RUN(&t, "--run", "fake", "--items", "1200", "--round", "5", "--expect");
	ck_assert_uint_eq(fake.runs, 2); /* what warms, and the run */
	ck_assert_uint_eq(fake.items, 1200);
	snprintf(hash, sizeof hash, "\"hash\": \"%016x\"", 3602);
	TEST_SAYS(text,
		"{\"table\": \"fakes\", \"name\": \"fake\", \"round\": 5, \"items\": 1200, \"seconds\": ",
		"\"cpu\": ", "\"voluntary\": ", "\"involuntary\": ", "\"peak_bytes\": ", "\"state\": \"",
		"\"probe_ns\": [", "\"others\": ", "\"busy\": ", hash,
		", \"expected\": \"0000000000000e11\"}\n");
	ck_assert_ptr_null(strstr(text, "\"peak_bytes\": 0,"));
	ck_assert_ptr_null(strstr(text, "channel_bytes")); /* the variant has not told it */
	/* the answer has been given: another table of that name runs nothing */
	catch_output();
	rounds_run(&o, &t);
	ck_assert_str_eq(text_of_output(), "");
	text = RUN(&other, "--run", "fake", "--table", "others", "--items", "12");
	TEST_SAYS(text, "\"table\": \"others\"", "\"items\": 12,");
	ck_assert_ptr_null(strstr(text, "expected"));
}
END_TEST

START_TEST(calibrated_run)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_table();

	rounds_add(&t, run_fake, &fake, "fake");
	RUN(&t, "--run", "fake", "--seconds", "0.00001");
	ck_assert_uint_ge(fake.runs, 3);
	ck_assert_uint_eq(fake.items % LEAST, 0);
	ck_assert_uint_ge(fake.items, LEAST);
}
END_TEST

static uint64_t run_with_channels(const void *arg, uint64_t items)
{
	rounds_channels(7777, 7776);
	rounds_channels(1000, 640);
	return run_fake(arg, items);
}

/* The last that the run has said. */
START_TEST(channels)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_table();

	rounds_add(&t, run_with_channels, &fake, "fake");
	TEST_SAYS(RUN(&t, "--run", "fake", "--items", "12"),
		", \"channel_bytes\": 1000, \"channel_bytes_taken\": 640, \"state\": ");
}
END_TEST

/* Where run() has a clock of its own, that counts. */
START_TEST(own_clock)
{
	const struct rounds_cost cost = { .seconds = 2.5, .cpu = 1.25, .switches = 77 };
	struct fake fake = { 0 };
	struct rounds_table t = new_table();

	rounds_add(&t, run_fake, &fake, "fake")->cost = &cost;
	TEST_SAYS(RUN(&t, "--run", "fake", "--items", "12"),
		"\"seconds\": 2.500000000, \"cpu\": 1.250000, \"voluntary\": 77, \"involuntary\": 0");
	fake.runs = 0;
	RUN(&t, "--run", "fake", "--seconds", "5");
	ck_assert_uint_eq(fake.runs, 3); /* the calibration's first took long enough, what warms, the run */
	ck_assert_uint_eq(fake.items, 8 * LEAST);
}
END_TEST

static double now_seconds(void)
{
	return (double)ps_clock_ns() * 1e-9;
}

/* As many processes as there are cores compute beside a run that is over at once: that is seen although the
 * system counts in ticks. Where a limit keeps them from a tenth of the cores there is nothing to see. */
START_TEST(others_beside_a_short_run)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_table();
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	double begin = now_seconds(), computed;
	struct rusage usage;
	const char *text;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	for (long i = 0; i < cores; i++) {
		pid_t child = fork();

		ck_assert_int_ge(child, 0);
		if (child)
			continue;
		close(ends[1]);
		ck_assert_int_ge(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
		for (char byte; read(ends[0], &byte, 1) < 0;) /* until the test has ended */
			;
		_exit(0);
	}
	close(ends[0]);
	rounds_add(&t, run_fake, &fake, "fake");
	text = RUN(&t, "--run", "fake", "--items", "12");
	close(ends[1]);
	while (wait(NULL) > 0)
		;
	ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
	computed = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
	           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	if (computed > 0.1 * (now_seconds() - begin) * (double)cores)
		TEST_SAYS(text, "\"state\": \"neither\"", "\"busy\": true");
}
END_TEST

/* Status 2: the program's end says that there was nothing to run. */
START_TEST(unknown_variant_ends_it)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_driven(&fake);

	if (_i)
		RUN(&t, "--run", "one", "--table", "none", "--items", "12");
	else
		RUN(&t, "--run", "none", "--items", "12");
	ck_assert_uint_eq(fake.runs, 0);
	exit(0);
}
END_TEST

START_TEST(absent_variant_ends_it)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_driven(&fake);

	RUN(&t, "--run", "role 0", "--items", "12");
}
END_TEST

START_TEST(wrong_items_end_it)
{
	struct fake fake = { 0 };
	struct rounds_table t = new_driven(&fake);

	RUN(&t, "--run", "one", "--items", "13");
}
END_TEST

START_TEST(too_many_words_end_it)
{
	struct rounds_table t = new_table();

	for (unsigned i = 0; i <= ROUNDS_WORDS / 2; i++)
		rounds_again(&t, "-x", "%u", i);
}
END_TEST

/* -- options -- */

static char letter;

static bool option(int c, const char *arg)
{
	letter = (char)c;
	return !strcmp(arg, "good");
}

static struct rounds_options parse(const char *a, const char *b, const char *c, const char *d)
{
	const char *words[] = { "program", a, b, c, d };
	static char copies[TEST_COUNT(words)][16]; /* the options that come back point to them */
	char *argv[TEST_COUNT(words) + 1] = { NULL };
	int argc = 0;

	for (; argc < (int)TEST_COUNT(words) && words[argc]; argc++) {
		snprintf(copies[argc], sizeof copies[argc], "%s", words[argc]);
		argv[argc] = copies[argc];
	}
	optind = 1;
	return rounds_parse(argc, argv, "x:", option, "help\n");
}

START_TEST(options)
{
	struct rounds_options o = parse("-n", "9", "-s", "0.5");

	ck_assert_uint_eq(o.rounds, 9);
	ck_assert(o.seconds > 0.49 && o.seconds < 0.51);
	ck_assert(!o.verbose && !o.cpu && !o.only);
	o = parse("-vc", "-k", "team", "-xgood");
	ck_assert(o.verbose && o.cpu);
	ck_assert_str_eq(o.only, "team");
	ck_assert_int_eq(letter, 'x');
	o = parse("--quick", NULL, NULL, NULL);
	ck_assert_uint_eq(o.rounds, 3);
}
END_TEST

/* A program whose letters are all its own. */
START_TEST(own_letters)
{
	char program[] = "program", n[] = "-n", good[] = "good", ask[] = "--list", q[] = "-q";
	char *argv[] = { program, n, good, ask, NULL }, *wrong[] = { program, q, NULL };
	struct rounds_options o;

	optind = 1;
	if (_i) {
		rounds_parse(2, wrong, "=n:", option, "help\n");
		exit(0);
	}
	o = rounds_parse(4, argv, "=n:", option, "help\n");
	ck_assert_int_eq(letter, 'n');
	ck_assert_int_eq(o.mode, ROUNDS_LIST);
	exit(2); /* as the wrong one does */
}
END_TEST

/* Status 0. What the program measures stands behind all options. */
START_TEST(help_on_request)
{
	char program[] = "program", h[] = "-h", help[] = "--help";
	char *argv[] = { program, _i % 2 ? help : h, NULL };
	const char *text, *about;

	catch_output();
	if (!fork()) { /* status 0 is not the test's, which looks at what was printed */
		optind = 1;
		rounds_parse(2, argv, _i < 2 ? "x:" : "=x:", option, "  -x TEXT     more\n\nWhat it is.\n");
		_exit(1);
	}
	int status;

	ck_assert_int_ge(wait(&status), 0);
	ck_assert_int_eq(status, 0);
	text = text_of_output();
	TEST_SAYS(text, "usage: ", "  -x TEXT     more\n", "--help", "--run NAME");
	about = strstr(text, "\nWhat it is.\n");
	ck_assert_ptr_nonnull(about);
	ck_assert(about > strstr(text, "--run NAME"));
	ck_assert_int_eq(!!strstr(text, "  -n ROUNDS"), _i < 2);
	ck_assert_int_eq(!!strstr(text, "median, least, most"), _i < 2);
}
END_TEST

static const char *const wrong_options[][2] = { { "-n", "2x" }, { "-n", "+2" }, { "-n", "2.5" },
	{ "-s", "-1" }, { "-s", "0x1" }, { "--items", "1.5" }, { "-k", "" }, { "-k", "a|" }, { "-k", "|a" },
	{ "-k", "a||b" }, { "-k", "|" }, { "-n", "0" }, { "-n", "1002" }, { "-n", "many" }, { "-s", "0" },
	{ "-s", "1s" }, { "-x", "bad" }, { "-y", NULL }, { "more", NULL }, { "--items", "0" },
	{ "--items", "x" }, { "--round", "-1" }, { "--seconds", "0" }, { "--run", NULL } };

START_TEST(wrong_options_end_it)
{
	parse(wrong_options[_i][0], wrong_options[_i][1], NULL, NULL);
}
END_TEST

/* -- what is printed -- */

static struct rounds_sample make_sample(double seconds, enum probe_state state)
{
	return (struct rounds_sample){ .ran = true,
		.seconds = seconds,
		.cpu = 2 * seconds,
		.counted = seconds,
		.items = 100,
		.state = state };
}

START_TEST(states_apart)
{
	/* near: 100, 50 items a second and 200, 25; far: 10 and 5; serial in any state */
	const struct rounds_sample samples[] = { make_sample(1, PROBE_NEAR), make_sample(2, PROBE_FAR),
		make_sample(4, PROBE_NEITHER), make_sample(0.5, PROBE_NEAR), make_sample(20, PROBE_FAR),
		make_sample(8, PROBE_NEITHER) };
	struct rounds_table t = new_table();
	struct rounds_options o = { .rounds = 3 };
	const char *text;

	rounds_add(&t, run_fake, NULL, "serial")->versus = "serial";
	t.variants[0].one_thread = true;
	rounds_add(&t, run_fake, NULL, "two");
	catch_output();
	rounds_print(&o, &t, samples);
	text = text_of_output();
	TEST_SAYS(text, "cores near, and on the right far\n", "1 of 3 runs");
	/* median, least, most, cores, ratio of that round */
	TEST_SAYS(text, "serial                           3       50.0       25.0      100.0   2.00",
		"two                              1      200.0      200.0      200.0   2.00   2.000",
		"  |   1      5.000      5.000      5.000   2.00   0.100  0.100..0.100 \n");
	ck_assert_ptr_null(strstr(text, "cores neither"));
}
END_TEST

START_TEST(what_was_not_seen_is_empty)
{
	const struct rounds_sample samples[] = { make_sample(1, PROBE_NEAR), make_sample(1, PROBE_FAR) };
	struct rounds_table t = new_table();

	rounds_add(&t, run_fake, NULL, "one");
	rounds_add(&t, run_fake, NULL, "two");
	catch_output();
	rounds_print(&(struct rounds_options){ .rounds = 1 }, &t, samples);
	TEST_SAYS(text_of_output(), "100.0   2.00  |                                            \n",
		"two                                                                         |   1      "
		"100.0");
}
END_TEST

START_TEST(ratios_are_of_one_round)
{
	/* 1/2, 1/4, 8: their median is no ratio of medians */
	const struct rounds_sample samples[] = { make_sample(1, PROBE_NEAR), make_sample(1, PROBE_NEAR),
		make_sample(8, PROBE_NEAR), make_sample(2, PROBE_NEAR), make_sample(4, PROBE_NEAR),
		make_sample(1, PROBE_NEAR) };
	struct rounds_table t = new_table();
	struct rounds_options o = { .rounds = 3 };

	rounds_add(&t, run_fake, NULL, "one")->versus = "one";
	rounds_add(&t, run_fake, NULL, "two");
	catch_output();
	rounds_print(&o, &t, samples);
	TEST_SAYS(text_of_output(), "2.00   0.500  0.250..8.000", "cores near; no run that counts was far\n");
	t.times = true;
	catch_output();
	rounds_print(&o, &t, samples);
	TEST_SAYS(text_of_output(), "2.00   2.000  0.125..4.000");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rounds");
	TCase *tcase = test_case(suite, "rounds");

	tcase_add_test(tcase, each_runs_once_a_round);
	tcase_add_exit_test(tcase, different_outputs_end_it, 1);
	tcase_add_exit_test(tcase, later_differences_end_it, 1);
	tcase_add_exit_test(tcase, unexpected_outputs_end_it, 1);
	tcase_add_test(tcase, groups_may_differ);
	tcase_add_exit_test(tcase, network_that_fails_ends_it, 1);
	tcase_add_exit_test(tcase, too_many_variants_end_it, 1);
	tcase_add_test(tcase, absent_variants_are_named);
	tcase = test_case(suite, "choice");
	tcase_add_test(tcase, table_without_a_match_is_skipped);
	tcase_add_loop_test(tcase, no_match_at_all_ends_it, 0, 2);
	tcase = test_case(suite, "driver");
	tcase_add_test(tcase, list);
	tcase_add_test(tcase, list_of_some);
	tcase_add_test(tcase, one_run);
	tcase_add_test(tcase, others_beside_a_short_run);
	tcase_add_test(tcase, calibrated_run);
	tcase_add_test(tcase, channels);
	tcase_add_test(tcase, own_clock);
	tcase_add_loop_exit_test(tcase, unknown_variant_ends_it, 2, 0, 2);
	tcase_add_exit_test(tcase, absent_variant_ends_it, 1);
	tcase_add_exit_test(tcase, wrong_items_end_it, 1);
	tcase_add_exit_test(tcase, too_many_words_end_it, 1);
	tcase = test_case(suite, "options");
	tcase_add_test(tcase, options);
	tcase_add_loop_test(tcase, help_on_request, 0, 4);
	tcase_add_loop_exit_test(tcase, own_letters, 2, 0, 2);
	tcase_add_loop_exit_test(tcase, wrong_options_end_it, 2, 0, (int)TEST_COUNT(wrong_options));
	tcase = test_case(suite, "printed");
	tcase_add_test(tcase, states_apart);
	tcase_add_test(tcase, what_was_not_seen_is_empty);
	tcase_add_test(tcase, ratios_are_of_one_round);
	return test_main(suite);
}
