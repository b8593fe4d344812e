/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_serial.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Atomic bool ps_cl_serial_is_on;

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* recursive: a firing asks for the state of events, which is a call of its own elsewhere */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void read_environment(void)
{
	const char *text = getenv("PENSTOCK_SERIAL");

	atomic_store(&ps_cl_serial_is_on, text && !strcmp(text, "1"));
}

void ps_cl_serial_read(void)
{
	pthread_once(&once, read_environment);
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
