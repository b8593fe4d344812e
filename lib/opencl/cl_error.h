/* SPDX-License-Identifier: MIT */
/* OpenCL errors: their names, and what is kept of the first one. */
#ifndef PENSTOCK_CL_ERROR_H
#define PENSTOCK_CL_ERROR_H

#include "lib/opencl/cl.h"
#include "penstock/penstock.h"

#include <stdbool.h>

enum { PS_CL_TEXT = 384 };

/* What went wrong, for the message of the caller, which knows the actor. err 0: nothing. */
struct ps_cl_fault {
	int err;    /* negative errno */
	bool named; /* the text begins with the FIFO that it is about */
	char text[PS_CL_TEXT];
};

/* "CL_OUT_OF_RESOURCES"; of an unknown code "unknown OpenCL error". */
const char *ps_cl_error_name(cl_int code);

/* -ENOMEM (memory, resources), -ENODEV (device not found, not available), -EINVAL (build failures, arguments), else
 * -EIO. */
int ps_cl_errno(cl_int code);

/* Keeps "clFunction: CL_NAME (-5) on SELECTOR" unless the fault holds something already. on: a device's selector, NULL:
 * none. Returns fault->err. */
int ps_cl_fail(struct ps_cl_fault *, cl_int code, const char *function, const char *on);

/* The same for what is no OpenCL error. */
int ps_cl_refuse(struct ps_cl_fault *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

#endif
