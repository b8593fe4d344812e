/* SPDX-License-Identifier: MIT */
/* The device forms of the image actors, and the work sizes that suit them. Any other work size gives the same
 * result. */
#ifndef PENSTOCK_ACTORS_FRAME_CL_H
#define PENSTOCK_ACTORS_FRAME_CL_H

#include "penstock/penstock.h"

extern const struct pstk_kernel ps_gauss5x5_kernel, ps_median5_kernel, ps_threshold_kernel;

enum { PS_WORK_DIMS = 3 };

/* For pstk_actor_set_work_size(). */
struct ps_work_size {
	size_t global[PS_WORK_DIMS], local[PS_WORK_DIMS];
};

/* For one firing of `rate` frames. */
struct ps_work_size ps_gauss5x5_work_size(uint32_t width, uint32_t height, uint32_t rate);
struct ps_work_size ps_median5_work_size(uint32_t width, uint32_t height, uint32_t rate);
struct ps_work_size ps_threshold_work_size(size_t token_bytes, uint32_t rate);

#endif
