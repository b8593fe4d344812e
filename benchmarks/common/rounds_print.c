/* SPDX-License-Identifier: MIT */
#include "benchmarks/common/rounds_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES_WIDTH = 44, RATIO_WIDTH = 23 }; /* of what is printed of a state */

/* Numbers of one column and row. */
struct numbers {
	double *values; /* room for as many as there are rounds */
	unsigned count;
};

/* A table, of one state at a time. */
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

	printf(" %3u %10.*f %10.*f %10.*f", n->count, digits, middle, digits, n->values[0], digits,
		n->values[n->count - 1]);
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

/* The states first .. last stand beside each other. */
static void print_head(struct view *w, enum probe_state first, enum probe_state last)
{
	const struct rounds_table *t = w->table;

	w->state = first;
	printf("\n%s, cores ", t->title);
	if (first == PROBE_NEITHER || !has_runs(w))
		printf("in any state, or busy");
	else if (first != last)
		printf("%s, and on the right %s", probe_state_names[first], probe_state_names[last]);
	else
		printf("%s; no run that counts was %s", probe_state_names[first],
			probe_state_names[first == PROBE_NEAR ? PROBE_FAR : PROBE_NEAR]);
	printf("%s\n", w->cpu ? "; of one thread the processor's time" : "");
	printf("%-*s", w->width, t->unit);
	for (unsigned s = first; s <= last; s++) {
		printf("%s %3s %10s %10s %10s  %5s", s > first ? "  |" : "", "n", "median", "least", "most",
			"cores");
		for (unsigned k = 0; k < w->reference_count; k++)
			printf("  x %-19s", t->variants[w->references[k]].versus);
	}
	putchar('\n');
}

/* Has it a run that counts in this state? */
static bool has_run(const struct view *w, unsigned variant)
{
	bool any = false;

	for (unsigned r = 0; r < w->rounds; r++)
		any |= counts(w, variant, r);
	return any;
}

static void print_state_of(struct view *w, unsigned variant)
{
	if (!has_run(w, variant)) {
		printf("%*s", (int)(FIGURES_WIDTH + w->reference_count * RATIO_WIDTH), "");
		return;
	}
	print_figures(w, variant);
	for (unsigned k = 0; k < w->reference_count; k++)
		print_ratio(w, variant, w->references[k]);
}

static void print_states(struct view *w, enum probe_state first, enum probe_state last)
{
	print_head(w, first, last);
	for (unsigned v = 0; v < w->table->count; v++) {
		bool any = false;

		for (unsigned s = first; s <= last; s++) {
			w->state = (enum probe_state)s;
			any |= has_run(w, v);
		}
		if (!any)
			continue;
		printf("%-*s", w->width, w->table->variants[v].name);
		for (unsigned s = first; s <= last; s++) {
			w->state = (enum probe_state)s;
			if (s > (unsigned)first)
				printf("  |");
			print_state_of(w, v);
		}
		putchar('\n');
	}
	fflush(stdout);
}

static bool has_runs_in(struct view *w, enum probe_state state)
{
	w->state = state;
	return has_runs(w);
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

	for (unsigned v = 0; v < t->count; v++)
		if (t->variants[v].versus && w.reference_count < ROUNDS_REFERENCES)
			w.references[w.reference_count++] = v;
	w.numbers.values = calloc(o->rounds, sizeof *w.numbers.values);
	if (!w.numbers.values)
		rounds_fail("out of memory");
	w.width = name_width(t);
	bool near = has_runs_in(&w, PROBE_NEAR), far = has_runs_in(&w, PROBE_FAR),
	     any = has_runs_in(&w, PROBE_NEITHER);
	unsigned all, hidden = count_hidden(&w, &all);

	if (near || far)
		print_states(&w, near ? PROBE_NEAR : PROBE_FAR, far ? PROBE_FAR : PROBE_NEAR);
	if ((any && (o->verbose || hidden > all / 2)) || !(near || far))
		print_states(&w, PROBE_NEITHER, PROBE_NEITHER);
	else
		print_hidden(&w);
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
