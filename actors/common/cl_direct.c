/* SPDX-License-Identifier: MIT */
#include "actors/common/cl_direct.h"

#include <stdio.h>
#include <stdlib.h>

void cl_direct_check(cl_int err, const char *what)
{
	if (err == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: OpenCL error %d\n", what, err);
	exit(1);
}

bool cl_direct_open(struct cl_direct *cl)
{
	enum { MOST = 16 };
	cl_platform_id platforms[MOST];
	cl_uint count = 0, devices = 0;
	cl_device_type type;
	cl_int err;

	*cl = (struct cl_direct){ .device = NULL };
	if (clGetPlatformIDs(MOST, platforms, &count))
		return false;
	count = count < MOST ? count : MOST;
	for (cl_uint i = 0; i < count && !devices; i++)
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &cl->device, &devices))
			devices = 0;
	if (!devices)
		return false;
	clGetDeviceInfo(cl->device, CL_DEVICE_NAME, sizeof cl->name, cl->name, NULL);
	if (clGetDeviceInfo(cl->device, CL_DEVICE_SVM_CAPABILITIES, sizeof cl->svm, &cl->svm, NULL))
		cl->svm = 0;
	cl->is_cpu = !clGetDeviceInfo(cl->device, CL_DEVICE_TYPE, sizeof type, &type, NULL) &&
	             type & CL_DEVICE_TYPE_CPU;
	if (clGetDeviceInfo(cl->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof cl->units, &cl->units, NULL))
		cl->units = 1;
	cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &err);
	cl_direct_check(err, "clCreateContext");
	return true;
}

void cl_direct_close(struct cl_direct *cl)
{
	if (cl->context)
		clReleaseContext(cl->context);
	cl->context = NULL;
}

static void say_log(const struct cl_direct *cl, cl_program program)
{
	static char log[16384];

	if (!clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL))
		fprintf(stderr, "%s\n", log);
}

cl_kernel cl_direct_kernel(const struct cl_direct *cl, const struct pstk_kernel *form)
{
	const char *source = form->source;
	cl_int err;
	cl_program program = clCreateProgramWithSource(cl->context, 1, &source, NULL, &err);
	cl_kernel kernel;

	cl_direct_check(err, "clCreateProgramWithSource");
	err = clBuildProgram(program, 1, &cl->device, form->options, NULL, NULL);
	if (err)
		say_log(cl, program);
	cl_direct_check(err, form->name);
	kernel = clCreateKernel(program, form->name, &err);
	cl_direct_check(err, form->name);
	clReleaseProgram(program);
	return kernel;
}

static void set_uint(cl_kernel kernel, cl_uint index, cl_uint value)
{
	cl_direct_check(clSetKernelArg(kernel, index, sizeof value, &value), "a kernel's argument");
}

static void set_ulong(cl_kernel kernel, cl_uint index, cl_ulong value)
{
	cl_direct_check(clSetKernelArg(kernel, index, sizeof value, &value), "a kernel's argument");
}

void cl_direct_filter_args(cl_kernel kernel, cl_uint index, cl_uint width, cl_uint height, cl_uint frames)
{
	set_ulong(kernel, index, 0);
	set_uint(kernel, index + 1, width);
	set_uint(kernel, index + 2, height);
	set_uint(kernel, index + 3, frames);
}

void cl_direct_threshold_args(
	cl_kernel kernel, cl_uint index, cl_ulong token_bytes, cl_uint tokens, cl_uint threshold)
{
	set_ulong(kernel, index, 0);
	set_ulong(kernel, index + 1, token_bytes);
	set_uint(kernel, index + 2, tokens);
	set_uint(kernel, index + 3, threshold);
}

cl_command_queue cl_direct_queue(const struct cl_direct *cl)
{
	cl_int err;
	cl_command_queue queue = clCreateCommandQueue(cl->context, cl->device, 0, &err);

	cl_direct_check(err, "clCreateCommandQueue");
	return queue;
}
