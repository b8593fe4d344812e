/* SPDX-License-Identifier: MIT */
/* OpenCL's own header, for lib/cl_*.c alone: nothing else in the library calls OpenCL. */
#ifndef PENSTOCK_CL_H
#define PENSTOCK_CL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: every driver has it */

#include <CL/cl.h>

#endif
