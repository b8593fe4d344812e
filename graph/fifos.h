/* SPDX-License-Identifier: MIT */
/* FIFOs: what the section `fifos` says, as links of the graph and connections of the network. */
#ifndef PENSTOCK_GRAPH_FIFOS_H
#define PENSTOCK_GRAPH_FIFOS_H

#include "graph/graph.h"

/* Finds the actors of all of them, before these are added: g->links, in the order of the files. */
void ps_fifos_read(struct pstk_graph *);

/* What a FIFO says; NULL: nothing. */
const struct ps_node *ps_fifo_key(const struct ps_link *, const char *key);

/* Connects one whose ports are there. spec: what is known of it besides the file. */
void ps_fifo_connect(struct pstk_graph *, const struct ps_link *, struct pstk_fifo_spec *spec);

/* Is each port named by one, of all actors that could be added? Behind ps_fifos_connect(). */
void ps_fifos_check_ports(struct pstk_graph *);

/* Connects all of them. Those between actors that could not be added are passed over. */
void ps_fifos_connect(struct pstk_graph *);

#endif
