/* SPDX-License-Identifier: MIT */
#include "benchmarks/dal/baseline_device.h"
#include "benchmarks/dal/baseline_cl.h"

#include <errno.h>

/* Everything ends: nothing is queued any more. */
static int wrong(struct baseline_process *p, const char *what, cl_int code)
{
	atomic_store(&p->owner->device_failed, true);
	return baseline_fail(p->owner, -EIO, "process '%s': %s: OpenCL error %d", p->name, what, (int)code);
}

static size_t window_bytes(const struct baseline_port *port, uint32_t tokens)
{
	return (size_t)tokens * port->channel->token_size;
}

static int keep(struct baseline_process *p, cl_event *slot, cl_event event)
{
	cl_int code = clRetainEvent(event);

	if (code)
		return wrong(p, "clRetainEvent", code);
	if (*slot)
		clReleaseEvent(*slot);
	*slot = event;
	return 0;
}

static void drop(cl_event *slot)
{
	if (*slot)
		clReleaseEvent(*slot);
	*slot = NULL;
}

/* -- before the kernel -- */

/* The kernel waits for this. Drivers leave a command behind one that has failed in the queue for ever. */
static int wait_for(struct baseline_process *p, cl_event event)
{
	struct baseline_device *d = p->device;
	cl_int status;

	if (!event)
		return 0;
	if (clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) ||
		status < 0)
		return wrong(p, "a command that it waits for", status);
	if (status == CL_COMPLETE)
		return 0;
	status = clRetainEvent(event);
	if (status)
		return wrong(p, "clRetainEvent", status);
	d->waits[d->wait_count++] = event;
	return 0;
}

static void forget_waits(struct baseline_device *d)
{
	while (d->wait_count)
		clReleaseEvent(d->waits[--d->wait_count]);
}

static int upload(struct baseline_process *p, struct baseline_port *port, cl_mem window)
{
	static const unsigned char zero;
	struct baseline_device *d = p->device;
	size_t bytes = window_bytes(port, port->valid), all = window_bytes(port, port->channel->rate);
	cl_event event;
	cl_int code = clEnqueueWriteBuffer(d->in, window, CL_FALSE, 0, bytes, port->place, 0, NULL, &event);

	if (!code && bytes < all) {
		clReleaseEvent(event); /* the queue keeps the order */
		code = clEnqueueFillBuffer(d->in, window, &zero, 1, bytes, all - bytes, 0, NULL, &event);
	}
	if (code)
		return wrong(p, "clEnqueueWriteBuffer", code);
	code = clFlush(d->in);
	d->waits[d->wait_count++] = event;
	return code ? wrong(p, "clFlush", code) : 0;
}

/* The number of the window that has just been begun. */
static uint64_t window_of(const struct baseline_port *port)
{
	return (port->input ? port->channel->got : port->channel->put) / port->channel->rate - 1;
}

/* Its buffer, where the channel is buffers. */
static cl_mem *block_of(const struct baseline_port *port)
{
	const struct baseline_channel *c = port->channel;

	return &c->ring->blocks[(window_of(port) + (port->input ? 0 : c->ahead)) % c->blocks];
}

/* The end of the stream in memory that the device shares or has: no other process uses it any more. */
static int pad(struct baseline_process *p, const struct baseline_port *port)
{
	static const unsigned char zero;
	struct baseline_device *d = p->device;
	size_t bytes = window_bytes(port, port->valid),
	       rest = window_bytes(port, port->channel->rate) - bytes;
	const cl_event *waits = d->wait_count ? d->waits : NULL;
	cl_event event;
	cl_int code = port->place ? clEnqueueSVMMemFill(d->queue, port->place + bytes, &zero, 1, rest,
					    d->wait_count, waits, &event)
	                          : clEnqueueFillBuffer(d->queue, *block_of(port), &zero, 1, bytes, rest,
					    d->wait_count, waits, &event);

	if (code)
		return wrong(p, "filling a window", code);
	d->waits[d->wait_count++] = event;
	return 0;
}

/* What must have been read or written of a channel on the device. */
static int wait_in_ring(struct baseline_process *p, const struct baseline_port *port)
{
	const struct baseline_channel *c = port->channel;
	const struct baseline_ring *ring = c->ring;
	uint64_t number = window_of(port), before = port->input ? c->ahead : c->depth;

	if (number < before)
		return 0;
	number = (number - before) % ring->slots;
	return wait_for(p, port->input ? ring->written[number] : ring->read[number]);
}

static int prepare(struct baseline_process *p, unsigned i, unsigned flight)
{
	struct baseline_device *d = p->device;
	struct baseline_port *port = &p->ports[i];
	struct baseline_socket *s = &d->sockets[i];
	bool partial = port->input && port->valid < port->channel->rate;
	int err = 0;

	if (s->way == BASELINE_STAGED) {
		cl_int code = clSetKernelArg(d->kernel, i, sizeof(cl_mem), &s->windows[flight]);

		if (code)
			return wrong(p, "clSetKernelArg", code);
		return port->input ? upload(p, port, s->windows[flight]) : 0;
	}
	if (port->place ? clSetKernelArgSVMPointer(d->kernel, i, port->place)
			: clSetKernelArg(d->kernel, i, sizeof(cl_mem), block_of(port)))
		return wrong(p, "the kernel's argument", CL_INVALID_ARG_VALUE);
	if (s->way == BASELINE_RING)
		err = wait_in_ring(p, port);
	if (!err && partial)
		err = pad(p, port);
	return err;
}

/* -- the kernel and what is behind it -- */

static int launch(struct baseline_process *p, struct baseline_flight *f)
{
	struct baseline_device *d = p->device;
	cl_uint next = p->port_count;
	cl_ulong firing = d->fired;
	cl_int code = CL_SUCCESS;

	if (d->state)
		code = clSetKernelArg(d->kernel, next++, sizeof(cl_mem), &d->state);
	if (!code)
		code = clSetKernelArg(d->kernel, next, sizeof firing, &firing);
	if (!code)
		code = clEnqueueNDRangeKernel(d->queue, d->kernel, 1, NULL, &d->global, &d->local,
			d->wait_count, d->wait_count ? d->waits : NULL, &f->kernel);
	forget_waits(d);
	return code ? wrong(p, "clEnqueueNDRangeKernel", code) : 0;
}

/* Copies what a read window has at the beginning of the memory, as baseline_mirror() does on the host. */
static int mirror(struct baseline_process *p, const struct baseline_port *port, cl_event *event)
{
	struct baseline_device *d = p->device;
	const struct baseline_channel *c = port->channel;
	const char *end, *last;
	cl_int code;

	if (!c->behind)
		return 0;
	end = port->place + window_bytes(port, c->rate);
	last = c->data + c->blocks * c->rate * c->token_size;
	if (end <= last)
		return 0;
	code = clEnqueueSVMMemcpy(d->queue, CL_FALSE, c->data, last, (size_t)(end - last), 0, NULL, event);
	return code ? wrong(p, "clEnqueueSVMMemcpy", code) : 0;
}

/* An output on the host: when the kernel has ended. */
static int download(struct baseline_process *p, unsigned i, unsigned number, struct baseline_flight *f)
{
	struct baseline_device *d = p->device;
	const struct baseline_port *port = &p->ports[i];
	cl_int code;

	if (!port->valid)
		return 0;
	code = clEnqueueReadBuffer(d->out, d->sockets[i].windows[number], CL_FALSE, 0,
		window_bytes(port, port->valid), port->place, 1, &f->kernel, &f->transfers[i]);
	return code ? wrong(p, "clEnqueueReadBuffer", code) : 0;
}

static int follow(struct baseline_process *p, unsigned i, unsigned number, struct baseline_flight *f)
{
	struct baseline_device *d = p->device;
	const struct baseline_port *port = &p->ports[i];

	f->windows[i].place = port->place;
	f->windows[i].valid = port->valid;
	if (port->input)
		return 0;
	if (d->sockets[i].way == BASELINE_STAGED)
		return download(p, i, number, f);
	return d->sockets[i].way == BASELINE_RING ? mirror(p, port, &f->transfers[i]) : 0;
}

/* What commands on this window of a channel on the device wait for. */
static int leave_event(struct baseline_process *p, unsigned i, const struct baseline_flight *f)
{
	struct baseline_port *port = &p->ports[i];
	struct baseline_ring *ring = port->channel->ring;
	uint64_t slot = window_of(port) % ring->slots;

	return keep(p, port->input ? &ring->read[slot] : &ring->written[slot],
		f->transfers[i] ? f->transfers[i] : f->kernel);
}

/* Counts a window: what is on the host has been waited for, on a device others wait for the events. */
static void pass_on(struct baseline_process *p, unsigned i, const struct baseline_flight *f)
{
	struct baseline_channel *c = p->ports[i].channel;

	if (p->ports[i].input) {
		baseline_end_read(c, c->rate);
		return;
	}
	if (p->device->sockets[i].way != BASELINE_RING)
		baseline_mirror(c, f->windows[i].place, c->rate);
	baseline_end_write(c, f->windows[i].valid);
}

/* -- firings -- */

static bool early(const struct baseline_process *p, unsigned i)
{
	return p->device->sockets[i].way == BASELINE_RING && !p->owner->options.wait_per_firing;
}

static void forget_flight(struct baseline_process *p, struct baseline_flight *f)
{
	for (unsigned i = 0; i < p->port_count; i++)
		drop(&f->transfers[i]);
	drop(&f->kernel);
}

/* Waits until the oldest firing is through, and counts what is on the host. */
static int retire(struct baseline_process *p)
{
	struct baseline_device *d = p->device;
	struct baseline_flight *f = &d->flights[d->retired++ % d->flight_count];
	cl_uint count = 0;
	cl_int code;

	/* the kernel has ended when what waits for it has */
	for (unsigned i = 0; i < p->port_count; i++)
		if (f->transfers[i])
			d->waits[count++] = f->transfers[i];
	if (!count)
		d->waits[count++] = f->kernel;
	/* where a command has failed those behind it may never end: then they keep what they hold */
	if (atomic_load(&p->owner->device_failed))
		return -EIO;
	code = clWaitForEvents(count, d->waits);
	if (code)
		return wrong(p, "clWaitForEvents", code);
	for (unsigned i = 0; i < p->port_count; i++)
		if (!early(p, i))
			pass_on(p, i, f);
	forget_flight(p, f);
	return 0;
}

static int fire(struct baseline_process *p)
{
	struct baseline_device *d = p->device;
	unsigned number = (unsigned)(d->fired % d->flight_count);
	struct baseline_flight *f = &d->flights[number];
	int err = 0;

	for (unsigned i = 0; i < p->port_count; i++) {
		if (p->ports[i].input)
			baseline_open_read(&p->ports[i]);
		else
			baseline_open_write(&p->ports[i]);
	}
	baseline_default_valid(p);
	for (unsigned i = 0; i < p->port_count && !err; i++)
		err = prepare(p, i, number);
	err = err ? err : launch(p, f);
	for (unsigned i = 0; i < p->port_count && !err; i++)
		err = follow(p, i, number, f);
	forget_waits(d);
	if (!err && (clFlush(d->queue) || clFlush(d->out)))
		err = wrong(p, "clFlush", CL_OUT_OF_RESOURCES);
	if (err)
		return err;
	d->fired++;
	for (unsigned i = 0; i < p->port_count; i++) {
		if (!early(p, i))
			continue;
		if (leave_event(p, i, f))
			return -EIO;
		pass_on(p, i, f);
	}
	return p->owner->options.wait_per_firing ? retire(p) : 0;
}

/* The state is what init has left, and finish finds what the kernel has. */
static int move_state(struct baseline_process *p, bool up)
{
	struct baseline_device *d = p->device;
	cl_int code = CL_SUCCESS;

	if (!d->state_size)
		return 0;
	if (!up)
		code = clEnqueueReadBuffer(
			d->queue, d->state, CL_TRUE, 0, d->state_size, p->state, 0, NULL, NULL);
	else
		d->state = clCreateBuffer(d->cl->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
			d->state_size, p->state, &code);
	return code ? wrong(p, up ? "clCreateBuffer for the state" : "clEnqueueReadBuffer for the state",
			      code)
	            : 0;
}

/* Is there all for another firing? What has been queued is waited for rather than nothing be done. */
static bool take(struct baseline_process *p, int *err)
{
	struct baseline_device *d = p->device;

	while (d->retired < d->fired && !*err && !baseline_has_windows(p))
		*err = retire(p);
	if (!*err && d->fired - d->retired == d->flight_count)
		*err = retire(p);
	return !*err && baseline_take_windows(p);
}

void baseline_device_fire(struct baseline_process *p)
{
	struct baseline_device *d = p->device;
	int err = move_state(p, true);

	while (!err && take(p, &err))
		err = fire(p);
	while (!err && d->retired < d->fired)
		err = retire(p);
	if (!err)
		move_state(p, false);
}
