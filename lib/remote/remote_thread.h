/* SPDX-License-Identifier: MIT */
/*
 * The remote thread: looks at the transport and at its ends of FIFOs, round after round.
 *
 *	1. reads the eventcount                          the other side of a FIFO
 *	2. hears what has come (test())                  1. changes its counter
 *	3. sends and posts what may go                   2. notifies the eventcount
 *	4. says what is new, to each rank
 *	5. nothing has moved: sleeps, if the eventcount is still the same
 *
 * It spins for 20 microseconds after something has moved. Then it sleeps between the rounds: 20 microseconds, twice as
 * long each time until 100, and when nothing has moved for 100 ms until 2 ms. The transport wakes no thread, so what
 * comes is seen that late; what happens at the FIFOs wakes it at once.
 *
 * Only for the files of this folder.
 */
#ifndef PENSTOCK_REMOTE_THREAD_H
#define PENSTOCK_REMOTE_THREAD_H

#include "lib/remote/state.h"

/* Begins the thread. -EAGAIN: the system has none left. */
int ps_remote_thread_begin(struct ps_remote *);

#endif
