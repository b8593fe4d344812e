/* SPDX-License-Identifier: MIT */
/* penstock graph */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/dot.h"
#include "apps/penstock/loading.h"
#include "apps/penstock/network_json.h"
#include "apps/penstock/paint.h"
#include "apps/penstock/picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"Usage: penstock graph [OPTION]... FILE\n"
	"       penstock graph [OPTION]... -e CHAIN\n"
	"Draws the network of a graph file, as planned where it has a machine: actors and where they run, "
	"FIFOs\n"
	"with their rates, depths and initial tokens. It runs nothing, and needs no input unless the size\n"
	"of frames is known only from it.\n"
	"\n"
	"  --format dot|svg|json|yaml\n"
	"                           what is written: Graphviz's language, the default; a picture, by\n"
	"                           Graphviz's dot; all that is known, as JSON; one graph file again\n"
	"  --json                   --format json\n"
	"  --after REPORT.json      coloured by how busy the actors were and how full the FIFOs, in a run\n"
	"                           of which 'penstock run --report' wrote this\n"
	"  --output FILE            where it goes; without it to stdout\n" LOADING_HELP LOADING_PLAN_HELP
	"  --help\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS ".\n";

enum { OPT_FORMAT = LOADING_END, OPT_JSON, OPT_AFTER, OPT_OUTPUT, OPT_HELP };

static const struct option table[] = { LOADING_TABLE, LOADING_PLAN_TABLE,
	{ "format", required_argument, NULL, OPT_FORMAT }, { "json", no_argument, NULL, OPT_JSON },
	{ "after", required_argument, NULL, OPT_AFTER }, { "output", required_argument, NULL, OPT_OUTPUT },
	{ "help", no_argument, NULL, OPT_HELP }, { NULL, 0, NULL, 0 } };

enum format { DOT, SVG, JSON, YAML, FORMATS };
static const char *const formats[FORMATS] = { "dot", "svg", "json", "yaml" };

struct options {
	struct loading loading;
	enum format format;
	const char *output, *after;
	struct paint *paint; /* of `after`; NULL: none */
};

static int take_format(struct options *o, const char *value)
{
	for (o->format = 0; o->format < FORMATS && strcmp(formats[o->format], value) != 0; o->format++)
		;
	if (o->format == FORMATS)
		return arguments_wrong("format", value, "dot, svg, json or yaml");
	return o->format == JSON ? network_json_refuse("format json") : -1;
}

static int take(void *data, int option, const char *value)
{
	struct options *o = data;

	switch (option) {
	case OPT_HELP:
		return arguments_print(help);
	case OPT_FORMAT:
		return take_format(o, value);
	case OPT_JSON:
		o->format = JSON;
		return network_json_refuse("json");
	case OPT_AFTER:
		o->after = value;
		return network_json_refuse("after");
	case OPT_OUTPUT:
		o->output = value;
		return -1;
	default:
		return loading_take(&o->loading, option, value);
	}
}

static int settle(void *data)
{
	struct options *o = data;
	int status = o->format == SVG ? tool_check(&picture_dot, "format svg") : 0;

	if (o->after && o->format != DOT && o->format != SVG)
		return app_fail(EXIT_USAGE, "--after: only dot and svg have colours: leave out --format %s",
			formats[o->format]);
	o->loading.plans = o->format == YAML; /* written as it was given */
	return status ? status : loading_settle(o);
}

static void print_dot(const void *data, FILE *out)
{
	const struct options *o = data;

	dot_print(o->loading.network, o->paint, out);
}

static int write_graph(const struct pstk_graph *graph, FILE *out, const char *path)
{
	int err = pstk_graph_write(graph, out);

	if (err == -ENOMEM)
		return app_out_of_memory();
	return err && !ferror(out) ? app_fail(EXIT_FAILED, "%s: %s", path, pstk_graph_write_error(graph)) : 0;
}

/* What goes wrong in writing is in the stream. */
static int draw(const void *data, FILE *out, const char *path)
{
	const struct options *o = data;
	const struct pstk_network *network = o->loading.network;

	if (o->format == SVG)
		return picture_svg(print_dot, o, out, path);
	if (o->format == YAML)
		return write_graph(o->loading.graph, out, path);
	if (o->format == DOT)
		dot_print(network, o->paint, out);
	else if (network_json_print(network, NULL, out) == -ENOMEM)
		return app_out_of_memory();
	return 0;
}

int command_graph(int argc, char **argv)
{
	struct options o = { .loading = { .draws = true } };
	int status = arguments_parse(&(struct arguments){ .table = table,
					     .take = take,
					     .settle = settle,
					     .data = &o,
					     .operand = loading_operand,
					     .called = "penstock graph",
					     .letters = LOADING_LETTERS },
		argc, argv);
	if (status == -1)
		status = loading_open(&o.loading, true);
	if (!status && o.loading.network)
		status = loading_check_output(&o.loading, "output", o.output);
	if (!status && o.loading.network && o.after)
		status = paint_open(&o.paint, o.after);
	if (!status && o.paint)
		status = paint_check(o.paint, o.loading.network);
	if (!status && o.loading.network)
		status = picture_write(draw, &o, o.output);
	paint_close(o.paint);
	loading_close(&o.loading);
	return status;
}
