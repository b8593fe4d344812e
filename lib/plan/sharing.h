/* SPDX-License-Identifier: MIT */
/* Sharing: which readers of a broadcast on the cores use one buffer. (On devices: placement.h.) */
#ifndef PENSTOCK_SHARING_H
#define PENSTOCK_SHARING_H

#include "lib/model/network.h"

/* start(), before any memory is taken: who shares whose memory, from then on for good. */
void ps_sharing_decide(struct pstk_network *);

/* Any time. Does the FIFO's reader use the memory of another one, on the cores or on a device? */
bool ps_sharing_shared(const struct pstk_fifo *);

/* Any time. Bytes of all FIFOs by the layout rule, what is shared once. SIZE_MAX: more than there can be. */
size_t ps_sharing_bytes(const struct pstk_network *);

#endif
