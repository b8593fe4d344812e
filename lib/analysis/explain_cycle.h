/* SPDX-License-Identifier: MIT */
/* Explain cycle: why R2 is broken. */
#ifndef PENSTOCK_EXPLAIN_CYCLE_H
#define PENSTOCK_EXPLAIN_CYCLE_H

#include "lib/analysis/state.h"

/* R2 is broken by the cycle on which this FIFO lies, in the graph as it was searched. chosen: the value of each group;
 * NULL: the cycle is there for any values, or (verdict->conservative) the values are not known. Returns -EDEADLK or
 * -ENOMEM. */
int ps_analysis_cycle(struct ps_analysis *, const struct pstk_fifo *, const uint32_t *chosen);

#endif
