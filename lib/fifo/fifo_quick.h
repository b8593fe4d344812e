/* SPDX-License-Identifier: MIT */
/*
 * FIFO, quick: the calls of fifo.h, inline, for the simplest case: plain memory, and no thread to wake at the other
 * end. They are for firings that take no longer than the calls themselves. In any other case each calls its general
 * form.
 */
#ifndef PENSTOCK_FIFO_QUICK_H
#define PENSTOCK_FIFO_QUICK_H

#include "lib/fifo/fifo.h"

/* Returns the window at which this end is, and passes on to the next one. */
static inline void *ps_fifo_quick_pass(const struct ps_fifo *f, struct ps_fifo_end *end)
{
	size_t at = f->warm ? ps_fifo_warm_at(f, end->at) : end->at, next = end->at + end->step;
	uint64_t started = atomic_load_explicit(&end->started, memory_order_relaxed);
	int64_t needs = atomic_load_explicit(&end->needs, memory_order_relaxed);

	atomic_store_explicit(&end->started, started + 1, memory_order_relaxed);
	atomic_store_explicit(&end->needs, needs + end->rate, memory_order_relaxed);
	end->at = next < f->ring ? next : next - f->ring;
	return f->memory + at;
}

static inline void *ps_fifo_quick_write_start(struct ps_fifo *f)
{
	return f->alone && !f->warm && !f->writer_away ? ps_fifo_quick_pass(f, &f->writer)
	                                               : ps_fifo_write_start(f);
}

static inline const void *ps_fifo_quick_read_start(struct ps_fifo *f, uint32_t *valid)
{
	int64_t written = (int64_t)atomic_load_explicit(&f->written, memory_order_acquire);

	if (f->reader_away ||
		written < atomic_load_explicit(&f->reader.needs, memory_order_relaxed)) /* not whole */
		return ps_fifo_read_start(f, valid);
	*valid = f->layout.read_rate;
	return ps_fifo_quick_pass(f, &f->reader);
}

/* The counts of one whole window more, with no thread to wake. */
static inline void ps_fifo_quick_publish(struct ps_fifo *f)
{
	atomic_store_explicit(&f->by[f->writer.ended % PS_FIFO_BY], ps_fifo_by, memory_order_relaxed);
	f->writer.ended++;
	atomic_store_explicit(&f->written,
		atomic_load_explicit(&f->written, memory_order_relaxed) + f->writer.rate,
		memory_order_release);
}

static inline void ps_fifo_quick_release(struct ps_fifo *f)
{
	ps_fifo_note_reader(f);
	f->reader.ended++;
	atomic_store_explicit(&f->read, atomic_load_explicit(&f->read, memory_order_relaxed) + f->reader.rate,
		memory_order_release);
}

static inline int ps_fifo_quick_write_end(struct ps_fifo *f, uint32_t valid)
{
	if (!f->alone || f->writer_away || f->margin || !f->reader_polled || valid != f->layout.write_rate ||
		atomic_load_explicit(&f->discards, memory_order_relaxed))
		return ps_fifo_write_end(f, valid);
	ps_fifo_quick_publish(f);
	return 0;
}

static inline int ps_fifo_quick_read_end(struct ps_fifo *f)
{
	if (f->reader_away || !f->writer_polled)
		return ps_fifo_read_end(f);
	ps_fifo_quick_release(f);
	return 0;
}

#endif
