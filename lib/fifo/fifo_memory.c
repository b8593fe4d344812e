/* SPDX-License-Identifier: MIT */
#include "lib/fifo/fifo_memory.h"
#include "lib/base/memory.h"
#include "lib/fifo/merged.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

enum { PAGE = 4096 };

/* The slot of window n of an end. */
static uint64_t slot_of(const struct ps_fifo_end *end, uint64_t n)
{
	const struct ps_layout *shape = &end->fifo->owner->shape;

	return end->writes ? ps_layout_write_slot(shape, n)
	                   : ps_layout_read_slot(shape, &end->fifo->layout, n);
}

/* Where window n of an end lies: bytes from the memory's beginning. */
static size_t place_of(const struct ps_fifo_end *end, uint64_t n)
{
	const struct ps_fifo *f = end->fifo;

	return f->merged      ? n % f->merged->of->slots * f->merged->of->step
	       : f->alignment ? slot_of(end, n) / end->rate * end->step
	                      : slot_of(end, n) * f->layout.token_size;
}

void ps_fifo_find_at(struct ps_fifo_end *end)
{
	end->at = place_of(end, atomic_load_explicit(&end->started, memory_order_relaxed));
}

/* Where the windows of both ends are in the memory that f uses, and the reader's own ones behind the last token: that
 * many slots from the memory's beginning. Returns how many slots these take. */
static uint64_t place_ends(struct ps_fifo *f, uint64_t end)
{
	const struct ps_layout *shape = &f->owner->shape;
	uint64_t own = ps_layout_end_slots(shape, &f->layout);

	f->memory = f->owner->memory;
	f->end = own ? f->memory + end * shape->token_size : NULL;
	f->ring = f->alignment ? ps_fifo_aligned_bytes(f) : shape->ring * shape->token_size;
	f->margin = shape->slots > shape->ring;
	f->alone = f->owner == f && !f->sharer && !f->borrowed;
	ps_fifo_settle(f);
	f->writer.step = ps_fifo_step(f, f->writer.rate);
	f->reader.step = ps_fifo_step(f, f->reader.rate);
	if (f->merged)
		ps_merged_place(f);
	ps_fifo_find_at(&f->writer);
	ps_fifo_find_at(&f->reader);
	return own;
}

/* Copies what was written to these slots to where it has a second place. Returns the bytes. */
static size_t copy_doubles(struct ps_fifo *owner, uint64_t from, uint64_t count)
{
	size_t size = owner->shape.token_size, bytes = 0;
	struct ps_layout_copy copies[2];
	unsigned n = ps_layout_copies(&owner->shape, from, count, copies);

	for (unsigned i = 0; i < n; i++) {
		memcpy(owner->memory + copies[i].to * size, owner->memory + copies[i].from * size,
			copies[i].count * size);
		bytes += copies[i].count * size;
	}
	return bytes;
}

/* Puts `count` tokens, or zeros, at positions that lie in one piece of the ring. */
static void put_tokens(struct ps_fifo *owner, int64_t position, uint64_t count, const void *tokens)
{
	uint64_t at = ps_layout_slot(&owner->shape, position);
	unsigned char *to = owner->memory + at * owner->shape.token_size;
	size_t bytes = count * owner->shape.token_size;

	if (tokens)
		memcpy(to, tokens, bytes);
	else
		memset(to, 0, bytes);
	copy_doubles(owner, at, count);
}

/* The zeros before the stream, one by one: they need not be in one piece. Then the initial tokens. */
static void put_first(struct ps_fifo *owner, const void *initial)
{
	int64_t history = 0;

	if (owner->alignment) {
		ps_fifo_put_aligned(owner, initial);
		return;
	}
	for (const struct ps_fifo *o = owner; o; o = o->sharer)
		if (!o->layout.peek && o->layout.history > history)
			history = o->layout.history;
	for (int64_t x = -history; x < 0; x++)
		put_tokens(owner, x, 1, NULL);
	put_tokens(owner, 0, owner->shape.delay, initial);
}

/* The memory, which f owns. NULL: out of memory. */
static unsigned char *take(struct ps_fifo *f, size_t bytes, size_t stagger)
{
	stagger = stagger % PAGE / PS_CACHE_LINE * PS_CACHE_LINE;
	if (bytes < PAGE) /* small memories lie anywhere */
		stagger = 0;
	f->allocation = ps_memory_windows(bytes + stagger, stagger ? PAGE : f->alignment, &f->allocated);
	return f->allocation ? (unsigned char *)f->allocation + stagger : NULL;
}

/* The memory of its group, and what its writer waits at. */
static int take_merged(struct ps_fifo *f, size_t stagger)
{
	struct ps_merged *of = f->merged->of;

	if (!of->memory)
		of->memory = take(f, (of->slots - 1) * of->step + of->bytes, stagger);
	f->memory = of->memory;
	f->writer.eventcount = ps_eventcount_get();
	if (!f->memory || !f->writer.eventcount)
		return -ENOMEM;
	ps_fifo_end_put(&f->writer, &ps_merged_ops, f->merged);
	return 0;
}

int ps_fifo_allocate(struct ps_fifo *f, const void *initial, size_t stagger)
{
	uint64_t end = f->shape.slots;

	assert(f->owner == f);
	if (f->merged) {
		if (take_merged(f, stagger))
			return -ENOMEM;
	} else {
		if (!f->borrowed)
			f->memory =
				take(f, f->alignment ? ps_fifo_aligned_bytes(f) : f->shape.bytes, stagger);
		if (!f->memory)
			return -ENOMEM;
		put_first(f, initial);
	}
	for (struct ps_fifo *o = f; o; o = o->sharer)
		end += place_ends(o, end);
	assert(end * f->shape.token_size == f->shape.bytes);
	return 0;
}

unsigned char *ps_fifo_write_window(const struct ps_fifo *f, uint64_t w)
{
	size_t at = place_of(&f->writer, w);

	assert(f->merged || f->alignment ||
		at + f->writer.step <= f->owner->shape.slots * f->layout.token_size);
	return f->memory + (f->warm ? ps_fifo_warm_at(f, at) : at);
}

void ps_fifo_complete(struct ps_fifo *f, unsigned char *window, uint64_t w, uint32_t valid)
{
	const struct ps_layout *l = &f->owner->shape;

	if (valid < l->write_rate)
		ps_memory_put_zeros((window ? window : ps_fifo_write_window(f, w)) + valid * l->token_size,
			(l->write_rate - valid) * l->token_size);
	if (f->margin)
		ps_fifo_count_copy(f->owner, copy_doubles(f->owner, slot_of(&f->writer, w), l->write_rate));
}

/*
 * Puts zeros behind the last token, into window j of a reader that has its memory for itself. The writer has ended, and
 * what was there lies too far back for any window that is held. Behind the last token there may be a tail of several
 * windows; each begins where the one before has put its zeros.
 */
static void put_zeros(struct ps_fifo *f, unsigned char *window, uint64_t j, uint64_t written)
{
	const struct ps_layout *l = &f->shape;
	uint64_t from = ps_layout_zeros(l, j, written), end = l->history + l->read_rate;

	memset(window + from * l->token_size, 0, (end - from) * l->token_size);
	if (f->margin)
		copy_doubles(f, slot_of(&f->reader, j) + from, end - from);
}

/*
 * Window j of a reader that shares its memory and so must not write there. It reaches beyond the last token. The first
 * such window takes a copy of the last tokens, with zeros behind them; these windows overlap as they would in the ring.
 * Nothing is written there afterwards, so any number of them may be held. The tokens are still in the ring: they belong
 * to that first window, which the reader has not freed, and the writer has ended.
 */
static const unsigned char *end_window(
	struct ps_fifo *f, const unsigned char *window, uint64_t j, uint64_t written)
{
	const struct ps_layout *l = &f->layout;
	uint64_t slots = ps_layout_end_slots(&f->owner->shape, l), tokens;
	uint64_t at = ps_layout_end_slot(l, j, written, &tokens);

	if (!at) {
		memcpy(f->end, window, tokens * l->token_size);
		memset(f->end + tokens * l->token_size, 0, (slots - tokens) * l->token_size);
		ps_fifo_count_copy(f, tokens * l->token_size);
	}
	return f->end + at * l->token_size;
}

const void *ps_fifo_finish_window(struct ps_fifo *f, unsigned char *window, uint64_t j, uint64_t written)
{
	if (ps_layout_valid(&f->layout, j, written) == f->layout.read_rate)
		return window;
	if (f->end)
		return end_window(f, window, j, written);
	if (f->alone) /* else other readers may look at the same slots, and the writer has left zeros there */
		put_zeros(f, window, j, written);
	return window;
}

/*
 * Warm blocks.
 */

size_t ps_fifo_warm_least = 4096;

/* So many free blocks are looked at, and of so many last windows the reading thread is known. */
enum { LATELY = PS_FIFO_BY };

void ps_fifo_align(struct ps_fifo *f, size_t alignment)
{
	assert(f->owner == f && !f->sharer && !f->merged && !f->borrowed && !f->memory &&
		ps_layout_is_simple(&f->shape) && !ps_layout_rest(&f->shape));
	f->alignment = alignment;
}

void ps_fifo_put_aligned(struct ps_fifo *f, const void *initial)
{
	size_t bytes = f->shape.read_rate * f->shape.token_size;

	for (uint64_t w = 0; w < ps_layout_whole(&f->shape); w++) {
		unsigned char *to = f->memory + w * ps_fifo_step(f, f->shape.read_rate);

		if (initial)
			memcpy(to, (const unsigned char *)initial + w * bytes, bytes);
		else
			memset(to, 0, bytes);
	}
}

int ps_fifo_keep_warm(struct ps_fifo *f)
{
	uint64_t blocks = ps_layout_windows(&f->shape);
	size_t head = sizeof *f->warm + blocks * sizeof *f->warm->at, bytes;

	assert(f->owner == f && f->memory && !f->margin && !f->shape.mixed &&
		f->shape.write_rate == f->shape.read_rate);
	f->warm = ps_memory_windows(head + blocks, 0, &bytes);
	if (!f->warm)
		return -ENOMEM;
	f->warm->bytes = f->writer.step;
	f->warm->count = blocks;
	f->warm->freed = 0;
	f->warm->by = (unsigned char *)f->warm + head;
	memset(f->warm->by, 0, blocks);
	for (uint32_t i = 0; i < blocks; i++)
		f->warm->at[i] = i;
	for (struct ps_fifo *o = f->sharer; o; o = o->sharer)
		o->warm = f->warm;
	return 0;
}

/* Returns the reader that holds the oldest window before window `next`, or may still get it; *oldest: that window's
 * place. NULL: no reader wants any; then windows that are not published yet may lie anywhere. */
static const struct ps_fifo *find_slowest(const struct ps_fifo *owner, uint64_t next, uint64_t *oldest)
{
	const struct ps_fifo *slowest = NULL;

	*oldest = next;
	for (const struct ps_fifo *f = owner; f; f = f->sharer) {
		uint64_t at = atomic_load_explicit(&f->read, memory_order_acquire) / f->layout.read_rate +
		              (f->layout.delay ? 0 : ps_layout_whole(&owner->shape));

		if (atomic_load_explicit(&f->discards, memory_order_acquire))
			continue;
		if (!slowest || at < *oldest) {
			slowest = f;
			*oldest = at < *oldest ? at : *oldest;
		}
	}
	return slowest;
}

/* The place of the window that is written next. */
static uint64_t here(const struct ps_fifo *owner)
{
	return owner->writer.at / owner->warm->bytes;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Notes which threads have read the windows at the places before that of `oldest`. The slowest reader is taken for the
 * last one to read them. Where several readers are equally far that may be wrong: it is a hint. `next` is at
 * the writer. */
static void note_readers(struct ps_fifo *owner, const struct ps_fifo *slowest, uint64_t next, uint64_t oldest)
{
	uint64_t undelayed = slowest->layout.delay ? 0 : ps_layout_whole(&owner->shape), at = here(owner);
	uint64_t known = oldest > LATELY ? oldest - LATELY : 0;

	for (uint64_t n = most(most(owner->warm->freed, known), undelayed); n < oldest; n++) {
		uint64_t back = next - n, place = at < back ? at + owner->warm->count - back : at - back;
		unsigned char by = atomic_load_explicit(
			&slowest->read_by[(n - undelayed) % PS_FIFO_BY], memory_order_relaxed);

		assert(back <= owner->warm->count);
		if (by) /* else a thread that is no member: then the member that has written there is the best guess */
			owner->warm->by[owner->warm->at[place]] = by;
	}
	owner->warm->freed = oldest;
}

/* Finds, among the places that became free lately, one whose block this thread was the last to use; else the one of
 * them that is free longest. Not among all places: in a deep FIFO between two members none may be this thread's, and
 * the search would look at all of them, and use all of them. */
static uint64_t find_place(const struct ps_fifo *owner, uint64_t free)
{
	uint64_t blocks = owner->warm->count, at = here(owner), first = free > LATELY ? free - LATELY : 0;

	for (uint64_t i = free; --i > first;) {
		uint64_t place = at + i < blocks ? at + i : at + i - blocks;

		if (owner->warm->by[owner->warm->at[place]] == ps_fifo_by)
			return place;
	}
	return at + first < blocks ? at + first : at + first - blocks;
}

void ps_fifo_choose_block(struct ps_fifo *owner, uint64_t w)
{
	uint64_t next = w + ps_layout_whole(&owner->shape), oldest, free;
	uint32_t *mine = &owner->warm->at[here(owner)], *there, block = *mine;
	const struct ps_fifo *slowest = find_slowest(owner, next, &oldest);

	if (!slowest)
		return;
	note_readers(owner, slowest, next, oldest);
	free = owner->warm->count - (next - oldest);
	assert(free && free <= owner->warm->count);
	there = &owner->warm->at[find_place(owner, free)];
	*mine = *there;
	*there = block;
	owner->warm->by[*mine] = ps_fifo_by;
}
