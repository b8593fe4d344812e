/* SPDX-License-Identifier: MIT */
/* Explain way: how the clock of a class reaches an actor. */
#ifndef PENSTOCK_EXPLAIN_WAY_H
#define PENSTOCK_EXPLAIN_WAY_H

#include "lib/analysis/state.h"

/* Finds the shortest way from the actor at an end that is always on, over FIFOs that are always on at both
 * ends, to the FIFO that gives the class its clock, or to a member of the group (PS_NONE: none) if it is of its
 * class. Another end has none. -ENOMEM. */
int ps_analysis_way(struct ps_analysis *, const struct pstk_fifo *, bool writer, unsigned group);

#endif
