/* SPDX-License-Identifier: MIT */
#include "lib/fifo/fifo.h"
#include "lib/base/memory.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

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
