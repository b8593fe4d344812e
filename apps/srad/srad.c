/* SPDX-License-Identifier: MIT */
/* SRAD: takes the speckle out of pictures; a pipeline that maps itself: the program. */
#include "config.h"

#include "apps/srad/network.h"

static int take(void *own, int option, const char *value)
{
	return options_take(&((struct srad *)own)->options, option, value);
}

static int settle(void *own, const struct staged_options *shared)
{
	return options_settle(&((struct srad *)own)->options, shared);
}

static int build(void *own, struct staged *s)
{
	return srad_build(own, s);
}

static int open_output(void *own, struct staged *s, bool fifos)
{
	(void)s;
	return pictures_open(&((struct srad *)own)->pictures, fifos);
}

static int complete(void *own, struct staged *s)
{
	(void)s;
	return pictures_complete(&((struct srad *)own)->pictures);
}

static void report(void *own, struct report *r)
{
	const struct options *o = &((struct srad *)own)->options;

	report_integer(r, "iterations", o->iterations);
	report_text(r, "loop", options_fused(o) ? "fused" : "stages");
}

static void close_all(void *own)
{
	pictures_close(&((struct srad *)own)->pictures);
}

int main(int argc, char **argv)
{
	static const struct staged_program program = { .help = options_help,
		.table = options_table,
		.take = take,
		.settle = settle,
		.build = build,
		.open = open_output,
		.complete = complete,
		.report = report,
		.close = close_all };
	struct srad d = { .pictures = { .path = NULL } };

	options_init(&d.options);
	return staged_main(&program, &d, argc, argv);
}
