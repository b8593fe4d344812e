/* SPDX-License-Identifier: MIT */
/* Graph: the network as actors and arrows, without what flows. */
#ifndef PENSTOCK_GRAPH_H
#define PENSTOCK_GRAPH_H

#include "lib/model/network.h"

/* Does this FIFO count? */
typedef bool ps_graph_filter(const void *data, const struct pstk_fifo *);

/* A search for strongly connected parts: its memory, used again for each, and its result. One thread. */
struct ps_graph {
	const struct pstk_network *net;
	unsigned *component; /* the strongly connected part of each actor that was searched, from 0 */
	unsigned count;      /* how many parts */

	/* inside */
	ps_graph_filter *filter;
	const void *data;
	unsigned *numbers;      /* the arrays that follow */
	unsigned *order, *low;  /* Tarjan's index and lowlink */
	unsigned *open, opened; /* the stack of actors whose component is not known yet */
	struct ps_graph_step *path;
	unsigned depth, seen;
};

/* -ENOMEM; the end is to be called in any case. */
int ps_graph_init(struct ps_graph *, const struct pstk_network *);
void ps_graph_fini(struct ps_graph *);

/* Numbers the strongly connected parts that `count` actors (their indices; NULL: all) have by the FIFOs
 * that count, which lead from one of these actors to another. filter NULL: every FIFO counts. Linear
 * in their ports and FIFOs. */
void ps_graph_search(
	struct ps_graph *, const unsigned *actors, unsigned count, ps_graph_filter *filter, const void *data);

/* After a search: does this FIFO count, and lie on a cycle of FIFOs that do? */
bool ps_graph_on_cycle(const struct ps_graph *, const struct pstk_fifo *);

/* After a search: a shortest cycle over a FIFO that lies on one, beginning with it; its length. The
 * result of the search stays. cycle[] has room for as many FIFOs as there are actors. */
unsigned ps_graph_cycle(struct ps_graph *, const struct pstk_fifo *, const struct pstk_fifo **cycle);

/* Numbers the strongly connected parts: component[i] is that of actor i; *count: how many. -ENOMEM. */
int ps_graph_components(const struct pstk_network *, unsigned *component, unsigned *count);

/* Sets each actor's is_source: no input comes from outside of its strongly connected part. -ENOMEM. */
int ps_graph_mark_sources(struct pstk_network *);

#endif
