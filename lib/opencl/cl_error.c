/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_error.h"

#include <CL/cl_ext.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define CODE(code)          \
	{                   \
		code, #code \
	}

static const struct {
	cl_int code;
	const char *name;
} names[] = {
	CODE(CL_SUCCESS),
	CODE(CL_DEVICE_NOT_FOUND),
	CODE(CL_DEVICE_NOT_AVAILABLE),
	CODE(CL_COMPILER_NOT_AVAILABLE),
	CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
	CODE(CL_OUT_OF_RESOURCES),
	CODE(CL_OUT_OF_HOST_MEMORY),
	CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
	CODE(CL_MEM_COPY_OVERLAP),
	CODE(CL_IMAGE_FORMAT_MISMATCH),
	CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
	CODE(CL_BUILD_PROGRAM_FAILURE),
	CODE(CL_MAP_FAILURE),
	CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
	CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
	CODE(CL_COMPILE_PROGRAM_FAILURE),
	CODE(CL_LINKER_NOT_AVAILABLE),
	CODE(CL_LINK_PROGRAM_FAILURE),
	CODE(CL_DEVICE_PARTITION_FAILED),
	CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
	CODE(CL_INVALID_VALUE),
	CODE(CL_INVALID_DEVICE_TYPE),
	CODE(CL_INVALID_PLATFORM),
	CODE(CL_INVALID_DEVICE),
	CODE(CL_INVALID_CONTEXT),
	CODE(CL_INVALID_QUEUE_PROPERTIES),
	CODE(CL_INVALID_COMMAND_QUEUE),
	CODE(CL_INVALID_HOST_PTR),
	CODE(CL_INVALID_MEM_OBJECT),
	CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
	CODE(CL_INVALID_IMAGE_SIZE),
	CODE(CL_INVALID_SAMPLER),
	CODE(CL_INVALID_BINARY),
	CODE(CL_INVALID_BUILD_OPTIONS),
	CODE(CL_INVALID_PROGRAM),
	CODE(CL_INVALID_PROGRAM_EXECUTABLE),
	CODE(CL_INVALID_KERNEL_NAME),
	CODE(CL_INVALID_KERNEL_DEFINITION),
	CODE(CL_INVALID_KERNEL),
	CODE(CL_INVALID_ARG_INDEX),
	CODE(CL_INVALID_ARG_VALUE),
	CODE(CL_INVALID_ARG_SIZE),
	CODE(CL_INVALID_KERNEL_ARGS),
	CODE(CL_INVALID_WORK_DIMENSION),
	CODE(CL_INVALID_WORK_GROUP_SIZE),
	CODE(CL_INVALID_WORK_ITEM_SIZE),
	CODE(CL_INVALID_GLOBAL_OFFSET),
	CODE(CL_INVALID_EVENT_WAIT_LIST),
	CODE(CL_INVALID_EVENT),
	CODE(CL_INVALID_OPERATION),
	CODE(CL_INVALID_GL_OBJECT),
	CODE(CL_INVALID_BUFFER_SIZE),
	CODE(CL_INVALID_MIP_LEVEL),
	CODE(CL_INVALID_GLOBAL_WORK_SIZE),
	CODE(CL_INVALID_PROPERTY),
	CODE(CL_INVALID_IMAGE_DESCRIPTOR),
	CODE(CL_INVALID_COMPILER_OPTIONS),
	CODE(CL_INVALID_LINKER_OPTIONS),
	CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
	CODE(CL_INVALID_PIPE_SIZE),
	CODE(CL_INVALID_DEVICE_QUEUE),
	CODE(CL_INVALID_SPEC_ID),
	CODE(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
	CODE(CL_PLATFORM_NOT_FOUND_KHR),
};

const char *ps_cl_error_name(cl_int code)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].code == code)
			return names[i].name;
	return "unknown OpenCL error";
}

int ps_cl_errno(cl_int code)
{
	switch (code) {
	case CL_SUCCESS:
		return 0;
	case CL_MEM_OBJECT_ALLOCATION_FAILURE:
	case CL_OUT_OF_RESOURCES:
	case CL_OUT_OF_HOST_MEMORY:
		return -ENOMEM;
	case CL_DEVICE_NOT_FOUND:
	case CL_DEVICE_NOT_AVAILABLE:
	case CL_PLATFORM_NOT_FOUND_KHR:
		return -ENODEV;
	case CL_BUILD_PROGRAM_FAILURE:
	case CL_COMPILE_PROGRAM_FAILURE:
	case CL_LINK_PROGRAM_FAILURE:
		return -EINVAL;
	default: /* wrong arguments have the numbers from INVALID_VALUE on */
		return code <= CL_INVALID_VALUE && code >= CL_MAX_SIZE_RESTRICTION_EXCEEDED ? -EINVAL : -EIO;
	}
}

int ps_cl_fail(struct ps_cl_fault *fault, cl_int code, const char *function, const char *on)
{
	/* a success that is told as a failure would be lost: it is the caller's mistake, but still a failure */
	int err = code == CL_SUCCESS ? -EIO : ps_cl_errno(code);

	return ps_cl_refuse(fault, err, "%s: %s (%d)%s%s", function, ps_cl_error_name(code), (int)code,
		on ? " on " : "", on ? on : "");
}

int ps_cl_refuse(struct ps_cl_fault *fault, int err, const char *format, ...)
{
	va_list ap;

	if (fault->err)
		return fault->err;
	va_start(ap, format);
	vsnprintf(fault->text, sizeof fault->text, format, ap);
	va_end(ap);
	fault->err = err;
	return err;
}
