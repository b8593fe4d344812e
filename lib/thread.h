/* SPDX-License-Identifier: MIT */
/* Thread: one actor on a thread of its own, which waits at its ports. */
#ifndef PENSTOCK_THREAD_H
#define PENSTOCK_THREAD_H

#include "lib/network.h"

/* Creates the actor's thread; it stays at the network's gate. A negative errno: the network has failed with a
 * message. */
int ps_thread_create(struct pstk_actor *);

#endif
