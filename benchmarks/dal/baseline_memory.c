/* SPDX-License-Identifier: MIT */
/* Memory: channels and windows on devices, and the first launch of a kernel on them. */
#include "benchmarks/dal/baseline_cl.h"

#include <errno.h>
#include <stdlib.h>

static const unsigned char zero;

static int no_memory(const struct baseline_build *build, unsigned line, const char *what, const char *name)
{
	return baseline_refuse(
		build, build->d->file, line, -ENOMEM, "%s '%s': out of the device's memory", what, name);
}

enum baseline_way baseline_cl_way_of(const struct baseline *b, const struct baseline_process *writer,
	const struct baseline_process *reader, bool aligned)
{
	const struct baseline_cl *from = writer->device ? writer->device->cl : NULL;
	const struct baseline_cl *to = reader->device ? reader->device->cl : NULL;

	/* a window that is parts of two blocks takes a pointer into shared memory */
	if (from && to)
		return from == to && (from->svm || aligned) && b->options.by_location ? BASELINE_RING
		                                                                      : BASELINE_STAGED;
	return !b->options.copying && (from ? from : to)->fine ? BASELINE_SHARED : BASELINE_STAGED;
}

static int make_ring(struct baseline_channel *c, struct baseline_cl *cl)
{
	struct baseline_ring *ring = c->ring = calloc(1, sizeof *ring);

	if (!ring)
		return -ENOMEM;
	ring->cl = cl;
	ring->slots = c->blocks + 2;
	ring->written = calloc(ring->slots, sizeof(cl_event));
	ring->read = calloc(ring->slots, sizeof(cl_event));
	return ring->written && ring->read ? 0 : -ENOMEM;
}

/* A buffer for each block, where the device has no shared memory. */
static int make_blocks(struct baseline_channel *c, struct baseline_device *d)
{
	size_t bytes = (size_t)c->rate * c->token_size;

	c->ring->blocks = calloc(c->blocks, sizeof(cl_mem));
	for (uint64_t i = 0; c->ring->blocks && i < c->blocks; i++) {
		cl_int code;

		c->ring->blocks[i] = clCreateBuffer(d->cl->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
		if (code)
			c->ring->blocks[i] = NULL;
		if (code ||
			clEnqueueFillBuffer(d->queue, c->ring->blocks[i], &zero, 1, 0, bytes, 0, NULL, NULL))
			return -ENOMEM;
	}
	return c->ring->blocks && !clFinish(d->queue) ? 0 : -ENOMEM;
}

int baseline_cl_make_memory(
	const struct baseline_build *build, struct baseline_channel *c, enum baseline_way way, unsigned line)
{
	struct baseline_device *d = c->writer->device ? c->writer->device : c->reader->device;
	cl_svm_mem_flags flags = CL_MEM_READ_WRITE;
	size_t bytes = baseline_channel_slots(c) * c->token_size;

	if (way == BASELINE_SHARED)
		flags |= CL_MEM_SVM_FINE_GRAIN_BUFFER;
	c->shared_with = d->cl;
	if (way == BASELINE_RING && make_ring(c, d->cl))
		return no_memory(build, line, "channel", c->name);
	if (!d->cl->svm)
		return make_blocks(c, d) ? no_memory(build, line, "channel", c->name) : 0;
	c->data = clSVMAlloc(d->cl->context, flags, bytes, 0);
	if (!c->data)
		return no_memory(build, line, "channel", c->name);
	if (clEnqueueSVMMemFill(d->queue, c->data, &zero, 1, bytes, 0, NULL, NULL))
		return no_memory(build, line, "channel", c->name);
	if (clFinish(d->queue)) {
		c->data = NULL; /* it may still be filled */
		return no_memory(build, line, "channel", c->name);
	}
	return 0;
}

void baseline_cl_free_memory(struct baseline_channel *c)
{
	struct baseline_ring *ring = c->ring;

	for (uint64_t i = 0; ring && i < ring->slots; i++) {
		if (ring->written && ring->written[i])
			clReleaseEvent(ring->written[i]);
		if (ring->read && ring->read[i])
			clReleaseEvent(ring->read[i]);
	}
	for (uint64_t i = 0; ring && ring->blocks && i < c->blocks; i++)
		if (ring->blocks[i])
			clReleaseMemObject(ring->blocks[i]);
	if (ring) {
		free(ring->blocks);
		free(ring->written);
		free(ring->read);
	}
	free(ring);
	c->ring = NULL;
	if (c->shared_with && c->data)
		clSVMFree(c->shared_with->context, c->data);
}

int baseline_cl_make_socket(const struct baseline_build *build, struct baseline_process *p,
	struct baseline_port *port, enum baseline_way way, unsigned line)
{
	struct baseline_device *d = p->device;
	struct baseline_socket *s = &d->sockets[port - p->ports];
	size_t bytes = (size_t)port->channel->rate * port->channel->token_size;

	s->way = way;
	for (unsigned i = 0; i < d->flight_count && way == BASELINE_STAGED; i++) {
		cl_int code;

		s->windows[i] = clCreateBuffer(d->cl->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
		if (code) {
			s->windows[i] = NULL;
			return no_memory(build, line, "process", p->name);
		}
		build->b->memory += bytes;
	}
	return 0;
}

/* Zeroed memory for every port and the state: the launch must not be seen. */
static cl_int launch(const struct baseline_process *p, cl_mem *buffers)
{
	struct baseline_device *d = p->device;
	cl_uint count = 0;
	cl_ulong firing = 0;
	cl_int code = CL_SUCCESS, ended;

	for (unsigned i = 0; i <= p->port_count && !code; i++) {
		size_t bytes = i < p->port_count
		                       ? (size_t)p->ports[i].channel->rate * p->ports[i].channel->token_size
		                       : d->state_size;

		if (!bytes)
			continue;
		buffers[count] = clCreateBuffer(d->cl->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
		if (code)
			buffers[count] = NULL;
		else
			code = clEnqueueFillBuffer(
				d->queue, buffers[count], &zero, 1, 0, bytes, 0, NULL, NULL);
		if (!code)
			code = clSetKernelArg(d->kernel, count, sizeof(cl_mem), &buffers[count]);
		count++;
	}
	if (!code)
		code = clSetKernelArg(d->kernel, count, sizeof firing, &firing);
	if (!code)
		code = clEnqueueNDRangeKernel(
			d->queue, d->kernel, 1, NULL, &d->global, &d->local, 0, NULL, NULL);
	ended = clFinish(d->queue); /* also before its buffers are released */
	return code ? code : ended;
}

int baseline_cl_warm_up(const struct baseline_build *build, struct baseline_process *p, unsigned line)
{
	cl_mem *buffers = calloc(p->port_count + 1u, sizeof(cl_mem));
	cl_int code;

	if (!buffers)
		return no_memory(build, line, "process", p->name);
	code = launch(p, buffers);
	for (unsigned i = 0; i <= p->port_count; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	free(buffers);
	if (!code)
		return 0;
	return baseline_refuse(build, build->d->file, line, -EIO,
		"kernel of '%s' cannot be launched: OpenCL error %d", p->name, (int)code);
}
