/* SPDX-License-Identifier: MIT */
#include "lib/fifo.h"
#include "lib/memory.h"

#include <assert.h>
#include <errno.h>

size_t ps_fifo_warm_least = 4096;

int ps_fifo_keep_warm(struct ps_fifo *f)
{
	uint64_t blocks = f->shape.blocks;

	assert(f->owner == f && f->memory && !f->shape.rho);
	f->block_at = ps_memory_zalloc(blocks, sizeof *f->block_at);
	f->block_by = ps_memory_zalloc(blocks, sizeof *f->block_by);
	if (!f->block_at || !f->block_by)
		return -ENOMEM;
	for (uint32_t i = 0; i < blocks; i++)
		f->block_at[i] = i;
	for (struct ps_fifo *o = f->sharer; o; o = o->sharer)
		o->block_at = f->block_at;
	return 0;
}

/* The reader who holds the oldest window, or may still get it, and its place, before that of window `next`; NULL: nobody wants
 * any, then windows that are not published yet may lie anywhere. */
static const struct ps_fifo *find_slowest(const struct ps_fifo *owner, uint64_t next, uint64_t *oldest)
{
	const struct ps_fifo *slowest = NULL;

	*oldest = next;
	for (const struct ps_fifo *f = owner; f; f = f->sharer) {
		uint64_t at = atomic_load_explicit(&f->read, memory_order_acquire) +
		              (f->layout.delay ? 0 : owner->shape.q);

		if (atomic_load_explicit(&f->discards, memory_order_acquire))
			continue;
		if (!slowest || at < *oldest) {
			slowest = f;
			*oldest = at < *oldest ? at : *oldest;
		}
	}
	return slowest;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Windows of the places before that of `oldest` are read, by the slowest reader last. `next` is at owner->writer.at. */
static void note_readers(struct ps_fifo *owner, const struct ps_fifo *slowest, uint64_t next, uint64_t oldest)
{
	uint64_t undelayed = slowest->layout.delay ? 0 : owner->shape.q, at = owner->writer.at;
	uint64_t known = oldest > PS_FIFO_BY ? oldest - PS_FIFO_BY : 0;

	for (uint64_t n = most(most(owner->freed, known), undelayed); n < oldest; n++) {
		uint64_t back = next - n, place = at < back ? at + owner->blocks - back : at - back;
		unsigned char by = atomic_load_explicit(
			&slowest->read_by[(n - undelayed) % PS_FIFO_BY], memory_order_relaxed);

		assert(back <= owner->blocks);
		if (by) /* else a thread of its own: no member is better than who has written there */
			owner->block_by[owner->block_at[place]] = by;
	}
	owner->freed = oldest;
}

void ps_fifo_choose_block(struct ps_fifo *owner, uint64_t w)
{
	uint64_t blocks = owner->blocks, next = w + owner->shape.q, at = owner->writer.at, oldest, free;
	uint32_t *here = &owner->block_at[at], block = *here;
	const struct ps_fifo *slowest = find_slowest(owner, next, &oldest);

	if (!slowest)
		return;
	note_readers(owner, slowest, next, oldest);
	free = blocks - (next - oldest);
	assert(free && free <= blocks);
	while (--free) {
		uint32_t *there = &owner->block_at[at + free < blocks ? at + free : at + free - blocks];

		if (owner->block_by[*there] != ps_fifo_by)
			continue;
		*here = *there;
		*there = block;
		break;
	}
	owner->block_by[*here] = ps_fifo_by;
}
