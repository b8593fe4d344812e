/* SPDX-License-Identifier: MIT */
/* Threads: which threads run the actors, and the BUILD calls that choose it. */
#ifndef PENSTOCK_THREADS_H
#define PENSTOCK_THREADS_H

#include "lib/plan/concurrency.h"

#include <sched.h>

enum { PS_THREADS_MAX = PS_ENVIRONMENT_THREADS_MAX, PS_CONCURRENCY_MAX = 256 };

/* create() and destroy(): what is planned for the network; it begins with the environment's team. -ENOMEM. */
int ps_plan_create(struct pstk_network *);
void ps_plan_free(struct pstk_network *);

/* Does the team fire this actor? Else it has a thread of its own, or several. */
bool ps_threads_on_team(const struct pstk_actor *);

/* The cores of the thread that fires a pinned actor. Under a team these are the cores of all pinned actors that belong
 * to the same thread. */
void ps_threads_cores(const struct pstk_actor *, cpu_set_t *);

#endif
