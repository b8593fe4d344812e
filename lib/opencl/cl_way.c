/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_way.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"
#include "lib/opencl/cl_memory.h"

#include <errno.h>
#include <stdio.h>

/* What a transfer waits for on its device: what fills its window, the transfer before, merged memory's readers; and a
 * reader each. */
enum { WAITS_BESIDE = 2 + PS_MEMBER_READERS };

struct waits {
	cl_event *events;
	cl_uint count;
};

static size_t write_bytes(const struct ps_cl_fifo *c)
{
	return c->fifo->layout.write_rate * c->fifo->layout.token_size;
}

/* The FIFO's own hop, to its reader's device or to the host. */
static int add_hop(struct ps_cl_way *y, struct ps_cl_fifo *c, bool up)
{
	struct ps_cl_hop *hop = &y->hops[y->count];

	hop->of = c;
	hop->up = up;
	hop->done = ps_memory_zalloc(y->slots, sizeof(cl_event));
	y->count++;
	if (!hop->done)
		return -ENOMEM;
	if (!c->overlaps && !ps_layout_rest(&c->fifo->layout))
		return 0;
	hop->parts = ps_memory_zalloc((size_t)y->slots * (PS_CL_PIECES - 1), sizeof(cl_event));
	return hop->parts ? 0 : -ENOMEM;
}

static struct ps_cl_way *make(struct ps_cl_fifo *lead, const struct ps_cl_way_shape *shape)
{
	struct ps_cl_way *y = ps_memory_zalloc(1, sizeof *y);

	if (!y)
		return NULL;
	lead->way = y;
	y->lead = lead;
	y->left = 1;
	y->shape = *shape;
	y->shared = shape->members > 1;
	y->slots = lead->slots;
	y->has_lock = !pthread_mutex_init(&y->lock, NULL);
	y->hops = ps_memory_zalloc(shape->members + 1, sizeof *y->hops);
	y->waits = ps_memory_zalloc(shape->members + WAITS_BESIDE, sizeof(cl_event));
	if (lead->writer)
		y->made = ps_memory_zalloc(y->slots, sizeof(cl_event));
	y->down = lead->writer;
	if (!y->has_lock || !y->hops || !y->waits || (lead->writer && !y->made) ||
		(y->down && add_hop(y, lead, false)))
		return NULL;
	return y;
}

int ps_cl_way_init(struct ps_cl_fifo *c, const struct ps_cl_way_shape *shape)
{
	struct ps_cl_way *y = c->lead == c ? make(c, shape) : c->lead->way;

	if (!y)
		return -ENOMEM;
	if (c->lead != c)
		y->left++;
	c->way = y;
	c->next_on_way = y->members;
	y->members = c;
	if (!c->reader)
		return 0;
	if (c->owner != c) {
		c->brought_by = c->owner->brought_by;
		return 0;
	}
	c->brought_by = y->count;
	return add_hop(y, c, true);
}

static void free_events(cl_event *events, unsigned count)
{
	for (unsigned i = 0; events && i < count; i++)
		ps_cl_event_put(&events[i], NULL);
	ps_memory_free(events);
}

void ps_cl_way_fini(struct ps_cl_fifo *c)
{
	struct ps_cl_way *y = c->way;

	c->way = NULL;
	if (!y || --y->left)
		return;
	for (unsigned i = 0; i < y->count; i++) {
		free_events(y->hops[i].done, y->slots);
		free_events(y->hops[i].parts, y->slots * (PS_CL_PIECES - 1));
	}
	free_events(y->made, y->slots);
	if (y->has_lock)
		pthread_mutex_destroy(&y->lock);
	ps_memory_free(y->hops);
	ps_memory_free(y->waits);
	ps_memory_free(y);
}

unsigned char *ps_cl_way_host(const struct ps_cl_fifo *c, uint64_t n)
{
	const struct ps_cl_way *y = c->way;

	return y->lead->host + n % y->shape.windows[y->down] * write_bytes(c);
}

/*
 * Transfers.
 */

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
		err = ps_cl_memory_flush(c, queue, fault);
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

/* Behind the valid tokens of a window that is written to the host's place, or was. */
static void zero_behind(const struct ps_cl_fifo *c, uint64_t w, uint32_t valid)
{
	size_t from = valid * c->fifo->layout.token_size;

	ps_memory_put_zeros(ps_cl_way_host(c, w) + from, write_bytes(c) - from);
}

/* Moves the valid tokens of write w after these events, on the hop's queue, up to the reader's blocks from the host's
 * windows, or down to the host's memory from its spare window. *event: the last command's, also after a failure; NULL:
 * none was enqueued. */
static int transfer(const struct ps_cl_hop *hop, uint64_t w, uint32_t valid, const struct waits *waits,
	cl_event *event, struct ps_cl_fault *fault)
{
	struct ps_cl_fifo *c = hop->of;
	struct piece pieces[PS_CL_PIECES] = { { .bytes = 0 } };

	/* of several readers none may write where the others read: they all find zeros */
	if (c->way->shared && hop->up)
		valid = c->fifo->layout.write_rate;
	else if (c->way->shared && valid < c->fifo->layout.write_rate)
		zero_behind(c, w, valid);
	(hop->up ? find_pieces_up : find_pieces_down)(c, w, valid, pieces);
	return move_pieces(hop, w, pieces, waits->count, waits->events, event, fault);
}

/*
 * Which can go.
 */

static uint64_t moved(const struct ps_cl_hop *hop)
{
	return atomic_load_explicit(&hop->moved, memory_order_acquire);
}

static cl_event *slot(const struct ps_cl_way *y, cl_event *events, uint64_t n)
{
	return &events[n % y->slots];
}

static void add_wait(struct waits *waits, cl_event event)
{
	if (event)
		waits->events[waits->count++] = event;
}

static bool is_live(const struct ps_cl_fifo *c)
{
	return !atomic_load(&c->fifo->discards);
}

/* Is there a reader behind this hop? The first one of a device's writer leads to all of them. */
static bool is_wanted(const struct ps_cl_way *y, unsigned i)
{
	for (const struct ps_cl_fifo *c = y->members; c; c = c->next_on_way)
		if (((y->down && !i) || c->brought_by == i) && is_live(c))
			return true;
	return false;
}

/* Is a transfer of the other context through? If not, the mover is notified when it is. Call with the lock held, as
 * all of these. */
static bool is_through(
	struct ps_cl_way *y, cl_event event, uint64_t number, uint64_t *asked, struct ps_cl_fault *fault)
{
	enum ps_cl_event_state state =
		ps_cl_event_state(event, "a transfer to the host's memory", y->lead->on, fault);

	if (state == PS_CL_EVENT_PENDING && *asked != number + 1) {
		*asked = number + 1;
		ps_cl_event_announce(event, y->mover);
	}
	return state == PS_CL_EVENT_DONE;
}

/* Is write n at the place behind hop i? */
static bool is_here(
	struct ps_cl_way *y, unsigned i, uint64_t n, struct waits *waits, struct ps_cl_fault *fault)
{
	if (y->down && i > 0)
		return n < moved(&y->hops[0]) &&
		       is_through(y, *slot(y, y->hops[0].done, n), n, &y->hops[i].asked_here, fault);
	if (n < y->written && y->made)
		add_wait(waits, *slot(y, y->made, n));
	return n < y->written;
}

/* Has hop i taken from the host's place what write n is to replace there? */
static bool has_left(struct ps_cl_way *y, unsigned i, uint64_t n, struct ps_cl_fault *fault)
{
	struct ps_cl_hop *hop = &y->hops[i];
	uint32_t windows = y->shape.windows[1];

	if (n < windows)
		return true;
	if (n - windows >= moved(hop))
		return !is_wanted(y, i);
	return is_through(y, *slot(y, hop->done, n - windows), n, &hop->asked_free, fault);
}

/* So many reads make room for write n at a reader's place. */
static int64_t reads_for(const struct ps_cl_fifo *c, uint64_t n)
{
	int64_t needs = ps_layout_write_needs(c->at, n);

	if (c->way->shared && !c->reader)
		return (int64_t)n + 1 - c->way->shape.windows[1];
	return needs <= 0 ? 0 : (needs + c->at->read_rate - 1) / c->at->read_rate;
}

/* Has the reader given back what write n is to replace? */
static bool has_read(const struct ps_cl_fifo *c, uint64_t n, struct waits *waits)
{
	int64_t reads = reads_for(c, n);

	if (reads > (int64_t)c->was_read)
		return !is_live(c);
	if (reads > 0)
		add_wait(waits, *slot(c->way, c->rev, (uint64_t)reads - 1));
	return true;
}

/* Is the place in front of hop i free for it? */
static bool is_free(
	struct ps_cl_way *y, unsigned i, uint64_t n, struct waits *waits, struct ps_cl_fault *fault)
{
	struct ps_member *merged = y->hops[i].of->brought_merged;

	for (unsigned next = 1; y->down && !i && next < y->count; next++)
		if (!has_left(y, next, n, fault))
			return false;
	if (i + 1 == y->count && merged && !ps_merged_may_write(merged, n))
		return false;
	for (const struct ps_cl_fifo *c = y->members; c; c = c->next_on_way)
		if (c->brought_by == i && !has_read(c, n, waits))
			return false;
	if (i + 1 == y->count && merged)
		waits->count += ps_cl_merged_waits(merged, n, waits->events + waits->count);
	return true;
}

/* Enqueues the next transfer of a hop, if it can; *went: it did. */
static int move_one(struct ps_cl_way *y, unsigned i, bool *went, struct ps_cl_fault *fault)
{
	struct ps_cl_hop *hop = &y->hops[i];
	uint64_t n = moved(hop);
	uint32_t valid = n + 1 == y->written ? y->last : hop->of->fifo->layout.write_rate;
	struct waits waits = { .events = y->waits };
	cl_event event = NULL;
	int err;

	*went = false;
	if (!is_wanted(y, i) || !is_here(y, i, n, &waits, fault) || !is_free(y, i, n, &waits, fault))
		return fault->err;
	/* of windows that overlap a reader looks at the last write's only */
	if (hop->of->overlaps && i + 1 == y->count && n > 0)
		add_wait(&waits, *slot(y, hop->done, n - 1));
	err = ps_cl_event_check(waits.count, waits.events, hop->of->on, fault);
	if (!err)
		err = transfer(hop, n, valid, &waits, &event, fault);
	if (event) /* after a failure too: the end waits for it */
		ps_cl_event_put(slot(y, hop->done, n), event);
	if (err)
		return err;
	for (struct ps_cl_fifo *c = y->members; c; c = c->next_on_way)
		if (c->brought_by == i)
			ps_cl_fifo_arrives(c, n, event);
	atomic_store(&hop->moved, n + 1); /* merged memory asks behind it */
	*went = true;
	return 0;
}

enum { CAME_TO_READER = 1, LEFT_WRITER = 2 };

/* Of hop i. */
static unsigned ends_of(const struct ps_cl_way *y, unsigned i)
{
	bool reads = i > 0 || !y->down || y->shared || y->count == 1;

	return (reads ? CAME_TO_READER : 0) | (!i || !y->down ? LEFT_WRITER : 0);
}

/* All that can be moved. *ends: what that was. */
static int move_all(struct ps_cl_way *y, unsigned *ends, struct ps_cl_fault *fault)
{
	bool again = true, went;
	int err = 0;

	while (again && !err && !y->stopped) {
		again = false;
		for (unsigned i = y->count; i-- > 0 && !err;) {
			err = move_one(y, i, &went, fault);
			again = again || went;
			if (went)
				*ends |= ends_of(y, i);
		}
	}
	y->stopped = y->stopped || err;
	return err;
}

static void notify_end(const struct ps_cl_fifo *c, bool writer)
{
	const struct ps_fifo_end *end = writer ? &c->fifo->writer : &c->fifo->reader;
	struct ps_eventcount *listener = atomic_load(&c->listeners[writer]);

	if (end->eventcount)
		ps_eventcount_notify(end->eventcount);
	if (listener)
		ps_eventcount_notify(listener);
}

/* No lock held. */
static void notify(const struct ps_cl_way *y, unsigned ends)
{
	for (const struct ps_cl_fifo *c = y->members; ends && c; c = c->next_on_way) {
		if (!ps_cl_way_is_gated(c))
			continue;
		if (ends & CAME_TO_READER)
			notify_end(c, false);
		if (ends & LEFT_WRITER)
			notify_end(c, true);
	}
}

static void unlock_and_notify(struct ps_cl_way *y, unsigned ends)
{
	pthread_mutex_unlock(&y->lock);
	notify(y, ends);
	if (ends & LEFT_WRITER)
		ps_merged_changed(y->lead->written_merged);
}

static int keep(struct ps_cl_fifo *c, cl_event *to, cl_event event, struct ps_cl_fault *fault)
{
	cl_int code = ps_cl_event_keep(to, event);

	return code ? ps_cl_fail(fault, code, "clRetainEvent", c->on) : 0;
}

int ps_cl_way_written(struct ps_cl_fifo *c, uint64_t w, uint32_t valid, cl_event event)
{
	struct ps_cl_way *y = c->way;
	unsigned ends = 0;
	int err = 0;

	pthread_mutex_lock(&y->lock);
	if (w < y->written) { /* by another FIFO of the output */
		pthread_mutex_unlock(&y->lock);
		return 0;
	}
	if (y->made)
		err = keep(c, slot(y, y->made, w), event, &c->write_fault);
	else if (y->shared && valid < c->fifo->layout.write_rate)
		zero_behind(c, w, valid);
	if (!err) {
		y->last = valid;
		atomic_store(&y->written, w + 1);
		err = move_all(y, &ends, &c->write_fault);
	}
	unlock_and_notify(y, ends);
	return err;
}

int ps_cl_way_read(struct ps_cl_fifo *c, uint64_t j, cl_event event)
{
	struct ps_cl_way *y = c->way;
	unsigned ends = 0;
	int err;

	pthread_mutex_lock(&y->lock);
	err = keep(c, slot(y, c->rev, j), event, &c->read_fault);
	if (!err) {
		c->was_read = j + 1;
		atomic_store(&c->given, j + 1);
		err = move_all(y, &ends, &c->read_fault);
	}
	unlock_and_notify(y, ends);
	ps_merged_changed(c->brought_merged);
	return err;
}

/* Of a thread that is none of the ends' owners: they are to learn of a failure. */
static int move_for_others(struct ps_cl_way *y, unsigned *ends, struct ps_cl_fault *fault)
{
	int err = move_all(y, ends, fault);

	if (!err)
		return 0;
	y->fault = *fault;
	atomic_store(&y->failed, true);
	*ends = CAME_TO_READER | LEFT_WRITER;
	return err;
}

int ps_cl_way_push(struct ps_cl_fifo *c, struct ps_cl_fault *fault)
{
	struct ps_cl_way *y = c->way;
	unsigned ends = 0;
	int err;

	pthread_mutex_lock(&y->lock);
	err = move_for_others(y, &ends, fault);
	unlock_and_notify(y, ends);
	return err;
}

void ps_cl_way_closed(struct ps_cl_fifo *c)
{
	struct ps_cl_fault ignored = { 0 };
	unsigned ends = 0;

	if (!c->way || !c->way->shared || is_live(c))
		return;
	pthread_mutex_lock(&c->way->lock);
	move_for_others(c->way, &ends, &ignored);
	unlock_and_notify(c->way, CAME_TO_READER | LEFT_WRITER);
}

void ps_cl_way_move(struct ps_cl_fifo *c)
{
	struct ps_cl_way *y = c->way;
	struct ps_cl_fault fault = { 0 };
	unsigned ends = 0;

	pthread_mutex_lock(&y->lock);
	move_for_others(y, &ends, &fault);
	unlock_and_notify(y, ends);
}

void ps_cl_way_find_failed(struct ps_cl_fifo *c, struct ps_cl_fault *fault)
{
	struct ps_cl_way *y = c->way;

	pthread_mutex_lock(&y->lock);
	for (unsigned i = 0; i < y->count && !fault->err; i++) {
		cl_int code = ps_cl_event_first_code(y->hops[i].done, y->slots);

		if (code == CL_SUCCESS)
			code = ps_cl_event_first_code(y->hops[i].parts, y->slots * (PS_CL_PIECES - 1));
		if (code != CL_SUCCESS)
			fail_hop(&y->hops[i], code, NULL, fault);
	}
	pthread_mutex_unlock(&y->lock);
}

/* Hops that begin at the writer's place. */
static unsigned firsts(const struct ps_cl_way *y)
{
	return y->down ? 1 : y->count;
}

/* The write that is next, as far as a FIFO knows whose reader may have ended: its own numbers stand still then. */
static uint64_t next_write(const struct ps_cl_way *y, uint64_t w)
{
	uint64_t written = atomic_load(&y->written);

	return y->shared && w < written ? written : w;
}

/* Of several transfers one that is not through, if there is one. */
cl_event ps_cl_way_left(struct ps_cl_fifo *c, uint64_t w)
{
	struct ps_cl_way *y = c->way;
	uint32_t windows = y->shape.windows[0];
	struct ps_cl_fault ignored = { 0 };
	cl_event event = NULL;

	pthread_mutex_lock(&y->lock);
	w = next_write(y, w);
	for (unsigned i = 0; i < firsts(y); i++) {
		/* Once it has no readers its FIFOs' numbers stand still, while others of the output go on: then its
		 * last transfer, with which all are through. What is below 0 wraps */
		uint64_t enqueued = moved(&y->hops[i]), n = is_wanted(y, i) ? w - windows : enqueued - 1;

		if (n >= enqueued)
			continue;
		event = *slot(y, y->hops[i].done, n);
		if (firsts(y) > 1 && ps_cl_event_state(event, "", c->on, &ignored) != PS_CL_EVENT_DONE)
			break;
	}
	pthread_mutex_unlock(&y->lock);
	return event;
}

cl_event ps_cl_way_brought(struct ps_cl_fifo *c, int64_t w)
{
	struct ps_cl_way *y = c->way;
	const struct ps_cl_hop *last = &y->hops[c->brought_by];
	cl_event event = NULL;

	pthread_mutex_lock(&y->lock);
	if (w >= 0 && (uint64_t)w < moved(last))
		event = *slot(y, last->done, (uint64_t)w);
	pthread_mutex_unlock(&y->lock);
	return event;
}

bool ps_cl_way_is_gated(const struct ps_cl_fifo *c)
{
	return c->kind == PS_CL_RELAYED || c->brought_merged || (c->way && c->way->shared);
}

static enum ps_cl_event_state as_state(const struct ps_cl_way *y, bool may, struct ps_cl_fault *fault)
{
	if (may)
		return PS_CL_EVENT_DONE;
	if (!atomic_load(&y->failed))
		return PS_CL_EVENT_PENDING;
	*fault = y->fault;
	return PS_CL_EVENT_FAILED;
}

enum ps_cl_event_state ps_cl_way_may_write(struct ps_cl_fifo *c, uint64_t w, struct ps_cl_fault *fault)
{
	const struct ps_cl_way *y = c->way;
	uint32_t windows = y->shape.windows[0];
	bool may = true;

	w = next_write(y, w);
	/* once no reader is left nothing is moved */
	for (unsigned i = 0; i < firsts(y) && w >= windows; i++)
		may = may && (w - windows < moved(&y->hops[i]) || !is_wanted(y, i));
	return as_state(y, may, fault);
}

enum ps_cl_event_state ps_cl_way_may_read(struct ps_cl_fifo *c, int64_t w, struct ps_cl_fault *fault)
{
	return as_state(c->way, w < 0 || (uint64_t)w < moved(&c->way->hops[c->brought_by]), fault);
}

void ps_cl_way_listen(struct ps_cl_fifo *c, bool writer, struct ps_eventcount *eventcount)
{
	pthread_mutex_lock(&c->way->lock);
	atomic_store(&c->listeners[writer], eventcount);
	pthread_mutex_unlock(&c->way->lock);
}
