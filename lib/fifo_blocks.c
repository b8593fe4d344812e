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

/* The place, counted without end, of the oldest window that a reader may still hold or want. */
static uint64_t oldest(const struct ps_fifo *owner, uint64_t next)
{
	uint64_t least = next;

	for (const struct ps_fifo *f = owner; f; f = f->sharer) {
		uint64_t at = atomic_load_explicit(&f->read, memory_order_acquire) +
		              (f->layout.delay ? 0 : owner->shape.q);

		if (at < least && !atomic_load_explicit(&f->discards, memory_order_acquire))
			least = at;
	}
	return least;
}

void ps_fifo_choose_block(struct ps_fifo *owner, uint64_t w)
{
	uint64_t blocks = owner->blocks, next = w + owner->shape.q, free, at = owner->writer.at;
	uint32_t *here = &owner->block_at[at], block = *here;

	free = blocks - (next - oldest(owner, next));
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
