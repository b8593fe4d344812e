/* SPDX-License-Identifier: MIT */
/*
 * Reorder buffer: firings of one stateless actor side by side. They are taken in order, fire() is through in any order,
 * and they are published in order, by the thread that finds the oldest one done. A firing that ends the actor
 * (PSTK_DONE, an error, a partly filled window) drops what is behind it: as if that had never begun.
 */
#ifndef PENSTOCK_REORDER_H
#define PENSTOCK_REORDER_H

#include "lib/firing/firing.h"

/* The thread that has fired it. Publishes all that can be. */
void ps_reorder_done(struct pstk_firing *);

/* Is any firing of this actor neither published nor dropped? */
static inline bool ps_reorder_in_flight(const struct ps_task *t)
{
	return atomic_load(&t->taken) != atomic_load(&t->published);
}

#endif
