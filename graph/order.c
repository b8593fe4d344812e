/* SPDX-License-Identifier: MIT */
#include "graph/order.h"
#include "graph/formats.h"

void ps_order_begin(struct ps_order *o, struct pstk_graph *g)
{
	*o = (struct ps_order){ .rest = g->actors.first, .stuck = g->actors.first };
	o->ready_end = &o->ready;
	o->partly_end = &o->partly;
	for (struct ps_entry *e = g->actors.first; e; e = e->next)
		for (const struct ps_link *l = ps_format_is_wanted(e) ? e->inputs : NULL; l;
			l = l->next_input)
			e->waits += l->from.entry != e;
}

static struct ps_entry *take_ready(struct ps_order *o)
{
	struct ps_entry *e = o->ready;

	if (e && !(o->ready = e->next_ready))
		o->ready_end = &o->ready;
	return e;
}

/* The next one that waits for nothing; the others are passed by. */
static struct ps_entry *take_of_rest(struct ps_order *o)
{
	struct ps_entry *e = o->rest;

	for (; e && e->waits; e = e->next)
		e->passed = true;
	o->rest = e ? e->next : NULL;
	return e;
}

/* Those that are left are in cycles, or behind them. */
static struct ps_entry *take_waiting(struct ps_order *o)
{
	struct ps_entry *e;

	while ((e = o->partly)) {
		if (!(o->partly = e->next_partly))
			o->partly_end = &o->partly;
		if (!e->added)
			return e;
	}
	for (e = o->stuck; e && e->added; e = e->next)
		;
	o->stuck = e;
	return e;
}

struct ps_entry *ps_order_next(struct ps_order *o)
{
	struct ps_entry *e = take_ready(o);

	if (!e)
		e = take_of_rest(o);
	if (!e)
		e = take_waiting(o);
	if (e)
		e->added = true;
	return e;
}

void ps_order_added(struct ps_order *o, const struct ps_entry *writer)
{
	for (const struct ps_link *l = writer->outputs; l; l = l->next_output) {
		struct ps_entry *e = l->to.entry;

		if (e->added || !e->waits)
			continue;
		if (!--e->waits && e->passed) {
			*o->ready_end = e;
			o->ready_end = &e->next_ready;
		} else if (e->waits && !e->partly && ps_format_is_brought(l)) {
			e->partly = true;
			*o->partly_end = e;
			o->partly_end = &e->next_partly;
		}
	}
}
