/* SPDX-License-Identifier: MIT */
/* Actor: helpers that the network's building shares with it. */
#ifndef PENSTOCK_ACTOR_H
#define PENSTOCK_ACTOR_H

#include "lib/model/network.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* The actor whose callback this thread is in; NULL: none. */
extern _Thread_local struct pstk_actor *ps_actor_current __attribute__((tls_model("initial-exec")));

/* Around a callback: enter returns what leave puts back, because fire() may run a network of its own. */
static inline struct pstk_actor *ps_actor_enter(struct pstk_actor *a)
{
	struct pstk_actor *former = ps_actor_current;

	ps_actor_current = a;
	return former;
}

static inline void ps_actor_leave(struct pstk_actor *former)
{
	ps_actor_current = former;
}

/* "0-3,6" */
void ps_actor_list_cores(const cpu_set_t *, char *text, size_t size);

#endif
