/* SPDX-License-Identifier: MIT */
/* Signal: what pstk_network_handle_signals() installs. */
#ifndef PENSTOCK_SIGNAL_H
#define PENSTOCK_SIGNAL_H

#include "lib/model/network.h"

#include <signal.h>

/* Takes the signals that a fault in an actor raises out of a set. */
void ps_signal_remove_faults(sigset_t *);

/* start(). *stack: one for the crash handler, so that it can also report a stack that is full; NULL: not handled. -ENOMEM. */
int ps_signal_prepare(struct pstk_network *, void **stack);

/* The thread that runs callbacks, first and last; NULL: nothing is done. */
void ps_signal_thread_begin(void *stack);
void ps_signal_thread_end(void *stack);

/* destroy(). This network's signals are no longer handled. */
void ps_signal_forget(struct pstk_network *);

#endif
