/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_way.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/opencl/cl_memory.h"
#include "lib/opencl/cl_serial.h"

#include <errno.h>
#include <stdio.h>

enum { WAITS_MOST = 3 + PS_MEMBER_READERS };

/* What a transfer waits for on its device. */
struct waits {
	cl_event events[WAITS_MOST];
	cl_uint count;
};

int ps_cl_way_init(struct ps_cl_fifo *c)
{
	struct ps_cl_way *y = &c->way;

	y->count = c->kind == PS_CL_RELAYED ? 2 : 1;
	if (pthread_mutex_init(&y->lock, NULL))
		return -ENOMEM;
	y->has_lock = true;
	y->hops[y->count - 1].up = c->reader != NULL;
	y->hops[y->count - 1].done = c->wev;
	if (c->writer && !(y->made = ps_memory_zalloc(c->slots, sizeof(cl_event))))
		return -ENOMEM;
	for (unsigned i = 0; i < y->count; i++)
		if ((c->overlaps || ps_layout_rest(&c->fifo->layout)) &&
			!(y->hops[i].parts = ps_memory_zalloc(
				  (size_t)c->slots * (PS_CL_PIECES - 1), sizeof(cl_event))))
			return -ENOMEM;
	if (y->count == 2 && !(y->hops[0].done = ps_memory_zalloc(c->slots, sizeof(cl_event))))
		return -ENOMEM;
	return 0;
}

static void free_events(cl_event *events, unsigned count)
{
	for (unsigned i = 0; events && i < count; i++)
		ps_cl_event_put(&events[i], NULL);
	ps_memory_free(events);
}

void ps_cl_way_fini(struct ps_cl_fifo *c)
{
	struct ps_cl_way *y = &c->way;

	free_events(y->made, c->slots);
	for (unsigned i = 0; i < y->count; i++) {
		free_events(y->hops[i].parts, c->slots * (PS_CL_PIECES - 1));
		y->hops[i].parts = NULL;
	}
	if (y->count == 2)
		free_events(y->hops[0].done, c->slots);
	if (y->has_lock)
		pthread_mutex_destroy(&y->lock);
	y->made = NULL;
	y->has_lock = false;
	y->count = 0;
}

/*
 * Transfers.
 */

static size_t write_bytes(const struct ps_cl_fifo *c)
{
	return c->fifo->layout.write_rate * c->fifo->layout.token_size;
}

static int flush(struct ps_cl_fifo *c, cl_command_queue queue, struct ps_cl_fault *fault)
{
	cl_int err = ps_cl_serial_flush(queue);

	return err ? ps_cl_fail(fault, err, "clFlush", c->on) : 0;
}

/* "'a'.out -> 'b'.in, hop 2 of 2, a transfer to gpu:1: CL_OUT_OF_RESOURCES (-5)"; call: that has failed, NULL: the
 * command has. */
static int fail_hop(struct ps_cl_fifo *c, const struct ps_cl_hop *hop, cl_int code, const char *call,
	struct ps_cl_fault *fault)
{
	const struct ps_cl_way *y = &c->way;
	const char *on = (hop->up ? c->reader : c->writer)->info.selector;
	char what[PS_CL_TEXT];

	if (fault->err)
		return fault->err;
	snprintf(what, sizeof what, "hop %u of %u, a transfer %s %s: %s%s%s (%d)",
		(unsigned)(hop - y->hops) + 1, y->count, hop->up ? "to" : "from", on, call ? call : "",
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
static int check_waits(struct ps_cl_fifo *c, const struct ps_cl_hop *hop, bool own, cl_uint count,
	const cl_event *waits, struct ps_cl_fault *fault)
{
	cl_int code = own ? ps_cl_event_code(waits[0]) : CL_SUCCESS;

	if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		return fail_hop(c, hop, code, NULL, fault);
	return ps_cl_event_check(count, waits, (hop->up ? c->reader : c->writer)->info.selector, fault);
}

/* Moves those of write w that have bytes, each behind the one before; the first one waits for these events. */
static int move_pieces(struct ps_cl_fifo *c, const struct ps_cl_hop *hop, uint64_t w,
	const struct piece pieces[PS_CL_PIECES], cl_uint count, const cl_event *waits, cl_event *event,
	struct ps_cl_fault *fault)
{
	cl_command_queue queue = hop->up ? c->up : c->down;
	cl_event *parts = hop->parts ? hop->parts + w % c->slots * (PS_CL_PIECES - 1) : NULL;
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
			return fail_hop(c, hop, code,
				hop->up ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", fault);
		ps_fifo_count_copy(c->fifo, pieces[i].bytes);
		ps_cl_trace_add(c->traces[hop->up], NULL, moved, pieces[i].bytes);
		err = flush(c, queue, fault);
		if (!err)
			err = check_waits(c, hop, last, count, waits, fault);
		if (last && parts) {
			ps_cl_event_put(&parts[i - 1], last);
			*event = NULL;
		}
		ps_cl_event_put(event, moved);
	}
	return err;
}

/* From the spare window of a device. */
static void find_pieces_down(
	const struct ps_cl_fifo *c, uint64_t w, uint32_t valid, struct piece pieces[PS_CL_PIECES])
{
	const struct ps_layout *l = &c->fifo->layout;
	uint64_t slot = ps_layout_write_slot(l, w);
	cl_mem spare = c->spares[w % c->ring];
	struct ps_layout_copy copies[2];
	bool to_middle = c->reader;
	unsigned n = to_middle ? 0 : ps_layout_copies(l, slot, valid, copies);

	pieces[0] = (struct piece){ spare, 0,
		c->host + (to_middle ? w % c->ring * write_bytes(c) : slot * l->token_size),
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
	unsigned char *host = c->host + w % c->ring * write_bytes(c);

	pieces[0] = (struct piece){ first, at, host, bytes };
	pieces[1] = (struct piece){ second, 0, host + bytes, valid * s - bytes };
}

/* Moves the valid tokens of write w after these events, on the FIFO's queue, up to the reader's blocks from the host's
 * windows, or down to the host's memory from its spare window. *event: the last command's, also after a failure; NULL:
 * none was enqueued. */
static int transfer(struct ps_cl_fifo *c, const struct ps_cl_hop *hop, uint64_t w, uint32_t valid,
	cl_uint count, const cl_event *waits, cl_event *event, struct ps_cl_fault *fault)
{
	struct piece pieces[PS_CL_PIECES] = { { .bytes = 0 } };

	(hop->up ? find_pieces_up : find_pieces_down)(c, w, valid, pieces);
	return move_pieces(c, hop, w, pieces, count, waits, event, fault);
}

/*
 * Which can go.
 */

static uint64_t moved(const struct ps_cl_hop *hop)
{
	return atomic_load_explicit(&hop->moved, memory_order_acquire);
}

static cl_event *slot(const struct ps_cl_fifo *c, cl_event *events, uint64_t n)
{
	return &events[n % c->slots];
}

static void add_wait(struct waits *waits, cl_event event)
{
	if (event)
		waits->events[waits->count++] = event;
}

/* Is a transfer of the other context through? If not, the mover is notified when it is. Call with the lock held, as
 * all of these. */
static bool is_through(
	struct ps_cl_fifo *c, cl_event event, uint64_t number, uint64_t *asked, struct ps_cl_fault *fault)
{
	enum ps_cl_event_state state =
		ps_cl_event_state(event, "a transfer to the host's memory", c->on, fault);

	if (state == PS_CL_EVENT_PENDING && *asked != number + 1) {
		*asked = number + 1;
		ps_cl_event_announce(event, c->way.mover);
	}
	return state == PS_CL_EVENT_DONE;
}

/* Is write n at the place behind hop i? */
static bool is_here(
	struct ps_cl_fifo *c, unsigned i, uint64_t n, struct waits *waits, struct ps_cl_fault *fault)
{
	struct ps_cl_way *y = &c->way;
	struct ps_cl_hop *before = &y->hops[i - (i > 0)];

	if (i > 0)
		return n < moved(before) &&
		       is_through(c, *slot(c, before->done, n), n, &y->hops[i].asked_here, fault);
	if (n < y->written && y->made)
		add_wait(waits, *slot(c, y->made, n));
	return n < y->written;
}

/* Is the place in front of hop i free for it? */
static bool is_free(
	struct ps_cl_fifo *c, unsigned i, uint64_t n, struct waits *waits, struct ps_cl_fault *fault)
{
	struct ps_cl_way *y = &c->way;
	const struct ps_layout *l = &c->fifo->layout;
	int64_t needs, reads;

	if (i + 1 < y->count) {
		struct ps_cl_hop *next = &y->hops[i + 1];

		return n < c->ring ||
		       (n - c->ring < moved(next) && is_through(c, *slot(c, next->done, n - c->ring), n,
							     &y->hops[i].asked_free, fault));
	}
	if (c->brought_merged && !ps_merged_may_write(c->brought_merged, n))
		return false;
	needs = ps_layout_write_needs(l, n);
	reads = needs <= 0 ? 0 : (needs + l->read_rate - 1) / l->read_rate;
	if (reads > 0 && (uint64_t)reads <= y->read)
		add_wait(waits, *slot(c, c->rev, (uint64_t)reads - 1));
	if (reads > (int64_t)y->read)
		return false;
	if (c->brought_merged)
		waits->count += ps_cl_merged_waits(c->brought_merged, n, waits->events + waits->count);
	return true;
}

/* Enqueues the next transfer of a hop, if it can; *went: it did. */
static int move_one(struct ps_cl_fifo *c, unsigned i, bool *went, struct ps_cl_fault *fault)
{
	struct ps_cl_way *y = &c->way;
	struct ps_cl_hop *hop = &y->hops[i];
	uint64_t n = moved(hop);
	uint32_t valid = n + 1 == y->written ? y->last : c->fifo->layout.write_rate;
	struct waits waits = { .count = 0 };
	cl_event event = NULL;
	int err;

	*went = false;
	if (!is_here(c, i, n, &waits, fault) || !is_free(c, i, n, &waits, fault))
		return fault->err;
	/* of windows that overlap a reader looks at the last write's only */
	if (c->overlaps && i + 1 == y->count && n > 0)
		add_wait(&waits, *slot(c, hop->done, n - 1));
	err = ps_cl_event_check(waits.count, waits.events, c->on, fault);
	if (!err)
		err = transfer(c, hop, n, valid, waits.count, waits.events, &event, fault);
	if (event) /* after a failure too: the end waits for it */
		ps_cl_event_put(slot(c, hop->done, n), event);
	if (err)
		return err;
	if (i + 1 == y->count)
		ps_cl_fifo_arrives(c, n, event);
	atomic_store(&hop->moved, n + 1); /* merged memory asks behind it */
	*went = true;
	return 0;
}

enum { CAME_TO_READER = 1, LEFT_WRITER = 2 };

/* All that can be moved. *ends: what that was. */
static int move_all(struct ps_cl_fifo *c, unsigned *ends, struct ps_cl_fault *fault)
{
	struct ps_cl_way *y = &c->way;
	bool again = true, went;
	int err = 0;

	while (again && !err && !y->stopped && !atomic_load(&c->fifo->discards)) {
		again = false;
		for (unsigned i = y->count; i-- > 0 && !err;) {
			err = move_one(c, i, &went, fault);
			again = again || went;
			if (went)
				*ends |=
					(i + 1 == y->count ? CAME_TO_READER : 0) | (i == 0 ? LEFT_WRITER : 0);
		}
	}
	y->stopped = y->stopped || err;
	return err;
}

/* No lock held. */
static void notify(struct ps_cl_fifo *c, unsigned ends, struct ps_eventcount *const listeners[2])
{
	const struct ps_fifo_end *both[2] = { &c->fifo->reader, &c->fifo->writer };

	for (unsigned w = 0; w < 2 && ps_cl_way_is_gated(c); w++) {
		if (!(ends & (w ? LEFT_WRITER : CAME_TO_READER)))
			continue;
		if (both[w]->eventcount)
			ps_eventcount_notify(both[w]->eventcount);
		if (listeners[w])
			ps_eventcount_notify(listeners[w]);
	}
}

static void unlock_and_notify(struct ps_cl_fifo *c, unsigned ends)
{
	struct ps_eventcount *listeners[2] = { c->way.listeners[0], c->way.listeners[1] };

	pthread_mutex_unlock(&c->way.lock);
	notify(c, ends, listeners);
	if (ends & LEFT_WRITER)
		ps_merged_changed(c->written_merged);
}

static int keep(struct ps_cl_fifo *c, cl_event *to, cl_event event, struct ps_cl_fault *fault)
{
	cl_int code = ps_cl_event_keep(to, event);

	return code ? ps_cl_fail(fault, code, "clRetainEvent", c->on) : 0;
}

int ps_cl_way_written(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_event event)
{
	struct ps_cl_way *y = &c->way;
	unsigned ends = 0;
	int err = 0;

	pthread_mutex_lock(&y->lock);
	if (y->made)
		err = keep(c, slot(c, y->made, w), event, &c->write_fault);
	if (!err) {
		y->last = valid;
		atomic_store(&y->written, w + 1);
		err = move_all(c, &ends, &c->write_fault);
	}
	unlock_and_notify(c, ends);
	return err;
}

int ps_cl_way_read(struct ps_cl_fifo *c, uint64_t j, cl_event event)
{
	struct ps_cl_way *y = &c->way;
	unsigned ends = 0;
	int err;

	pthread_mutex_lock(&y->lock);
	err = keep(c, slot(c, c->rev, j), event, &c->read_fault);
	if (!err) {
		y->read = j + 1;
		atomic_store(&c->given, j + 1);
		err = move_all(c, &ends, &c->read_fault);
	}
	unlock_and_notify(c, ends);
	ps_merged_changed(c->brought_merged);
	return err;
}

/* Of a thread that is none of the ends' owners: they are to learn of a failure. */
static int move_for_others(struct ps_cl_fifo *c, unsigned *ends, struct ps_cl_fault *fault)
{
	int err = move_all(c, ends, fault);

	if (!err)
		return 0;
	c->way.fault = *fault;
	atomic_store(&c->way.failed, true);
	*ends = CAME_TO_READER | LEFT_WRITER;
	return err;
}

int ps_cl_way_push(struct ps_cl_fifo *c, struct ps_cl_fault *fault)
{
	unsigned ends = 0;
	int err;

	pthread_mutex_lock(&c->way.lock);
	err = move_for_others(c, &ends, fault);
	unlock_and_notify(c, ends);
	return err;
}

void ps_cl_way_move(struct ps_cl_fifo *c)
{
	struct ps_cl_way *y = &c->way;
	struct ps_cl_fault fault = { 0 };
	unsigned ends = 0;

	pthread_mutex_lock(&y->lock);
	move_for_others(c, &ends, &fault);
	unlock_and_notify(c, ends);
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
	struct ps_cl_way *y = &c->way;

	ps_cl_serial_lock();
	pthread_mutex_lock(&y->lock);
	for (unsigned i = 0; i < y->count && !fault->err; i++) {
		cl_int code = code_of(y->hops[i].done, c->slots);

		if (code == CL_SUCCESS)
			code = code_of(y->hops[i].parts, c->slots * (PS_CL_PIECES - 1));
		if (code != CL_SUCCESS)
			fail_hop(c, &y->hops[i], code, NULL, fault);
	}
	pthread_mutex_unlock(&y->lock);
	ps_cl_serial_unlock();
	return fault->err;
}

cl_event ps_cl_way_left(struct ps_cl_fifo *c, uint64_t w)
{
	cl_event event = NULL;

	pthread_mutex_lock(&c->way.lock);
	if (w >= c->ring && w - c->ring < moved(&c->way.hops[0]))
		event = *slot(c, c->way.hops[0].done, w - c->ring);
	pthread_mutex_unlock(&c->way.lock);
	return event;
}

cl_event ps_cl_way_brought(struct ps_cl_fifo *c, int64_t w)
{
	const struct ps_cl_hop *last = &c->way.hops[c->way.count - 1];
	cl_event event = NULL;

	pthread_mutex_lock(&c->way.lock);
	if (w >= 0 && (uint64_t)w < moved(last))
		event = *slot(c, last->done, (uint64_t)w);
	pthread_mutex_unlock(&c->way.lock);
	return event;
}

bool ps_cl_way_is_gated(const struct ps_cl_fifo *c)
{
	return c->way.count == 2 || c->brought_merged;
}

static enum ps_cl_event_state as_state(struct ps_cl_fifo *c, bool may, struct ps_cl_fault *fault)
{
	if (may)
		return PS_CL_EVENT_DONE;
	if (!atomic_load(&c->way.failed))
		return PS_CL_EVENT_PENDING;
	*fault = c->way.fault;
	return PS_CL_EVENT_FAILED;
}

enum ps_cl_event_state ps_cl_way_may_write(struct ps_cl_fifo *c, uint64_t w, struct ps_cl_fault *fault)
{
	/* once the reader has ended nothing is moved */
	bool may = w < c->ring || w - c->ring < moved(&c->way.hops[0]) || atomic_load(&c->fifo->discards);

	return as_state(c, may, fault);
}

enum ps_cl_event_state ps_cl_way_may_read(struct ps_cl_fifo *c, int64_t w, struct ps_cl_fault *fault)
{
	return as_state(c, w < 0 || (uint64_t)w < moved(&c->way.hops[c->way.count - 1]), fault);
}

void ps_cl_way_listen(struct ps_cl_fifo *c, bool writer, struct ps_eventcount *eventcount)
{
	pthread_mutex_lock(&c->way.lock);
	c->way.listeners[writer] = eventcount;
	pthread_mutex_unlock(&c->way.lock);
}
