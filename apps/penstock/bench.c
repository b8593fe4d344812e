/* SPDX-License-Identifier: MIT */
/* penstock bench: the command line, and what is tried. */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/common/whole.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/loading.h"
#include "apps/penstock/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Usage: penstock bench [OPTION]... FILE\n"
	"       penstock bench [OPTION]... -e CHAIN\n"
	"Runs the network of a graph file with several teams, rates, depths and devices, in turn, and writes "
	"the\n"
	"mapping that won, for --mapping. One thing after the other is varied, with the best of those "
	"before.\n"
	"What counts are the tokens a second that come to all actors without outputs. Each run writes its\n"
	"outputs.\n"
	"\n" LOADING_HELP "  --vary NAME=VALUE,..     tries these values of a parameter; may be given "
	"several times (rate: 1, 2, 4,\n"
	"                           8, 16, depth: 2, 4, 8, if the graph has such parameters)\n"
	"  --teams N,..             tries these teams (0, 1, 2, .. up to the cores)\n"
	"  --devices SELECTOR,..    tries all actors that can be on a device on each of these, or on the "
	"cores\n"
	"                           (cores and all devices)\n"
	"  --rounds N               runs of each, in turn (5)\n"
	"  --seconds S              that a run takes at most, 0.01 to 3600 (0.5)\n"
	"  --output FILE            where the mapping goes; without it to stdout\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done;\n" APP_STATUS "; 4 the network can deadlock, or did; 130 interrupted.\n";

enum { OPT_VARY = LOADING_END, OPT_TEAMS, OPT_DEVICES, OPT_ROUNDS, OPT_SECONDS, OPT_OUTPUT, OPT_HELP };

static const struct option table[] = { LOADING_TABLE, { "vary", required_argument, NULL, OPT_VARY },
	{ "teams", required_argument, NULL, OPT_TEAMS }, { "devices", required_argument, NULL, OPT_DEVICES },
	{ "rounds", required_argument, NULL, OPT_ROUNDS },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "output", required_argument, NULL, OPT_OUTPUT }, { "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 } };

static int take(void *data, int option, const char *value)
{
	struct search *s = data;
	int status;

	switch (option) {
	case OPT_HELP:
		return arguments_print(help);
	case OPT_VARY:
		status = search_vary(s, value);
		return status ? status : -1;
	case OPT_TEAMS:
		status = search_add(s, SEARCH_TEAM, "team", value);
		return status ? status : -1;
	case OPT_DEVICES:
		status = search_add(s, SEARCH_DEVICE, "devices", value);
		return status ? status : -1;
	case OPT_ROUNDS:
		status = arguments_uint32("rounds", value, 1, 1000, &s->rounds);
		return status ? status : -1;
	case OPT_SECONDS:
		return loading_take_seconds(value, &s->seconds);
	case OPT_OUTPUT:
		s->output = value;
		return -1;
	default:
		return loading_take(&s->loading, option, value);
	}
}

/* What it takes is said on stderr; the mapping is the result. */
static int bench(struct search *s)
{
	struct whole *file = NULL;
	int status = loading_check_output(&s->loading, "output", s->output);

	if (!status && s->output)
		status = whole_open(&file, s->output);
	if (!status)
		status = search_run(s);
	if (status) {
		whole_drop(file);
		return status;
	}
	search_write(s, file ? whole_file(file) : stdout);
	if (file)
		return whole_complete(file);
	return ferror(stdout) | fflush(stdout) ? arguments_stdout_failed() : EXIT_DONE;
}

int command_bench(int argc, char **argv)
{
	struct search s = { .rounds = 5, .seconds = 0.5 };
	int status = arguments_parse(&(struct arguments){ .table = table,
					     .take = take,
					     .settle = loading_settle,
					     .data = &s,
					     .operand = loading_operand,
					     .called = "penstock bench",
					     .letters = LOADING_LETTERS },
		argc, argv);
	if (status == -1)
		status = bench(&s);
	search_free(&s);
	loading_close(&s.loading);
	return status;
}
