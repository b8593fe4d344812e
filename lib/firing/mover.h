/* SPDX-License-Identifier: MIT */
/*
 * Mover: what moves an actor from place to place (lib/move). firing/ calls it, and knows no moves. A boundary is a
 * moment between two firings: the taker is about to look for the windows of the next one.
 */
#ifndef PENSTOCK_MOVER_H
#define PENSTOCK_MOVER_H

#include "lib/firing/task.h"

struct ps_mover {
	/* The taker, at a boundary at which a move is due (ps_mover_is_due()). READY: go on, wherever the actor is now.
	 * WAIT: firings side by side are to be published first, or commands are in flight for which the backend's
	 * wait_room() and announce_room() wait. ENDED: a command has failed, and the network. */
	enum ps_firing_state (*step)(struct ps_task *);
	/* The taker has taken the firing's windows. The publisher has published them; on a device, what fills them is
	 * enqueued. */
	void (*took)(struct pstk_firing *);
	void (*published)(struct pstk_firing *);
	/* A guarded actor, in its firing: that goes on at another place, because of this error. */
	void (*failed_over)(struct pstk_firing *, unsigned place, int err, const char *text);
	/* A firing of an actor that is at another host, as fire(). */
	int (*fire_far)(struct pstk_firing *);
	/* The actor has ended: no move begins any more. Any thread that closes it, once. */
	void (*ended)(struct ps_task *);
};

/* Any thread, a hint; the taker for certain. */
static inline bool ps_mover_is_due(const struct ps_task *t)
{
	return atomic_load_explicit(&t->taken, memory_order_relaxed) >=
	       atomic_load_explicit(&t->move_at, memory_order_acquire);
}

#endif
