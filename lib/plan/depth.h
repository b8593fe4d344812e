/* SPDX-License-Identifier: MIT */
/* Depth: how many windows a FIFO holds whose depth nobody has given. */
#ifndef PENSTOCK_DEPTH_H
#define PENSTOCK_DEPTH_H

#include "lib/model/network.h"

/* Without PSTK_DEPTH_AUTO, under a team of so many threads (0: a thread per actor). */
uint32_t ps_depth_default(unsigned threads);

/* BUILD. Has every such FIFO a layout under a team of so many threads? -EOVERFLOW: *which has not. */
int ps_depth_fits(const struct pstk_network *, unsigned threads, const struct pstk_fifo **which);

/* Any time. Gives these FIFOs the depth that they will run with, if something was built since the last
 * time; before anybody looks at a depth. */
void ps_depth_settle(const struct pstk_network *);

/* With PSTK_DEPTH_AUTO: the bytes that all FIFOs together may take. */
size_t ps_depth_budget(const struct pstk_network *);

#endif
