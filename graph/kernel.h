/* SPDX-License-Identifier: MIT */
/* Kernel: actors that a graph file defines by an OpenCL kernel, without any C. */
#ifndef PENSTOCK_GRAPH_KERNEL_H
#define PENSTOCK_GRAPH_KERNEL_H

#include "graph/graph.h"

/* Adds it. settled: the sizes of its frames are known; else it is only looked at. NULL: it has problems, which are
 * told. */
struct pstk_actor *ps_kernel_add(struct pstk_graph *, const struct ps_entry *actor, bool settled);

#endif
