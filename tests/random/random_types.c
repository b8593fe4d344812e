/* SPDX-License-Identifier: MIT */
/* A plug-in with the type of the generator's actors: the program that has loaded it adds them (carrier_graph.c). */
#include "tests/random/random_types.h"

#include <penstock/plugin.h>

#include <stddef.h>

random_types_adder *random_types_add;

struct arg {
	uint32_t number;
};

static const struct pstk_param params[] = {
	{ .name = "number", .type = "u32", .help = "which of the network's actors it is", .offset = 0 }
};

static const struct pstk_actor_type type = { .struct_size = sizeof type,
	.name = "random",
	.params = params,
	.param_count = 1,
	.arg_size = sizeof(struct arg) };

static const struct pstk_actor_type *random_type(void)
{
	return &type;
}

static struct pstk_actor *add(struct pstk_plugin_call *call)
{
	const struct arg *arg = call->arg;

	return random_types_add ? random_types_add(call->network, arg->number) : NULL;
}

static const struct pstk_plugin_type types[] = {
	{ .help = "An actor of a random network", .type = random_type, .add = add }
};

PSTK_PLUGIN(.name = "random", .types = types, .type_count = 1);
