/* SPDX-License-Identifier: MIT */
/*
 * Quick: a whole firing in one go, of a task whose windows need nothing but counters. Such a task is polled and fires
 * one after the other on the host. Its FIFOs are plain memory with one reader each, whose other ends are polled, too.
 * Nothing but counts is kept of its windows. This does what ps_firing_take() and ps_firing_run() do, in fewer
 * steps; whatever is not quite usual is left to them, and all that follows when a neighbour has ended. So are large
 * windows (ps_fifo_keep_warm()): beside what is done with them the steps don't count (doc/internals/speed.md).
 */
#ifndef PENSTOCK_QUICK_H
#define PENSTOCK_QUICK_H

#include "lib/firing/task.h"

enum ps_quick {
	PS_QUICK_FIRED,
	PS_QUICK_OVER,  /* it has fired, and will not fire again */
	PS_QUICK_WAITS, /* a window is missing; nothing was taken */
	PS_QUICK_UNSURE /* not fired; ps_firing_take() tells */
};

/* start(), when each actor has its runner, and what is followed is settled: is it quick? */
void ps_quick_settle(struct ps_task *);

/* The taker of a task that is quick. Takes all windows or none, fires, publishes; and again while its firings are
 * short and no thread waits at the eventcount (NULL: none may), until *fired, which it counts, is `most`. */
enum ps_quick ps_quick_fire(struct ps_task *, struct ps_eventcount *, unsigned most, unsigned *fired);

#endif
