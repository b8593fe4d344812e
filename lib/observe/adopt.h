/* SPDX-License-Identifier: MIT */
/*
 * Adopt: one process says the figures of all. Behind the run each other process packs what it has counted, and rank 0
 * takes it (lib/model/adopted.h). The bytes are of this program and version: the processes have compared that.
 */
#ifndef PENSTOCK_ADOPT_H
#define PENSTOCK_ADOPT_H

#include "lib/base/bytes.h"
#include "lib/model/network.h"

struct ps_remote;

/* wait(), before the calls below, of a network that ran over hosts. Notes what the channels of this process have sent.
 * -ENOMEM. */
int ps_adopt_sent(struct pstk_network *, uint32_t rank, const struct ps_remote *);

/* wait(), when no thread fires any more. The figures of what this process has run; of a network that didn't run over
 * hosts those of all. -ENOMEM. */
int ps_adopt_pack(const struct pstk_network *, struct ps_bytes *);

/* wait(), of rank 0. What the process of that host has packed. ahead: ns by which its clock is ahead of this one's.
 *   -EPROTO: it makes no sense: part of it may have been taken
 *   -ENOMEM */
int ps_adopt_take(struct pstk_network *, unsigned host, int64_t ahead, const void *bytes, size_t size);

/* destroy() */
void ps_adopt_free(struct pstk_network *);

#endif
