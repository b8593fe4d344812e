/* SPDX-License-Identifier: MIT */
/*
 * Merging: of the buffers that a plan wants to share memory (struct ps_merge) those that can; the protocol is
 * cl_merged.h's.
 */
#ifndef PENSTOCK_MERGING_H
#define PENSTOCK_MERGING_H

#include "lib/model/network.h"
#include "lib/opencl/cl_merged.h"

/* A FIFO's buffer that can be merged (ps_placement_merges()). */
struct ps_merging_site {
	const struct pstk_fifo *fifo;
	const struct ps_merge *merge; /* the FIFO's, of its first or its last place */
	enum ps_cl_member_kind kind;
	const struct ps_cl_device *device;
	struct ps_cl_member *member; /* NULL: it has memory of its own */
};

/* A network's. Zeroed: none. */
struct ps_merging {
	struct ps_merging_site *sites;
	unsigned count;
	struct ps_cl_merged *first;
};

/* start(), before any FIFO has memory, once the sites are listed: makes the memory of those groups that have several
 * buffers among them. 0, or the fault. */
int ps_merging_make(struct ps_merging *, struct ps_cl_fault *);

/* start(). The FIFO's part has just been attached: it becomes what the plan says. */
void ps_merging_attach(const struct ps_merging *, struct pstk_fifo *);

/* When no FIFO is left. lost: commands may still touch the memory. */
void ps_merging_free(struct ps_merging *, bool lost);

#endif
