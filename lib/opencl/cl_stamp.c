/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_stamp.h"

enum { BYTES = 4 };

int ps_cl_stamp_open(struct ps_cl_stamp *s, const struct ps_cl_device *device, struct ps_cl_fault *fault)
{
	cl_int err = CL_SUCCESS;

	s->bytes = NULL;
	if (!device->nvidia)
		return 0;
	s->bytes = clCreateBuffer(device->context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
	if (!err)
		return 0;
	s->bytes = NULL;
	return ps_cl_fail(fault, err, "clCreateBuffer for a command's times", device->info.selector);
}

void ps_cl_stamp_close(struct ps_cl_stamp *s)
{
	if (s->bytes)
		clReleaseMemObject(s->bytes);
	s->bytes = NULL;
}

cl_int ps_cl_stamp_enqueue(const struct ps_cl_stamp *s, cl_command_queue queue, cl_uint count,
	const cl_event *waits, cl_event *event)
{
	static const unsigned char zero = 0;

	return s->bytes ? clEnqueueFillBuffer(queue, s->bytes, &zero, 1, 0, BYTES, count, waits, event)
	                : clEnqueueMarkerWithWaitList(queue, count, waits, event);
}

const char *ps_cl_stamp_call(const struct ps_cl_stamp *s)
{
	return s->bytes ? "clEnqueueFillBuffer" : "clEnqueueMarkerWithWaitList";
}
