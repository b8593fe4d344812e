/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/loading.h"
#include "apps/common/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int loading_begin(struct loading *l, int argc)
{
	const char ***lists[] = { &l->sets, &l->overlays, &l->places, &l->plugins };

	*l = (struct loading){ 0 };
	for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++) {
		*lists[i] = calloc((size_t)argc + 3, sizeof **lists[i]);
		if (!*lists[i])
			return app_out_of_memory();
	}
	return 0;
}

static void append(const char **list, const char *value)
{
	while (*list)
		list++;
	*list = value;
}

/* --rate and --frames: parameters with a short way to say them. */
static int set_number(struct loading *l, unsigned which, const char *value)
{
	static const char *const names[] = { "rate", "frames" };
	uint64_t number;
	int status = arguments_count(names[which], value, &number);

	if (status)
		return status;
	free(l->numbers[which]);
	if (asprintf(&l->numbers[which], "%s=%s", names[which], value) < 0) {
		l->numbers[which] = NULL;
		return app_out_of_memory();
	}
	return 0;
}

int loading_take(struct loading *l, int option, const char *value)
{
	int status = 0;

	switch (option) {
	case LOADING_SET:
		append(l->sets, value);
		break;
	case LOADING_MAPPING:
		append(l->overlays, value);
		break;
	case LOADING_DEVICE:
		append(l->places, value);
		break;
	case LOADING_PLUGIN:
		append(l->plugins, value);
		break;
	case LOADING_TEAM:
		status = team_parse_threads(&l->team, value);
		break;
	default:
		status = set_number(l, option == LOADING_FRAMES, value);
	}
	return status ? status : -1;
}

int loading_operand(struct loading *l, const char *value)
{
	if (l->file)
		return app_fail(EXIT_USAGE, "'%s' and '%s': expected one graph file", l->file, value);
	l->file = value;
	return -1;
}

int loading_settle(const struct loading *l)
{
	return l->file ? -1 : app_fail(EXIT_USAGE, "a graph file is needed");
}

/* Problems with a place in a file are lines as compilers write them. */
static int say_problems(const struct loading *l)
{
	static const char nowhere[] = "error: ";
	int err = pstk_graph_error(l->graph);
	const char *problem;

	for (unsigned i = 0; (problem = pstk_graph_problem(l->graph, i)); i++)
		if (!strncmp(problem, nowhere, strlen(nowhere)))
			app_fail(EXIT_FAILED, "%s", problem + strlen(nowhere));
		else
			fprintf(stderr, "%s\n", problem);
	return err == -ENODEV || err == -ENOTUNIQ ? EXIT_DEVICE : err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}

int loading_open(struct loading *l, bool dry)
{
	for (unsigned i = 0; i < sizeof l->numbers / sizeof *l->numbers; i++)
		if (l->numbers[i])
			append(l->sets, l->numbers[i]);
	l->graph = pstk_graph_load(l->file, PSTK_GRAPH(.sets = l->sets, .overlays = l->overlays,
						    .places = l->places, .plugins = l->plugins, .dry = dry));
	l->network = pstk_graph_network(l->graph);
	if (!l->network)
		return say_problems(l);
	if (l->team.given)
		team_apply(&l->team, l->network);
	return app_say_problems(l->network) ? EXIT_FAILED : 0;
}

void loading_close(struct loading *l)
{
	pstk_graph_destroy(l->graph);
	for (unsigned i = 0; i < sizeof l->numbers / sizeof *l->numbers; i++)
		free(l->numbers[i]);
	free(l->sets);
	free(l->overlays);
	free(l->places);
	free(l->plugins);
}
