/* SPDX-License-Identifier: MIT */
/* The memory of a FIFO with a device's end: taking it, mapping it, moving windows between host and device. */
#ifndef PENSTOCK_CL_MEMORY_H
#define PENSTOCK_CL_MEMORY_H

#include "lib/opencl/cl_fifo.h"

/* Maps a block for the host once `after` (NULL: nothing) has happened; *event: when the host may touch it. */
int ps_cl_memory_map(struct ps_cl_fifo *, uint64_t block, cl_map_flags, cl_event after, cl_event *event,
	struct ps_cl_fault *);

/* Gives a mapped block back to the device, once `after` (NULL: nothing) has happened: where the map may still be on its
 * way, the map itself. The two are on queues of their own, and a driver may crash on an unmap that overtakes its map
 * (PoCL 3.1 frees what the map has yet to use). */
int ps_cl_memory_unmap(
	struct ps_cl_fifo *, uint64_t block, cl_event after, cl_event *event, struct ps_cl_fault *);

/* Flushes a queue of the FIFO's. 0, or the fault. */
int ps_cl_memory_flush(const struct ps_cl_fifo *, cl_command_queue, struct ps_cl_fault *);

/* The event of the write that fills read j; NULL: none does. */
cl_event ps_cl_fifo_filled(struct ps_cl_fifo *, uint64_t j);

/* The block in which write w begins. */
uint64_t ps_cl_fifo_write_block(const struct ps_cl_fifo *, uint64_t w);

#endif
