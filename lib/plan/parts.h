/* SPDX-License-Identifier: MIT */
/*
 * Parts: a network of which only the actors of one host run in this process. Each process builds the whole network, so
 * that it is checked, planned and analysed as a whole. Then start() takes the part of this host:
 *
 *   between two actors of another host      the FIFO is elsewhere: in no list, without memory
 *   from here to another host               one FIFO of the output for each host; the others to that host are elsewhere.
 *                                           It has the writer's rate at both ends and the windows of this host's place;
 *                                           delay tokens, history and tail are the reader's host's. Its reader's end is
 *                                           away
 *   from another host to here               each as it was built; readers share memory as usual. Its writer's end is
 *                                           away
 *
 * An actor that is away has no init(), no thread, no device and no state (schedule/away.h).
 */
#ifndef PENSTOCK_PARTS_H
#define PENSTOCK_PARTS_H

#include "lib/model/network.h"

/* BUILD. Which host this process is; the number of one in the machine. -EBUSY. */
int ps_parts_set_host(struct pstk_network *, unsigned host);

/* BUILD. Which host runs the actor: 0 if nothing else is said. -EBUSY. */
int ps_parts_place(struct pstk_actor *, unsigned host);

/* start(), when the whole was analysed and its sources are marked. -EOVERFLOW: the network has failed. */
int ps_parts_take(struct pstk_network *);

/* After that: windows that the owner of the away end may have started at once, those of the end's own place. The counters
 * alone let a writer's go on where windows go to a device, and there are more places behind the first. */
uint32_t ps_parts_windows(const struct pstk_fifo *);

#endif
