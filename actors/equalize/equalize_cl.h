/* SPDX-License-Identifier: MIT */
/* The actor on an OpenCL device: host code that enqueues its kernels. */
#ifndef PENSTOCK_ACTORS_EQUALIZE_CL_H
#define PENSTOCK_ACTORS_EQUALIZE_CL_H

#include "penstock/opencl.h"

#include <stddef.h>

/* The actor's state: what it has on a device, NULL and 0 on the cores. Constant after init(). */
struct ps_equalize_cl {
	cl_program program;
	cl_kernel histogram, table, lookup; /* this actor's own: arguments belong to a kernel */
	cl_mem counts, tables;              /* each firing's; the queue is in order */
	size_t local, groups;               /* work-items in a group; groups for a frame */
};

/* init(), fire_cl() and finish() on a device; init and finish do nothing on the cores. What a failed init() has made it
 * has released. */
int ps_equalize_init_cl(struct pstk_actor *);
int ps_equalize_fire_cl(struct pstk_firing *);
int ps_equalize_finish_cl(struct pstk_actor *);

#endif
