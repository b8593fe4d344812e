/* SPDX-License-Identifier: MIT */
/* Fix: what to change where the ends of a FIFO are not on at the same times (R1). */
#ifndef PENSTOCK_EXPLAIN_FIX_H
#define PENSTOCK_EXPLAIN_FIX_H

#include "lib/analysis/state.h"

/* One end of a FIFO that breaks R1. */
struct ps_clash_end {
	struct pstk_actor *actor;
	const char *port;
	unsigned clock; /* ACTOR: at each token of the clash's group */
	bool on;        /* for the verdict's value */
	char when[160];
};

struct ps_clash {
	const struct pstk_fifo *fifo;
	struct ps_clash_end writer, reader;
	unsigned group; /* whose values they differ in */
};

/* Sets the verdict's remedy, and its actor: the one of the first fix. The way is known (ps_analysis_way()). */
void ps_clash_fix(struct ps_analysis *, const struct ps_clash *);

#endif
