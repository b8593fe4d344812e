/* SPDX-License-Identifier: MIT */
/* Order: which actor is added next. It is that of the files, but actors that must know a format come behind those that
 * bring it. */
#ifndef PENSTOCK_GRAPH_ORDER_H
#define PENSTOCK_GRAPH_ORDER_H

#include "graph/graph.h"

struct ps_order {
	struct ps_entry *rest;                 /* of the section: nothing behind it was looked at */
	struct ps_entry *ready, **ready_end;   /* they were passed by, and nothing is missing any more */
	struct ps_entry *partly, **partly_end; /* of one input at least the format is known */
	struct ps_entry *stuck;                /* of the section: nothing in front of it is left */
};

void ps_order_begin(struct ps_order *, struct pstk_graph *);

/* The next one, which is taken for added then; NULL: that was all. In a cycle an actor is next of which not all inputs
 * are known. */
struct ps_entry *ps_order_next(struct ps_order *);

/* It was added, or could not be. */
void ps_order_added(struct ps_order *, const struct ps_entry *);

#endif
