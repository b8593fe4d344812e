/* SPDX-License-Identifier: MIT */
/* The command line. */
#include "config.h"

#include "apps/saliency/options.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"
#include "apps/common/files.h"
#include "apps/common/report.h"
#include "apps/common/video.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char app_name[] = "saliency";

static const char help[] =
	"Usage: saliency --input FILE [OPTION]...\n"
	"       saliency --synthetic WxH [OPTION]...\n"
	"Shows where the frames of a video draw the eye: each frame gives a map, bright where it is "
	"salient.\n"
	"\n"
	"  --input FILE        what FFmpeg reads, or Y4M, also on stdin (-); raw grey (.gray, with --size)\n"
	"  --synthetic WxH     a generated street scene instead, without end unless --frames says one\n"
	"  --size WxH          .gray: the size of a frame; other inputs are scaled to it; 8x8 or larger\n"
	"  --frames N          ends after N frames\n"
	"  --window NAME       what a frame is weighed by before it is transformed: hann (default), flat8,\n"
	"                      none\n"
	"  --output FILE       where the maps go. By its ending: .f32: floats, little-endian; else 8-bit\n"
	"                      grey, each map's largest value white: .gray, none (/dev/null) or -\n"
	"                      (stdout): raw; .y4m; .png: a contact sheet, or the map of a\n"
	"                      still; else a container that FFmpeg writes. Without it nothing is written\n"
	"  --overlay           writes the picture, red where it is at least half as salient as where it is\n"
	"                      most so (not raw)\n"
	"  --device SELECTOR   runs the seven steps on this OpenCL device, such as pocl:cpu:0, gpu, or part\n"
	"                      1 of 2 of one, pocl:cpu:0/1of2; two of them joined by a comma share the "
	"steps;\n"
	"                      'cores': the cores\n"
	"  --devices           lists the devices with their selectors, ready to paste\n" MOVES_HELP
	"  --split STEP        the second of two devices begins after this step: window, fft, gabor, ifft,\n"
	"                      interactions or normalize; auto, the default: each step is measured at both,\n"
	"                      and the split with the least time a frame is taken\n"
	"  --overlap on|off    FIFOs are as deep as a plan says: on: so that transfers and kernels go on at\n"
	"                      once; off: half the memory where transfers touch\n"
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
	OPT_SYNTHETIC,
	OPT_SIZE,
	OPT_FRAMES,
	OPT_WINDOW,
	OPT_OUTPUT,
	OPT_OVERLAY,
	OPT_DEVICE,
	OPT_DEVICES,
	OPT_MOVE,
	OPT_SPLIT,
	OPT_OVERLAP,
	OPT_TEAM,
	OPT_STATS,
	OPT_TRACE,
	OPT_CHECK,
	OPT_HELP,
	OPT_VERSION
};

static const struct option table[] = {
	{ "input", required_argument, NULL, OPT_INPUT },
	{ "synthetic", required_argument, NULL, OPT_SYNTHETIC },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "frames", required_argument, NULL, OPT_FRAMES },
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "overlay", no_argument, NULL, OPT_OVERLAY },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "devices", no_argument, NULL, OPT_DEVICES },
	{ "move", required_argument, NULL, OPT_MOVE },
	{ "split", required_argument, NULL, OPT_SPLIT },
	{ "overlap", required_argument, NULL, OPT_OVERLAP },
	{ "team", required_argument, NULL, OPT_TEAM },
	{ "stats", required_argument, NULL, OPT_STATS },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int parse_window(struct options *options, const char *text)
{
	if (strcmp(text, "hann") != 0 && strcmp(text, "flat8") != 0 && strcmp(text, "none") != 0)
		return arguments_wrong("window", text, "hann, flat8 or none");
	options->window = text;
	return 0;
}

/* One place for all steps, or two; a selector contains no comma. */
static int parse_devices(struct options *options, const char *text)
{
	const char **selectors = options->places.selectors;
	int status = arguments_cut(text, &options->device_list, selectors, 2, &options->place_count);

	if (status)
		return status;
	if (!options->place_count)
		return arguments_wrong("device", text, "one selector, or two joined by a comma");
	for (unsigned i = 0; i < 2; i++)
		if (i >= options->place_count || !strcmp(selectors[i], "cores"))
			selectors[i] = NULL;
	return 0;
}

static int parse_split(struct options *options, const char *text)
{
	options->split_given = true;
	options->split_auto = !strcmp(text, "auto");
	options->places.split = STEPS;
	for (unsigned i = 0; i < STEP_SUM; i++)
		if (!strcmp(text, step_names[i]))
			options->places.split = i;
	if (options->split_auto || options->places.split < STEPS)
		return 0;
	return arguments_wrong(
		"split", text, "one of window, fft, gabor, ifft, interactions, normalize, or auto");
}

static int parse_overlap(struct options *options, const char *text)
{
	bool on = !strcmp(text, "on");

	if (!on && strcmp(text, "off") != 0)
		return arguments_wrong("overlap", text, "on or off");
	options->overlap = on ? OVERLAP_ON : OVERLAP_OFF;
	return 0;
}

/* What must be read: 0, or what to exit with. */
static int take_value(struct options *options, int option, const char *value)
{
	switch (option) {
	case OPT_SYNTHETIC:
		return arguments_size("synthetic", value, &options->scene_width, &options->scene_height);
	case OPT_SIZE:
		return arguments_size("size", value, &options->width, &options->height);
	case OPT_FRAMES:
		return arguments_count("frames", value, &options->frames);
	case OPT_WINDOW:
		return parse_window(options, value);
	case OPT_DEVICE:
		return parse_devices(options, value);
	case OPT_SPLIT:
		return parse_split(options, value);
	case OPT_OVERLAP:
		return parse_overlap(options, value);
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
		options->input = value;
		break;
	case OPT_OUTPUT:
		options->output = value;
		break;
	case OPT_OVERLAY:
		options->overlay = true;
		break;
	case OPT_DEVICES:
		return devices_list();
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
		return arguments_print("saliency (penstock) " PSTK_VERSION "\n");
	}
	status = take_value(options, option, value);
	return status ? status : -1;
}

static int check_names(const struct options *options)
{
	const struct files_named names[] = {
		{ "input", options->input, STDIN_FILENO, false },
		{ "output", options->output, STDOUT_FILENO, false },
		{ "stats", options->stats, STDOUT_FILENO, false },
		{ "trace", options->trace, STDOUT_FILENO, false },
	};

	return files_check_names(names, sizeof names / sizeof *names);
}

static bool ends_with(const char *name, const char *ending)
{
	size_t length = name ? strlen(name) : 0, size = strlen(ending);

	return length >= size && !strcmp(name + length - size, ending);
}

static const char *contradiction(const struct options *options)
{
	const char *wrong = video_contradiction(options->input, options->scene_width, options->width);

	if (wrong)
		return wrong;
	if (options->overlay && !options->output)
		return "--overlay needs --output";
	if (options->overlay && ends_with(options->output, ".f32"))
		return "--overlay is a picture, which a .f32 file can't hold";
	if (options->split_given && options->place_count < 2)
		return "--split needs two devices, --device FIRST,SECOND";
	return NULL;
}

static int settle(void *data)
{
	const struct options *options = data;
	const char *wrong = contradiction(options);
	int status = wrong ? app_fail(EXIT_USAGE, "%s", wrong) : check_names(options);

	if (!status && options->stats && report_missing())
		status = app_fail(EXIT_USAGE, "--stats: %s", report_missing());
	return status ? status : -1;
}

bool options_choose_split(const struct options *options)
{
	return options->place_count == 2 && (options->split_auto || !options->split_given);
}

bool options_parse(struct options *options, int argc, char **argv, int *status)
{
	struct arguments arguments = { table, take, settle, options };

	*options = (struct options){ .places.split = STEPS };
	*status = arguments_parse(&arguments, argc, argv);
	return *status == -1;
}

void options_free(struct options *options)
{
	free(options->device_list);
}
