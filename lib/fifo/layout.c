/* SPDX-License-Identifier: MIT */
#include "lib/fifo/layout.h"

#include <errno.h>

int ps_layout_init(struct ps_layout *l, uint32_t rate, uint32_t delay, uint32_t depth, size_t token_size)
{
	if (!rate || !depth || !token_size)
		return -EINVAL;
	*l = (struct ps_layout){ .rate = rate, .delay = delay, .depth = depth, .token_size = token_size };
	l->q = delay / rate;
	l->rho = delay % rate;
	l->blocks = (uint64_t)l->q + depth + (l->rho ? 1 : 0);
	/* at most (2^32 + 2^32) * 2^32: overflows 64 bits only in the product */
	if (__builtin_mul_overflow(l->blocks, (uint64_t)rate, &l->slots) ||
		__builtin_add_overflow(l->slots, (uint64_t)l->rho, &l->slots) ||
		__builtin_mul_overflow(l->slots, token_size, &l->bytes) || l->bytes > (size_t)PTRDIFF_MAX)
		return -EOVERFLOW;
	return 0;
}

uint64_t ps_layout_read_slot(const struct ps_layout *l, uint64_t j)
{
	return j % l->blocks * l->rate;
}

uint64_t ps_layout_write_slot(const struct ps_layout *l, uint64_t w)
{
	return l->rho + (w + l->q) % l->blocks * l->rate;
}

int ps_layout_share(struct ps_layout *memory, const struct ps_layout *reader)
{
	struct ps_layout wider;
	int err;

	if (reader->rate != memory->rate || reader->token_size != memory->token_size ||
		(reader->delay && reader->delay != memory->delay))
		return -EINVAL;
	if (reader->depth <= memory->depth)
		return 0;
	err = ps_layout_init(&wider, memory->rate, memory->delay, reader->depth, memory->token_size);
	if (!err)
		*memory = wider;
	return err;
}

uint64_t ps_layout_shared_read_slot(const struct ps_layout *memory, uint32_t delay, uint64_t j)
{
	return delay ? ps_layout_read_slot(memory, j) : ps_layout_write_slot(memory, j);
}

uint32_t ps_layout_beyond(const struct ps_layout *l)
{
	return l->rho ? l->rate - l->rho : 0;
}

bool ps_layout_wraps(const struct ps_layout *l, uint64_t w)
{
	return l->rho && (w + l->q) % l->blocks == l->blocks - 1;
}

bool ps_layout_may_write(const struct ps_layout *l, uint64_t w, uint64_t reads)
{
	/* not w - reads: with delay tokens the reader may be ahead */
	return w < reads + l->depth;
}

uint32_t ps_layout_valid(const struct ps_layout *l, uint64_t j, uint64_t written)
{
	uint64_t have = l->delay + written, before = j * l->rate;

	if (have <= before)
		return 0;
	return have - before < l->rate ? (uint32_t)(have - before) : l->rate;
}
