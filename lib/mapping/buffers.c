/* SPDX-License-Identifier: MIT */
/*
 * Buffers: one for each output, at its writer's place, in the order of the outputs; then one for each place to which a
 * transfer brings it, in the order of the readers. An output has at most one at a place (PACCO, section 4.2).
 */
#include "lib/mapping/outline.h"
#include "lib/base/memory.h"

#include <errno.h>

/* at: of each place, the buffer of this output there; PS_NONE: none. */
static int add(struct ps_outline *o, unsigned *at, struct ps_buffer buffer)
{
	if (o->buffer_count == o->buffer_room) {
		unsigned room = 2 * o->buffer_room + 16;
		struct ps_buffer *buffers = ps_memory_resize(o->buffers, room, sizeof *buffers);

		if (!buffers)
			return -ENOMEM;
		o->buffers = buffers;
		o->buffer_room = room;
	}
	at[buffer.place] = o->buffer_count;
	o->buffers[o->buffer_count++] = buffer;
	return 0;
}

/* Follows the route to one reader. */
static int follow(struct ps_outline *o, unsigned *at, unsigned reader)
{
	const struct ps_flow *f = o->flow;
	const struct ps_flow_reader *r = &f->readers[reader];
	unsigned here = f->actors[f->outputs[r->output].writer].place, there = r->place;
	unsigned buffer = at[here];

	while (here != there) {
		unsigned link;
		int err = ps_routes_next(&o->routes, here, there, &link);

		if (err) {
			o->no_route = reader;
			return err;
		}
		here = ps_link_other(&f->machine->links[link], here);
		if (f->machine->links[link].kind == PSTK_LINK_SHARED)
			continue;
		if (at[here] == PS_NONE) {
			o->buffers[buffer].emptied = true;
			err = add(o, at,
				(struct ps_buffer){ .place = here,
					.output = r->output,
					.from = buffer,
					.link = link,
					.bytes = f->outputs[r->output].bytes });
			if (err)
				return err;
		}
		buffer = at[here];
	}
	o->feeds[reader] = buffer;
	return 0;
}

/* What the buffer that a reader reads has to hold for it. */
static void feed(struct ps_outline *o, unsigned reader)
{
	const struct ps_flow_reader *r = &o->flow->readers[reader];
	struct ps_buffer *b = &o->buffers[o->feeds[reader]];

	if (b->place != r->place)
		b->leaves = true;
	if (b->bytes < r->bytes)
		b->bytes = r->bytes;
	if (b->delay_bytes < r->delay_bytes)
		b->delay_bytes = r->delay_bytes;
}

int ps_outline_buffers(struct ps_outline *o)
{
	const struct ps_flow *f = o->flow;
	unsigned places = f->machine->place_count;
	unsigned *at = ps_memory_zalloc(places, sizeof *at);
	int err = at ? 0 : -ENOMEM;

	for (unsigned i = 0; !err && i < f->output_count; i++)
		err = add(o, at,
			(struct ps_buffer){ .place = f->actors[f->outputs[i].writer].place,
				.output = i,
				.from = PS_NONE,
				.bytes = f->outputs[i].bytes });
	for (unsigned i = 0; !err && i < f->output_count; i++) {
		const struct ps_flow_output *out = &f->outputs[i];

		for (unsigned p = 0; p < places; p++)
			at[p] = PS_NONE;
		at[o->buffers[i].place] = i;
		for (unsigned j = 0; !err && j < out->count; j++)
			err = follow(o, at, out->first + j);
	}
	for (unsigned i = 0; !err && i < f->reader_count; i++)
		feed(o, i);
	ps_memory_free(at);
	return err;
}
