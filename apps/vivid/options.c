/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/vivid/options.h"
#include "apps/common/arguments.h"
#include "apps/common/files.h"

#include <math.h>
#include <penstock/vision.h>
#include <stdlib.h>
#include <unistd.h>

const char app_name[] = "vivid";

const char options_help[] =
	"Usage: vivid --input FILE... [OPTION]...\n"
	"Compares what is in the cells of a video's frames with a classifier. Three stages: 3x3 filters,\n"
	"histograms of cells by the strongest filter, distances to the classifier's rows. They are a\n"
	"pipeline, which finds its place on cores and a device by itself.\n"
	"\n" STAGED_INPUT_HELP
	"  --filters FILE      9 numbers for each filter, row after row, little-endian f32 (generated ones)\n"
	"  --filter-count NF   as many filters, 1 to 256 (100)\n"
	"  --classifier FILE   NF numbers for each row, little-endian f32 (a generated one)\n"
	"  --rows ROWS         rows of the classifier, 1 to 1048576 (420)\n"
	"  --output FILE       by its ending: none, .txt, .csv or - (stdout): a line 'FRAME ROW X Y "
	"DISTANCE'\n"
	"                      for the cell nearest to each row of the classifier; else a video with the\n"
	"                      frames of these cells painted red. Without it nothing is written\n"
	"  --distance D        only cells that are nearer than D\n"
	"  --dump FOLDER       what the stages give, for each frame: 00000.value.f32, .index.u8, .hist.f32,\n"
	"                      .dist.f32, ..\n" STAGED_HELP;

enum { OPT_FILTERS = OPT_OWN, OPT_FILTER_COUNT, OPT_CLASSIFIER, OPT_ROWS, OPT_DISTANCE, OPT_DUMP };

const struct option options_table[] = {
	STAGED_OPTIONS,
	{ "filters", required_argument, NULL, OPT_FILTERS },
	{ "filter-count", required_argument, NULL, OPT_FILTER_COUNT },
	{ "classifier", required_argument, NULL, OPT_CLASSIFIER },
	{ "rows", required_argument, NULL, OPT_ROWS },
	{ "distance", required_argument, NULL, OPT_DISTANCE },
	{ "dump", required_argument, NULL, OPT_DUMP },
	{ NULL, 0, NULL, 0 },
};

void options_init(struct options *o)
{
	*o = (struct options){ .filter_count = 100, .rows = 420, .distance = INFINITY };
}

static int take_distance(struct options *o, const char *value)
{
	char *end;

	o->distance = strtof(value, &end);
	if (end != value && !*end && o->distance > 0)
		return 0;
	return arguments_wrong("distance", value, "a number above 0, such as 2.5e6");
}

static int take(struct options *o, int option, const char *value)
{
	switch (option) {
	case OPT_FILTERS:
		o->filters = value;
		return 0;
	case OPT_FILTER_COUNT:
		return arguments_uint32("filter-count", value, 1, PSTK_VIVID_FILTERS, &o->filter_count);
	case OPT_CLASSIFIER:
		o->classifier = value;
		return 0;
	case OPT_ROWS:
		return arguments_uint32("rows", value, 1, 1 << 20, &o->rows);
	case OPT_DISTANCE:
		return take_distance(o, value);
	default:
		o->dump = value;
		return 0;
	}
}

int options_take(struct options *o, int option, const char *value)
{
	int status = take(o, option, value);

	return status ? status : -1;
}

int options_settle(const struct options *o, const struct staged_options *shared)
{
	const struct files_named names[] = { { "filters", o->filters, STDIN_FILENO, false },
		{ "classifier", o->classifier, STDIN_FILENO, false },
		{ "dump", o->dump, STDIN_FILENO, false } };
	int status = staged_check_names(shared, names, sizeof names / sizeof *names);

	if (!status && isfinite(o->distance) && !shared->output)
		status = app_fail(EXIT_USAGE, "--distance says what is written: it needs --output");
	return status;
}
