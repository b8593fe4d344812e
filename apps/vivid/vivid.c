/* SPDX-License-Identifier: MIT */
/* ViVid: what is in the cells of a video's frames; a pipeline that maps itself: the program. */
#include "config.h"

#include "apps/vivid/network.h"

#include <stdlib.h>

static int take(void *own, int option, const char *value)
{
	return options_take(&((struct vivid *)own)->options, option, value);
}

static int settle(void *own, const struct staged_options *shared)
{
	return options_settle(&((struct vivid *)own)->options, shared);
}

static int build(void *own, struct staged *s)
{
	return vivid_build(own, s);
}

static int open_outputs(void *own, struct staged *s, bool fifos)
{
	(void)s;
	return results_open(&((struct vivid *)own)->results, fifos);
}

static int complete(void *own, struct staged *s)
{
	(void)s;
	return results_complete(&((struct vivid *)own)->results);
}

static void report(void *own, struct report *r)
{
	const struct options *o = &((struct vivid *)own)->options;

	report_integer(r, "filters", o->filter_count);
	report_integer(r, "rows", o->rows);
}

static void close_all(void *own)
{
	struct vivid *v = own;

	results_close(&v->results);
	free(v->filters);
	free(v->classifier);
}

int main(int argc, char **argv)
{
	static const struct staged_program program = { .help = options_help,
		.table = options_table,
		.take = take,
		.settle = settle,
		.build = build,
		.open = open_outputs,
		.complete = complete,
		.report = report,
		.close = close_all };
	struct vivid v = { .filters = NULL };

	options_init(&v.options);
	return staged_main(&program, &v, argc, argv);
}
