/* SPDX-License-Identifier: MIT */
/*
 * Bundle: FIFOs beside each other, from one writer to one reader, in plain memory. Each firing of either side starts
 * and ends a window of all of them or of none. So the counters of one, the lead, say for all what is there, and the
 * others are only memory: a window lies at the same place in each. They have the same layout, but for the token size.
 *
 * The last window
 *   A writer may fill it partly, in each FIFO as far as it likes. Then the lead publishes as many tokens as all FIFOs
 *   have, and each keeps in `beyond` how many more there are in it.
 *
 *	writer                                  reader
 *	1. writes tokens and zeros, of all      1. reads whether the lead is closed, and its count
 *	2. writes `beyond` of each              2. has the count a whole window: there is one in each
 *	3. publishes the lead's count           3. else it is closed: reads `beyond` of each
 *	4. closes the lead
 *
 *   tests/models/bundle.pml is a model of this.
 */
#ifndef PENSTOCK_BUNDLE_H
#define PENSTOCK_BUNDLE_H

#include "lib/fifo/fifo.h"

/* The window of f that has the same number as this one of the lead's. */
static inline void *ps_bundle_window(const struct ps_fifo *f, const struct ps_fifo *lead, const void *window)
{
	size_t at = (size_t)((const unsigned char *)window - lead->memory);

	if (f->layout.token_size != lead->layout.token_size)
		at = at / lead->layout.token_size * f->layout.token_size;
	return f->memory + at;
}

/* Of a lead that is closed: makes the window of f that was started last, which lies there, what its reader may see.
 * Returns where, and how many tokens of it are data. The taker of the reader's end. */
const void *ps_bundle_finish(struct ps_fifo *f, const struct ps_fifo *lead, void *window, uint32_t *valid);

/* The writer's last window of f, which lies there. `common` of its valid tokens are in all FIFOs of the bundle; the
 * lead publishes these afterwards. The publisher of the writer's end. */
void ps_bundle_end_last(
	struct ps_fifo *f, const struct ps_fifo *lead, void *window, uint32_t valid, uint32_t common);

/* Any thread: the valid tokens that were written to f, those that were taken off it, and those in it. In no bundle f is
 * its own lead. */
static inline uint64_t ps_bundle_written(const struct ps_fifo *f, const struct ps_fifo *lead)
{
	bool closed = atomic_load(&lead->closed);
	uint64_t written = atomic_load(&lead->written);

	return closed ? written + f->beyond : written;
}

static inline uint64_t ps_bundle_read(const struct ps_fifo *f, const struct ps_fifo *lead)
{
	bool over = atomic_load(&lead->discards);
	uint64_t read = atomic_load(&lead->read);

	return over ? read + f->took : read;
}

static inline uint64_t ps_bundle_fill(const struct ps_fifo *f, const struct ps_fifo *lead)
{
	/* read in this order the result is never more than what was there at the first look */
	uint64_t have = f->layout.delay + ps_bundle_written(f, lead), read = ps_bundle_read(f, lead);

	return have > read ? have - read : 0;
}

/* When the network has ended: the windows that the writer has ended, and the reader. */
static inline uint64_t ps_bundle_windows_written(const struct ps_fifo *f, const struct ps_fifo *lead)
{
	/* beside a lead that has published none of the last window */
	return lead->writer.ended + (f->beyond && atomic_load(&lead->written) % lead->layout.write_rate == 0);
}

static inline uint64_t ps_bundle_windows_read(const struct ps_fifo *f, const struct ps_fifo *lead)
{
	return lead->reader.ended + (f->took != 0);
}

/* A whole window of f that is not the lead: what of it has a second place is copied there. */
void ps_bundle_end_whole(struct ps_fifo *f, const struct ps_fifo *lead);

#endif
