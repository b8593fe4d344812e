/* SPDX-License-Identifier: MIT */
/*
 * OpenCL programs: built once for all actors of a device that share a source and options, side by side on the host's
 * cores.
 */
#ifndef PENSTOCK_CL_PROGRAM_H
#define PENSTOCK_CL_PROGRAM_H

#include "lib/opencl/cl_device.h"

/* A program for one device. Constant once it is built. */
struct ps_cl_program {
	const struct ps_cl_device *device;
	char *source;  /* own copy of what the kernel says: text or "file:PATH" */
	char *options; /* own copy; "" for none */
	cl_program id;
	struct ps_cl_fault fault; /* why it could not be built; the whole log is in `log` */
	char *log;                /* the compiler's log when the build failed; NULL */
	struct ps_cl_program *next;
};

/* The programs of one network. */
struct ps_cl_programs {
	struct ps_cl_program *first;
};

/* start(). The program of this device, source and options, made if there is none yet; not built. NULL: out of
 * memory. */
struct ps_cl_program *ps_cl_programs_want(
	struct ps_cl_programs *, const struct ps_cl_device *, const char *source, const char *options);

/* start(). Builds all that are not built yet, up to one a core at once. Each failed one has its fault; 0 or the first
 * failed one's err. A file that can't be read is a fault too, naming it. Kernel argument information is asked for. */
int ps_cl_programs_build(struct ps_cl_programs *);

void ps_cl_programs_free(struct ps_cl_programs *);

#endif
