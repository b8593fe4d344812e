/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/srad/options.h"
#include "apps/common/arguments.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char app_name[] = "srad";

const char options_help[] =
	"Usage: srad --input FILE... [OPTION]...\n"
	"Takes the speckle out of ultrasound and radar pictures, by anisotropic diffusion. Its stages are a\n"
	"pipeline, which finds its place on cores and a device by itself.\n"
	"\n" STAGED_INPUT_HELP "  --iterations N      smooths each picture N times (1)\n"
	"  --lambda L          what an iteration changes, above 0, at most 1 (0.5)\n"
	"  --loop L            stages: prepare, reduce, srad1, srad2 for each iteration, up to 3 of them;\n"
	"                      fused: one stage for all iterations. The same pictures (above 3: fused)\n"
	"  --output FILE       by its ending: .pgm with a number in its name (out%03d.pgm): a file for each\n"
	"                      picture; .pgm, none or - (stdout): pictures one behind the other, as Netpbm\n"
	"                      has them; else a video, such as .y4m. Without it nothing is "
	"written\n" STAGED_HELP;

enum { OPT_ITERATIONS = OPT_OWN, OPT_LAMBDA, OPT_LOOP };

const struct option options_table[] = {
	STAGED_OPTIONS,
	{ "iterations", required_argument, NULL, OPT_ITERATIONS },
	{ "lambda", required_argument, NULL, OPT_LAMBDA },
	{ "loop", required_argument, NULL, OPT_LOOP },
	{ NULL, 0, NULL, 0 },
};

void options_init(struct options *o)
{
	*o = (struct options){ .iterations = 1, .lambda = 0.5f };
}

static int take_lambda(struct options *o, const char *value)
{
	char *end;

	o->lambda = strtof(value, &end);
	if (end != value && !*end && o->lambda > 0 && o->lambda <= 1)
		return 0;
	return arguments_wrong("lambda", value, "a number above 0, at most 1");
}

static int take_loop(struct options *o, const char *value)
{
	if (!strcmp(value, "fused"))
		o->loop = LOOP_FUSED;
	else if (!strcmp(value, "stages"))
		o->loop = LOOP_STAGES;
	else
		return arguments_wrong("loop", value, "fused or stages");
	return 0;
}

int options_take(struct options *o, int option, const char *value)
{
	int status;

	if (option == OPT_ITERATIONS)
		status = arguments_uint32("iterations", value, 1, 1000000, &o->iterations);
	else
		status = option == OPT_LAMBDA ? take_lambda(o, value) : take_loop(o, value);
	return status ? status : -1;
}

int options_settle(const struct options *o, const struct staged_options *shared)
{
	(void)shared;
	if (o->loop != LOOP_STAGES || o->iterations <= OPTIONS_ROW_MOST)
		return 0;
	return app_fail(EXIT_USAGE,
		"--loop stages: %" PRIu32 " iterations are %" PRIu64
		" stages, and a pipeline has 16: at most %d iterations",
		o->iterations, 2 + UINT64_C(4) * o->iterations, OPTIONS_ROW_MOST);
}

bool options_fused(const struct options *o)
{
	return o->loop == LOOP_FUSED || (o->loop == LOOP_BY_COUNT && o->iterations > OPTIONS_ROW_MOST);
}
