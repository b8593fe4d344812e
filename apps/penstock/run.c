/* SPDX-License-Identifier: MIT */
/* penstock run */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/common/files.h"
#include "apps/common/report.h"
#include "apps/common/running.h"
#include "apps/common/signals.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/loading.h"

#include <string.h>
#include <unistd.h>

static const char help[] =
	"Usage: penstock run [OPTION]... FILE\n"
	"       penstock run [OPTION]... -e CHAIN\n"
	"Runs the network of a graph file or of a chain.\n"
	"\n" LOADING_HELP "  --stats FILE.json        writes what the run took as JSON\n"
	"  --explain                says at the end what limited it, and what would help\n"
	"  --top                    a table each second: how busy each actor is, how full each FIFO\n"
	"  --trace FILE             writes a timeline of its threads, for https://ui.perfetto.dev\n"
	"  --trace-memory MIB       so much memory for it (64)\n"
	"  --trace-keep last|first  what is kept when that is full (last)\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS "; 4 the network can deadlock, or did; 130 interrupted.\n"
	"The first SIGINT, SIGTERM or SIGHUP ends the sources and lets the rest drain, the second stops at\n"
	"once. SIGUSR1 writes what every actor does to stderr.\n";

enum { OPT_STATS = LOADING_END, OPT_EXPLAIN, OPT_TOP, OPT_TRACE, OPT_TRACE_MEMORY, OPT_TRACE_KEEP, OPT_HELP };

static const struct option table[] = { LOADING_TABLE, { "stats", required_argument, NULL, OPT_STATS },
	{ "explain", no_argument, NULL, OPT_EXPLAIN }, { "top", no_argument, NULL, OPT_TOP },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "trace-memory", required_argument, NULL, OPT_TRACE_MEMORY },
	{ "trace-keep", required_argument, NULL, OPT_TRACE_KEEP }, { "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 } };

/* More actors are not listed before the run. */
enum { LISTED = 64 };

struct options {
	struct loading loading;
	const char *stats;
	struct running_trace trace;
	bool explain, top;
};

enum { MIB_MOST = 1 << 20 };

/* -1, or what to exit with */
static int take_trace_memory(struct running_trace *trace, const char *value)
{
	uint64_t mib;

	if (!arguments_number(value, '\0', 1, MIB_MOST, &mib))
		return arguments_wrong("trace-memory", value, "a number of MiB from 1 to 1048576");
	trace->bytes = (size_t)mib << 20;
	return -1;
}

static int take_trace_keep(struct running_trace *trace, const char *value)
{
	bool first = !strcmp(value, "first");

	if (!first && strcmp(value, "last") != 0)
		return arguments_wrong("trace-keep", value, "last or first");
	trace->keep = first ? PSTK_TRACE_FIRST : PSTK_TRACE_LAST;
	return -1;
}

static int take_stats(struct options *o, const char *value)
{
	o->stats = value;
	return report_missing() ? app_fail(EXIT_USAGE, "--stats: %s", report_missing()) : -1;
}

static int take(void *data, int option, const char *value)
{
	struct options *o = data;

	switch (option) {
	case OPT_HELP:
		return arguments_print(help);
	case OPT_STATS:
		return take_stats(o, value);
	case OPT_EXPLAIN:
		o->explain = true;
		return -1;
	case OPT_TOP:
		o->top = true;
		return -1;
	case OPT_TRACE:
		o->trace.path = value;
		return -1;
	case OPT_TRACE_MEMORY:
		return take_trace_memory(&o->trace, value);
	case OPT_TRACE_KEEP:
		return take_trace_keep(&o->trace, value);
	default:
		return loading_take(&o->loading, option, value);
	}
}

static bool uses_device(const struct pstk_network *network)
{
	struct pstk_device_info device;

	for (unsigned i = 0; i < pstk_network_actor_count(network); i++)
		if (!pstk_actor_device(pstk_network_actor(network, i), &device))
			return true;
	return false;
}

static int run_network(struct loading *l, const struct options *o, struct report *report)
{
	struct running running = { .network = l->network,
		.unit = "tokens",
		.uses_device = uses_device(l->network),
		.listed_by = pstk_network_actor_count(l->network) > LISTED ? "penstock check" : NULL,
		.trace = o->trace,
		.explain = o->explain,
		.top = o->top };
	int status = running_run(&running);

	if (status) {
		report_drop(report);
		return status;
	}
	report_text(report, "version", pstk_version());
	report_text(report, "graph", loading_name(l));
	report_text(report, "network", pstk_network_name(l->network));
	report_integer(report, "team", pstk_network_threads(l->network));
	return running_status(&running, report_write(report, &running));
}

/* Do they stand for files of their own? */
static int check_outputs(const struct options *o)
{
	const struct files_named names[] = { { "stats", o->stats, STDOUT_FILENO, false },
		{ "trace", o->trace.path, STDOUT_FILENO, false } };
	int status = files_check_names(names, sizeof names / sizeof *names);

	if (!status)
		status = loading_check_output(&o->loading, "stats", o->stats);
	return status ? status : loading_check_output(&o->loading, "trace", o->trace.path);
}

/* The report's file is opened as late as the others, which the graph has opened by then. */
static int run(struct options *o)
{
	struct report *report = NULL;
	int status = check_outputs(o);

	if (!status && o->stats && files_is_fifo(o->stats))
		status = report_open(&report, o->stats);
	if (!status)
		status = loading_open(&o->loading, false);
	if (!status)
		status = check_outputs(o);
	signals_block();
	if (!status && !report)
		status = report_open(&report, o->stats);
	if (status) {
		report_drop(report);
		return status;
	}
	return run_network(&o->loading, o, report);
}

int command_run(int argc, char **argv)
{
	struct options o = { 0 };
	int status = arguments_parse(&(struct arguments){ .table = table,
					     .take = take,
					     .settle = loading_settle,
					     .data = &o,
					     .operand = loading_operand,
					     .called = "penstock run",
					     .letters = LOADING_LETTERS },
		argc, argv);
	if (status == -1)
		status = run(&o);
	loading_close(&o.loading);
	return status;
}
