/* SPDX-License-Identifier: MIT */
/* Strips: how the kernels of actors that work on single samples share a window out. */
#ifndef PENSTOCK_ACTORS_STRIPS_H
#define PENSTOCK_ACTORS_STRIPS_H

#include "penstock/penstock.h"

/* ACTOR, in init(). Sets the work size for a firing of this port's rate, of one dimension: a group makes a
 * strip. */
int ps_strips_set_work_size(struct pstk_actor *, unsigned port);

/* What it sets on a device of so many compute units: of a window of `rate` samples. */
void ps_strips_work_size(bool cpu, unsigned units, size_t rate, size_t *global, size_t *local);

#endif
