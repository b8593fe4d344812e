/* SPDX-License-Identifier: MIT */
/* The command line. */
#include "config.h"

#include "apps/granulometry/options.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"
#include "apps/common/files.h"
#include "apps/common/report.h"
#include "apps/granulometry/results.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char app_name[] = "granulometry";

static const char help[] =
	"Usage: granulometry --input FILE... [OPTION]...\n"
	"Measures the sizes of what is in an image, as sieves do: counts the pixels that openings of "
	"growing\n"
	"size leave.\n"
	"\n"
	"  --input FILE        a picture (PNG, PGM ..) or a video that FFmpeg reads, each frame an image; "
	"Y4M,\n"
	"                      also on stdin (-); raw bytes (.u8, with --size). Further files may follow\n"
	"  --size WxH[xD]      .u8: the size of an image, or of a volume, x fastest; pictures and videos "
	"are\n"
	"                      scaled to WxH. Else all images have the size of the first one\n"
	"  --threshold T       pixels above it are what is measured, 0 to 255 (0)\n"
	"  --element E         square: the 3x3 (3x3x3) pixels around one; cross: those that share a side "
	"(square)\n"
	"  --openings M        the largest opening, 1 to 65535 (20); it ends before where nothing is left\n"
	"  --split N           the actor small has openings 1 to N, large the others: 1 to M; M: there is "
	"no\n"
	"                      large. auto: what is best for the time of an opening at both places, which "
	"is\n"
	"                      measured first. Without it: what is best where both are equally fast\n"
	"  --device SELECTOR   runs small and large on this OpenCL device, such as pocl:cpu:0 or gpu; two\n"
	"                      selectors joined by a comma: small on the first, large on the second, also "
	"parts\n"
	"                      of one device, pocl:cpu:0/1of2; 'cores': on the cores\n"
	"  --devices           lists the devices with their selectors, ready to paste\n" MOVES_HELP
	"  --overlap on|off    plans the FIFOs for these places: on, transfers run beside the actors, with\n"
	"                      twice the memory there; off, they do not. Without it, and with a number for\n"
	"                      --split or none: the library's depths\n"
	"  --output FILE       by its ending: .csv, none or - (stdout): a line for each image and size; "
	".json;\n"
	"                      .svg, .png: the curve and its pattern spectrum, of all images together, "
	"drawn\n"
	"                      by gnuplot. Without it a line for each image on stdout\n"
	"  --repeat N          goes through the inputs N times (1)\n"
	"  --team N            a team of N threads fires all actors that do not block, 1 to 256; 0: each\n"
	"                      actor has a thread of its own; auto, the default: as many threads as cores\n"
	"                      where there are more actors, else 0\n"
	"  --stats FILE.json   writes what the run took as JSON\n"
	"  --trace FILE        writes a timeline of its threads, for https://ui.perfetto.dev\n"
	"  --check             says whether the network can deadlock and what memory it needs; runs nothing\n"
	"  --help, --version\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS "; 4 the network deadlocked; 130 interrupted.\n"
	"The first SIGINT, SIGTERM or SIGHUP ends the input and lets the rest drain, the second stops at\n"
	"once.\n";

/* in the order of the table */
enum {
	OPT_INPUT = 256,
	OPT_SIZE,
	OPT_THRESHOLD,
	OPT_ELEMENT,
	OPT_OPENINGS,
	OPT_SPLIT,
	OPT_DEVICE,
	OPT_DEVICES,
	OPT_MOVE,
	OPT_OVERLAP,
	OPT_OUTPUT,
	OPT_REPEAT,
	OPT_TEAM,
	OPT_STATS,
	OPT_TRACE,
	OPT_CHECK,
	OPT_HELP,
	OPT_VERSION
};

static const struct option table[] = {
	{ "input", required_argument, NULL, OPT_INPUT },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "threshold", required_argument, NULL, OPT_THRESHOLD },
	{ "element", required_argument, NULL, OPT_ELEMENT },
	{ "openings", required_argument, NULL, OPT_OPENINGS },
	{ "split", required_argument, NULL, OPT_SPLIT },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "devices", no_argument, NULL, OPT_DEVICES },
	{ "move", required_argument, NULL, OPT_MOVE },
	{ "overlap", required_argument, NULL, OPT_OVERLAP },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "team", required_argument, NULL, OPT_TEAM },
	{ "stats", required_argument, NULL, OPT_STATS },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int parse_size(struct options *options, const char *text)
{
	uint64_t numbers[3] = { 0, 0, 1 };
	const char *at = text;
	unsigned sides = 1;

	for (const char *c = text; *c; c++)
		sides += *c == 'x';
	for (unsigned i = 0; i < sides && at; i++) {
		at = sides > 3 ? NULL
		               : arguments_number(at, i + 1 < sides ? 'x' : '\0', 1, UINT32_MAX, &numbers[i]);
		at = at && i + 1 < sides ? at + 1 : at;
	}
	if (!at || sides < 2)
		return arguments_wrong("size", text, "a size such as 320x240, or 64x64x64");
	options->size = (struct size){ (uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2] };
	return 0;
}

/* One of two words: which. -1: neither, said then. */
static int parse_word(const char *option, const char *text, const char *first, const char *second)
{
	char wanted[64];

	if (!strcmp(text, first))
		return 0;
	if (!strcmp(text, second))
		return 1;
	snprintf(wanted, sizeof wanted, "%s or %s", first, second);
	arguments_wrong(option, text, wanted);
	return -1;
}

/* One selector for both actors, or two; a selector contains no comma. */
static int parse_devices(struct options *options, const char *text)
{
	unsigned count;
	int status = arguments_cut(text, &options->device_list, options->devices, GRANULOMETRY_PARTS, &count);

	if (status)
		return status;
	if (!count)
		return arguments_wrong("device", text, "one selector, or two for small,large");
	if (count == 1)
		options->devices[1] = options->devices[0];
	for (unsigned i = 0; i < GRANULOMETRY_PARTS; i++) {
		if (!strcmp(options->devices[i], "cores"))
			options->devices[i] = NULL;
	}
	return 0;
}

static int parse_split(struct options *options, const char *text)
{
	uint64_t split;

	options->measures = !strcmp(text, "auto");
	options->split = 0;
	if (options->measures)
		return 0;
	if (!arguments_number(text, '\0', 1, PSTK_MAX_OPENINGS, &split))
		return arguments_wrong("split", text, "a number from 1 to 65535, or auto");
	options->split = (uint32_t)split;
	return 0;
}

/* What is read, not only kept: 0, or what to exit with. */
static int take_value(struct options *options, int option, const char *value)
{
	int which;

	switch (option) {
	case OPT_SIZE:
		return parse_size(options, value);
	case OPT_THRESHOLD:
		return arguments_uint32("threshold", value, 0, 255, &options->threshold);
	case OPT_ELEMENT:
		which = parse_word("element", value, "square", "cross");
		options->element = which ? PSTK_ELEMENT_CROSS : PSTK_ELEMENT_SQUARE;
		return which < 0 ? EXIT_USAGE : 0;
	case OPT_OPENINGS:
		return arguments_uint32("openings", value, 1, PSTK_MAX_OPENINGS, &options->openings);
	case OPT_SPLIT:
		return parse_split(options, value);
	case OPT_DEVICE:
		return parse_devices(options, value);
	case OPT_OVERLAP:
		which = parse_word("overlap", value, "on", "off");
		options->overlap = which ? GRANULOMETRY_OFF : GRANULOMETRY_ON;
		return which < 0 ? EXIT_USAGE : 0;
	case OPT_REPEAT:
		return arguments_count("repeat", value, &options->repeat);
	case OPT_TEAM:
		return team_parse_threads(&options->team, value);
	case OPT_MOVE:
		return moves_take(&options->moves, value);
	default:
		return 0;
	}
}

/* -1: go on; else what to exit with */
static int take(void *data, int option, const char *value)
{
	struct options *options = data;
	int status;

	switch (option) {
	case OPT_INPUT:
		options->inputs[options->input_count++] = value;
		break;
	case OPT_DEVICES:
		return devices_list();
	case OPT_OUTPUT:
		options->output = value;
		break;
	case OPT_STATS:
		options->stats = value;
		break;
	case OPT_TRACE:
		options->trace = value;
		break;
	case OPT_CHECK:
		options->check = true;
		break;
	case OPT_HELP:
		return arguments_print(help);
	case OPT_VERSION:
		return arguments_print("granulometry (penstock) " PSTK_VERSION "\n");
	}
	status = take_value(options, option, value);
	return status ? status : -1;
}

/* Files behind the first one of --input. */
static int take_operand(void *data, const char *value)
{
	struct options *options = data;

	if (!options->input_count)
		return app_fail(EXIT_USAGE, "unexpected argument '%s': is --input meant?", value);
	options->inputs[options->input_count++] = value;
	return -1;
}

/* An input may be given twice, but an output is no other file. */
static int check_names(const struct options *options)
{
	int status = 0;

	for (unsigned i = 0; i < options->input_count && !status; i++) {
		const struct files_named names[] = { { "input", options->inputs[i], STDIN_FILENO, false },
			{ "output", options->output, STDOUT_FILENO, false },
			{ "stats", options->stats, STDOUT_FILENO, false },
			{ "trace", options->trace, STDOUT_FILENO, false } };

		status = files_check_names(names, sizeof names / sizeof *names);
	}
	return status;
}

static int check_split(const struct options *options)
{
	if (options->split <= options->openings)
		return 0;
	return app_fail(EXIT_USAGE,
		"--split: %u is more than the %u openings: give 1 to %u, or more --openings", options->split,
		options->openings, options->openings);
}

static bool is_stdout(const char *name)
{
	return name && (!strcmp(name, "-") || !strcmp(name, "/dev/stdout"));
}

static int settle(void *data)
{
	struct options *options = data;
	int status =
		options->input_count ? check_names(options) : app_fail(EXIT_USAGE, "--input FILE is needed");

	if (!status)
		status = check_split(options);
	if (!status)
		status = results_check(options->output);
	if (!status && options->stats && report_missing())
		status = app_fail(EXIT_USAGE, "--stats: %s", report_missing());
	if (!options->output && (is_stdout(options->stats) || is_stdout(options->trace)))
		options->output = "/dev/null"; /* the lines would be in between */
	return status ? status : -1;
}

bool options_parse(struct options *options, int argc, char **argv, int *status)
{
	struct arguments arguments = {
		.table = table, .take = take, .settle = settle, .data = options, .operand = take_operand
	};

	*options = (struct options){ .openings = 20, .repeat = 1 };
	options->inputs = calloc((size_t)argc, sizeof(*options->inputs));
	*status = options->inputs ? arguments_parse(&arguments, argc, argv) : app_out_of_memory();
	return *status == -1;
}

void options_free(struct options *options)
{
	free(options->inputs);
	free(options->device_list);
}
