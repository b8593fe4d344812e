/* SPDX-License-Identifier: MIT */
/*
 * Depths: two windows where both ends of a buffer can be busy at once, and what a reader with slack lets wait. A FIFO
 * that was built with a depth has that one, at each place that its windows cross. A buffer is as deep as the deepest of
 * its FIFOs.
 */
#include "lib/mapping/outline.h"

#include <errno.h>

static uint32_t usual_depth(const struct ps_outline *o, const struct ps_buffer *b)
{
	if (ps_buffer_transfers(b) || b->leaves)
		return o->overlap ? 2 : 1;
	return o->flow->machine->places[b->place].cores > 1 ? o->flow->core_depth : 1;
}

/* What one reader wants of a buffer on its way. */
static uint64_t wanted(const struct ps_outline *o, unsigned reader, unsigned buffer)
{
	const struct ps_buffer *b = &o->buffers[buffer];

	if (o->flow->readers[reader].depth)
		return o->flow->readers[reader].depth;
	return b->usual + (o->overlap && o->feeds[reader] == buffer ? o->slack[reader] : 0);
}

int ps_outline_depths(struct ps_outline *o)
{
	for (unsigned i = 0; i < o->buffer_count; i++)
		o->buffers[i].usual = usual_depth(o, &o->buffers[i]);
	for (unsigned i = 0; i < o->flow->reader_count; i++)
		for (unsigned b = o->feeds[i]; b != PS_NONE; b = o->buffers[b].from) {
			uint64_t depth = wanted(o, i, b);

			if (depth > UINT32_MAX)
				return -EOVERFLOW;
			if (depth > o->buffers[b].depth)
				o->buffers[b].depth = (uint32_t)depth;
		}
	return 0;
}
