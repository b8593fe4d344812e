/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_WINDOW_H
#define PENSTOCK_ACTORS_WINDOW_H

#include "config.h"

#include "actors/common/plane.h"
#ifdef HAVE_OPENCL
#include "actors/common/launch.h"
#endif

/* The actor's state. Constant after init(). */
struct ps_window {
	float *columns,
		*rows; /* the window, width and height values in one block of memory; NULL: before init() */
#ifdef HAVE_OPENCL
	struct ps_launch on_device;
#endif
};

#ifdef HAVE_OPENCL
/* On a device: the rest of init(), and fire_cl(). */
int ps_window_init_cl(struct pstk_actor *);
int ps_window_fire_cl(struct pstk_firing *);
#endif

#endif
