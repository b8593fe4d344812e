/* SPDX-License-Identifier: MIT */
/* The device's ends of a FIFO. cl_fifo_host.c has the host's, cl_memory.c the memory. */
#include "lib/opencl/cl_fifo.h"
#include "lib/opencl/cl_event.h"
#include "lib/opencl/cl_home.h"
#include "lib/opencl/cl_memory.h"
#include "lib/opencl/cl_ring.h"
#include "lib/opencl/cl_serial.h"

#include <errno.h>

cl_event ps_cl_fifo_freed(struct ps_cl_fifo *c, uint64_t w)
{
	int64_t j;

	if (c->moving) /* its writer has waited */
		return NULL;
	if (c->way) /* the window of all FIFOs that use it */
		return ps_cl_way_left(c, w);
	j = ps_cl_ring_freed_by(c->fifo, w);
	return j < 0 ? NULL : c->rev[(uint64_t)j % c->slots];
}

cl_event ps_cl_fifo_before(const struct ps_cl_fifo *c, uint64_t w)
{
	/* of a way the transfers are in order; where an end moves the reader looks at all writes */
	return c->overlaps && w && !c->way && !c->moving ? c->wev[(w - 1) % c->slots] : NULL;
}

cl_event ps_cl_fifo_filled(struct ps_cl_fifo *c, uint64_t j)
{
	int64_t w = ps_cl_ring_filled_by(c->fifo, j);

	if (c->way)
		return ps_cl_way_brought(c, w);
	return w < 0 ? NULL : c->wev[(uint64_t)w % c->slots];
}

cl_event *ps_cl_fifo_kept(struct ps_cl_fifo *c, uint64_t w)
{
	return &(c->way ? c->way->made : c->wev)[w % c->slots];
}

static size_t write_bytes(const struct ps_cl_fifo *c)
{
	return c->fifo->layout.write_rate * c->fifo->layout.token_size;
}

/* With its history. */
static size_t read_bytes(const struct ps_cl_fifo *c)
{
	const struct ps_layout *l = &c->fifo->layout;

	return (l->history + (size_t)l->read_rate) * l->token_size;
}

uint64_t ps_cl_fifo_write_block(const struct ps_cl_fifo *c, uint64_t w)
{
	return (w + ps_layout_whole(c->at)) % ps_layout_windows(c->at);
}

static int fail(struct ps_cl_fifo *c, struct ps_cl_fault *fault, cl_int code, const char *function)
{
	return ps_cl_fail(fault, code, function, c->on);
}

/* A block that a host reader left mapped when it ended is the writer's again. */
static int take_back(struct ps_cl_fifo *c, uint64_t w, struct ps_cl_window *window)
{
	uint64_t b = ps_cl_fifo_write_block(c, w);
	cl_event event = NULL;
	int err;

	if (!c->mapped[b])
		return 0;
	/* PoCL would keep for ever what is enqueued behind a map that has failed already */
	if (ps_cl_event_state(c->maps[b], "a command that maps its window", c->on, &c->write_fault) ==
		PS_CL_EVENT_FAILED)
		return c->write_fault.err;
	err = ps_cl_memory_unmap(c, b, c->maps[b], &event, &c->write_fault);
	/* the reader's array is no other thread's any more */
	ps_cl_event_put(&c->rev[w % c->slots], event);
	window->after = event;
	return err;
}

int ps_cl_fifo_write_window(struct ps_cl_fifo *c, uint64_t w, struct ps_cl_window *window)
{
	const struct ps_layout *l = c->at;
	size_t at = ps_layout_write_slot(l, w) * l->token_size;
	uint64_t b = ps_cl_fifo_write_block(c, w);

	*window = (struct ps_cl_window){ .bytes = write_bytes(c) };
	switch (c->kind) {
	case PS_CL_GATHERED: /* the copies wait */
		window->buffer = c->spares[0];
		break;
	case PS_CL_BLOCKS:
		window->buffer = ps_layout_rest(l) ? c->spares[0] : c->blocks[b];
		window->after = ps_layout_rest(l) ? NULL : ps_cl_fifo_freed(c, w); /* the copies wait */
		break;
	case PS_CL_SVM:
	case PS_CL_FINE: /* a host has finished reading */
		window->svm = c->svm + at;
		window->after = c->reader ? ps_cl_fifo_freed(c, w) : NULL;
		break;
	case PS_CL_COARSE:
	case PS_CL_MAPPED:
		window->svm = c->kind == PS_CL_COARSE ? c->pointers[b] : NULL;
		window->buffer = c->kind == PS_CL_COARSE ? NULL : c->blocks[b];
		window->after = ps_cl_fifo_freed(c, w);
		return atomic_load(&c->fifo->discards) ? take_back(c, w, window) : 0;
	case PS_CL_STAGED:
	case PS_CL_RELAYED:
		window->buffer = c->lead->spares[w % c->way->shape.windows[0]];
		window->after = ps_cl_way_left(c, w);
		break;
	case PS_CL_HOME:
		window->buffer = ps_cl_home_write_window(c->moving, w, &window->after);
		break;
	}
	return 0;
}

/* A command that waits for these has been enqueued on the actor's queue, or not. Serial: it is through then, because a
 * queue of the FIFO's that is finished before the actor's may wait for it. */
static int enqueued(struct ps_cl_fifo *c, cl_command_queue queue, cl_int code, const char *function,
	cl_uint count, const cl_event *waits, struct ps_cl_fault *fault)
{
	int err = code ? fail(c, fault, code, function) : ps_cl_event_check(count, waits, c->on, fault);

	return !err && ps_cl_serial() ? ps_cl_memory_flush(c, queue, fault) : err;
}

/*
 * What follows a command on its queue also names it as what it waits for: a queue goes on when a command has failed,
 * and no reader may take for data what has been made of its window.
 */

/* To where these slots of an allocation have a second place, after this event. *event: the last copy's; it stays what
 * it was where there is none. */
static int copy_doubles(struct ps_cl_fifo *c, uint64_t from, uint64_t count, cl_command_queue queue,
	cl_event after, cl_event *event, struct ps_cl_fault *fault)
{
	size_t s = c->at->token_size;
	struct ps_layout_copy copies[2];
	unsigned n = ps_layout_copies(c->at, from, count, copies);
	int err = 0;

	for (unsigned i = 0; i < n && !err; i++) {
		cl_event copied = NULL;
		cl_int code = clEnqueueSVMMemcpy(queue, CL_FALSE, c->svm + copies[i].to * s,
			c->svm + copies[i].from * s, copies[i].count * s, 1, &after, &copied);

		ps_fifo_count_copy(c->fifo, copies[i].count * s);
		err = enqueued(c, queue, code, "clEnqueueSVMMemcpy", 1, &after, fault);
		if (copied)
			ps_cl_event_put(event, copied);
		after = copied;
	}
	return err;
}

/* One of several pieces between two buffers, bytes; each waits for the one before. */
static int copy_piece(struct ps_cl_fifo *c, cl_mem from, size_t at, cl_mem to, size_t offset, size_t bytes,
	cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event,
	struct ps_cl_fault *fault)
{
	cl_event first = *event, copied = NULL;
	cl_int code;
	int err;

	if (!bytes)
		return 0;
	ps_fifo_count_copy(c->fifo, bytes);
	if (first) { /* which has waited for the others */
		count = 1;
		waits = &first;
	}
	code = clEnqueueCopyBuffer(queue, from, to, at, offset, bytes, count, count ? waits : NULL, &copied);
	err = enqueued(c, queue, code, "clEnqueueCopyBuffer", count, waits, fault);
	if (copied)
		ps_cl_event_put(event, copied);
	return err;
}

/* From a window of the writer's to where write w lies in the ring. *event: NULL before. */
static int put_into_ring(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_mem from,
	cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event)
{
	const struct ps_layout *l = &c->fifo->layout;
	uint64_t slot = ps_layout_write_slot(l, w), first = l->ring - slot < valid ? l->ring - slot : valid;
	size_t s = l->token_size;
	int err = copy_piece(
		c, from, 0, c->blocks[0], slot * s, first * s, queue, count, waits, event, &c->write_fault);

	return err ? err
	           : copy_piece(c, from, first * s, c->blocks[0], 0, (valid - first) * s, queue, count, waits,
			     event, &c->write_fault);
}

/* From a window of the writer's to the one or two blocks where the reader will find it, on the writer's queue, after
 * these events. */
static int spread(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_mem from, cl_command_queue queue,
	cl_uint count, const cl_event *waits, cl_event *event)
{
	const struct ps_layout *l = &c->fifo->layout;
	uint32_t left = valid,
		 first = l->read_rate - ps_layout_rest(l) < left ? l->read_rate - ps_layout_rest(l) : left;
	uint64_t b = ps_cl_fifo_write_block(c, w);
	size_t s = l->token_size;
	cl_event second = NULL;
	cl_int code;
	int err;

	if (c->overlaps)
		return put_into_ring(c, w, valid, from, queue, count, waits, event);
	ps_fifo_count_copy(c->fifo, valid * s);
	code = clEnqueueCopyBuffer(queue, from, c->blocks[b], 0, ps_layout_rest(l) * s, first * s, count,
		count ? waits : NULL, event);
	err = enqueued(c, queue, code, "clEnqueueCopyBuffer", count, waits, &c->write_fault);
	if (err || left == first)
		return err;
	code = clEnqueueCopyBuffer(queue, from, c->blocks[(b + 1) % ps_layout_windows(l)], first * s, 0,
		(left - first) * s, 1, event, &second);
	err = enqueued(c, queue, code, "clEnqueueCopyBuffer", 1, event, &c->write_fault);
	if (second)
		ps_cl_event_put(event, second);
	return err;
}

/* The same from the spare window, which `after` fills. */
static int spread_spare(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_command_queue queue,
	cl_event after, cl_event *event)
{
	cl_event waits[3] = { after }, others[] = { ps_cl_fifo_freed(c, w), ps_cl_fifo_before(c, w) };
	cl_uint count = 1;

	for (unsigned i = 0; i < 2; i++)
		if (others[i])
			waits[count++] = others[i];
	return spread(c, w, valid, c->spares[0], queue, count, waits, event);
}

/* Zeros behind the first tokens of a window, once it is there (window->after). */
static int fill(struct ps_cl_fifo *c, const struct ps_cl_window *window, uint64_t tokens,
	cl_command_queue queue, cl_event *event, struct ps_cl_fault *fault)
{
	static const unsigned char zero = 0;
	size_t from = tokens * c->fifo->layout.token_size, bytes = window->bytes - from;
	cl_uint n = window->after ? 1 : 0;
	const cl_event *list = n ? &window->after : NULL;
	cl_int code;

	if (window->svm) {
		code = clEnqueueSVMMemFill(
			queue, (unsigned char *)window->svm + from, &zero, 1, bytes, n, list, event);
		return enqueued(c, queue, code, "clEnqueueSVMMemFill", n, list, fault);
	}
	code = clEnqueueFillBuffer(queue, window->buffer, &zero, 1, from, bytes, n, list, event);
	return enqueued(c, queue, code, "clEnqueueFillBuffer", n, list, fault);
}

/* Zeros behind the valid tokens of write w, which `after` fills, on the writer's queue. */
static int fill_behind(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_command_queue queue,
	cl_event after, cl_event *zeroed)
{
	struct ps_cl_window window;
	int err = ps_cl_fifo_write_window(c, w, &window);

	window.after = after;
	return err ? err : fill(c, &window, valid, queue, zeroed, &c->write_fault);
}

/* Brings a block to a host reader. */
static int hand_to_host(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_command_queue queue,
	cl_event event, cl_event *mapped)
{
	cl_event zeroed = NULL;
	int err = 0;

	if (valid < c->fifo->layout.read_rate) /* what is mapped for reading the host can't zero */
		err = fill_behind(c, w, valid, queue, event, &zeroed);
	if (!err)
		err = ps_cl_memory_map(c, ps_cl_fifo_write_block(c, w), CL_MAP_READ, zeroed ? zeroed : event,
			mapped, &c->write_fault);
	if (err && !*mapped)
		*mapped = zeroed; /* so that the end waits for it */
	else
		ps_cl_event_put(&zeroed, NULL);
	return err;
}

/* What is left for the reader is zeroed, and wrapped. */
static int complete(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_command_queue queue, cl_event event,
	cl_event *next)
{
	cl_event wrapped = NULL;
	int err = 0;

	if (c->shared && valid < c->fifo->layout.read_rate)
		err = fill_behind(c, w, valid, queue, event, next);
	if (!err && c->svm)
		err = copy_doubles(c, ps_layout_write_slot(c->at, w), c->at->write_rate, queue,
			*next ? *next : event, &wrapped, &c->write_fault);
	if (wrapped)
		ps_cl_event_put(next, wrapped);
	return err;
}

/* Does any command follow write w on the device? */
static bool has_follow_up(const struct ps_cl_fifo *c, uint64_t w, uint32_t valid)
{
	switch (c->kind) {
	case PS_CL_GATHERED:
		return true;
	case PS_CL_BLOCKS:
	case PS_CL_SVM:
	case PS_CL_FINE:
		return (c->kind == PS_CL_BLOCKS && ps_layout_rest(c->at)) ||
		       (c->shared && valid < c->fifo->layout.read_rate) || ps_cl_fifo_wraps(c->at, w);
	default: /* is mapped for the host, or moved */
		return c->way || c->moving || !atomic_load(&c->fifo->discards);
	}
}

/* What follows write w on the device: *next is set if some command does. */
static int follow_up(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_command_queue queue, cl_event event,
	cl_event *next)
{
	switch (c->kind) {
	case PS_CL_GATHERED:
		return spread_spare(c, w, valid, queue, event, next);
	case PS_CL_BLOCKS:
		return ps_layout_rest(c->at) ? spread_spare(c, w, valid, queue, event, next)
		                             : complete(c, w, valid, queue, event, next);
	case PS_CL_SVM:
	case PS_CL_FINE:
		return complete(c, w, valid, queue, event, next);
	case PS_CL_COARSE:
	case PS_CL_MAPPED:
		return hand_to_host(c, w, valid, queue, event, next);
	case PS_CL_STAGED:
	case PS_CL_RELAYED:
	case PS_CL_HOME:
		break;
	}
	return 0;
}

/* A reference of the slot's own. err: what has gone wrong before. */
static int keep(struct ps_cl_fifo *c, cl_event *slot, cl_event event, int err, struct ps_cl_fault *fault)
{
	cl_int code = ps_cl_event_keep(slot, event);

	return code && !err ? fail(c, fault, code, "clRetainEvent") : err;
}

/* Of merged memory: once no reader is left, others may write there behind this write. err: what has gone wrong
 * before. */
static int was_put(struct ps_cl_fifo *c, uint64_t w, int err)
{
	if (err || !c->written_merged)
		return err;
	atomic_store(&c->put, w + 1);
	ps_merged_wrote(c->written_merged);
	return 0;
}

/* To the way. Readers at the writer's place find zeros behind the last tokens. */
static int hand_over(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_command_queue queue, cl_event event)
{
	cl_event zeroed = NULL;
	int err = 0;

	if (c->home != c->lead && valid < c->fifo->layout.write_rate)
		err = fill_behind(c, w, valid, queue, event, &zeroed);
	if (!err)
		err = ps_cl_way_written(c, w, valid, zeroed ? zeroed : event);
	ps_cl_event_put(&zeroed, NULL);
	return was_put(c, w, err);
}

static int bring_home(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_event event)
{
	cl_event moved;
	int err = ps_cl_home_written(c->moving, w, valid, event, &moved, &c->write_fault);

	if (!err)
		ps_cl_fifo_arrives(c, w, moved);
	return err;
}

int ps_cl_fifo_written(
	struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_command_queue queue, cl_event event)
{
	cl_event next = NULL;
	int err = 0;

	/* where nothing follows, the thread that waits for the window looks at its event */
	if (has_follow_up(c, w, valid)) {
		err = ps_cl_event_check(1, &event, c->on, &c->write_fault);
		if (!err && c->way)
			return hand_over(c, w, valid, queue, event);
		if (!err && c->kind == PS_CL_HOME)
			return bring_home(c, w, valid, event);
		if (!err)
			err = follow_up(c, w, valid, queue, event, &next);
	}
	/* after a failure too: what was enqueued is waited for at the end */
	if (!next)
		err = keep(c, ps_cl_fifo_kept(c, w), event, err, &c->write_fault);
	else
		ps_cl_event_put(&c->wev[w % c->slots], next);
	if (!err && c->moving)
		err = ps_cl_home_used(c->moving, true, c->wev[w % c->slots], &c->write_fault);
	if (!err)
		ps_cl_fifo_arrives(c, w, c->wev[w % c->slots]);
	return was_put(c, w, err);
}

int ps_cl_fifo_written_too(struct ps_cl_fifo *c, struct ps_cl_fifo *other, uint64_t w, uint32_t valid)
{
	cl_event event = *ps_cl_fifo_kept(other, w);
	int err;

	if (c->way)
		return ps_cl_way_written(c, w, valid, event);
	err = keep(c, &c->wev[w % c->slots], event, 0, &c->write_fault);
	if (!err)
		ps_cl_fifo_arrives(c, w, c->wev[w % c->slots]);
	return was_put(c, w, err);
}

/* The first token of read j that must be zeroed; the rate: none. */
static uint32_t zeroes_from(const struct ps_cl_fifo *c, uint64_t j, uint32_t valid)
{
	const struct ps_layout *l = &c->fifo->layout;

	if (!c->shared)
		return valid;
	if (c->way) /* the transfer has brought zeros */
		return l->read_rate;
	/* the writer has zeroed its last window: the one that begins in it, and the first rho tokens of the next */
	return c->direct || ps_cl_ring_filled_by(c->fifo, j) == (int64_t)(j - ps_layout_whole(l))
	               ? l->read_rate
	               : ps_layout_rest(l);
}

static void place_window(const struct ps_cl_fifo *c, uint64_t j, struct ps_cl_window *window)
{
	uint64_t slot = ps_layout_read_slot(c->at, &c->fifo->layout, j);
	uint64_t b = c->direct ? ps_cl_fifo_write_block(c, j) : j % ps_layout_windows(c->at);

	if (c->svm) {
		window->svm = c->svm + slot * c->at->token_size;
	} else if (c->kind == PS_CL_COARSE) {
		window->svm = c->pointers[b];
	} else {
		window->buffer = c->blocks[b];
	}
}

/* One allocation, windows that overlap: zeros where tokens are missing, and in the second places of these. */
static int zero_in_ring(struct ps_cl_fifo *c, uint64_t j, cl_command_queue queue, struct ps_cl_window *window)
{
	const struct ps_layout *l = &c->fifo->layout;
	uint64_t from = ps_layout_zeros(l, j, atomic_load(&c->fifo->written)),
		 end = l->history + (uint64_t)l->read_rate;
	cl_event zeroed = NULL;
	int err;

	if (from == end)
		return 0;
	err = fill(c, window, from, queue, &zeroed, &c->read_fault);
	if (!err)
		err = copy_doubles(c, ps_layout_read_slot(l, l, j) + from, end - from, queue, zeroed, &zeroed,
			&c->read_fault);
	ps_cl_event_put(&c->zeroed, zeroed);
	window->after = zeroed;
	return err;
}

/* Copies read j together from the ring. The read before, which uses the same window, is before it on the queue. */
static int gather(struct ps_cl_fifo *c, uint64_t j, cl_command_queue queue, struct ps_cl_window *window)
{
	const struct ps_layout *l = &c->fifo->layout;
	uint64_t slot = ps_layout_read_slot(l, l, j),
		 count = ps_layout_missing(l, j, atomic_load(&c->fifo->written)),
		 first = l->ring - slot < count ? l->ring - slot : count;
	cl_event filled = window->after, done = NULL;
	cl_uint n = filled ? 1 : 0;
	int err;

	window->buffer = c->gathered[0];
	err = copy_piece(c, c->blocks[0], slot * l->token_size, window->buffer, 0, first * l->token_size,
		queue, n, &filled, &done, &c->read_fault);
	if (!err)
		err = copy_piece(c, c->blocks[0], 0, window->buffer, first * l->token_size,
			(count - first) * l->token_size, queue, n, &filled, &done, &c->read_fault);
	if (!err && count < l->history + (uint64_t)l->read_rate) {
		cl_event zeroed = NULL;

		if (done)
			window->after = done;
		err = fill(c, window, count, queue, &zeroed, &c->read_fault);
		if (zeroed)
			ps_cl_event_put(&done, zeroed);
	}
	ps_cl_event_put(&c->zeroed, done);
	window->after = done;
	return err;
}

static int read_overlapping(
	struct ps_cl_fifo *c, uint64_t j, cl_command_queue queue, struct ps_cl_window *window)
{
	if (!c->svm)
		return gather(c, j, queue, window);
	window->svm = c->svm + ps_layout_read_slot(c->at, c->at, j) * c->at->token_size;
	return zero_in_ring(c, j, queue, window);
}

int ps_cl_fifo_read_window(
	struct ps_cl_fifo *c, uint64_t j, uint32_t valid, cl_command_queue queue, struct ps_cl_window *window)
{
	uint32_t rate = c->fifo->layout.read_rate, from = valid < rate ? zeroes_from(c, j, valid) : rate;
	int err = 0;

	*window = (struct ps_cl_window){ .bytes = read_bytes(c),
		.after = c->moving ? NULL : ps_cl_fifo_filled(c, j) }; /* its reader has waited */
	if (c->kind == PS_CL_HOME)
		return ps_cl_home_read_window(c->moving, j, &window->buffer, &window->after, &c->read_fault);
	if (c->overlaps)
		return err ? err : read_overlapping(c, j, queue, window);
	place_window(c, j, window);
	if (!err && from < rate) {
		cl_event zeroed = NULL;

		err = fill(c, window, from, queue, &zeroed, &c->read_fault);
		ps_cl_event_put(&c->zeroed, zeroed);
		window->after = zeroed;
	}
	return err;
}

/* Of merged memory: others may write there behind this event. */
static int give_back(struct ps_cl_fifo *c, uint64_t j, cl_event event)
{
	int err = keep(c, &c->rev[j % c->slots], event, 0, &c->read_fault);

	atomic_store(&c->given, j + 1);
	ps_merged_changed(c->written_merged);
	return err;
}

int ps_cl_fifo_was_read(struct ps_cl_fifo *c, uint64_t j, cl_event event)
{
	cl_event map = NULL;
	int err = 0;

	if (c->way)
		return ps_cl_way_read(c, j, event);
	if (c->kind == PS_CL_HOME)
		return ps_cl_home_was_read(c->moving, j, event, &c->read_fault);
	if (c->moving)
		err = ps_cl_home_used(c->moving, false, event, &c->read_fault);
	if (c->written_merged)
		return give_back(c, j, event);
	/* mapped ahead for a host that will write it again */
	if ((c->kind == PS_CL_COARSE || c->kind == PS_CL_MAPPED) && !atomic_load(&c->fifo->closed)) {
		err = ps_cl_event_check(1, &event, c->on, &c->read_fault);
		if (!err)
			err = ps_cl_memory_map(c, j % ps_layout_windows(&c->fifo->layout),
				CL_MAP_WRITE_INVALIDATE_REGION, event, &map, &c->read_fault);
	}
	if (!map)
		return keep(c, &c->rev[j % c->slots], event, err, &c->read_fault);
	ps_cl_event_put(&c->rev[j % c->slots], map);
	return err;
}

int ps_cl_fifo_copy(struct ps_cl_fifo *to, const struct ps_cl_window *dst, const struct ps_cl_window *src,
	size_t bytes, cl_command_queue queue, cl_uint wait_count, const cl_event *waits, cl_event *event)
{
	const cl_event *list = wait_count ? waits : NULL;
	cl_int code;

	ps_fifo_count_copy(to->fifo, bytes);
	if (dst->svm) {
		code = clEnqueueSVMMemcpy(
			queue, CL_FALSE, dst->svm, src->svm, bytes, wait_count, list, event);
		return enqueued(to, queue, code, "clEnqueueSVMMemcpy", wait_count, list, &to->write_fault);
	}
	code = clEnqueueCopyBuffer(queue, src->buffer, dst->buffer, 0, 0, bytes, wait_count, list, event);
	return enqueued(to, queue, code, "clEnqueueCopyBuffer", wait_count, list, &to->write_fault);
}

bool ps_cl_fifo_spreads(const struct ps_cl_fifo *c)
{
	return c->kind == PS_CL_GATHERED || c->kind == PS_CL_HOME ||
	       (c->kind == PS_CL_BLOCKS && ps_layout_rest(c->at));
}

int ps_cl_fifo_spread(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, const struct ps_cl_window *src,
	cl_command_queue queue, cl_uint wait_count, const cl_event *waits, cl_event *event)
{
	int err = c->kind == PS_CL_HOME ? ps_cl_home_bring(c->moving, w, valid, src->buffer, queue,
						  wait_count, waits, event, &c->write_fault)
	                                : spread(c, w, valid, src->buffer, queue, wait_count, waits, event);

	/* after a failure too: the end waits for what was enqueued */
	if (*event)
		err = keep(c, &c->wev[w % c->slots], *event, err, &c->write_fault);
	if (*event && c->moving && !err)
		err = ps_cl_home_used(c->moving, true, *event, &c->write_fault);
	ps_cl_event_hand_over(&c->wev[w % c->slots], event);
	if (!err)
		ps_cl_fifo_arrives(c, w, c->wev[w % c->slots]);
	return err;
}

/* Counts those of `slots` events that are not through. */
static unsigned count_pending(const struct ps_cl_fifo *c, const cl_event *events, unsigned slots,
	cl_event *one, struct ps_cl_fault *fault)
{
	unsigned count = 0;

	for (unsigned i = 0; events && i < slots; i++) {
		if (ps_cl_event_state(events[i], "a command of a FIFO", c->on, fault) != PS_CL_EVENT_PENDING)
			continue;
		*one = events[i];
		count++;
	}
	return count;
}

unsigned ps_cl_fifo_pending(struct ps_cl_fifo *c, cl_event *one, struct ps_cl_fault *fault)
{
	const struct ps_cl_way *y = c->lead == c ? c->way : NULL;
	unsigned count = count_pending(c, c->wev, c->slots, one, fault) +
	                 count_pending(c, c->rev, c->slots, one, fault) +
	                 count_pending(c, &c->zeroed, 1, one, fault);

	count += count_pending(c, y ? y->made : NULL, c->slots, one, fault);
	for (unsigned i = 0; y && i < y->count; i++)
		count += count_pending(c, y->hops[i].done, c->slots, one, fault);
	return c->moving ? count + ps_cl_home_pending(c->moving, one, fault) : count;
}

void ps_cl_fifo_arrived(struct ps_cl_fifo *c)
{
	struct ps_cl_fault ignored = { 0 };

	if (c->arriving && ps_cl_event_state(c->arriving, "", c->on, &ignored) == PS_CL_EVENT_DONE)
		ps_arrival_came(c->arrival);
	ps_cl_event_put(&c->arriving, NULL);
}

void ps_cl_fifo_end_traces(struct ps_cl_fifo *c)
{
	for (unsigned to = 0; to < 2; to++)
		ps_cl_trace_end(c->traces[to]);
	if (c->moving)
		ps_cl_home_end_traces(c->moving);
}

void ps_cl_fifo_flush_rest(const struct ps_cl_fifo *c)
{
	if (c->up)
		clFlush(c->up);
	if (c->down)
		clFlush(c->down);
	if (c->moving)
		ps_cl_home_flush_rest(c->moving);
}
