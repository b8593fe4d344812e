/* SPDX-License-Identifier: MIT */
/* OpenCL by hand: for tests and benchmarks that launch the actors' kernels without the library. */
#ifndef PENSTOCK_ACTORS_CL_DIRECT_H
#define PENSTOCK_ACTORS_CL_DIRECT_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: every driver has it */

#include <CL/cl.h>
#include <stdbool.h>

#include "actors/common/frame_cl.h"

/* The first device of the first platform that has one. */
struct cl_direct {
	cl_device_id device;
	cl_context context;
	char name[128];
	cl_device_svm_capabilities svm; /* 0: none */
	bool is_cpu;
	cl_uint units; /* compute units */
};

/* False: there is no device. */
bool cl_direct_open(struct cl_direct *);
void cl_direct_close(struct cl_direct *);

/* Ends the program, with what failed, unless err is CL_SUCCESS. */
void cl_direct_check(cl_int err, const char *what);

/* A kernel of its own for each caller: threads must not share one. Ends the program with the log where the build
 * fails. */
cl_kernel cl_direct_kernel(const struct cl_direct *, const struct pstk_kernel *);

/* Sets what is behind the windows' pointers, from argument `index` on: of gauss5x5 and median5, and of threshold. */
void cl_direct_filter_args(cl_kernel, cl_uint index, cl_uint width, cl_uint height, cl_uint frames);
void cl_direct_threshold_args(
	cl_kernel, cl_uint index, cl_ulong token_bytes, cl_uint tokens, cl_uint threshold);

cl_command_queue cl_direct_queue(const struct cl_direct *);

#endif
