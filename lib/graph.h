/* SPDX-License-Identifier: MIT */
/* Graph: the network as actors and arrows, without what flows. */
#ifndef PENSTOCK_GRAPH_H
#define PENSTOCK_GRAPH_H

#include "lib/network.h"

/* Numbers the strongly connected parts: component[i] is that of actor i; *count: how many. (Tarjan,
 * Depth-first search and linear graph algorithms, 1972; without recursion.) -ENOMEM. */
int ps_graph_components(const struct pstk_network *, unsigned *component, unsigned *count);

/* Sets each actor's is_source: no input comes from outside of its strongly connected part. -ENOMEM. */
int ps_graph_mark_sources(struct pstk_network *);

#endif
