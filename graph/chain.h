/* SPDX-License-Identifier: MIT */
/* Chain: "type key=value .. ! type ..", one line in place of a graph file. */
#ifndef PENSTOCK_GRAPH_CHAIN_H
#define PENSTOCK_GRAPH_CHAIN_H

#include "graph/graph.h"

/* Longer ones are an error. */
enum { PS_CHAIN_BYTES = 64 << 10, PS_CHAIN_ACTORS = 1000 };

/* What stands for a file's name in the places of a chain. */
extern const char ps_chain_name[];

/* The tree that a graph file with the same network would give. NULL: it has problems. */
struct ps_node *ps_chain_read(struct pstk_graph *, const char *text);

/* The parameter `frames`, if it is given, is that of the first actor, whatever the chain says. */
void ps_chain_limit(struct pstk_graph *, const struct ps_node *root);

/* Does this end mean all ports of its actor? */
bool ps_chain_is_end(const struct ps_end *);

/* Connects an actor of a chain with the next one: outputs with inputs, in their order. */
void ps_chain_connect(struct pstk_graph *, const struct ps_link *);

#endif
