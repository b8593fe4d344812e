/* SPDX-License-Identifier: MIT */
/* Sharing: which readers of a broadcast on the cores use one buffer. (On devices: placement.h.) */
#ifndef PENSTOCK_SHARING_H
#define PENSTOCK_SHARING_H

#include "lib/model/network.h"

/* Decides for good which reader uses whose memory. start(), before any memory is taken. */
void ps_sharing_decide(struct pstk_network *);

/* Does the FIFO's reader use the memory of another reader, on the cores or on a device? Any time. */
bool ps_sharing_shared(const struct pstk_fifo *);

/* The bytes of all FIFOs by the layout rule; shared memory counts once. SIZE_MAX: more than memory can have. Any
 * time. */
size_t ps_sharing_bytes(const struct pstk_network *);

#endif
