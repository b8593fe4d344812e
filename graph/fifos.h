/* SPDX-License-Identifier: MIT */
/* FIFOs: what the section `fifos` says, as connections of the network. */
#ifndef PENSTOCK_GRAPH_FIFOS_H
#define PENSTOCK_GRAPH_FIFOS_H

#include "graph/graph.h"

/* Connects all of them. Those between actors that could not be added are passed over. */
void ps_fifos_connect(struct pstk_graph *);

#endif
