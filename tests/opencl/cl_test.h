/* SPDX-License-Identifier: MIT */
/*
 * For suites that use OpenCL: a device, objects counted, and calls of OpenCL and of the system that fail when told to.
 * Needs the linker's --wrap for each function in cl_test.c.
 */
#ifndef PENSTOCK_TESTS_CL_TEST_H
#define PENSTOCK_TESTS_CL_TEST_H

#include "lib/opencl/cl_kernel.h"
#include "tests/common/common.h"

/* The device of PoCL, open. Setup and teardown of a case; teardown asserts that no object is left. */
extern struct ps_cl_device *cl_test_device;
void cl_test_open(void);
void cl_test_close(void);

/* The same with the log kept and programs, which teardown frees. */
extern struct ps_cl_programs cl_test_programs;
void cl_test_setup(void);
void cl_test_teardown(void);

/* Without an error. */
struct ps_cl_program *cl_test_build(const char *source);
struct ps_cl_kernel cl_test_kernel(const char *source, const char *name);

/* What the wrapped functions do. Set while one thread runs; zero: what OpenCL does. */
struct cl_test_plan {
	int fail_at; /* this wrapped call of OpenCL fails with code, 1: the next; once */
	cl_int code;
	const char *function;   /* of this name only, NULL: any */
	bool no_arg_info;       /* clGetKernelArgInfo: not available */
	const char *log;        /* instead of the compiler's */
	cl_build_status status; /* instead of the build's; 0 (success): the true one */
	const char *arg_type;   /* instead of each argument's type */
	unsigned cores;         /* of sched_getaffinity; 0: the true ones */
	bool no_affinity;
	int threads; /* so many threads can be created; negative: none fails. */
};
extern struct cl_test_plan cl_test_plan;
void cl_test_plan_none(void);

/* What has happened since cl_test_plan_none(). */
extern _Atomic unsigned cl_test_builds, cl_test_threads;
extern _Atomic unsigned
	cl_test_bad_builders;     /* threads of the library with another name or open to signals */
extern char cl_test_options[256]; /* of the last build, if plan.cores is 1 */

/* Launches the kernel with its arguments set and waits. */
void cl_test_launch(cl_kernel, size_t global);
cl_mem cl_test_buffer(size_t size, const void *data);
void cl_test_buffer_read(cl_mem, size_t size, void *data);

#endif
