/* SPDX-License-Identifier: MIT */
#include "benchmarks/common/device_bench.h"

#include "benchmarks/common/number.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

bool device_list_parse(struct device_list *list, const char *text, unsigned least, unsigned most)
{
	return number_list(text, least, most, list->values, DEVICE_BENCH_LIST, &list->count);
}

struct device_moment device_now(void)
{
	struct timespec t;
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct device_moment){ .seconds = (double)t.tv_sec + (double)t.tv_nsec * 1e-9,
		.cpu_us = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
		          (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
		.sleeps = (double)u.ru_nvcsw };
}

struct device_cost device_cost_between(
	const struct device_moment *begin, const struct device_moment *end, double items)
{
	return (struct device_cost){ .rate = items / (end->seconds - begin->seconds),
		.cpu_us = (end->cpu_us - begin->cpu_us) / items,
		.sleeps = (end->sleeps - begin->sleeps) / items };
}

struct rounds_cost device_rounds_cost(const struct device_moment *begin, const struct device_moment *end)
{
	return (struct rounds_cost){ .seconds = end->seconds - begin->seconds,
		.cpu = (end->cpu_us - begin->cpu_us) * 1e-6,
		.switches = (long)(end->sleeps - begin->sleeps) };
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A column's rounds in one state. */
struct choice {
	const struct device_column *column;
	enum probe_state state;
	unsigned rounds;
};

/* The median of one figure; 0: there is none. limit: of the ratios to it, in the rounds that it was in the
 * same state. */
static double median(const struct choice *c, size_t figure, const struct device_column *limit)
{
	double values[DEVICE_BENCH_ROUNDS];
	unsigned n = 0;

	for (unsigned r = 0; r < c->rounds; r++) {
		const double *value = (const double *)((const char *)&c->column->costs[r] + figure);

		if (c->column->states[r] != c->state || (limit && limit->states[r] != c->state))
			continue;
		values[n++] = limit ? *value / limit->costs[r].rate : *value;
	}
	qsort(values, n, sizeof *values, compare);
	return n ? values[n / 2] : 0;
}

static void measure(struct device_column *c, unsigned round)
{
	struct probe before = probe_cores(), after;

	c->costs[round] = c->run(c->arg);
	after = probe_cores();
	c->states[round] = before.state == after.state ? before.state : PROBE_NEITHER;
}

static unsigned rounds_in(const struct choice *c)
{
	unsigned count = 0;

	for (unsigned r = 0; r < c->rounds; r++)
		count += c->column->states[r] == c->state;
	return count;
}

static void print(const struct choice *c, const struct device_column *limit, double scale)
{
	double rate = median(c, offsetof(struct device_cost, rate), NULL) / scale;
	double ratio = limit ? median(c, offsetof(struct device_cost, rate), limit) : 0;

	if (!rounds_in(c))
		return;
	printf("%-7s %2u  %-56s %9.*f %8.2f cpu us %6.3f sleeps", probe_state_names[c->state], rounds_in(c),
		c->column->name, scale > 1 ? 1 : 0, rate,
		median(c, offsetof(struct device_cost, cpu_us), NULL),
		median(c, offsetof(struct device_cost, sleeps), NULL));
	if (c->column == limit)
		printf("  the limit");
	else if (!c->column->by_hand && ratio > 0)
		printf("  %5.2f of the limit, %.1f us a device firing", ratio,
			median(c, offsetof(struct device_cost, firing_us), NULL));
	putchar('\n');
}

/* The fastest by hand in this state; NULL: none ran. */
static const struct device_column *limit_of(
	const struct device_column *columns, unsigned count, unsigned rounds, enum probe_state state)
{
	const struct device_column *limit = NULL;
	double best = 0;

	for (unsigned i = 0; i < count; i++) {
		struct choice c = { &columns[i], state, rounds };
		double rate = median(&c, offsetof(struct device_cost, rate), NULL);

		if (columns[i].by_hand && rate > best) {
			best = rate;
			limit = &columns[i];
		}
	}
	return limit;
}

/* What is near and far of one column stands together. */
static void print_all(const struct device_column *columns, unsigned count, unsigned rounds, double scale)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned s = 0; s < PROBE_STATES; s++) {
			enum probe_state state = (enum probe_state)s;

			print(&(struct choice){ &columns[i], state, rounds },
				limit_of(columns, count, rounds, state), scale);
		}
}

static void run_in_turn(struct device_column *columns, unsigned count, unsigned rounds, double scale)
{
	for (unsigned round = 0; round < rounds; round++)
		for (unsigned k = 0; k < count; k++)
			measure(&columns[(k + round) % count], round);
	print_all(columns, count, rounds, scale);
	fflush(stdout);
}

/* -- for a driver -- */

/* A column, as a variant's argument. */
struct driven {
	const struct device_table *table;
	const struct device_column *column;
	struct rounds_cost cost;
};

/* The column itself has ended the program if its output was wrong: there is no hash to compare. */
static uint64_t run_driven(const void *arg, uint64_t items)
{
	struct driven *d = (struct driven *)(uintptr_t)arg;
	double costs = (double)items / (double)d->table->cost_items;
	struct device_cost cost;

	d->table->set_items(items);
	cost = d->column->run(d->column->arg);
	d->cost.seconds = (double)items / cost.rate;
	d->cost.cpu = cost.cpu_us * 1e-6 * costs;
	d->cost.switches = (long)(cost.sleeps * costs + 0.5);
	return 0;
}

static struct rounds_table new_table(const struct device_table *t)
{
	struct rounds_table table = {
		.title = t->title, .unit = t->unit, .scale = t->scale, .least = t->least
	};

	for (unsigned i = 0; i < 4 && t->again[i]; i += 2)
		rounds_again(&table, t->again[i], "%s", t->again[i + 1]);
	return table;
}

struct variant_name {
	char text[2 * ROUNDS_NAME];
};

static struct variant_name name_of(const struct device_table *t, const struct device_column *c)
{
	const char *last = c->name;
	struct variant_name name;

	for (const char *next; (next = strstr(last, "  "));)
		last = next + 2;
	snprintf(name.text, sizeof name.text, "%s, %s", last, t->point);
	return name;
}

/* Puts those that are chosen first; how many they are. */
static unsigned choose(const struct device_table *t, struct device_column *columns, unsigned count)
{
	unsigned chosen = 0;

	for (unsigned i = 0; i < count; i++)
		if (rounds_chosen(t->options, name_of(t, &columns[i]).text))
			columns[chosen++] = columns[i];
	return chosen;
}

void device_bench_name(const struct device_table *t, const struct device_column *columns, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		rounds_chosen(t->options, name_of(t, &columns[i]).text);
}

static void run_for_driver(const struct device_table *t, const struct device_column *columns, unsigned count)
{
	static struct driven driven[DEVICE_BENCH_COLUMNS];
	struct rounds_table table = new_table(t);

	for (unsigned i = 0; i < count; i++) {
		struct rounds_variant *v;

		driven[i] = (struct driven){ .table = t, .column = &columns[i] };
		v = rounds_add(&table, run_driven, &driven[i], "%s", name_of(t, &columns[i]).text);
		v->cost = &driven[i].cost;
		v->role = columns[i].by_hand ? ROUNDS_LIMIT : ROUNDS_LIBRARY;
	}
	rounds_run(t->options, &table);
}

void device_bench(
	const struct device_table *t, struct device_column *columns, unsigned count, unsigned rounds)
{
	count = choose(t, columns, count);
	if (count && t->options->mode == ROUNDS_TABLES)
		run_in_turn(columns, count, rounds, t->scale);
	else if (count)
		run_for_driver(t, columns, count);
}

void device_bench_absent(const struct device_table *t, const char *why)
{
	struct rounds_table table = new_table(t);

	rounds_add(&table, run_driven, NULL, "all")->absent = why;
	rounds_run(t->options, &table);
}
