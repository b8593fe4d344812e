/* SPDX-License-Identifier: MIT */
/* Write actor: an actor of the network as an entry of `actors`. */
#ifndef PENSTOCK_GRAPH_WRITE_ACTOR_H
#define PENSTOCK_GRAPH_WRITE_ACTOR_H

#include "graph/writer.h"
#include "penstock/penstock.h"

/* n: what the file said of it. holder: has the values of its parameters: the actor itself, or what held its builder's
 * argument. */
void ps_write_actor(struct ps_writer *, const struct ps_node *n, const struct pstk_actor *,
	const struct pstk_actor *holder);

#endif
