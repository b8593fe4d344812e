/* SPDX-License-Identifier: MIT */
/* Settings: the sections `mapping` and `run`: where actors run, and how. */
#ifndef PENSTOCK_GRAPH_SETTINGS_H
#define PENSTOCK_GRAPH_SETTINGS_H

#include "graph/graph.h"

void ps_settings_map(struct pstk_graph *);
void ps_settings_run(struct pstk_graph *);

#endif
