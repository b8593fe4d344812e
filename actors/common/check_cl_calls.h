/* SPDX-License-Identifier: MIT */
/*
 * Calls of OpenCL that fail, in suites whose fragment of the build names those calls in `wrapped`. The library is a
 * shared one there, so these are the actor's own calls.
 */
#ifndef PENSTOCK_ACTORS_CHECK_CL_CALLS_H
#define PENSTOCK_ACTORS_CHECK_CL_CALLS_H

#include <penstock/opencl.h>

/* The calls and objects of an actor. */
struct cl_calls {
	long fail_at; /* the number of the call that fails, from 0; -1: none */
	cl_int code;
	_Atomic long calls, objects; /* two actors may count at once */
};

extern struct cl_calls cl_calls;

#endif
