/* SPDX-License-Identifier: MIT */
/* The transfers of a way's hops: which bytes go where, and what is said of one that fails. */
#include "lib/opencl/cl_way.h"
#include "lib/model/error.h"
#include "lib/opencl/cl_memory.h"
#include "lib/opencl/cl_serial.h"

#include <stdio.h>
#include <string.h>

static int flush(struct ps_cl_fifo *c, cl_command_queue queue, struct ps_cl_fault *fault)
{
	cl_int err = ps_cl_serial_flush(queue);

	return err ? ps_cl_fail(fault, err, "clFlush", c->on) : 0;
}

/* "'a'.out -> 'b'.in, hop 2 of 2, a transfer to gpu:1: CL_OUT_OF_RESOURCES (-5)"; call: that has failed, NULL: the
 * command has. */
static int fail_hop(const struct ps_cl_hop *hop, cl_int code, const char *call, struct ps_cl_fault *fault)
{
	const struct ps_cl_fifo *c = hop->of;
	const struct ps_cl_way *y = c->way;
	const char *on = (hop->up ? c->reader : c->writer)->info.selector;
	bool second = y->down && hop != y->hops;
	char what[PS_CL_TEXT];

	if (fault->err)
		return fault->err;
	snprintf(what, sizeof what, "hop %u of %u, a transfer %s %s: %s%s%s (%d)", second ? 2U : 1U,
		y->down && y->count > 1 ? 2U : 1U, hop->up ? "to" : "from", on, call ? call : "",
		call ? ": " : "", ps_cl_error_name(code), (int)code);
	if (!c->of)
		return ps_cl_refuse(fault, ps_cl_errno(code), "%s", what);
	fault->named = true;
	return ps_cl_refuse(fault, ps_cl_errno(code), PS_CONNECTION ", %s", PS_CONNECTION_ARGS(c->of), what);
}

/* A transfer of a part of a window. */
struct piece {
	cl_mem buffer;
	size_t offset; /* bytes, in the buffer */
	unsigned char *host;
	size_t bytes;
};

static cl_int move_piece(cl_command_queue queue, bool up, const struct piece *p, cl_uint count,
	const cl_event *waits, cl_event *event)
{
	return up ? clEnqueueWriteBuffer(
			    queue, p->buffer, CL_FALSE, p->offset, p->bytes, p->host, count, waits, event)
	          : clEnqueueReadBuffer(
			    queue, p->buffer, CL_FALSE, p->offset, p->bytes, p->host, count, waits, event);
}

/* What a piece waits for may have failed: the piece before, if there is one, which is this hop's own failure. */
static int check_waits(const struct ps_cl_hop *hop, bool own, cl_uint count, const cl_event *waits,
	struct ps_cl_fault *fault)
{
	const struct ps_cl_fifo *c = hop->of;
	cl_int code = own ? ps_cl_event_code(waits[0]) : CL_SUCCESS;

	if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		return fail_hop(hop, code, NULL, fault);
	return ps_cl_event_check(count, waits, (hop->up ? c->reader : c->writer)->info.selector, fault);
}

/* Moves those of write w that have bytes, each behind the one before; the first one waits for these events. */
static int move_pieces(const struct ps_cl_hop *hop, uint64_t w, const struct piece pieces[PS_CL_PIECES],
	cl_uint count, const cl_event *waits, cl_event *event, struct ps_cl_fault *fault)
{
	struct ps_cl_fifo *c = hop->of;
	cl_command_queue queue = hop->up ? c->up : c->down;
	cl_event *parts = hop->parts ? hop->parts + w % c->way->slots * (PS_CL_PIECES - 1) : NULL;
	int err = 0;

	for (unsigned i = 0; i < PS_CL_PIECES && !err; i++) {
		cl_event moved = NULL, last = *event;
		cl_int code;

		if (!pieces[i].bytes)
			continue;
		if (last) {
			count = 1;
			waits = &last;
		}
		code = move_piece(queue, hop->up, &pieces[i], count, count ? waits : NULL, &moved);
		if (code)
			return fail_hop(
				hop, code, hop->up ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", fault);
		ps_fifo_count_copy(c->fifo, pieces[i].bytes);
		ps_cl_trace_add(c->traces[hop->up], NULL, moved, pieces[i].bytes);
		err = flush(c, queue, fault);
		if (!err)
			err = check_waits(hop, last, count, waits, fault);
		if (last && parts) {
			ps_cl_event_put(&parts[i - 1], last);
			*event = NULL;
		}
		ps_cl_event_put(event, moved);
	}
	return err;
}

/* Does the host's place lie in windows, as the writer's does? Else it is as the layout of its only reader says. */
static bool has_windows(const struct ps_cl_fifo *lead)
{
	return lead->reader || lead->way->shared;
}

/* From the spare window of a device. */
static void find_pieces_down(
	const struct ps_cl_fifo *c, uint64_t w, uint32_t valid, struct piece pieces[PS_CL_PIECES])
{
	const struct ps_layout *l = &c->fifo->layout;
	uint64_t slot = ps_layout_write_slot(l, w);
	cl_mem spare = c->spares[w % c->way->shape.windows[0]];
	struct ps_layout_copy copies[2];
	unsigned n = has_windows(c) ? 0 : ps_layout_copies(l, slot, valid, copies);

	pieces[0] = (struct piece){ spare, 0,
		has_windows(c) ? ps_cl_way_host(c, w) : c->host + slot * l->token_size,
		valid * l->token_size };
	/* what has a second place goes there from the device at once */
	for (unsigned i = 0; i < n; i++)
		pieces[i + 1] = (struct piece){ spare, (copies[i].from - slot) * l->token_size,
			c->host + copies[i].to * l->token_size, copies[i].count * l->token_size };
}

/* To the one or two blocks of the reader's, or to its ring. */
static void find_pieces_up(
	const struct ps_cl_fifo *c, uint64_t w, uint32_t valid, struct piece pieces[PS_CL_PIECES])
{
	const struct ps_layout *l = &c->fifo->layout;
	uint64_t b = ps_cl_fifo_write_block(c, w), slot = ps_layout_write_slot(l, w),
		 head = c->overlaps ? l->ring - slot : l->read_rate - ps_layout_rest(l);
	cl_mem first = c->blocks[c->overlaps ? 0 : b],
	       second = c->blocks[c->overlaps ? 0 : (b + 1) % ps_layout_windows(l)];
	size_t s = l->token_size, at = (c->overlaps ? slot : ps_layout_rest(l)) * s,
	       bytes = (valid < head ? valid : head) * s;
	unsigned char *host = ps_cl_way_host(c, w);

	pieces[0] = (struct piece){ first, at, host, bytes };
	pieces[1] = (struct piece){ second, 0, host + bytes, valid * s - bytes };
}

void ps_cl_way_zero_behind(const struct ps_cl_fifo *c, uint64_t w, uint32_t valid)
{
	size_t from = valid * c->fifo->layout.token_size;

	memset(ps_cl_way_host(c, w) + from, 0,
		c->fifo->layout.write_rate * c->fifo->layout.token_size - from);
}

int ps_cl_way_transfer(const struct ps_cl_hop *hop, uint64_t w, uint32_t valid, cl_uint count,
	const cl_event *waits, cl_event *event, struct ps_cl_fault *fault)
{
	struct ps_cl_fifo *c = hop->of;
	struct piece pieces[PS_CL_PIECES] = { { .bytes = 0 } };

	/* of several readers none may write where the others read: they all find zeros */
	if (c->way->shared && hop->up)
		valid = c->fifo->layout.write_rate;
	else if (c->way->shared && valid < c->fifo->layout.write_rate)
		ps_cl_way_zero_behind(c, w, valid);
	(hop->up ? find_pieces_up : find_pieces_down)(c, w, valid, pieces);
	return move_pieces(hop, w, pieces, count, waits, event, fault);
}

/* Of so many events the first one's that has failed by itself. */
static cl_int code_of(const cl_event *events, unsigned count)
{
	cl_int code = CL_SUCCESS;

	for (unsigned i = 0; events && i < count && code == CL_SUCCESS; i++) {
		code = ps_cl_event_code(events[i]);
		if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
			code = CL_SUCCESS;
	}
	return code;
}

bool ps_cl_way_find_failed(struct ps_cl_fifo *c, struct ps_cl_fault *fault)
{
	struct ps_cl_way *y = c->way;

	ps_cl_serial_lock();
	pthread_mutex_lock(&y->lock);
	for (unsigned i = 0; i < y->count && !fault->err; i++) {
		cl_int code = code_of(y->hops[i].done, y->slots);

		if (code == CL_SUCCESS)
			code = code_of(y->hops[i].parts, y->slots * (PS_CL_PIECES - 1));
		if (code != CL_SUCCESS)
			fail_hop(&y->hops[i], code, NULL, fault);
	}
	pthread_mutex_unlock(&y->lock);
	ps_cl_serial_unlock();
	return fault->err;
}
