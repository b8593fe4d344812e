/* SPDX-License-Identifier: MIT */
/* Copy: what actors share that copy tokens of any size. Their kernels' text stands behind copy.cl. */
#ifndef PENSTOCK_ACTORS_COPY_H
#define PENSTOCK_ACTORS_COPY_H

#include "penstock/penstock.h"

/* ACTOR, for init(). Compares the ports' token sizes (ports.h), sets the work size for a firing of `port` and the
 * arguments: the value, the bytes of a token, the steps that are data. 0, or the actor's error. */
int ps_copy_init(struct pstk_actor *, unsigned port, const void *value, size_t size);

#endif
