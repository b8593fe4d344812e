/* SPDX-License-Identifier: MIT */
/* Rates: how often each actor fires in an iteration, and the rooms that FIFOs of several rates need for that. */
#ifndef PENSTOCK_RATES_H
#define PENSTOCK_RATES_H

#include "lib/model/network.h"
#include "lib/plan/balance.h"
#include "lib/plan/rooms.h"

struct ps_rates {
	/* Does any FIFO move other numbers at its ends, or look back? If not, nothing else is set: each actor fires
	 * once, and no FIFO needs more room. */
	bool several;
	/* 0, or why there is no answer: what ps_rooms_find() returns, or
	 *   -EINVAL: R0 is broken (imbalance)
	 *   -EOVERFLOW: repetitions beyond 63 bits
	 *   -EFBIG: a FIFO would need more bytes than memory can have (too_large) */
	int err;
	uint64_t *q; /* of each actor */
	/* FIFOs of whose ends something is known. By edge, and back: PS_NO_EDGE */
	struct ps_rate_graph graph;
	const struct pstk_fifo **fifo;
	unsigned *edge_of;
	struct ps_imbalance imbalance;
	struct ps_rooms rooms;
	bool *executed;                    /* of each part */
	const struct pstk_fifo *too_large; /* -EFBIG: this one */
};

/* When depths have been settled (depth.c), with net->lock held: makes FIFOs larger that need it. */
void ps_rates_settle(struct pstk_network *);

/* When depths are settled. */
const struct ps_rates *ps_rates_of(const struct pstk_network *);

/* Is this FIFO in a part that was executed? */
bool ps_rates_executed(const struct pstk_fifo *);

/* How often each actor fires in an iteration with the FIFOs' present rates. -EINVAL: R0 is broken; -EOVERFLOW,
 * -ENOMEM. */
int ps_rates_repetitions(const struct pstk_network *, uint64_t *q);

void ps_rates_free(struct pstk_network *);

/* The least depth whose room is at least that, which is more than the layout's. */
uint64_t ps_rates_depth(const struct ps_layout *, uint64_t room);

/* "rate 4", or "rates 4 and 3". */
enum { PS_RATES_TEXT = 40 };
const char *ps_rates_text(const struct ps_layout *, char text[PS_RATES_TEXT]);

#endif
