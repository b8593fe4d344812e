/* SPDX-License-Identifier: MIT */
/*
 * Merged memory of a device: a buffer for each slot (lib/fifo/merged.h has the protocol).
 *
 * What was given back is counted when the command that reads it is enqueued. So a write waits for that command, on the
 * device.
 */
#ifndef PENSTOCK_CL_MERGED_H
#define PENSTOCK_CL_MERGED_H

#include "lib/fifo/merged.h"
#include "lib/opencl/cl_device.h"
#include "lib/opencl/cl_event.h"

struct ps_cl_fifo;

/* start(). Takes the memory of a group. */
int ps_cl_merged_allocate(struct ps_merged *, const struct ps_cl_device *, struct ps_cl_fault *);

/* When none of its FIFOs is left. lost: commands may still touch the memory. */
void ps_cl_merged_free(struct ps_merged *, bool lost);

/* start(). Before it is created: the FIFO is to be one of this member, of what its writer fills, or, COMES, of a way's
 * last place. Then, when it has its events: it becomes one. */
void ps_cl_merged_join(struct ps_member *, struct ps_cl_fifo *);
void ps_cl_merged_add(struct ps_cl_fifo *);

/* What window n waits for on the device, once it may be written. Returns how many events. Borrowed. */
unsigned ps_cl_merged_waits(const struct ps_member *, uint64_t n, cl_event waits[PS_MEMBER_READERS]);

#endif
