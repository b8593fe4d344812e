/* SPDX-License-Identifier: MIT */
#include "lib/firing/tracing.h"
#include "lib/base/clock.h"
#include "lib/model/type.h"

static struct ps_trace_record record(const struct ps_task *t, enum ps_trace_kind kind, uint64_t begin)
{
	return (struct ps_trace_record){
		.begin = begin, .kind = kind, .actor = t->actor->index % PS_TRACE_ACTORS_MOST
	};
}

static void put_moment(const struct ps_task *t, enum ps_trace_kind kind, uint64_t number, uint64_t value)
{
	struct ps_trace_record r = record(t, kind, ps_clock_ns());

	r.number = number;
	r.value = value;
	ps_trace_put(t->trace, &r);
}

/* A bit for each of so many ports from the first whose window was ended. */
static uint64_t ended_ports(const struct pstk_firing *firing, unsigned first, unsigned most)
{
	unsigned ports = firing->actor->type.port_count;
	uint64_t ended = 0;

	for (unsigned i = 0; i < most && first + i < ports; i++)
		ended |= (uint64_t)(firing->windows[first + i].state == PS_WINDOW_ENDED) << i;
	return ended;
}

static void put_more(const struct pstk_firing *firing, struct ps_trace_record r)
{
	r.kind = PS_TRACE_MORE;
	for (unsigned p = PS_TRACING_FIRST; p < firing->actor->type.port_count; p += PS_TRACING_MORE) {
		r.value = (uint64_t)p << 32 | ended_ports(firing, p, PS_TRACING_MORE);
		ps_trace_put(firing->task->trace, &r);
	}
}

static void put_partial(const struct pstk_firing *firing, struct ps_trace_record r)
{
	r.kind = PS_TRACE_PARTIAL;
	for (unsigned p = 0; p < firing->actor->type.port_count; p++) {
		const struct ps_window *w = &firing->windows[p];
		const struct ps_port *port = &firing->actor->ports[p];

		if (port->reads || w->state != PS_WINDOW_ENDED || w->valid == port->rate)
			continue;
		r.value = (uint64_t)p << 32 | w->valid;
		ps_trace_put(firing->task->trace, &r);
	}
}

void ps_tracing_fired(const struct pstk_firing *firing, uint64_t begin, uint64_t end)
{
	struct ps_trace_record r = record(firing->task, PS_TRACE_FIRE, begin);

	ps_trace_took(&r, end - begin);
	r.number = firing->actor->type.kahn ? firing->task->next_index : firing->ran;
	if (!firing->actor->type.kahn) {
		put_partial(firing, r);
		if (firing->actor->type.port_count > PS_TRACING_FIRST)
			put_more(firing, r);
		r.value = ended_ports(firing, 0, PS_TRACING_FIRST);
	}
	if (firing->actor->backend)
		r.value |= PS_TRACING_ENQUEUED;
	ps_trace_put(firing->task->trace, &r);
}

void ps_tracing_dropped(const struct pstk_firing *firing)
{
	put_moment(firing->task, PS_TRACE_DROPPED, firing->ran, 0);
}

void ps_tracing_moves(const struct pstk_firing *firing, unsigned port, uint32_t tokens)
{
	const struct ps_port *p = &firing->actor->ports[port];
	uint64_t windows = p->reads ? ps_counters(p->fifo)->reader.ended : 0;

	/* a reader that has ended early is given no more */
	for (const struct pstk_fifo *f = p->reads ? NULL : p->fifo; f; f = f->next)
		windows = ps_counters(f)->writer.ended > windows ? ps_counters(f)->writer.ended : windows;
	put_moment(firing->task, PS_TRACE_MOVED, windows, (uint64_t)port << 32 | tokens);
}

void ps_tracing_waited(
	const struct ps_task *t, unsigned port, const struct pstk_fifo *f, uint64_t begin, uint64_t ns)
{
	struct ps_trace_record r = record(t, PS_TRACE_WAIT, begin);

	ps_trace_took(&r, ns);
	r.number = port;
	r.value = f ? f->index : 0;
	ps_trace_put(t->trace, &r);
}

void ps_tracing_slept(struct ps_trace *trace, uint64_t begin, uint64_t ns)
{
	struct ps_trace_record r = { .begin = begin, .kind = PS_TRACE_SLEEP };

	ps_trace_took(&r, ns);
	ps_trace_put(trace, &r);
}

void ps_tracing_control(const struct pstk_firing *firing, uint32_t value)
{
	put_moment(firing->task, PS_TRACE_CONTROL, firing->index, value);
}
