/* SPDX-License-Identifier: MIT */
/* Moves: where actors may move, and the section `moves`: when they do. */
#ifndef PENSTOCK_GRAPH_MOVES_H
#define PENSTOCK_GRAPH_MOVES_H

#include "graph/graph.h"

/* Once all actors are mapped. */
void ps_moves_read(struct pstk_graph *);

/* Behind the plan, where several hosts run the network: what ps_moves_read() has kept until then. */
void ps_moves_apply(
	struct pstk_graph *, bool (*skips)(const void *data, const struct pstk_actor *), const void *data);

#endif
