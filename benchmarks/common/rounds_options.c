/* SPDX-License-Identifier: MIT */
/* Rounds: the options that all programs have, and what they say of themselves. */
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"
#include "benchmarks/common/rounds_protocol.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 1001 };

static const char
	own_letters[] = "n:s:k:cvq",
	own_help[] =
		"  -n ROUNDS   rounds (7)\n"
		"  -s SECONDS  a run of the first variant, or up to 4 times that (0.25)\n"
		"  -k TEXT     only variants with this in their name, and references; one of several: A|B|C\n"
		"  -c          of variants of one thread count the processor's time, for busy machines\n"
		"  -v          print each run\n"
		"  -q, --quick 3 rounds of 0.02 s\n",
	chosen_help[] = "  -k TEXT     only variants with this in their name; one of several: A|B|C\n",
	columns[] = "columns; near and far, how long a cache line takes between two cores, stand beside each "
		    "other:\n"
		    "  n           runs that count: not while that changed, or others took a twentieth of "
		    "the machine\n"
		    "  median, least, most  of these, in the unit that stands above the variants\n"
		    "  cores       time of all processors, by time\n"
		    "  x NAME      figures by NAME's of the same round: median, least..most; above 1 is "
		    "better where the\n"
		    "              unit is items a second, worse where it is a time or bytes\n";

struct help {
	const char *own;  /* of the options that all have; chosen_help where letters are the program's own */
	const char *more; /* the program's: its options, and behind an empty line what it measures */
};

static void print_usage(FILE *to, const struct help *h)
{
	const char *end = *h->more == '\n' ? h->more : strstr(h->more, "\n\n");
	const char *about = !end ? NULL : end == h->more ? end + 1 : end + 2;
	int options = !end ? (int)strlen(h->more) : end == h->more ? 0 : (int)(end - h->more) + 1;

	fprintf(to,
		"usage: %s [OPTION]..\n%s%.*s  -h, --help  this\nfor a driver (benchmarks/README.md):\n"
		"  --list      what there is\n"
		"  --run NAME [--table TITLE] --seconds S | --items N [--round R] [--expect]\n",
		program_invocation_short_name, h->own, options, h->more);
	if (to != stdout)
		return; /* after a wrong option that must stay in sight */
	if (about)
		printf("\n%s", about);
	if (h->own == own_help)
		printf("\n%s", columns);
}

static struct help texts; /* main()'s thread only */

void rounds_refuse(const char *format, ...)
{
	va_list args;

	rounds_protocol_fails();
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	print_usage(stderr, &texts);
	exit(2);
}

enum {
	OPTION_SECONDS = 256,
	OPTION_LIST,
	OPTION_RUN,
	OPTION_TABLE,
	OPTION_ITEMS,
	OPTION_ROUND,
	OPTION_EXPECT
};

/* The first is one of own_letters. */
static const struct option names[] = { { "quick", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' }, { "seconds", required_argument, NULL, OPTION_SECONDS },
	{ "list", no_argument, NULL, OPTION_LIST }, { "run", required_argument, NULL, OPTION_RUN },
	{ "table", required_argument, NULL, OPTION_TABLE },
	{ "items", required_argument, NULL, OPTION_ITEMS },
	{ "round", required_argument, NULL, OPTION_ROUND }, { "expect", no_argument, NULL, OPTION_EXPECT },
	{ NULL, 0, NULL, 0 } };

/* getopt has told of an option that there isn't. */
static _Noreturn void refuse(void)
{
	print_usage(stderr, &texts);
	exit(2);
}

static _Noreturn void refuse_value(int c, const char *value)
{
	if (!value)
		rounds_refuse("-%c: not together with the options before it", c);
	for (const struct option *o = names; o->name; o++)
		if (o->val == c)
			rounds_refuse("--%s: '%s' is none of the values below", o->name, value);
	rounds_refuse("-%c: '%s' is none of the values below", c, value);
}

static _Noreturn void help_and_end(const struct help *h)
{
	print_usage(stdout, h);
	exit(fflush(stdout) ? 1 : 0);
}

/* One of a driver's options; false: it is wrong. */
static bool parse_driver(struct rounds_options *o, int c, const char *arg)
{
	const uint64_t many = UINT64_C(1000000000000000); /* a double has them all */
	bool good = true;

	if (c == OPTION_SECONDS)
		good = number_real(arg, 1e-6, 3600, &o->seconds);
	else if (c == OPTION_LIST)
		o->mode = ROUNDS_LIST;
	else if (c == OPTION_RUN)
		o->mode = ROUNDS_ONE, o->variant = arg;
	else if (c == OPTION_TABLE)
		o->table = arg;
	else if (c == OPTION_EXPECT)
		o->expect = true;
	else if (c == OPTION_ITEMS)
		good = number_whole(arg, 1, many, &o->items);
	else if (c == OPTION_ROUND)
		good = number_unsigned(arg, 0, UINT32_MAX, &o->round);
	return good;
}

/* -k: an empty text is in every name. */
static void check_alternatives(const char *only)
{
	size_t length = strlen(only);

	if (!length || *only == '|' || only[length - 1] == '|' || strstr(only, "||"))
		rounds_refuse("-k: '%s' has an empty text, which every name has in it: give one on each side "
			      "of a bar",
			only);
}

static bool parse_one(struct rounds_options *o, int c, const char *arg)
{
	bool good = true;

	if (c == 'n')
		good = number_unsigned(arg, 1, ROUNDS_MOST, &o->rounds);
	else if (c == 's')
		good = number_real(arg, 1e-6, 3600, &o->seconds);
	else if (c == 'k')
		check_alternatives(o->only = arg);
	else if (c == 'c')
		o->cpu = true;
	else if (c == 'v')
		o->verbose = true;
	else if (c == 'q')
		o->rounds = 3, o->seconds = 0.02;
	return good;
}

struct rounds_options rounds_parse(
	int argc, char **argv, const char *more, bool (*option)(int c, const char *arg), const char *help)
{
	bool alone = *more == '=';
	const char *own = alone ? "k:" : own_letters;
	struct rounds_options o = { .rounds = 7, .seconds = 0.25 };
	char letters[64];
	int c;

	texts = (struct help){ alone ? chosen_help : own_help, help };
	more += alone;
	snprintf(letters, sizeof letters, "h%s%s", own, more);
	while ((c = getopt_long(argc, argv, letters, alone ? names + 1 : names, NULL)) != -1) {
		bool good = c != '?';

		if (c == 'h')
			help_and_end(&texts);
		if (c >= OPTION_SECONDS)
			good = parse_driver(&o, c, optarg);
		else if (good && strchr(own, c))
			good = parse_one(&o, c, optarg);
		else if (good)
			good = option && option(c, optarg);
		if (c == '?')
			refuse();
		if (!good)
			refuse_value(c, optarg);
	}
	if (optind != argc)
		rounds_refuse("'%s': there are options only", argv[optind]);
	rounds_protocol_begin(&o);
	return o;
}
