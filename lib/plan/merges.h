/* SPDX-License-Identifier: MIT */
/* Merges: which buffers on the cores share memory with those of other outputs. (On devices: placement.h.) */
#ifndef PENSTOCK_MERGES_H
#define PENSTOCK_MERGES_H

#include "lib/model/network.h"

/* Decides it for good, and drops what an old plan has said, for devices, too. start(), before any memory is taken, once
 * it is decided which readers use one buffer (sharing.h). -ENOMEM. */
int ps_merges_decide(struct pstk_network *);

/* Does this FIFO share memory with other outputs: as a plan has said, until that is decided? */
bool ps_merges_merged(const struct pstk_fifo *);

/* When no FIFO is left. */
void ps_merges_free(struct pstk_network *);

#endif
