/* SPDX-License-Identifier: MIT */
#include "lib/observe/timeline_windows.h"
#include "lib/firing/tracing.h"
#include "lib/model/adopted.h"

static unsigned port_of(const struct ps_trace_record *r)
{
	return (unsigned)(r->value >> 32);
}

static void look_at_dropped(const struct ps_timeline *t)
{
	for (uint32_t n = 0; n < t->trace->order_count; n++) {
		const struct ps_trace_record *r = ps_trace_at(t->trace, n);
		struct ps_timeline_actor *a = &t->actors[r->actor];

		if (r->kind == PS_TRACE_DROPPED && r->number < a->dropped)
			a->dropped = r->number;
	}
}

static void look_at_partial(const struct ps_timeline *t)
{
	for (uint32_t n = 0; n < t->trace->order_count; n++) {
		const struct ps_trace_record *r = ps_trace_at(t->trace, n);
		struct ps_timeline_actor *a = &t->actors[r->actor];

		if (r->kind != PS_TRACE_PARTIAL || r->number >= a->dropped)
			continue;
		a->partial_at = r->number;
		a->partial[port_of(r)] = (uint32_t)r->value;
	}
}

/* A part of a network leaves those out that it doesn't have. */
static void list_fifos(const struct pstk_network *net, const struct ps_timeline *t)
{
	for (unsigned i = net->fifo_count; i-- > 0;) {
		const struct pstk_fifo *f = net->fifos[i],
				       **first = &t->actors[f->src->index].first[f->src_port];

		t->next[i] = *first;
		*first = f;
		t->actors[f->dst->index].first[f->dst_port] = f;
	}
}

bool ps_timeline_has(const struct ps_timeline *t, const struct pstk_fifo *f)
{
	return f->crossing == PS_CROSSES_NOT || (t->joined && ps_adopted_fifo(f)) ||
	       (t->joined && f->crossing == PS_CROSSES_IN && ps_adopted_actor(f->src));
}

void ps_timeline_look_at_ends(const struct pstk_network *net, const struct ps_timeline *t)
{
	for (unsigned i = 0; i < net->actor_count; i++) {
		t->actors[i].dropped = t->actors[i].partial_at = UINT64_MAX;
		for (unsigned p = 0; p < net->actors[i]->type.port_count; p++)
			t->actors[i].partial[p] = UINT32_MAX;
	}
	list_fifos(net, t);
	look_at_dropped(t);
	look_at_partial(t);
}

static bool moves(const struct ps_trace_record *r, const struct pstk_actor *a, unsigned port)
{
	switch (r->kind) {
	case PS_TRACE_FIRE:
		return port < PS_TRACING_FIRST && r->value >> port & 1;
	case PS_TRACE_MORE:
		return port >= port_of(r) && port < port_of(r) + PS_TRACING_MORE &&
		       r->value >> (port - port_of(r)) & 1;
	case PS_TRACE_MOVED:
		return port == port_of(r);
	case PS_TRACE_CONTROL:
		return port == a->control_port;
	default:
		return false;
	}
}

bool ps_timeline_window(const struct pstk_network *net, const struct ps_timeline *t,
	const struct ps_trace_record *r, unsigned port, struct ps_timeline_window *w)
{
	const struct ps_timeline_actor *known = &t->actors[r->actor];
	const struct pstk_actor *a = net->actors[r->actor];
	bool fired = r->kind == PS_TRACE_FIRE || r->kind == PS_TRACE_MORE;

	if (!moves(r, a, port) || (fired && r->number >= known->dropped))
		return false;
	*w = (struct ps_timeline_window){
		.record = r, .actor = a, .port = port, .tokens = a->ports[port].rate
	};
	if (r->kind == PS_TRACE_MOVED)
		w->tokens = (uint32_t)r->value;
	else if (fired && r->number == known->partial_at && known->partial[port] != UINT32_MAX)
		w->tokens = known->partial[port];
	return true;
}

void ps_timeline_each_window(const struct pstk_network *net, const struct ps_timeline *t,
	void (*each)(const struct ps_timeline_window *, void *), void *data)
{
	for (uint32_t n = 0; n < t->trace->order_count; n++) {
		const struct ps_trace_record *r = ps_trace_at(t->trace, n);
		struct ps_timeline_window w;

		if (r->kind > PS_TRACE_CONTROL || r->kind == PS_TRACE_WAIT || r->kind == PS_TRACE_SLEEP)
			continue;
		for (unsigned p = 0; p < net->actors[r->actor]->type.port_count; p++)
			if (ps_timeline_window(net, t, r, p, &w))
				each(&w, data);
	}
}
