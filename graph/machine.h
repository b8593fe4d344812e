/* SPDX-License-Identifier: MIT */
/* Machine: the sections `machine` and `times`: what a plan is made of. */
#ifndef PENSTOCK_GRAPH_MACHINE_H
#define PENSTOCK_GRAPH_MACHINE_H

#include "graph/graph.h"

/* Makes g->machine of what the files say; it stays NULL if they say nothing. */
void ps_machine_read(struct pstk_graph *);

/* Says the times of actors, which are added, and notes which stay where they are. */
void ps_machine_time(struct pstk_graph *);
void ps_machine_fix(struct pstk_graph *);

/* Puts an actor at a place; with a machine only. at: where it is said; NULL: not in a file. a: NULL: it could not be
 * added. */
void ps_machine_place(struct pstk_graph *, struct pstk_actor *a, const char *name, const char *place,
	const struct ps_node *at);

/* Where an actor that is added may move, as the library's calls have it: a selector, or cores; of several hosts the
 * name of the place. With a machine only. at: where it is said. NULL: nowhere, a problem. */
const char *ps_machine_selector(struct pstk_graph *, const struct pstk_actor *a, const char *name,
	const char *place, const struct ps_node *at);

/* The selector of the device of a place, or cores, for a pipeline whose stages are where this actor is, which is added.
 * With a machine only. at: where it is said. NULL: it has none, a problem. */
const char *ps_machine_device(struct pstk_graph *, const struct pstk_actor *a, const char *pipeline,
	const char *place, const struct ps_node *at);

/* Is an actor at another host than the process? Before the machine is read, too. */
bool ps_machine_is_away(const struct pstk_graph *, const char *actor);

#endif
