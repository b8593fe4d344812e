/* SPDX-License-Identifier: MIT */
/* The actor on an OpenCL device: host code that enqueues its kernels. */
#ifndef PENSTOCK_ACTORS_OPENINGS_CL_H
#define PENSTOCK_ACTORS_OPENINGS_CL_H

#include "actors/openings/openings.h"
#include "penstock/opencl.h"

/* Begins the actor's state: what it has on a device, NULL and 0 on the cores. Constant after init(). */
struct ps_openings_cl {
	cl_program program;
	cl_kernel unit, ones, total;           /* this actor's own: arguments belong to a kernel */
	cl_mem eroded[2], dilated[2], partial; /* each firing's; the queue is in order */
	cl_uint strip;                         /* words of a row that a work-item makes */
	size_t local, groups;                  /* work-items in a group; groups that count an image */
};

/* init(), fire_cl() and finish() on a device; finish does nothing on the cores. What a failed init() has made it has
 * released. */
int ps_openings_init_cl(struct pstk_actor *);
int ps_openings_fire_cl(struct pstk_firing *);
void ps_openings_finish_cl(struct pstk_actor *);

#endif
