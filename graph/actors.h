/* SPDX-License-Identifier: MIT */
/* Actors: what the section `actors` says, as actors of the network. */
#ifndef PENSTOCK_GRAPH_ACTORS_H
#define PENSTOCK_GRAPH_ACTORS_H

#include "graph/graph.h"

/* Adds all of them. Those that can't be added are problems, and have no actor. */
void ps_actors_add(struct pstk_graph *);

/* Does a graph give an actor this parameter? */
bool ps_actor_gives(const struct ps_node *actor, const char *name);

/* Adds what the file says of an actor, or of something else, to what hosts compare. */
void ps_actors_compare(struct pstk_graph *, const char *what, const struct ps_node *);

/* Turns what the network has found wrong since the last call into problems at this node. meant: what may have been
 * meant; NULL: nothing. */
void ps_actors_blame(struct pstk_graph *, const struct ps_node *);
void ps_actors_blame_hint(struct pstk_graph *, const struct ps_node *, const char *meant);

#endif
