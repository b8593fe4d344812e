/* SPDX-License-Identifier: MIT */
/* penstock actors */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/loading.h"
#include "lib/base/near_name.h"

#include <penstock/plugin.h>
#include <stdio.h>
#include <stdlib.h>
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
		app_say(stdout, "%s%s: %s\n", i ? "\n" : "", plugin->name, file);
		for (unsigned k = 0; k < plugin->type_count; k++) {
			const struct pstk_plugin_type *t = &plugin->types[k];

			app_say(stdout, "  %-16s %s\n", t->type()->name, t->help ? t->help : "");
		}
	}
}

/* What is known of tokens that are frames. */
static void describe_format(const struct pstk_plugin_type *t, const struct pstk_port *p)
{
	bool is_bytes = !p->token_type || !strcmp(p->token_type, "u8");
	bool is_frame = t->format && strcmp(t->format, "any") != 0 && p->kind != PSTK_CONTROL && is_bytes;

	if (is_frame)
		app_say(stdout, ", frames: %s WIDTHxHEIGHT", t->format);
}

static void describe_port(const struct pstk_plugin_type *t, const struct pstk_port *p)
{
	static const char *const kinds[] = { "input", "output", "dynamic input", "dynamic output",
		"control" };

	app_say(stdout, "  %-16s %s", p->name, kinds[p->kind]);
	if (p->kind != PSTK_CONTROL)
		app_say(stdout, ", %s", p->token_type ? p->token_type : "any token");
	describe_format(t, p);
	if (p->token_size)
		app_say(stdout, ", %zu bytes", p->token_size);
	if (p->rate)
		app_say(stdout, ", %u in a step", (unsigned)p->rate);
	if (p->history || p->peek)
		app_say(stdout, ", %s %u", p->history ? "history" : "peek",
			(unsigned)(p->history ? p->history : p->peek));
	putchar('\n');
}

static void describe_ports(const struct pstk_plugin_type *t, const struct pstk_actor_type *type)
{
	for (unsigned i = 0; i < type->port_count; i++)
		describe_port(t, &type->ports[i]);
	if (t->format && !strcmp(t->format, "any"))
		puts("  if tokens are frames, outputs give them as they come in");
	if (type->rates && !t->add)
		puts("  how many tokens a step moves depends on the parameters");
}

/* A builder makes ports of the parameters: those of an example are shown. */
static int describe_built(const struct loading *l, const struct pstk_plugin_type *t)
{
	const char *example = t->example ? t->example : "";
	struct pstk_network *network;
	struct pstk_graph *graph;
	char *chain;

	if (asprintf(&chain, "%s %s", t->type()->name, example) < 0)
		return app_out_of_memory();
	graph = pstk_graph_chain(
		chain, PSTK_GRAPH(.plugins = l->plugins.list, .dry = true, .unfinished = true));
	free(chain);
	network = pstk_graph_network(graph);
	app_say(stdout, "  they depend on the parameters%s%s\n", network && *example ? ", for example " : "",
		network ? example : "");
	if (network)
		describe_ports(t, pstk_actor_get_type(pstk_network_actor(network, 0)));
	pstk_graph_destroy(graph);
	return 0;
}

static void describe_param(const struct pstk_plugin_type *t, const struct pstk_param *p)
{
	app_say(stdout, "  %-16s %s", p->name, p->type);
	if (p->range)
		app_say(stdout, ", %s", p->range);
	if (!p->default_value)
		app_say(stdout, pstk_plugin_fills(t, p) ? ", as the frames that come in" : ", needed");
	else if (*p->default_value)
		app_say(stdout, ", default %s", p->default_value);
	app_say(stdout, "%s%s\n", p->help ? ": " : "", p->help ? p->help : "");
}

static int describe(const struct loading *l, const struct pstk_plugin *plugin,
	const struct pstk_plugin_type *t, const char *file)
{
	const struct pstk_actor_type *type = t->type();
	int status = 0;

	app_say(stdout, "%s: %s\nplug-in %s, %s\n", type->name, t->help ? t->help : "no description",
		plugin->name, file);
	if (type->fire_cl || type->kernel)
		app_say(stdout, "runs on %s\n",
			type->fire ? "the cores and on OpenCL devices" : "OpenCL devices");
	app_say(stdout, "\nports\n");
	if (t->add)
		status = describe_built(l, t);
	else
		describe_ports(t, type);
	app_say(stdout, "\nparameters\n");
	for (unsigned i = 0; i < type->param_count; i++)
		describe_param(t, &type->params[i]);
	if (!type->param_count)
		app_say(stdout, "  none\n");
	return status;
}

static int find_and_describe(const struct loading *l, const char *name)
{
	const struct pstk_plugin *plugin;
	struct ps_near_name near;
	const char *file, *meant;

	ps_near_name_begin(&near, name);
	for (unsigned i = 0; (plugin = pstk_graph_plugin(l->graph, i, &file)); i++)
		for (unsigned k = 0; k < plugin->type_count; k++) {
			if (!strcmp(plugin->types[k].type()->name, name))
				return describe(l, plugin, &plugin->types[k], file);
			ps_near_name_offer(&near, plugin->types[k].type()->name);
		}
	meant = ps_near_name_meant(&near);
	if (meant)
		return app_fail(
			EXIT_USAGE, "no plug-in has an actor type '%s'; did you mean '%s'?", name, meant);
	return app_fail(EXIT_USAGE,
		"no plug-in has an actor type '%s': 'penstock actors' lists them; those of other plug-ins "
		"need PENSTOCK_PLUGINS, or --plugin FILE",
		name);
}

static int show(struct loading *l)
{
	const char *name = l->file;
	int status;

	l->file = NULL;
	status = loading_open(l, true);
	if (!status && name)
		status = find_and_describe(l, name);
	else if (!status)
		list(l->graph);
	return ferror(stdout) | fflush(stdout) ? arguments_stdout_failed() : status;
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
