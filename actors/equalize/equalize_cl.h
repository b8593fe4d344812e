/* SPDX-License-Identifier: MIT */
/* The actor on an OpenCL device: host code that enqueues its kernels. */
#ifndef PENSTOCK_ACTORS_EQUALIZE_CL_H
#define PENSTOCK_ACTORS_EQUALIZE_CL_H

#include "actors/common/launch.h"

/* The actor's state is a struct ps_launches. */
int ps_equalize_open_place(struct pstk_actor *, unsigned place);
int ps_equalize_fire_cl(struct pstk_firing *);

#endif
