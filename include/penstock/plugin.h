/* SPDX-License-Identifier: MIT */
/*
 * Plug-in: actor types that graph files name, in a shared object of their own.
 *
 * A plug-in is a .so that exports one symbol, pstk_plugin:
 *
 *	static const struct pstk_plugin_type types[] = { { .help = "Multiplies by a factor", .type = gain_type } };
 *	PSTK_PLUGIN(.name = "example", .types = types, .type_count = 1);
 *
 *	cc -shared -fPIC gain.c -o gain.so $(pkg-config --cflags --libs penstock-graph)
 *
 * Where plug-ins are looked for: <penstock/graph.h>.
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_PLUGIN_H
#define PENSTOCK_PLUGIN_H

#include <penstock/penstock.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plug-in of another number is refused. It changes with what is in this header and in <penstock/core/actor.h>. */
#define PSTK_PLUGIN_ABI 1

/* What a builder is asked for. */
struct pstk_plugin_call {
	struct pstk_network *network;
	const char *name; /* of the actor */
	const void *
		arg; /* made from the parameters that the graph gives; valid until the network is destroyed */
	/* The network will not run: nothing is to be opened, no file is needed. */
	bool dry;
	/* What close() will get. NULL at first. */
	void *object;
};

/* An actor type, by the name that type() says. */
struct pstk_plugin_type {
	const char *help; /* one line */
	/* Returns the type; valid for ever. Where there is a builder, only its name, its params and its arg_size are
	 * looked at. */
	const struct pstk_actor_type *(*type)(void);
	/*
	 * The builder of actors that more than their type is needed for: ports that depend on parameters, a file to be
	 * opened. It adds one actor to call->network and returns it. NULL: the network has the problem
	 * (pstk_network_refuse()). Context: BUILD. May be NULL: then pstk_network_add() adds the type.
	 */
	struct pstk_actor *(*add)(struct pstk_plugin_call *call);
	/* Frees what add() has left in call->object, also when add() has failed; once the network is destroyed. May be
	 * NULL. */
	void (*close)(void *object);
};

struct pstk_plugin {
	uint32_t abi;     /* PSTK_PLUGIN_ABI */
	const char *name; /* of the plug-in, for messages and lists */
	const struct pstk_plugin_type *types;
	unsigned type_count;
};

/* Defines the symbol. C only; C++ defines `extern "C" const struct pstk_plugin pstk_plugin` itself. */
#define PSTK_PLUGIN(...)                                         \
	PSTK_PUBLIC extern const struct pstk_plugin pstk_plugin; \
	const struct pstk_plugin pstk_plugin = { .abi = PSTK_PLUGIN_ABI, __VA_ARGS__ }

#ifdef __cplusplus
}
#endif

#endif
