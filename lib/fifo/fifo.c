/* SPDX-License-Identifier: MIT */
#include "lib/fifo/fifo.h"
#include "lib/base/memory.h"
#include "lib/fifo/fifo_wait.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

enum { PAGE = 4096 };

_Thread_local unsigned char ps_fifo_by;

static uint64_t started(const struct ps_fifo_end *end)
{
	return atomic_load_explicit(&end->started, memory_order_relaxed);
}

static void set_started(struct ps_fifo_end *end, uint64_t n)
{
	atomic_store_explicit(&end->started, n, memory_order_relaxed);
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

int ps_fifo_init(struct ps_fifo *f)
{
	int err = -pthread_mutex_init(&f->lock, NULL);

	if (err)
		return err;
	err = end_init(&f->writer, f, true);
	if (err)
		goto no_writer;
	err = end_init(&f->reader, f, false);
	if (err)
		goto no_reader;
	f->owner = f;
	f->sharer = NULL;
	f->shape = f->layout;
	f->memory = NULL;
	f->allocation = NULL;
	f->allocated = 0;
	f->sealed = false;
	f->writer_polled = f->reader_polled = false;
	f->writer_away = f->reader_away = false;
	atomic_init(&f->writer_listens, PS_LISTENS_NOT);
	atomic_init(&f->reader_listens, PS_LISTENS_NOT);
	atomic_init(&f->written, 0);
	atomic_init(&f->read, 0);
	atomic_init(&f->copied, 0);
	atomic_init(&f->closed, false);
	atomic_init(&f->discards, false);
	f->stride = 0;
	f->blocks = 0;
	f->warm = NULL;
	f->alone = false;
	f->closes_late = false;
	return 0;
no_reader:
	pthread_cond_destroy(&f->writer.changed);
no_writer:
	pthread_mutex_destroy(&f->lock);
	return err;
}

/* Where the next window to start lies. */
static void find_at(struct ps_fifo_end *end)
{
	const struct ps_fifo *f = end->fifo;
	const struct ps_layout *shape = &f->owner->shape;
	/* a reader without delay tokens finds the writer's own windows (place_ends()) */
	uint64_t first = end->writes || !f->layout.delay ? shape->q : 0;

	end->at = (started(end) + first) % shape->blocks;
}

void ps_fifo_end_put(struct ps_fifo_end *end, const struct ps_fifo_ops *ops, void *place)
{
	pthread_mutex_lock(&end->fifo->lock);
	end->ops = ops;
	end->place = place;
	*(end->writes ? &end->fifo->writer_away : &end->fifo->reader_away) = ops != NULL;
	find_at(end);
	pthread_mutex_unlock(&end->fifo->lock);
}

void ps_fifo_fini(struct ps_fifo *f)
{
	if (f->owner == f)
		ps_memory_free(f->warm);
	ps_memory_free(f->allocation);
	pthread_cond_destroy(&f->reader.changed);
	pthread_cond_destroy(&f->writer.changed);
	pthread_mutex_destroy(&f->lock);
}

int ps_fifo_share(struct ps_fifo *f, struct ps_fifo *owner)
{
	int err = ps_layout_share(&owner->shape, &f->layout);

	assert(owner->owner == owner && !owner->memory && f->owner == f && !f->sharer && f != owner);
	if (err)
		return err;
	f->owner = owner;
	f->sharer = owner->sharer;
	owner->sharer = f;
	return 0;
}

/* Where the windows of both ends begin in the memory that f uses. */
static void place_ends(struct ps_fifo *f)
{
	const struct ps_layout *shape = &f->owner->shape;
	size_t rho = shape->rho * shape->token_size, first = shape->q % shape->blocks;
	/* a reader without delay tokens finds the writer's own windows in a memory of readers that have some */
	bool as_written = !f->layout.delay;

	f->memory = f->owner->memory;
	f->stride = shape->rate * shape->token_size;
	f->blocks = shape->blocks;
	f->alone = f->owner == f && !f->sharer;
	f->writer.base = rho;
	f->writer.at = first;
	f->reader.base = as_written ? rho : 0;
	f->reader.at = as_written ? first : 0;
}

int ps_fifo_allocate(struct ps_fifo *f, const void *initial, size_t stagger)
{
	size_t bytes = f->layout.delay * f->layout.token_size;

	assert(f->owner == f);
	stagger = stagger % PAGE / PS_CACHE_LINE * PS_CACHE_LINE;
	if (f->shape.bytes < PAGE) /* small memories lie anywhere */
		stagger = 0;
	f->allocation = ps_memory_windows(f->shape.bytes + stagger, stagger ? PAGE : 0, &f->allocated);
	if (!f->allocation)
		return -ENOMEM;
	f->memory = (unsigned char *)f->allocation + stagger;
	if (initial)
		memcpy(f->memory, initial, bytes);
	else
		memset(f->memory, 0, bytes);
	for (struct ps_fifo *o = f; o; o = o->sharer)
		place_ends(o);
	return 0;
}

static unsigned char *slot(const struct ps_fifo *f, uint64_t number)
{
	const struct ps_fifo *o = f->owner;

	assert(number + o->shape.rate <= o->shape.slots && !f->warm);
	return o->memory + number * o->shape.token_size;
}

static unsigned char *write_window(const struct ps_fifo *f, uint64_t w)
{
	if (f->warm)
		return f->memory + f->warm->at[(w + f->owner->shape.q) % f->blocks] * f->stride;
	return slot(f, ps_layout_write_slot(&f->owner->shape, w));
}

static uint64_t read_slot(const struct ps_fifo *f, uint64_t j)
{
	return ps_layout_shared_read_slot(&f->owner->shape, f->layout.delay, j);
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
	uint32_t valid = ps_layout_valid(&f->layout, started(&f->reader), written(f));

	if (valid == f->layout.rate)
		return PS_FIFO_READY;
	return !closed ? PS_FIFO_WAIT : valid ? PS_FIFO_READY : PS_FIFO_ENDED;
}

static enum ps_fifo_state look_at_room(const struct ps_fifo *f)
{
	if (atomic_load(&f->discards))
		return PS_FIFO_ENDED;
	return ps_layout_may_write(&f->layout, started(&f->writer), atomic_load(&f->read)) ? PS_FIFO_READY
	                                                                                   : PS_FIFO_WAIT;
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
	uint64_t w = started(&f->writer), seen = atomic_load_explicit(&f->writer.seen, memory_order_relaxed);

	if (w >= seen + f->layout.depth)
		atomic_store_explicit(&f->writer.seen, atomic_load_explicit(&f->read, memory_order_acquire),
			memory_order_relaxed);
	set_started(&f->writer, w + 1);
	return w;
}

uint64_t ps_fifo_read_take(struct ps_fifo *f, uint32_t *valid)
{
	uint64_t j = started(&f->reader), seen = atomic_load_explicit(&f->reader.seen, memory_order_relaxed);

	if (f->layout.delay + seen < (j + 1) * f->layout.rate) {
		seen = atomic_load_explicit(&f->written, memory_order_acquire);
		atomic_store_explicit(&f->reader.seen, seen, memory_order_relaxed);
	}
	set_started(&f->reader, j + 1);
	*valid = ps_layout_valid(&f->layout, j, seen);
	assert(*valid);
	return j;
}

/* Returns the window at which an end of f is, and passes on by `windows`. */
static unsigned char *pass(struct ps_fifo *f, struct ps_fifo_end *end, uint64_t windows)
{
	size_t block = f->warm ? f->warm->at[end->at] : end->at;
	unsigned char *window = f->memory + end->base + block * f->stride;

	end->at += windows;
	if (end->at == f->blocks)
		end->at = 0;
	return window;
}

void *ps_fifo_write_start(struct ps_fifo *f)
{
	uint64_t w = ps_fifo_write_take(f);

	if (f->writer.ops)
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
	return f->writer.ops ? f->writer.ops->write_start(f->writer.place, f->writer.ended)
	                     : write_window(f, f->writer.ended);
}

const void *ps_fifo_read_start(struct ps_fifo *f, uint32_t *valid)
{
	uint64_t j = ps_fifo_read_take(f, valid);

	/* readers never write: other readers may look at the same slots */
	return f->reader.ops ? f->reader.ops->read_start(f->reader.place, j, *valid) : pass(f, &f->reader, 1);
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
	assert(f->writer.ended < started(&f->writer) && valid && valid <= f->layout.rate);
	atomic_store_explicit(&f->by[f->writer.ended % PS_FIFO_BY], ps_fifo_by, memory_order_relaxed);
	f->writer.ended++;
	publish(f, valid, valid < f->layout.rate && !f->closes_late);
}

/* When w writes were all: puts the zeros behind them that a reader with delay tokens finds there. Before any FIFO that
 * shares the memory is closed: its reader may look there from then on. No window that is held lies there (layout.h). */
static void seal(struct ps_fifo *f, uint64_t w)
{
	struct ps_fifo *o = f->owner;
	uint32_t beyond = ps_layout_beyond(&o->shape);

	if (!o->memory || o->sealed)
		return;
	o->sealed = true;
	if (beyond)
		memset(write_window(f, w), 0, beyond * o->shape.token_size);
}

/* What must be in the memory before the window may be seen. */
static void complete(struct ps_fifo *f, uint32_t valid)
{
	const struct ps_layout *l = &f->owner->shape;
	uint64_t w = f->writer.ended;

	if (valid < l->rate) {
		memset(write_window(f, w) + valid * l->token_size, 0, (l->rate - valid) * l->token_size);
		if (!f->closes_late)
			seal(f, w + 1);
	}
	if (ps_layout_wraps(l, w)) {
		size_t tail = l->rho * l->token_size;

		memcpy(f->owner->memory, f->owner->memory + l->blocks * l->rate * l->token_size, tail);
		ps_fifo_count_copy(f->owner, tail);
	}
}

int ps_fifo_write_end(struct ps_fifo *f, uint32_t valid)
{
	int err = f->writer.ops ? f->writer.ops->write_end(f->writer.place, f->writer.ended, valid) : 0;

	if (err)
		return err;
	if (!f->writer.ops)
		complete(f, valid);
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
		atomic_store_explicit(&f->read, f->reader.ended, memory_order_release);
		return;
	}
	atomic_store(&f->read, f->reader.ended);
	ps_fifo_changed(f, &f->writer, false);
}

void ps_fifo_read_release(struct ps_fifo *f)
{
	release(f, 1);
}

int ps_fifo_read_end(struct ps_fifo *f)
{
	int err = f->reader.ops ? f->reader.ops->read_end(f->reader.place, f->reader.ended) : 0;

	if (!err)
		release(f, 1);
	return err;
}

void ps_fifo_write_cancel(struct ps_fifo *f)
{
	set_started(&f->writer, f->writer.ended);
	find_at(&f->writer);
}

void ps_fifo_read_cancel(struct ps_fifo *f)
{
	set_started(&f->reader, f->reader.ended);
	find_at(&f->reader);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many windows the reader of f has room for. */
static uint64_t room(const struct ps_fifo *f)
{
	uint64_t w = started(&f->writer);

	/* with delay tokens the reader may be ahead */
	return f->layout.depth - (w - atomic_load_explicit(&f->read, memory_order_acquire));
}

uint64_t ps_fifo_write_span(const struct ps_fifo *f, uint64_t max, void **first)
{
	const struct ps_layout *shape = &f->owner->shape;
	uint64_t at = ps_layout_write_slot(shape, started(&f->writer));
	uint64_t span = least(max, shape->blocks - at);
	bool wanted = false;

	assert(shape->rate == 1 && !f->writer.ops);
	for (const struct ps_fifo *o = f->owner; o; o = o->sharer) {
		if (atomic_load(&o->discards)) /* a reader that ends after this look still has its room */
			continue;
		wanted = true;
		span = least(span, room(o));
	}
	*first = slot(f, at);
	return wanted ? span : 0;
}

uint64_t ps_fifo_read_span(const struct ps_fifo *f, uint64_t max, const void **first)
{
	const struct ps_layout *l = &f->layout;
	uint64_t j = started(&f->reader), at = read_slot(f, j);

	assert(l->rate == 1 && !f->reader.ops);
	if (ps_fifo_peek(&f->reader) != PS_FIFO_READY)
		return 0;
	*first = slot(f, at);
	return least(least(max, l->delay + written(f) - j), f->owner->shape.blocks - at);
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
	if (f->reader.eventcount)
		ps_eventcount_notify(f->reader.eventcount);
}

void ps_fifo_read_close(struct ps_fifo *f)
{
	ps_fifo_read_cancel(f);
	pthread_mutex_lock(&f->lock);
	atomic_store(&f->discards, true);
	pthread_cond_signal(&f->writer.changed);
	pthread_mutex_unlock(&f->lock);
	if (f->writer.eventcount)
		ps_eventcount_notify(f->writer.eventcount);
}

uint64_t ps_fifo_fill(struct ps_fifo *f)
{
	/* read in this order the result is never more than what was there at the first look */
	uint64_t have = f->layout.delay + written(f), taken = atomic_load(&f->read) * f->layout.rate;

	return have > taken ? have - taken : 0;
}

void ps_fifo_count_copy(struct ps_fifo *f, size_t bytes)
{
	atomic_fetch_add_explicit(&f->copied, bytes, memory_order_relaxed);
}
