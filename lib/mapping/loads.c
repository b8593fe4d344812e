/* SPDX-License-Identifier: MIT */
/*
 * Loads: seconds an iteration. A place has its actors' firings, over its cores; a direction of a link its transfers. Of
 * a half duplex link both directions are one.
 */
#include "lib/mapping/outline.h"
#include "lib/base/memory.h"

#include <errno.h>

/* The loads of all places, then two of each link; busy: which of them have something to do, even if
 * that takes no time. */
static void add_up(const struct ps_outline *o, double *seconds, bool *busy)
{
	const struct pstk_machine *m = o->flow->machine;

	for (unsigned i = 0; i < o->flow->actor_count; i++) {
		const struct ps_flow_actor *a = &o->flow->actors[i];

		seconds[a->place] += a->seconds;
		busy[a->place] = true;
	}
	for (unsigned i = 0; i < m->place_count; i++)
		seconds[i] /= m->places[i].cores;
	for (unsigned i = 0; i < o->buffer_count; i++) {
		const struct ps_buffer *b = &o->buffers[i];
		const struct ps_flow_output *out = &o->flow->outputs[b->output];
		const struct ps_link *l = &m->links[b->link];
		unsigned at;

		if (b->from == PS_NONE)
			continue;
		at = m->place_count + 2 * b->link + (!l->half && ps_buffer_goes_back(o, b));
		seconds[at] += (double)out->windows * ps_link_seconds(l, (double)out->bytes);
		busy[at] = true;
	}
}

int ps_outline_loads(struct ps_outline *o)
{
	const struct pstk_machine *m = o->flow->machine;
	unsigned most = m->place_count + 2 * m->link_count;
	double *seconds = ps_memory_zalloc(most, sizeof *seconds);
	bool *busy = ps_memory_zalloc(most, sizeof *busy);

	o->loads = ps_memory_zalloc(most, sizeof *o->loads);
	o->bottleneck = PS_NONE;
	if (seconds && busy && o->loads) {
		add_up(o, seconds, busy);
		for (unsigned i = 0; i < most; i++) {
			struct ps_load load = { .place = i, .link = PS_NONE, .seconds = seconds[i] };

			if (!busy[i])
				continue;
			if (i >= m->place_count)
				load = (struct ps_load){ .place = PS_NONE,
					.link = (i - m->place_count) / 2,
					.back = (i - m->place_count) % 2,
					.seconds = seconds[i] };
			if (seconds[i] > o->period || o->bottleneck == PS_NONE) {
				o->period = seconds[i];
				o->bottleneck = o->load_count;
			}
			o->loads[o->load_count++] = load;
		}
	}
	ps_memory_free(seconds);
	ps_memory_free(busy);
	return seconds && busy && o->loads ? 0 : -ENOMEM;
}
