/* SPDX-License-Identifier: MIT */
/* Tracking: features of frames, and where they are in the next one; a pipeline that maps itself: the program. */
#include "config.h"

#include "apps/tracking/network.h"

static int take(void *own, int option, const char *value)
{
	return options_take(&((struct tracking *)own)->options, option, value);
}

static int settle(void *own, const struct staged_options *shared)
{
	return options_settle(&((struct tracking *)own)->options, shared);
}

static int build(void *own, struct staged *s)
{
	return tracking_build(own, s);
}

static int open_output(void *own, struct staged *s, bool fifos)
{
	(void)s;
	return tracks_open(&((struct tracking *)own)->tracks, fifos);
}

static int complete(void *own, struct staged *s)
{
	return tracks_complete(&((struct tracking *)own)->tracks, s);
}

static void report(void *own, struct report *r)
{
	const struct tracking *t = own;

	report_text(r, "features_from", t->options.spec.first ? "first" : "each");
	report_integer(r, "pairs", t->tracks.pairs);
	report_integer(r, "tracks", t->tracks.found);
}

static void close_all(void *own)
{
	tracks_close(&((struct tracking *)own)->tracks);
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
	struct tracking t = { .tracks = { .path = NULL } };

	options_init(&t.options);
	return staged_main(&program, &t, argc, argv);
}
