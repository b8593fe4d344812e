/* SPDX-License-Identifier: MIT */
/* Thread: an actor on threads of its own, one or as many as it has firings side by side, which wait at its ports. And
 * what such threads and a team's have in common. */
#ifndef PENSTOCK_THREAD_H
#define PENSTOCK_THREAD_H

#include "lib/firing/runner.h"

#include <sched.h>

/* For any actor. */
extern const struct ps_runner ps_thread_runner;

/* As runner.h says, for an actor with threads of its own. */
void ps_thread_nudge(struct ps_task *);

/*
 * A thread of a task that has several: the one that has the claim waits for windows, the others for the claim.
 *
 * take: READY: *firing is this thread's to fire. ENDED: there will be none. WAIT: goes_on(), which is asked with the
 * claim held before each look, has said no; NULL: it always says yes. fire: fires it, and publishes all that can be.
 */
enum ps_firing_state ps_thread_take(
	struct ps_task *, struct pstk_firing **firing, bool (*goes_on)(void *), void *data);
void ps_thread_fire(struct pstk_firing *);

/* How many threads the actor has of its own: none if its runner polls. */
unsigned ps_thread_count(const struct ps_task *);

/* start(): what its threads need. -ENOMEM, or another negative errno. */
int ps_thread_prepare(struct ps_task *);
void ps_thread_free(struct ps_task *);

/* Creates the actor's threads; they stay at the network's gate. *created: how many there are. A negative errno: the
 * network has failed with a message. */
int ps_thread_create(struct ps_task *, unsigned *created);
void ps_thread_join(struct ps_task *, unsigned created);

/* A thread that gets no signals but faults, on these cores (NULL: any). An errno. */
int ps_thread_begin(pthread_t *, const cpu_set_t *, void *(*)(void *), void *arg);

#endif
