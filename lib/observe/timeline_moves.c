/* SPDX-License-Identifier: MIT */
#include "lib/observe/timeline_moves.h"

#include <inttypes.h>

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void write_begin(
	struct ps_timeline_file *f, unsigned number, const struct pstk_move *m, uint64_t begin)
{
	char name[PS_TIMELINE_NAME], from[PS_TIMELINE_NAME], to[PS_TIMELINE_NAME], why[PS_TIMELINE_NAME];

	ps_timeline_event(f,
		"\"ph\":\"b\",\"pid\":1,\"cat\":\"move\",\"id\":\"move %u\",\"ts\":" PS_TIMELINE_TIME
		",\"name\":\"%s: moves\",\"args\":{\"move\":%u,\"from\":\"%s\",\"to\":\"%s\",\"state\":\"%s\""
		",\"wanted\":%" PRIu64 ",\"firing\":%" PRIu64 ",\"in_flight\":%u,\"state_bytes\":%zu"
		",\"text\":\"%s\"}",
		number, PS_TIMELINE_TIME_ARGS(begin - f->timeline->zero),
		ps_timeline_name(pstk_actor_name(m->actor), name), number, ps_timeline_name(m->from, from),
		ps_timeline_name(m->to, to), m->state == PSTK_MOVE_DONE ? "done" : "stayed", m->wanted,
		m->firing, m->in_flight, m->state_bytes, ps_timeline_name(m->text, why));
}

static void write_end(struct ps_timeline_file *f, unsigned number, const struct pstk_move *m, uint64_t end)
{
	char name[PS_TIMELINE_NAME];

	ps_timeline_event(f,
		"\"ph\":\"e\",\"pid\":1,\"cat\":\"move\",\"id\":\"move %u\",\"ts\":" PS_TIMELINE_TIME
		",\"name\":\"%s: moves\"",
		number, PS_TIMELINE_TIME_ARGS(end - f->timeline->zero),
		ps_timeline_name(pstk_actor_name(m->actor), name));
}

/* What lies beyond the edges of the trace is cut off, as of other spans. */
static void write_move(struct ps_timeline_file *f, unsigned number, const struct pstk_move *m)
{
	uint64_t begin = later(m->began_ns, ps_trace_from(f->timeline->trace)),
		 until = ps_trace_until(f->timeline->trace),
		 end = later(m->began_ns, later(m->switched_ns, m->first_ns));

	if (end < begin || begin >= until)
		return;
	write_begin(f, number, m, begin);
	write_end(f, number, m, end < until ? end : until);
}

void ps_timeline_moves(struct ps_timeline_file *f)
{
	struct pstk_move m = PSTK_MOVE();

	for (int i = 0; (i = pstk_network_kept_move(f->net, (unsigned)i)) >= 0; i++)
		if (!pstk_network_move(f->net, (unsigned)i, &m) &&
			(m.state == PSTK_MOVE_DONE || m.state == PSTK_MOVE_STAYED))
			write_move(f, (unsigned)i, &m);
}
