/* SPDX-License-Identifier: MIT */
#include "lib/fifo/fifo.h"
#include "lib/base/memory.h"
#include "lib/fifo/fifo_memory.h"
#include "lib/fifo/fifo_wait.h"
#include "lib/fifo/merged.h"

#include <assert.h>
#include <string.h>

_Thread_local unsigned char ps_fifo_by;

static uint64_t started(const struct ps_fifo_end *end)
{
	return atomic_load_explicit(&end->started, memory_order_relaxed);
}

static int64_t needs(const struct ps_fifo_end *end)
{
	return atomic_load_explicit(&end->needs, memory_order_relaxed);
}

static void set_started(struct ps_fifo_end *end, uint64_t n)
{
	const struct ps_layout *l = &end->fifo->layout;
	int64_t needs = end->writes ? ps_layout_write_needs(l, n) - (int64_t)end->fifo->room_before
	                            : ps_layout_read_needs(l, n);

	atomic_store_explicit(&end->started, n, memory_order_relaxed);
	atomic_store_explicit(&end->needs, needs, memory_order_relaxed);
}

static int end_init(struct ps_fifo_end *end, struct ps_fifo *f, bool writes)
{
	pthread_condattr_t attr;
	int err = -pthread_condattr_init(&attr);

	*end = (struct ps_fifo_end){ .fifo = f, .other = writes ? &f->reader : &f->writer, .writes = writes };
	if (err)
		return err;
	err = -pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (!err)
		err = -pthread_cond_init(&end->changed, &attr);
	pthread_condattr_destroy(&attr);
	return err;
}

void ps_fifo_settle(struct ps_fifo *f)
{
	f->writer.rate = f->layout.write_rate;
	f->reader.rate = f->layout.read_rate;
	set_started(&f->writer, 0);
	set_started(&f->reader, 0);
}

int ps_fifo_init(struct ps_fifo *f)
{
	int err = -pthread_mutex_init(&f->lock, NULL);

	if (err)
		return err;
	f->room_before = 0;
	err = end_init(&f->writer, f, true);
	if (err)
		goto no_writer;
	err = end_init(&f->reader, f, false);
	if (err)
		goto no_reader;
	ps_fifo_settle(f);
	f->owner = f;
	f->sharer = NULL;
	f->shape = f->layout;
	f->merged = NULL;
	f->memory = f->end = NULL;
	f->allocation = NULL;
	f->allocated = 0;
	f->writer_polled = f->reader_polled = f->writer_away = f->reader_away = false;
	atomic_init(&f->writer_listens, PS_LISTENS_NOT);
	atomic_init(&f->reader_listens, PS_LISTENS_NOT);
	atomic_init(&f->written, 0);
	atomic_init(&f->read, 0);
	atomic_init(&f->put, 0);
	atomic_init(&f->given, 0);
	atomic_init(&f->copied, 0);
	atomic_init(&f->closed, false);
	atomic_init(&f->discards, false);
	f->ring = f->alignment = 0;
	f->warm = NULL;
	f->margin = f->borrowed = f->alone = f->sealed = f->closes_late = false;
	f->beyond = f->took = 0;
	return 0;
no_reader:
	pthread_cond_destroy(&f->writer.changed);
no_writer:
	pthread_mutex_destroy(&f->lock);
	return err;
}

void ps_fifo_end_put(struct ps_fifo_end *end, const struct ps_fifo_ops *ops, void *place)
{
	pthread_mutex_lock(&end->fifo->lock);
	end->ops = ops;
	end->place = place;
	*(end->writes ? &end->fifo->writer_away : &end->fifo->reader_away) = ops != NULL;
	ps_fifo_find_at(end);
	pthread_mutex_unlock(&end->fifo->lock);
}

void ps_fifo_fini(struct ps_fifo *f)
{
	if (f->owner == f)
		ps_memory_free(f->warm);
	ps_memory_free(f->allocation);
	if (f->merged && f->owner == f)
		ps_eventcount_put(f->writer.eventcount);
	pthread_cond_destroy(&f->reader.changed);
	pthread_cond_destroy(&f->writer.changed);
	pthread_mutex_destroy(&f->lock);
}

int ps_fifo_share(struct ps_fifo *f, struct ps_fifo *owner)
{
	struct ps_layout shape = owner->layout;
	int err = ps_layout_widen(&shape, &f->layout);

	assert(owner->owner == owner && !owner->memory && f->owner == f && !f->sharer && f != owner);
	for (struct ps_fifo *o = owner->sharer; !err && o; o = o->sharer)
		err = ps_layout_widen(&shape, &o->layout);
	if (!err)
		err = ps_layout_extend(&shape, &owner->layout);
	if (!err)
		err = ps_layout_extend(&shape, &f->layout);
	for (struct ps_fifo *o = owner->sharer; !err && o; o = o->sharer)
		err = ps_layout_extend(&shape, &o->layout);
	if (err)
		return err;
	owner->shape = shape;
	f->owner = owner;
	f->sharer = owner->sharer;
	owner->sharer = f;
	return 0;
}

bool ps_fifo_wanted(const struct ps_fifo *f)
{
	for (const struct ps_fifo *o = f->owner; o; o = o->sharer)
		if (!atomic_load(&o->discards))
			return true;
	return false;
}

static uint64_t written(const struct ps_fifo *f)
{
	return atomic_load(&f->written);
}

/* closed first: if it is set, the count read after it is the last one */
static enum ps_fifo_state look_at_tokens(const struct ps_fifo *f)
{
	bool closed = atomic_load(&f->closed);
	uint32_t valid =
		ps_layout_valid(&f->layout, started(&f->reader), written(f) + (closed ? f->layout.tail : 0));

	if (valid == f->layout.read_rate)
		return PS_FIFO_READY;
	return !closed ? PS_FIFO_WAIT : valid ? PS_FIFO_READY : PS_FIFO_ENDED;
}

static enum ps_fifo_state look_at_room(const struct ps_fifo *f)
{
	if (atomic_load(&f->discards))
		return PS_FIFO_ENDED;
	return (int64_t)atomic_load(&f->read) >= needs(&f->writer) ? PS_FIFO_READY : PS_FIFO_WAIT;
}

enum ps_fifo_state ps_fifo_look(const struct ps_fifo_end *end)
{
	return end->writes ? look_at_room(end->fifo) : look_at_tokens(end->fifo);
}

/* A writer's: what it has seen of the reader's counter may be enough, which spares the cache line. */
enum ps_fifo_state ps_fifo_peek(const struct ps_fifo_end *end)
{
	bool seen = end->writes && !atomic_load(&end->fifo->discards) && ps_fifo_may_write(end->fifo);
	enum ps_fifo_state state = seen ? PS_FIFO_READY : ps_fifo_look(end), busy;

	/* writes that will be dropped wait for the place, too: it may still be reading older windows */
	if (state == PS_FIFO_WAIT || !end->ops || (state == PS_FIFO_ENDED && !end->writes))
		return state;
	busy = (end->writes ? end->ops->write_peek : end->ops->read_peek)(end->place, started(end));
	return busy == PS_FIFO_READY ? state : busy;
}

/* Reads the other side's counter only if what was seen of it before is not enough: the counter is on a cache line that
 * the other side changes all the time. */
uint64_t ps_fifo_write_take(struct ps_fifo *f)
{
	uint64_t w = started(&f->writer);

	if (atomic_load_explicit(&f->writer.seen, memory_order_relaxed) < needs(&f->writer))
		atomic_store_explicit(&f->writer.seen,
			(int64_t)atomic_load_explicit(&f->read, memory_order_acquire), memory_order_relaxed);
	set_started(&f->writer, w + 1);
	return w;
}

uint64_t ps_fifo_read_take(struct ps_fifo *f, uint32_t *valid)
{
	uint64_t j = started(&f->reader);
	int64_t seen = atomic_load_explicit(&f->reader.seen, memory_order_relaxed);

	if (seen < needs(&f->reader)) {
		seen = (int64_t)atomic_load_explicit(&f->written, memory_order_acquire);
		atomic_store_explicit(&f->reader.seen, seen, memory_order_relaxed);
	}
	set_started(&f->reader, j + 1);
	*valid = ps_layout_valid(&f->layout, j, (uint64_t)seen);
	if (*valid < f->layout.read_rate) /* so it is closed */
		*valid = ps_layout_valid(&f->layout, j, (uint64_t)seen + f->layout.tail + f->beyond);
	assert(*valid);
	return j;
}

/* Returns the window at which an end of f is, and passes on by `windows`. */
static unsigned char *pass(struct ps_fifo *f, struct ps_fifo_end *end, uint64_t windows)
{
	size_t at = f->warm ? ps_fifo_warm_at(f, end->at) : end->at;

	end->at += windows * end->step;
	if (end->at >= f->ring)
		end->at -= f->ring;
	return f->memory + at;
}

void *ps_fifo_write_start(struct ps_fifo *f)
{
	uint64_t w = ps_fifo_write_take(f);

	if (f->writer.ops && f->writer.ops->write_start)
		return f->writer.ops->write_start(f->writer.place, w);
	if (f->warm)
		ps_fifo_choose_block(f->owner, w);
	/* also those whose reader has ended: all count, so that any of them knows where the window is */
	for (struct ps_fifo *o = f->owner; o; o = o->sharer)
		if (o != f) {
			ps_fifo_write_take(o);
			pass(o, &o->writer, 1);
		}
	return pass(f, &f->writer, 1);
}

void *ps_fifo_write_oldest(struct ps_fifo *f)
{
	return f->writer.ops && f->writer.ops->write_start
	               ? f->writer.ops->write_start(f->writer.place, f->writer.ended)
	               : ps_fifo_write_window(f, f->writer.ended);
}

const void *ps_fifo_read_start(struct ps_fifo *f, uint32_t *valid)
{
	uint64_t j = ps_fifo_read_take(f, valid);
	unsigned char *window;

	if (f->reader.ops)
		return f->reader.ops->read_start(f->reader.place, j, *valid);
	window = pass(f, &f->reader, 1);
	if (*valid == f->layout.read_rate && !f->layout.tail)
		return window;
	return ps_fifo_finish_window(f, window, j, written(f) + f->beyond);
}

/* Makes `tokens` more visible to the reader. */
static void publish(struct ps_fifo *f, uint64_t tokens, bool last)
{
	uint64_t total = written(f) + tokens;

	if (atomic_load_explicit(&f->discards, memory_order_relaxed))
		total = written(f);
	if (f->reader_polled) {
		atomic_store_explicit(&f->written, total, memory_order_release);
		if (last)
			atomic_store_explicit(&f->closed, true, memory_order_release);
		return;
	}
	atomic_store(&f->written, total);
	if (last)
		atomic_store(&f->closed, true);
	ps_fifo_changed(f, &f->reader, last);
}

void ps_fifo_write_publish(struct ps_fifo *f, uint32_t valid)
{
	assert(f->writer.ended < started(&f->writer) && valid && valid <= f->layout.write_rate);
	atomic_store_explicit(&f->by[f->writer.ended % PS_FIFO_BY], ps_fifo_by, memory_order_relaxed);
	f->writer.ended++;
	publish(f, valid, valid < f->layout.write_rate && !f->closes_late);
}

/* When w writes were all: puts the zeros behind them that sharing readers with delay tokens find there. Before any FIFO
 * that shares the memory is closed: its reader may look there from then on. No window that is held lies there, where
 * all readers have the writer's rate; else those that need zeros have an end of their own (layout.h). */
static void seal(struct ps_fifo *f, uint64_t w)
{
	struct ps_fifo *o = f->owner;
	const struct ps_layout *l = &o->shape;
	uint64_t rest = ps_layout_rest(l);

	if (!o->memory || !o->sharer || o->sealed || l->mixed)
		return;
	o->sealed = true;
	if (rest)
		memset(ps_fifo_write_window(f, w), 0, (l->write_rate - rest) * l->token_size);
}

static void complete(struct ps_fifo *f, uint32_t valid)
{
	ps_fifo_complete(f, NULL, f->writer.ended, valid);
	if (valid < f->layout.write_rate && !f->closes_late)
		seal(f, f->writer.ended + 1);
}

/* The same where the memory is not the FIFO's own. */
static int complete_away(struct ps_fifo *f, uint32_t valid)
{
	uint64_t w = f->writer.ended;

	if (!f->merged)
		return f->writer.ops->write_end(f->writer.place, w, valid);
	complete(f, valid);
	atomic_store(&f->owner->put, w + 1); /* before any reader gives it back */
	ps_merged_wrote(f->merged);
	return 0;
}

int ps_fifo_write_end(struct ps_fifo *f, uint32_t valid)
{
	if (f->writer_away) {
		int err = complete_away(f, valid);

		if (err)
			return err;
	} else {
		complete(f, valid);
	}
	for (struct ps_fifo *o = f->owner; o; o = o->sharer)
		ps_fifo_write_publish(o, valid);
	return 0;
}

/* Frees `windows` for the writer. */
static void release(struct ps_fifo *f, uint64_t windows)
{
	assert(f->reader.ended + windows <= started(&f->reader));
	ps_fifo_note_reader(f);
	f->reader.ended += windows;
	if (f->writer_polled) {
		atomic_store_explicit(&f->read, f->reader.ended * f->reader.rate, memory_order_release);
		return;
	}
	atomic_store(&f->read, f->reader.ended * f->reader.rate);
	ps_fifo_changed(f, &f->writer, false);
}

void ps_fifo_read_release(struct ps_fifo *f)
{
	release(f, 1);
}

/* Gives the oldest window back to the place, or to those with which the memory is merged. */
static int give_back(struct ps_fifo *f)
{
	uint64_t j = f->reader.ended;

	if (!f->merged)
		return f->reader.ops->read_end(f->reader.place, j);
	atomic_store(&f->given, j + 1);
	ps_merged_changed(f->merged);
	return 0;
}

int ps_fifo_read_end(struct ps_fifo *f)
{
	int err = f->reader_away ? give_back(f) : 0;

	if (!err)
		release(f, 1);
	return err;
}

void ps_fifo_write_cancel(struct ps_fifo *f)
{
	set_started(&f->writer, f->writer.ended);
	ps_fifo_find_at(&f->writer);
}

void ps_fifo_read_cancel(struct ps_fifo *f)
{
	set_started(&f->reader, f->reader.ended);
	ps_fifo_find_at(&f->reader);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many windows of one token the reader of f has room for. */
static uint64_t room(const struct ps_fifo *f)
{
	/* with delay tokens the reader may be ahead */
	return f->layout.ahead + 1 + atomic_load_explicit(&f->read, memory_order_acquire) -
	       started(&f->writer);
}

uint64_t ps_fifo_write_span(const struct ps_fifo *f, uint64_t max, void **first)
{
	const struct ps_layout *shape = &f->owner->shape;
	uint64_t at = ps_layout_write_slot(shape, started(&f->writer));
	uint64_t span = least(max, shape->ring - at);
	bool wanted = false;

	/* no margin: spans copy nothing to it */
	assert(ps_fifo_has_spans(f) && !f->writer.ops && !f->warm && !f->margin);
	for (const struct ps_fifo *o = f->owner; o; o = o->sharer) {
		if (atomic_load(&o->discards)) /* a reader that ends after this look still has its room */
			continue;
		wanted = true;
		span = least(span, room(o));
	}
	*first = f->memory + at * shape->token_size;
	return wanted ? span : 0;
}

uint64_t ps_fifo_read_span(const struct ps_fifo *f, uint64_t max, const void **first)
{
	const struct ps_layout *l = &f->layout;
	uint64_t j = started(&f->reader), at = ps_layout_read_slot(&f->owner->shape, l, j);

	assert(ps_fifo_has_spans(f) && !f->reader.ops && !f->warm);
	if (ps_fifo_peek(&f->reader) != PS_FIFO_READY)
		return 0;
	*first = f->memory + at * l->token_size;
	return least(least(max, l->delay + written(f) - j), f->owner->shape.ring - at);
}

void ps_fifo_write_end_span(struct ps_fifo *f, uint64_t windows)
{
	for (struct ps_fifo *o = f->owner; o; o = o->sharer) {
		set_started(&o->writer, started(&o->writer) + windows);
		pass(o, &o->writer, windows);
		o->writer.ended += windows;
		publish(o, windows, false);
	}
}

void ps_fifo_read_end_span(struct ps_fifo *f, uint64_t windows)
{
	set_started(&f->reader, started(&f->reader) + windows);
	pass(f, &f->reader, windows);
	release(f, windows);
}

void ps_fifo_write_close(struct ps_fifo *f)
{
	ps_fifo_write_cancel(f);
	seal(f, f->writer.ended);
	pthread_mutex_lock(&f->lock);
	atomic_store(&f->closed, true);
	pthread_cond_signal(&f->reader.changed);
	pthread_mutex_unlock(&f->lock);
	ps_fifo_notify(&f->reader);
	ps_merged_changed(f->merged);
	if (f->writer.ops && f->writer.ops->closed)
		f->writer.ops->closed(f->writer.place);
}

void ps_fifo_read_close(struct ps_fifo *f)
{
	ps_fifo_read_cancel(f);
	pthread_mutex_lock(&f->lock);
	atomic_store(&f->discards, true);
	pthread_cond_signal(&f->writer.changed);
	pthread_mutex_unlock(&f->lock);
	ps_fifo_notify(&f->writer);
	ps_merged_changed(f->merged);
	if (f->reader.ops && f->reader.ops->closed)
		f->reader.ops->closed(f->reader.place);
}

void ps_fifo_count_copy(struct ps_fifo *f, size_t bytes)
{
	atomic_fetch_add_explicit(&f->copied, bytes, memory_order_relaxed);
}
