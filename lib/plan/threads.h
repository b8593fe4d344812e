/* SPDX-License-Identifier: MIT */
/* Mode: who runs the actors, and what BUILD calls say about that. */
#ifndef PENSTOCK_THREADS_H
#define PENSTOCK_THREADS_H

#include "lib/plan/concurrency.h"

#include <sched.h>

enum { PS_THREADS_MAX = PS_ENVIRONMENT_THREADS_MAX, PS_CONCURRENCY_MAX = 256 };

/* pstk_network_create(): what the environment says. */
void ps_threads_init(struct pstk_network *);

/* Is it the team that fires this actor? Else it has a thread of its own, or several. */
bool ps_threads_on_team(const struct pstk_actor *);

/* Of an actor that is pinned: where the thread runs that fires it. Under a team that is wherever an actor is
 * pinned that belongs to the same thread. */
void ps_threads_cores(const struct pstk_actor *, cpu_set_t *);

/* Any time. How many firings of this actor may be in flight at once, at least 1, and what limits them
 * (NULL: who cares). Allocates nothing once start() has analysed the network. Before, for a network that
 * was not looked at since something was built, it may: without memory the answer is 1, and the next call
 * tries again. */
unsigned ps_concurrency_of(const struct pstk_actor *, struct ps_limit *why);

#endif
