/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_home.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/opencl/cl_event.h"
#include "lib/opencl/cl_ring.h"
#include "lib/opencl/cl_serial.h"

#include <errno.h>
#include <string.h>

/* Of a transfer of a window that lies in several places of the home. */
enum { PIECES = 3 };

static size_t window_bytes(const struct ps_layout *l, bool writer)
{
	return (writer ? l->write_rate : l->history + (size_t)l->read_rate) * l->token_size;
}

size_t ps_cl_home_bytes(const struct ps_layout *l, bool writer)
{
	return l->depth * window_bytes(l, writer);
}

/*
 * Its places.
 */

struct ps_cl_home *ps_cl_home_create(struct ps_fifo *f, unsigned reader_places, unsigned writer_places)
{
	struct ps_cl_home *h = ps_memory_zalloc(1, sizeof *h);
	struct ps_cl_stage *stages = ps_memory_zalloc(reader_places + writer_places, sizeof *stages);

	if (!h || !stages) {
		ps_memory_free(h);
		ps_memory_free(stages);
		return NULL;
	}
	h->fifo = f;
	h->sides[0] = (struct ps_cl_side){ .stages = stages, .count = reader_places };
	h->sides[1] = (struct ps_cl_side){ .stages = stages + reader_places, .count = writer_places };
	return h;
}

static int open_stage(struct ps_cl_home *h, struct ps_cl_stage *s, bool writer, struct ps_cl_fault *fault)
{
	const struct ps_layout *l = &h->fifo->layout;
	const char *on = s->device->info.selector;
	size_t bytes = window_bytes(l, writer);
	cl_int code;

	s->windows = ps_memory_zalloc(l->depth, sizeof *s->windows);
	s->free = ps_memory_zalloc(l->depth, sizeof(cl_event));
	if (!s->windows || !s->free)
		return ps_cl_refuse(fault, -ENOMEM, "out of memory");
	s->queue = clCreateCommandQueue(
		s->device->context, s->device->id, h->traced ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
	if (code) {
		s->queue = NULL;
		return ps_cl_fail(fault, code, "clCreateCommandQueue", on);
	}
	if (bytes > s->device->max_alloc)
		return ps_cl_refuse(fault, -ENOMEM,
			"%.3f MB in one piece, %s has at most %.3f MB: lower the rate or the token size",
			(double)bytes / 1e6, on, (double)s->device->max_alloc / 1e6);
	for (; s->count < l->depth; s->count++) {
		s->windows[s->count] =
			clCreateBuffer(s->device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
		if (code)
			return ps_cl_fail(fault, code, "clCreateBuffer", on);
		h->fifo->allocated += bytes;
	}
	return 0;
}

int ps_cl_home_open(struct ps_cl_home *h, struct ps_cl_fault *fault)
{
	int err = 0;

	for (unsigned writer = 0; writer < 2; writer++)
		for (unsigned i = 0; i < h->sides[writer].count && !err; i++)
			if (h->sides[writer].stages[i].device)
				err = open_stage(h, &h->sides[writer].stages[i], writer, fault);
	return err;
}

/* lost: the windows stay, where a leak checker sees them. */
static void close_stage(struct ps_cl_stage *s, bool lost)
{
	ps_cl_trace_free(s->trace);
	s->trace = NULL;
	ps_cl_event_put(&s->last, NULL);
	for (unsigned i = 0; s->free && i < s->count; i++)
		ps_cl_event_put(&s->free[i], NULL);
	if (s->queue)
		clReleaseCommandQueue(s->queue);
	if (lost)
		return;
	for (unsigned i = 0; i < s->count; i++)
		clReleaseMemObject(s->windows[i]);
	ps_memory_free(s->free);
	ps_memory_free(s->windows);
}

void ps_cl_home_destroy(struct ps_cl_home *h, bool lost)
{
	if (!h)
		return;
	for (unsigned writer = 0; writer < 2; writer++)
		for (unsigned i = 0; i < h->sides[writer].count; i++)
			close_stage(&h->sides[writer].stages[i], lost);
	for (unsigned i = 0; h->copied && i < h->slots; i++)
		ps_cl_event_put(&h->copied[i], NULL);
	ps_memory_free(h->copied);
	if (lost)
		return;
	ps_memory_free(h->sides[0].stages);
	ps_memory_free(h->on);
	ps_memory_free(h);
}

static void add_name(struct ps_text *t, const struct ps_cl_side *side, const struct ps_cl_side *before)
{
	for (unsigned i = 0; i < side->count; i++) {
		const struct ps_cl_device *d = side->stages[i].device;
		bool known = !d;

		for (unsigned k = 0; before && k < before->count; k++)
			known |= before->stages[k].device == d;
		if (!known)
			ps_text_add(t, "%s%s", t->length ? " or " : "", d->info.selector);
	}
}

int ps_cl_home_name(struct ps_cl_home *h, struct ps_cl_fault *fault)
{
	char names[512];
	struct ps_text t = ps_text(names, sizeof names);

	add_name(&t, &h->sides[0], NULL);
	add_name(&t, &h->sides[1], &h->sides[0]);
	h->on = ps_memory_strdup(names);
	return h->on ? 0 : ps_cl_refuse(fault, -ENOMEM, "out of memory");
}

static struct ps_cl_stage *stage(const struct ps_cl_home *h, bool writer)
{
	return &h->sides[writer].stages[h->sides[writer].at];
}

/*
 * Transfers.
 */

struct piece {
	size_t at; /* bytes, in the device's window */
	unsigned char *host;
	size_t bytes;
};

static cl_int move(cl_command_queue queue, bool up, cl_mem window, const struct piece *p, cl_uint count,
	const cl_event *waits, cl_event *event)
{
	waits = count ? waits : NULL;
	return up ? clEnqueueWriteBuffer(
			    queue, window, CL_FALSE, p->at, p->bytes, p->host, count, waits, event)
	          : clEnqueueReadBuffer(
			    queue, window, CL_FALSE, p->at, p->bytes, p->host, count, waits, event);
}

static int flush(const struct ps_cl_home *h, cl_command_queue queue, struct ps_cl_fault *fault)
{
	cl_int code = ps_cl_serial_flush(queue);

	return code ? ps_cl_fail(fault, code, "clFlush", h->on) : 0;
}

/* Moves the pieces that have bytes, each behind the one before; the first one waits for these events. *event: NULL
 * before; then the last command's, also after a failure. */
static int move_pieces(struct ps_cl_home *h, cl_command_queue queue, bool up, cl_mem window,
	const struct piece pieces[PIECES], cl_uint count, const cl_event *waits, cl_event *event,
	struct ps_cl_trace *trace, struct ps_cl_fault *fault)
{
	int err = 0;

	for (unsigned i = 0; i < PIECES && !err; i++) {
		cl_event last = *event, moved = NULL;
		cl_int code;

		if (!pieces[i].bytes)
			continue;
		if (last) {
			count = 1;
			waits = &last;
		}
		code = move(queue, up, window, &pieces[i], count, waits, &moved);
		if (code)
			return ps_cl_fail(
				fault, code, up ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", h->on);
		ps_fifo_count_copy(h->fifo, pieces[i].bytes);
		ps_cl_trace_add(trace, NULL, moved, pieces[i].bytes);
		err = flush(h, queue, fault);
		if (!err)
			err = ps_cl_event_check(count, waits, h->on, fault);
		ps_cl_event_put(event, moved);
	}
	return err;
}

/* Of write w: its valid tokens, and where some of them have a second place. */
static void find_pieces(const struct ps_cl_home *h, uint64_t w, uint32_t valid, struct piece pieces[PIECES])
{
	const struct ps_layout *l = &h->fifo->layout;
	uint64_t slot = ps_layout_write_slot(l, w);
	struct ps_layout_copy copies[2];
	unsigned n = ps_layout_copies(l, slot, valid, copies);
	size_t s = l->token_size;

	pieces[0] = (struct piece){ 0, h->memory + slot * s, valid * s };
	for (unsigned i = 0; i < n; i++)
		pieces[i + 1] = (struct piece){ (copies[i].from - slot) * s, h->memory + copies[i].to * s,
			copies[i].count * s };
}

int ps_cl_home_bring(struct ps_cl_home *h, uint64_t w, uint32_t valid, cl_mem from, cl_command_queue queue,
	cl_uint wait_count, const cl_event *waits, cl_event *event, struct ps_cl_fault *fault)
{
	struct piece pieces[PIECES] = { { .bytes = 0 } };

	find_pieces(h, w, valid, pieces);
	return move_pieces(
		h, queue, false, from, pieces, wait_count, waits, event, stage(h, true)->trace, fault);
}

cl_mem ps_cl_home_write_window(const struct ps_cl_home *h, uint64_t w, cl_event *after)
{
	const struct ps_cl_stage *s = stage(h, true);

	*after = s->free[w % s->count]; /* its download */
	return s->windows[w % s->count];
}

static int keep(struct ps_cl_home *h, cl_event *slot, cl_event event, int err, struct ps_cl_fault *fault)
{
	cl_int code = ps_cl_event_keep(slot, event);

	return code && !err ? ps_cl_fail(fault, code, "clRetainEvent", h->on) : err;
}

int ps_cl_home_written(struct ps_cl_home *h, uint64_t w, uint32_t valid, cl_event event, cl_event *moved,
	struct ps_cl_fault *fault)
{
	struct ps_cl_stage *s = stage(h, true);
	cl_event last = NULL;
	int err = ps_cl_home_bring(
		h, w, valid, s->windows[w % s->count], s->queue, event != NULL, &event, &last, fault);

	if (last) /* after a failure too: the end waits for it */
		err = keep(h, &s->free[w % s->count], last, err, fault);
	else
		err = keep(h, &last, event, err, fault);
	ps_cl_event_put(&h->wev[w % h->slots], last);
	*moved = last;
	return err ? err : keep(h, &s->last, last, 0, fault);
}

int ps_cl_home_read_window(
	struct ps_cl_home *h, uint64_t j, cl_mem *window, cl_event *after, struct ps_cl_fault *fault)
{
	struct ps_cl_stage *s = stage(h, false);
	cl_event before = s->free[j % s->count], moved = NULL;
	struct piece pieces[PIECES] = { { .host = ps_cl_ring_read(h->fifo, h->memory, j),
		.bytes = window_bytes(&h->fifo->layout, false) } };
	int err;

	*window = s->windows[j % s->count];
	err = move_pieces(
		h, s->queue, true, *window, pieces, before != NULL, &before, &moved, s->trace, fault);
	/* from here on the writer waits for it, once the read is given back */
	ps_cl_event_put(&h->rev[j % h->slots], moved);
	*after = moved;
	return err;
}

int ps_cl_home_was_read(struct ps_cl_home *h, uint64_t j, cl_event event, struct ps_cl_fault *fault)
{
	struct ps_cl_stage *s = stage(h, false);

	return keep(h, &s->last, event, keep(h, &s->free[j % s->count], event, 0, fault), fault);
}

int ps_cl_home_used(struct ps_cl_home *h, bool writer, cl_event event, struct ps_cl_fault *fault)
{
	return keep(h, &stage(h, writer)->last, event, 0, fault);
}

int ps_cl_home_copied(struct ps_cl_home *h, uint64_t w, cl_event event, struct ps_cl_fault *fault)
{
	return h->copied ? keep(h, &h->copied[w % h->slots], event, 0, fault) : 0;
}

/*
 * Waiting.
 */

/* The events of the other side that window n needs are those up to this one; -1: none. */
static int64_t last_needed(const struct ps_cl_home *h, bool writer, uint64_t n)
{
	return writer ? ps_cl_ring_freed_by(h->fifo, n) : ps_cl_ring_filled_by(h->fifo, n);
}

static cl_event of_other(const struct ps_cl_home *h, bool writer, uint64_t number)
{
	return (writer ? h->rev : h->wev)[number % h->slots];
}

/*
 * Must it wait for its own commands, too? They are under way where the other side waits for nothing any more:
 *   - a reader puts zeros behind the last tokens, where an earlier read of its may not be through;
 *   - once its reader has ended a writer has room at once, where a write of its former place may not be through. Only
 *     where that is not a place's window: on the cores, and in SVM.
 */
static bool waits_for_own(const struct ps_cl_home *h, bool writer, uint64_t n)
{
	if (writer)
		return atomic_load(&h->fifo->discards) && (h->in_place || !stage(h, true)->device);
	return ps_cl_ring_lacks(h->fifo, n);
}

/* Of its commands at any place one that is not through; NULL: there is none. FAILED is not looked for. */
static cl_event own_busy(const struct ps_cl_home *h, bool writer)
{
	const struct ps_cl_side *side = &h->sides[writer];
	struct ps_cl_fault ignored = { 0 };

	for (unsigned i = 0; i < side->count; i++)
		if (ps_cl_event_state(side->stages[i].last, "", h->on, &ignored) == PS_CL_EVENT_PENDING)
			return side->stages[i].last;
	return NULL;
}

/* The last write of which copies must be through before write w takes its memory; -1: none. */
static int64_t last_copied(const struct ps_cl_home *h, uint64_t w)
{
	const struct ps_layout *l = &h->fifo->layout;
	int64_t tokens = ps_layout_write_needs(l, w) - l->delay,
		last = (tokens + l->write_rate - 1) / l->write_rate - 1;

	return tokens <= 0 || !h->copied ? -1 : last < (int64_t)w ? last : (int64_t)w - 1;
}

/* Are the copies through that write w waits for? */
static enum ps_cl_event_state look_at_copies(struct ps_cl_home *h, uint64_t w, struct ps_cl_fault *fault)
{
	int64_t last = last_copied(h, w);
	enum ps_cl_event_state state;

	for (; (int64_t)h->copied_through <= last; ++h->copied_through) {
		state = ps_cl_event_state(h->copied[h->copied_through % h->slots],
			"a command that copies its window", h->on, fault);
		if (state != PS_CL_EVENT_DONE)
			return state;
	}
	return PS_CL_EVENT_DONE;
}

enum ps_cl_event_state ps_cl_home_look(
	struct ps_cl_home *h, bool writer, uint64_t n, struct ps_cl_fault *fault)
{
	int64_t last = last_needed(h, writer, n);
	uint64_t *through = &h->through[writer];
	enum ps_cl_event_state state;

	for (; (int64_t)*through <= last; ++*through) {
		state = ps_cl_event_state(of_other(h, writer, *through),
			writer ? "a command that frees its window" : "a command that fills its window", h->on,
			fault);
		if (state != PS_CL_EVENT_DONE)
			return state;
	}
	state = writer ? look_at_copies(h, n, fault) : PS_CL_EVENT_DONE;
	if (state != PS_CL_EVENT_DONE)
		return state;
	return waits_for_own(h, writer, n) && own_busy(h, writer) ? PS_CL_EVENT_PENDING : PS_CL_EVENT_DONE;
}

cl_event ps_cl_home_awaited(const struct ps_cl_home *h, bool writer, uint64_t n)
{
	if ((int64_t)h->through[writer] <= last_needed(h, writer, n))
		return of_other(h, writer, h->through[writer]);
	if (writer && (int64_t)h->copied_through <= last_copied(h, n))
		return h->copied[h->copied_through % h->slots];
	return waits_for_own(h, writer, n) ? own_busy(h, writer) : NULL;
}

unsigned ps_cl_home_pending(const struct ps_cl_home *h, cl_event *one, struct ps_cl_fault *fault)
{
	unsigned count = 0;

	for (unsigned writer = 0; writer < 2; writer++)
		for (unsigned i = 0; i < h->sides[writer].count; i++) {
			const struct ps_cl_stage *s = &h->sides[writer].stages[i];

			for (unsigned k = 0; k < s->count; k++) {
				if (ps_cl_event_state(s->free[k], "a command of a FIFO", h->on, fault) !=
					PS_CL_EVENT_PENDING)
					continue;
				*one = s->free[k];
				count++;
			}
		}
	return count;
}

void ps_cl_home_end_traces(struct ps_cl_home *h)
{
	for (unsigned writer = 0; writer < 2; writer++)
		for (unsigned i = 0; i < h->sides[writer].count; i++)
			ps_cl_trace_end(h->sides[writer].stages[i].trace);
}

void ps_cl_home_flush_rest(const struct ps_cl_home *h)
{
	for (unsigned writer = 0; writer < 2; writer++)
		for (unsigned i = 0; i < h->sides[writer].count; i++)
			if (h->sides[writer].stages[i].queue)
				clFlush(h->sides[writer].stages[i].queue);
}
