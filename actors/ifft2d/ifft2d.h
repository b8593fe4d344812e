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

/* The actor's state. Constant after the start, but for what the transforms need. */
struct ps_ifft2d {
	struct ps_fft_plane *on_cores; /* NULL: it is never there */
#ifdef HAVE_OPENCL
	struct ps_clffts transforms;
	struct ps_launches on_devices;
#endif
};

#ifdef HAVE_OPENCL
/* On a device. */
int ps_ifft2d_open_place(struct pstk_actor *, unsigned place);
int ps_ifft2d_fire_cl(struct pstk_firing *);
#endif

#endif
