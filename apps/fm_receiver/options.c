/* SPDX-License-Identifier: MIT */
/* The command line. */
#include "config.h"

#include "apps/fm_receiver/options.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"
#include "apps/common/files.h"
#include "apps/common/report.h"
#include "apps/common/wav_output.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

const char app_name[] = "fm_receiver";

static const char help[] =
	"Usage: fm_receiver --input FILE --rate HZ [OPTION]...\n"
	"Demodulates a frequency-modulated station, which is in the middle of the input's band, to sound.\n"
	"\n"
	"  --input FILE        FILE.sigmf-meta, a recording; .cu8, unsigned bytes, as rtl_sdr writes them;\n"
	"                      - (stdin) and else: cf32_le samples\n"
	"  --format FORMAT     cf32 or cu8: what a file or stdin has whose name does not say it\n"
	"  --rate HZ           samples of the input in a second; a recording says it itself\n"
	"  --audio HZ          samples of the output in a second (48000)\n"
	"  --deviation HZ      how far a full swing moves the frequency (75000)\n"
	"  --deemphasis US     the time constant that takes the transmitter's emphasis of high tones back\n"
	"                      (50; in America and Korea 75); 0: none\n"
	"  --stereo            two channels, by the pilot tone at 19 kHz; where there is none, both have "
	"the\n"
	"                      same sound; needs a rate of 128000 or more\n"
	"  --output FILE.wav   where the sound goes, 16 bits a sample; - is stdout; without it, nowhere\n"
	"  --device SELECTOR   runs the filters on this OpenCL device, such as gpu or\n"
	"                      pocl:cpu:0; cores: on the cores, the default\n"
	"  --devices           lists the devices with their selectors, ready to paste\n" MOVES_HELP
	"  --team N            a team of N threads fires all actors that do not block, 1 to 256; 0: each\n"
	"                      actor has a thread of its own; auto, the default: as many threads as cores\n"
	"                      where there are more actors, else 0\n" TEAM_OVERLAP_HELP
	"  --print-network     lists actors, FIFOs and their memory and says whether they can deadlock;\n"
	"                      runs nothing; needs --rate\n"
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
	OPT_FORMAT,
	OPT_RATE,
	OPT_AUDIO,
	OPT_DEVIATION,
	OPT_DEEMPHASIS,
	OPT_STEREO,
	OPT_OUTPUT,
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
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "audio", required_argument, NULL, OPT_AUDIO },
	{ "deviation", required_argument, NULL, OPT_DEVIATION },
	{ "deemphasis", required_argument, NULL, OPT_DEEMPHASIS },
	{ "stereo", no_argument, NULL, OPT_STEREO },
	{ "output", required_argument, NULL, OPT_OUTPUT },
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

static int parse_format(struct options *options, const char *text)
{
	if (!strcmp(text, "cf32") || !strcmp(text, "cf32_le"))
		options->format = "cf32_le";
	else if (!strcmp(text, "cu8"))
		options->format = "cu8";
	else
		return arguments_wrong("format", text, "cf32 or cu8");
	return 0;
}

/* -1: go on; else what to exit with */
static int take_number(struct options *options, int option, const char *value)
{
	const char *name = table[option - OPT_INPUT].name;

	switch (option) {
	case OPT_RATE:
		return arguments_uint32(name, value, 1000, 100000000, &options->rate);
	case OPT_AUDIO:
		return arguments_uint32(name, value, 1000, 384000, &options->audio);
	case OPT_DEVIATION:
		return arguments_uint32(name, value, 100, 10000000, &options->deviation);
	case OPT_DEEMPHASIS:
		return arguments_uint32(name, value, 0, 100000, &options->deemphasis);
	default:
		return 0;
	}
}

/* -1: go on; else what to exit with */
static int take(void *data, int option, const char *value)
{
	struct options *options = data;
	int status = take_number(options, option, value);

	switch (option) {
	case OPT_INPUT:
		options->input = value;
		break;
	case OPT_FORMAT:
		status = parse_format(options, value);
		break;
	case OPT_STEREO:
		options->stereo = true;
		break;
	case OPT_OUTPUT:
		options->output = value;
		break;
	case OPT_DEVICE:
		options->device = strcmp(value, "cores") ? value : NULL;
		break;
	case OPT_DEVICES:
		return devices_list();
	case OPT_STATS:
		options->stats = value;
		break;
	case OPT_TRACE:
		options->trace = value;
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
	case OPT_PRINT_NETWORK:
		options->print_network = true;
		break;
	case OPT_HELP:
		return arguments_print(help);
	case OPT_VERSION:
		return arguments_print("fm_receiver (penstock) " PSTK_VERSION "\n");
	}
	return status ? status : -1;
}

int options_check_names(const struct options *options, const char *samples)
{
	const struct files_named names[] = { { "input", options->input, STDIN_FILENO, false },
		{ "input", samples, STDIN_FILENO, true }, { "output", options->output, STDOUT_FILENO, false },
		{ "stats", options->stats, STDOUT_FILENO, false },
		{ "trace", options->trace, STDOUT_FILENO, false } };

	return files_check_names(names, sizeof names / sizeof *names);
}

/* A name that says another format: taken for that, its bytes would be noise. */
static int check_format(const struct options *options)
{
	const char *ending = options->input ? strrchr(options->input, '.') : NULL;
	const char *format = options->format && !strcmp(options->format, "cu8") ? "cu8" : "cf32";

	if (!options->format || !ending || !strcasecmp(ending + 1, format) ||
		(strcasecmp(ending, ".cu8") != 0 && strcasecmp(ending, ".cf32") != 0))
		return 0;
	return app_fail(EXIT_USAGE,
		"--format %s: %s says by its name that it is %s: leave --format out, or rename the file",
		format, options->input, ending + 1);
}

static int settle(void *data)
{
	struct options *options = data;
	int status;

	if (!options->input && !options->print_network)
		return app_fail(EXIT_USAGE, "--input FILE is needed");
	if (!options->rate && options->print_network)
		return app_fail(EXIT_USAGE, "--print-network needs --rate HZ, on which the network depends");
	if (options->stats && report_missing())
		return app_fail(EXIT_USAGE, "--stats: %s", report_missing());
	status = check_format(options);
	if (!status)
		status = options_check_names(options, NULL);
	if (!status)
		status = wav_output_check_name(options->output);
	return status ? status : -1;
}

bool options_parse(struct options *options, int argc, char **argv, int *status)
{
	struct arguments arguments = { table, take, settle, options, &options->input };

	*options = (struct options){ .audio = 48000, .deviation = 75000, .deemphasis = 50 };
	*status = arguments_parse(&arguments, argc, argv);
	return *status == -1;
}
