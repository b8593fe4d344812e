/* SPDX-License-Identifier: MIT */
/* Wait: an actor's thread waits at one of its ports. */
#ifndef PENSTOCK_WAIT_H
#define PENSTOCK_WAIT_H

#include "lib/network.h"

/* Owner thread. ps_fifo_wait(), counted for the port; returns the nanoseconds. */
uint64_t ps_wait(struct pstk_actor *, unsigned port, struct ps_fifo_end *);

/* As ps_firing_take(), after it has said WAIT: since when the actor waits at this end. */
void ps_wait_note(struct pstk_actor *, const struct ps_fifo_end *);

#endif
