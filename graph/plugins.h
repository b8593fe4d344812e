/* SPDX-License-Identifier: MIT */
/* Plug-ins: the shared objects that are loaded, and their actor types by name. */
#ifndef PENSTOCK_GRAPH_PLUGINS_H
#define PENSTOCK_GRAPH_PLUGINS_H

#include "graph/graph.h"
#include "penstock/plugin.h"

/* Loads what is installed, what PENSTOCK_PLUGINS names and these files (ends with NULL; or NULL). Each that is not as
 * it should be becomes a problem. */
void ps_plugins_load(struct pstk_graph *, const char *const *files);

/* NULL: none has such a type; then that is a problem at the node. */
const struct pstk_plugin_type *ps_plugins_find(struct pstk_graph *, const struct ps_node *name);

/* Says once, behind all else, what to do about types that are like none. */
void ps_plugins_advise(struct pstk_graph *);

/* When all that they have made is gone. */
void ps_plugins_unload(struct pstk_graph *);

#endif
