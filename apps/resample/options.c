/* SPDX-License-Identifier: MIT */
/* The command line. */
#include "config.h"

#include "apps/resample/options.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"
#include "apps/common/files.h"
#include "apps/common/report.h"
#include "apps/common/wav_output.h"

#include <string.h>
#include <unistd.h>

enum { STEPS_MOST = 1 << 20 };

const char app_name[] = "resample";

static const char help[] =
	"Usage: resample --input IN.wav --output OUT.wav --rate HZ|--ratio P/Q [OPTION]...\n"
	"Gives sound another sampling rate. n frames become n x P / Q, rounded up; nothing is shifted.\n"
	"\n"
	"  --input IN.wav      a WAV file: PCM of 16 or 24 bits, or 32-bit floats; - is stdin\n"
	"  --output OUT.wav    where the result goes, a WAV file of the same kind; - is stdout\n"
	"  --rate HZ           the rate of the output\n"
	"  --ratio P/Q         the rate of the output is P / Q times that of the input\n"
	"  --steps N           steps that each actor takes in a firing; auto, the default: as many as are\n"
	"                      good; the output is the same\n"
	"  --device SELECTOR   runs all but the two ends on this OpenCL device, such as pocl:cpu:0 or gpu;\n"
	"                      cores: on the cores, the default\n"
	"  --devices           lists the devices with their selectors, ready to paste\n" MOVES_HELP
	"  --team N            a team of N threads fires all actors that do not block, 1 to 256; 0: each\n"
	"                      actor has a thread of its own; auto, the default: as many threads as cores\n"
	"                      where there are more actors, else 0\n" TEAM_OVERLAP_HELP
	"  --print-network     lists actors, FIFOs and their memory and says whether they can deadlock;\n"
	"                      reads the head of the input, and runs nothing\n"
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
	OPT_OUTPUT,
	OPT_RATE,
	OPT_RATIO,
	OPT_STEPS,
	OPT_DEVICE,
	OPT_DEVICES,
	OPT_MOVE,
	OPT_TEAM,
	OPT_OVERLAP,
	OPT_PRINT_NETWORK,
	OPT_STATS,
	OPT_TRACE,
	OPT_HELP,
	OPT_VERSION
};

static const struct option table[] = {
	{ "input", required_argument, NULL, OPT_INPUT },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "ratio", required_argument, NULL, OPT_RATIO },
	{ "steps", required_argument, NULL, OPT_STEPS },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "devices", no_argument, NULL, OPT_DEVICES },
	{ "move", required_argument, NULL, OPT_MOVE },
	{ "team", required_argument, NULL, OPT_TEAM },
	{ "overlap", required_argument, NULL, OPT_OVERLAP },
	{ "print-network", no_argument, NULL, OPT_PRINT_NETWORK },
	{ "stats", required_argument, NULL, OPT_STATS },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int parse_ratio(struct options *options, const char *text)
{
	uint64_t p, q;
	const char *slash = arguments_number(text, '/', 1, UINT32_MAX, &p);

	if (!slash || !arguments_number(slash + 1, '\0', 1, UINT32_MAX, &q))
		return arguments_wrong("ratio", text, "a ratio such as 160/147");
	options->p = (uint32_t)p;
	options->q = (uint32_t)q;
	return 0;
}

static int parse_steps(struct options *options, const char *text)
{
	uint64_t steps = 0;

	if (strcmp(text, "auto") != 0 && !arguments_number(text, '\0', 1, STEPS_MOST, &steps))
		return arguments_wrong("steps", text, "a number from 1 to 1048576, or auto");
	options->steps = (uint32_t)steps;
	return 0;
}

/* -1: go on; else what to exit with */
static int take(void *data, int option, const char *value)
{
	struct options *options = data;
	int status = 0;

	switch (option) {
	case OPT_INPUT:
		options->input = value;
		break;
	case OPT_OUTPUT:
		options->output = value;
		break;
	case OPT_RATE:
		status = arguments_uint32("rate", value, 1, UINT32_MAX, &options->rate);
		break;
	case OPT_RATIO:
		status = parse_ratio(options, value);
		break;
	case OPT_STEPS:
		status = parse_steps(options, value);
		break;
	case OPT_DEVICE:
		options->device = strcmp(value, "cores") ? value : NULL;
		break;
	case OPT_DEVICES:
		return devices_list();
	case OPT_TEAM:
		status = team_parse_threads(&options->team, value);
		break;
	case OPT_MOVE:
		status = moves_take(&options->moves, value);
		break;
	case OPT_OVERLAP:
		status = team_parse_overlap(&options->team, value);
		break;
	case OPT_PRINT_NETWORK:
		options->print_network = true;
		break;
	case OPT_STATS:
		options->stats = value;
		break;
	case OPT_TRACE:
		options->trace = value;
		break;
	case OPT_HELP:
		return arguments_print(help);
	case OPT_VERSION:
		return arguments_print("resample (penstock) " PSTK_VERSION "\n");
	}
	return status ? status : -1;
}

static const char *contradiction(const struct options *options)
{
	if (!options->input)
		return "--input IN.wav is needed";
	if (!options->output && !options->print_network)
		return "--output OUT.wav is needed";
	if (options->rate && options->p)
		return "--rate and --ratio exclude each other";
	if (!options->rate && !options->p)
		return "--rate HZ or --ratio P/Q is needed";
	return NULL;
}

static int settle(void *data)
{
	const struct options *options = data;
	const struct files_named names[] = { { "input", options->input, STDIN_FILENO, false },
		{ "output", options->output, STDOUT_FILENO, false },
		{ "stats", options->stats, STDOUT_FILENO, false },
		{ "trace", options->trace, STDOUT_FILENO, false } };
	const char *wrong = contradiction(options);
	int status = wrong ? app_fail(EXIT_USAGE, "%s", wrong)
	                   : files_check_names(names, sizeof names / sizeof *names);

	if (!status)
		status = wav_output_check_name(options->output);
	if (!status && options->stats && report_missing())
		status = app_fail(EXIT_USAGE, "--stats: %s", report_missing());
	return status ? status : -1;
}

bool options_parse(struct options *options, int argc, char **argv, int *status)
{
	struct arguments arguments = { table, take, settle, options, &options->input };

	*options = (struct options){ 0 };
	*status = arguments_parse(&arguments, argc, argv);
	return *status == -1;
}
