/* SPDX-License-Identifier: MIT */
/*
 * Of each FIFO, what its writer has written and what its reader has taken off are looked through side by side, in the
 * order of the tokens. Which tokens a window has follows from its number, which is that of the firing. Only where ports
 * are dynamic the firings that have moved a window are counted: from the first one of the run, or back from the last
 * one, as far as the trace has each of them.
 */
#include "lib/observe/timeline_arrows.h"
#include "lib/fifo/bundle.h"
#include "lib/firing/tracing.h"
#include "lib/model/adopted.h"
#include "lib/model/type.h"
#include "lib/observe/timeline_windows.h"

#include <inttypes.h>

/* All firings of an actor, then port by port what it moved otherwise. */
static unsigned group_of(const struct ps_trace_record *r)
{
	if (r->kind == PS_TRACE_FIRE || r->kind == PS_TRACE_MORE)
		return 0;
	return r->kind == PS_TRACE_CONTROL ? 1
	       : r->kind == PS_TRACE_MOVED ? 2 + (unsigned)(r->value >> 32)
	                                   : UINT32_MAX;
}

static int by_number(const struct ps_trace_record *a, const struct ps_trace_record *b)
{
	if (a->actor != b->actor)
		return a->actor < b->actor ? -1 : 1;
	if (group_of(a) != group_of(b))
		return group_of(a) < group_of(b) ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The first place in the order that does not lie before this actor's group. */
static uint32_t find(const struct ps_trace *t, unsigned actor, unsigned group)
{
	uint32_t low = 0, high = t->order_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ps_trace_record *r = ps_trace_at(t, middle);

		if (r->actor < actor || (r->actor == actor && group_of(r) < group))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* An end of a FIFO: a window after the other. */
struct end {
	const struct ps_timeline_file *file;
	const struct pstk_fifo *fifo;
	const struct pstk_actor *actor;
	unsigned port;
	bool counted;     /* its windows' numbers are not the firings' */
	uint32_t at, end; /* in the order: what comes next */
	uint64_t next;    /* counted: the number of the next window */
	/* the present one; tokens are counted from the first that the writer has written */
	uint32_t place;
	struct ps_timeline_window window;
	int64_t from, to;
};

static uint64_t count(const struct end *e, uint32_t from, uint32_t to)
{
	const struct ps_timeline *t = e->file->timeline;
	struct ps_timeline_window w;
	uint64_t windows = 0;

	for (uint32_t n = from; n < to; n++)
		windows += ps_timeline_window(e->file->net, t, ps_trace_at(t->trace, n), e->port, &w);
	return windows;
}

/* Where windows are counted: leaves what lies on the far side of a firing that the trace lacks. */
static void cut_at_gap(struct end *e, bool keep_first)
{
	const struct ps_trace *t = e->file->timeline->trace;
	uint32_t end = e->end;

	for (uint32_t n = e->at + 1; n < end; n++) {
		if (ps_trace_at(t, n)->number <= ps_trace_at(t, n - 1)->number + 1)
			continue;
		if (keep_first) {
			e->end = n;
			return;
		}
		e->at = n;
	}
}

/* Windows that this end of a FIFO has ended; of an output's, those of the reader that was there longest. */
static uint64_t ended(const struct ps_timeline *t, const struct pstk_fifo *fifo, bool writer)
{
	const struct ps_adopted_fifo *adopted = ps_adopted_fifo(fifo);
	uint64_t most = 0;

	if (!writer)
		return adopted ? adopted->ended[1] : ps_bundle_windows_read(&fifo->fifo, ps_counters(fifo));
	for (const struct pstk_fifo *f = t->actors[fifo->src->index].first[fifo->src_port]; f;
		f = t->next[f->index]) {
		uint64_t windows;

		adopted = ps_adopted_fifo(f);
		windows = adopted ? adopted->ended[0] : ps_bundle_windows_written(&f->fifo, ps_counters(f));
		most = windows > most ? windows : most;
	}
	return most;
}

static struct end open_end(const struct ps_timeline_file *f, const struct pstk_fifo *fifo, bool writer)
{
	struct end e = { .file = f,
		.fifo = fifo,
		.actor = writer ? fifo->src : fifo->dst,
		.port = writer ? fifo->src_port : fifo->dst_port };
	const struct ps_trace *t = f->timeline->trace;
	unsigned group = e.actor->type.kahn ? 2 + e.port : e.port == e.actor->control_port;

	e.at = find(t, e.actor->index, group);
	e.end = find(t, e.actor->index, group + 1);
	e.counted = ps_port_is_dynamic(e.actor->type.ports[e.port].kind);
	if (!e.counted)
		return e;
	cut_at_gap(&e, f->timeline->keep_first);
	if (ps_trace_from(t))
		e.next = ended(f->timeline, fifo, writer) - count(&e, e.at, e.end);
	return e;
}

/* At the reader's host: elsewhere the layout is another one. */
struct reading {
	uint64_t first;
	uint32_t rate, write_rate, delay;
};

static struct reading reading_of(const struct pstk_fifo *f)
{
	const struct ps_adopted_fifo *adopted = ps_adopted_fifo(f);
	const struct ps_layout *l = &f->fifo.layout;

	if (adopted)
		return (struct reading){ adopted->first, adopted->info.rate, adopted->info.write_rate,
			adopted->info.delay };
	return (struct reading){ l->first, l->read_rate, l->write_rate, l->delay };
}

/* false: there are no more. */
static bool step(struct end *e)
{
	const struct ps_timeline *t = e->file->timeline;
	struct reading l = reading_of(e->fifo);
	uint64_t number;

	while (e->at < e->end &&
		!ps_timeline_window(e->file->net, t, ps_trace_at(t->trace, e->at), e->port, &e->window))
		e->at++;
	if (e->at == e->end)
		return false;
	e->place = e->at++;
	number = e->counted ? e->next++ : e->window.record->number;
	if (e->actor->ports[e->port].reads)
		e->from = (int64_t)(l.first + number * l.rate) - l.rate - l.delay;
	else
		e->from = (int64_t)(number * l.write_rate);
	e->to = e->from + (int64_t)e->window.tokens;
	return true;
}

static void write_end(struct ps_timeline_file *f, const struct end *e, uint64_t id, bool begins)
{
	const struct ps_trace_record *r = e->window.record;
	uint64_t when = begins ? ps_trace_ended(r) : r->begin;

	/* inside of the firing, to whose track it belongs */
	when -= f->timeline->zero + (begins && when > r->begin);
	ps_timeline_event(f,
		"\"ph\":\"%s,\"pid\":1,\"tid\":%u,\"ts\":" PS_TIMELINE_TIME ",\"id\":%" PRIu64
		",\"cat\":\"window\",\"name\":\"window\"",
		begins ? "s\"" : "f\",\"bp\":\"e\"", ps_trace_track_of(f->timeline->trace, e->place) + 1,
		PS_TIMELINE_TIME_ARGS(when), id);
}

static void write_arrows(struct ps_timeline_file *f, const struct pstk_fifo *fifo, uint64_t *id)
{
	struct end w = open_end(f, fifo, true), r = open_end(f, fifo, false);
	bool more = step(&w) && step(&r);

	while (more && !f->err) {
		int64_t from = w.from > r.from ? w.from : r.from, to = w.to < r.to ? w.to : r.to;

		if (from < to) {
			write_end(f, &w, ++*id, true);
			write_end(f, &r, *id, false);
		}
		more = w.to <= r.to ? step(&w) : step(&r);
	}
}

void ps_timeline_arrows(struct ps_timeline_file *f)
{
	uint64_t id = 0;

	ps_trace_sort(f->timeline->trace, by_number);
	for (unsigned i = 0; i < f->net->fifo_count && !f->err; i++)
		if (ps_timeline_has(f->timeline, f->net->fifos[i]))
			write_arrows(f, f->net->fifos[i], &id);
}
