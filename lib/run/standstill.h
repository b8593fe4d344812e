/* SPDX-License-Identifier: MIT */
/*
 * Standstill: do all ranks of a network stand still for ever? What they tell each other to find out, without the
 * telling: it knows no network and no transport.
 *
 *	rank 1                                  rank 0                                  rank 2
 *	stands still: its counters  ---------->                <----------  stands still: its counters
 *	                                        all have said so, and as many messages
 *	                                        have come as were sent: asks
 *	stands still, the same counters ------>                <----------  stands still, the same counters
 *	                                        dead
 *
 * Why that is exact:
 *   - The counters of a rank only grow, and whatever happens there changes their sum, the activity. The first reports
 *     have come before rank 0 asks, the second ones are made after that. A rank whose activity is the same in both has
 *     not changed in between. So at the moment of asking all ranks were as they say: nothing could go on, and nothing
 *     was on its way.
 *   - Nothing is missed. A rank tells each standstill. The last reports of a dead network are all made after the last
 *     change, so they agree; and so do their answers.
 *
 * tests/models/still.pml is this protocol. All calls: one thread of each rank.
 */
#ifndef PENSTOCK_STANDSTILL_H
#define PENSTOCK_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>

/* What a rank says of itself. Only the same library on the same kind of machine reads it. */
struct ps_standstill_report {
	uint64_t activity;         /* the sum of its counters */
	uint64_t sent, come;       /* windows and ends of streams, of all channels */
	uint64_t granted, credits; /* told as their receiver, heard as their sender */
	uint32_t waiting;          /* actors that have not ended: all of them wait */
	uint32_t still;            /* 0: it does not stand still, or could not look */
};

struct ps_standstill_message {
	struct ps_standstill_report report;
	uint64_t round; /* that this answers; 0: of its own accord */
};

struct ps_standstill_rank;

struct ps_standstill {
	uint32_t rank, ranks;

	/* of this rank */
	bool told;                            /* rank 0 knows, or will, that it stands still .. */
	struct ps_standstill_message message; /* .. by this, or that it does not */
	bool pending;                         /* the message has not gone yet */
	uint64_t owes;                        /* the round in which it was asked; 0: none */

	/* rank 0 */
	struct ps_standstill_rank *of; /* by rank */
	uint64_t round;
	bool asking, dead;
};

/* -ENOMEM */
int ps_standstill_init(struct ps_standstill *, uint32_t rank, uint32_t ranks);
void ps_standstill_fini(struct ps_standstill *);

/* Is it to be found out whether this rank, of this activity, stands still? Not while a message is pending. */
bool ps_standstill_wants(const struct ps_standstill *, uint64_t activity);

/* What was found. */
void ps_standstill_look(struct ps_standstill *, const struct ps_standstill_report *);

/* What rank 0 is to be told; NULL: nothing. Call ps_standstill_told() when it is on its way. */
const struct ps_standstill_message *ps_standstill_pending(const struct ps_standstill *);
void ps_standstill_told(struct ps_standstill *);

/* Rank 0 has asked. */
void ps_standstill_asked(struct ps_standstill *, uint64_t round);

/* Rank 0: a message has come. */
void ps_standstill_hear(struct ps_standstill *, uint32_t rank, const struct ps_standstill_message *);

/* Rank 0: the round in which this rank is to be asked; 0: not now. Call ps_standstill_ask() when it is on its way. */
uint64_t ps_standstill_to_ask(const struct ps_standstill *, uint32_t rank);
void ps_standstill_ask(struct ps_standstill *, uint32_t rank);

/* Rank 0: nothing will ever move again. */
bool ps_standstill_dead(const struct ps_standstill *);

/* Rank 0: one of them has gone on all the same (the program has stopped it, say). All must report anew. */
void ps_standstill_forget(struct ps_standstill *);

#endif
