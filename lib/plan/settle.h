/* SPDX-License-Identifier: MIT */
/* Settle: all that start() plans follows from what was built so far. In this order: rates, steps, depths, rooms. */
#ifndef PENSTOCK_SETTLE_H
#define PENSTOCK_SETTLE_H

#include "lib/model/network.h"

/* Finds it, if something was built since the last call. Any thread, no lock held; every function that tells a rate, a
 * depth or a size calls it first. Calls the actors' rates(). */
void ps_plan_settle(const struct pstk_network *);

/* What of that follows from the places that FIFOs cross: windows wait at each of them. Where start() changes the places
 * itself. */
void ps_settle_ways(struct pstk_network *);

#endif
