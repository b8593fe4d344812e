/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_ring.h"

#include <string.h>

unsigned char *ps_cl_ring_write(const struct ps_fifo *f, unsigned char *memory, uint64_t w)
{
	return memory + ps_layout_write_slot(&f->layout, w) * f->layout.token_size;
}

/* To where these slots have a second place. */
static void copy_doubles(struct ps_fifo *f, unsigned char *memory, uint64_t from, uint64_t count)
{
	size_t s = f->layout.token_size;
	struct ps_layout_copy copies[2];
	unsigned n = ps_layout_copies(&f->layout, from, count, copies);

	for (unsigned i = 0; i < n; i++) {
		memcpy(memory + copies[i].to * s, memory + copies[i].from * s, copies[i].count * s);
		ps_fifo_count_copy(f, copies[i].count * s);
	}
}

void ps_cl_ring_written(struct ps_fifo *f, unsigned char *memory, uint64_t w)
{
	copy_doubles(f, memory, ps_layout_write_slot(&f->layout, w), f->layout.write_rate);
}

static uint64_t end_of_window(const struct ps_layout *l)
{
	return l->history + (uint64_t)l->read_rate;
}

bool ps_cl_ring_lacks(const struct ps_fifo *f, uint64_t j)
{
	return ps_layout_zeros(&f->layout, j, atomic_load(&f->written)) < end_of_window(&f->layout);
}

unsigned char *ps_cl_ring_read(struct ps_fifo *f, unsigned char *memory, uint64_t j)
{
	const struct ps_layout *l = &f->layout;
	uint64_t slot = ps_layout_read_slot(l, l, j), end = end_of_window(l),
		 missing = ps_layout_zeros(l, j, atomic_load(&f->written));

	/* the writer has closed: no other thread touches these slots any more */
	if (missing < end) {
		memset(memory + (slot + missing) * l->token_size, 0, (end - missing) * l->token_size);
		copy_doubles(f, memory, slot + missing, end - missing);
	}
	return memory + slot * l->token_size;
}

int64_t ps_cl_ring_filled_by(const struct ps_fifo *f, uint64_t j)
{
	const struct ps_layout *l = &f->layout;
	uint64_t tokens = atomic_load_explicit(&f->written, memory_order_acquire);
	int64_t last = (int64_t)((tokens + l->write_rate - 1) / l->write_rate) - 1,
		w = ps_layout_written_by(l, j);

	return w < last ? w : last;
}

int64_t ps_cl_ring_freed_by(const struct ps_fifo *f, uint64_t w)
{
	const struct ps_layout *l = &f->layout;
	int64_t needs = ps_layout_write_needs(l, w), reads = (int64_t)(atomic_load(&f->read) / l->read_rate),
		by = (needs + l->read_rate - 1) / l->read_rate;

	return needs <= 0 || !reads ? -1 : (by < reads ? by : reads) - 1;
}
