/* SPDX-License-Identifier: MIT */
/* Depth: how many windows a FIFO holds if the program gives it no depth. */
#ifndef PENSTOCK_DEPTH_H
#define PENSTOCK_DEPTH_H

#include "lib/model/network.h"

/* The depth without PSTK_DEPTH_AUTO, under a team of so many threads (0: a thread per actor). */
uint32_t ps_depth_default(unsigned threads);

/* Checks that every such FIFO has a layout under a team of so many threads. BUILD. -EOVERFLOW: *which has none. */
int ps_depth_fits(const struct pstk_network *, unsigned threads, const struct pstk_fifo **which);

/* Give these FIFOs the default depth, or the one that they will run with. With net->lock held. */
void ps_depth_reset(struct pstk_network *);
void ps_depth_decide(struct pstk_network *);

/* With PSTK_DEPTH_AUTO, when depths are settled: what FIFOs have got that were built without one. */
uint32_t ps_depth_auto(const struct pstk_network *);

/* With PSTK_DEPTH_AUTO: the bytes that all FIFOs together may take. */
size_t ps_depth_budget(const struct pstk_network *);

#endif
