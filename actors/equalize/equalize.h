/* SPDX-License-Identifier: MIT */
#ifndef PENSTOCK_ACTORS_EQUALIZE_H
#define PENSTOCK_ACTORS_EQUALIZE_H

#include "penstock/opencl.h"

#include <stddef.h>
#include <stdint.h>

/* pstk_equalize_type()'s work on one frame; w and h at least 1, src and dst apart from each other. */
void ps_equalize_frame(uint8_t *restrict dst, const uint8_t *restrict src, size_t w, size_t h);

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
