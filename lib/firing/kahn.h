/* SPDX-License-Identifier: MIT */
/* Kahn: ports of actors that read and write when they like. The only part of a firing that blocks. */
#ifndef PENSTOCK_KAHN_H
#define PENSTOCK_KAHN_H

#include "lib/firing/task.h"

/* Waits for the port's next window and takes it. false: the stream has ended (or no reader wants more). */
bool ps_kahn_take(struct pstk_firing *, unsigned port);

/* Publishes or takes off the window that was just ended. */
void ps_kahn_end(struct pstk_firing *, unsigned port);

/* The actor ends: publishes windows that pstk_fifo_write() has partly filled. */
void ps_kahn_flush(struct pstk_firing *);

#endif
