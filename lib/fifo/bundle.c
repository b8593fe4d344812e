/* SPDX-License-Identifier: MIT */
#include "lib/fifo/bundle.h"
#include "lib/fifo/fifo_memory.h"

const void *ps_bundle_finish(struct ps_fifo *f, const struct ps_fifo *lead, void *window, uint32_t *valid)
{
	uint64_t j = atomic_load_explicit(&lead->reader.started, memory_order_relaxed) - 1;
	uint64_t written = atomic_load(&lead->written) + f->beyond;

	*valid = ps_layout_valid(&f->layout, j, written);
	return *valid == f->layout.read_rate ? window : ps_fifo_finish_window(f, window, j, written);
}

void ps_bundle_end_last(
	struct ps_fifo *f, const struct ps_fifo *lead, void *window, uint32_t valid, uint32_t common)
{
	if (valid)
		ps_fifo_complete(f, window, lead->writer.ended, valid);
	if (!atomic_load_explicit(&lead->discards, memory_order_relaxed))
		f->beyond = valid - common;
}

void ps_bundle_end_whole(struct ps_fifo *f, const struct ps_fifo *lead)
{
	if (f->margin)
		ps_fifo_complete(f, NULL, lead->writer.ended, f->layout.write_rate);
}
