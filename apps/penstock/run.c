/* SPDX-License-Identifier: MIT */
/* penstock run */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/common/files.h"
#include "apps/common/measured.h"
#include "apps/common/report.h"
#include "apps/common/running.h"
#include "apps/common/signals.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/control.h"
#include "apps/penstock/hosts.h"
#include "apps/penstock/link_check.h"
#include "apps/penstock/loading.h"
#include "apps/penstock/page.h"

#include <penstock/hosts.h>
#include <penstock/pipeline.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
	"Usage: penstock run [OPTION]... FILE\n"
	"       penstock run [OPTION]... -e CHAIN\n"
	"Runs the network of a graph file or of a chain.\n"
	"\n" LOADING_HELP LOADING_PLAN_HELP "  --move ACTOR@FIRING=SELECTOR\n"
	"                           the actor goes to this device while data flow, ACTOR@FIRING=cores to "
	"the\n"
	"                           cores: its firing of this number is the first one there, 1 or later:\n"
	"                           firings count from 0; may be given several times\n"
	"  --control SOCKET         makes a socket through which 'penstock ctl' moves actors meanwhile\n"
	"  --host NAME              which host of the machine this process is, of several that mpirun has\n"
	"                           started; without it by address, or by rank\n"
	"  --stats FILE.json        writes what the run took as JSON; with a plan also says in which cycle\n"
	"                           each input's first window was planned, and came\n"
	"  --report FILE.json|.html writes how busy the actors were, how full the FIFOs, what limited it: "
	"for\n"
	"                           'penstock graph --after', or as a page for people\n" MEASURED_HELP
	"  --explain                says at the end what limited it, and what would help\n"
	"  --latency                says at the end how long windows took from sources to sinks\n"
	"  --top                    a table each second: how busy each actor is, how full each FIFO\n"
	"  --trace FILE             writes a timeline of its threads, for https://ui.perfetto.dev\n"
	"  --trace-memory MIB       so much memory for it (64)\n"
	"  --trace-keep last|first  what is kept when that is full (last)\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS "; 4 the network can deadlock, or did; 130 interrupted.\n"
	"The first SIGINT, SIGTERM or SIGHUP ends the sources and lets the rest drain, the second stops at\n"
	"once. SIGUSR1 writes what every actor does to stderr.\n";

enum {
	OPT_STATS = LOADING_END,
	OPT_REPORT,
	OPT_MEASUREMENTS,
	OPT_EXPLAIN,
	OPT_LATENCY,
	OPT_TOP,
	OPT_TRACE,
	OPT_TRACE_MEMORY,
	OPT_TRACE_KEEP,
	OPT_MOVE,
	OPT_CONTROL,
	OPT_HOST,
	OPT_HELP
};

static const struct option table[] = { LOADING_TABLE, LOADING_PLAN_TABLE,
	{ "stats", required_argument, NULL, OPT_STATS }, { "report", required_argument, NULL, OPT_REPORT },
	{ "save-measurements", required_argument, NULL, OPT_MEASUREMENTS },
	{ "explain", no_argument, NULL, OPT_EXPLAIN }, { "latency", no_argument, NULL, OPT_LATENCY },
	{ "top", no_argument, NULL, OPT_TOP }, { "trace", required_argument, NULL, OPT_TRACE },
	{ "trace-memory", required_argument, NULL, OPT_TRACE_MEMORY },
	{ "trace-keep", required_argument, NULL, OPT_TRACE_KEEP },
	{ "move", required_argument, NULL, OPT_MOVE }, { "control", required_argument, NULL, OPT_CONTROL },
	{ "host", required_argument, NULL, OPT_HOST }, { "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 } };

/* More actors are not listed before the run. */
enum { LISTED = 64 };

/* Of memory for the part of a timeline that a page shows: some hundred firings of each thread. */
enum { EXCERPT_BYTES = 1 << 20, EXCERPT_BYTES_A_THREAD = 1 << 14 };

struct options {
	struct loading loading;
	const char *stats, *report, *control;
	struct measured measured;
	struct running_trace trace;
	bool explain, latency, top, looks, cycles;
};

/* What is written at the end of a run; NULL: is not wanted. */
struct results {
	struct report *stats, *report;
	struct measured *measured;
	FILE *trace; /* a part of it is in the report */
	struct control *control;
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

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length > tail && !strcmp(text + length - tail, end);
}

static bool is_page(const char *report)
{
	return report && ends_with(report, ".html");
}

static int take_report(struct options *o, const char *value)
{
	if (o->report)
		return app_fail(EXIT_USAGE, "--report is given twice: '%s' and '%s'", o->report, value);
	o->report = value;
	if (!is_page(value) && !ends_with(value, ".json"))
		return arguments_wrong("report", value, "a name that ends in .json or .html");
	return report_missing() ? app_fail(EXIT_USAGE, "--report: %s", report_missing()) : -1;
}

static int take(void *data, int option, const char *value)
{
	struct options *o = data;
	int status;

	switch (option) {
	case OPT_HELP:
		return arguments_print(help);
	case OPT_HOST:
		o->loading.host = value;
		return -1;
	case OPT_MOVE:
		status = moves_take(&o->loading.moves, value);
		return status ? status : -1;
	case OPT_CONTROL:
		o->control = value;
		return -1;
	case OPT_STATS:
		return take_stats(o, value);
	case OPT_REPORT:
		return take_report(o, value);
	case OPT_MEASUREMENTS:
		status = measured_take(&o->measured, value);
		return status ? status : -1;
	case OPT_EXPLAIN:
		o->explain = true;
		return -1;
	case OPT_LATENCY:
		o->latency = true;
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
	struct pstk_pipeline_spec spec;

	for (unsigned i = 0; i < pstk_network_actor_count(network); i++)
		if (!pstk_actor_device(pstk_network_actor(network, i), &device))
			return true;
	for (unsigned n = 0; !pstk_pipeline_get_spec(pstk_network_pipeline(network, n), &spec); n++)
		if (spec.device)
			return true;
	return false;
}

/* A page shows a part of a timeline: of the one that is written anyway, or else of one without a name, whose memory
 * holds the end of the run. Where neither can be read there is no such part. */
static void take_trace(const struct loading *l, struct running *running, struct results *r)
{
	static char path[64];

	if (running->trace.path)
		return;
	r->trace = tmpfile();
	if (!r->trace)
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(r->trace));
	running->trace =
		(struct running_trace){ .path = path, .bytes = EXCERPT_BYTES, .keep = PSTK_TRACE_LAST };
	for (unsigned i = 0; i < pstk_network_actor_count(l->network); i++)
		running->trace.bytes += EXCERPT_BYTES_A_THREAD *
		                        pstk_actor_concurrency(pstk_network_actor(l->network, i), NULL, 0);
}

static void drop(struct results *r)
{
	report_drop(r->stats);
	report_drop(r->report);
	measured_drop(r->measured);
	if (r->trace)
		fclose(r->trace);
	control_close(r->control);
}

static void fill(struct report *report, const struct loading *l)
{
	report_text(report, "version", pstk_version());
	report_text(report, "graph", loading_name(l));
	report_text(report, "network", pstk_network_name(l->network));
	report_integer(report, "team", pstk_network_threads(l->network));
}

static int write_results(const struct running *running, const struct options *o, struct results *r)
{
	struct page page = { running->network, r->trace };
	struct stat kind;
	int status, other, measured;

	if (is_page(o->report) && !page.trace && !stat(running->trace.path, &kind) && S_ISREG(kind.st_mode))
		page.trace = r->trace = fopen(running->trace.path, "re");
	status = report_write(r->stats, running);
	other = is_page(o->report) ? report_write_as(r->report, running, page_write, &page)
	                           : report_write(r->report, running);
	r->stats = r->report = NULL;
	measured = running->err ? 0 : measured_write(r->measured, running->network);
	return status ? status : other ? other : measured;
}

/* After a rank is lost MPI can't be ended. Rank 0 says so and ends all; where it can't, another one does, later. */
static void check_lost(const struct loading *l, int status)
{
	int lost = hosts_are_several(l->hosts) ? pstk_network_lost_rank(l->network) : -1;

	if (lost < 0)
		return;
	if (!hosts_is_first(l->hosts)) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_sec = 1 }, NULL);
		hosts_fail(l->hosts, pstk_network_error(l->network));
	}
	hosts_end_rank(l->hosts, (unsigned)lost);
	hosts_abort(l->hosts, status ? status : EXIT_FAILED);
}

static int run_network(struct loading *l, const struct options *o, struct results *r)
{
	struct running running = { .network = l->network,
		.unit = "tokens",
		.uses_device = uses_device(l->network),
		.listed_by = pstk_network_actor_count(l->network) > LISTED ? "penstock check" : NULL,
		.trace = o->trace,
		.looks = o->looks,
		.explain = o->explain,
		.pipelines = true,
		.latency = o->latency,
		.cycles = o->cycles,
		.top = o->top,
		.host = hosts_are_several(l->hosts) ? l->hosts->own : NULL,
		.quiet = !hosts_is_first(l->hosts),
		.started = control_serve,
		.data = r->control };
	int status;

	if (is_page(o->report))
		take_trace(l, &running, r);
	status = running_run(&running);
	control_close(r->control);
	r->control = NULL;
	check_lost(l, status);
	if (!status) {
		fill(r->stats, l);
		fill(r->report, l);
		status = running_status(&running, write_results(&running, o, r));
	}
	drop(r);
	return status;
}

/* Do they stand for files of their own? */
static int check_outputs(const struct options *o)
{
	const struct files_named names[] = { { "stats", o->stats, STDOUT_FILENO, false },
		{ "report", o->report, STDOUT_FILENO, false },
		{ "save-measurements", o->measured.path, STDOUT_FILENO, false },
		{ "trace", o->trace.path, STDOUT_FILENO, false } };
	size_t count = sizeof names / sizeof *names;
	int status = files_check_names(names, count);

	for (size_t i = 0; i < count && !status; i++)
		status = loading_check_output(&o->loading, names[i].option, names[i].name);
	return status;
}

/* Its files. Those that are FIFOs wait for their other end: before signals are blocked. */
static int open_results(const struct options *o, struct results *r, bool fifos)
{
	int status = 0;

	if (o->stats && files_is_fifo(o->stats) == fifos)
		status = report_open(&r->stats, o->stats);
	if (!status && o->report && files_is_fifo(o->report) == fifos)
		status = report_open(&r->report, o->report);
	return status;
}

/* They are opened as late as the others, which the graph has opened by then. */
static int prepare(struct options *o, struct results *r)
{
	int status = check_outputs(o);

	if (!status)
		status = open_results(o, r, true);
	if (!status)
		status = loading_open(&o->loading, false);
	if (!status)
		status = link_check(&o->loading);
	if (!status)
		status = check_outputs(o);
	signals_block();
	if (!status)
		status = open_results(o, r, false);
	if (!status)
		status = measured_open(&o->measured, o->loading.network);
	if (status || !o->control)
		return status;
	return control_open(&r->control, o->control, pstk_graph_machine(o->loading.graph));
}

/* What is written comes from one rank. The others look at their actors all the same. */
static void leave_results(struct options *o)
{
	o->looks = o->report;
	o->cycles = o->stats || o->report;
	if (hosts_is_first(o->loading.hosts))
		return;
	o->stats = o->report = o->control = o->measured.path = NULL;
	if (o->trace.path)
		o->trace.path = "/dev/null";
}

static int run(struct options *o)
{
	struct hosts *hosts = o->loading.hosts;
	struct results results = { .measured = &o->measured };
	int status;

	leave_results(o);
	status = hosts_agree(hosts, prepare(o, &results));
	if (!status)
		return run_network(&o->loading, o, &results);
	drop(&results);
	return status;
}

int command_run(int argc, char **argv)
{
	struct hosts hosts;
	struct options o = { .loading = { .hosts = &hosts, .argc = argc, .argv = argv } };
	int status;

	hosts_look(&hosts, "run");
	status = arguments_parse(&(struct arguments){ .table = table,
					 .take = take,
					 .settle = loading_settle,
					 .data = &o,
					 .operand = loading_operand,
					 .called = "penstock run",
					 .letters = LOADING_LETTERS },
		argc, argv);
	/* with a wrong command line, too: the other processes may have been given another one */
	if (status)
		status = hosts_begin(&hosts, status);
	if (status == -1)
		status = run(&o);
	loading_close(&o.loading);
	return hosts_end(&hosts, status);
}
