/* SPDX-License-Identifier: MIT */
/* penstock actors */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/loading.h"
#include "lib/base/near_name.h"

#include <penstock/plugin.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"Usage: penstock actors [OPTION]... [NAME]\n"
	"Lists the actor types of all plug-ins, or describes one: its ports and its parameters.\n"
	"\n"
	"  --plugin FILE  loads a plug-in besides\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage, no such type, or a plug-in that is missing or\n"
	"wrong.\n";

static const struct option table[] = { { "plugin", required_argument, NULL, LOADING_PLUGIN },
	{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 } };

/* loading's file is the name of a type */
static int take(void *data, int option, const char *value)
{
	return option == 'h' ? arguments_print(help) : loading_take(data, option, value);
}

static int operand(void *data, const char *value)
{
	struct loading *l = data;

	if (l->file)
		return app_fail(EXIT_USAGE, "'%s' and '%s': expected one type", l->file, value);
	l->file = value;
	return -1;
}

static int settle(void *data)
{
	(void)data;
	return -1;
}

static void list(const struct pstk_graph *graph)
{
	const struct pstk_plugin *plugin;
	const char *file;

	for (unsigned i = 0; (plugin = pstk_graph_plugin(graph, i, &file)); i++) {
		printf("%s%s: %s\n", i ? "\n" : "", plugin->name, file);
		for (unsigned k = 0; k < plugin->type_count; k++) {
			const struct pstk_plugin_type *t = &plugin->types[k];

			printf("  %-16s %s\n", t->type()->name, t->help ? t->help : "");
		}
	}
}

static void describe_port(const struct pstk_port *p)
{
	static const char *const kinds[] = { "input", "output", "dynamic input", "dynamic output",
		"control" };

	printf("  %-16s %s", p->name, kinds[p->kind]);
	if (p->kind != PSTK_CONTROL)
		printf(", %s", p->token_type ? p->token_type : "any token");
	if (p->token_size)
		printf(", %zu bytes", p->token_size);
	if (p->rate)
		printf(", %u in a step", (unsigned)p->rate);
	if (p->history || p->peek)
		printf(", %s %u", p->history ? "history" : "peek",
			(unsigned)(p->history ? p->history : p->peek));
	putchar('\n');
}

static void describe_param(const struct pstk_param *p)
{
	printf("  %-16s %s", p->name, p->type);
	if (p->range)
		printf(", %s", p->range);
	if (!p->default_value)
		printf(", needed");
	else if (*p->default_value)
		printf(", default %s", p->default_value);
	printf("%s%s\n", p->help ? ": " : "", p->help ? p->help : "");
}

static void describe(const struct pstk_plugin *plugin, const struct pstk_plugin_type *t, const char *file)
{
	const struct pstk_actor_type *type = t->type();

	printf("%s: %s\nplug-in %s, %s\n", type->name, t->help ? t->help : "no description", plugin->name,
		file);
	if (type->fire_cl || type->kernel)
		printf("runs on %s\n", type->fire ? "the cores and on OpenCL devices" : "OpenCL devices");
	printf("\nports\n");
	for (unsigned i = 0; i < type->port_count; i++)
		describe_port(&type->ports[i]);
	if (!type->port_count)
		printf("  they depend on the parameters\n");
	printf("\nparameters\n");
	for (unsigned i = 0; i < type->param_count; i++)
		describe_param(&type->params[i]);
	if (!type->param_count)
		printf("  none\n");
}

static int find_and_describe(const struct pstk_graph *graph, const char *name)
{
	const struct pstk_plugin *plugin;
	char hint[PS_NEAR_NAME_HINT];
	struct ps_near_name near;
	const char *file;

	ps_near_name_begin(&near, name);
	for (unsigned i = 0; (plugin = pstk_graph_plugin(graph, i, &file)); i++)
		for (unsigned k = 0; k < plugin->type_count; k++) {
			if (!strcmp(plugin->types[k].type()->name, name)) {
				describe(plugin, &plugin->types[k], file);
				return 0;
			}
			ps_near_name_offer(&near, plugin->types[k].type()->name);
		}
	return app_fail(
		EXIT_USAGE, "no plug-in has an actor type '%s'%s", name, ps_near_name_hint(&near, hint));
}

static int show(struct loading *l)
{
	const char *name = l->file;
	int status;

	l->file = NULL;
	status = loading_open(l, true);
	if (!status && name)
		status = find_and_describe(l->graph, name);
	else if (!status)
		list(l->graph);
	return fflush(stdout) ? arguments_stdout_failed() : status;
}

int command_actors(int argc, char **argv)
{
	struct loading l = { 0 };
	int status = arguments_parse(&(struct arguments){ .table = table,
					     .take = take,
					     .settle = settle,
					     .data = &l,
					     .operand = operand,
					     .called = "penstock actors" },
		argc, argv);
	if (status == -1)
		status = show(&l);
	loading_close(&l);
	return status;
}
