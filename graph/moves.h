/* SPDX-License-Identifier: MIT */
/* Moves: where actors may move, and the section `moves`: when they do. */
#ifndef PENSTOCK_GRAPH_MOVES_H
#define PENSTOCK_GRAPH_MOVES_H

#include "graph/graph.h"

/* Once all actors are mapped. */
void ps_moves_read(struct pstk_graph *);

#endif
