/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_memory.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_event.h"
#include "lib/opencl/cl_home.h"
#include "lib/opencl/cl_serial.h"

#include <errno.h>
#include <string.h>

/* Each is an object of the driver, or at least an event slot. */
enum { BLOCKS_MAX = 1 << 20 };

static size_t write_bytes(const struct ps_cl_fifo *c)
{
	return c->fifo->layout.write_rate * c->fifo->layout.token_size;
}

static size_t block_bytes(const struct ps_cl_fifo *c)
{
	return c->fifo->layout.read_rate * c->fifo->layout.token_size;
}

int ps_cl_memory_flush(const struct ps_cl_fifo *c, cl_command_queue queue, struct ps_cl_fault *fault)
{
	cl_int err = ps_cl_serial_flush(queue);

	return err ? ps_cl_fail(fault, err, "clFlush", c->on) : 0;
}

/* A command that waits for `after` has been enqueued on this queue. */
static int enqueued(struct ps_cl_fifo *c, cl_command_queue queue, cl_event after, struct ps_cl_fault *fault)
{
	int err = ps_cl_memory_flush(c, queue, fault);

	return err ? err : ps_cl_event_check(1, &after, c->on, fault);
}

int ps_cl_memory_map(struct ps_cl_fifo *c, uint64_t block, cl_map_flags flags, cl_event after,
	cl_event *event, struct ps_cl_fault *fault)
{
	size_t bytes = block_bytes(c);
	cl_uint n = after ? 1 : 0;
	const cl_event *list = n ? &after : NULL;
	cl_int err;

	if (c->kind == PS_CL_COARSE) {
		err = clEnqueueSVMMap(c->down, CL_FALSE, flags, c->pointers[block], bytes, n, list, event);
		if (err)
			return ps_cl_fail(fault, err, "clEnqueueSVMMap", c->on);
	} else {
		void *pointer = clEnqueueMapBuffer(
			c->down, c->blocks[block], CL_FALSE, flags, 0, bytes, n, list, event, &err);

		if (err)
			return ps_cl_fail(fault, err, "clEnqueueMapBuffer", c->on);
		c->pointers[block] = pointer;
	}
	c->mapped[block] = true;
	ps_cl_trace_add(c->traces[0], NULL, *event, bytes);
	err = ps_cl_event_keep(&c->maps[block], *event);
	return err ? ps_cl_fail(fault, err, "clRetainEvent", c->on) : enqueued(c, c->down, after, fault);
}

int ps_cl_memory_unmap(
	struct ps_cl_fifo *c, uint64_t block, cl_event after, cl_event *event, struct ps_cl_fault *fault)
{
	cl_uint n = after ? 1 : 0;
	const cl_event *list = n ? &after : NULL;
	cl_int err;

	if (c->kind == PS_CL_COARSE)
		err = clEnqueueSVMUnmap(c->up, c->pointers[block], n, list, event);
	else
		err = clEnqueueUnmapMemObject(c->up, c->blocks[block], c->pointers[block], n, list, event);
	if (err)
		return ps_cl_fail(fault, err,
			c->kind == PS_CL_COARSE ? "clEnqueueSVMUnmap" : "clEnqueueUnmapMemObject", c->on);
	c->mapped[block] = false;
	ps_cl_trace_add(c->traces[1], NULL, *event, block_bytes(c));
	err = enqueued(c, c->up, after, fault);
	ps_cl_event_put(&c->maps[block], NULL); /* may be `after` */
	return err;
}

/*
 * Taking the memory.
 */

static const struct ps_cl_device *device_of(const struct ps_cl_fifo *c)
{
	return c->device ? c->device : c->writer ? c->writer : c->reader;
}

static int out_of_memory(struct ps_cl_fault *fault)
{
	return ps_cl_refuse(fault, -ENOMEM, "out of memory");
}

static int make_queue(struct ps_cl_fifo *c, const struct ps_cl_device *device, cl_command_queue *queue,
	struct ps_cl_fault *fault)
{
	cl_int err;

	*queue = clCreateCommandQueue(
		device->context, device->id, c->traced ? CL_QUEUE_PROFILING_ENABLE : 0, &err);
	if (err) {
		*queue = NULL;
		return ps_cl_fail(fault, err, "clCreateCommandQueue", c->on);
	}
	return 0;
}

static int check_size(const struct ps_cl_fifo *c, size_t bytes, struct ps_cl_fault *fault)
{
	if (bytes <= device_of(c)->max_alloc)
		return 0;
	return ps_cl_refuse(fault, -ENOMEM,
		"%.3f MB in one piece, %s has at most %.3f MB: lower the rate or the token size",
		(double)bytes / 1e6, c->on, (double)device_of(c)->max_alloc / 1e6);
}

/* count buffers of so many bytes. */
static int make_buffers(struct ps_cl_fifo *c, cl_context context, unsigned count, size_t bytes,
	cl_mem **buffers, unsigned *made, struct ps_cl_fault *fault)
{
	cl_mem_flags flags = CL_MEM_READ_WRITE | (c->kind == PS_CL_MAPPED ? CL_MEM_ALLOC_HOST_PTR : 0);
	int err = check_size(c, bytes, fault);
	cl_int code;

	if (err)
		return err;
	*buffers = ps_memory_zalloc(count, sizeof **buffers);
	if (!*buffers)
		return out_of_memory(fault);
	for (*made = 0; *made < count; ++*made) {
		(*buffers)[*made] = clCreateBuffer(context, flags, bytes, NULL, &code);
		if (code)
			return ps_cl_fail(fault, code, "clCreateBuffer", c->on);
		c->fifo->allocated += bytes;
	}
	return 0;
}

/* Those of merged memory, which frees them. */
static int borrow_buffers(const struct ps_member *member, cl_mem **buffers, struct ps_cl_fault *fault)
{
	*buffers = ps_memory_dup(member->of->memory, member->of->slots * sizeof **buffers);
	return *buffers ? 0 : out_of_memory(fault);
}

static void *make_svm(struct ps_cl_fifo *c, size_t bytes, struct ps_cl_fault *fault)
{
	cl_svm_mem_flags flags =
		CL_MEM_READ_WRITE | (c->kind == PS_CL_FINE ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
	void *svm = check_size(c, bytes, fault) ? NULL : clSVMAlloc(c->context, flags, bytes, 0);

	if (svm)
		c->fifo->allocated += bytes;
	else
		ps_cl_refuse(fault, -ENOMEM, "clSVMAlloc: no %.3f MB of shared virtual memory on %s",
			(double)bytes / 1e6, c->on);
	return svm;
}

static int make_host(struct ps_cl_fifo *c, unsigned char **host, size_t bytes, struct ps_cl_fault *fault)
{
	size_t allocated;

	*host = ps_memory_windows(bytes, 0, &allocated);
	if (!*host)
		return out_of_memory(fault);
	c->fifo->allocated += allocated;
	return 0;
}

/* Page-locked memory, from a cache line on. CL_SUCCESS, or why there is none. */
static cl_int lock_host_side(struct ps_cl_fifo *c, size_t bytes)
{
	size_t all = bytes + PS_CACHE_LINE, rest;
	cl_int code;

	if (all > device_of(c)->max_alloc)
		return CL_INVALID_BUFFER_SIZE;
	c->locked = clCreateBuffer(
		device_of(c)->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, all, NULL, &code);
	if (code) {
		c->locked = NULL;
		return code;
	}
	c->locked_at = clEnqueueMapBuffer(c->writer ? c->down : c->up, c->locked, CL_TRUE,
		CL_MAP_WRITE_INVALIDATE_REGION, 0, all, 0, NULL, NULL, &code);
	if (code) {
		clReleaseMemObject(c->locked);
		c->locked = NULL;
		return code;
	}
	rest = (uintptr_t)c->locked_at % PS_CACHE_LINE;
	c->host = (unsigned char *)c->locked_at + (rest ? PS_CACHE_LINE - rest : 0);
	c->fifo->allocated += all;
	return CL_SUCCESS;
}

/* The host's side of transfers, page-locked if the device has memory of its own: then transfers take less time, and may
 * overlap with kernels. */
static int make_host_side(struct ps_cl_fifo *c, size_t bytes, struct ps_cl_fault *fault)
{
	cl_int code = device_of(c)->info.unified ? CL_SUCCESS : lock_host_side(c, bytes);

	if (code)
		ps_log(PS_TOPIC_OPENCL, PSTK_LOG_WARNING,
			"%s: no page-locked memory for %.3f MB of the host (%s): transfers may take longer, "
			"and not overlap with kernels",
			c->on, (double)bytes / 1e6, ps_cl_error_name(code));
	return c->host ? 0 : make_host(c, &c->host, bytes, fault);
}

static int make_shared_blocks(struct ps_cl_fifo *c, bool scratch, struct ps_cl_fault *fault)
{
	unsigned count = (unsigned)ps_layout_windows(&c->fifo->layout);
	int err = make_queue(c, device_of(c), &c->up, fault);

	if (!err)
		err = make_queue(c, device_of(c), &c->down, fault);
	c->pointers = ps_memory_zalloc(count, sizeof *c->pointers);
	c->mapped = ps_memory_zalloc(count, sizeof *c->mapped);
	c->maps = ps_memory_zalloc(count, sizeof(cl_event));
	if (!err && (!c->pointers || !c->mapped || !c->maps))
		err = out_of_memory(fault);
	if (!err && scratch && !c->writer)
		err = make_host(c, &c->scratch, block_bytes(c), fault);
	if (!err && c->kind == PS_CL_MAPPED)
		return make_buffers(c, c->context, count, block_bytes(c), &c->blocks, &c->block_count, fault);
	for (unsigned b = 0; !err && b < count; b++) {
		c->pointers[b] = make_svm(c, block_bytes(c), fault);
		err = fault->err;
	}
	return err;
}

/* The ring at a device's end, and the window of its reader. */
static int make_ring(struct ps_cl_fifo *c, struct ps_cl_fault *fault)
{
	const struct ps_layout *l = &c->fifo->layout;
	int err = make_buffers(c, c->context, 1, l->ring * l->token_size, &c->blocks, &c->block_count, fault);

	return err ? err
	           : make_buffers(c, c->context, 1, (l->history + (size_t)l->read_rate) * l->token_size,
			     &c->gathered, &c->gathered_count, fault);
}

/* The host's part of a way. An only reader there has it as its layout says. */
static size_t host_bytes(const struct ps_cl_fifo *c)
{
	const struct ps_cl_way *y = c->way;

	return !c->reader && !y->shared ? c->fifo->layout.bytes : y->shape.windows[y->down] * write_bytes(c);
}

static int make_staged(struct ps_cl_fifo *c, struct ps_cl_fault *fault)
{
	const struct ps_layout *l = &c->fifo->layout;
	int err = 0;

	if (c->writer && c->lead == c) {
		err = make_queue(c, c->writer, &c->down, fault);
		if (!err && c->home != c) {
			c->spares = ps_memory_dup(c->home->blocks, c->home->block_count * sizeof(cl_mem));
			err = c->spares ? 0 : out_of_memory(fault);
		} else if (!err && c->written_merged)
			err = borrow_buffers(c->written_merged, &c->spares, fault);
		else if (!err)
			err = make_buffers(c, c->writer->context, c->way->shape.windows[0], write_bytes(c),
				&c->spares, &c->spare_count, fault);
	}
	if (!err && c->brought_merged)
		err = borrow_buffers(c->brought_merged, &c->blocks, fault);
	else if (!err && c->reader && c->overlaps)
		err = make_ring(c, fault);
	else if (!err && c->reader)
		err = make_buffers(c, c->context, (unsigned)ps_layout_windows(l), block_bytes(c), &c->blocks,
			&c->block_count, fault);
	if (!err && c->reader)
		err = make_queue(c, c->reader, &c->up, fault);
	return err || c->lead != c ? err : make_host_side(c, host_bytes(c), fault);
}

static int make_memory(struct ps_cl_fifo *c, bool scratch, struct ps_cl_fault *fault)
{
	const struct ps_layout *l = &c->fifo->layout;
	int err;

	switch (c->kind) {
	case PS_CL_GATHERED:
		err = make_ring(c, fault);
		return err ? err
		           : make_buffers(
				     c, c->context, 1, write_bytes(c), &c->spares, &c->spare_count, fault);
	case PS_CL_BLOCKS:
		if (c->written_merged)
			return borrow_buffers(c->written_merged, &c->blocks, fault);
		err = make_buffers(c, c->context, (unsigned)ps_layout_windows(l), block_bytes(c), &c->blocks,
			&c->block_count, fault);
		if (!err && ps_layout_rest(l))
			err = make_buffers(
				c, c->context, 1, block_bytes(c), &c->spares, &c->spare_count, fault);
		return err;
	case PS_CL_SVM:
	case PS_CL_FINE:
		c->svm = make_svm(c, l->bytes, fault);
		return fault->err;
	case PS_CL_COARSE:
	case PS_CL_MAPPED:
		return make_shared_blocks(c, scratch, fault);
	case PS_CL_STAGED:
	case PS_CL_RELAYED:
		return make_staged(c, fault);
	case PS_CL_HOME:
		err = ps_cl_home_open(c->moving, fault);
		if (!err && !device_of(c)->info.unified)
			err = make_queue(c, device_of(c), &c->up, fault);
		if (!err)
			err = make_host_side(c, l->bytes, fault);
		c->moving->memory = c->host;
		return err;
	}
	return -EINVAL;
}

/*
 * The delay tokens.
 */

/* Writes a piece of them to the device and waits. */
static cl_int put_piece(
	struct ps_cl_fifo *c, cl_command_queue queue, unsigned block, const unsigned char *data, size_t bytes)
{
	if (c->kind == PS_CL_SVM)
		return clEnqueueSVMMemcpy(queue, CL_TRUE, c->svm, data, bytes, 0, NULL, NULL);
	return clEnqueueWriteBuffer(queue, c->blocks[block], CL_TRUE, 0, bytes, data, 0, NULL, NULL);
}

/* To a device's memory, block after block. */
static int put_on_device(
	struct ps_cl_fifo *c, const unsigned char *data, size_t bytes, struct ps_cl_fault *fault)
{
	size_t step = c->kind == PS_CL_SVM || c->overlaps ? bytes : block_bytes(c);
	const char *function = c->kind == PS_CL_SVM ? "clEnqueueSVMMemcpy for the delay tokens"
	                                            : "clEnqueueWriteBuffer for the delay tokens";
	cl_command_queue queue;
	cl_int code = CL_SUCCESS;
	int err =
		make_queue(c, device_of(c)->context == c->context ? device_of(c) : c->reader, &queue, fault);

	if (err)
		return err;
	for (size_t at = 0; at < bytes && !code; at += step)
		code = put_piece(
			c, queue, (unsigned)(at / step), data + at, step < bytes - at ? step : bytes - at);
	clReleaseCommandQueue(queue);
	return code ? ps_cl_fail(fault, code, function, c->on) : 0;
}

/* Waits for a command that has been enqueued, also if something has gone wrong then: its memory will be given back. */
static int finish(
	struct ps_cl_fifo *c, cl_command_queue queue, cl_event event, int err, struct ps_cl_fault *fault)
{
	cl_int code = event ? clWaitForEvents(1, &event) : CL_SUCCESS;

	if (code && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		clFinish(queue); /* waiting itself is what has failed */
	if (event)
		clReleaseEvent(event);
	return code && !err ? ps_cl_fail(fault, code, "clWaitForEvents", c->on) : err;
}

/* COARSE, MAPPED: all blocks with delay tokens, and of a host writer's the others too, are mapped; then those that the
 * device has first are unmapped. */
static int put_shared(struct ps_cl_fifo *c, const unsigned char *data, struct ps_cl_fault *fault)
{
	const struct ps_layout *l = &c->fifo->layout;
	uint64_t count = c->writer ? ps_layout_whole(l) : ps_layout_windows(l);

	for (uint64_t b = 0; b < count; b++) {
		cl_event event = NULL;
		int err = ps_cl_memory_map(c, b, CL_MAP_READ | CL_MAP_WRITE, NULL, &event, fault);

		err = finish(c, c->down, event, err, fault);
		if (err)
			return err;
		if (b >= ps_layout_whole(l))
			continue;
		memcpy(c->pointers[b], data + b * block_bytes(c), block_bytes(c));
		if (!c->reader)
			continue;
		event = NULL;
		err = ps_cl_memory_unmap(c, b, NULL, &event, fault);
		err = finish(c, c->up, event, err, fault);
		if (err)
			return err;
	}
	return 0;
}

static int put_initial(
	struct ps_cl_fifo *c, const unsigned char *data, size_t bytes, struct ps_cl_fault *fault)
{
	if (c->kind == PS_CL_COARSE || c->kind == PS_CL_MAPPED)
		return put_shared(c, data, fault);
	if (c->kind == PS_CL_FINE)
		memcpy(c->svm, data, bytes);
	else if (!bytes)
		return 0;
	else if (c->kind == PS_CL_HOME || (c->kind == PS_CL_STAGED && !c->reader))
		memcpy(c->host, data, bytes);
	else
		return put_on_device(c, data, bytes, fault);
	return 0;
}

/* All of a ring: the initial tokens, zeros elsewhere. What windows see before the stream lies there, too. */
static int put_ring(struct ps_cl_fifo *c, const unsigned char *initial, struct ps_cl_fault *fault)
{
	const struct ps_layout *l = &c->fifo->layout;
	bool margin = c->kind == PS_CL_SVM || c->kind == PS_CL_FINE || !c->reader;
	size_t s = l->token_size, slots = margin ? l->slots : l->ring;
	unsigned char *image = ps_memory_zalloc(slots, s);
	int err;

	if (!image)
		return out_of_memory(fault);
	for (uint64_t x = 0; initial && x < l->delay; x++) {
		uint64_t slot = ps_layout_slot(l, (int64_t)x);

		memcpy(image + slot * s, initial + x * s, s);
		if (l->ring + slot < slots)
			memcpy(image + (l->ring + slot) * s, initial + x * s, s);
	}
	err = put_initial(c, image, slots * s, fault);
	ps_memory_free(image);
	return err;
}

/* The owner's memory, which the owner also frees. */
static void borrow_memory(struct ps_cl_fifo *c)
{
	c->svm = c->owner->svm;
	c->blocks = c->owner->blocks;
	c->at = &c->owner->fifo->layout;
	c->direct = c->fifo->layout.delay == 0 && c->at->delay > 0;
}

/* For the ends that wait for the place. */
static bool get_bells(struct ps_cl_fifo *c)
{
	struct ps_fifo_end *writer = &c->fifo->writer, *reader = &c->fifo->reader;
	bool gated = ps_cl_way_is_gated(c);
	bool writes = !c->writer || gated || c->written_merged, reads = !c->reader || gated;

	if (writes)
		writer->eventcount = ps_eventcount_get();
	if (reads)
		reader->eventcount = ps_eventcount_get();
	return (writer->eventcount || !writes) && (reader->eventcount || !reads);
}

static bool has_way(const struct ps_cl_fifo *c)
{
	return c->kind == PS_CL_STAGED || c->kind == PS_CL_RELAYED;
}

/* The most that are on their way at once. */
static uint64_t count_windows(const struct ps_cl_fifo *c, const struct ps_cl_way_shape *way)
{
	const struct ps_layout *l = &c->fifo->layout;
	uint64_t windows = (l->ring + c->fifo->room_before) /
	                   (l->write_rate < l->read_rate ? l->write_rate : l->read_rate),
		 places = has_way(c) ? (uint64_t)way->windows[0] + way->windows[1] + way->most : 0;

	/* those of the first place may be more than the FIFO itself needs */
	return places > windows ? places : windows;
}

/* Its home waits for them. */
static int share_events(struct ps_cl_fifo *c)
{
	c->moving->in_place = c->kind == PS_CL_FINE;
	c->moving->traced = c->traced;
	c->moving->wev = c->wev;
	c->moving->rev = c->rev;
	c->moving->slots = c->slots;
	if (c->moving->in_place)
		c->moving->copied = ps_memory_zalloc(c->slots, sizeof(cl_event));
	return c->moving->in_place && !c->moving->copied ? -ENOMEM : 0;
}

int ps_cl_fifo_create(struct ps_cl_fifo *c, const void *initial, bool scratch,
	const struct ps_cl_way_shape *way, struct ps_cl_fault *fault)
{
	const struct ps_layout *l = &c->fifo->layout;
	size_t bytes = l->delay * l->token_size;
	void *zeros = NULL;
	uint64_t windows;
	int err;

	if (!c->ring)
		c->ring = l->depth;
	ps_fifo_settle(c->fifo);
	if (c->moving && ps_cl_home_name(c->moving, fault))
		return fault->err;
	c->on = c->moving ? c->moving->on : device_of(c)->info.selector;
	c->at = l;
	c->overlaps = !ps_layout_is_simple(l);
	windows = count_windows(c, way);
	if (windows > BLOCKS_MAX)
		return ps_cl_refuse(fault, -EINVAL,
			"%llu windows on %s, at most %d: raise the rate, or lower the delay or the depth",
			(unsigned long long)windows, c->on, BLOCKS_MAX);
	c->slots = (unsigned)windows + 3 + c->overlaps; /* of the ring only a part of a window may be left */
	c->context = c->reader ? c->reader->context : device_of(c)->context;
	c->rev = ps_memory_zalloc(c->slots, sizeof(cl_event));
	if (has_way(c))
		err = ps_cl_way_init(c, way);
	else
		err = (c->wev = ps_memory_zalloc(c->slots, sizeof(cl_event))) ? 0 : -ENOMEM;
	if (err || !c->rev || !get_bells(c))
		return out_of_memory(fault);
	if (c->owner != c) {
		borrow_memory(c);
		return 0;
	}
	if (c->moving && share_events(c))
		return out_of_memory(fault);
	err = make_memory(c, scratch, fault);
	if (!err && c->overlaps)
		return put_ring(c, initial, fault);
	if (!err && !initial) {
		zeros = ps_memory_zalloc(1, bytes);
		err = zeros ? 0 : out_of_memory(fault);
	}
	if (!err)
		err = put_initial(c, initial ? initial : zeros, bytes, fault);
	ps_memory_free(zeros);
	return err;
}

/*
 * Giving it back.
 */

/* What commands that never end may still touch; never freed, and kept where a leak checker sees it. */
static _Atomic(struct ps_cl_fifo *) lost_fifos;

static void keep_lost(struct ps_cl_fifo *c)
{
	struct ps_cl_fifo *first = atomic_load(&lost_fifos);

	do
		c->next_lost = first;
	while (!atomic_compare_exchange_weak(&lost_fifos, &first, c));
}

/* If waiting itself is what fails, the queue is waited for. false: the command has failed. */
static bool wait_or_finish(cl_event event, cl_command_queue queue)
{
	cl_int code = event ? clWaitForEvents(1, &event) : CL_INVALID_EVENT;

	if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		return false;
	if (code)
		clFinish(queue);
	return true;
}

/* Every command is through; the map of a start that has failed may not be. */
static void unmap_block(struct ps_cl_fifo *c, unsigned b)
{
	struct ps_cl_fault ignored = { 0 };
	cl_event event = NULL;

	if (!wait_or_finish(c->maps[b], c->down)) /* so it is not mapped */
		return;
	ps_cl_memory_unmap(c, b, NULL, &event, &ignored);
	if (event)
		wait_or_finish(event, c->up);
	ps_cl_event_put(&event, NULL);
}

static void unmap_all(struct ps_cl_fifo *c)
{
	for (unsigned b = 0; c->mapped && c->maps && c->pointers && b < ps_layout_windows(&c->fifo->layout);
		b++)
		if (c->mapped[b])
			unmap_block(c, b);
}

static void free_buffers(cl_mem *buffers, unsigned count)
{
	for (unsigned i = 0; buffers && i < count; i++)
		clReleaseMemObject(buffers[i]);
	ps_memory_free(buffers);
}

static void free_host_side(struct ps_cl_fifo *c)
{
	cl_command_queue queue = c->writer ? c->down : c->up;

	if (!c->locked) {
		ps_memory_free(c->host);
		return;
	}
	if (!clEnqueueUnmapMemObject(queue, c->locked, c->locked_at, 0, NULL, NULL))
		clFinish(queue);
	clReleaseMemObject(c->locked);
}

static void free_memory(struct ps_cl_fifo *c)
{
	free_buffers(c->blocks, c->block_count);
	free_buffers(c->spares, c->spare_count);
	free_buffers(c->gathered, c->gathered_count);
	if (c->svm)
		clSVMFree(c->context, c->svm);
	for (unsigned b = 0;
		c->kind == PS_CL_COARSE && c->pointers && b < ps_layout_windows(&c->fifo->layout); b++)
		if (c->pointers[b])
			clSVMFree(c->context, c->pointers[b]);
	ps_memory_free(c->pointers);
	ps_memory_free(c->mapped);
	ps_memory_free(c->maps);
	free_host_side(c);
	ps_memory_free(c->scratch);
}

void ps_cl_fifo_destroy(struct ps_cl_fifo *c, bool lost)
{
	for (unsigned to = 0; to < 2; to++) {
		ps_cl_trace_free(c->traces[to]);
		c->traces[to] = NULL;
	}
	if (!lost)
		unmap_all(c);
	for (unsigned i = 0; c->wev && i < c->slots; i++)
		ps_cl_event_put(&c->wev[i], NULL);
	for (unsigned i = 0; c->rev && i < c->slots; i++)
		ps_cl_event_put(&c->rev[i], NULL);
	ps_cl_event_put(&c->zeroed, NULL);
	ps_cl_event_put(&c->arriving, NULL);
	for (unsigned b = 0; c->maps && b < ps_layout_windows(&c->fifo->layout); b++)
		ps_cl_event_put(&c->maps[b], NULL);
	ps_cl_way_fini(c);
	ps_cl_home_destroy(c->moving, lost);
	ps_memory_free(c->wev);
	ps_memory_free(c->rev);
	ps_eventcount_put(c->fifo->writer.eventcount);
	ps_eventcount_put(c->fifo->reader.eventcount);
	if (!lost && c->owner == c)
		free_memory(c);
	if (c->up)
		clReleaseCommandQueue(c->up);
	if (c->down)
		clReleaseCommandQueue(c->down);
	if (lost)
		keep_lost(c);
	else
		ps_memory_free(c);
}
