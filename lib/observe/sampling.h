/* SPDX-License-Identifier: MIT */
/*
 * Sampling: what each actor was seen doing, and each FIFO seen holding, when the watcher looked. A look is a snapshot
 * that is counted: it says where actors of a team wait, too, which no thread could measure.
 */
#ifndef PENSTOCK_SAMPLING_H
#define PENSTOCK_SAMPLING_H

#include "lib/observe/snapshot.h"

/* Looks that saw .. */
struct ps_actor_samples {
	_Atomic uint64_t fires;      /* it in fire() */
	_Atomic uint64_t may_fire;   /* it waiting for a thread of the team */
	_Atomic uint64_t for_core;   /* its own thread not yet awake, though nothing is missing any more */
	_Atomic uint64_t runs;       /* its device at one of its firings */
	_Atomic uint64_t for_device; /* it waiting for a window that a device has, or for its own commands */
	_Atomic uint64_t *waits;     /* it waiting at a port for tokens or room; one a port */
};

struct ps_fifo_samples {
	_Atomic uint64_t full, empty; /* no room for a window; no whole window */
	_Atomic uint64_t fill;        /* tokens, summed up */
};

/* Changed by the watcher, but for .. */
struct ps_sampling {
	uint64_t asked;                /* .. this: BUILD */
	uint64_t period;               /* constant after start */
	uint64_t next;                 /* look */
	_Atomic uint64_t began, ended; /* the clock; ended: 0: not yet */
	_Atomic uint64_t looks;
	struct ps_actor_samples *actors; /* NULL: it is not asked for */
	struct ps_fifo_samples *fifos;
};

/* start(): its memory, if it was asked for. -ENOMEM. */
int ps_sampling_prepare(struct pstk_network *);

/* destroy() */
void ps_sampling_free(struct pstk_network *);

/* start(), before the threads; the watcher: it looks if it is time to, and returns when the next look is, UINT64_MAX:
 * never; it ends. */
void ps_sampling_begin(struct pstk_network *);
uint64_t ps_sampling_look(struct pstk_network *, uint64_t now);
void ps_sampling_end(struct pstk_network *);

#endif
