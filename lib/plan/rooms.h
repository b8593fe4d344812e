/* SPDX-License-Identifier: MIT */
/*
 * Rooms (rules R2 and R3 of networks of several rates): can every iteration be completed, and with how much room?
 *
 * The network falls into biconnected parts of its undirected graph. Each is looked at alone: two live parts that share
 * one actor are live together. A FIFO that is a part by itself needs no more than the room of a depth of 1. Any other
 * part is executed: every actor must complete its q firings, others may run ahead. Where nothing can go on, actors wait
 * for each other in a cycle:
 *   - all of them for tokens: the part can't be completed with any rooms;
 *   - some of them for room: the FIFO that lacks least of that grows, and the execution goes on. If all of these are
 *     fixed, the rooms that were given are too small; one of them grows all the same, to find out what it needs.
 *
 * Why that is enough, and why no FIFO grows in vain: doc/internals/deadlock.md. Source of the execution: Lee,
 * Messerschmitt 1987; of the growth: T. Parks, Bounded scheduling of process networks, 1995, here before the start.
 */
#ifndef PENSTOCK_ROOMS_H
#define PENSTOCK_ROOMS_H

#include "lib/plan/rate_graph.h"

/* More firings in a part's iteration than that are not executed. */
enum { PS_ROOMS_FIRINGS = 1 << 22 };

/* Why a FIFO has grown: its writer waited for room, .. */
struct ps_room_growth {
	uint64_t from; /* .. when it was that, 0: it has not grown .. */
	unsigned next; /* .. and the FIFO at which its reader waited, in the cycle */
};

struct ps_rooms {
	unsigned *part; /* of each edge; parts are numbered from 0 */
	unsigned part_count;
	struct ps_room_growth *growth; /* of each edge */
	/* Why there is no answer: at these edges actors wait for each other. Each actor waits for the next one. */
	unsigned *cycle, cycle_length;
	unsigned too_small; /* -ENOSPC: the first fixed FIFO that is too small, that of this cycle .. */
	uint64_t wanted;    /* .. and the room that it needs */
	unsigned too_long;  /* -E2BIG: an edge of the part */
};

/* The parts. The end is to be called in any case. -ENOMEM. */
int ps_rooms_begin(struct ps_rooms *, const struct ps_rate_graph *);
void ps_rooms_end(struct ps_rooms *);

/* Executes; makes rooms larger. which: of each part, whether to execute it; NULL: all. Others are left as they are.
 * q: of ps_balance_find().
 *   -EDEADLK: a cycle of tokens that never come
 *   -ENOSPC: a fixed room is too small
 *   -E2BIG: a part has too many firings
 *   -ENOMEM */
int ps_rooms_find(struct ps_rooms *, struct ps_rate_graph *, const uint64_t *q, const bool *which);

#endif
