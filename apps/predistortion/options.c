/* SPDX-License-Identifier: MIT */
/* The command line. */
#include "config.h"

#include "apps/predistortion/options.h"
#include "actors/common/message.h"
#include "actors/common/sigmf.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"
#include "apps/common/files.h"
#include "apps/common/plot.h"
#include "apps/common/report.h"
#include "apps/predistortion/active.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERIOD 65536 /* samples, unless --period says something else */

const char app_name[] = "predistortion";

static const char help[] =
	"Usage: predistortion --input FILE [OPTION]...\n"
	"       predistortion --synthetic N [OPTION]...\n"
	"Distorts a complex baseband signal so that a transmitter's own distortion is undone: branches,\n"
	"each a term of a polynomial and a filter, are added up; which are active may change all the time.\n"
	"\n"
	"  --input FILE        FILE.sigmf-meta, a recording; .cu8, unsigned bytes; - (stdin), else: cf32_le\n"
	"  --synthetic N       N samples of a generated OFDM signal instead\n"
	"  --output FILE       where the result goes, as --input, by its ending: .sigmf-meta, a recording;\n"
	"                      .cf32, none and others of raw data: samples; - is stdout; without it, "
	"nowhere\n"
	"  --coefficients FILE.json\n"
	"                      1 to 16 branches instead of the ten that are built in\n"
	"  --active SPEC       which branches are active (all): as many digits 0 and 1 as there are\n"
	"                      branches, the first one is branch 1; another number n: the first n;\n"
	"                      random:SEED: any set of 2 or more, a new one each period; else a file\n"
	"                      with one such string of digits a line, a line a period, the last one holds;\n"
	"                      the built-in branches have 2 active at least\n"
	"  --period N          samples from one set to the next, a multiple of block x rate (65536 or\n"
	"                      the next multiple)\n"
	"  --block N           samples in a block (32768)\n"
	"  --rate R            blocks that an actor takes at once (1)\n"
	"  --depth K           windows of R blocks that a FIFO holds (2, with a team 2N); auto: as many\n"
	"                      as are good for the cache\n"
	"  --team N            a team of N threads fires all actors that do not block, 1 to 256; 0: each\n"
	"                      actor has a thread of its own; auto, the default: as many threads as cores\n"
	"                      where there are more actors, else 0\n" TEAM_OVERLAP_HELP
	"  --device SELECTOR   runs polynomial, filters and adder on this OpenCL device, such as\n"
	"                      pocl:cpu:0, gpu, or part 1 of 2 of one, pocl:cpu:0/1of2; three selectors\n"
	"                      joined by commas are for polynomial, all filters, adder; one for each of\n"
	"                      them, in this order, is possible too; 'cores': on the cores\n"
	"  --devices           lists the devices with their selectors, ready to paste\n" MOVES_HELP
	"  --plot FILE.svg     draws the spectra before and after, and with the built-in branches what\n"
	"                      the transmitter that they are for sends of both, with gnuplot; or FILE.png\n"
	"  --print-network     lists actors, FIFOs and their memory and says whether they can deadlock;\n"
	"                      runs nothing\n"
	"  --stats FILE.json   writes what the run took as JSON\n"
	"  --trace FILE        writes a timeline of its threads, for https://ui.perfetto.dev\n"
	"  --help, --version\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS "; 4 the network deadlocked; 130 interrupted.\n"
	"The first SIGINT, SIGTERM or SIGHUP ends the input and lets the rest drain, the second stops at\n"
	"once.\n";

/* in the order of the table */
enum {
	OPT_INPUT = 256,
	OPT_SYNTHETIC,
	OPT_OUTPUT,
	OPT_COEFFICIENTS,
	OPT_ACTIVE,
	OPT_PERIOD,
	OPT_BLOCK,
	OPT_RATE,
	OPT_DEPTH,
	OPT_TEAM,
	OPT_OVERLAP,
	OPT_DEVICE,
	OPT_DEVICES,
	OPT_MOVE,
	OPT_PLOT,
	OPT_PRINT_NETWORK,
	OPT_STATS,
	OPT_TRACE,
	OPT_HELP,
	OPT_VERSION
};

static const struct option table[] = {
	{ "input", required_argument, NULL, OPT_INPUT },
	{ "synthetic", required_argument, NULL, OPT_SYNTHETIC },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "coefficients", required_argument, NULL, OPT_COEFFICIENTS },
	{ "active", required_argument, NULL, OPT_ACTIVE },
	{ "period", required_argument, NULL, OPT_PERIOD },
	{ "block", required_argument, NULL, OPT_BLOCK },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "team", required_argument, NULL, OPT_TEAM },
	{ "overlap", required_argument, NULL, OPT_OVERLAP },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "devices", no_argument, NULL, OPT_DEVICES },
	{ "move", required_argument, NULL, OPT_MOVE },
	{ "plot", required_argument, NULL, OPT_PLOT },
	{ "print-network", no_argument, NULL, OPT_PRINT_NETWORK },
	{ "stats", required_argument, NULL, OPT_STATS },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

/* How many are right for a set of branches is checked when it is known: more than any set may have, too, of
 * which none is kept. */
static int parse_devices(struct options *options, const char *text)
{
	unsigned count;
	int status =
		arguments_cut(text, &options->device_list, options->devices, PREDISTORTION_DEVICES, &count);

	if (status)
		return status;
	options->device_count = 1;
	for (const char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ','))
		options->device_count++;
	if (!count && options->device_count <= PREDISTORTION_DEVICES)
		return arguments_wrong("device", text,
			"one selector, three for polynomial, filters and adder, or one for each of these");
	for (unsigned i = 0; i < count; i++) {
		if (!strcmp(options->devices[i], "cores"))
			options->devices[i] = NULL;
	}
	return 0;
}

/* Where the text of an option goes that is looked at later; NULL: it is another one. */
static const char **text_of(struct options *options, int option)
{
	switch (option) {
	case OPT_INPUT:
		return &options->input;
	case OPT_OUTPUT:
		return &options->output;
	case OPT_COEFFICIENTS:
		return &options->coefficients;
	case OPT_ACTIVE:
		return &options->active;
	case OPT_PLOT:
		return &options->plot;
	case OPT_STATS:
		return &options->stats;
	case OPT_TRACE:
		return &options->trace;
	default:
		return NULL;
	}
}

/* The same for 32-bit numbers from 1. */
static uint32_t *number_of(struct options *options, int option)
{
	switch (option) {
	case OPT_PERIOD:
		return &options->period;
	case OPT_BLOCK:
		return &options->block;
	case OPT_RATE:
		return &options->rate;
	default:
		return NULL;
	}
}

/* -1: go on; else what to exit with */
static int take(void *data, int option, const char *value)
{
	struct options *options = data;
	const char **text = text_of(options, option);
	uint32_t *number = number_of(options, option);
	int status = 0;

	if (text)
		*text = value;
	if (number)
		status = arguments_uint32(table[option - OPT_INPUT].name, value, 1, UINT32_MAX, number);
	switch (option) {
	case OPT_SYNTHETIC:
		status = arguments_count("synthetic", value, &options->synthetic);
		break;
	case OPT_DEPTH:
		status = team_parse_depth(&options->team, value);
		break;
	case OPT_TEAM:
		status = team_parse_threads(&options->team, value);
		break;
	case OPT_MOVE:
		status = moves_take(&options->moves, value);
		break;
	case OPT_OVERLAP:
		status = team_parse_overlap(&options->team, value);
		break;
	case OPT_DEVICE:
		status = parse_devices(options, value);
		break;
	case OPT_DEVICES:
		return devices_list();
	case OPT_PRINT_NETWORK:
		options->print_network = true;
		break;
	case OPT_HELP:
		return arguments_print(help);
	case OPT_VERSION:
		return arguments_print("predistortion (penstock) " PSTK_VERSION "\n");
	}
	return status ? status : -1;
}

/* The other file of a recording; NULL: name is none, or *status says that memory is lacking. The caller frees
 * it. */
static char *other_of_recording(const char *name, int *status)
{
	char *other;

	if (!name || !ps_sigmf_named(name))
		return NULL;
	other = ps_sigmf_meta_path(name);
	if (other && !strcmp(other, name)) {
		free(other);
		other = ps_sigmf_data_path(name);
	}
	if (!other)
		*status = app_out_of_memory();
	return other;
}

int options_check_names(const struct options *options, const char *samples)
{
	int status = 0;
	char *input = other_of_recording(options->input, &status),
	     *output = other_of_recording(options->output, &status);
	const char *active = active_is_file(options->active) ? options->active : NULL;
	const struct files_named names[] = { { "input", options->input, STDIN_FILENO, false },
		{ "input", input, STDIN_FILENO, true }, { "input", samples, STDIN_FILENO, true },
		{ "coefficients", options->coefficients, STDIN_FILENO, false },
		{ "active", active, STDIN_FILENO, false },
		{ "output", options->output, STDOUT_FILENO, false },
		{ "output", output, STDOUT_FILENO, true }, { "plot", options->plot, STDOUT_FILENO, false },
		{ "stats", options->stats, STDOUT_FILENO, false },
		{ "trace", options->trace, STDOUT_FILENO, false } };

	if (options->active && !*options->active)
		status =
			arguments_wrong("active", "", "all, digits 0 and 1, a number, random:SEED or a file");
	if (!status)
		status = files_check_names(names, sizeof names / sizeof *names);
	free(input);
	free(output);
	return status;
}

/* What fits is named: a period and a block. */
static int refuse_short_period(const struct options *options, uint64_t window)
{
	bool fits = options->period % options->rate == 0;

	return app_fail(EXIT_USAGE,
		"--period %" PRIu32 " is less than --block x --rate, %" PRIu64 " samples; --period %" PRIu64
		" would do, or --block %" PRIu32 "%s",
		options->period, window, window, fits ? options->period / options->rate : options->period,
		fits ? "" : " with --rate 1");
}

/* The period is made of firings of block x rate samples. */
static int settle_period(struct options *options)
{
	uint64_t window = (uint64_t)options->block * options->rate, next;

	if (window > UINT32_MAX)
		return app_fail(EXIT_USAGE,
			"--block %" PRIu32 " x --rate %" PRIu32 " is more than %" PRIu32
			" samples, what a window of a FIFO can have",
			options->block, options->rate, UINT32_MAX);
	if (options->period && options->period < window)
		return refuse_short_period(options, window);
	next = ((options->period ? options->period : PERIOD) + window - 1) / window * window;
	if (options->period && options->period != next && next <= UINT32_MAX)
		return app_fail(EXIT_USAGE,
			"--period %" PRIu32 " is no multiple of --block x --rate, %" PRIu64
			" samples; the next multiple is %" PRIu64,
			options->period, window, next);
	if (options->period && options->period != next)
		return app_fail(EXIT_USAGE,
			"--period %" PRIu32 " is no multiple of --block x --rate, %" PRIu64
			" samples; the largest multiple is %" PRIu64,
			options->period, window, next - window);
	options->period = (uint32_t)next;
	return 0;
}

/* Another program would take what is in it for what its name says. What exists and is no regular file may have any
 * name; what other names of SigMF mean is said when the output is opened. */
static int check_output_name(const char *name)
{
	static const char *const raw[] = { ".cf32", ".cfile", ".fc32", ".iq", ".raw", ".bin", ".dat" };
	const char *slash = name ? strrchr(name, '/') : NULL, *last = slash ? slash + 1 : name;
	const char *ending = last ? strrchr(last, '.') : NULL;
	struct stat status;

	if (!ending || ending == last || !ending[1] || (!stat(name, &status) && !S_ISREG(status.st_mode)))
		return 0;
	if (ps_sigmf_named(name) || ps_ends_with(name, ".sigmf") || ps_ends_with(name, ".sigmf-collection"))
		return 0;
	for (size_t i = 0; i < sizeof(raw) / sizeof(*raw); i++) {
		if (!strcasecmp(ending, raw[i]))
			return 0;
	}
	return app_fail(EXIT_USAGE,
		"--output %s: '%s' is no ending that is written: .cf32, .cfile, .fc32, .iq, .raw, .bin, .dat "
		"or none for samples of cf32_le, .sigmf-meta or .sigmf-data for a SigMF recording",
		name, ending);
}

static int settle(void *data)
{
	struct options *options = data;
	int status;

	if (options->input && options->synthetic)
		return app_fail(EXIT_USAGE, "--input and --synthetic exclude each other");
	if (!options->input && !options->synthetic && !options->print_network)
		return app_fail(EXIT_USAGE, "--input FILE or --synthetic N is needed");
	if (options->stats && report_missing())
		return app_fail(EXIT_USAGE, "--stats: %s", report_missing());
	status = settle_period(options);
	if (!status)
		status = options_check_names(options, NULL);
	if (!status)
		status = plot_check_name("plot", options->plot);
	if (!status)
		status = check_output_name(options->output);
	return status ? status : -1;
}

bool options_parse(struct options *options, int argc, char **argv, int *status)
{
	struct arguments arguments = { table, take, settle, options, &options->input };

	*options = (struct options){ .block = 32768, .rate = 1 };
	*status = arguments_parse(&arguments, argc, argv);
	return *status == -1;
}

void options_free(struct options *options)
{
	free(options->device_list);
}
