/* SPDX-License-Identifier: MIT */
/*
 * Parts: a network of which only the actors of one host run in this process. Each process builds the whole network, so
 * that it is checked, planned and analysed as a whole. Then start() takes the part of this host:
 *
 *   between two actors of other hosts   the FIFO is elsewhere: in no list, without memory
 *   from here to another host           one FIFO of the output for each host, the others are elsewhere. It has the
 *                                       writer's rate at both ends, and the windows of this host's place. Delay
 *                                       tokens, history and tail are the reader's host's. Its reader's end is away
 *   from another host to here           as it was built; readers share memory as usual. Its writer's end is away
 *   over here, between two others       as from here: one FIFO of the output for each host that is next on a way. Both
 *                                       of its ends are away. It may share memory with readers that are here
 *
 * Windows go from host to host, by the FIFO's way (ways.h): "from" and "to" are the hosts before and behind this one.
 * The FIFO that carries an output's windows to a host is the first of that output that leads there, or over it. So it
 * has the same index at both hosts, which names the channel: where windows come to it is the first one of the output.
 *
 * An actor that is away has no init(), no thread, no device and no state (schedule/away.h).
 */
#ifndef PENSTOCK_PARTS_H
#define PENSTOCK_PARTS_H

#include "lib/model/network.h"

/* BUILD, before a plan is applied. Which host this process is; the number of one in the machine. -EBUSY. */
int ps_parts_set_host(struct pstk_network *, unsigned host);

/* BUILD. Which host runs the actor: 0 if nothing else is said. -EBUSY. */
int ps_parts_place(struct pstk_actor *, unsigned host);

/* start(), when the whole was analysed and its sources are marked. -EOVERFLOW: the network has failed. */
int ps_parts_take(struct pstk_network *);

/* After that: windows that the owner of the away end may have started at once, those of the end's own place. Behind it
 * there may be others, on the way to a device, for which the counters let a writer's end go on. */
uint32_t ps_parts_windows(const struct pstk_fifo *);

#endif
