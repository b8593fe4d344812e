/* SPDX-License-Identifier: MIT */
/*
 * Launch: kernels and buffers of an actor whose device form is host code, fire_cl(). They belong to one device: each
 * device place of the actor has its own.
 */
#ifndef PENSTOCK_ACTORS_LAUNCH_H
#define PENSTOCK_ACTORS_LAUNCH_H

#include "penstock/opencl.h"

enum { PS_LAUNCH_KERNELS = 7, PS_LAUNCH_BUFFERS = 8, PS_LAUNCH_SIZES = 3, PS_LAUNCH_DIMS = 3 };

/* What is at one place. Constant after open_place(), but for the kernels' arguments: they are this actor's own. */
struct ps_launch {
	cl_program program;
	cl_kernel kernels[PS_LAUNCH_KERNELS];
	cl_mem buffers[PS_LAUNCH_BUFFERS];
	size_t sizes[PS_LAUNCH_SIZES]; /* what the actor has chosen for this device */
};

/* At all places, by their numbers. Part of an actor's state; zeroed: nothing is there. */
struct ps_launches {
	struct ps_launch at[PSTK_PLACES_MAX];
};

/* ACTOR. Records what a call of OpenCL said: -ENOMEM or -EIO. */
int ps_launch_fail(struct pstk_actor *, cl_int code, const char *call);

/* ACTOR, in open_place(): compiles a text, which messages call by this name, and makes its kernels. 0 or a negative
 * errno. */
int ps_launch_build(struct pstk_actor *, struct ps_launch *, const char *text, const char *name,
	const char *const *kernels);

/* ACTOR, in open_place(), behind ps_launch_build(): the work-items that a group of each of its kernels may have, `most`
 * at most. */
int ps_launch_group(struct pstk_actor *, const struct ps_launch *, size_t most, size_t *group);

/* ACTOR, in open_place(): the place's cores, if it is a CPU; else 0. */
size_t ps_launch_cores(const struct pstk_actor *);

/* ACTOR, in open_place(): makes buffer i. host: its bytes, copied; NULL: it is written by kernels. */
int ps_launch_buffer(struct pstk_actor *, struct ps_launch *, unsigned i, size_t bytes, const void *host);

/* ACTOR. Sets an argument of kernel k. */
int ps_launch_arg(struct pstk_actor *, const struct ps_launch *, unsigned k, unsigned index, size_t size,
	const void *value);

/* ACTOR, in fire_cl(): what is where this firing runs. */
const struct ps_launch *ps_launch_here(const struct ps_launches *, struct pstk_firing *);

/* ACTOR, in fire_cl(): enqueues kernel k. */
int ps_launch_run(struct pstk_firing *, const struct ps_launch *, unsigned k,
	const size_t global[PS_LAUNCH_DIMS], const size_t local[PS_LAUNCH_DIMS]);

/* Releases all that there is, at each place. */
void ps_launch_end(struct ps_launches *);

#endif
