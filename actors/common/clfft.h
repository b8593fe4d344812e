/* SPDX-License-Identifier: MIT */
/* Two-dimensional transforms on a device, by clFFT: what fft2d and ifft2d share. */
#ifndef PENSTOCK_ACTORS_CLFFT_H
#define PENSTOCK_ACTORS_CLFFT_H

#include "penstock/opencl.h"

/* A plan, which belongs to one actor at one place. */
struct ps_clfft {
	size_t plan;
	bool set_up, made;
	cl_mem between; /* memory that a transform needs besides; NULL: none */
};

/* Those of all places, by their numbers. Part of an actor's state; zeroed: there is none. */
struct ps_clffts {
	struct ps_clfft at[PSTK_PLACES_MAX];
};

/* How a transform is done. */
struct ps_clfft_way {
	bool inverse;  /* exp(+..), scaled by 1 / (width x height); else exp(-..), not scaled */
	bool in_place; /* else what comes in stays */
	size_t batch;  /* transforms at once, one behind the other in memory */
};

/*
 * ACTOR, in open_place(), of an actor whose arg begins with a struct pstk_frame_size: compiles it, which takes seconds.
 * ps_clfft_end() follows in any case. Errors, of which the actor has the message:
 *   -ENOTSUP: this build has no clFFT, or the size has a prime factor above 13
 *   -ENOMEM, -EIO
 */
int ps_clfft_make(struct pstk_actor *, struct ps_clfft *, const struct ps_clfft_way *);

/* ACTOR, in fire_cl(): enqueues the one that is where this firing runs. out NULL: in place. */
int ps_clfft_run(struct pstk_firing *, const struct ps_clffts *, bool inverse, cl_mem in, cl_mem out);

/* Ends those of all places. */
void ps_clfft_end(struct ps_clffts *);

#endif
