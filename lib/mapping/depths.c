/* SPDX-License-Identifier: MIT */
/*
 * Depths: two windows where both ends of a buffer can be busy at once, and what a reader with slack lets wait.
 */
#include "lib/mapping/outline.h"

#include <errno.h>

int ps_outline_depths(struct ps_outline *o)
{
	const struct ps_flow *f = o->flow;

	for (unsigned i = 0; i < o->buffer_count; i++) {
		struct ps_buffer *b = &o->buffers[i];
		bool moves = ps_buffer_transfers(b) || b->leaves;

		b->depth = moves                                    ? o->overlap ? 2 : 1
		           : f->machine->places[b->place].cores > 1 ? f->core_depth
		                                                    : 1;
	}
	if (!o->overlap)
		return 0;
	for (unsigned i = 0; i < f->reader_count; i++) {
		struct ps_buffer *b = &o->buffers[o->feeds[i]];

		if (o->slack[i] > b->slack)
			b->slack = o->slack[i];
	}
	for (unsigned i = 0; i < o->buffer_count; i++) {
		if (o->buffers[i].slack > UINT32_MAX - o->buffers[i].depth)
			return -EOVERFLOW;
		o->buffers[i].depth += (uint32_t)o->buffers[i].slack;
	}
	return 0;
}
