/* SPDX-License-Identifier: MIT */
/* Sized: what the actors of <penstock/vision.h> share, whose tokens begin with the size of their frame. */
#ifndef PENSTOCK_ACTORS_SIZED_H
#define PENSTOCK_ACTORS_SIZED_H

#include "penstock/vision.h"

/* ACTOR, in init(). Has the port tokens of pstk_sized_bytes(bytes)? 0, or -EINVAL and the actor's error. what: of the
 * message, "a frame of 8x8 pixels". */
int ps_sized_check(struct pstk_actor *, unsigned port, size_t bytes, const char *what);

/* ACTOR, in fire(): the size of a token's frame. Is it larger than the largest one? -EINVAL and the actor's error. */
int ps_sized_read(struct pstk_actor *, const void *token, const struct pstk_frame_size *largest,
	struct pstk_frame_size *size);

/* What lies behind the size. */
static inline const void *ps_sized_data(const void *token)
{
	return (const char *)token + PSTK_SIZED_HEAD;
}

static inline void *ps_sized_room(void *token)
{
	return (char *)token + PSTK_SIZED_HEAD;
}

#endif
