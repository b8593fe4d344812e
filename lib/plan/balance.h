/* SPDX-License-Identifier: MIT */
/*
 * Balance (rule R0): how often each actor fires in an iteration, so that every FIFO gets as many tokens as are taken.
 *
 * q(src) a = q(dst) b at every FIFO; the smallest whole q of each connected part. Source: E. A. Lee, D. G.
 * Messerschmitt, Synchronous data flow, 1987, section III.
 */
#ifndef PENSTOCK_BALANCE_H
#define PENSTOCK_BALANCE_H

#include "lib/plan/rate_graph.h"

/* Why there is no such q. */
struct ps_imbalance {
	unsigned edge; /* this FIFO does not fit .. */
	/* .. what the others say: over these FIFOs, from its writer on to its reader, forward or backward */
	unsigned *way, length;
	uint64_t src_fires, dst_fires; /* by the way: so often in the same time */
	/* The smallest change of one rate of these FIFOs that would do; PS_NO_EDGE: no whole number does. */
	unsigned fix;
	bool fix_writer;
	uint32_t fix_rate; /* of a window */
};

/* Fills q, one an actor.
 *   -EINVAL: there is none; *why says so, its way is to be freed with ps_memory_free()
 *   -EOVERFLOW: a number beyond 63 bits
 *   -ENOMEM */
int ps_balance_find(const struct ps_rate_graph *, uint64_t *q, struct ps_imbalance *why);

#endif
