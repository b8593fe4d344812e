/* SPDX-License-Identifier: MIT */
/* Rounds: runs, and the comparison of outputs. */
#include "benchmarks/common/rounds.h"

#include "benchmarks/common/rounds_print.h"
#include "benchmarks/common/rounds_protocol.h"
#include "lib/base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LINE = 64 };

/* Of -k, for the program's end; main()'s thread only. */
static struct {
	const char *only; /* what it says, if no name so far had it; NULL: not asked yet */
	bool told;        /* a name had it, or the program ends with an error that it tells itself */
	char **names;     /* that did not have it, each once */
	size_t count;
} choice;

void rounds_fail(const char *format, ...)
{
	va_list args;

	choice.told = true;
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

void rounds_run_borrowed(struct pstk_network *net)
{
	if (pstk_network_run(net))
		rounds_fail("%s", pstk_network_error(net));
	rounds_channels(pstk_network_fifo_bytes(net), pstk_network_allocated_bytes(net));
}

void rounds_run_network(struct pstk_network *net)
{
	rounds_run_borrowed(net);
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

/* -- runs -- */

static uint64_t items_of(const struct rounds_table *t, const struct rounds_variant *v, uint64_t items)
{
	uint64_t share = items / (v->divide ? v->divide : 1) / t->least * t->least;

	return share ? share : t->least;
}

uint64_t rounds_enough(const struct rounds_table *t, uint64_t items)
{
	enum { PARTS = 16, LONGER = 4 };

	if (items >= PARTS * t->least)
		return items;
	return items < PARTS * t->least / LONGER ? LONGER * items : PARTS * t->least;
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
			return rounds_enough(t, (uint64_t)((double)items * o->seconds / seconds));
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

double rounds_machine_seconds(void)
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

bool rounds_too_busy(double others, double seconds, double cores)
{
	const double share = 0.05;

	/* one tick may be an error */
	return others > share * seconds * cores + 1 / (double)sysconf(_SC_CLK_TCK);
}

/* Since when others are watched, and what had been computed until then. */
struct watch {
	uint64_t begin; /* 0: never */
	double machine, own;
};

/* The machine's time is told in ticks of 10 ms: shorter than this says nothing. */
static const double watch_least = 0.1;

/* Main thread's. Of a run shorter than that the watch began with an earlier one. */
static struct watch now_watch, earlier_watch;

static double own_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

static double watched(const struct watch *w)
{
	return w->begin ? (double)(ps_clock_ns() - w->begin) * 1e-9 : 0;
}

static void watch_others(void)
{
	if (now_watch.begin && watched(&now_watch) < watch_least)
		return;
	earlier_watch = now_watch;
	now_watch = (struct watch){ ps_clock_ns(), rounds_machine_seconds(), own_seconds() };
}

/* Others' share of the machine during the run, or a little longer. wait: watch on until that can be told. */
static void judge_others(struct rounds_sample *s, bool wait)
{
	double seconds = watched(&now_watch), cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
	const struct watch *w = &now_watch;

	if (seconds < watch_least && earlier_watch.begin)
		w = &earlier_watch;
	else if (seconds < watch_least && wait)
		poll(NULL, 0, (int)((watch_least - seconds) * 1e3) + 1);
	seconds = watched(w);
	if (seconds < watch_least || w->machine <= 0)
		return;
	double others = rounds_machine_seconds() - w->machine - (own_seconds() - w->own);

	s->others = others > 0 ? others / (seconds * cores) : 0;
	s->busy = rounds_too_busy(others, seconds, cores);
}

void rounds_measure(const struct rounds_options *o, const struct rounds_variant *v, uint64_t items,
	struct rounds_sample *s)
{
	struct probe before = probe_cores(), after;
	struct rusage first, last;

	watch_others();
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
	if (v->cost) {
		s->seconds = s->counted = v->cost->seconds;
		s->cpu = v->cost->cpu;
		s->voluntary = v->cost->switches;
		s->involuntary = 0;
	}
	after = probe_cores();
	judge_others(s, o->mode == ROUNDS_ONE);
	s->state = before.state == after.state && !s->busy ? before.state : PROBE_NEITHER;
	s->probe_ns[0] = before.ns;
	s->probe_ns[1] = after.ns;
	s->ran = true;
}

/* Has a name one of the texts, between bars, in it? */
static bool has_one(const char *name, const char *texts)
{
	char text[ROUNDS_NAME];

	for (;;) {
		size_t length = strcspn(texts, "|");

		snprintf(text, sizeof text, "%.*s", (int)length, texts);
		if (strstr(name, text))
			return true;
		if (!texts[length])
			return false;
		texts += length + 1;
	}
}

bool rounds_wanted(const struct rounds_options *o, const struct rounds_table *t, unsigned v)
{
	return !v || t->variants[v].versus || rounds_chosen(o, t->variants[v].name);
}

static void complain_of_none(void)
{
	if (choice.told)
		return;
	fflush(stdout);
	fprintf(stderr, "%s: no variant has '%s' (-k) in its name; there are:\n",
		program_invocation_short_name, choice.only);
	for (size_t i = 0; i < choice.count; i++)
		fprintf(stderr, "  %s\n", choice.names[i]);
	_exit(2);
}

static void remember(const struct rounds_options *o, const char *name)
{
	char **names;

	for (size_t i = 0; i < choice.count; i++)
		if (!strcmp(choice.names[i], name))
			return;
	if (!choice.only)
		atexit(complain_of_none);
	choice.only = o->only;
	names = realloc(choice.names, (choice.count + 1) * sizeof *names);
	if (!names || !(names[choice.count] = strdup(name)))
		rounds_fail("out of memory");
	choice.names = names;
	choice.count++;
}

bool rounds_chosen(const struct rounds_options *o, const char *name)
{
	bool chosen = !o->only || has_one(name, o->only);

	choice.told |= chosen;
	if (!choice.told)
		remember(o, name);
	return chosen;
}

void rounds_require_choice(const struct rounds_options *o)
{
	if (o->only && choice.only)
		complain_of_none();
}

/* Of a table that -k has left nothing in only references would run, which -k does not ask for. */
bool rounds_has_chosen(const struct rounds_options *o, const struct rounds_table *t)
{
	bool any = o->mode == ROUNDS_ONE; /* it names its variant */

	for (unsigned v = 0; v < t->count; v++)
		any |= rounds_chosen(o, t->variants[v].name);
	return any;
}

static bool runs_here(const struct rounds_options *o, const struct rounds_table *t, unsigned v)
{
	return !t->variants[v].absent && rounds_wanted(o, t, v);
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

		if (!runs_here(o, t, k))
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

	if (!rounds_has_chosen(o, t))
		return;
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
