/* SPDX-License-Identifier: MIT */
/*
 * Merging: of the buffers that a plan wants to share memory (struct ps_merge) those that can; the protocol is
 * lib/fifo/merged.h's. What knows the places lists them, and takes the memory.
 */
#ifndef PENSTOCK_MERGING_H
#define PENSTOCK_MERGING_H

#include "lib/fifo/merged.h"
#include "lib/model/network.h"

/* A FIFO's buffer that can be merged. */
struct ps_merging_site {
	const struct pstk_fifo *fifo;
	const struct ps_merge *merge; /* the FIFO's, of its first or its last place */
	enum ps_member_kind kind;
	struct ps_member *member; /* NULL: it has memory of its own */
};

/* A network's. Zeroed: none. */
struct ps_merging {
	struct ps_merging_site *sites; /* as they were listed: FIFO by FIFO */
	unsigned count;
	struct ps_merged *first;
};

/* start(), before any FIFO has memory, once the sites are listed: makes those groups that have several buffers among
 * them, without their memory. 0, or -ENOMEM. */
int ps_merging_make(struct ps_merging *);

/* The sites of a FIFO, one or two; *count: so many. NULL: it has none. */
struct ps_merging_site *ps_merging_find(const struct ps_merging *, const struct pstk_fifo *, unsigned *count);

/* When no FIFO is left. Whoever has taken the groups' memory has given it back. */
void ps_merging_free(struct ps_merging *);

#endif
