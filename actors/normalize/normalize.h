/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_NORMALIZE_H
#define PENSTOCK_ACTORS_NORMALIZE_H

#include "config.h"

#include "actors/common/plane.h"
#ifdef HAVE_OPENCL
#include "actors/common/launch.h"

/* The actor's state. Constant after init(). */
struct ps_normalize {
	struct ps_launch on_device;
};

/* On a device: init() and fire_cl(). */
int ps_normalize_init_cl(struct pstk_actor *);
int ps_normalize_fire_cl(struct pstk_firing *);
#endif

/* pstk_normalize_type()'s work on one map; to and from are apart. */
void ps_normalize_map(float *restrict to, const float *restrict from, const struct pstk_normalize_arg *);

#endif
