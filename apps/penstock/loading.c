/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/loading.h"
#include "apps/common/arguments.h"
#include "apps/penstock/host_find.h"
#include "actors/common/same_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -1, or EXIT_FAILED: out of memory, said. */
static int append(struct words *words, const char *word)
{
	const char **list = realloc(words->list, (words->count + 2) * sizeof *list);

	if (!list)
		return app_out_of_memory();
	list[words->count++] = word;
	list[words->count] = NULL;
	words->list = list;
	return -1;
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

/* --OPTION on|off */
static int take_switch(struct loading *l, const char *option, const char *value, bool *off)
{
	l->planned = true;
	*off = !strcmp(value, "off");
	return *off || !strcmp(value, "on")
	               ? 0
	               : app_fail(EXIT_USAGE, "--%s %s: expected on or off", option, value);
}

int loading_take(struct loading *l, int option, const char *value)
{
	int status = 0;

	switch (option) {
	case LOADING_CHAIN:
		l->chain = value;
		break;
	case LOADING_SET:
		return append(&l->sets, value);
	case LOADING_MACHINE:
	case LOADING_MAPPING:
		return append(&l->overlays, value);
	case LOADING_DEVICE:
		return append(&l->places, value);
	case LOADING_PLUGIN:
		return append(&l->plugins, value);
	case LOADING_TEAM:
		status = team_parse_threads(&l->team, value);
		break;
	case LOADING_OVERLAP:
		status = take_switch(l, "overlap", value, &l->no_overlap);
		break;
	case LOADING_MERGE:
		status = take_switch(l, "merge", value, &l->no_merge);
		break;
	default:
		status = set_number(l, option == LOADING_FRAMES, value);
	}
	return status ? status : -1;
}

int loading_take_seconds(const char *value, double *seconds)
{
	char *end;

	*seconds = strtod(value, &end);
	return end != value && !*end && *seconds >= 0.01 && *seconds <= 3600
	               ? -1
	               : arguments_wrong("seconds", value, "a number from 0.01 to 3600");
}

int loading_operand(void *data, const char *value)
{
	struct loading *l = data;

	if (l->file)
		return app_fail(EXIT_USAGE, "'%s' and '%s': expected one graph file", l->file, value);
	l->file = value;
	return -1;
}

const char *loading_name(const struct loading *l)
{
	return l->chain ? l->chain : l->file;
}

int loading_settle(void *data)
{
	struct loading *l = data;
	int status = -1;

	for (unsigned i = 0; i < sizeof l->numbers / sizeof *l->numbers && status == -1; i++)
		if (l->numbers[i])
			status = append(&l->sets, l->numbers[i]);
	if (status != -1)
		return status;
	if (l->file && l->chain)
		return app_fail(EXIT_USAGE, "'%s' and --chain: expected one of both", l->file);
	return loading_name(l) ? -1 : app_fail(EXIT_USAGE, "a graph file is needed, or a chain, -e CHAIN");
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
			app_say(stderr, "%s\n", problem);
	return err == -ENODEV || err == -ENOTUNIQ ? EXIT_DEVICE : err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}

static int refuse_output(const char *option, const char *path, const char *what)
{
	return app_fail(EXIT_USAGE, "--%s %s: it is %s", option, path, what);
}

int loading_check_output(const struct loading *l, const char *option, const char *path)
{
	const char *other;
	bool writes;

	if (path && !*path)
		return app_fail(EXIT_USAGE, "--%s needs a name", option);
	if (!path)
		return 0;
	if (l->file && ps_same_file(path, STDOUT_FILENO, l->file, STDIN_FILENO))
		return refuse_output(option, path, "the graph file");
	for (size_t i = 0; i < l->overlays.count; i++)
		if (ps_same_file(path, STDOUT_FILENO, l->overlays.list[i], STDIN_FILENO))
			return refuse_output(option, path, "the file of --mapping");
	for (unsigned i = 0; (other = pstk_graph_file(l->graph, i, &writes)); i++)
		if (ps_same_file(path, STDOUT_FILENO, other, writes ? STDOUT_FILENO : STDIN_FILENO))
			return refuse_output(option, path, "a file of the network");
	return 0;
}

/* An actor of a kernel that was given no device can't run. Devices of other hosts are not looked for. */
static int check_places(const struct loading *l)
{
	const struct pstk_network *network = l->network;
	struct pstk_device_info device;
	int status = 0;

	for (unsigned i = 0; i < pstk_network_actor_count(network); i++) {
		const struct pstk_actor *a = pstk_network_actor(network, i);

		if (!pstk_actor_get_type(a)->fire && pstk_actor_device(a, &device) &&
			!host_find_is_away(l, a))
			status = app_fail(EXIT_USAGE,
				"'%s' is a kernel: say on which device it runs, mapping: {%s: SELECTOR} in "
				"the "
				"graph, or --device %s=SELECTOR; 'penstock devices' lists them",
				pstk_actor_name(a), pstk_actor_name(a), pstk_actor_name(a));
	}
	return status;
}

int loading_refuse_plan(const struct loading *l, const struct pstk_plan *plan)
{
	int err = pstk_plan_result(plan), status = err == -EDEADLK ? EXIT_DEADLOCKED : EXIT_USAGE;
	const struct pstk_fifo *fifo = pstk_plan_error_fifo(plan);
	char where[512];

	if (!plan || err == -ENOMEM)
		return app_out_of_memory();
	if (!fifo || pstk_graph_where(l->graph, fifo, where, sizeof where))
		return app_fail(status, "%s: %s", loading_name(l), pstk_plan_error(plan));
	app_say(stderr, "%s: error: %s\n", where, pstk_plan_error(plan));
	return status;
}

/* What can't be planned or run here is drawn all the same. */
static int draw_without(const struct loading *l, const char *why)
{
	for (unsigned i = 0; i < pstk_network_actor_count(l->network); i++)
		pstk_actor_map(pstk_network_actor(l->network, i), NULL);
	app_say(stderr, "penstock: warning: %s: %s: %s as it is without a plan\n", loading_name(l), why,
		l->draws ? "drawn" : "checked");
	return 0;
}

/* With a machine the network runs as planned on it; with --overlap or --merge alone, on what it is mapped to. */
static int apply_plan(const struct loading *l, bool dry)
{
	const struct pstk_plan_options *options =
		PSTK_PLAN(.no_overlap = l->no_overlap, .no_merge = l->no_merge);
	struct pstk_machine *own = NULL, *machine = pstk_graph_machine(l->graph);
	struct pstk_plan *plan;
	int err = 0, status = 0;

	if (!machine && l->planned)
		machine = own = pstk_network_machine(l->network);
	if (!machine)
		return app_say_problems(l->network) ? EXIT_FAILED : 0;
	plan = pstk_plan_create(l->network, machine, options);
	/* a plan is applied by the processes of its hosts */
	if (!pstk_plan_result(plan) && dry && host_find_is_over(machine, l->network))
		status = draw_without(l, "its actors are at several hosts");
	else if (pstk_plan_result(plan) && !(plan && l->draws))
		status = loading_refuse_plan(l, plan);
	else if (pstk_plan_result(plan))
		status = draw_without(l, pstk_plan_error(plan));
	else if (!hosts_are_several(l->hosts) && host_find_is_over(machine, l->network))
		status = app_fail(EXIT_USAGE,
			"%s: its actors are at several hosts, and this runs it in one process: map them to "
			"places of one host",
			loading_name(l));
	else if ((err = pstk_plan_apply(l->network, plan)) && l->draws)
		status = draw_without(l, pstk_network_error(l->network));
	else if (err)
		status = app_say_problems(l->network) && (err == -ENODEV || err == -ENOTUNIQ) ? EXIT_DEVICE
		                                                                              : EXIT_FAILED;
	pstk_plan_destroy(plan);
	pstk_machine_destroy(own);
	return status;
}

/* host: of this process, of several; or NULL. */
static int load(struct loading *l, bool dry, const char *host)
{
	const struct pstk_graph_spec *spec = PSTK_GRAPH(.sets = l->sets.list, .overlays = l->overlays.list,
		.places = l->places.list, .plugins = l->plugins.list, .dry = dry, .host = host);

	l->graph = l->chain ? pstk_graph_chain(l->chain, spec) : pstk_graph_load(l->file, spec);
	l->network = pstk_graph_network(l->graph);
	if (!l->network)
		return say_problems(l);
	if (l->team.given)
		team_apply(&l->team, l->network);
	return app_say_problems(l->network) ? EXIT_FAILED : 0;
}

/* Which host this process is depends on the machine, so the files are read twice: the files of actors at other hosts
 * are not for this process. */
static int load_of_several(struct loading *l, bool dry)
{
	struct loading_mark mark = loading_mark(l);
	int status = load(l, true, NULL);

	if (!status)
		status = host_find(l->hosts, l);
	if (status)
		return status;
	loading_unload(l, mark);
	return load(l, dry, l->hosts->own);
}

static int load_of_hosts(struct loading *l, bool dry)
{
	int status = hosts_are_several(l->hosts) ? load_of_several(l, dry) : load(l, dry, NULL);

	if (!status && l->hosts)
		status = hosts_are_several(l->hosts) ? hosts_join(l->hosts, l->network)
		                                     : host_find(l->hosts, l);
	return status;
}

/* Has it a place at another host than its own? Such a place is named as the machine has it. */
static bool visits(const struct loading *l, const struct pstk_actor *a)
{
	struct pstk_machine *m = pstk_graph_machine(l->graph);
	const char *place;

	for (unsigned i = 0; (place = pstk_actor_place_name(a, i)); i++)
		if (m && pstk_machine_find(m, place) >= 0)
			return true;
	return false;
}

/* Moves of an actor that goes to other hosts are asked for in all processes, in one order: they know them by that. */
static bool is_away(const void *data, const struct pstk_actor *a)
{
	const struct loading *l = data;

	return host_find_is_away(l, a) && !visits(l, a);
}

/* Behind the plan, which maps actors to their first places and names those of hosts. All places come before any move:
 * the file may ask for moves of an actor that only --move lets go to another host. */
static int ask_for_moves(const struct loading *l)
{
	int status = moves_allow(&l->moves, l->network);

	if (!status && hosts_are_several(l->hosts) && pstk_graph_apply_moves(l->graph, is_away, l))
		return say_problems(l);
	if (!status)
		status = moves_ask(&l->moves, l->network, is_away, l);
	if (!l->moves.count) /* a picture is drawn with its problems */
		return status;
	return app_say_problems(l->network) && !status ? EXIT_FAILED : status;
}

int loading_open(struct loading *l, bool dry)
{
	struct pstk_verdict *verdict = PSTK_VERDICT();
	int status = load_of_hosts(l, dry);

	if (status || l->plans)
		return status;
	status = apply_plan(l, dry);
	if (!status)
		status = ask_for_moves(l);
	if (status || l->draws)
		return status;
	if (!dry && pstk_network_check(l->network, NULL, verdict) == -EINVAL)
		return app_fail(EXIT_USAGE, "%s", verdict->reason);
	return check_places(l);
}

static void cut(struct words *words, size_t count)
{
	words->count = count;
	if (words->list)
		words->list[count] = NULL;
}

struct loading_mark loading_mark(const struct loading *l)
{
	return (struct loading_mark){ l->sets.count, l->places.count, l->team };
}

void loading_unload(struct loading *l, struct loading_mark mark)
{
	pstk_graph_destroy(l->graph);
	l->graph = NULL;
	l->network = NULL;
	cut(&l->sets, mark.sets);
	cut(&l->places, mark.places);
	l->team = mark.team;
}

void loading_close(struct loading *l)
{
	pstk_graph_destroy(l->graph);
	for (unsigned i = 0; i < sizeof l->numbers / sizeof *l->numbers; i++)
		free(l->numbers[i]);
	free(l->sets.list);
	free(l->overlays.list);
	free(l->places.list);
	free(l->plugins.list);
}
