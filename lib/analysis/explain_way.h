/* SPDX-License-Identifier: MIT */
/* Explain way: how the clock of a class reaches an actor. */
#ifndef PENSTOCK_EXPLAIN_WAY_H
#define PENSTOCK_EXPLAIN_WAY_H

#include "lib/analysis/state.h"

/* Finds the shortest way by which the clock of an end comes to it. The end is always on; of another end there is no
 * way. The way begins at the end's actor and uses FIFOs that are always on at both ends. It leads to the FIFO that
 * gives the class its clock, or to a member of the group (PS_NONE: none) if the end is of the group's class.
 * -ENOMEM. */
int ps_analysis_way(struct ps_analysis *, const struct pstk_fifo *, bool writer, unsigned group);

#endif
