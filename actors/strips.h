/* SPDX-License-Identifier: MIT */
/* Strips: how the kernels of actors that work on single samples share a window out. */
#ifndef PENSTOCK_ACTORS_STRIPS_H
#define PENSTOCK_ACTORS_STRIPS_H

#include "penstock/penstock.h"

/* ACTOR, in init(). Sets the work size for a firing of this port's rate, of one dimension: a group makes a
 * strip. */
int ps_strips_set_work_size(struct pstk_actor *, unsigned port);

#endif
