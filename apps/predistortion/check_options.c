/* SPDX-License-Identifier: MIT */
/* The command line: what it means, and what is said of a wrong one. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/check_said.h"
#include "apps/predistortion/options.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
#define STATS "--stats", "s.json",
#else
#define STATS
#endif

enum { ARGUMENTS = 40 };

static unsigned fails; /* which allocation of the next parse(); 0: none */
static bool fell;      /* it has */

/* -1: it runs; else the exit status. Arguments up to NULL. The caller frees the options. */
static int parse(struct options *options, const char *const *arguments)
{
	char *argv[ARGUMENTS] = { (char *)"predistortion" };
	int argc = 1, status;
	bool runs;

	for (; arguments[argc - 1]; argc++) {
		ck_assert_int_lt(argc, ARGUMENTS - 1);
		argv[argc] = (char *)arguments[argc - 1];
	}
	optind = 0; /* getopt starts again */
	said_start();
	test_fail_allocation(fails); /* none of the test itself */
	runs = options_parse(options, argc, argv, &status);
	fell = test_allocation_failed();
	said_stop();
	ck_assert_int_eq(runs, status == -1);
	return status;
}

#define ACCEPTS(options, ...) accepts(options, (const char *const[]){ __VA_ARGS__, NULL })
static void accepts(struct options *options, const char *const *arguments)
{
	int status = parse(options, arguments);

	ck_assert_msg(status == -1, "status %d: %s", status, said_err);
	ck_assert_str_eq(said_err, "");
	ck_assert_str_eq(said_out, "");
}

/* With this text after the program's name, and the line that all wrong usage ends with. */
#define REFUSES(text, ...) refuses(text, (const char *const[]){ __VA_ARGS__, NULL })
static void refuses(const char *text, const char *const *arguments)
{
	struct options options;
	char lines[1024];
	int status = parse(&options, arguments);

	options_free(&options);
	snprintf(lines, sizeof(lines), "predistortion: %s\nTry 'predistortion --help'.\n", text);
	ck_assert_str_eq(said_err, lines);
	ck_assert_str_eq(said_out, "");
	ck_assert_int_eq(status, 2);
}

START_TEST(defaults)
{
	struct options o;

	ACCEPTS(&o, "--synthetic", "5");
	ck_assert_uint_eq(o.synthetic, 5);
	ck_assert_uint_eq(o.block, 32768);
	ck_assert_uint_eq(o.rate, 1);
	ck_assert(!o.team.given && !o.team.threads && !o.team.depth && !o.team.automatic);
	ck_assert_uint_eq(o.period, 65536);
	ck_assert_uint_eq(o.device_count, 0);
	ck_assert(!o.input && !o.output && !o.coefficients && !o.active && !o.plot && !o.stats);
	ck_assert(!o.print_network);
	options_free(&o);
	ACCEPTS(&o, "--print-network");
	ck_assert(o.print_network && !o.input && !o.synthetic);
	options_free(&o);
}
END_TEST

START_TEST(everything)
{
	struct options o;

	ACCEPTS(&o, "--input", "in.cf32", "--output", "out.cf32", "--coefficients", "c.json", "--active",
		"sets", "--period", "12000", "--block", "1000", "--rate", "4", "--depth", "3", "--team", "7",
		"--device", "gpu,cores,pocl:cpu:0/1of2", "--plot", "p.svg", STATS "--print-network");
	ck_assert_str_eq(o.input, "in.cf32");
	ck_assert_str_eq(o.output, "out.cf32");
	ck_assert_str_eq(o.coefficients, "c.json");
	ck_assert_str_eq(o.active, "sets");
	ck_assert_uint_eq(o.period, 12000);
	ck_assert_uint_eq(o.block, 1000);
	ck_assert_uint_eq(o.rate, 4);
	ck_assert_uint_eq(o.team.depth, 3);
	ck_assert(o.team.given);
	ck_assert_uint_eq(o.team.threads, 7);
	ck_assert_uint_eq(o.device_count, 3);
	ck_assert_str_eq(o.devices[0], "gpu");
	ck_assert_ptr_null(o.devices[1]);
	ck_assert_str_eq(o.devices[2], "pocl:cpu:0/1of2");
	ck_assert_str_eq(o.plot, "p.svg");
#ifdef HAVE_JANSSON
	ck_assert_str_eq(o.stats, "s.json");
#endif
	ck_assert(o.print_network);
	options_free(&o);
}
END_TEST

/* The last one counts. */
START_TEST(repeated)
{
	struct options o;

	ACCEPTS(&o, "--synthetic", "1", "--depth", "auto", "--depth", "5", "--team", "3", "--team", "0");
	ck_assert(!o.team.automatic && o.team.depth == 5 && o.team.given && !o.team.threads);
	options_free(&o);
	ACCEPTS(&o, "--synthetic", "1", "--team", "3", "--team", "auto");
	ck_assert(o.team.given && o.team.suits);
	options_free(&o);
	ACCEPTS(&o, "--synthetic", "1", "--team", "auto", "--team", "3");
	ck_assert(o.team.given && !o.team.suits && o.team.threads == 3);
	options_free(&o);
	ACCEPTS(&o, "--synthetic", "1", "--depth", "5", "--depth", "auto");
	ck_assert(o.team.automatic && !o.team.depth && !o.team.given);
	options_free(&o);

	ACCEPTS(&o, "--input", "a", "--input", "b", "--block", "8", "--block", "16", "--device", "x,y,z",
		"--device", "cores", "--active", "1", "--active", "2", "--period", "16", "--period", "32");
	ck_assert_str_eq(o.input, "b");
	ck_assert_uint_eq(o.block, 16);
	ck_assert_uint_eq(o.period, 32);
	ck_assert_str_eq(o.active, "2");
	ck_assert_uint_eq(o.device_count, 1);
	ck_assert_ptr_null(o.devices[0]);
	options_free(&o);
}
END_TEST

/* By counting, not by dividing. */
static uint64_t next_multiple(uint64_t of, uint64_t from)
{
	uint64_t multiple = of;

	while (multiple < from)
		multiple += of;
	return multiple;
}

START_TEST(periods)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t i = 0; i < test_rounds(500); i++) {
		uint32_t block = test_between(&rng, 1, test_chance(&rng, 50) ? 70000 : 40),
			 rate = test_between(&rng, 1, 5), period = test_between(&rng, 1, 400000);
		uint64_t window = (uint64_t)block * rate, next = next_multiple(window, period);
		char texts[3][24], said[256];
		struct options o;

		if (test_chance(&rng, 30))
			period = (uint32_t)next;
		snprintf(texts[0], sizeof(texts[0]), "%u", block);
		snprintf(texts[1], sizeof(texts[1]), "%u", rate);
		snprintf(texts[2], sizeof(texts[2]), "%u", period);
		ACCEPTS(&o, "--synthetic", "1", "--block", texts[0], "--rate", texts[1]);
		ck_assert_uint_eq(o.period, next_multiple(window, 65536));
		options_free(&o);
		if (period == next) {
			ACCEPTS(&o, "--synthetic", "1", "--block", texts[0], "--rate", texts[1], "--period",
				texts[2]);
			ck_assert_uint_eq(o.period, period);
			options_free(&o);
			continue;
		}
		if (period < window)
			snprintf(said, sizeof(said),
				"--period %u is less than --block x --rate, %llu samples; --period %llu "
				"would do, or "
				"--block %u%s",
				period, (unsigned long long)window, (unsigned long long)window,
				period % rate ? period : period / rate,
				period % rate ? " with --rate 1" : "");
		else
			snprintf(said, sizeof(said),
				"--period %u is no multiple of --block x --rate, %llu samples; the next "
				"multiple is "
				"%llu",
				period, (unsigned long long)window, (unsigned long long)next);
		REFUSES(said, "--synthetic", "1", "--period", texts[2], "--rate", texts[1], "--block",
			texts[0]);
	}
}
END_TEST

START_TEST(large_periods)
{
	struct options o;

	ACCEPTS(&o, "--synthetic", "1", "--block", "4294967295");
	ck_assert_uint_eq(o.period, UINT32_MAX);
	options_free(&o);
	ACCEPTS(&o, "--synthetic", "1", "--block", "65535", "--rate", "65537");
	ck_assert_uint_eq(o.period, UINT32_MAX);
	options_free(&o);
	REFUSES("--period 4294967295 is no multiple of --block x --rate, 32768 samples; the largest multiple "
		"is 4294934528",
		"--synthetic", "1", "--period", "4294967295");
	REFUSES("--block 65536 x --rate 65536 is more than 4294967295 samples, what a window of a FIFO can "
		"have",
		"--synthetic", "1", "--block", "65536", "--rate", "65536");
	REFUSES("--block 4294967295 x --rate 4294967295 is more than 4294967295 samples, what a window of a "
		"FIFO can have",
		"--print-network", "--block", "4294967295", "--rate", "4294967295");
}
END_TEST

#define SIGNAL "--synthetic", "5"
#define DEVICES "' is not one selector, three for polynomial, filters and adder, or one for each of these"
#define SVG ": it is written as SVG or PNG; a name in .svg or .png is wanted"
#define ENDING                                                                                             \
	"' is no ending that is written: .cf32, .cfile, .fc32, .iq, .raw, .bin, .dat or none for samples " \
	"of "                                                                                              \
	"cf32_le, .sigmf-meta or .sigmf-data for a SigMF recording"
#define NUMBER "' is not a number from 1 to 4294967295"

static const struct {
	const char *text;
	const char *arguments[8];
} usages[] = {
	{ "--input FILE or --synthetic N is needed", { NULL } },
	{ "--input FILE or --synthetic N is needed", { "--output", "out" } },
	{ "--input and --synthetic exclude each other", { "--input", "a", SIGNAL } },
	{ "--input and --synthetic exclude each other", { "--input", "a", SIGNAL, "--print-network" } },
	{ "--synthetic: '0' is not a number from 1", { "--synthetic", "0" } },
	{ "--synthetic: '-1' is not a number from 1", { "--synthetic", "-1" } },
	{ "--synthetic: '' is not a number from 1", { "--synthetic", "" } },
	{ "--synthetic: '1e6' is not a number from 1", { "--synthetic", "1e6" } },
	{ "--synthetic: '18446744073709551616' is not a number from 1",
		{ "--synthetic", "18446744073709551616" } },
	{ "--block: '0" NUMBER, { SIGNAL, "--block", "0" } },
	{ "--block: '4294967296" NUMBER, { SIGNAL, "--block", "4294967296" } },
	{ "--rate: ' 4" NUMBER, { SIGNAL, "--rate", " 4" } },
	{ "--rate: '+4" NUMBER, { SIGNAL, "--rate", "+4" } },
	{ "--depth: 'two" NUMBER ", or auto", { SIGNAL, "--depth", "two" } },
	{ "--depth: '0" NUMBER ", or auto", { SIGNAL, "--depth", "0" } },
	{ "--depth: 'auto " NUMBER ", or auto", { SIGNAL, "--depth", "auto " } },
	{ "--team: '257' is not a number from 0 to 256, or auto", { SIGNAL, "--team", "257" } },
	{ "--team: '-1' is not a number from 0 to 256, or auto", { SIGNAL, "--team", "-1" } },
	{ "--team: '' is not a number from 0 to 256, or auto", { SIGNAL, "--team", "" } },
	{ "--team: 'two' is not a number from 0 to 256, or auto", { SIGNAL, "--team", "two" } },
	{ "--period: '0" NUMBER, { SIGNAL, "--period", "0" } },
	{ "--period: '1.5" NUMBER, { SIGNAL, "--period", "1.5" } },
	{ "--device: '" DEVICES, { SIGNAL, "--device", "" } },
	{ "--device: 'a,,c" DEVICES, { SIGNAL, "--device", "a,,c" } },
	{ "--device: 'a,b," DEVICES, { SIGNAL, "--device", "a,b," } },
	{ "--device: ',1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16" DEVICES,
		{ SIGNAL, "--device", ",1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16" } },
	{ "unexpected argument 'in.cf32': is --input meant?", { "in.cf32" } },
	{ "unexpected argument 'in.cf32': is --input meant?", { SIGNAL, "in.cf32" } },
	{ "unexpected argument '-': is --input meant?", { SIGNAL, "-" } },
	{ "unexpected argument 'more.cf32'", { "--input", "in.cf32", "more.cf32" } },
	{ "--plot p.gif" SVG, { SIGNAL, "--plot", "p.gif" } },
	{ "--plot a.svg/P.PDF" SVG, { SIGNAL, "--plot", "a.svg/P.PDF" } },
	{ "--plot .jpeg" SVG, { SIGNAL, "--plot", ".jpeg" } },
	{ "--output b.wav: '.wav" ENDING, { SIGNAL, "--output", "b.wav" } },
	{ "--output a/b.c/d.WAV: '.WAV" ENDING, { SIGNAL, "--output", "a/b.c/d.WAV" } },
	{ "--output x.cf32.gz: '.gz" ENDING, { SIGNAL, "--output", "x.cf32.gz" } },
	{ "--output r.SIGMF-META: '.SIGMF-META" ENDING, { SIGNAL, "--output", "r.SIGMF-META" } },
	{ "--output missing/x.csv: '.csv" ENDING, { SIGNAL, "--output", "missing/x.csv" } },
	{ "--input needs a name", { "--input", "" } },
	{ "--output needs a name", { SIGNAL, "--output", "" } },
	{ "--coefficients needs a name", { SIGNAL, "--coefficients", "" } },
	{ "--active: '' is not all, digits 0 and 1, a number, random:SEED or a file",
		{ SIGNAL, "--active", "" } },
	{ "--plot needs a name", { SIGNAL, "--plot", "" } },
#ifdef HAVE_JANSSON
	{ "--stats needs a name", { SIGNAL, "--stats", "" } },
	{ "--output and --stats name the same file", { SIGNAL, "--output", "-", "--stats", "-" } },
#else
	{ "--stats: this build has no jansson", { SIGNAL, "--stats", "s.json" } },
#endif
	{ "--output and --plot name the same file", { SIGNAL, "--output", "-", "--plot", "-" } },
	{ "--input and --active name the same file", { "--input", "-", "--active", "-" } },
	{ "--input and --coefficients name the same file", { "--input", "-", "--coefficients", "-" } },
	{ "--coefficients and --active name the same file",
		{ SIGNAL, "--coefficients", "-", "--active", "-" } },
};

START_TEST(usage)
{
	refuses(usages[_i].text, usages[_i].arguments);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

/* What getopt says itself. */
START_TEST(unknown_options)
{
	struct options o;

	ck_assert_int_eq(parse(&o, (const char *const[]){ SIGNAL, "--nonsense", NULL }), 2);
	TEST_SAYS(said_err, "predistortion: unrecognized option '--nonsense'", "Try 'predistortion --help'.");
	options_free(&o);
	ck_assert_int_eq(parse(&o, (const char *const[]){ SIGNAL, "--rate", NULL }), 2);
	TEST_SAYS(said_err, "option '--rate' requires an argument");
	options_free(&o);
	ck_assert_int_eq(parse(&o, (const char *const[]){ SIGNAL, "--print-network=1", NULL }), 2);
	TEST_SAYS(said_err, "doesn't allow an argument");
	options_free(&o);
}
END_TEST

START_TEST(devices)
{
	struct options o;

	ACCEPTS(&o, SIGNAL, "--device", "gpu");
	ck_assert_uint_eq(o.device_count, 1);
	ck_assert_str_eq(o.devices[0], "gpu");
	options_free(&o);
	ACCEPTS(&o, SIGNAL, "--device", "1,2,3,4,5,6,7,8,9,cores,11,12,13,14,15,16,17,18");
	ck_assert_uint_eq(o.device_count, 18);
	for (int i = 0; i < 18; i++) {
		if (i == 9)
			ck_assert_ptr_null(o.devices[i]);
		else
			ck_assert_int_eq(strtol(o.devices[i], NULL, 10), i + 1);
	}
	options_free(&o);
	/* whether so many are right is known when the branches are; more than may ever be are counted only */
	ACCEPTS(&o, SIGNAL, "--device", "a,b");
	ck_assert_uint_eq(o.device_count, 2);
	options_free(&o);
	ACCEPTS(&o, SIGNAL, "--device", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19");
	ck_assert_uint_eq(o.device_count, 19);
	options_free(&o);
}
END_TEST

static const char *const file_options[] = { "input", "coefficients", "active", "output", "plot",
#ifdef HAVE_JANSSON
	"stats"
#endif
};

/* All other options that are needed for a pair of these. */
static void refuse_pair(size_t i, size_t k, const char *first, const char *second)
{
	char options[2][32], text[128];
	const char *arguments[8] = { options[0], first, options[1], second };

	snprintf(options[0], sizeof(options[0]), "--%s", file_options[i]);
	snprintf(options[1], sizeof(options[1]), "--%s", file_options[k]);
	snprintf(text, sizeof(text), "--%s and --%s name the same file", file_options[i], file_options[k]);
	if (i > 0) {
		arguments[4] = "--synthetic";
		arguments[5] = "1";
	}
	refuses(text, arguments);
}

/* Any two, by the same name, by another one, through links; whether it is there or not. */
START_TEST(one_file_twice)
{
	for (size_t i = 0; i < TEST_COUNT(file_options); i++) {
		for (size_t k = i + 1; k < TEST_COUNT(file_options); k++) {
			refuse_pair(i, k, "x", "x");
			refuse_pair(i, k, "x", "./x");
			files_text("x", "content");
			ck_assert_int_eq(link("x", "hard") | symlink("x", "soft"), 0);
			refuse_pair(i, k, "x", "hard");
			refuse_pair(i, k, "soft", "x");
			ck_assert_int_eq(remove("x") | remove("hard") | remove("soft"), 0);
			ck_assert_int_eq(mkfifo("x", 0600), 0);
			refuse_pair(i, k, "x", "./x");
			ck_assert_int_eq(remove("x"), 0);
		}
	}
}
END_TEST

/* A recording is two files, whichever of them is named. */
START_TEST(recordings)
{
	static const char *const both[] = { "a.sigmf-meta", "a.sigmf-data" };
	struct options o;

	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 2; k++) {
			refuse_pair(0, 1, both[i], both[k]); /* input, coefficients */
			refuse_pair(0, 2, both[i], both[k]); /* active */
			refuse_pair(0, 3, both[i], both[k]); /* output */
			refuse_pair(0, 4, both[i], both[k]); /* plot */
			refuse_pair(1, 3, both[i], both[k]);
			refuse_pair(3, 4, both[i], both[k]);
		}
		ACCEPTS(&o, "--input", both[i], "--output", "b.sigmf-meta", "--plot", "a.sigmf");
		options_free(&o);
	}
	ck_assert_int_eq(symlink("c", "a.sigmf-data"), 0);
	files_text("c", "");
	refuse_pair(0, 3, "a.sigmf-meta", "c");
}
END_TEST

/* What only looks the same. */
START_TEST(different_files)
{
	struct options o;

	/* digits are no file, nor is a seed */
	ACCEPTS(&o, SIGNAL, "--output", "1111111111", "--active", "1111111111");
	options_free(&o);
	ACCEPTS(&o, SIGNAL, "--output", "random:1", "--active", "random:1");
	options_free(&o);
	/* stdin and stdout */
	ACCEPTS(&o, "--input", "-", "--output", "-");
	options_free(&o);
	ACCEPTS(&o, "--input", "/dev/zero", "--output", "/dev/null", "--active", "sets");
	options_free(&o);
	ACCEPTS(&o, SIGNAL, "--output", "/dev/null", "--plot", "/dev/null");
	options_free(&o);
	ACCEPTS(&o, SIGNAL, "--output", "/dev/null", "--plot", "/dev/../dev/null");
	options_free(&o);
	ACCEPTS(&o, "--input", "x", "--output", "X");
	options_free(&o);
	/* no file, though they could be */
	ACCEPTS(&o, SIGNAL, "--output", "all", "--active", "all");
	options_free(&o);
	ACCEPTS(&o, SIGNAL, "--output", "random", "--active", "random");
	options_free(&o);
	/* unless both are one file */
	files_text("x", "content");
	ck_assert_ptr_nonnull(freopen("x", "r", stdin));
	REFUSES("--input and --output name the same file", "--input", "-", "--output", "x");
	REFUSES("--output and --plot name the same file", SIGNAL, "--output", "y", "--plot", "y");
}
END_TEST

/* A picture is PNG or SVG, whatever it is called, unless its name says that it is something else. */
START_TEST(names_of_pictures)
{
	static const char *const names[] = { "p.svg", "p.SVG", "p.png", "png", "p", "p.png/x", "p.png.svg",
		"p.png~", "/dev/null", "-", "spectra.1" };
	struct options o;

	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		ACCEPTS(&o, SIGNAL, "--plot", names[i]);
		ck_assert_str_eq(o.plot, names[i]);
		options_free(&o);
	}
}
END_TEST

/* What is written is cf32_le, whatever else a name without an ending or that of a pipe or device may suggest. */
START_TEST(names_of_outputs)
{
	static const char *const names[] = { "a.cf32", "a.CF32", "a.cfile", "a.fc32", "a.iq", "a.raw",
		"a.bin", "a.dat", "a.sigmf-meta", "a.sigmf-data", "a.sigmf", "wav", ".wav", "a.wav/x", "a.",
		"-", "fifo.wav", "/dev/null", "null.wav" };
	struct options o;

	ck_assert_int_eq(mkfifo("fifo.wav", 0600), 0);
	ck_assert_int_eq(symlink("/dev/null", "null.wav"), 0);
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		ACCEPTS(&o, SIGNAL, "--output", names[i]);
		ck_assert_str_eq(o.output, names[i]);
		options_free(&o);
	}
}
END_TEST

START_TEST(help)
{
	static const char *const names[] = { "input", "synthetic", "output", "coefficients", "active",
		"period", "block", "rate", "depth", "team", "device", "devices", "plot", "print-network",
		"stats", "help", "version" };
	struct options o;

	ck_assert_int_eq(parse(&o, (const char *const[]){ "--help", NULL }), 0);
	ck_assert_str_eq(said_err, "");
	ck_assert_int_eq(strncmp(said_out, "Usage: predistortion ", 21), 0);
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		char word[32];

		snprintf(word, sizeof(word), "--%s", names[i]);
		ck_assert_msg(strstr(said_out, word) != NULL, "%s", word);
	}
	for (const char *line = said_out, *end; (end = strchr(line, '\n')); line = end + 1)
		ck_assert_int_le(end - line, 100);
	options_free(&o);
	ck_assert_int_eq(parse(&o, (const char *const[]){ "--version", NULL }), 0);
	ck_assert_str_eq(said_out, "predistortion (penstock) " PSTK_VERSION "\n");
	options_free(&o);
}
END_TEST

/* None: what to install is said, and the status is another one. */
START_TEST(list_of_devices)
{
	struct options o;
	int status = parse(&o, (const char *const[]){ "--devices", NULL });

	ck_assert_int_eq(status, *said_out ? 0 : 3);
	ck_assert(*said_out || *said_err);
	options_free(&o);
}
END_TEST

/* Where it can't be told whether two names are one file, they are taken for two. */
START_TEST(out_of_memory)
{
	unsigned said = 0;

	do {
		struct options o;
		int status;

		fails++;
		status = parse(&o, (const char *const[]){ "--input", "a.sigmf-meta", "--output",
					   "b.sigmf-data", "--device", "cores", NULL });
		options_free(&o);
		ck_assert(status == -1 || fell);
		if (status == -1)
			continue;
		ck_assert_int_eq(status, 1);
		ck_assert_str_eq(said_err, "predistortion: out of memory\n");
		said++;
	} while (fell);
	ck_assert_uint_eq(said, 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("options");
	TCase *c = files_case(suite, "options");

	tcase_add_test(c, defaults);
	tcase_add_test(c, everything);
	tcase_add_test(c, repeated);
	tcase_add_test(c, periods);
	tcase_add_test(c, large_periods);
	tcase_add_loop_test(c, usage, 0, TEST_COUNT(usages));
	tcase_add_test(c, unknown_options);
	tcase_add_test(c, devices);
	tcase_add_test(c, one_file_twice);
	tcase_add_test(c, recordings);
	tcase_add_test(c, different_files);
	tcase_add_test(c, names_of_pictures);
	tcase_add_test(c, names_of_outputs);
	tcase_add_test(c, help);
	tcase_add_test(c, list_of_devices);
	tcase_add_test(c, out_of_memory);
	return test_main(suite);
}
