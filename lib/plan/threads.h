/* SPDX-License-Identifier: MIT */
/* Threads: which threads run the actors, and the BUILD calls that choose it. */
#ifndef PENSTOCK_THREADS_H
#define PENSTOCK_THREADS_H

#include "lib/plan/concurrency.h"

#include <sched.h>

enum { PS_THREADS_MAX = PS_ENVIRONMENT_THREADS_MAX, PS_CONCURRENCY_MAX = 256 };

/* Takes the team of the environment. pstk_network_create(). */
void ps_threads_init(struct pstk_network *);

/* Does the team fire this actor? Else it has a thread of its own, or several. */
bool ps_threads_on_team(const struct pstk_actor *);

/* The cores of the thread that fires a pinned actor. Under a team these are the cores of all pinned actors that belong
 * to the same thread. */
void ps_threads_cores(const struct pstk_actor *, cpu_set_t *);

#endif
