/* SPDX-License-Identifier: MIT */
/* penstock plan */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/loading.h"
#include "apps/penstock/measure.h"
#include "apps/penstock/migration_picture.h"
#include "apps/penstock/network_json.h"
#include "apps/penstock/picture.h"
#include "apps/penstock/plan_picture.h"

#include <errno.h>
#include <penstock/plan.h>
#include <string.h>

static const char help[] =
	"Usage: penstock plan [OPTION]... FILE\n"
	"       penstock plan [OPTION]... -e CHAIN\n"
	"       penstock plan [OPTION]... --migration B:h,B:h\n"
	"Says what a network will need on the machine of its graph file, and how fast it can be: where "
	"buffers\n"
	"lie and how deep they are, when each actor has its first data, what each place and link has to do. "
	"It\n"
	"runs nothing, needs no device, and no input unless the size of frames is known only from it.\n"
	"\n"
	"  --machine FILE           hosts, devices and links, instead of those of the graph\n"
	"  --mapping auto           chooses the places: the least period; fixed: in the graph says which "
	"actors stay,\n"
	"                           times: where the others can be\n"
	"  --contiguous             of auto: the actors of a place follow each other in the schedule, so "
	"that "
	"places\n"
	"                           are the stages of a pipeline; those that can only be at one do not "
	"count\n"
	"  --overlap on|off         on, the default: two windows where a transfer touches, so that it goes "
	"on\n"
	"                           while actors fire; off: one, half of that memory\n"
	"  --merge on|off           on, the default: buffers of a place share memory where that is sound\n"
	"  --measure                first measures how long the actors' firings take, in a run of the "
	"network "
	"that\n"
	"                           writes its outputs; with --mapping auto a run with all that can be at a "
	"place,\n"
	"                           for each place; --format yaml writes these times, too\n"
	"  --seconds S              that such a run takes at most, once each actor has fired (0.5)\n"
	"  --move ACTOR=PLACE       instead: what it costs to move this actor there while data flow: what\n"
	"                           stops when, how long nothing comes, the rate before, during and after\n"
	"  --migration B:h,B:h      the same of two paths, without a graph: the buffers of the original one\n"
	"                           and those of them before the actor, then of the migrated one\n"
	"  --times S,S              of --migration: seconds of an iteration before the move, and after it\n"
	"  --iterations N, --at A   of a run, and in which of them the move begins: how long the run takes\n"
	"  --format text|json|dot|svg|yaml\n"
	"                           tables, the default; all that is known, as JSON; a picture, in "
	"Graphviz's\n"
	"                           language or drawn by Graphviz's dot; the mapping, as a file for "
	"--mapping\n"
	"  --json                   --format json\n"
	"  --output FILE            where it goes; without it to stdout\n" LOADING_HELP "  --help\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS "; 4 it can't run: a cycle without initial tokens.\n";

enum {
	OPT_CONTIGUOUS = LOADING_END,
	OPT_MEASURE,
	OPT_SECONDS,
	OPT_MOVE, /* from here on they need no graph */
	OPT_MIGRATION,
	OPT_TIMES,
	OPT_ITERATIONS,
	OPT_AT,
	OPT_FORMAT,
	OPT_JSON,
	OPT_OUTPUT,
	OPT_HELP
};

static const struct option table[] = { LOADING_TABLE, LOADING_PLAN_TABLE,
	{ "contiguous", no_argument, NULL, OPT_CONTIGUOUS }, { "measure", no_argument, NULL, OPT_MEASURE },
	{ "seconds", required_argument, NULL, OPT_SECONDS }, { "move", required_argument, NULL, OPT_MOVE },
	{ "migration", required_argument, NULL, OPT_MIGRATION },
	{ "times", required_argument, NULL, OPT_TIMES },
	{ "iterations", required_argument, NULL, OPT_ITERATIONS }, { "at", required_argument, NULL, OPT_AT },
	{ "format", required_argument, NULL, OPT_FORMAT }, { "json", no_argument, NULL, OPT_JSON },
	{ "output", required_argument, NULL, OPT_OUTPUT }, { "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 } };

enum format { TEXT, JSON, DOT, SVG, YAML, FORMATS };
static const char *const formats[FORMATS] = { "text", "json", "dot", "svg", "yaml" };

struct options {
	struct loading loading;
	bool choose, contiguous, measures, seconds_given;
	struct measure measure;
	enum format format;
	const char *output;
	struct migration migration;
	const char *of_graph; /* the first option that needs a graph; NULL: none */
	struct pstk_plan *plan;
};

static int take_format(struct options *o, const char *value)
{
	for (o->format = TEXT; o->format < FORMATS; o->format++)
		if (!strcmp(value, formats[o->format]))
			return o->format == JSON ? network_json_refuse("format json") : -1;
	return app_fail(EXIT_USAGE, "--format %s: expected text, json, dot, svg or yaml", value);
}

/* Those of a move. */
static int take_migration(struct migration *m, int option, const char *value)
{
	switch (option) {
	case OPT_MOVE:
		return migration_take_move(m, value);
	case OPT_MIGRATION:
		return migration_take_paths(m, value);
	case OPT_TIMES:
		return migration_take_times(m, value);
	case OPT_ITERATIONS:
		return migration_take_count("iterations", value, &m->iterations);
	default:
		return migration_take_count("at", value, &m->at);
	}
}

static const char *name_of(int option)
{
	const struct option *at = table;

	while (at->val != option)
		at++;
	return at->name;
}

static int take(void *data, int option, const char *value)
{
	struct options *o = data;

	if (option < OPT_MOVE && !o->of_graph)
		o->of_graph = name_of(option);
	switch (option) {
	case OPT_HELP:
		return arguments_print(help);
	case OPT_MOVE:
	case OPT_MIGRATION:
	case OPT_TIMES:
	case OPT_ITERATIONS:
	case OPT_AT:
		return take_migration(&o->migration, option, value);
	case OPT_CONTIGUOUS:
		o->contiguous = true;
		return -1;
	case OPT_MEASURE:
		o->measures = true;
		return -1;
	case OPT_SECONDS:
		o->seconds_given = true;
		return loading_take_seconds(value, &o->measure.seconds);
	case OPT_FORMAT:
		return take_format(o, value);
	case OPT_JSON:
		o->format = JSON;
		return network_json_refuse("json");
	case OPT_OUTPUT:
		o->output = value;
		return -1;
	case LOADING_MAPPING:
		o->choose = !strcmp(value, "auto");
		return o->choose ? -1 : loading_take(&o->loading, option, value);
	default:
		return loading_take(&o->loading, option, value);
	}
}

/* What does not go with a move, or with paths that are given. */
static int settle_migration(const struct options *o)
{
	const struct migration *m = &o->migration;
	int status = migration_settle(m);

	if (!status && migration_is_asked(m) && o->format == YAML)
		return app_fail(EXIT_USAGE,
			"--format yaml writes a mapping, and --%s has none: expected text, json, dot or svg",
			m->paths ? "migration" : "move");
	if (status || !m->paths)
		return status;
	if (o->loading.file)
		return app_fail(EXIT_USAGE,
			"'%s': --migration is of two paths, without a graph: --move ACTOR=PLACE finds the "
			"paths of one",
			o->loading.file);
	return o->of_graph
	               ? app_fail(EXIT_USAGE,
				 "--%s is of a graph, and --migration of two paths: --move ACTOR=PLACE finds "
				 "the paths of a graph",
				 o->of_graph)
	               : 0;
}

static int settle(void *data)
{
	struct options *o = data;
	int status = settle_migration(o);

	if (!status && o->format == SVG)
		status = tool_check(&picture_dot, "format svg");
	if (!status && o->contiguous && !o->choose)
		status = app_fail(EXIT_USAGE, "--contiguous says how --mapping auto chooses: give both");
	if (!status && o->seconds_given && !o->measures)
		status = app_fail(EXIT_USAGE, "--seconds is of the runs of --measure: give both");
	o->measure.everywhere = o->choose;
	if (status)
		return status;
	return o->migration.paths ? -1 : loading_settle(o);
}

static void print_dot(const void *plan, FILE *out)
{
	plan_picture_dot(plan, out);
}

static void print_migration(const void *migration, FILE *out)
{
	migration_picture_dot(migration, out);
}

/* As draw(). */
static int draw_migration(const void *data, FILE *out, const char *path)
{
	const struct options *o = data;
	const struct migration *m = &o->migration;

	switch (o->format) {
	case JSON:
		return migration_picture_json(m, out) == -ENOMEM ? app_out_of_memory() : 0;
	case DOT:
		migration_picture_dot(m, out);
		return 0;
	case SVG:
		return picture_svg(print_migration, m, out, path);
	default:
		migration_picture_text(m, out);
		return 0;
	}
}

/* What goes wrong in writing is in the stream. */
static int draw(const void *data, FILE *out, const char *path)
{
	const struct options *o = data;

	switch (o->format) {
	case JSON:
		return plan_picture_json(o->plan, &o->measure, out) == -ENOMEM ? app_out_of_memory() : 0;
	case DOT:
		plan_picture_dot(o->plan, out);
		return 0;
	case SVG:
		return picture_svg(print_dot, o->plan, out, path);
	case YAML:
		plan_picture_yaml(o->plan, out);
		measure_yaml(&o->measure, &o->loading, out);
		return 0;
	default:
		pstk_plan_print(o->plan, out);
		return 0;
	}
}

static int make(struct options *o)
{
	struct pstk_machine *machine = pstk_graph_machine(o->loading.graph);

	if (!machine)
		return app_fail(EXIT_USAGE,
			"%s: there is no machine to plan on: machine: {hosts: ..} in the graph says which, "
			"or --machine "
			"FILE",
			loading_name(&o->loading));
	o->plan = pstk_plan_create(o->loading.network, machine,
		PSTK_PLAN(.no_overlap = o->loading.no_overlap, .no_merge = o->loading.no_merge,
			.choose = o->choose, .contiguous = o->contiguous,
			.fixed = pstk_graph_fixed(o->loading.graph)));
	return pstk_plan_result(o->plan) ? loading_refuse_plan(&o->loading, o->plan) : 0;
}

static int show_graph(struct options *o)
{
	int status = o->measures ? measure_run(&o->measure, &o->loading) : 0;

	if (!status)
		status = loading_open(&o->loading, true);
	if (status || !o->loading.network)
		return status;
	status = measure_apply(&o->measure, &o->loading);
	if (!status)
		status = loading_check_output(&o->loading, "output", o->output);
	if (!status)
		status = make(o);
	if (!status && o->migration.move)
		status = migration_plan(&o->migration, &o->loading, o->plan);
	return status ? status : picture_write(o->migration.move ? draw_migration : draw, o, o->output);
}

static int show_paths(struct options *o)
{
	int status = loading_check_output(&o->loading, "output", o->output);

	if (!status)
		status = migration_find(&o->migration);
	return status ? status : picture_write(draw_migration, o, o->output);
}

int command_plan(int argc, char **argv)
{
	struct options o = { .loading = { .plans = true }, .measure = { .seconds = 0.5 } };
	int status = arguments_parse(&(struct arguments){ .table = table,
					     .take = take,
					     .settle = settle,
					     .data = &o,
					     .operand = loading_operand,
					     .called = "penstock plan",
					     .letters = LOADING_LETTERS },
		argc, argv);
	if (status == -1)
		status = o.migration.paths ? show_paths(&o) : show_graph(&o);
	migration_free(&o.migration);
	pstk_plan_destroy(o.plan);
	measure_free(&o.measure);
	loading_close(&o.loading);
	return status;
}
