/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_clock.h"
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_serial.h"
#include "lib/opencl/cl_stamp.h"

#include <errno.h>
#include <pthread.h>

/* DRIFT: a nanosecond of drift in so many between a look and what is told by it. */
enum { LOOKS = 5, DRIFT = 10000 };

uint64_t ps_cl_clock_period_ns = 1000000000u;

struct look {
	uint64_t ahead; /* the device's clock less the host's; wraps around */
	uint64_t error; /* ns */
	uint64_t when;  /* the host's clock */
};

struct ps_cl_clock {
	cl_command_queue queue; /* constant */
	struct ps_cl_stamp stamp;
	const char *on; /* constant */
	pthread_mutex_t lock;
	struct look look; /* guarded by lock */
};

static cl_int look_once(const struct ps_cl_clock *c, struct look *look)
{
	cl_event marker;
	cl_ulong there = 0;
	uint64_t before = ps_clock_ns(), after;
	cl_int err = ps_cl_stamp_enqueue(&c->stamp, c->queue, 0, NULL, &marker);

	if (err)
		return err;
	err = clFinish(c->queue);
	after = ps_clock_ns();
	if (!err)
		err = clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, sizeof there, &there, NULL);
	clReleaseEvent(marker);
	*look = (struct look){ there - (before + (after - before) / 2), (after - before + 1) / 2, after };
	return err;
}

static cl_int look(const struct ps_cl_clock *c, struct look *best)
{
	cl_int err = CL_SUCCESS;

	ps_cl_serial_lock();
	for (unsigned i = 0; i < LOOKS && !err; i++) {
		struct look one;

		err = look_once(c, &one);
		if (!err && (!i || one.error < best->error))
			*best = one;
	}
	ps_cl_serial_unlock();
	return err;
}

struct ps_cl_clock *ps_cl_clock_open(const struct ps_cl_device *device, struct ps_cl_fault *fault)
{
	struct ps_cl_clock *c = ps_memory_zalloc(1, sizeof *c);
	cl_int err;

	if (!c) {
		ps_cl_refuse(fault, -ENOMEM, "out of memory");
		return NULL;
	}
	pthread_mutex_init(&c->lock, NULL);
	c->on = device->info.selector;
	c->queue = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &err);
	if (err) {
		c->queue = NULL;
		ps_cl_fail(fault, err, "clCreateCommandQueue", c->on);
	} else if (!ps_cl_stamp_open(&c->stamp, device, fault)) {
		err = look(c, &c->look);
		if (!err)
			return c;
		ps_cl_fail(fault, err, "a marker's time", c->on);
	}
	ps_cl_clock_close(c);
	return NULL;
}

void ps_cl_clock_close(struct ps_cl_clock *c)
{
	if (!c)
		return;
	ps_cl_stamp_close(&c->stamp);
	if (c->queue)
		clReleaseCommandQueue(c->queue);
	pthread_mutex_destroy(&c->lock);
	ps_memory_free(c);
}

/* On a busy machine a look may be worse than what is left of the one before. With the lock. */
static void look_again(struct ps_cl_clock *c)
{
	uint64_t since = ps_clock_ns() - c->look.when;
	struct look now;

	if (since < ps_cl_clock_period_ns)
		return;
	if (!look(c, &now) && now.error <= c->look.error + since / DRIFT)
		c->look = now;
}

uint64_t ps_cl_clock_host(struct ps_cl_clock *c, uint64_t device, uint64_t *error)
{
	uint64_t host;

	pthread_mutex_lock(&c->lock);
	look_again(c);
	host = device - c->look.ahead;
	*error = c->look.error + (host > c->look.when ? host - c->look.when : c->look.when - host) / DRIFT;
	pthread_mutex_unlock(&c->lock);
	return host;
}
