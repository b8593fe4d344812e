/* SPDX-License-Identifier: MIT */
/*
 * Alignment: what the clocks of other ranks say when this one's says something. Rank 0 measures it, for traces.
 *
 *	rank 0                                rank 1
 *	a = now; ping           ----->
 *	                        <-----        pong: b = now
 *	c = now
 *
 * Of 32 rounds the one with the least c - a counts: b was in the middle of it, (c - a) / 2 earlier or later at most.
 * The program's thread does it, while nothing else runs over the transport (meeting.h). The waiting thread spins for a
 * millisecond, because a sleep would be longer than what is measured.
 */
#ifndef PENSTOCK_REMOTE_ALIGNMENT_H
#define PENSTOCK_REMOTE_ALIGNMENT_H

#include "penstock/transport.h"

#include <stddef.h>

struct ps_alignment_how {
	uint64_t patience_ns; /* as struct ps_exchange_how has them */
	bool (*stop)(void *user);
	void *user;
	uint64_t (*now)(void *user); /* NULL: the clock */
};

/* All ranks. Of rank 0: by rank, ns by which that rank's clock is ahead of this one's, and by how much that may be
 * wrong; NULL: not wanted. Of other ranks neither is used. Errors: as ps_exchange_with(). */
int ps_alignment_measure(struct pstk_transport *, const struct ps_alignment_how *, int64_t *ahead,
	uint64_t *within, char *text, size_t text_size);

#endif
