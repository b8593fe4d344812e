/* SPDX-License-Identifier: MIT */
/*
 * OpenCL calls through wrappers, which count what is made and released and can make a call fail or lie. A program that
 * uses them is linked with --wrap for each; one machine that is the same everywhere is PoCL's CPU with TEST_UNITS
 * units.
 */
#ifndef PENSTOCK_TESTS_CL_WRAP_H
#define PENSTOCK_TESTS_CL_WRAP_H

#include "lib/opencl/cl.h"
#include "tests/common/common.h"

#define TEST_DEVICE "pocl:cpu:0"
enum { TEST_UNITS = 5 };

enum cl_call { NO_CALL, PLATFORM_IDS, DEVICE_IDS, PLATFORM_INFO, DEVICE_INFO, SUB_DEVICES, CONTEXT, RETAIN };

/* From the n-th call on (0: the next) this function fails with the code; 0: it succeeds, but there is nothing. */
void let_fail(enum cl_call, int after, cl_int code);

/* After let_fail(PLATFORM_INFO or DEVICE_INFO): only this info fails. */
extern cl_uint failing_info;

/* What is asked for this info of a device is answered with lie_data. 0: nothing. */
extern cl_uint lie;
extern const void *lie_data;
extern size_t lie_size;

extern bool second_platform; /* there is the same one twice */

extern int contexts;    /* references that are held */
extern int parts_alive; /* sub-devices */
extern int divisions;   /* calls of clCreateSubDevices that made some */

typedef void(CL_CALLBACK *cl_notify_fn)(const char *, const void *, size_t, void *);
extern cl_notify_fn notify; /* what the library gave to the driver last */

/* To be called first in main(): the machine. */
void cl_machine(void);

cl_int __real_clGetPlatformIDs(cl_uint, cl_platform_id *, cl_uint *);
cl_int __real_clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);
cl_int __real_clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
cl_int __real_clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *);

#endif
