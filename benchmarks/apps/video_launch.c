/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/video_launch.h"
#include "benchmarks/common/device_bench.h"

/* Launches in front of those that count: the kernel is built for these sizes. */
enum { WARM = 2 };

static void set_arg(struct video_launch *l, cl_uint i)
{
	const struct video_arg *a = &l->args[i];
	cl_int err = CL_SUCCESS;

	if (!a->buffer) {
		cl_direct_check(clSetKernelArg(l->built, i, a->bytes, a->value), "clSetKernelArg");
		return;
	}
	l->buffers[i] = clCreateBuffer(
		l->cl.context, a->value ? CL_MEM_COPY_HOST_PTR : 0, a->bytes, (void *)a->value, &err);
	cl_direct_check(err, "clCreateBuffer");
	cl_direct_check(clSetKernelArg(l->built, i, sizeof(cl_mem), &l->buffers[i]), "clSetKernelArg");
}

static void launch(const struct video_launch *l, uint64_t times)
{
	for (uint64_t i = 0; i < times; i++)
		cl_direct_check(clEnqueueNDRangeKernel(
					l->queue, l->built, 3, NULL, l->global, l->local, 0, NULL, NULL),
			"clEnqueueNDRangeKernel");
	cl_direct_check(clFinish(l->queue), "clFinish");
}

static void begin(struct video_launch *l)
{
	if (!cl_direct_open(&l->cl))
		rounds_fail("there is no OpenCL device");
	l->queue = cl_direct_queue(&l->cl);
	l->built = cl_direct_kernel(&l->cl, &l->kernel);
	for (cl_uint i = 0; i < VIDEO_LAUNCH_ARGS && l->args[i].bytes; i++)
		set_arg(l, i);
}

uint64_t video_launch_run(const void *arg, uint64_t items)
{
	struct video_launch *l = (struct video_launch *)(uintptr_t)arg;
	struct device_moment from, to;

	if (!l->built)
		begin(l);
	launch(l, WARM);
	from = device_now();
	launch(l, items);
	to = device_now();
	l->cost = device_rounds_cost(&from, &to);
	return 0;
}

void video_launch_end(struct video_launch *l)
{
	if (!l->built)
		return;
	for (unsigned i = 0; i < VIDEO_LAUNCH_ARGS; i++)
		if (l->buffers[i])
			clReleaseMemObject(l->buffers[i]);
	clReleaseKernel(l->built);
	clReleaseCommandQueue(l->queue);
	cl_direct_close(&l->cl);
	l->built = NULL;
}
