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

static const char help[] =
	"Usage: penstock run [OPTION]... FILE\n"
	"       penstock run [OPTION]... -e CHAIN\n"
	"Runs the network of a graph file or of a chain.\n"
	"\n" LOADING_HELP "  --stats FILE.json        writes what the run took as JSON\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done;\n" LOADING_STATUS "; 4 the network can deadlock, or did; 130 interrupted.\n"
	"The first SIGINT, SIGTERM or SIGHUP ends the sources and lets the rest drain, the second stops at\n"
	"once. SIGUSR1 writes what every actor does to stderr.\n";

enum { OPT_STATS = LOADING_END, OPT_HELP };

static const struct option table[] = { LOADING_TABLE, { "stats", required_argument, NULL, OPT_STATS },
	{ "help", no_argument, NULL, OPT_HELP }, { NULL, 0, NULL, 0 } };

/* More actors are not listed before the run. */
enum { LISTED = 64 };

struct options {
	struct loading loading;
	const char *stats;
};

static int take(void *data, int option, const char *value)
{
	struct options *o = data;

	if (option == OPT_HELP)
		return arguments_print(help);
	if (option != OPT_STATS)
		return loading_take(&o->loading, option, value);
	o->stats = value;
	if (report_missing())
		return app_fail(EXIT_USAGE, "--stats: %s", report_missing());
	return -1;
}

static bool uses_device(const struct pstk_network *network)
{
	struct pstk_device_info device;

	for (unsigned i = 0; i < pstk_network_actor_count(network); i++)
		if (!pstk_actor_device(pstk_network_actor(network, i), &device))
			return true;
	return false;
}

static int run_network(struct loading *l, struct report *report)
{
	struct running running = { .network = l->network,
		.unit = "tokens",
		.uses_device = uses_device(l->network),
		.listed_by = pstk_network_actor_count(l->network) > LISTED ? "penstock check" : NULL };
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

/* The report's file is opened as late as the others, which the graph has opened by then. */
static int run(struct options *o)
{
	struct report *report = NULL;
	int status = loading_check_output(&o->loading, "stats", o->stats);

	if (!status && o->stats && files_is_fifo(o->stats))
		status = report_open(&report, o->stats);
	if (!status)
		status = loading_open(&o->loading, false);
	if (!status)
		status = loading_check_output(&o->loading, "stats", o->stats);
	signals_block();
	if (!status && !report)
		status = report_open(&report, o->stats);
	if (status) {
		report_drop(report);
		return status;
	}
	return run_network(&o->loading, report);
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
