/* SPDX-License-Identifier: MIT */
/*
 * Still: does the part of a network that runs in this process stand still, and where do its actors wait? A part: each
 * actor that has not ended waits for another one, and nothing but that one, or one that is away, could let it go on.
 *
 *	if (ps_still_begin(net))        nothing moves from here on ..
 *		ps_still_waits(net, ..);
 *	ps_still_end(net);              .. to here
 *
 * The thread that owns the away ends calls these: then nothing moves there either. tests/models/still.pml
 */
#ifndef PENSTOCK_STILL_H
#define PENSTOCK_STILL_H

#include "lib/fifo/layout.h"
#include "lib/model/network.h"

/* Any thread. The sum of what the actors of this process have done, which only grows: whatever moves changes it. */
uint64_t ps_still_activity(const struct pstk_network *);

/* Actors of this process that have not ended. */
unsigned ps_still_left(const struct pstk_network *);

/* Holds the actors that wait. Does the part stand still? Call ps_still_end() in any case. No FIFO's lock held. */
bool ps_still_begin(struct pstk_network *);
void ps_still_end(struct pstk_network *);

/* What rank 0 is told of one end that waits, so that it can say so in words. Only the same library on the same kind of
 * machine reads it. */
struct ps_still_wait {
	uint32_t actor; /* that waits; PS_STILL_NO_ACTOR: the owner of an away end, which has no room .. */
	uint32_t fifo;  /* .. for the windows that this one carries */
	uint32_t full;  /* .. because this one is full */
	uint32_t other; /* the actor for which it waits */
	uint32_t host;  /* that is short of room */
	uint32_t flags;
	uint32_t value; /* PS_STILL_DECIDED: the control token's */
	uint32_t rate;  /* tokens by which the end moves on */
	uint64_t firing, fill, capacity, lacks;
	struct ps_layout layout;
};

#define PS_STILL_NO_ACTOR UINT32_MAX
enum { PS_STILL_WRITES = 1, PS_STILL_MERGED = 2, PS_STILL_DECIDED = 4, PS_STILL_CROSSES = 8 };

/* Between begin() and end(), of a part that stands still: its waits, `max` at most. Returns how many there are. */
unsigned ps_still_waits(struct pstk_network *, struct ps_still_wait *, unsigned max);

/* How many there can be. */
unsigned ps_still_most(const struct pstk_network *);

/* Rank 0: all waits of all ranks are there. The network fails with what they say. (deadlock_hosts.c) */
void ps_still_report(struct pstk_network *, const struct ps_still_wait *, unsigned count);

#endif
