/* SPDX-License-Identifier: MIT */
/* Two-dimensional transforms on the cores, of one frame at a time: what fft2d and ifft2d share. */
#ifndef PENSTOCK_ACTORS_FFT_PLANE_H
#define PENSTOCK_ACTORS_FFT_PLANE_H

#include "actors/common/fft_any.h"

struct ps_fft_plane;

/* ACTOR, in init(), of an actor whose arg begins with a struct pstk_frame_size: has memory for as many transforms at
 * once as the actor has firings side by side. whole: ps_fft_plane_energy() will be called. *fft is NULL after a
 * failure, and the actor has its error: -ENOMEM, or -ENOTSUP: this build has no kissfft. */
int ps_fft_plane_create(struct ps_fft_plane **fft, struct pstk_actor *, bool inverse, bool whole);
void ps_fft_plane_destroy(struct ps_fft_plane *);

/* Any number of threads at once, but no more than the actor has firings. Both transform rows, then columns; allocate
 * nothing. */

/* The transform of real numbers. */
void ps_fft_plane_real(struct ps_fft_plane *, struct pstk_cf32 *restrict to, const float *restrict from);

/* The squared magnitudes of the transform, times scale. Rows of zeros cost nothing. */
void ps_fft_plane_energy(
	struct ps_fft_plane *, float *restrict to, const struct pstk_cf32 *restrict from, float scale);

#endif
