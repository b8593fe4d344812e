/* SPDX-License-Identifier: MIT */
/* penstock plan */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/loading.h"
#include "apps/penstock/measure.h"
#include "apps/penstock/network_json.h"
#include "apps/penstock/picture.h"
#include "apps/penstock/plan_picture.h"

#include <errno.h>
#include <penstock/plan.h>
#include <string.h>

static const char help[] =
	"Usage: penstock plan [OPTION]... FILE\n"
	"       penstock plan [OPTION]... -e CHAIN\n"
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
	"  --format text|json|dot|svg|yaml\n"
	"                           tables, the default; all that is known, as JSON; a picture, in "
	"Graphviz's\n"
	"                           language or drawn by Graphviz's dot; the mapping, as a file for "
	"--mapping\n"
	"  --json                   --format json\n"
	"  --output FILE            where it goes; without it to stdout\n" LOADING_HELP "  --help\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS "; 4 it can't run: a cycle without initial tokens.\n";

enum { OPT_CONTIGUOUS = LOADING_END, OPT_MEASURE, OPT_SECONDS, OPT_FORMAT, OPT_JSON, OPT_OUTPUT, OPT_HELP };

static const struct option table[] = { LOADING_TABLE, LOADING_PLAN_TABLE,
	{ "contiguous", no_argument, NULL, OPT_CONTIGUOUS }, { "measure", no_argument, NULL, OPT_MEASURE },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
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
	struct pstk_plan *plan;
};

static int take_format(struct options *o, const char *value)
{
	for (o->format = TEXT; o->format < FORMATS; o->format++)
		if (!strcmp(value, formats[o->format]))
			return o->format == JSON ? network_json_refuse("format json") : -1;
	return app_fail(EXIT_USAGE, "--format %s: expected text, json, dot, svg or yaml", value);
}

static int take(void *data, int option, const char *value)
{
	struct options *o = data;

	switch (option) {
	case OPT_HELP:
		return arguments_print(help);
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

static int settle(void *data)
{
	struct options *o = data;
	int status = o->format == SVG ? tool_check(&picture_dot, "format svg") : 0;

	if (!status && o->contiguous && !o->choose)
		status = app_fail(EXIT_USAGE, "--contiguous says how --mapping auto chooses: give both");
	if (!status && o->seconds_given && !o->measures)
		status = app_fail(EXIT_USAGE, "--seconds is of the runs of --measure: give both");
	o->measure.everywhere = o->choose;
	return status ? status : loading_settle(o);
}

static void print_dot(const void *plan, FILE *out)
{
	plan_picture_dot(plan, out);
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
	if (status == -1 && o.measures) {
		status = measure_run(&o.measure, &o.loading);
		status = status ? status : -1;
	}
	if (status == -1)
		status = loading_open(&o.loading, true);
	if (!status && o.loading.network)
		status = measure_apply(&o.measure, &o.loading);
	if (!status && o.loading.network)
		status = loading_check_output(&o.loading, "output", o.output);
	if (!status && o.loading.network)
		status = make(&o);
	if (!status && o.plan)
		status = picture_write(draw, &o, o.output);
	pstk_plan_destroy(o.plan);
	measure_free(&o.measure);
	loading_close(&o.loading);
	return status;
}
