/* SPDX-License-Identifier: MIT */
/* Rounds: options, runs, and the comparison of outputs. */
#include "benchmarks/rounds.h"

#include "benchmarks/rounds_print.h"
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

_Noreturn void rounds_fail(const char *format, ...)
{
	va_list args;

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

/* -- options -- */

static _Noreturn void usage(const char *help)
{
	fprintf(stderr,
		"usage: %s [OPTION]..\n"
		"  -n ROUNDS   rounds (7)\n"
		"  -s SECONDS  that a run of the first variant takes (0.25)\n"
		"  -k TEXT     only variants with this in their name, and references\n"
		"  -c          of variants of one thread count the processor's time, for busy machines\n"
		"  -v          print each run\n"
		"  -q, --quick 3 rounds of short runs\n%s",
		program_invocation_short_name, help);
	exit(2);
}

static bool parse_number(const char *text, double least, double most, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end && *value >= least && *value <= most;
}

struct rounds_options rounds_parse(
	int argc, char **argv, const char *more, bool (*option)(int c, const char *arg), const char *help)
{
	static const struct option names[] = { { "quick", no_argument, NULL, 'q' }, { NULL, 0, NULL, 0 } };
	struct rounds_options o = { .rounds = 7, .seconds = 0.25 };
	char letters[64];
	double rounds;
	int c;

	snprintf(letters, sizeof letters, "n:s:k:cvq%s", more);
	while ((c = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		bool good = true;

		if (c == 'n' && (good = parse_number(optarg, 1, ROUNDS_MOST, &rounds)))
			o.rounds = (unsigned)rounds;
		else if (c == 's')
			good = parse_number(optarg, 1e-6, 3600, &o.seconds);
		else if (c == 'k')
			o.only = optarg;
		else if (c == 'c')
			o.cpu = true;
		else if (c == 'v')
			o.verbose = true;
		else if (c == 'q')
			o.rounds = 3, o.seconds = 0.02;
		else if (c != 'n')
			good = c != '?' && option && option(c, optarg);
		if (!good)
			usage(help);
	}
	if (optind != argc)
		usage(help);
	return o;
}

/* -- runs -- */

static uint64_t items_of(const struct rounds_table *t, const struct rounds_variant *v, uint64_t items)
{
	uint64_t share = items / (v->divide ? v->divide : 1) / t->least * t->least;

	return share ? share : t->least;
}

/* How many items the first variant runs in the time. */
static uint64_t calibrate(const struct rounds_options *o, const struct rounds_table *t)
{
	const struct rounds_variant *v = &t->variants[0];
	uint64_t items = t->least;

	for (;;) {
		uint64_t begin = ps_clock_ns();

		v->run(v->arg, items);
		double seconds = (double)(ps_clock_ns() - begin) * 1e-9;

		if (seconds > o->seconds / 4)
			return (uint64_t)((double)items * o->seconds / seconds);
		items *= 2;
	}
}

static double cpu_seconds(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
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

/* Did others take more than a twentieth of the machine while this ran? One tick may be an error; for short runs
 * ticks are too coarse. */
static bool was_busy(const struct rounds_sample *s, double machine)
{
	const double enough = 0.1, share = 0.05;
	double others = machine_seconds() - machine - s->cpu, tick = 1 / (double)sysconf(_SC_CLK_TCK);

	return s->seconds >= enough &&
	       others > share * s->seconds * (double)sysconf(_SC_NPROCESSORS_ONLN) + tick;
}

static void run_one(const struct rounds_options *o, const struct rounds_table *t,
	const struct rounds_variant *v, uint64_t items, struct outputs *outputs, struct rounds_sample *s)
{
	struct probe before = probe_cores(), after;
	double machine = machine_seconds(), cpu = cpu_seconds();
	uint64_t begin = ps_clock_ns(), hash = v->run(v->arg, items), end = ps_clock_ns();

	s->seconds = (double)(end - begin) * 1e-9;
	s->cpu = cpu_seconds() - cpu;
	s->counted = o->cpu && v->one_thread && s->cpu > 0 ? s->cpu : s->seconds;
	s->items = items;
	s->busy = was_busy(s, machine);
	after = probe_cores();
	s->state = before.state == after.state && !s->busy ? before.state : PROBE_NEITHER;
	s->probe_ns[0] = before.ns;
	s->probe_ns[1] = after.ns;
	s->ran = true;
	compare_output(outputs, t, v, items, hash);
}

static bool wanted(const struct rounds_options *o, const struct rounds_table *t, unsigned v)
{
	const struct rounds_variant *variant = &t->variants[v];

	return !o->only || !v || variant->versus || strstr(variant->name, o->only);
}

void rounds_run(const struct rounds_options *o, struct rounds_table *t)
{
	struct rounds_sample *samples = calloc((size_t)t->count * o->rounds, sizeof *samples);
	struct outputs outputs = { .count = 0 };
	uint64_t items = calibrate(o, t);

	if (!samples)
		rounds_fail("out of memory");
	for (unsigned round = 0; round < o->rounds; round++)
		for (unsigned i = 0; i < t->count; i++) {
			unsigned k = (i + round) % t->count;
			struct rounds_sample *s = &samples[k * o->rounds + round];

			if (!wanted(o, t, k))
				continue;
			run_one(o, t, &t->variants[k], items_of(t, &t->variants[k], items), &outputs, s);
			if (o->verbose)
				rounds_print_run(t, k, round, s);
		}
	rounds_print(o, t, samples);
	free(samples);
}
