/* SPDX-License-Identifier: MIT */
/*
 * PENSTOCK_SERIAL=1: one thread at a time calls OpenCL, and what it enqueues is through before the next does. For
 * drivers that are tools and can't be called by two threads at once, such as oclgrind.
 */
#ifndef PENSTOCK_CL_SERIAL_H
#define PENSTOCK_CL_SERIAL_H

#include "lib/opencl/cl.h"

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic bool ps_cl_serial_is_on; /* set by ps_cl_serial_read() */

static inline bool ps_cl_serial(void)
{
	return atomic_load_explicit(&ps_cl_serial_is_on, memory_order_relaxed);
}

/* start(), before the first use: reads the environment, once a process: a thread that has locked must unlock. */
void ps_cl_serial_read(void);

/* The process's only such lock, if it is on; else nothing. A thread may take it again. Nothing that another thread must
 * do first may be waited for with it held; the network's lock, the log's and a eventcount's may be taken under it. */
void ps_cl_serial_take(void);
void ps_cl_serial_give(void);

static inline void ps_cl_serial_lock(void)
{
	if (ps_cl_serial())
		ps_cl_serial_take();
}

static inline void ps_cl_serial_unlock(void)
{
	if (ps_cl_serial())
		ps_cl_serial_give();
}

/* clFlush(), or clFinish() if it is on. */
cl_int ps_cl_serial_flush(cl_command_queue);

#endif
