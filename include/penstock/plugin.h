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

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plug-in of another number is refused. It changes with what is in this header and in <penstock/core/actor.h>. */
#define PSTK_PLUGIN_ABI 1

struct pstk_video_input;

/*
 * The format of tokens that are frames. It travels along FIFOs, so that a graph says a size once: what the outputs of
 * an actor give is what the inputs get that they are connected to.
 */
struct pstk_plugin_format {
	const char *pixels;     /* "gray8": a byte each, row after row without padding; NULL: not known */
	uint32_t width, height; /* pixels; 0: not known */
	uint32_t rate_num, rate_den; /* frames per second, as a fraction; 0: not known */
	/* The input (<penstock/media.h>) that these are the frames of: frame n here was made of its frame n. NULL:
	 * there is none, or this is not so. */
	struct pstk_video_input *times;
};

/* What a builder is asked for. */
struct pstk_plugin_call {
	struct pstk_network *network;
	const char *name; /* of the actor */
	const void *
		arg; /* made from the parameters that the graph gives; valid until the network is destroyed */
	/* What the inputs get. Unless add() says something else here, the outputs give the same. Only of a type with a
	 * format. */
	struct pstk_plugin_format format;
	/* The network will not run. An input need not be there, and is looked at if it is a regular file; of an output
	 * it is looked at whether it can be opened, and none is made. */
	bool dry;
	/* The files that the actor reads and writes, valid until close(); "-": stdin, stdout. NULL, as at first: none.
	 * Two actors of a graph that write one file are refused, and one that writes what another one reads. */
	const char *reads, *writes;
	/* Another file that it reads. Both files of a SigMF recording are known by the name of one. */
	const char *reads_too;
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
	/*
	 * NULL: tokens are no frames.
	 * "gray8": inputs and outputs are such frames, all of one size. A graph need not give the parameters `width`
	 * and `height` (u32) of such a type: they get the size that comes in. A port whose token_type is not u8 has
	 * tokens of as many of these elements, as a map of floats.
	 * "any": tokens may be frames; the outputs give what the inputs get, though not one frame for each.
	 */
	const char *format;
	/* An input that a chain ("a ! b", <penstock/graph.h>) connects to the same output as the first input, one token
	 * later. NULL: none. */
	const char *before;
	/* Parameters as in a chain, "p=3 q=2", of an actor that can be built without any file: `penstock actors` shows
	 * its ports. Only with a builder; NULL: the defaults will do. */
	const char *example;
};

/* Does an actor of this type get the size that comes in as this parameter, where the graph does not give it? */
static inline bool pstk_plugin_fills(const struct pstk_plugin_type *type, const struct pstk_param *param)
{
	return type->format && !strcmp(param->type, "u32") &&
	       (!strcmp(param->name, "width") || !strcmp(param->name, "height"));
}

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
