/* SPDX-License-Identifier: MIT */
/*
 * Arrival: in which cycle an input had its first window. A plan counts cycles, in each of which every actor fires once
 * an iteration. A run has none: here the cycle is how many iterations a source is through with. If it keeps step, as in
 * the plan, these are the same.
 *
 *   1. A source's firing is about to be published: it counts as one that is through.
 *   2. The write that completes the first window of an input is there: the count is kept.
 *
 * In memory that both ends see, 2 is before the window is published. On a device, and behind a transfer, it is a
 * callback of the event after which the window is there (cl_event.h), or wait(), if that comes first. The source whose
 * firings count is the first one, in the order of the actors, from which a way leads to the FIFO's writer.
 *
 * A driver may call back after the network is gone, or, of what has failed, never. So what a callback touches is one
 * block, which is freed only when no callback is to come. Else it stays.
 */
#ifndef PENSTOCK_ARRIVAL_H
#define PENSTOCK_ARRIVAL_H

#include "lib/firing/task.h"
#include "penstock/plan.h"

/* Of a FIFO's input. */
struct ps_arrival {
	/* constant after start */
	struct ps_arrivals *of;
	unsigned source; /* the actor's index */
	uint64_t first;  /* the write that completes the first window */

	uint64_t writes;        /* in memory that both ends see, published; the writer's publisher */
	_Atomic uint64_t cycle; /* changed once; PSTK_NO_CYCLE: it has not come */
};

struct ps_arrivals {
	uint64_t *repetitions;     /* of each actor, in an iteration; constant after start */
	_Atomic uint64_t *through; /* by actor: a source's firings; changed by its publisher */
	struct ps_arrival *inputs; /* by FIFO */
	atomic_uint awaited;       /* callbacks that are to come */
	struct ps_arrivals *next;  /* of those that stay */
};

/* start(), with tasks. Takes the repetitions over. Makes net->arrivals, and those of FIFOs behind sources that have
 * firings. -ENOMEM. */
int ps_arrival_create(struct pstk_network *, uint64_t *repetitions);
void ps_arrival_free(struct pstk_network *);

/* The publisher, of a task with arrivals: it is about to publish what fire() has ended. Not of a kahn actor. */
void ps_arrival_publish(const struct pstk_firing *);

/* Any thread: the first window is there. */
void ps_arrival_came(struct ps_arrival *);

/* Around a callback that may come: from await to done the block stays. */
void ps_arrival_await(struct ps_arrival *);
void ps_arrival_done(struct ps_arrival *);

#endif
