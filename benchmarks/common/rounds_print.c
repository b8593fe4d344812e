/* SPDX-License-Identifier: MIT */
#include "benchmarks/common/rounds_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of one column and row. */
struct numbers {
	double *values; /* room for as many as there are rounds */
	unsigned count;
};

/* A table, of one state. */
struct view {
	const struct rounds_table *table;
	const struct rounds_sample *samples;
	unsigned rounds;
	bool cpu;  /* see struct rounds_options */
	int width; /* of names */
	enum probe_state state;
	unsigned references[ROUNDS_REFERENCES], reference_count;
	struct numbers numbers;
};

static const struct rounds_sample *sample(const struct view *w, unsigned variant, unsigned round)
{
	return &w->samples[variant * w->rounds + round];
}

static double figure(const struct rounds_table *t, const struct rounds_sample *s)
{
	double seconds = s->counted / (double)s->items;

	return t->times ? seconds * 1e9 / t->scale : 1 / seconds / t->scale;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(struct numbers *n)
{
	qsort(n->values, n->count, sizeof *n->values, compare);
	return (n->values[(n->count - 1) / 2] + n->values[n->count / 2]) / 2;
}

/* Does this run count in this state? One thread doesn't notice how far cores are, but that others use its
 * own. */
static bool counts(const struct view *w, unsigned variant, unsigned round)
{
	const struct rounds_sample *s = sample(w, variant, round);
	bool anywhere = w->table->variants[variant].one_thread && (!s->busy || w->cpu);

	return s->ran && (s->state == w->state || anywhere);
}

static void print_figures(struct view *w, unsigned variant)
{
	struct numbers *n = &w->numbers;

	n->count = 0;
	for (unsigned r = 0; r < w->rounds; r++)
		if (counts(w, variant, r))
			n->values[n->count++] = figure(w->table, sample(w, variant, r));
	double middle = median(n);
	int digits = middle < 10 ? 3 : middle < 1000 ? 1 : 0;

	printf("%-*s %3u %10.*f %10.*f %10.*f", w->width, w->table->variants[variant].name, n->count, digits,
		middle, digits, n->values[0], digits, n->values[n->count - 1]);
	n->count = 0;
	for (unsigned r = 0; r < w->rounds; r++)
		if (counts(w, variant, r))
			n->values[n->count++] = sample(w, variant, r)->cpu / sample(w, variant, r)->seconds;
	printf("  %5.2f", median(n));
}

/* Are their figures made of the same time? */
static bool comparable(const struct view *w, unsigned variant, unsigned reference)
{
	return !w->cpu || w->table->variants[variant].one_thread == w->table->variants[reference].one_thread;
}

static void print_ratio(struct view *w, unsigned variant, unsigned reference)
{
	struct numbers *n = &w->numbers;

	n->count = 0;
	for (unsigned r = 0; r < w->rounds; r++)
		if (comparable(w, variant, reference) && counts(w, variant, r) && counts(w, reference, r))
			n->values[n->count++] = figure(w->table, sample(w, variant, r)) /
			                        figure(w->table, sample(w, reference, r));
	if (!n->count) {
		printf("  %21s", "-");
		return;
	}
	double middle = median(n);

	printf("  %6.3f %6.3f..%-6.3f", middle, n->values[0], n->values[n->count - 1]);
}

/* Are there runs of this state? Those that count in any don't make a table of their own. */
static bool has_runs(const struct view *w)
{
	bool any = false;

	for (unsigned v = 0; v < w->table->count; v++)
		for (unsigned r = 0; r < w->rounds; r++)
			any |= counts(w, v, r) && !w->table->variants[v].one_thread;
	return any;
}

/* What was run while the state changed, or others used the cores. */
static unsigned count_hidden(const struct view *w, unsigned *all)
{
	unsigned hidden = 0;

	*all = 0;
	for (unsigned v = 0; v < w->table->count; v++)
		for (unsigned r = 0; r < w->rounds; r++) {
			const struct rounds_sample *s = sample(w, v, r);

			*all += s->ran && !w->table->variants[v].one_thread;
			hidden += s->ran && !w->table->variants[v].one_thread && s->state == PROBE_NEITHER;
		}
	return hidden;
}

/* What -v would show more. */
static void print_hidden(const struct view *w)
{
	unsigned all, hidden = count_hidden(w, &all);

	if (hidden)
		printf("%u of %u runs on several cores not shown: neither near nor far, or others were busy "
		       "(-v)\n",
			hidden, all);
}

static void print_head(const struct view *w)
{
	const struct rounds_table *t = w->table;

	printf("\n%s, cores %s%s\n", t->title,
		w->state == PROBE_NEITHER || !has_runs(w) ? "in any state, or busy"
							  : probe_state_names[w->state],
		w->cpu ? "; of one thread the processor's time" : "");
	printf("%-*s %3s %10s %10s %10s  %5s", w->width, t->unit, "n", "median", "least", "most", "cores");
	for (unsigned k = 0; k < w->reference_count; k++)
		printf("  x %-19s", t->variants[w->references[k]].versus);
	putchar('\n');
}

static void print_state(struct view *w)
{
	print_head(w);
	for (unsigned v = 0; v < w->table->count; v++) {
		bool any = false;

		for (unsigned r = 0; r < w->rounds; r++)
			any |= counts(w, v, r);
		if (!any)
			continue;
		print_figures(w, v);
		for (unsigned k = 0; k < w->reference_count; k++)
			print_ratio(w, v, w->references[k]);
		putchar('\n');
	}
	fflush(stdout);
}

static int name_width(const struct rounds_table *t)
{
	size_t longest = 30; /* tables of one program stay alike */

	for (unsigned v = 0; v < t->count; v++)
		if (strlen(t->variants[v].name) > longest)
			longest = strlen(t->variants[v].name);
	return (int)longest;
}

void rounds_print(
	const struct rounds_options *o, const struct rounds_table *t, const struct rounds_sample *samples)
{
	struct view w = { .table = t, .samples = samples, .rounds = o->rounds, .cpu = o->cpu };
	bool printed = false;

	for (unsigned v = 0; v < t->count; v++)
		if (t->variants[v].versus && w.reference_count < ROUNDS_REFERENCES)
			w.references[w.reference_count++] = v;
	w.numbers.values = calloc(o->rounds, sizeof *w.numbers.values);
	if (!w.numbers.values)
		rounds_fail("out of memory");
	w.width = name_width(t);
	for (w.state = PROBE_NEAR; w.state < PROBE_STATES; w.state++) {
		unsigned all, hidden = count_hidden(&w, &all);
		bool any = has_runs(&w), most = hidden > all / 2;

		if (w.state == PROBE_NEITHER ? (any && (o->verbose || most)) || !printed : any) {
			print_state(&w);
			printed = true;
		} else if (w.state == PROBE_NEITHER) {
			print_hidden(&w);
		}
	}
	for (unsigned v = 0; v < t->count; v++)
		if (t->variants[v].absent)
			printf("%s: not here: %s\n", t->variants[v].name, t->variants[v].absent);
	free(w.numbers.values);
}

void rounds_print_run(
	const struct rounds_table *t, unsigned variant, unsigned round, const struct rounds_sample *s)
{
	printf("round %u  %-30s %12.3f %s  probes %.0f, %.0f ns: %s%s\n", round, t->variants[variant].name,
		figure(t, s), t->unit, s->probe_ns[0], s->probe_ns[1], probe_state_names[s->state],
		s->busy ? ", busy" : "");
	fflush(stdout);
}
