/* SPDX-License-Identifier: MIT */
/* The actor on an OpenCL device: host code that enqueues its kernels. */
#ifndef PENSTOCK_ACTORS_OPENINGS_CL_H
#define PENSTOCK_ACTORS_OPENINGS_CL_H

#include "actors/common/launch.h"
#include "actors/openings/openings.h"

/* The actor's state begins with a struct ps_launches. */
int ps_openings_open_place(struct pstk_actor *, unsigned place);
int ps_openings_fire_cl(struct pstk_firing *);

#endif
