/* SPDX-License-Identifier: MIT */
/*
 * Firing: the steps of one firing of one actor, none of which blocks: take all windows or none, fire,
 * publish. Who runs them, and waits in between, is not known here (thread.c; later a team).
 */
#ifndef PENSTOCK_FIRING_H
#define PENSTOCK_FIRING_H

#include "lib/network.h"

enum ps_firing_state {
	PS_FIRING_WAIT,  /* a window is missing */
	PS_FIRING_READY, /* all windows are taken */
	PS_FIRING_ENDED  /* the actor will not fire again */
};

/* start(). Prepares an actor's firing. -ENOMEM. */
int ps_firing_init(struct pstk_actor *);

/* Takes the windows of all ports, or none. WAIT: *port is the first port without a window, *end its FIFO's
 * end; *end NULL: the actor has too many firings in flight on its device. */
enum ps_firing_state ps_firing_take(struct pstk_firing *, struct ps_fifo_end **end, unsigned *port);

/* Calls fire() and publishes. false: the actor has ended. */
bool ps_firing_run(struct pstk_firing *);

/* Owner thread. As ps_fifo_*_peek(); FAILED fails the network and becomes ENDED. */
enum ps_fifo_state ps_firing_peek(struct pstk_fifo *, bool writer);

/* The actor has ended: gives back what it holds, closes its ports, tells its neighbours. */
void ps_firing_close(struct pstk_firing *);

/* Publishes the window of an output to all its readers; frees that of an input. Host actors. */
void ps_firing_publish(struct pstk_firing *, unsigned port);
void ps_firing_release(struct pstk_firing *, unsigned port);

/* Will this actor never fire again, whatever comes? (failed, aborted, stopped as a source, nobody reads it)
 */
bool ps_firing_over(const struct pstk_actor *);

/* Keeps the first wrong call that fire() makes; the network fails with it when fire() returns. */
void ps_firing_misuse(struct pstk_firing *, const char *format, ...) PSTK_PRINTF(2, 3);

/* The FIFO of an output to write into: the first that has a reader. */
struct pstk_fifo *ps_firing_primary(const struct ps_port *);

/* After windows of this port were published or freed: fires the neighbours that are launched (launch.h). */
void ps_firing_help(struct pstk_actor *, unsigned port);

/* Any thread, no lock held. Makes the actor look at its ports again if it waits. */
void ps_actor_nudge(struct pstk_actor *);

#endif
