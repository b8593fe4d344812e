/* SPDX-License-Identifier: MIT */
/*
 * Mover: a thread of a network that moves windows on between devices of two contexts (RELAYED). Commands of one context
 * can't wait for those of another. So the mover is notified when a transfer is through, and enqueues the ones that have
 * waited for it (cl_way.h). It calls no code of users, and blocks in nothing else.
 */
#ifndef PENSTOCK_CL_MOVER_H
#define PENSTOCK_CL_MOVER_H

#include "lib/base/eventcount.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ps_cl_fifo;

struct ps_cl_mover {
	struct ps_eventcount *eventcount; /* NULL: it has no FIFOs */
	struct ps_cl_fifo **fifos;        /* constant while the thread runs */
	unsigned count;
	pthread_t thread;
	bool runs; /* start() and wait() */
	atomic_bool ends;
};

/* start(). Adds a FIFO, before begin(). -ENOMEM. */
int ps_cl_mover_add(struct ps_cl_mover *, struct ps_cl_fifo *);

/* start(). Begins the thread, if there are FIFOs. -EAGAIN: the system has no thread left. */
int ps_cl_mover_begin(struct ps_cl_mover *);

/* When no actor runs any more, or start() has failed: ends the thread. Again does nothing. free: also gives back what
 * it has. */
void ps_cl_mover_end(struct ps_cl_mover *);
void ps_cl_mover_free(struct ps_cl_mover *);

#endif
