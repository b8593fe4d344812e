/* SPDX-License-Identifier: MIT */
/* The host's ends of a FIFO whose other end is a device's; and both of one between two contexts, whose commands can't
 * wait for each other. */
#include "lib/opencl/cl_event.h"
#include "lib/opencl/cl_home.h"
#include "lib/opencl/cl_memory.h"
#include "lib/opencl/cl_ring.h"
#include "lib/opencl/cl_serial.h"

/* Will the reader, which has ended, never free this window? */
static bool beyond_reader(const struct ps_cl_fifo *c, uint64_t w)
{
	return ps_layout_write_needs(&c->fifo->layout, w) > (int64_t)atomic_load(&c->fifo->read);
}

/* The serial lock comes before a way's. */
static cl_event left(struct ps_cl_fifo *c, uint64_t w)
{
	cl_event event;

	ps_cl_serial_lock();
	event = ps_cl_way_left(c, w);
	ps_cl_serial_unlock();
	return event;
}

/* What must have happened before the host's (or RELAYED's) end may go on with its window. NULL: nothing. */
static cl_event write_busy(struct ps_cl_fifo *c, uint64_t w)
{
	switch (c->kind) {
	case PS_CL_STAGED: /* the transfer that reads the same memory of the host */
		return left(c, w);
	case PS_CL_COARSE:
	case PS_CL_MAPPED:
		return beyond_reader(c, w) ? NULL : ps_cl_fifo_freed(c, w);
	case PS_CL_FINE:
		return ps_cl_fifo_freed(c, w);
	default:
		return NULL;
	}
}

/* The same of STAGED: of transfers that are enqueued. */
static cl_event awaited_transfer(struct ps_cl_fifo *c, bool writer, uint64_t n, uint64_t ahead)
{
	uint64_t moved = atomic_load(&c->way->hops[writer ? 0 : c->brought_by].moved);
	int64_t last = (int64_t)moved - 1, w;

	if (writer && c->way->shared) /* several transfers may take it */
		return left(c, n);
	if (writer) {
		last += c->ring;
		w = (int64_t)(n + ahead);
		return left(c, w < last ? (uint64_t)w : (uint64_t)last < n ? n : (uint64_t)last);
	}
	w = ps_cl_ring_filled_by(c->fifo, n + ahead);
	return ps_cl_way_brought(c, w < last ? w : last);
}

/*
 * An end that waits for window n waits for one further on if that is on its way already: the thread that is woken
 * then finds several, and is woken so much less often. Half of the windows stay with the device, which has
 * work meanwhile. (If that one should wait for what this end does with n, which no FIFO makes it do, the
 * wait ends all the same after a while.)
 */
static cl_event awaited_event(struct ps_cl_fifo *c, bool writer, uint64_t n)
{
	uint64_t depth = c->fifo->layout.depth, ahead = depth > 3 ? depth / 2 - 1 : 0, reads;

	if (c->moving)
		return ps_cl_home_awaited(c->moving, writer, n);
	if (c->overlaps)
		ahead = 0;
	if (c->way)
		return awaited_transfer(c, writer, n, ahead);
	if (!writer) /* at most the last write that is enqueued */
		return ps_cl_fifo_filled(c, n + ahead);
	reads = ps_cl_fifo_reads(c);
	/* of reads that are enqueued */
	if (n + ahead >= reads + depth)
		ahead = n < reads + depth ? reads + depth - 1 - n : 0;
	return write_busy(c, n + ahead);
}

static enum ps_fifo_state as_fifo_state(enum ps_cl_event_state state)
{
	return state == PS_CL_EVENT_DONE      ? PS_FIFO_READY
	       : state == PS_CL_EVENT_PENDING ? PS_FIFO_WAIT
	                                      : PS_FIFO_FAILED;
}

/* Does this end wait for what no event tells: a transfer that is not enqueued yet, or another buffer's readers? */
static bool is_notified(const struct ps_cl_fifo *c, bool writer)
{
	return ps_cl_way_is_gated(c) || (writer && c->written_merged);
}

/* Has that happened? */
static enum ps_cl_event_state look(struct ps_cl_fifo *c, bool writer, uint64_t n, struct ps_cl_fault *fault)
{
	if (writer && c->written_merged && !ps_merged_may_write(c->written_merged, n))
		return PS_CL_EVENT_PENDING;
	if (!ps_cl_way_is_gated(c))
		return PS_CL_EVENT_DONE;
	return writer ? ps_cl_way_may_write(c, n, fault)
	              : ps_cl_way_may_read(c, ps_cl_ring_filled_by(c->fifo, n), fault);
}

/* Windows are asked for again and again, as long as another port's is missing: what is through stays so. */
static enum ps_fifo_state write_peek(void *place, uint64_t w)
{
	struct ps_cl_fifo *c = place;
	enum ps_cl_event_state state;

	/* once its reader has ended its number stands still, while others of the output may go on */
	if (!is_notified(c, true) && (c->writer || (w < c->free && !atomic_load(&c->fifo->discards))))
		return PS_FIFO_READY;
	state = look(c, true, w, &c->write_fault);
	if (state == PS_CL_EVENT_DONE && !c->writer) {
		state = c->moving ? ps_cl_home_look(c->moving, true, w, &c->write_fault)
		                  : ps_cl_event_state(write_busy(c, w), "a command that frees its window",
					    c->on, &c->write_fault);
		if (state == PS_CL_EVENT_DONE)
			c->free = w + 1;
	}
	return as_fifo_state(state);
}

static enum ps_fifo_state read_peek(void *place, uint64_t j)
{
	struct ps_cl_fifo *c = place;
	enum ps_cl_event_state state;

	if (!is_notified(c, false) && (c->reader || j < c->filled))
		return PS_FIFO_READY;
	state = look(c, false, j, &c->read_fault);
	if (state == PS_CL_EVENT_DONE && !c->reader) {
		state = c->moving ? ps_cl_home_look(c->moving, false, j, &c->read_fault)
		                  : ps_cl_event_state(ps_cl_fifo_filled(c, j),
					    "a command that fills its window", c->on, &c->read_fault);
		if (state == PS_CL_EVENT_DONE)
			c->filled = j + 1;
	}
	return as_fifo_state(state);
}

static void wait(void *place, bool writer, uint64_t n, unsigned seen)
{
	struct ps_cl_fifo *c = place;
	struct ps_eventcount *eventcount = (writer ? &c->fifo->writer : &c->fifo->reader)->eventcount;
	struct ps_cl_fault fault = { 0 }; /* the end's next look tells it */
	cl_event event = NULL;

	/* this look comes behind `seen` */
	if (is_notified(c, writer) && look(c, writer, n, &fault) == PS_CL_EVENT_PENDING) {
		ps_eventcount_wait(eventcount, seen, PS_EVENTCOUNT_LOOK_AGAIN_NS);
		return;
	}
	if (!(writer ? c->writer : c->reader))
		event = awaited_event(c, writer, n);
	if (event)
		ps_cl_event_wait(event, eventcount, seen);
}

/* The end itself, where it is notified. Else an event with a reference of its own: once its owner goes on, the slot
 * may be overwritten. */
static void *awaited(void *place, bool writer, uint64_t n)
{
	struct ps_cl_fifo *c = place;
	struct ps_cl_fault fault = { 0 };
	cl_event event = NULL;

	if (is_notified(c, writer) &&
		((writer ? c->writer : c->reader) || look(c, writer, n, &fault) == PS_CL_EVENT_PENDING))
		return writer ? &c->fifo->writer : &c->fifo->reader;
	ps_cl_event_keep(&event, awaited_event(c, writer, n));
	return event;
}

/* The eventcount is notified from now on whenever the end may go on. At once, if it may by now. */
static void listen(struct ps_cl_fifo *c, const struct ps_fifo_end *end, struct ps_eventcount *eventcount)
{
	uint64_t n = atomic_load_explicit(&end->started, memory_order_relaxed);
	struct ps_cl_fault fault = { 0 };

	if (ps_cl_way_is_gated(c))
		ps_cl_way_listen(c, end->writes, eventcount);
	if (end->writes && c->written_merged)
		atomic_store(&c->written_merged->listener, eventcount);
	if (look(c, end->writes, n, &fault) != PS_CL_EVENT_PENDING)
		ps_eventcount_notify(eventcount);
}

static void announce(void *place, struct ps_eventcount *eventcount, void *awaited)
{
	struct ps_cl_fifo *c = place;
	cl_event event = awaited;

	if (awaited == &c->fifo->writer || awaited == &c->fifo->reader) {
		listen(c, awaited, eventcount);
		return;
	}
	ps_cl_event_announce(event, eventcount);
	ps_cl_event_put(&event, NULL);
}

/* Of one allocation. */
static unsigned char *memory(const struct ps_cl_fifo *c)
{
	return c->kind == PS_CL_FINE ? c->svm : c->host;
}

static void *write_start(void *place, uint64_t w)
{
	struct ps_cl_fifo *c = place;

	switch (c->kind) {
	case PS_CL_FINE:
	case PS_CL_HOME:
		return ps_cl_ring_write(c->fifo, memory(c), w);
	case PS_CL_COARSE:
	case PS_CL_MAPPED:
		return beyond_reader(c, w) ? (void *)c->scratch : c->pointers[ps_cl_fifo_write_block(c, w)];
	default:
		/* NULL: another FIFO of the way has handed it over, and nothing is to be written there any more */
		return w < atomic_load(&c->way->written) ? NULL : ps_cl_way_host(c, w);
	}
}

static const void *read_start(void *place, uint64_t j, uint32_t valid)
{
	struct ps_cl_fifo *c = place;

	(void)valid;
	if (c->kind == PS_CL_COARSE || c->kind == PS_CL_MAPPED) /* the device has put zeros there */
		return c->pointers[j % ps_layout_windows(&c->fifo->layout)];
	if (c->way && c->way->shared) /* so has what enqueued the transfer */
		return ps_cl_way_host(c, j);
	return ps_cl_ring_read(c->fifo, memory(c), j);
}

/* Of a way that several use: once its reader has ended, its writer may have filled no window for it. The FIFO of one
 * that goes on hands the window over. */
static bool is_for_reader(const struct ps_cl_fifo *c)
{
	return !c->way->shared || !atomic_load(&c->fifo->discards);
}

static int write_end(void *place, uint64_t w, uint32_t valid)
{
	struct ps_cl_fifo *c = place;
	cl_event event = NULL;
	int err = 0;

	ps_cl_serial_lock();
	if (c->kind == PS_CL_FINE || c->kind == PS_CL_HOME)
		ps_cl_ring_written(c->fifo, memory(c), w);
	else if (c->way && is_for_reader(c))
		err = ps_cl_way_written(c, w, valid, NULL);
	else if (!c->way && !beyond_reader(c, w))
		err = ps_cl_memory_unmap(c, ps_cl_fifo_write_block(c, w), NULL, &event, &c->write_fault);
	/* once the reader has ended nothing is enqueued, nothing waits, and what the slot holds may not be through */
	if (event)
		ps_cl_event_put(&c->wev[w % c->slots], event);
	if (!err && !c->way)
		ps_cl_fifo_arrives(c, w, event);
	ps_cl_serial_unlock();
	return err;
}

static int read_end(void *place, uint64_t j)
{
	struct ps_cl_fifo *c = place;
	cl_event event = NULL;
	int err = 0;

	ps_cl_serial_lock();
	if (c->kind == PS_CL_COARSE || c->kind == PS_CL_MAPPED)
		err = ps_cl_memory_unmap(
			c, j % ps_layout_windows(&c->fifo->layout), NULL, &event, &c->read_fault);
	if (c->way)
		err = ps_cl_way_read(c, j, NULL);
	else
		ps_cl_event_put(&c->rev[j % c->slots], event);
	ps_cl_serial_unlock();
	return err;
}

/* Others that use the same memory, or way, pass over it. What that moves, and fails, the ends there learn. */
static void closed(void *place)
{
	struct ps_cl_fifo *c = place;

	ps_cl_serial_lock();
	ps_merged_changed(c->written_merged);
	ps_merged_changed(c->brought_merged);
	ps_cl_way_closed(c);
	ps_cl_serial_unlock();
}

const struct ps_fifo_ops ps_cl_fifo_ops = {
	.write_peek = write_peek,
	.read_peek = read_peek,
	.wait = wait,
	.awaited = awaited,
	.announce = announce,
	.write_start = write_start,
	.read_start = read_start,
	.write_end = write_end,
	.read_end = read_end,
	.closed = closed,
};
