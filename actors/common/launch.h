/* SPDX-License-Identifier: MIT */
/* Launch: kernels and buffers of an actor whose device form is host code, fire_cl(). */
#ifndef PENSTOCK_ACTORS_LAUNCH_H
#define PENSTOCK_ACTORS_LAUNCH_H

#include "penstock/opencl.h"

enum { PS_LAUNCH_KERNELS = 3, PS_LAUNCH_BUFFERS = 3, PS_LAUNCH_DIMS = 3 };

/* Part of an actor's state. Constant after init(), but for the kernels' arguments: they are this actor's own. */
struct ps_launch {
	cl_program program;
	cl_kernel kernels[PS_LAUNCH_KERNELS];
	cl_mem buffers[PS_LAUNCH_BUFFERS];
};

/* ACTOR. Records what a call of OpenCL said: -ENOMEM or -EIO. */
int ps_launch_fail(struct pstk_actor *, cl_int code, const char *call);

/* ACTOR, in init(): compiles a text, which messages call by this name, and makes its kernels. 0 or a negative errno. */
int ps_launch_build(struct pstk_actor *, struct ps_launch *, const char *text, const char *name,
	const char *const *kernels);

/* ACTOR, in init(): makes buffer i. host: its bytes, copied; NULL: it is written by kernels. */
int ps_launch_buffer(struct pstk_actor *, struct ps_launch *, unsigned i, size_t bytes, const void *host);

/* ACTOR. Sets an argument of kernel k. */
int ps_launch_arg(struct pstk_actor *, const struct ps_launch *, unsigned k, unsigned index, size_t size,
	const void *value);

/* ACTOR, in fire_cl(): enqueues kernel k. */
int ps_launch_run(struct pstk_firing *, const struct ps_launch *, unsigned k,
	const size_t global[PS_LAUNCH_DIMS], const size_t local[PS_LAUNCH_DIMS]);

/* Releases all that there is. */
void ps_launch_end(struct ps_launch *);

#endif
