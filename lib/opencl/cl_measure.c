/* SPDX-License-Identifier: MIT */
/*
 * Measure: how long transfers between the host and a device take, by the clock: what a program waits for. The shortest
 * of a few rounds counts, as nothing makes a transfer faster than it is.
 */
#include "lib/base/clock.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_device.h"
#include "lib/opencl/cl_serial.h"
#include "penstock/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LONE = 8, ROUNDS = 3, LATENCY_ROUNDS = 30, BYTES = 64 << 20, LEAST = 1 << 20 };

enum { COUNTS = 3, MOST = 6 };
static const unsigned at_once[COUNTS] = { 1, 2, MOST };

/* A transfer: its queue, the device's memory, the host's. */
struct lane {
	cl_command_queue queue;
	cl_mem buffer;
	cl_mem locked; /* NULL: the host's memory is pageable */
	void *host;
};

struct measuring {
	const struct ps_cl_device *device;
	struct ps_cl_fault *fault;
	struct lane lanes[MOST];
	size_t bytes;
};

static int fail(struct measuring *m, cl_int code, const char *function)
{
	return ps_cl_fail(m->fault, code, function, m->device->info.selector);
}

static int no_memory(struct measuring *m)
{
	return ps_cl_refuse(m->fault, -ENOMEM, "out of memory for transfers of %zu bytes to %s", m->bytes,
		m->device->info.selector);
}

static int open_host(struct measuring *m, struct lane *l, bool locked)
{
	cl_int code;

	if (locked) {
		l->locked = clCreateBuffer(
			m->device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, m->bytes, NULL, &code);
		if (!l->locked)
			return fail(m, code, "clCreateBuffer");
		l->host = clEnqueueMapBuffer(l->queue, l->locked, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
			m->bytes, 0, NULL, NULL, &code);
		if (!l->host)
			return fail(m, code, "clEnqueueMapBuffer");
	} else {
		l->host = ps_memory_zalloc(m->bytes, 1);
		if (!l->host)
			return no_memory(m);
	}
	memset(l->host, 1, m->bytes); /* its pages are there */
	return 0;
}

static int open_lane(struct measuring *m, struct lane *l, bool locked)
{
	cl_int code;

	l->queue = clCreateCommandQueue(m->device->context, m->device->id, 0, &code);
	if (!l->queue)
		return fail(m, code, "clCreateCommandQueue");
	l->buffer = clCreateBuffer(m->device->context, CL_MEM_READ_WRITE, m->bytes, NULL, &code);
	if (!l->buffer)
		return fail(m, code, "clCreateBuffer");
	return open_host(m, l, locked);
}

static void close_lanes(struct measuring *m)
{
	for (unsigned i = 0; i < MOST; i++) {
		struct lane *l = &m->lanes[i];

		if (l->queue)
			clFinish(
				l->queue); /* a transfer may still use the host's memory, where a call has failed */
		if (l->locked && l->host)
			clEnqueueUnmapMemObject(l->queue, l->locked, l->host, 0, NULL, NULL);
		else
			ps_memory_free(l->host);
		if (l->queue) {
			clFinish(l->queue);
			clReleaseCommandQueue(l->queue);
		}
		if (l->locked)
			clReleaseMemObject(l->locked);
		if (l->buffer)
			clReleaseMemObject(l->buffer);
		*l = (struct lane){ .queue = NULL };
	}
}

static int begin(struct measuring *m, const struct lane *l, size_t bytes, bool to_host)
{
	cl_int code =
		to_host ? clEnqueueReadBuffer(l->queue, l->buffer, CL_FALSE, 0, bytes, l->host, 0, NULL, NULL)
			: clEnqueueWriteBuffer(
				  l->queue, l->buffer, CL_FALSE, 0, bytes, l->host, 0, NULL, NULL);

	if (code)
		return fail(m, code, to_host ? "clEnqueueReadBuffer" : "clEnqueueWriteBuffer");
	code = clFlush(l->queue);
	return code ? fail(m, code, "clFlush") : 0;
}

/* So many transfers at once, each over a lane of its own. back: those from here on go to the host. */
static int time_once(struct measuring *m, unsigned count, unsigned back, size_t bytes, double *seconds)
{
	uint64_t start;
	cl_int code = CL_SUCCESS;
	int err = 0;

	ps_cl_serial_lock();
	start = ps_clock_ns();
	for (unsigned i = 0; i < count && !err; i++)
		err = begin(m, &m->lanes[i], bytes, i >= back);
	for (unsigned i = 0; i < count && !code; i++)
		code = clFinish(m->lanes[i].queue);
	*seconds = 1e-9 * (double)(ps_clock_ns() - start + 1);
	ps_cl_serial_unlock();
	return err ? err : code ? fail(m, code, "clFinish") : 0;
}

/* A first round brings memory to its place. */
static int time_best(
	struct measuring *m, unsigned count, unsigned back, size_t bytes, unsigned rounds, double *seconds)
{
	double one;
	int err = time_once(m, count, back, bytes, seconds);

	for (unsigned i = 0; i < rounds && !err; i++) {
		err = time_once(m, count, back, bytes, &one);
		if (!err && (!i || one < *seconds))
			*seconds = one;
	}
	return err;
}

/* Each direction with each number of transfers; then both at once beside the slower one alone. */
static int measure_rates(struct measuring *m, bool locked, struct pstk_transfers *t)
{
	double alone[2] = { 0, 0 }, seconds = 0;
	int err = 0;

	for (unsigned k = 0; k < COUNTS && !err; k++)
		for (unsigned back = 0; back < 2 && !err; back++) {
			double *rates = back ? t->to_host[locked] : t->to_device[locked];

			err = time_best(m, at_once[k], back ? 0 : at_once[k], m->bytes, ROUNDS, &seconds);
			rates[k] = (double)at_once[k] * (double)m->bytes / seconds;
			if (!k)
				alone[back] = seconds;
		}
	if (!err)
		err = time_best(m, 2, 1, m->bytes, ROUNDS, &seconds);
	if (!err)
		t->both = seconds / (alone[0] > alone[1] ? alone[0] : alone[1]);
	return err;
}

static int measure_latency(struct measuring *m, struct pstk_transfers *t)
{
	double there = 0, back = 0;
	int err = time_best(m, 1, 1, LONE, LATENCY_ROUNDS, &there);

	if (!err)
		err = time_best(m, 1, 0, LONE, LATENCY_ROUNDS, &back);
	t->latency = there > back ? there : back;
	return err;
}

static int measure(struct measuring *m, struct pstk_transfers *t)
{
	int err = 0;

	*t = (struct pstk_transfers){ .bytes = m->bytes };
	for (int locked = 0; locked < 2 && !err; locked++) {
		for (unsigned i = 0; i < MOST && !err; i++)
			err = open_lane(m, &m->lanes[i], locked);
		if (!err)
			err = measure_rates(m, locked, t);
		if (!err)
			err = measure_latency(m, t); /* the last one's counts: page-locked */
		close_lanes(m);
	}
	return err;
}

/* Less at a time while the device has not as much. */
static int measure_what_fits(struct measuring *m, struct pstk_transfers *t)
{
	int err;

	while (m->bytes > m->device->max_alloc && m->bytes > LEAST)
		m->bytes /= 2;
	for (;;) {
		err = measure(m, t);
		if (err != -ENOMEM || m->bytes <= LEAST)
			return err;
		m->bytes /= 2;
		*m->fault = (struct ps_cl_fault){ 0 };
	}
}

int pstk_device_measure(
	const char *selector, size_t bytes, struct pstk_transfers *transfers, char *text, size_t size)
{
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_devices devices = { NULL };
	struct ps_cl_device *device;

	if (!selector || !transfers || (bytes && bytes < LONE)) {
		ps_cl_refuse(&fault, -EINVAL, "pstk_device_measure(): %s",
			!selector    ? "the selector is NULL"
			: !transfers ? "transfers is NULL"
				     : "transfers of less than 8 bytes");
	} else if (!ps_cl_devices_get(&devices, selector, &device, &fault) &&
		   !ps_cl_devices_open(&devices, &fault)) {
		struct measuring m = { .device = device, .fault = &fault, .bytes = bytes ? bytes : BYTES };

		ps_cl_serial_read();
		measure_what_fits(&m, transfers);
	}
	ps_cl_devices_close(&devices);
	if (text && size)
		snprintf(text, size, "%s", fault.text);
	return fault.err;
}
