/* SPDX-License-Identifier: MIT */
/* Kernels: their arguments, and what they tell of themselves. */
#include "tests/fake_cl/fake.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static void clear(struct fake_value *arg)
{
	free(arg->bytes);
	*arg = (struct fake_value){ .had_memory = arg->had_memory };
}

void fake_kernel_destroy(cl_kernel kernel)
{
	for (unsigned i = 0; i < kernel->arg_count; i++)
		clear(&kernel->args[i]);
	free(kernel->name);
	kernel->program->kernels--;
	fake_drop(kernel->program);
}

cl_int fake_clRetainKernel(cl_kernel kernel)
{
	cl_int err = fake_enter(FAKE_clRetainKernel);

	return fake_leave(err ? err : fake_retain(kernel, FAKE_CL_KERNEL, CL_INVALID_KERNEL));
}

cl_int fake_clReleaseKernel(cl_kernel kernel)
{
	cl_int err = fake_enter(FAKE_clReleaseKernel);

	return fake_leave(err ? err : fake_release(kernel, FAKE_CL_KERNEL, CL_INVALID_KERNEL));
}

/* -- arguments -- */

static cl_int set_memory(cl_kernel kernel, struct fake_value *arg, size_t size, const void *value)
{
	cl_mem mem = value ? *(const cl_mem *)value : NULL;

	if (size != sizeof(cl_mem)) {
		fake_violation("kernel %s: a memory object of %zu bytes", kernel->name, size);
		return CL_INVALID_ARG_SIZE;
	}
	if (mem && !fake_valid(mem, FAKE_CL_BUFFER))
		return CL_INVALID_MEM_OBJECT;
	clear(arg);
	arg->had_memory |= mem != NULL;
	arg->mem = mem;
	arg->size = size;
	arg->set = true;
	return CL_SUCCESS;
}

static cl_int set_local(struct fake_value *arg, size_t size, const void *value)
{
	if (value)
		return CL_INVALID_ARG_VALUE;
	if (!size)
		return CL_INVALID_ARG_SIZE;
	clear(arg);
	arg->size = size;
	arg->set = true;
	return CL_SUCCESS;
}

static cl_int set_value(cl_kernel kernel, const struct fake_cl_arg *param, struct fake_value *arg,
	size_t size, const void *value)
{
	unsigned char *bytes;

	if (!value)
		return CL_INVALID_ARG_VALUE;
	if (size != param->size) {
		fake_violation("kernel %s: %zu bytes for '%s', a %s, which has %zu", kernel->name, size,
			param->name, param->type, param->size);
		if (fake.settings.argsize)
			return CL_INVALID_ARG_SIZE;
	}
	bytes = calloc(1, param->size + size);
	if (!bytes)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(bytes, value, size);
	clear(arg);
	arg->bytes = bytes;
	arg->size = param->size;
	arg->set = true;
	return CL_SUCCESS;
}

static cl_int set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	struct fake_value *arg = &kernel->args[index];
	struct fake_cl_arg param = kernel->body.args[index];

	switch (param.space) {
	case CL_KERNEL_ARG_ADDRESS_GLOBAL:
	case CL_KERNEL_ARG_ADDRESS_CONSTANT:
		return set_memory(kernel, arg, size, value);
	case CL_KERNEL_ARG_ADDRESS_LOCAL:
		return set_local(arg, size, value);
	default:
		return set_value(kernel, &param, arg, size, value);
	}
}

static cl_int set_svm(cl_kernel kernel, cl_uint index, const void *value)
{
	struct fake_value *arg = &kernel->args[index];
	struct fake_cl_arg param = kernel->body.args[index];

	if (fake.settings.version < 20)
		return CL_INVALID_OPERATION;
	if (param.space != CL_KERNEL_ARG_ADDRESS_GLOBAL && param.space != CL_KERNEL_ARG_ADDRESS_CONSTANT)
		return CL_INVALID_ARG_VALUE;
	if (value && !fake_svm_find(value)) {
		fake_violation("kernel %s: '%s' points into no SVM allocation", kernel->name, param.name);
		return CL_INVALID_ARG_VALUE;
	}
	clear(arg);
	arg->had_memory |= value != NULL;
	arg->svm = (char *)(uintptr_t)value;
	arg->set = true;
	return CL_SUCCESS;
}

/* Lets go of the lock for a moment so that a second thread that uses the kernel is seen to. */
static cl_int enter_kernel(enum fake_function function, cl_kernel kernel)
{
	cl_int err = fake_enter(function);

	if (!err && !fake_valid(kernel, FAKE_CL_KERNEL))
		err = CL_INVALID_KERNEL;
	if (err)
		return err;
	fake_hold(kernel);
	if (kernel->callers++)
		fake_violation("kernel %s: two threads use it at once", kernel->name);
	pthread_mutex_unlock(&fake.lock);
	sched_yield();
	pthread_mutex_lock(&fake.lock);
	kernel->callers--;
	fake_drop(kernel);
	return CL_SUCCESS;
}

cl_int fake_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	cl_int err = enter_kernel(FAKE_clSetKernelArg, kernel);

	if (!err)
		err = index < kernel->arg_count ? set_arg(kernel, index, size, value) : CL_INVALID_ARG_INDEX;
	return fake_leave(err);
}

cl_int fake_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
	cl_int err = enter_kernel(FAKE_clSetKernelArgSVMPointer, kernel);

	if (!err)
		err = index < kernel->arg_count ? set_svm(kernel, index, value) : CL_INVALID_ARG_INDEX;
	return fake_leave(err);
}

/* Kernels in C only get the pointers that are arguments. */
cl_int fake_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info what, size_t size, const void *value)
{
	cl_int err = enter_kernel(FAKE_clSetKernelExecInfo, kernel);

	if (!err && fake.settings.version < 20)
		err = CL_INVALID_OPERATION;
	if (!err && (!value || !size ||
			    (what != CL_KERNEL_EXEC_INFO_SVM_PTRS &&
				    what != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM)))
		err = CL_INVALID_VALUE;
	return fake_leave(err);
}

/* -- queries -- */

#define TEXT(what) fake_info(what, strlen(what) + 1, size, value, size_ret)

cl_int fake_clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetKernelInfo);

	if (!err && !fake_valid(kernel, FAKE_CL_KERNEL))
		err = CL_INVALID_KERNEL;
	if (err)
		return fake_leave(err);
	switch (what) {
	case CL_KERNEL_FUNCTION_NAME:
		return fake_leave(TEXT(kernel->name));
	case CL_KERNEL_NUM_ARGS:
		return fake_leave(FAKE_INFO(cl_uint, kernel->arg_count));
	case CL_KERNEL_REFERENCE_COUNT:
		return fake_leave(FAKE_INFO(cl_uint, kernel->o.refs));
	case CL_KERNEL_CONTEXT:
		return fake_leave(FAKE_INFO(cl_context, kernel->program->context));
	case CL_KERNEL_PROGRAM:
		return fake_leave(FAKE_INFO(cl_program, kernel->program));
	case CL_KERNEL_ATTRIBUTES:
		return fake_leave(TEXT(""));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}

static bool tells_args(cl_kernel kernel)
{
	return fake.settings.arginfo && strstr(kernel->program->options, "-cl-kernel-arg-info");
}

cl_int fake_clGetKernelArgInfo(
	cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetKernelArgInfo);
	struct fake_cl_arg param;

	if (!err && !fake_valid(kernel, FAKE_CL_KERNEL))
		err = CL_INVALID_KERNEL;
	if (!err && index >= kernel->arg_count)
		err = CL_INVALID_ARG_INDEX;
	if (!err && !tells_args(kernel))
		err = CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	if (err)
		return fake_leave(err);
	param = kernel->body.args[index];
	switch (what) {
	case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
		return fake_leave(FAKE_INFO(cl_kernel_arg_address_qualifier, param.space));
	case CL_KERNEL_ARG_ACCESS_QUALIFIER:
		return fake_leave(FAKE_INFO(cl_kernel_arg_access_qualifier, CL_KERNEL_ARG_ACCESS_NONE));
	case CL_KERNEL_ARG_TYPE_QUALIFIER:
		return fake_leave(FAKE_INFO(cl_kernel_arg_type_qualifier,
			param.is_const ? CL_KERNEL_ARG_TYPE_CONST : CL_KERNEL_ARG_TYPE_NONE));
	case CL_KERNEL_ARG_TYPE_NAME:
		return fake_leave(TEXT(param.type));
	case CL_KERNEL_ARG_NAME:
		return fake_leave(TEXT(param.name));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}

static size_t local_bytes(cl_kernel kernel)
{
	size_t bytes = kernel->body.local_memory;

	for (unsigned i = 0; i < kernel->arg_count; i++) {
		if (kernel->body.args[i].space == CL_KERNEL_ARG_ADDRESS_LOCAL)
			bytes += kernel->args[i].size;
	}
	return bytes;
}

cl_int fake_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
	size_t size, void *value, size_t *size_ret)
{
	cl_int err = fake_enter(FAKE_clGetKernelWorkGroupInfo);

	if (!err && !fake_valid(kernel, FAKE_CL_KERNEL))
		err = CL_INVALID_KERNEL;
	if (!err && device ? !fake_context_has(kernel->program->context, device)
			   : kernel->program->context->device_count > 1)
		err = CL_INVALID_DEVICE;
	if (err)
		return fake_leave(err);
	switch (what) {
	case CL_KERNEL_WORK_GROUP_SIZE:
		return fake_leave(FAKE_INFO(size_t, FAKE_MAX_GROUP));
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		return fake_leave(fake_info(kernel->body.required_group, sizeof(kernel->body.required_group),
			size, value, size_ret));
	case CL_KERNEL_LOCAL_MEM_SIZE:
		return fake_leave(FAKE_INFO(cl_ulong, local_bytes(kernel)));
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return fake_leave(FAKE_INFO(size_t, 8));
	case CL_KERNEL_PRIVATE_MEM_SIZE:
		return fake_leave(FAKE_INFO(cl_ulong, 0));
	default:
		return fake_leave(CL_INVALID_VALUE);
	}
}
