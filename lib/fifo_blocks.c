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

/* Of the places, before window `next`, how many hold no window that a reader holds or may still get. false: nobody wants
 * any; then windows that are not published yet may lie anywhere. */
static bool count_free(const struct ps_fifo *owner, uint64_t next, uint64_t *free)
{
	uint64_t oldest = next;
	bool wanted = false;

	for (const struct ps_fifo *f = owner; f; f = f->sharer) {
		uint64_t at = atomic_load_explicit(&f->read, memory_order_acquire) +
		              (f->layout.delay ? 0 : owner->shape.q);

		if (atomic_load_explicit(&f->discards, memory_order_acquire))
			continue;
		wanted = true;
		oldest = at < oldest ? at : oldest;
	}
	*free = owner->blocks - (next - oldest);
	return wanted;
}

void ps_fifo_choose_block(struct ps_fifo *owner, uint64_t w)
{
	uint64_t blocks = owner->blocks, next = w + owner->shape.q, at = owner->writer.at, free;
	uint32_t *here = &owner->block_at[at], block = *here;

	if (!count_free(owner, next, &free))
		return;
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
