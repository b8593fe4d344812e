/* SPDX-License-Identifier: MIT */
/* The command penstock: the program. */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/common/files.h"
#include "apps/common/signals.h"
#include "apps/penstock/commands.h"
#include "lib/base/near_name.h"

#include <stdio.h>
#include <string.h>

const char app_name[] = "penstock";

static const char help[] =
	"Usage: penstock COMMAND [OPTION]... [FILE]\n"
	"Runs, checks and draws networks of actors that graph files describe.\n"
	"\n"
	"  run FILE       runs a network\n"
	"  ctl SOCKET     asks a running network to move actors, or to stop\n"
	"  check FILE     says whether it can deadlock, what memory it needs, and what runs where\n"
	"  graph FILE     draws it\n"
	"  plan FILE      says what it needs on a machine, and how fast it can be\n"
	"  bench FILE     measures it with several teams, rates, depths and devices, and writes what is "
	"best\n"
	"  map            predicts from measurements which configuration of a pipeline is best\n"
	"  machine        prints the machine that it runs on, for plans; measures its links\n"
	"  devices        lists the OpenCL devices with their selectors, ready to paste\n"
	"  actors [NAME]  lists the actor types, or describes one\n"
	"\n"
	"  --help, --version\n"
	"\n"
	"'penstock COMMAND --help' has the options of a command; penstock-graph(5) has the format of graph\n"
	"files.\n";

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = { { "run", command_run }, { "ctl", command_ctl }, { "check", command_check },
	{ "graph", command_graph }, { "plan", command_plan }, { "bench", command_bench },
	{ "map", command_map }, { "machine", command_machine }, { "devices", command_devices },
	{ "actors", command_actors } };

enum { COMMANDS = sizeof commands / sizeof *commands };

static int no_such(const char *word)
{
	char hint[PS_NEAR_NAME_HINT];
	struct ps_near_name near;

	ps_near_name_begin(&near, word);
	for (unsigned i = 0; i < COMMANDS; i++)
		ps_near_name_offer(&near, commands[i].name);
	app_fail(EXIT_USAGE, "there is no command '%s'%s", word, ps_near_name_hint(&near, hint));
	fprintf(stderr, "Try '%s --help'.\n", app_name);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	files_fill_standard();
	signals_handle();
	if (!word) {
		app_fail(EXIT_USAGE,
			"a command is needed: run, ctl, check, graph, plan, bench, map, machine, "
			"devices or actors");
		fprintf(stderr, "Try '%s --help'.\n", app_name);
		return EXIT_USAGE;
	}
	if (!strcmp(word, "--help"))
		return arguments_print(help);
	if (!strcmp(word, "--version"))
		return arguments_print("penstock (penstock) " PSTK_VERSION "\n");
	for (unsigned i = 0; i < COMMANDS; i++)
		if (!strcmp(word, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return no_such(word);
}
