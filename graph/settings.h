/* SPDX-License-Identifier: MIT */
/* Settings: the sections `mapping` and `run`: where actors run, and how. */
#ifndef PENSTOCK_GRAPH_SETTINGS_H
#define PENSTOCK_GRAPH_SETTINGS_H

#include "graph/graph.h"

/* places: "actor=selector", instead of what the graph says; ends with NULL, or NULL. */
void ps_settings_map(struct pstk_graph *, const char *const *places);
void ps_settings_run(struct pstk_graph *);

/* Where the program says that an actor is, in a list of "actor=place"; NULL: it doesn't. */
const char *ps_settings_place(const char *const *places, const char *actor);

#endif
