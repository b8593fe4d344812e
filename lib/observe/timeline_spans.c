/* SPDX-License-Identifier: MIT */
#include "lib/observe/timeline_spans.h"
#include "lib/fifo/bundle.h"
#include "lib/firing/tracing.h"
#include "lib/model/adopted.h"
#include "lib/model/graph.h"
#include "lib/model/type.h"
#include "lib/observe/timeline_commands.h"
#include "lib/observe/timeline_windows.h"

#include <inttypes.h>
#include <string.h>

/*
 * Tracks.
 */

/* The one of its actor's threads that it is. */
static unsigned count_before(const struct ps_trace *t, unsigned track)
{
	unsigned before = 0;

	for (unsigned i = 0; i < track; i++)
		before += t->tracks[i].owner == t->tracks[track].owner &&
		          t->tracks[i].number == t->tracks[track].number &&
		          t->tracks[i].host == t->tracks[track].host;
	return before;
}

/* Members first, then the actors' threads in the order of the actors. */
static void write_track(struct ps_timeline_file *f, unsigned track)
{
	const struct ps_trace_track *k = &f->timeline->trace->tracks[track];
	unsigned before = count_before(f->timeline->trace, track), sort = k->number;
	enum ps_trace_owner owner = k->owner;
	char name[PS_TIMELINE_NAME], text[PS_TIMELINE_NAME + 16], host[PS_TIMELINE_HOST];

	ps_timeline_host(f, k->host, host);
	switch (owner) {
	case PS_TRACE_MEMBER:
		snprintf(text, sizeof text, "team thread %u", k->number);
		break;
	case PS_TRACE_THREAD_OF:
		ps_timeline_name(f->net->actors[k->number]->name, name);
		snprintf(text, sizeof text, before ? "%s (%u)" : "%s", name, before + 1);
		sort += PS_ENVIRONMENT_THREADS_MAX;
		break;
	case PS_TRACE_OTHER:
		snprintf(text, sizeof text, "another thread (%u)", before + 1);
		sort = INT32_MAX;
		break;
	case PS_TRACE_UNKNOWN:
		return;
	}
	ps_timeline_event(f,
		"\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s%s\"}",
		track + 1, host, text);
	ps_timeline_event(f,
		"\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%"
		"u}",
		track + 1, sort);
}

/* Has the thread done anything itself? One that waits for the network's end puts the last commands of devices. */
static bool does(const struct ps_trace *t, unsigned track)
{
	for (uint32_t n = 0; n < t->order_count; n++)
		if (ps_trace_track_of(t, n) == track && ps_trace_at(t, n)->kind != PS_TRACE_KERNEL &&
			ps_trace_at(t, n)->kind != PS_TRACE_TRANSFER)
			return true;
	return false;
}

static void write_tracks(struct ps_timeline_file *f)
{
	unsigned entered = atomic_load(&f->timeline->trace->entered);
	char name[PS_TIMELINE_NAME];

	ps_timeline_event(f, "\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}",
		ps_timeline_name(f->net->name, name));
	for (unsigned i = 0; i < entered && !f->err; i++)
		if (f->timeline->trace->tracks[i].owner != PS_TRACE_OTHER || does(f->timeline->trace, i))
			write_track(f, i);
}

/*
 * Spans.
 */

/* "wait-in: now <- gauss", "wait-out: out -> thres" */
static void say_wait(const struct ps_timeline_file *f, const struct ps_trace_record *r,
	char text[2 * PS_TIMELINE_NAME + 16])
{
	const struct pstk_actor *a = f->net->actors[r->actor];
	const struct pstk_fifo *fifo = f->net->fifos[r->value];
	char port[PS_TIMELINE_NAME], other[PS_TIMELINE_NAME];
	bool reads = ps_port_reads(a->type.ports[r->number].kind);

	ps_timeline_name(a->type.ports[r->number].name, port);
	ps_timeline_name(reads ? fifo->src->name : fifo->dst->name, other);
	snprintf(text, 2 * PS_TIMELINE_NAME + 16, "wait-%s: %s %s %s", reads ? "in" : "out", port,
		reads ? "<-" : "->", other);
}

/* begin and length of a span, for PS_SPAN below */
#define PS_SPAN "\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":" PS_TIMELINE_TIME ",\"dur\":" PS_TIMELINE_TIME
#define PS_SPAN_ARGS(track, begin, took) \
	(track) + 1, PS_TIMELINE_TIME_ARGS(begin), PS_TIMELINE_TIME_ARGS(took)

/* It has no length, but it is a span: an arrow ends there. */
static void write_control(struct ps_timeline_file *f, uint32_t n)
{
	const struct ps_trace_record *r = ps_trace_at(f->timeline->trace, n);
	char name[PS_TIMELINE_NAME];

	ps_timeline_event(f,
		PS_SPAN ",\"cat\":\"control\",\"name\":\"%s: control %" PRIu64
			"\",\"args\":{\"token\":%" PRIu64 "}",
		PS_SPAN_ARGS(
			ps_trace_track_of(f->timeline->trace, n), r->begin - f->timeline->zero, UINT64_C(0)),
		ps_timeline_name(f->net->actors[r->actor]->name, name), r->value, r->number);
}

static void write_dropped(struct ps_timeline_file *f, uint32_t n)
{
	const struct ps_trace_record *r = ps_trace_at(f->timeline->trace, n);
	char name[PS_TIMELINE_NAME];

	ps_timeline_event(f,
		"\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":%u,\"ts\":" PS_TIMELINE_TIME
		",\"cat\":\"dropped\",\"name\":\"%s: not published\",\"args\":{\"firing\":%" PRIu64 "}",
		ps_trace_track_of(f->timeline->trace, n) + 1,
		PS_TIMELINE_TIME_ARGS(r->begin - f->timeline->zero),
		ps_timeline_name(f->net->actors[r->actor]->name, name), r->number);
}

static void write_record(struct ps_timeline_file *f, uint32_t n)
{
	const struct ps_trace_record *r = ps_trace_at(f->timeline->trace, n);
	unsigned track = ps_trace_track_of(f->timeline->trace, n);
	uint64_t begin = r->begin - f->timeline->zero, took = ps_trace_ended(r) - r->begin;
	char name[PS_TIMELINE_NAME], wait[2 * PS_TIMELINE_NAME + 16];

	switch (r->kind) {
	case PS_TRACE_FIRE:
		ps_timeline_event(f,
			PS_SPAN ",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{\"firing\":%" PRIu64 "}",
			PS_SPAN_ARGS(track, begin, took), r->value & PS_TRACING_ENQUEUED ? "enqueue" : "fire",
			ps_timeline_name(f->net->actors[r->actor]->name, name), r->number);
		break;
	case PS_TRACE_WAIT:
		if (r->number == PS_NO_PORT)
			snprintf(wait, sizeof wait, "wait: firings in flight");
		else
			say_wait(f, r, wait);
		ps_timeline_event(f, PS_SPAN ",\"cat\":\"wait\",\"name\":\"%s\"",
			PS_SPAN_ARGS(track, begin, took), wait);
		break;
	case PS_TRACE_SLEEP:
		ps_timeline_event(
			f, PS_SPAN ",\"cat\":\"sleep\",\"name\":\"sleep\"", PS_SPAN_ARGS(track, begin, took));
		break;
	case PS_TRACE_CONTROL:
		write_control(f, n);
		break;
	case PS_TRACE_DROPPED:
		write_dropped(f, n);
		break;
	case PS_TRACE_KERNEL:
	case PS_TRACE_TRANSFER:
		ps_timeline_command(f, r);
		break;
	default:
		break;
	}
}

static int by_begin(const struct ps_trace_record *a, const struct ps_trace_record *b)
{
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	/* the outer one first */
	return (ps_trace_ended(a) < ps_trace_ended(b)) - (ps_trace_ended(a) > ps_trace_ended(b));
}

void ps_timeline_spans(struct ps_timeline_file *f)
{
	struct ps_trace *t = f->timeline->trace;

	write_tracks(f);
	ps_timeline_queues(f);
	ps_trace_sort(t, by_begin);
	for (uint32_t n = 0; n < t->order_count && !f->err; n++)
		write_record(f, n);
}

/*
 * Fills.
 */

static void write_fill(struct ps_timeline_file *f, const struct pstk_fifo *fifo, uint64_t when)
{
	int64_t fill = f->timeline->fills[fifo->index].tokens;
	char out[PS_TIMELINE_NAME], out_port[PS_TIMELINE_NAME], in[PS_TIMELINE_NAME],
		in_port[PS_TIMELINE_NAME];

	if (!ps_timeline_has(f->timeline, fifo)) /* no record says what the owner of its away end does */
		return;
	ps_timeline_event(f,
		"\"ph\":\"C\",\"pid\":1,\"ts\":" PS_TIMELINE_TIME
		",\"cat\":\"fill\",\"name\":\"%s.%s -> %s.%s\",\"args\":{\"tokens\":%" PRId64 "}",
		PS_TIMELINE_TIME_ARGS(when), ps_timeline_name(fifo->src->name, out),
		ps_timeline_name(fifo->src->type.ports[fifo->src_port].name, out_port),
		ps_timeline_name(fifo->dst->name, in),
		ps_timeline_name(fifo->dst->type.ports[fifo->dst_port].name, in_port), fill > 0 ? fill : 0);
}

struct filling {
	struct ps_timeline_file *file;
	bool write; /* else only the sum is made */
};

static void fill(const struct ps_timeline_window *w, void *data)
{
	const struct filling *filling = data;
	struct ps_timeline_file *file = filling->file;
	const struct ps_timeline *t = file->timeline;
	bool reads = w->actor->ports[w->port].reads;

	for (const struct pstk_fifo *f = t->actors[w->actor->index].first[w->port]; f;
		f = reads ? NULL : t->next[f->index]) {
		struct ps_timeline_fill *fill = &t->fills[f->index];
		uint64_t written = w->tokens < fill->unwritten ? w->tokens : fill->unwritten;

		fill->tokens += reads ? -(int64_t)w->tokens : (int64_t)written;
		fill->unwritten -= reads ? 0 : written;
		if (filling->write)
			write_fill(file, f, ps_trace_ended(w->record) - file->timeline->zero);
	}
}

static int by_end(const struct ps_trace_record *a, const struct ps_trace_record *b)
{
	uint64_t x = ps_trace_ended(a), y = ps_trace_ended(b);

	return x < y ? -1 : x > y;
}

static uint64_t written_of(const struct pstk_fifo *f)
{
	const struct ps_adopted_fifo *adopted = ps_adopted_fifo(f);

	return adopted ? adopted->info.written : ps_bundle_written(&f->fifo, ps_counters(f));
}

static uint64_t read_of(const struct pstk_fifo *f)
{
	const struct ps_adopted_fifo *adopted = ps_adopted_fifo(f);

	return adopted ? adopted->info.read : ps_bundle_read(&f->fifo, ps_counters(f));
}

static uint32_t delay_of(const struct pstk_fifo *f)
{
	const struct ps_adopted_fifo *adopted = ps_adopted_fifo(f);

	return adopted ? adopted->info.delay : f->fifo.layout.delay;
}

/* Tokens that the writer has given to some reader of this output, and not to this one, which had ended. */
static uint64_t ungiven(const struct ps_timeline *t, const struct pstk_fifo *fifo)
{
	uint64_t most = 0;

	for (const struct pstk_fifo *f = t->actors[fifo->src->index].first[fifo->src_port]; f;
		f = t->next[f->index]) {
		uint64_t written = written_of(f);

		most = written > most ? written : most;
	}
	return most - written_of(fifo);
}

/* Records before the first one are lost. What is in a FIFO then is what is in it at the end, without what the records
 * say. */
static void begin_late(struct ps_timeline_file *f)
{
	struct filling sum = { .file = f };

	for (unsigned i = 0; i < f->net->fifo_count; i++)
		f->timeline->fills[i] = (struct ps_timeline_fill){ .unwritten = UINT64_MAX };
	ps_timeline_each_window(f->net, f->timeline, fill, &sum);
	for (unsigned i = 0; i < f->net->fifo_count; i++) {
		const struct pstk_fifo *fifo = f->net->fifos[i];
		struct ps_timeline_fill *fill = &f->timeline->fills[i];
		uint64_t written = UINT64_MAX - fill->unwritten, over = ungiven(f->timeline, fifo);
		uint64_t end = delay_of(fifo) + written_of(fifo);

		over = over < written ? over : written;
		fill->tokens = (int64_t)(end - read_of(fifo)) - (fill->tokens - (int64_t)over);
		fill->unwritten = written - over;
	}
}

static void begin_fills(struct ps_timeline_file *f)
{
	uint64_t from = ps_trace_from(f->timeline->trace);

	if (from)
		begin_late(f);
	for (unsigned i = 0; i < f->net->fifo_count; i++) {
		const struct pstk_fifo *fifo = f->net->fifos[i];

		if (!from)
			f->timeline->fills[i] = (struct ps_timeline_fill){ delay_of(fifo), written_of(fifo) };
		write_fill(f, fifo, from ? from - f->timeline->zero : 0);
	}
}

void ps_timeline_fills(struct ps_timeline_file *f)
{
	struct filling filling = { .file = f, .write = true };

	ps_trace_sort(f->timeline->trace, by_end);
	begin_fills(f);
	ps_timeline_each_window(f->net, f->timeline, fill, &filling);
}
