/* SPDX-License-Identifier: MIT */
/* Explain cycle: why R2 is broken. */
#ifndef PENSTOCK_EXPLAIN_CYCLE_H
#define PENSTOCK_EXPLAIN_CYCLE_H

#include "lib/analysis/state.h"

/* R2 is broken: by the cycle that the graph was searched for and this FIFO lies on. chosen: the value of
 * each group; NULL: whatever they are, or (verdict->conservative) nobody knows. -EDEADLK or -ENOMEM. */
int ps_analysis_cycle(struct ps_analysis *, const struct pstk_fifo *, const uint32_t *chosen);

#endif
