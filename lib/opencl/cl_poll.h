/* SPDX-License-Identifier: MIT */
/*
 * Poll: a thread of the process that looks at events again and again, in place of a driver's callbacks.
 *
 * NVIDIA's driver (580, seen with an H200) calls back from a timer: 8 to 20 ms late, and a core is busy meanwhile. A
 * look costs 0.2 us. The thread looks after a sixteenth of the time for which the latest event has been waited for, so
 * it is at most 6 % late, and sleeps while there are none.
 */
#ifndef PENSTOCK_CL_POLL_H
#define PENSTOCK_CL_POLL_H

#include "lib/opencl/cl.h"

#include <stdbool.h>

/* Begins the thread, for the rest of the process, unless it runs. BUILD or start(). Without memory or a thread there
 * are callbacks: late, but right. */
void ps_cl_poll_begin(void);

typedef void(CL_CALLBACK *ps_cl_poll_call)(cl_event, cl_int status, void *data);

/* As clSetEventCallback() with CL_COMPLETE: calls once when the event is through, or has failed. Keeps a reference till
 * then. Any thread; locks but the serial lock's may be held. What is called may take none. Of the same event and data
 * there is one call. false: there is no such thread, or no memory. */
bool ps_cl_poll_add(cl_event, ps_cl_poll_call, void *data);

/* Gives back the events of a context, pending or not; those that are get their call, with status -1. */
void ps_cl_poll_forget(cl_context);

#endif
