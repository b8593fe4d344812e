/* SPDX-License-Identifier: MIT */
#include "graph/order.h"
#include "graph/formats.h"

static void put_ready(struct ps_order *o, struct ps_entry *e)
{
	*o->ready_end = e;
	o->ready_end = &e->next_ready;
}

void ps_order_begin(struct ps_order *o, struct pstk_graph *g)
{
	*o = (struct ps_order){ .rest = g->actors.first };
	o->ready_end = &o->ready;
	o->partly_end = &o->partly;
	for (struct ps_entry *e = g->actors.first; e; e = e->next) {
		for (const struct ps_link *l = ps_format_is_wanted(e) ? e->inputs : NULL; l;
			l = l->next_input)
			e->waits += l->from.entry != e;
		if (!e->waits)
			put_ready(o, e);
	}
}

struct ps_entry *ps_order_next(struct ps_order *o)
{
	struct ps_entry *e = o->ready;

	if (e && !(o->ready = e->next_ready))
		o->ready_end = &o->ready;
	while (!e && o->partly) {
		e = o->partly->added ? NULL : o->partly;
		if (!(o->partly = o->partly->next_partly))
			o->partly_end = &o->partly;
	}
	while (!e && o->rest) {
		e = o->rest->added ? NULL : o->rest;
		o->rest = o->rest->next;
	}
	if (e)
		e->added = true;
	return e;
}

void ps_order_added(struct ps_order *o, struct ps_entry *writer)
{
	for (const struct ps_link *l = writer->outputs; l; l = l->next_output) {
		struct ps_entry *e = l->to.entry;

		if (e->added || !e->waits)
			continue;
		if (!--e->waits) {
			put_ready(o, e);
		} else if (!e->partly && ps_format_is_brought(l)) {
			e->partly = true;
			*o->partly_end = e;
			o->partly_end = &e->next_partly;
		}
	}
}
