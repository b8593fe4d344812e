/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_IFFT2D_H
#define PENSTOCK_ACTORS_IFFT2D_H

#include "config.h"

#include "actors/common/fft_plane.h"
#include "actors/common/plane.h"
#ifdef HAVE_OPENCL
#include "actors/common/clfft.h"
#include "actors/common/launch.h"
#endif

/* The actor's state. Constant after init(), but for what the transforms need. */
struct ps_ifft2d {
	struct ps_fft_plane *on_cores; /* NULL: on a device */
#ifdef HAVE_OPENCL
	struct ps_clfft transform;
	struct ps_launch on_device;
#endif
};

#ifdef HAVE_OPENCL
/* On a device: the rest of init(), and fire_cl(). */
int ps_ifft2d_init_cl(struct pstk_actor *);
int ps_ifft2d_fire_cl(struct pstk_firing *);
#endif

#endif
