/* SPDX-License-Identifier: MIT */
/* Scratch: memory that a firing needs while it runs. As many as may run side by side have their own. */
#ifndef PENSTOCK_ACTORS_SCRATCH_H
#define PENSTOCK_ACTORS_SCRATCH_H

#include "penstock/penstock.h"

#include <stdatomic.h>

/* Part of an actor's state; zeroed: there is none. */
struct ps_scratch {
	unsigned char
		*memory; /* constant after init(); `count` of `bytes` each; NULL: it is never on the cores */
	size_t bytes;
	unsigned count;
	atomic_bool *taken; /* one for each; any firing */
};

/* ACTOR, in init(). what: of the message, "4 images". 0, or -ENOMEM and the actor's error; where the actor is never on
 * the cores it takes nothing. */
int ps_scratch_init(struct ps_scratch *, struct pstk_actor *, size_t bytes, const char *what);

/* ACTOR, in fire(). Aligned to 64 bytes; not NULL. */
void *ps_scratch_take(struct ps_scratch *);
void ps_scratch_give(struct ps_scratch *, const void *);

/* In finish(), and where init() fails behind ps_scratch_init(). */
void ps_scratch_free(struct ps_scratch *);

#endif
