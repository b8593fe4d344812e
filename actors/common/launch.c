/* SPDX-License-Identifier: MIT */
#include "actors/common/launch.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

int ps_launch_fail(struct pstk_actor *self, cl_int code, const char *call)
{
	bool memory = code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
	              code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE;

	return pstk_actor_error(
		self, memory ? -ENOMEM : -EIO, "%s: %s (%d)", call, pstk_cl_error_name(code), (int)code);
}

int ps_launch_build(struct pstk_actor *self, struct ps_launch *l, const char *text, const char *name,
	const char *const *kernels)
{
	cl_device_id device = pstk_cl_device(self);
	char call[64];
	cl_int code;

	l->program = clCreateProgramWithSource(pstk_cl_context(self), 1, &text, NULL, &code);
	if (code)
		return ps_launch_fail(self, code, "clCreateProgramWithSource");
	code = clBuildProgram(l->program, 1, &device, NULL, NULL, NULL);
	if (code) {
		snprintf(call, sizeof call, "clBuildProgram of %s", name);
		return ps_launch_fail(self, code, call);
	}
	for (unsigned k = 0; kernels[k]; k++) {
		l->kernels[k] = clCreateKernel(l->program, kernels[k], &code);
		if (code)
			return ps_launch_fail(self, code, "clCreateKernel");
	}
	return 0;
}

int ps_launch_group(struct pstk_actor *self, const struct ps_launch *l, size_t most, size_t *group)
{
	*group = most;
	for (unsigned k = 0; k < PS_LAUNCH_KERNELS && l->kernels[k]; k++) {
		size_t allowed = 0;
		cl_int code = clGetKernelWorkGroupInfo(l->kernels[k], pstk_cl_device(self),
			CL_KERNEL_WORK_GROUP_SIZE, sizeof allowed, &allowed, NULL);

		if (code)
			return ps_launch_fail(self, code, "clGetKernelWorkGroupInfo");
		if (allowed && allowed < *group)
			*group = allowed;
	}
	return 0;
}

int ps_launch_buffer(struct pstk_actor *self, struct ps_launch *l, unsigned i, size_t bytes, const void *host)
{
	cl_mem_flags flags = host ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE;
	cl_int code;

	l->buffers[i] = clCreateBuffer(pstk_cl_context(self), flags, bytes, (void *)(uintptr_t)host, &code);
	return code ? ps_launch_fail(self, code, "clCreateBuffer") : 0;
}

int ps_launch_arg(struct pstk_actor *self, const struct ps_launch *l, unsigned k, unsigned index, size_t size,
	const void *value)
{
	cl_int code = clSetKernelArg(l->kernels[k], index, size, value);

	return code ? ps_launch_fail(self, code, "clSetKernelArg") : 0;
}

const struct ps_launch *ps_launch_here(const struct ps_launches *l, struct pstk_firing *f)
{
	return &l->at[pstk_cl_place(f)];
}

size_t ps_launch_cores(const struct pstk_actor *self)
{
	cl_device_type type = 0;
	cl_uint units = 1;

	if (clGetDeviceInfo(pstk_cl_device(self), CL_DEVICE_TYPE, sizeof type, &type, NULL) ||
		!(type & CL_DEVICE_TYPE_CPU))
		return 0;
	clGetDeviceInfo(pstk_cl_device(self), CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
	return units ? units : 1;
}

int ps_launch_run(struct pstk_firing *f, const struct ps_launch *l, unsigned k,
	const size_t global[PS_LAUNCH_DIMS], const size_t local[PS_LAUNCH_DIMS])
{
	cl_int code = clEnqueueNDRangeKernel(
		pstk_cl_queue(f), l->kernels[k], PS_LAUNCH_DIMS, NULL, global, local, 0, NULL, NULL);

	return code ? ps_launch_fail(pstk_firing_actor(f), code, "clEnqueueNDRangeKernel") : 0;
}

static void end_place(struct ps_launch *l)
{
	for (unsigned i = 0; i < PS_LAUNCH_BUFFERS; i++)
		if (l->buffers[i])
			clReleaseMemObject(l->buffers[i]);
	for (unsigned k = 0; k < PS_LAUNCH_KERNELS; k++)
		if (l->kernels[k])
			clReleaseKernel(l->kernels[k]);
	if (l->program)
		clReleaseProgram(l->program);
}

void ps_launch_end(struct ps_launches *l)
{
	for (unsigned place = 0; place < PSTK_PLACES_MAX; place++)
		end_place(&l->at[place]);
	*l = (struct ps_launches){ 0 };
}
