/* SPDX-License-Identifier: MIT */
/*
 * Detector: finds deadlocks while the network runs, exactly and at once.
 *
 * Every actor that waits says at which one FIFO end (actor.awaits), then looks whom it waits for: for room the FIFO's
 * reader, for tokens its writer, and whom that one waits for, without locks. Where nobody in that chain is running it
 * returns to an actor it has passed. Only then are the actors that wait held where they are, by the locks of the FIFOs
 * at which they wait (and the claims of launched ones), and all of them judged: those are in a deadlock that nothing
 * but another one of them could ever let go on. That is more than the cycle: an actor that waits may also end, because
 * an input that it needs ends, or because all readers of its outputs do; so the actors that could do this must be dead
 * too.
 *
 * A team's actors wait nowhere: its threads look whether they can be fired. So nobody follows a chain through them;
 * when nothing can be fired any more, the thread that finds this judges, and now and then one of those that are busy (a
 * part of the network may be dead). Its actors are held by their `taking` flag then, and what they would wait for is
 * looked up. An actor with a thread of its own that waits for one of them leaves the verdict to the team, too: what is
 * said of theirs is said for as long as somebody judges, and he may have looked already.
 *
 * Exact. No false alarm: what is judged can't change meanwhile, and each of the ways to go on needs one of the others
 * to move first. Nothing is missed: actors say that they wait before they look (both sequentially consistent), so the
 * last one of a deadlock finds all the others; a counter that somebody in it has changed was changed before that one
 * waited, and is seen by whoever sees it wait. A deadlock can also become one by a window that comes to an actor which
 * waits at another port, and which therefore can't end by that input any more: such an end has a relay (fifo.h), which
 * makes that actor wait, and look, once more.
 */
#ifndef PENSTOCK_DETECTOR_H
#define PENSTOCK_DETECTOR_H

#include "lib/model/network.h"

/* start(), before any thread. -ENOMEM. */
int ps_detector_prepare(struct pstk_network *);

/* destroy() */
void ps_detector_free(struct pstk_network *);

/* The actor's own thread, before ps_fifo_wait(). No FIFO's lock held. */
void ps_detector_wait(struct pstk_actor *, struct ps_fifo_end *);

/* Any thread, no FIFO's lock held: the actor has begun to wait. */
void ps_detector_look(struct pstk_actor *);

/* A team's thread: judges all who wait, the team's actors too. false: somebody may have been looking at one of them
 * only, so judge again. */
bool ps_detector_judge(struct pstk_network *);

/* The actor at the other end: who can end a wait here. */
struct pstk_actor *ps_detector_other(const struct ps_fifo_end *);

/* For whoever has found a deadlock: makes it the network's error. The cycle is what actor.dead says from `a` on, of
 * `count` actors. No lock held. (deadlock.c) */
void ps_deadlock_report(struct pstk_actor *a, unsigned count);

#endif
