/* SPDX-License-Identifier: MIT */
#include "tests/opencl/cl_test.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct ps_cl_device *cl_test_device;
struct ps_cl_programs cl_test_programs;
struct cl_test_plan cl_test_plan = { .threads = -1 };
_Atomic unsigned cl_test_builds, cl_test_threads, cl_test_bad_builders;
char cl_test_options[256];

static struct ps_cl_devices devices;
static cl_command_queue queue;
static atomic_int alive; /* programs, kernels, buffers */
static pthread_t main_thread;

void cl_test_plan_none(void)
{
	cl_test_plan = (struct cl_test_plan){ .threads = -1 };
	cl_test_builds = cl_test_threads = cl_test_bad_builders = 0;
}

static bool refuse(const char *function, cl_int *code)
{
	*code = CL_SUCCESS;
	if (cl_test_plan.fail_at <= 0 || (cl_test_plan.function && strcmp(cl_test_plan.function, function)) ||
		--cl_test_plan.fail_at)
		return false;
	*code = cl_test_plan.code;
	return true;
}

/* A wrapped function that returns a code. */
#define WRAP_CODE(name, parameters, ...)           \
	cl_int __real_##name parameters;           \
	cl_int __wrap_##name parameters;           \
	cl_int __wrap_##name parameters            \
	{                                          \
		cl_int code;                       \
                                                   \
		if (refuse(#name, &code))          \
			return code;               \
		return __real_##name(__VA_ARGS__); \
	}

/* One that makes an object. */
#define WRAP_MAKE(type, name, parameters, ...)             \
	type __real_##name parameters;                     \
	type __wrap_##name parameters;                     \
	type __wrap_##name parameters                      \
	{                                                  \
		type made = NULL;                          \
                                                           \
		if (!refuse(#name, code))                  \
			made = __real_##name(__VA_ARGS__); \
		alive += made != NULL;                     \
		return made;                               \
	}

#define WRAP_RELEASE(type, name)              \
	cl_int __real_##name(type);           \
	cl_int __wrap_##name(type);           \
	cl_int __wrap_##name(type object)     \
	{                                     \
		alive--;                      \
		return __real_##name(object); \
	}

WRAP_MAKE(cl_program, clCreateProgramWithSource,
	(cl_context context, cl_uint count, const char **texts, const size_t *lengths, cl_int *code), context,
	count, texts, lengths, code)
WRAP_MAKE(
	cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code), program, name, code)
WRAP_MAKE(cl_mem, clCreateBuffer,
	(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code), context, flags, size,
	host, code)
WRAP_RELEASE(cl_program, clReleaseProgram)
WRAP_RELEASE(cl_kernel, clReleaseKernel)
WRAP_RELEASE(cl_mem, clReleaseMemObject)
WRAP_CODE(clGetProgramInfo, (cl_program p, cl_program_info what, size_t size, void *value, size_t *got), p,
	what, size, value, got)
WRAP_CODE(clGetKernelInfo, (cl_kernel k, cl_kernel_info what, size_t size, void *value, size_t *got), k, what,
	size, value, got)
WRAP_CODE(clGetKernelWorkGroupInfo,
	(cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, size_t size, void *value, size_t *got),
	k, d, what, size, value, got)
WRAP_CODE(clGetDeviceInfo, (cl_device_id d, cl_device_info what, size_t size, void *value, size_t *got), d,
	what, size, value, got)
WRAP_CODE(clSetKernelArg, (cl_kernel k, cl_uint index, size_t size, const void *value), k, index, size, value)

static cl_int give(const void *data, size_t size, size_t capacity, void *value, size_t *got)
{
	if (got)
		*got = size;
	if (!value)
		return CL_SUCCESS;
	if (capacity < size)
		return CL_INVALID_VALUE;
	memcpy(value, data, size);
	return CL_SUCCESS;
}

cl_int __real_clGetKernelArgInfo(cl_kernel, cl_uint, cl_kernel_arg_info, size_t, void *, size_t *);
cl_int __wrap_clGetKernelArgInfo(cl_kernel, cl_uint, cl_kernel_arg_info, size_t, void *, size_t *);

cl_int __wrap_clGetKernelArgInfo(
	cl_kernel k, cl_uint index, cl_kernel_arg_info what, size_t size, void *value, size_t *got)
{
	cl_int code;

	if (refuse("clGetKernelArgInfo", &code))
		return code;
	if (cl_test_plan.no_arg_info)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	if (cl_test_plan.arg_type && what == CL_KERNEL_ARG_TYPE_NAME)
		return give(cl_test_plan.arg_type, strlen(cl_test_plan.arg_type) + 1, size, value, got);
	return __real_clGetKernelArgInfo(k, index, what, size, value, got);
}

cl_int __real_clGetProgramBuildInfo(
	cl_program, cl_device_id, cl_program_build_info, size_t, void *, size_t *);
cl_int __wrap_clGetProgramBuildInfo(
	cl_program, cl_device_id, cl_program_build_info, size_t, void *, size_t *);

cl_int __wrap_clGetProgramBuildInfo(
	cl_program p, cl_device_id d, cl_program_build_info what, size_t size, void *value, size_t *got)
{
	cl_int code;

	if (refuse("clGetProgramBuildInfo", &code))
		return code;
	if (cl_test_plan.status && what == CL_PROGRAM_BUILD_STATUS)
		return give(&cl_test_plan.status, sizeof cl_test_plan.status, size, value, got);
	if (cl_test_plan.log && what == CL_PROGRAM_BUILD_LOG)
		return give(cl_test_plan.log, *cl_test_plan.log ? strlen(cl_test_plan.log) + 1 : 0, size,
			value, got);
	return __real_clGetProgramBuildInfo(p, d, what, size, value, got);
}

/* Is this thread as one of the library's must be? */
static void look_at_builder(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD };
	char name[16] = "";
	sigset_t blocked;

	if (pthread_equal(pthread_self(), main_thread))
		return;
	pthread_getname_np(pthread_self(), name, sizeof name);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	for (size_t i = 0; i < TEST_COUNT(numbers); i++)
		if (!sigismember(&blocked, numbers[i]) || strcmp(name, "pstk-build") != 0)
			cl_test_bad_builders++;
}

typedef void(CL_CALLBACK *build_callback)(cl_program, void *);
cl_int __real_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *, build_callback, void *);
cl_int __wrap_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *, build_callback, void *);

cl_int __wrap_clBuildProgram(cl_program p, cl_uint count, const cl_device_id *list, const char *options,
	build_callback fn, void *data)
{
	cl_int code;

	cl_test_builds++;
	look_at_builder();
	if (cl_test_plan.cores == 1)
		snprintf(cl_test_options, sizeof cl_test_options, "%s", options);
	return refuse("clBuildProgram", &code) ? code
	                                       : __real_clBuildProgram(p, count, list, options, fn, data);
}

int __real_sched_getaffinity(pid_t, size_t, cpu_set_t *);
int __wrap_sched_getaffinity(pid_t, size_t, cpu_set_t *);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	if (cl_test_plan.no_affinity) {
		errno = EINVAL;
		return -1;
	}
	if (!cl_test_plan.cores)
		return __real_sched_getaffinity(pid, size, set);
	CPU_ZERO(set);
	for (unsigned i = 0; i < cl_test_plan.cores; i++)
		CPU_SET(i, set);
	return 0;
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*entry)(void *), void *arg)
{
	if (cl_test_plan.threads == 0)
		return EAGAIN;
	if (cl_test_plan.threads > 0)
		cl_test_plan.threads--;
	cl_test_threads++;
	return __real_pthread_create(t, attr, entry, arg);
}

void cl_test_open(void)
{
	struct ps_cl_fault fault = { 0 };
	cl_int code;

	main_thread = pthread_self();
	cl_test_plan_none();
	ck_assert_msg(!ps_cl_devices_get(&devices, "pocl:cpu:0", &cl_test_device, &fault), "%s", fault.text);
	ck_assert_msg(!ps_cl_devices_open(&devices, &fault), "%s", fault.text);
	queue = clCreateCommandQueue(cl_test_device->context, cl_test_device->id, 0, &code);
	ck_assert_ptr_nonnull(queue);
	cl_test_plan_none();
}

void cl_test_close(void)
{
	cl_test_plan_none();
	clReleaseCommandQueue(queue);
	ps_cl_devices_close(&devices);
	ck_assert_int_eq(alive, 0);
}

void cl_test_setup(void)
{
	test_log_start();
	cl_test_open();
}

void cl_test_teardown(void)
{
	ps_cl_programs_free(&cl_test_programs);
	cl_test_close();
	test_log_stop();
}

struct ps_cl_program *cl_test_build(const char *source)
{
	struct ps_cl_program *p = ps_cl_programs_want(&cl_test_programs, cl_test_device, source, NULL);

	ck_assert_ptr_nonnull(p);
	ck_assert_msg(!ps_cl_programs_build(&cl_test_programs), "%s", p->fault.text);
	return p;
}

struct ps_cl_kernel cl_test_kernel(const char *source, const char *name)
{
	struct ps_cl_kernel kernel;
	struct ps_cl_fault fault = { 0 };

	ck_assert_msg(!ps_cl_kernel_create(&kernel, cl_test_build(source), name, &fault), "%s", fault.text);
	return kernel;
}

void cl_test_launch(cl_kernel kernel, size_t global)
{
	size_t group[3];

	ck_assert_int_eq(clGetKernelWorkGroupInfo(kernel, cl_test_device->id,
				 CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, NULL),
		0);
	ck_assert_int_eq(clEnqueueNDRangeKernel(
				 queue, kernel, 1, NULL, &global, group[0] ? group : NULL, 0, NULL, NULL),
		0);
	ck_assert_int_eq(clFinish(queue), 0);
}

cl_mem cl_test_buffer(size_t size, const void *data)
{
	cl_int code;
	cl_mem buffer = clCreateBuffer(cl_test_device->context, CL_MEM_READ_WRITE, size, NULL, &code);

	ck_assert_ptr_nonnull(buffer);
	if (data)
		ck_assert_int_eq(
			clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL), 0);
	return buffer;
}

void cl_test_buffer_read(cl_mem buffer, size_t size, void *data)
{
	ck_assert_int_eq(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL), 0);
}
