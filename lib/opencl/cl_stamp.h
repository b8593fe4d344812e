/* SPDX-License-Identifier: MIT */
/*
 * CL stamp: a command that does nothing, whose profile says when its queue came to it. A marker; for NVIDIA's driver,
 * which has no times of markers, a fill of a few bytes.
 */
#ifndef PENSTOCK_CL_STAMP_H
#define PENSTOCK_CL_STAMP_H

#include "lib/opencl/cl_device.h"

/* Zeroed: a marker. */
struct ps_cl_stamp {
	cl_mem bytes; /* that are filled; NULL: markers have times. Constant once it is open */
};

/* start(). 0, or a negative errno with the fault filled. */
int ps_cl_stamp_open(struct ps_cl_stamp *, const struct ps_cl_device *, struct ps_cl_fault *);
void ps_cl_stamp_close(struct ps_cl_stamp *);

/* On an in-order queue with profiling, after these events. *event: owned by the caller. */
cl_int ps_cl_stamp_enqueue(
	const struct ps_cl_stamp *, cl_command_queue, cl_uint count, const cl_event *waits, cl_event *event);

/* The call that does so, for messages. */
const char *ps_cl_stamp_call(const struct ps_cl_stamp *);

#endif
