/* SPDX-License-Identifier: MIT */
/* Settings: the sections `mapping` and `run`: where actors run, and how. */
#ifndef PENSTOCK_GRAPH_SETTINGS_H
#define PENSTOCK_GRAPH_SETTINGS_H

#include "graph/graph.h"

/* places: "actor=selector", instead of what the graph says; ends with NULL, or NULL. */
void ps_settings_map(struct pstk_graph *, const char *const *places);
void ps_settings_run(struct pstk_graph *);

/* Tells the library of a place of an actor, a selector or cores. a: NULL: it could not be added. at: where it is said;
 * NULL: not in a file. */
typedef int ps_settings_call(struct pstk_actor *, const char *device);
void ps_settings_give_place(struct pstk_graph *, struct pstk_actor *a, ps_settings_call *,
	const char *selector, const struct ps_node *at);

/* Says at a place that there is no such device, or several: err is -ENODEV or -ENOTUNIQ. */
void ps_settings_no_device(
	struct pstk_graph *, const struct ps_node *at, int err, const char *text, const char *selector);

/* Where the program says that an actor is, in a list of "actor=place"; NULL: it doesn't. */
const char *ps_settings_place(const char *const *places, const char *actor);

#endif
