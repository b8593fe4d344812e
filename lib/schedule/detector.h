/* SPDX-License-Identifier: MIT */
/*
 * Detector: finds deadlocks while the network runs, exactly and at once.
 *
 * Example: a waits for tokens of b, b for tokens of a. Both have said so (task.waits_for). The second one follows the
 * chain a, b, a: it returns, so a and b are held and judged.
 *
 * Threads of their own:
 *   1. An actor that waits says at which one FIFO end. Then its thread follows the chain of actors, without locks: for
 *      room it waits for the FIFO's reader, for tokens for its writer; for merged memory for one that reads, or writes,
 *      another buffer (ps_fifo_blocker()).
 *   2. A chain that reaches an actor that does not wait ends there. Where no actor in it runs, it returns to an actor
 *      that it has passed.
 *   3. Only then are all actors that wait held where they are, by the locks of the FIFOs at which they wait (and the
 *      claims of launched ones), and judged. Stuck are those that nothing but another stuck one could let go on. That
 *      is more than the cycle: an actor that waits may also end, because an input that it needs ends, or because all
 *      readers of its outputs do. So the actors that could do this must be stuck, too.
 *
 * A team: its actors wait nowhere, its members look whether they can be fired. No thread follows a chain through them.
 *   - The member that finds that nothing can be fired any more judges; now and then a busy member does, because a part
 *     of the network may be dead.
 *   - It holds the team's actors by their `taking` flags, and looks up what they would wait for. That is known while it
 *     judges only.
 *   - An actor with a thread of its own that waits for one of the team's leaves the verdict to the team.
 *
 * Why it is exact:
 *   - No false alarm: what is judged can't change meanwhile, and each way to go on needs another stuck actor to move
 *     first.
 *   - No miss: actors say that they wait before they look (both sequentially consistent), so the last one of a deadlock
 *     finds all the others. A counter that an actor of it has changed was changed before that actor waited, and a
 *     thread that sees it wait sees the counter, too.
 *   - A deadlock can also become one by a window that comes to an actor which waits at another port, and which
 *     therefore can't end by that input any more. Such an end has a relay (fifo.h): that actor waits, and looks, once
 *     more.
 */
#ifndef PENSTOCK_DETECTOR_H
#define PENSTOCK_DETECTOR_H

#include "lib/firing/task.h"

/* start(), before any thread. -ENOMEM. */
int ps_detector_prepare(struct pstk_network *);

/* destroy() */
void ps_detector_free(struct pstk_network *);

/* The actor's own thread, before ps_fifo_wait(). No FIFO's lock held. */
void ps_detector_wait(struct pstk_actor *, struct ps_fifo_end *);

/* Any thread, no FIFO's lock held: the actor has begun to wait. */
void ps_detector_look(struct pstk_actor *);

/* A thread of the runner that polls: judges all actors that wait, the polled ones too. false: another thread had one of
 * them, perhaps only to look at it, so judge again. */
bool ps_detector_judge(struct pstk_network *);

/* The actor at the other end: it ends most waits here. */
struct pstk_actor *ps_detector_other(const struct ps_fifo_end *);

/* The actor for which one waits here: the other one, or one at another buffer in the same memory. NULL: none, or it
 * can't be told. Any thread. */
struct pstk_actor *ps_detector_awaited(const struct ps_fifo_end *);

/* The thread that has found a deadlock: makes it the network's error. The cycle is what ps_judged(a)->dead says from
 * `a` on, of `count` actors. No lock held. (deadlock.c) */
void ps_deadlock_report(struct pstk_actor *a, unsigned count);

#endif
