/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_WINDOW_H
#define PENSTOCK_ACTORS_WINDOW_H

#include "config.h"

#include "actors/common/plane.h"
#ifdef HAVE_OPENCL
#include "actors/common/launch.h"
#endif

/* The actor's state. Constant after the start. */
struct ps_window {
	float *columns,
		*rows; /* the window, width and height values in one block of memory; NULL: before init() */
#ifdef HAVE_OPENCL
	struct ps_launches on_devices;
#endif
};

#ifdef HAVE_OPENCL
/* On a device; open_place() behind init(). */
int ps_window_open_place(struct pstk_actor *, unsigned place);
int ps_window_fire_cl(struct pstk_firing *);
#endif

#endif
