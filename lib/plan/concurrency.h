/* SPDX-License-Identifier: MIT */
/*
 * Limit: how many firings of an actor can be in flight at once, and what says so.
 *
 * Of a stateless actor the least of
 *   - what was asked for (pstk_actor_set_concurrency()); if nothing was: one, under a team as many as can
 *     be;
 *   - the threads of the team, or one of them where it is pinned;
 *   - the windows that each of its FIFOs holds;
 *   - the sum of floor(delay / rate) around each cycle of FIFOs that are always on: firing n of an actor
 *     needs what came of its own firing n - that sum. Delay tokens on a FIFO that leads nowhere back limit
 *     nothing.
 * It is an upper bound: windows decide in the run.
 */
#ifndef PENSTOCK_CONCURRENCY_H
#define PENSTOCK_CONCURRENCY_H

#include "lib/model/network.h"

enum { PS_LIMIT_TEXT = 700 };

/* Any time. Finds the limits of all actors, if something was built since the last time. -ENOMEM. */
int ps_concurrency_settle(const struct pstk_network *);

/* What limits, in a few words, into a buffer of PS_LIMIT_TEXT bytes; returns it. */
const char *ps_concurrency_text(const struct pstk_actor *, const struct ps_limit *, char *buffer);

/* BUILD. The concurrency that an actor was given, against where it runs and what its FIFOs hold; records
 * problems. */
void ps_concurrency_check(struct pstk_actor *);

/* BUILD. Records that an actor on a device can't have n firings side by side; -EINVAL. */
int ps_concurrency_refuse_device(struct pstk_actor *, unsigned n);

#endif
