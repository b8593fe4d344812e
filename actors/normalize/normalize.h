/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_NORMALIZE_H
#define PENSTOCK_ACTORS_NORMALIZE_H

#include "config.h"

#include "actors/common/plane.h"
#ifdef HAVE_OPENCL
#include "actors/common/launch.h"

/* On a device. The actor's state is a struct ps_launches. */
int ps_normalize_open_place(struct pstk_actor *, unsigned place);
int ps_normalize_fire_cl(struct pstk_firing *);
#endif

/* pstk_normalize_type()'s work on one map; to and from are apart. */
void ps_normalize_map(float *restrict to, const float *restrict from, const struct pstk_normalize_arg *);

#endif
