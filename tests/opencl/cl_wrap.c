/* SPDX-License-Identifier: MIT */
#include "tests/opencl/cl_wrap.h"

#include <stdlib.h>
#include <string.h>

bool second_platform;
int contexts, parts_alive, divisions;
cl_uint failing_info, lie;
const void *lie_data;
size_t lie_size;
cl_notify_fn notify;

static enum cl_call failing; /* this function */
static int fails_after;      /* so many calls */
static cl_int fails_with;    /* code */

cl_int __real_clCreateSubDevices(
	cl_device_id, const cl_device_partition_property *, cl_uint, cl_device_id *, cl_uint *);
cl_int __real_clReleaseDevice(cl_device_id);
cl_context __real_clCreateContext(
	const cl_context_properties *, cl_uint, const cl_device_id *, cl_notify_fn, void *, cl_int *);
cl_int __real_clRetainContext(cl_context);
cl_int __real_clReleaseContext(cl_context);

static bool fails(enum cl_call call)
{
	return failing == call && fails_after-- <= 0;
}

void let_fail(enum cl_call call, int after, cl_int code)
{
	failing = call;
	fails_after = after;
	fails_with = code;
	failing_info = 0;
}

cl_int __wrap_clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *count);
cl_int __wrap_clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *count)
{
	if (!fails(PLATFORM_IDS) && !second_platform)
		return __real_clGetPlatformIDs(room, ids, count);
	if (second_platform) {
		cl_int code = __real_clGetPlatformIDs(ids ? 1 : 0, ids, count);

		if (ids)
			ids[1] = ids[0];
		if (count)
			*count = 2;
		return code;
	}
	if (count)
		*count = 0;
	return fails_with;
}

cl_int __wrap_clGetDeviceIDs(
	cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count);
cl_int __wrap_clGetDeviceIDs(
	cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count)
{
	if (!fails(DEVICE_IDS))
		return __real_clGetDeviceIDs(platform, type, room, ids, count);
	if (count)
		*count = 0;
	return fails_with;
}

cl_int __wrap_clGetPlatformInfo(
	cl_platform_id id, cl_platform_info what, size_t room, void *value, size_t *size);
cl_int __wrap_clGetPlatformInfo(
	cl_platform_id id, cl_platform_info what, size_t room, void *value, size_t *size)
{
	if ((failing_info == 0 || failing_info == what) && fails(PLATFORM_INFO))
		return fails_with;
	return __real_clGetPlatformInfo(id, what, room, value, size);
}

cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *size);
cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *size)
{
	if ((failing_info == 0 || failing_info == what) && fails(DEVICE_INFO))
		return fails_with;
	if (lie == 0 || what != lie)
		return __real_clGetDeviceInfo(id, what, room, value, size);
	if (value)
		memcpy(value, lie_data, lie_size);
	if (size)
		*size = lie_size;
	return CL_SUCCESS;
}

cl_int __wrap_clCreateSubDevices(cl_device_id in, const cl_device_partition_property *how, cl_uint room,
	cl_device_id *ids, cl_uint *count);
cl_int __wrap_clCreateSubDevices(cl_device_id in, const cl_device_partition_property *how, cl_uint room,
	cl_device_id *ids, cl_uint *count)
{
	cl_int code;

	if (fails(SUB_DEVICES)) {
		if (count)
			*count = 1;
		return fails_with;
	}
	code = __real_clCreateSubDevices(in, how, room, ids, count);
	if (!code && ids) {
		parts_alive += (int)room;
		divisions++;
	}
	return code;
}

cl_int __wrap_clReleaseDevice(cl_device_id id);
cl_int __wrap_clReleaseDevice(cl_device_id id)
{
	parts_alive--;
	ck_assert_int_eq(contexts, 0); /* no context has it any more */
	return __real_clReleaseDevice(id);
}

cl_context __wrap_clCreateContext(const cl_context_properties *properties, cl_uint count,
	const cl_device_id *ids, cl_notify_fn fn, void *data, cl_int *code);
cl_context __wrap_clCreateContext(const cl_context_properties *properties, cl_uint count,
	const cl_device_id *ids, cl_notify_fn fn, void *data, cl_int *code)
{
	cl_context context;

	notify = fn;
	if (fails(CONTEXT)) {
		*code = fails_with;
		return NULL;
	}
	context = __real_clCreateContext(properties, count, ids, fn, data, code);
	contexts += context != NULL;
	return context;
}

cl_int __wrap_clRetainContext(cl_context context);
cl_int __wrap_clRetainContext(cl_context context)
{
	if (fails(RETAIN))
		return fails_with;
	contexts++;
	return __real_clRetainContext(context);
}

cl_int __wrap_clReleaseContext(cl_context context);
cl_int __wrap_clReleaseContext(cl_context context)
{
	contexts--;
	return __real_clReleaseContext(context);
}

void cl_machine(void)
{
	setenv("POCL_DEVICES", "pthread", 1);
	setenv("POCL_MAX_PTHREAD_COUNT", "5", 1); /* TEST_UNITS, however many cores there are */
	unsetenv("PENSTOCK_DEBUG");
}
