/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/tracking/options.h"
#include "apps/common/arguments.h"

#include <string.h>

const char app_name[] = "tracking";

const char options_help[] =
	"Usage: tracking --input FILE... [OPTION]...\n"
	"Finds features in each frame of a video, and where they are in the next one. Its stages are a\n"
	"pipeline, which finds its place on cores and a device by itself.\n"
	"\n" STAGED_INPUT_HELP
	"  --window W          half the side of the patches that are compared, 2 to 256 (8 to 48, by the\n"
	"                      width of the frame)\n"
	"  --features N        the strongest N pixels, 1 to 16384, of which those near to a stronger one\n"
	"                      are dropped (500 or 400)\n"
	"  --rounds N          steps towards a feature on each of two levels, at most (15 or 20)\n"
	"  --radius R          pixels around a feature without a weaker one (10)\n"
	"  --features-from F   each: found anew in each frame (the default); first: found in the first one,\n"
	"                      and then followed from frame to frame\n"
	"  --output FILE       by its ending: none, .txt, .csv or - (stdout): a line 'K X Y X2 Y2' for each\n"
	"                      feature of frame K - 1 that is in frame K, K from 2, strongest first; else a\n"
	"                      video with an arrow for each of them. Without it nothing is "
	"written\n" STAGED_HELP;

enum { OPT_WINDOW = OPT_OWN, OPT_FEATURES, OPT_ROUNDS, OPT_RADIUS, OPT_FEATURES_FROM };

const struct option options_table[] = {
	STAGED_OPTIONS,
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ "features", required_argument, NULL, OPT_FEATURES },
	{ "rounds", required_argument, NULL, OPT_ROUNDS },
	{ "radius", required_argument, NULL, OPT_RADIUS },
	{ "features-from", required_argument, NULL, OPT_FEATURES_FROM },
	{ NULL, 0, NULL, 0 },
};

void options_init(struct options *o)
{
	o->spec = pstk_tracking_spec_init();
}

static int take_from(struct options *o, const char *value)
{
	if (strcmp(value, "each") && strcmp(value, "first"))
		return arguments_wrong("features-from", value, "each or first");
	o->spec.first = o->spec.chained = !strcmp(value, "first");
	return 0;
}

static int take(struct options *o, int option, const char *value)
{
	switch (option) {
	case OPT_WINDOW:
		return arguments_uint32("window", value, 2, PSTK_WINDOW_MOST, &o->spec.window);
	case OPT_FEATURES:
		return arguments_uint32("features", value, 1, PSTK_FEATURES_MOST, &o->spec.features);
	case OPT_ROUNDS:
		return arguments_uint32("rounds", value, 1, 1000, &o->spec.rounds);
	case OPT_RADIUS:
		return arguments_uint32("radius", value, 1, 32768, &o->spec.radius);
	default:
		return take_from(o, value);
	}
}

int options_take(struct options *o, int option, const char *value)
{
	int status = take(o, option, value);

	return status ? status : -1;
}

int options_settle(const struct options *o, const struct staged_options *shared)
{
	(void)o;
	if (shared->frames == 1)
		return app_fail(EXIT_USAGE,
			"--frames 1: features are followed from a frame to the next one: 2 at least");
	return 0;
}
