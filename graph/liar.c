/* SPDX-License-Identifier: MIT */
/* A plug-in for check_plugins, which is as it should be, or is wrong as the environment's LIE says. */
#include "penstock/plugin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static const struct pstk_port port = { .name = "x", .kind = PSTK_OUTPUT, .token_size = 4 };
static struct pstk_actor_type plain = {
	.struct_size = sizeof plain, .name = "plain", .ports = &port, .port_count = 1, .fire = fire
};
static struct pstk_actor_type built = { .struct_size = sizeof built, .name = "built" };

static const struct pstk_actor_type *plain_type(void)
{
	return plain.fire ? &plain : NULL;
}

static const struct pstk_actor_type *built_type(void)
{
	return &built;
}

/* How many objects are open: 0 when the graph is gone. */
PSTK_PUBLIC extern unsigned liar_open;
unsigned liar_open;

static void close_object(void *object)
{
	liar_open--;
	free(object);
}

static struct pstk_network *elsewhere; /* destroyed when the plug-in is unloaded */

static struct pstk_actor *add_elsewhere(void)
{
	elsewhere = elsewhere ? elsewhere : pstk_network_create("elsewhere");
	return pstk_network_add(elsewhere, "b", &plain, NULL);
}

__attribute__((destructor)) static void unload(void)
{
	pstk_network_destroy(elsewhere);
}

static struct pstk_actor *add(struct pstk_plugin_call *call)
{
	const char *lie = getenv("LIE");

	call->object = malloc(1);
	liar_open += call->object != NULL;
	if (lie && !strcmp(lie, "builder"))
		pstk_network_refuse(call->network, -5, "'%s': the disk is full", call->name);
	if (lie && !strcmp(lie, "pixels"))
		call->format = (struct pstk_plugin_format){ "rgb24", 16, 8, 0, 0, NULL };
	if (lie && (!strcmp(lie, "builder") || !strcmp(lie, "silent")))
		return NULL;
	if (lie && !strcmp(lie, "other network"))
		return add_elsewhere();
	return pstk_network_add(
		call->network, lie && !strcmp(lie, "other name") ? "else" : call->name, &plain, NULL);
}

static struct pstk_plugin_type types[2] = { { .help = "a type", .type = plain_type },
	{ .help = "a builder", .type = built_type, .add = add, .close = close_object } };

PSTK_PUBLIC extern struct pstk_plugin pstk_plugin;
struct pstk_plugin pstk_plugin = { .abi = PSTK_PLUGIN_ABI, .name = "liar", .types = types, .type_count = 2 };

__attribute__((constructor)) static void lie(void)
{
	const char *lie = getenv("LIE");
	Dl_info here;

	if (dladdr(&pstk_plugin, &here) && strstr(here.dli_fname, "other"))
		pstk_plugin.name = "other";
	if (!lie)
		return;
	if (!strcmp(lie, "nameless"))
		pstk_plugin.name = NULL;
	if (!strcmp(lie, "ports"))
		plain.ports = NULL;
	if (!strcmp(lie, "many"))
		plain.port_count = 1000000000;
	if (!strcmp(lie, "params"))
		built.param_count = 3;
	if (!strcmp(lie, "abi"))
		pstk_plugin.abi = 77;
	if (!strcmp(lie, "list"))
		pstk_plugin.types = NULL;
	if (!strcmp(lie, "type"))
		types[1].type = NULL;
	if (!strcmp(lie, "null"))
		plain.fire = NULL;
	if (!strcmp(lie, "kahn"))
		plain.kahn = true;
	if (!strcmp(lie, "name"))
		plain.name = NULL;
	if (!strcmp(lie, "empty"))
		plain.name = "";
	if (!strcmp(lie, "twice"))
		built.name = "plain";
	if (!strcmp(lie, "format"))
		types[1].format = "gray";
	if (!strcmp(lie, "close"))
		types[0].close = close_object;
}
