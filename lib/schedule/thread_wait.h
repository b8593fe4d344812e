/* SPDX-License-Identifier: MIT */
/*
 * Thread wait: an actor's own thread waits at one of its ports.
 *
 * To sleep and be woken takes about 20 us, most of it on the waiter's side. So a thread first looks again for about as
 * long (it spins), but only where no other thread needs its core: when there are no more threads than cores, and no
 * device. Where threads share cores, most wake-ups of light actors are saved by depth: a waiter is patient (fifo.h)
 * where the other side's firings are short and several windows are between them.
 */
#ifndef PENSTOCK_THREAD_WAIT_H
#define PENSTOCK_THREAD_WAIT_H

#include "lib/model/network.h"

/* start(), when all is known about its threads: may they spin? */
void ps_thread_wait_prepare(struct pstk_network *);

/* Owner thread. ps_fifo_wait(), counted for the port; returns the nanoseconds. */
uint64_t ps_thread_wait(struct ps_task *, unsigned port, struct ps_fifo_end *);

/* Owner thread, or the one with the claim. Waits until the actor's backend may have room. */
void ps_thread_wait_room(struct ps_task *);

/* As ps_firing_take(), after it has said WAIT: since when the actor waits at this end. */
void ps_thread_wait_note(struct ps_task *, const struct ps_fifo_end *);

#endif
