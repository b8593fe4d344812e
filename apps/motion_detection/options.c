/* SPDX-License-Identifier: MIT */
/* The command line. */
#include "config.h"

#include "apps/motion_detection/options.h"
#include "apps/common/arguments.h"
#include "apps/common/devices.h"
#include "apps/common/files.h"
#include "apps/common/report.h"
#include "apps/common/video.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char app_name[] = "motion_detection";

static const char help[] =
	"Usage: motion_detection --input FILE [OPTION]...\n"
	"       motion_detection --synthetic WxH [OPTION]...\n"
	"Shows where consecutive frames of a video differ: each frame gives a map of 0 and 255.\n"
	"\n"
	"  --input FILE        what FFmpeg reads, or Y4M, also on stdin (-); raw grey (.gray, with --size)\n"
	"  --synthetic WxH     a generated street scene instead, without end unless --frames says one\n"
	"  --size WxH          .gray: the size of a frame; other inputs are scaled to it\n"
	"  --frames N          ends after N frames\n"
	"  --output FILE       where the maps go; may be given several times. By its ending: .gray, none\n"
	"                      (/dev/null) or - (stdout): raw; .y4m; .png: a contact sheet; else a\n"
	"                      container that FFmpeg writes. Without it nothing is written\n"
	"  --overlay           writes the picture with the motion painted red (not raw)\n"
	"  --rate R            frames that an actor takes at once (1)\n"
	"  --depth K           windows of R frames that a FIFO holds (2, with a team 2N); auto: as many\n"
	"                      as are good for the cache; with --overlay the FIFO from the source to\n"
	"                      the sink holds as many as the four of the way round\n"
	"  --device SELECTOR   runs gauss, thres and med on this OpenCL device, such as pocl:cpu:0, gpu,\n"
	"                      or part 1 of 2 of one, pocl:cpu:0/1of2; three selectors joined by commas\n"
	"                      are for gauss, thres, med in this order; 'cores': on the cores\n"
	"  --device-depth K    windows that a FIFO between host and device holds (2, with a team 2N)\n"
	"  --devices           lists the devices with their selectors, ready to paste\n" MOVES_HELP
	"  --threshold T       a pixel moves when it differs by more, 0 to 255 (20)\n"
	"  --team N            a team of N threads fires all actors that do not block, 1 to 256; 0: each\n"
	"                      actor has a thread of its own; auto, the default: as many threads as cores\n"
	"                      where there are more actors, else 0\n" TEAM_OVERLAP_HELP
	"  --pin LIST          cores, such as 0,1,0: for the actors in their order; the list repeats\n"
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
	OPT_OUTPUT,
	OPT_OVERLAY,
	OPT_RATE,
	OPT_DEPTH,
	OPT_DEVICE,
	OPT_DEVICE_DEPTH,
	OPT_DEVICES,
	OPT_MOVE,
	OPT_THRESHOLD,
	OPT_TEAM,
	OPT_OVERLAP,
	OPT_PIN,
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
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "overlay", no_argument, NULL, OPT_OVERLAY },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "device-depth", required_argument, NULL, OPT_DEVICE_DEPTH },
	{ "devices", no_argument, NULL, OPT_DEVICES },
	{ "move", required_argument, NULL, OPT_MOVE },
	{ "threshold", required_argument, NULL, OPT_THRESHOLD },
	{ "team", required_argument, NULL, OPT_TEAM },
	{ "overlap", required_argument, NULL, OPT_OVERLAP },
	{ "pin", required_argument, NULL, OPT_PIN },
	{ "stats", required_argument, NULL, OPT_STATS },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int parse_pin(struct options *options, const char *text)
{
	const char *at = text;
	unsigned count = 1;

	for (const char *c = text; *c; c++)
		count += *c == ',';
	free(options->cores);
	options->core_count = 0;
	options->cores = malloc(count * sizeof(*options->cores));
	if (!options->cores)
		return app_out_of_memory();
	for (unsigned i = 0; i < count; i++) {
		uint64_t core;

		at = arguments_number(at, i + 1 < count ? ',' : '\0', 0, INT32_MAX, &core);
		if (!at)
			return arguments_wrong("pin", text, "a list of core numbers such as 0,1");
		at++;
		options->cores[options->core_count++] = (unsigned)core;
	}
	return 0;
}

/* One selector for the three actors, or three; a selector contains no comma. */
static int parse_devices(struct options *options, const char *text)
{
	unsigned count;
	int status = arguments_cut(text, &options->device_list, options->devices, DEVICE_ACTORS, &count);

	if (status)
		return status;
	if (count == 1)
		options->devices[2] = options->devices[1] = options->devices[0];
	else if (count != DEVICE_ACTORS)
		return arguments_wrong("device", text, "one selector, or three for gauss,thres,med");
	for (unsigned i = 0; i < DEVICE_ACTORS; i++) {
		if (!strcmp(options->devices[i], "cores"))
			options->devices[i] = NULL;
	}
	return 0;
}

/* Where a 32-bit number from 1 goes; NULL: it is another option. */
static uint32_t *number_of(struct options *options, int option)
{
	switch (option) {
	case OPT_RATE:
		return &options->rate;
	case OPT_DEVICE_DEPTH:
		return &options->device_depth;
	default:
		return NULL;
	}
}

/* What is no number from 1 but must be read: 0, or what to exit with. */
static int take_value(struct options *options, int option, const char *value)
{
	switch (option) {
	case OPT_SYNTHETIC:
		return arguments_size("synthetic", value, &options->scene_width, &options->scene_height);
	case OPT_SIZE:
		return arguments_size("size", value, &options->width, &options->height);
	case OPT_FRAMES:
		return arguments_count("frames", value, &options->frames);
	case OPT_DEVICE:
		return parse_devices(options, value);
	case OPT_DEPTH:
		return team_parse_depth(&options->team, value);
	case OPT_TEAM:
		return team_parse_threads(&options->team, value);
	case OPT_MOVE:
		return moves_take(&options->moves, value);
	case OPT_OVERLAP:
		return team_parse_overlap(&options->team, value);
	case OPT_THRESHOLD:
		return arguments_uint32("threshold", value, 0, 255, &options->threshold);
	case OPT_PIN:
		return parse_pin(options, value);
	default:
		return 0;
	}
}

/* -1: go on; else what to exit with */
static int take(void *data, int option, const char *value)
{
	struct options *options = data;
	uint32_t *number = number_of(options, option);
	int status;

	switch (option) {
	case OPT_INPUT:
		options->input = value;
		break;
	case OPT_OUTPUT:
		options->outputs[options->output_count++] = value;
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
		return arguments_print("motion_detection (penstock) " PSTK_VERSION "\n");
	}
	status = number ? arguments_uint32(table[option - OPT_INPUT].name, value, 1, UINT32_MAX, number)
	                : take_value(options, option, value);
	return status ? status : -1;
}

static int check_names(const struct options *options)
{
	const unsigned count = options->output_count;
	struct files_named *names = calloc(count + 3, sizeof *names);
	int status;

	if (!names)
		return app_out_of_memory();
	names[0] = (struct files_named){ "input", options->input, STDIN_FILENO, false };
	for (unsigned i = 0; i < count; i++)
		names[1 + i] = (struct files_named){ "output", options->outputs[i], STDOUT_FILENO, false };
	names[1 + count] = (struct files_named){ "stats", options->stats, STDOUT_FILENO, false };
	names[2 + count] = (struct files_named){ "trace", options->trace, STDOUT_FILENO, false };
	status = files_check_names(names, count + 3);
	free(names);
	return status;
}

static const char *contradiction(const struct options *options)
{
	const char *wrong = video_contradiction(options->input, options->scene_width, options->width);

	if (wrong)
		return wrong;
	return options->overlay && !options->output_count ? "--overlay needs --output" : NULL;
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

bool options_parse(struct options *options, int argc, char **argv, int *status)
{
	struct arguments arguments = { table, take, settle, options };

	*options = (struct options){ .rate = 1, .threshold = 20 };
	options->outputs = calloc((size_t)argc, sizeof(*options->outputs));
	*status = options->outputs ? arguments_parse(&arguments, argc, argv) : app_out_of_memory();
	return *status == -1;
}

void options_free(struct options *options)
{
	free(options->outputs);
	free(options->cores);
	free(options->device_list);
}
