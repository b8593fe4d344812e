/* SPDX-License-Identifier: MIT */
/* Crash: says which actor a fault happened in, then lets the signal do what it did before. */
#ifndef PENSTOCK_CRASH_H
#define PENSTOCK_CRASH_H

#include "lib/model/network.h"

#include <signal.h>

/* For the process, while at least one network handles signals. The caller keeps the two apart by a lock. */
void ps_crash_install(void);
void ps_crash_restore(void);

/* Takes the signals that a fault in an actor raises out of a set. */
void ps_crash_remove_faults(sigset_t *);

/* start(). *stack: one for the handler, so that it can also report a stack that is full; NULL: not handled. -ENOMEM. */
int ps_crash_prepare(struct pstk_network *, void **stack);

/* The thread that runs callbacks, first and last; NULL: nothing is done. */
void ps_crash_thread_begin(void *stack);
void ps_crash_thread_end(void *stack);

#endif
