/* SPDX-License-Identifier: MIT */
/* What networks take of memory: a chain of actors with so many FIFOs from each to the next. */
#ifndef PENSTOCK_BENCHMARKS_COST_MEMORY_H
#define PENSTOCK_BENCHMARKS_COST_MEMORY_H

#include <stddef.h>

enum { COST_TOKEN = 4, COST_FIFOS_MOST = 16 };

struct cost_memory {
	unsigned actors, fifos, team; /* team 0: a thread for each actor; fifos: 1 to COST_FIFOS_MOST */
};

/* Bytes: of the tokens that the FIFOs hold, what the start took for FIFOs from the system, and by how much
 * the process's own memory (without files') grew from before the network was there until the last token
 * has gone through. */
struct cost_bytes {
	size_t fifo_bytes, allocated_bytes, grown_bytes;
};

/* In a process of its own, so that no memory of one that was here before is used again; call it before this
 * process has run a network. Ends the program where that fails. */
struct cost_bytes cost_memory_measure(const struct cost_memory *);

#endif
