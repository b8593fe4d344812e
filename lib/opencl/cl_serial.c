/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_serial.h"
#include "lib/base/environment.h"

#include <pthread.h>

_Atomic bool ps_cl_serial_is_on;

/* recursive: a firing asks for the state of events, which is a call of its own elsewhere */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void ps_cl_serial_read(void)
{
	atomic_store(&ps_cl_serial_is_on, ps_environment_process()->serial);
}

void ps_cl_serial_take(void)
{
	pthread_mutex_lock(&lock);
}

void ps_cl_serial_give(void)
{
	pthread_mutex_unlock(&lock);
}

cl_int ps_cl_serial_flush(cl_command_queue queue)
{
	return ps_cl_serial() ? clFinish(queue) : clFlush(queue);
}
