/* SPDX-License-Identifier: MIT */
/*
 * Away: the ends of FIFOs that belong to actors of other hosts, where only a part of the network runs in this process
 * (lib/plan/parts.h). No actor of this process is their owner, but a thread that carries windows between processes.
 *
 * An end's owner uses it as an actor's thread does, by the calls of fifo.h: peek (ps_firing_peek(), which fails the
 * network for a device), start, end, wait. Besides
 *   - it calls ps_away_moved() after it has published or freed windows: a team does not look at counters by itself;
 *   - it has no more than ps_parts_windows() windows started at once;
 *   - it closes the end once, at the latest when ps_network_over() says so; the watcher wakes it then where it waits;
 *   - when it sees that the other end is closed it asks ps_network_over(), then and not before: actors of a network
 *     that is over close their ends, too, and another host must not take that for the end of its stream.
 *
 * A writer's end that is away is that of each FIFO of its output here (pstk_fifo.next). The owner writes each window to
 * all of them, as a broadcast: those that share memory once. A FIFO whose windows are only passed on here has two away
 * ends: it is one of these, and its reader's end leads to the next host.
 *
 * An actor that is away has a task that has ended, so that no neighbour waits for it, nudges or unblocks it; the
 * detector takes it for an actor that may go on. wait() returns when all threads have ended and all away ends are
 * closed.
 */
#ifndef PENSTOCK_AWAY_H
#define PENSTOCK_AWAY_H

#include "lib/firing/runner.h"

/* Of tasks of actors that are away: fires nothing. A nudge reaches the owners of their ends. */
extern const struct ps_runner ps_away_runner;

/* The end's owner: windows of it were published or freed. */
void ps_away_moved(const struct pstk_fifo *);

/* The owner of the writer's or the reader's end, after start() has returned 0: no more comes from here. The network may
 * be gone afterwards. */
void ps_away_close(struct pstk_fifo *, bool writes);

#endif
