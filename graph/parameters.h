/* SPDX-License-Identifier: MIT */
/* Parameters: a graph's own names for values, $name in all that it says. */
#ifndef PENSTOCK_GRAPH_PARAMETERS_H
#define PENSTOCK_GRAPH_PARAMETERS_H

#include "graph/graph.h"

/* Takes the parameters that a file's `parameters` names; those of an overlay replace others. */
void ps_parameters_read(struct pstk_graph *, const struct ps_node *section, bool overlay);

/* Replaces values: "name=value". Of a text NULL: nothing. */
void ps_parameters_set(struct pstk_graph *, const char *text);

/* Puts the values into all that is under a node: $name, ${name}; $$ is a dollar. */
void ps_parameters_expand(struct pstk_graph *, struct ps_node *);

/* The memory that the arena does not have. */
void ps_parameters_free(struct pstk_graph *);

#endif
