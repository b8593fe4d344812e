/* SPDX-License-Identifier: MIT */
/*
 * Firing: the steps of one firing of one actor: take all windows or none, fire, publish. None of them blocks. A runner
 * (runner.h) calls them, and waits in between.
 *
 * "The taker" is the thread that may take an actor's firings at this moment; a runner sees to it that there is one at
 * most. Another thread may fire what was taken, and a third one publish it.
 */
#ifndef PENSTOCK_FIRING_H
#define PENSTOCK_FIRING_H

#include "lib/firing/task.h"

/* start(). Prepares an actor's firings: so many side by side. -ENOMEM. */
int ps_firing_init(struct ps_task *, unsigned side_by_side);
void ps_firing_fini(struct ps_task *);

/* start(). What a firing knows of its actor's ports, and its windows, which ps_memory_free() frees. -ENOMEM. */
int ps_firing_make(struct pstk_firing *, struct pstk_actor *);

/* start(), when each actor has its runner: must neighbours be told of this one's windows, is it quick? */
void ps_firing_settle(struct ps_task *);

/* The taker, or any thread while there is none. The firing to be taken next. */
struct pstk_firing *ps_firing_next(const struct ps_task *);

/* Any thread, a hint: might ps_firing_take() say anything but WAIT? */
bool ps_firing_may_take(struct ps_task *);

/* The taker; others a hint. Are as many firings taken and not published as may be, where the actor is? */
bool ps_firing_all_in_flight(const struct ps_task *);

/*
 * The taker. Takes the windows of all ports, or none.
 *   READY: *firing.
 *   WAIT: *port is the first port without a window, *end its FIFO's end. *end NULL: too many firings are in flight, on
 *         the actor's device or side by side; or it is to move, and those in flight are to be through first.
 */
enum ps_firing_state ps_firing_take(
	struct ps_task *, struct pstk_firing **firing, struct ps_fifo_end **end, unsigned *port);

/* Calls fire(). What it returned is kept in the firing. */
void ps_firing_fire(struct pstk_firing *);

/* Of the oldest firing that is not through yet: publishes it (false: the actor is over), or counts it as through
 * without that. */
bool ps_firing_publish(struct pstk_firing *);
void ps_firing_drop(struct pstk_firing *);

/* ps_firing_fire() and ps_firing_publish(). */
bool ps_firing_run(struct pstk_firing *);

/* The taker. It has taken the firing. ran: a port is on in it. */
static inline void ps_firing_number(struct pstk_firing *firing, bool ran)
{
	struct ps_task *t = firing->task;

	firing->index = t->next_index++;
	firing->ran = t->next_ran;
	t->next_ran += ran;
	if (t->slot_count > 1) /* of the next one nothing is decided */
		atomic_store_explicit(&t->decision, 0, memory_order_relaxed);
	atomic_store_explicit(
		&t->taken, atomic_load_explicit(&t->taken, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* The publishing thread. The firing is through. */
static inline void ps_firing_count(struct pstk_firing *firing, bool ran)
{
	struct ps_task *t = firing->task;

	if (firing->decided) {
		atomic_store_explicit(&t->control_tokens, firing->index + 1, memory_order_relaxed);
		if (t->slot_count == 1) /* else it says what the latest one taken has decided */
			atomic_store_explicit(&t->decision, 0, memory_order_relaxed);
		firing->decided = false;
	}
	atomic_store_explicit(&t->firings, firing->ran + ran, memory_order_relaxed);
}

/* The taker. Where the next firing waits. NULL: nowhere: it can be taken, or the actor ends, or it waits for firings in
 * flight. Takes nothing. */
struct ps_fifo_end *ps_firing_awaits(struct ps_task *);

/* Owner thread. As ps_fifo_*_peek(); FAILED fails the network and becomes ENDED. */
enum ps_fifo_state ps_firing_peek(struct pstk_fifo *, bool writer);

/* The actor has ended, nothing of it is in flight: gives back what it holds, closes its ports, tells its neighbours.
 * (closing.c) */
void ps_firing_close(struct ps_task *);

/* Will this actor never fire again, whatever comes? (failed, aborted, stopped as a source, no reader left) */
bool ps_firing_over(const struct ps_task *);

/* Have all readers of all outputs ended? Not for an actor without outputs. */
bool ps_firing_unwanted(const struct pstk_actor *);

/* Any thread, no lock held. Makes the actor look at its ports again if it waits. */
void ps_task_nudge(struct ps_task *);

/* Any thread, no lock held. Calls unblock() of an actor that has not ended. */
void ps_actor_unblock(struct pstk_actor *);

#endif
