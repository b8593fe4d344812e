/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/search.h"
#include "actors/common/message.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"
#include "apps/common/probe.h"
#include "apps/penstock/trial.h"
#include "lib/base/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is better by less is noise. */
#define BETTER 1.02

int search_add(struct search *s, enum search_kind kind, const char *name, const char *values)
{
	struct varied *v = &s->varied[s->count];
	unsigned count;
	int status;

	if (s->count == SEARCH_VARIED)
		return app_fail(EXIT_USAGE, "more than %d things to vary", SEARCH_VARIED);
	*v = (struct varied){ .kind = kind, .name = strdup(name) };
	s->count++;
	if (!v->name)
		return app_out_of_memory();
	status = arguments_cut(values, &v->list, v->values + 1, SEARCH_VALUES - 1, &count);
	v->count = count + 1;
	if (!status && !count)
		return app_fail(EXIT_USAGE, "'%s': expected 1 to %d values of %s, with commas between",
			values, SEARCH_VALUES - 1, name);
	return status;
}

int search_vary(struct search *s, const char *text)
{
	const char *equals = strchr(text, '=');
	char *name = equals ? strndup(text, (size_t)(equals - text)) : NULL;
	int status;

	if (!equals || equals == text)
		status = app_fail(EXIT_USAGE, "--vary: '%s': expected NAME=VALUE,VALUE..", text);
	else
		status = name ? search_add(s, SEARCH_PARAMETER, name, equals + 1) : app_out_of_memory();
	free(name);
	return status;
}

static bool has(const struct search *s, enum search_kind kind)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->varied[i].kind == kind)
			return true;
	return false;
}

/* Actors that can be on a device and on the cores. */
static int find_actors(struct search *s)
{
	const struct pstk_network *network = s->loading.network;
	unsigned count = pstk_network_actor_count(network), found = 0;

	s->actors = calloc(count + 1u, sizeof *s->actors);
	for (unsigned i = 0; i < count && s->actors; i++) {
		const struct pstk_actor *a = pstk_network_actor(network, i);
		const struct pstk_actor_type *type = pstk_actor_get_type(a);

		if (!type->fire || (!type->kernel && !type->fire_cl))
			continue;
		s->actors[found] = strdup(pstk_actor_name(a));
		if (!s->actors[found++])
			return app_out_of_memory();
	}
	return s->actors ? 0 : app_out_of_memory();
}

static int add_teams(struct search *s)
{
	unsigned cores = ps_cores();
	char list[64] = "0,1";
	size_t length = strlen(list);

	for (unsigned n = 2; n <= cores && n <= 256; n = n < cores && 2 * n > cores ? cores : 2 * n)
		length += (size_t)snprintf(list + length, sizeof list - length, ",%u", n);
	return search_add(s, SEARCH_TEAM, "team", list);
}

/* The cores and all devices. */
static int add_devices(struct search *s)
{
	struct pstk_device_info devices[SEARCH_VALUES - 2];
	char list[sizeof devices[0].selector * SEARCH_VALUES] = "cores";
	size_t length = strlen(list);
	int count = pstk_devices(devices, SEARCH_VALUES - 2);

	for (int i = 0; i < count && i < SEARCH_VALUES - 2; i++)
		length +=
			(size_t)snprintf(list + length, sizeof list - length, ",%.63s", devices[i].selector);
	return count > 0 ? search_add(s, SEARCH_DEVICE, "devices", list) : 0;
}

/* What the command line says nothing of. */
static int add_rest(struct search *s)
{
	static const struct {
		const char *name, *values;
	} usual[] = { { "rate", "1,2,4,8,16" }, { "depth", "2,4,8" } };
	int status = has(s, SEARCH_TEAM) ? 0 : add_teams(s);

	for (unsigned i = 0; i < sizeof usual / sizeof *usual && !status && !has(s, SEARCH_PARAMETER); i++)
		if (pstk_graph_parameter(s->loading.graph, usual[i].name))
			status = search_add(s, SEARCH_PARAMETER, usual[i].name, usual[i].values);
	if (!status && s->actors[0] && !has(s, SEARCH_DEVICE))
		status = add_devices(s);
	return status;
}

/* Is there what the command line wants to vary? */
static int check_varied(const struct search *s)
{
	int status = 0;

	for (unsigned i = 0; i < s->count && !status; i++) {
		const struct varied *v = &s->varied[i];

		if (v->kind == SEARCH_PARAMETER && !pstk_graph_parameter(s->loading.graph, v->name))
			return app_fail(EXIT_USAGE, "--vary: the graph has no parameter '%s'", v->name);
		for (unsigned k = 1; k < v->count && v->kind == SEARCH_DEVICE && !status; k++)
			if (strcmp(v->values[k], "cores") != 0)
				status = devices_find(&v->values[k], 1);
	}
	return status;
}

/* The graph as it is: what can be varied in it. */
static int look(struct search *s)
{
	struct loading_mark mark = loading_mark(&s->loading);
	int status = loading_open(&s->loading, true);

	if (!status)
		status = loading_check_output(&s->loading, "output", s->output);
	if (!status)
		status = check_varied(s);
	if (!status)
		status = find_actors(s);
	if (!status)
		status = add_rest(s);
	loading_unload(&s->loading, mark);
	return status;
}

/* -- one attempt: a value of each thing that is varied -- */

enum { LIST = SEARCH_VARIED + 1 };

/* Texts of an attempt. */
struct attempt {
	const char *sets[LIST];
	const char **places;
	char *texts[LIST];
	unsigned count;
};

static void free_attempt(struct attempt *a)
{
	for (unsigned i = 0; i < a->count; i++)
		free(a->texts[i]);
	for (unsigned i = 0; a->places && a->places[i]; i++)
		free((char *)(uintptr_t)a->places[i]);
	free(a->places);
}

/* All actors that can be on a device, "actor=selector". */
static bool place_all(struct attempt *a, char *const *actors, const char *selector)
{
	for (unsigned i = 0; actors[i]; i++) {
		char *text;

		if (asprintf(&text, "%s=%s", actors[i], selector) < 0)
			return false;
		a->places[i] = text;
	}
	return true;
}

/* Thing number `changed` has the value `value`, the others have their best ones; beyond the count: all have them. */
static int try(struct search *s, unsigned changed, unsigned value, double *tokens)
{
	struct attempt a = { 0 };
	struct trial trial = { .sets = a.sets };
	unsigned actors = 0;
	int status = 0;

	while (s->actors[actors])
		actors++;
	a.places = calloc(actors + 1u, sizeof *a.places);
	trial.places = a.places;
	for (unsigned i = 0; i < s->count && a.places && !status; i++) {
		const struct varied *v = &s->varied[i];
		const char *text = v->values[i == changed ? value : v->best];

		if (!text)
			continue;
		if (v->kind == SEARCH_TEAM)
			trial.team = text;
		else if (v->kind == SEARCH_DEVICE)
			status = place_all(&a, s->actors, text) ? 0 : app_out_of_memory();
		else if (asprintf(&a.texts[a.count], "%s=%s", v->name, text) < 0)
			status = app_out_of_memory();
		else
			a.sets[a.count] = a.texts[a.count], a.count++;
	}
	if (!a.places)
		status = app_out_of_memory();
	if (!status)
		status = trial_run(&s->loading, &trial, s->seconds, tokens);
	free_attempt(&a);
	return status;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *list, unsigned count)
{
	qsort(list, count, sizeof *list, compare);
	return count % 2 ? list[count / 2] : (list[count / 2 - 1] + list[count / 2]) / 2;
}

/* Of values of a thing: rounds x values. */
struct rows {
	double *tokens;
	bool failed[SEARCH_VALUES]; /* this value can't be run, which was said */
};

static int fill_rows(struct search *s, unsigned i, struct rows *rows)
{
	const unsigned count = s->varied[i].count;

	for (unsigned round = 0; round < s->rounds; round++)
		for (unsigned value = 0; value < count; value++) {
			int status = rows->failed[value]
			                     ? 0
			                     : try(s, i, value, &rows->tokens[round * count + value]);

			if (status == EXIT_INTERRUPTED || (status && !value))
				return status;
			if (status)
				rows->failed[value] = true;
		}
	return 0;
}

static void say_cores(void)
{
	struct probe probe = probe_cores();

	fprintf(stderr, "  cores: %s", probe_state_names[probe.state]);
	fprintf(stderr, probe.ns > 0 ? ", a cache line takes %.0f ns to another core and back\n" : "\n",
		probe.ns);
}

/* Prints the rows and keeps the best value. */
static void judge(struct search *s, struct varied *v, const struct rows *rows)
{
	double *list = calloc(s->rounds, sizeof *list), best = BETTER;

	fprintf(stderr, "%s\n", v->name);
	for (unsigned value = 0; value < v->count && list; value++) {
		double tokens, ratio;

		fprintf(stderr, "  %-24s ", v->values[value] ? v->values[value] : "as it is");
		if (rows->failed[value]) {
			fputs("can't be run\n", stderr);
			continue;
		}
		for (unsigned round = 0; round < s->rounds; round++)
			list[round] = rows->tokens[round * v->count + value];
		tokens = median(list, s->rounds);
		for (unsigned round = 0; round < s->rounds; round++) {
			double first = rows->tokens[round * v->count];

			list[round] = first > 0 ? rows->tokens[round * v->count + value] / first : 0;
		}
		ratio = median(list, s->rounds);
		fprintf(stderr, "%14.1f tokens/s  %5.2f\n", tokens, ratio);
		if (value && ratio > best) {
			best = ratio;
			v->best = value;
		}
	}
	free(list);
	say_cores();
}

static int vary(struct search *s, unsigned i)
{
	struct rows rows = { calloc((size_t)s->rounds * s->varied[i].count, sizeof(double)), { false } };
	int status = rows.tokens ? fill_rows(s, i, &rows) : app_out_of_memory();

	if (!status)
		judge(s, &s->varied[i], &rows);
	free(rows.tokens);
	return status;
}

/* The best of all against the graph as it is. */
static int confirm(struct search *s)
{
	double *ratios = calloc(s->rounds, sizeof *ratios);
	struct varied former[SEARCH_VARIED];
	int status = ratios ? 0 : app_out_of_memory();

	memcpy(former, s->varied, sizeof former);
	for (unsigned round = 0; round < s->rounds && !status; round++) {
		double first = 0, best = 0;

		for (unsigned i = 0; i < s->count; i++)
			s->varied[i].best = 0;
		status = try(s, s->count, 0, &first);
		memcpy(s->varied, former, sizeof former);
		if (!status)
			status = try(s, s->count, 0, &best);
		if (!status)
			ratios[round] = first > 0 ? best / first : 0;
	}
	if (!status)
		s->gain = median(ratios, s->rounds);
	free(ratios);
	if (!status && s->gain <= 1)
		for (unsigned i = 0; i < s->count; i++)
			s->varied[i].best = 0;
	return status;
}

/* Is anything better than the graph as it is? */
static bool is_any(const struct search *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->varied[i].best)
			return true;
	return false;
}

static void say_best(const struct search *s)
{
	fprintf(stderr, "best:");
	for (unsigned i = 0; i < s->count; i++)
		if (s->varied[i].best)
			fprintf(stderr, " %s=%s", s->varied[i].name, s->varied[i].values[s->varied[i].best]);
	if (is_any(s))
		fprintf(stderr, ": %.2f of the graph as it is", s->gain);
	else
		fprintf(stderr, " the graph as it is");
	fprintf(stderr, " (median of %u round%s)\n", (unsigned)s->rounds, ps_plural(s->rounds));
}

int search_run(struct search *s)
{
	double unused;
	int status = look(s);

	/* what is slow the first time only: kernels, files */
	if (!status)
		status = try(s, s->count, 0, &unused);
	for (unsigned i = 0; i < s->count && !status; i++)
		if (s->varied[i].kind != SEARCH_DEVICE || s->actors[0]) /* else all devices are alike */
			status = vary(s, i);
	if (!status)
		status = confirm(s);
	if (status)
		return status;
	say_best(s);
	return 0;
}

/* In double quotes, as YAML has them. */
static void print_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void write_parameters(const struct search *s, FILE *out)
{
	bool first = true;

	for (unsigned i = 0; i < s->count; i++) {
		const struct varied *v = &s->varied[i];

		if (v->kind != SEARCH_PARAMETER || !v->best)
			continue;
		fprintf(out, "%s  %s: ", first ? "parameters:\n" : "", v->name);
		print_quoted(out, v->values[v->best]);
		fputc('\n', out);
		first = false;
	}
}

void search_write(const struct search *s, FILE *out)
{
	fputs("# penstock bench ", out);
	for (const char *c = loading_name(&s->loading); *c; c++)
		fputc((unsigned char)*c < ' ' ? ' ' : *c, out);
	if (is_any(s))
		fprintf(out, ": %.2f of the graph as it is\n", s->gain);
	else
		fputs(": the graph as it is\n", out);
	write_parameters(s, out);
	for (unsigned i = 0; i < s->count; i++) {
		const struct varied *v = &s->varied[i];

		if (v->kind == SEARCH_TEAM && v->best)
			fprintf(out, "run: {team: %s}\n", v->values[v->best]);
		if (v->kind != SEARCH_DEVICE || !v->best)
			continue;
		fputs("mapping:\n", out);
		for (unsigned k = 0; s->actors[k]; k++) {
			fputs("  ", out);
			print_quoted(out, s->actors[k]);
			fputs(": ", out);
			print_quoted(out, v->values[v->best]);
			fputc('\n', out);
		}
	}
}

void search_free(struct search *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		free(s->varied[i].name);
		free(s->varied[i].list);
	}
	for (unsigned i = 0; s->actors && s->actors[i]; i++)
		free(s->actors[i]);
	free(s->actors);
}
