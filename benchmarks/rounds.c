/* SPDX-License-Identifier: MIT */
/* Rounds: options, runs, and the comparison of outputs. */
#include "benchmarks/rounds.h"

#include "benchmarks/rounds_print.h"
#include "benchmarks/rounds_protocol.h"
#include "lib/clock.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROUNDS_MOST = 1001, LINE = 64 };

void rounds_fail(const char *format, ...)
{
	va_list args;

	rounds_protocol_fails();
	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void *rounds_alloc(size_t bytes)
{
	void *memory = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);

	if (!memory)
		rounds_fail("out of memory");
	memset(memory, 0, bytes);
	return memory;
}

/* Sums of words, and sums of these sums, which tell one order from another. */
uint64_t rounds_hash(const void *bytes, size_t n)
{
	typedef uint64_t vector __attribute__((vector_size(16)));
	typedef uint64_t anywhere __attribute__((vector_size(16), aligned(1), may_alias));
	vector sums[4] = { { 0 } }, orders[4] = { { 0 } };
	const unsigned char *at = bytes;
	uint64_t hash = n;

	for (size_t i = 0; i < n; i += sizeof sums) {
		const anywhere *words = (const void *)(at + i);

		_Pragma("GCC unroll 4") for (unsigned k = 0; k < 4; k++)
		{
			sums[k] += words[k];
			orders[k] += sums[k];
		}
	}
	for (unsigned k = 0; k < 8; k++)
		hash = (hash + sums[k / 2][k % 2]) * UINT64_C(0x9e3779b97f4a7c15) + orders[k / 2][k % 2];
	return hash ^ hash >> 29;
}

void rounds_run_network(struct pstk_network *net)
{
	if (pstk_network_run(net))
		rounds_fail("%s", pstk_network_error(net));
	rounds_channels(pstk_network_fifo_bytes(net), pstk_network_allocated_bytes(net));
	pstk_network_destroy(net);
}

struct rounds_variant *rounds_add(struct rounds_table *t, uint64_t (*run)(const void *arg, uint64_t items),
	const void *arg, const char *name, ...)
{
	struct rounds_variant *v = &t->variants[t->count];
	va_list args;

	if (t->count == ROUNDS_VARIANTS)
		rounds_fail("%s: more than %d variants", t->title, ROUNDS_VARIANTS);
	t->count++;
	*v = (struct rounds_variant){ .run = run, .arg = arg };
	va_start(args, name);
	vsnprintf(v->name, sizeof v->name, name, args);
	va_end(args);
	return v;
}

void rounds_again(struct rounds_table *t, const char *option, const char *value, ...)
{
	va_list args;

	if (t->again_count + 2 > ROUNDS_WORDS)
		rounds_fail("%s: more than %d options to run it again", t->title, ROUNDS_WORDS / 2);
	snprintf(t->again[t->again_count++], ROUNDS_WORD, "%s", option);
	va_start(args, value);
	vsnprintf(t->again[t->again_count++], ROUNDS_WORD, value, args);
	va_end(args);
}

/* -- options -- */

static const char
	own_letters[] = "n:s:k:cvq",
	own_help[] = "  -n ROUNDS   rounds (7)\n"
		     "  -s SECONDS  that a run of the first variant takes (0.25)\n"
		     "  -k TEXT     only variants with this in their name, and references\n"
		     "  -c          of variants of one thread count the processor's time, for busy machines\n"
		     "  -v          print each run\n"
		     "  -q, --quick 3 rounds of short runs\n";

static _Noreturn void usage(const char *own, const char *help)
{
	fprintf(stderr,
		"usage: %s [OPTION]..\n%s%sfor a driver (benchmarks/README.md):\n"
		"  --list      what there is\n"
		"  --run NAME [--table TITLE] --seconds S | --items N [--round R] [--expect]\n",
		program_invocation_short_name, own, help);
	exit(2);
}

static bool parse_number(const char *text, double least, double most, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end && *value >= least && *value <= most;
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
	{ "seconds", required_argument, NULL, OPTION_SECONDS }, { "list", no_argument, NULL, OPTION_LIST },
	{ "run", required_argument, NULL, OPTION_RUN }, { "table", required_argument, NULL, OPTION_TABLE },
	{ "items", required_argument, NULL, OPTION_ITEMS },
	{ "round", required_argument, NULL, OPTION_ROUND }, { "expect", no_argument, NULL, OPTION_EXPECT },
	{ NULL, 0, NULL, 0 } };

/* One of a driver's options; false: it is wrong. */
static bool parse_driver(struct rounds_options *o, int c, const char *arg)
{
	const double many = 1e15; /* a double has them all */
	double number = 0;
	bool good = true;

	if (c == OPTION_SECONDS)
		good = parse_number(arg, 1e-6, 3600, &o->seconds);
	else if (c == OPTION_LIST)
		o->mode = ROUNDS_LIST;
	else if (c == OPTION_RUN)
		o->mode = ROUNDS_ONE, o->variant = arg;
	else if (c == OPTION_TABLE)
		o->table = arg;
	else if (c == OPTION_EXPECT)
		o->expect = true;
	else if (c == OPTION_ITEMS && (good = parse_number(arg, 1, many, &number)))
		o->items = (uint64_t)number;
	else if (c == OPTION_ROUND && (good = parse_number(arg, 0, many, &number)))
		o->round = (unsigned)number;
	return good;
}

static bool parse_one(struct rounds_options *o, int c, const char *arg)
{
	double rounds;
	bool good = true;

	if (c == 'n' && (good = parse_number(arg, 1, ROUNDS_MOST, &rounds)))
		o->rounds = (unsigned)rounds;
	else if (c == 's')
		good = parse_number(arg, 1e-6, 3600, &o->seconds);
	else if (c == 'k')
		o->only = arg;
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
	const char *own = alone ? "" : own_letters, *more_help = alone ? "" : own_help;
	struct rounds_options o = { .rounds = 7, .seconds = 0.25 };
	char letters[64];
	int c;

	more += alone;
	snprintf(letters, sizeof letters, "%s%s", own, more);
	while ((c = getopt_long(argc, argv, letters, names + alone, NULL)) != -1) {
		bool good = c != '?';

		if (c >= OPTION_SECONDS)
			good = parse_driver(&o, c, optarg);
		else if (good && strchr(own, c))
			good = parse_one(&o, c, optarg);
		else if (good)
			good = option && option(c, optarg);
		if (!good)
			usage(more_help, help);
	}
	if (optind != argc)
		usage(more_help, help);
	rounds_protocol_begin(&o);
	return o;
}

/* -- runs -- */

static uint64_t items_of(const struct rounds_table *t, const struct rounds_variant *v, uint64_t items)
{
	uint64_t share = items / (v->divide ? v->divide : 1) / t->least * t->least;

	return share ? share : t->least;
}

uint64_t rounds_calibrate(
	const struct rounds_options *o, const struct rounds_table *t, const struct rounds_variant *v)
{
	uint64_t items = t->least;

	for (;;) {
		uint64_t begin = ps_clock_ns();

		v->run(v->arg, items);
		double seconds = (double)(ps_clock_ns() - begin) * 1e-9;

		if (v->cost)
			seconds = v->cost->seconds;
		if (seconds > o->seconds / 4)
			return (uint64_t)((double)items * o->seconds / seconds);
		items *= 2;
	}
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Outputs of a group of equally many items: what the first of them was. */
struct expected {
	unsigned group;
	uint64_t items, hash;
	const char *variant;
};

struct outputs {
	struct expected list[ROUNDS_VARIANTS];
	unsigned count;
};

/* Adds what is expected, if the table knows it. */
static struct expected *find_expected(
	struct outputs *o, const struct rounds_table *t, const struct rounds_variant *v, uint64_t items)
{
	struct expected *e = o->list;

	for (; e < o->list + o->count; e++)
		if (e->group == v->group && e->items == items)
			return e;
	if (!t->expect)
		return NULL;
	*e = (struct expected){ v->group, items, t->expect(v->arg, items), "expected" };
	o->count++;
	return e;
}

static void compare_output(struct outputs *o, const struct rounds_table *t, const struct rounds_variant *v,
	uint64_t items, uint64_t hash)
{
	const struct expected *e = find_expected(o, t, v, items);

	if (!e)
		o->list[o->count++] = (struct expected){ v->group, items, hash, v->name };
	else if (e->hash != hash)
		rounds_fail("%s: %" PRIu64 " items: the output of '%s' is %016" PRIx64
			    ", that of '%s' %016" PRIx64,
			t->title, items, v->name, hash, e->variant, e->hash);
}

/* Processor time of all that ran on the machine, and what its host has kept from it; 0: not known. */
static double machine_seconds(void)
{
	unsigned long long user, nice, system, idle, io, irq, soft, steal;
	FILE *file = fopen("/proc/stat", "re");
	int read = 0;

	if (file) {
		read = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
			&idle, &io, &irq, &soft, &steal);
		fclose(file);
	}
	if (read != 8)
		return 0;
	return (double)(user + nice + system + irq + soft + steal) / (double)sysconf(_SC_CLK_TCK);
}

/* Others' share of the machine while this ran. One tick may be an error; ticks are coarse for short runs. */
static void judge_others(struct rounds_sample *s, double machine)
{
	const double enough = 0.1, share = 0.05;
	double all = s->seconds * (double)sysconf(_SC_NPROCESSORS_ONLN);
	double others = machine_seconds() - machine - s->cpu, tick = 1 / (double)sysconf(_SC_CLK_TCK);

	s->others = others > 0 ? others / all : 0;
	s->busy = s->seconds >= enough && others > share * all + tick;
}

void rounds_measure(const struct rounds_options *o, const struct rounds_variant *v, uint64_t items,
	struct rounds_sample *s)
{
	struct probe before = probe_cores(), after;
	double machine = machine_seconds();
	struct rusage first, last;

	getrusage(RUSAGE_SELF, &first);
	uint64_t begin = ps_clock_ns();

	s->hash = v->run(v->arg, items);
	s->seconds = (double)(ps_clock_ns() - begin) * 1e-9;
	getrusage(RUSAGE_SELF, &last);
	s->cpu = seconds_of(last.ru_utime) + seconds_of(last.ru_stime) - seconds_of(first.ru_utime) -
	         seconds_of(first.ru_stime);
	s->voluntary = last.ru_nvcsw - first.ru_nvcsw;
	s->involuntary = last.ru_nivcsw - first.ru_nivcsw;
	s->counted = o->cpu && v->one_thread && s->cpu > 0 ? s->cpu : s->seconds;
	s->items = items;
	judge_others(s, machine);
	if (v->cost) {
		s->seconds = s->counted = v->cost->seconds;
		s->cpu = v->cost->cpu;
		s->voluntary = v->cost->switches;
		s->involuntary = 0;
	}
	after = probe_cores();
	s->state = before.state == after.state && !s->busy ? before.state : PROBE_NEITHER;
	s->probe_ns[0] = before.ns;
	s->probe_ns[1] = after.ns;
	s->ran = true;
}

static bool wanted(const struct rounds_options *o, const struct rounds_table *t, unsigned v)
{
	const struct rounds_variant *variant = &t->variants[v];

	if (variant->absent)
		return false;
	return !o->only || !v || variant->versus || strstr(variant->name, o->only);
}

/* The first variant that can run; NULL: none can. */
static const struct rounds_variant *first_here(const struct rounds_table *t)
{
	for (unsigned v = 0; v < t->count; v++)
		if (!t->variants[v].absent)
			return &t->variants[v];
	return NULL;
}

static void run_round(const struct rounds_options *o, const struct rounds_table *t, uint64_t items,
	unsigned round, struct outputs *outputs, struct rounds_sample *samples)
{
	for (unsigned i = 0; i < t->count; i++) {
		unsigned k = (i + round) % t->count;
		const struct rounds_variant *v = &t->variants[k];
		struct rounds_sample *s = &samples[k * o->rounds + round];

		if (!wanted(o, t, k))
			continue;
		rounds_measure(o, v, items_of(t, v, items), s);
		compare_output(outputs, t, v, s->items, s->hash);
		if (o->verbose)
			rounds_print_run(t, k, round, s);
	}
}

void rounds_run(const struct rounds_options *o, struct rounds_table *t)
{
	const struct rounds_variant *first = first_here(t);
	struct rounds_sample *samples;
	struct outputs outputs = { .count = 0 };

	if (o->mode != ROUNDS_TABLES) {
		rounds_protocol_table(o, t);
		return;
	}
	samples = calloc((size_t)t->count * o->rounds + 1, sizeof *samples);
	if (!samples)
		rounds_fail("out of memory");
	if (first) {
		uint64_t items = rounds_calibrate(o, t, first);

		for (unsigned round = 0; round < o->rounds; round++)
			run_round(o, t, items, round, &outputs, samples);
	}
	rounds_print(o, t, samples);
	free(samples);
}
