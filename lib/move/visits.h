/* SPDX-License-Identifier: MIT */
/*
 * Visits: firings of actors at other hosts than their own (lib/firing/visit.h has one firing's two letters).
 *
 * An actor's windows stay at its own host, wherever it fires: its thread there takes them, asks the other host, waits
 * for the answer, and publishes. So a move to another host is a change of place as any other: nothing but the place
 * changes. The state goes along with the first firing there, and comes back with each.
 *
 *	own host: the actor's thread          the other host: a thread for each actor that may visit it
 *	question -->                          waits for a question; fire(); <-- answer
 *
 * The other host calls init() and finish() of the actor, too. Its thread answers always, if only that nothing was fired
 * because its network is over; then the one that asks waits until it is over there, too.
 */
#ifndef PENSTOCK_VISITS_H
#define PENSTOCK_VISITS_H

#include "lib/firing/task.h"
#include "lib/remote/remote.h"

/* start(), before the parts of hosts are taken. Which actors may visit which host, and what goes there. A negative
 * errno: the network has failed. */
int ps_visits_note(struct pstk_network *);

/* start(), when the network has its memory. Makes the letters. A negative errno: the network has failed. */
int ps_visits_prepare(struct pstk_network *, struct ps_remote *);

/* start(), behind init(): begins the threads. A negative errno: the network has failed. */
int ps_visits_begin(struct pstk_network *);

/* ps_remote_calls.letter() */
void ps_visits_letter(void *of_letters);

/* The actor's thread, as fire(). */
int ps_visits_fire(struct pstk_firing *);

/* Any thread: the network is over. Those that wait for an answer look. */
void ps_visits_wake(struct pstk_network *);

/* Before commands are waited for, and finish(): from here on nothing is fired here for another host. Has it been? */
bool ps_visits_close(struct pstk_network *);

/* When the remote thread has ended: ends the threads. */
void ps_visits_end(struct pstk_network *);

/* destroy() */
void ps_visits_free(struct pstk_network *);

#endif
