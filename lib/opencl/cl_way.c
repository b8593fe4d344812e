/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_way.h"
#include "lib/base/memory.h"
#include "lib/opencl/cl_memory.h"

#include <errno.h>

enum { WAITS_MOST = 3 };

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
	if (y->count == 2 && !(y->hops[0].done = ps_memory_zalloc(c->slots, sizeof(cl_event))))
		return -ENOMEM;
	return 0;
}

static void free_events(const struct ps_cl_fifo *c, cl_event *events)
{
	for (unsigned i = 0; events && i < c->slots; i++)
		ps_cl_event_put(&events[i], NULL);
	ps_memory_free(events);
}

void ps_cl_way_fini(struct ps_cl_fifo *c)
{
	struct ps_cl_way *y = &c->way;

	free_events(c, y->made);
	if (y->count == 2)
		free_events(c, y->hops[0].done);
	if (y->has_lock)
		pthread_mutex_destroy(&y->lock);
	y->made = NULL;
	y->has_lock = false;
	y->count = 0;
}

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
	needs = ps_layout_write_needs(l, n);
	reads = needs <= 0 ? 0 : (needs + l->read_rate - 1) / l->read_rate;
	if (reads > 0 && (uint64_t)reads <= y->read)
		add_wait(waits, *slot(c, c->rev, (uint64_t)reads - 1));
	return reads <= (int64_t)y->read;
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
		err = ps_cl_memory_move(c, hop->up, n, valid, waits.count, waits.events, &event, fault);
	if (event) /* after a failure too: the end waits for it */
		ps_cl_event_put(slot(c, hop->done, n), event);
	if (err)
		return err;
	atomic_store_explicit(&hop->moved, n + 1, memory_order_release);
	*went = true;
	return 0;
}

/* All that can be moved. *ends: bit 0: something has come to the reader, bit 1: something has left the writer. */
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
				*ends |= (i + 1 == y->count ? 1u : 0) | (i == 0 ? 2u : 0);
		}
	}
	y->stopped = y->stopped || err;
	return err;
}

/* No lock held. Only the ends of RELAYED wait for hops. */
static void notify(struct ps_cl_fifo *c, unsigned ends, struct ps_eventcount *const listeners[2])
{
	const struct ps_fifo_end *both[2] = { &c->fifo->reader, &c->fifo->writer };

	for (unsigned w = 0; w < 2 && c->way.count == 2; w++) {
		if (!(ends & 1u << w))
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
		y->written = w + 1;
		y->last = valid;
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
		err = move_all(c, &ends, &c->read_fault);
	}
	unlock_and_notify(c, ends);
	return err;
}

void ps_cl_way_move(struct ps_cl_fifo *c)
{
	struct ps_cl_way *y = &c->way;
	struct ps_cl_fault fault = { 0 };
	unsigned ends = 0;

	pthread_mutex_lock(&y->lock);
	if (move_all(c, &ends, &fault)) {
		y->fault = fault;
		atomic_store(&y->failed, true);
		ends = 3;
	}
	unlock_and_notify(c, ends);
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
