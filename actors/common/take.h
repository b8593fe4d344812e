/* SPDX-License-Identifier: MIT */
/* What an actor borrows and can't share: an input, an output. */
#ifndef PENSTOCK_ACTORS_TAKE_H
#define PENSTOCK_ACTORS_TAKE_H

#include <penstock/penstock.h>

#include <errno.h>
#include <stdatomic.h>

/* ACTOR, at the end of init(). Takes the thing whose flag this is until finish(), which sets it to false; so
 * does an init() that fails after it. 0, or -EBUSY with the actor's error: another actor, perhaps of another
 * network, has it. */
static inline int ps_take(struct pstk_actor *self, atomic_bool *taken, const char *what, const char *fix)
{
	if (!atomic_exchange(taken, true))
		return 0;
	return pstk_actor_error(self, -EBUSY, "another actor has its %s: %s", what, fix);
}

#endif
