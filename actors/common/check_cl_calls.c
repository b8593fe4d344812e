/* SPDX-License-Identifier: MIT */
#include "actors/common/check_cl_calls.h"

#include <stddef.h>

struct cl_calls cl_calls = { .fail_at = -1 };

static cl_int fails(void)
{
	return cl_calls.calls++ == cl_calls.fail_at ? cl_calls.code : CL_SUCCESS;
}

/* Calls the real one unless this call fails; what it makes is counted. */
#define WRAP_CREATE(type, name, params, args)               \
	type __real_##name params;                          \
	type __wrap_##name params;                          \
	type __wrap_##name params                           \
	{                                                   \
		type object;                                \
                                                            \
		*code = fails();                            \
		object = *code ? NULL : __real_##name args; \
		cl_calls.objects += object != NULL;         \
		return object;                              \
	}

#define WRAP_RELEASE(type, name)              \
	cl_int __real_##name(type);           \
	cl_int __wrap_##name(type);           \
	cl_int __wrap_##name(type object)     \
	{                                     \
		cl_calls.objects--;           \
		return __real_##name(object); \
	}

#define WRAP_CALL(name, params, args)                    \
	cl_int __real_##name params;                     \
	cl_int __wrap_##name params;                     \
	cl_int __wrap_##name params                      \
	{                                                \
		cl_int code = fails();                   \
                                                         \
		return code ? code : __real_##name args; \
	}

WRAP_CREATE(cl_program, clCreateProgramWithSource,
	(cl_context context, cl_uint count, const char **texts, const size_t *sizes, cl_int *code),
	(context, count, texts, sizes, code))
WRAP_CREATE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code),
	(program, name, code))
WRAP_CREATE(cl_mem, clCreateBuffer,
	(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code),
	(context, flags, size, host, code))
WRAP_RELEASE(cl_program, clReleaseProgram)
WRAP_RELEASE(cl_kernel, clReleaseKernel)
WRAP_RELEASE(cl_mem, clReleaseMemObject)
WRAP_CALL(clBuildProgram,
	(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
		void(CL_CALLBACK *notify)(cl_program, void *), void *data),
	(program, count, devices, options, notify, data))
WRAP_CALL(clGetKernelWorkGroupInfo,
	(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size, void *value,
		size_t *real),
	(kernel, device, what, size, value, real))
WRAP_CALL(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
	(kernel, index, size, value))
WRAP_CALL(clEnqueueNDRangeKernel,
	(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
		const size_t *local, cl_uint count, const cl_event *list, cl_event *event),
	(queue, kernel, dims, offset, global, local, count, list, event))
