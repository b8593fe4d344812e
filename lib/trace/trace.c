/* SPDX-License-Identifier: MIT */
#include "lib/trace/trace.h"
#include "lib/base/memory.h"

#include <stdlib.h>

/* Records of a chunk: a thread that has put one holds a whole chunk, so few where memory is little. */
enum { CHUNK_LEAST = 32, CHUNK_MOST = 2048 };

/* A thread needs a chunk, and one more that another thread of the same trace can take meanwhile. */
enum { CHUNKS_A_TRACK = 2 };

_Thread_local struct ps_trace_place ps_trace_here;

static size_t chunk_bytes(size_t records)
{
	return sizeof(struct ps_trace_chunk) + records * (sizeof(struct ps_trace_record) + sizeof(uint32_t));
}

static size_t tracks_bytes(unsigned threads)
{
	return sizeof(struct ps_trace) +
	       ((size_t)threads + PS_TRACE_OTHERS) *
	               (sizeof(struct ps_trace_track) + sizeof(struct ps_trace_record) + sizeof(uint32_t));
}

size_t ps_trace_least(unsigned threads)
{
	return tracks_bytes(threads) +
	       ((size_t)threads + PS_TRACE_OTHERS) * CHUNKS_A_TRACK * chunk_bytes(CHUNK_LEAST);
}

/* As many records a chunk as leave each track eight, if there is memory. */
static unsigned records_a_chunk(size_t bytes, unsigned tracks)
{
	size_t records = bytes / chunk_bytes(1) / tracks / (4 * CHUNKS_A_TRACK);

	return records < CHUNK_LEAST ? CHUNK_LEAST : records > CHUNK_MOST ? CHUNK_MOST : (unsigned)records;
}

struct ps_trace *ps_trace_create(size_t bytes, unsigned threads, bool keep_first)
{
	static _Atomic uint64_t ids;
	struct ps_trace *t = ps_memory_zalloc(1, sizeof *t);
	size_t chunks;

	if (!t)
		return NULL;
	bytes -= tracks_bytes(threads);
	t->id = atomic_fetch_add(&ids, 1) + 1;
	t->keep_first = keep_first;
	t->track_count = threads + PS_TRACE_OTHERS;
	t->chunk_records = records_a_chunk(bytes, t->track_count);
	chunks = bytes / chunk_bytes(t->chunk_records);
	if (chunks > UINT32_MAX / 2 / t->chunk_records)
		chunks = UINT32_MAX / 2 / t->chunk_records;
	t->chunk_count = (unsigned)chunks;
	t->records = ps_memory_zalloc(chunks * t->chunk_records + t->track_count, sizeof *t->records);
	t->order = ps_memory_zalloc(chunks * t->chunk_records + t->track_count, sizeof *t->order);
	t->chunks = ps_memory_zalloc(chunks, sizeof *t->chunks);
	t->tracks = ps_memory_zalloc_lines(t->track_count * sizeof *t->tracks);
	atomic_store(&t->until, UINT64_MAX);
	if (t->records && t->order && t->chunks && t->tracks)
		return t;
	ps_trace_free(t);
	return NULL;
}

void ps_trace_free(struct ps_trace *t)
{
	if (!t)
		return;
	ps_memory_free(t->records);
	ps_memory_free(t->order);
	ps_memory_free(t->chunks);
	ps_memory_free(t->tracks);
	ps_memory_free(t);
}

void ps_trace_enter(struct ps_trace *t, enum ps_trace_owner owner, uint32_t number)
{
	unsigned n = atomic_load(&t->entered);

	while (n < t->track_count && !atomic_compare_exchange_weak(&t->entered, &n, n + 1))
		;
	ps_trace_here = (struct ps_trace_place){ .id = t->id };
	if (n == t->track_count)
		return;
	ps_trace_here.track = &t->tracks[n];
	ps_trace_here.track->thread = pthread_self();
	ps_trace_here.track->number = number;
	atomic_store(&ps_trace_here.track->owner, owner);
}

/* When the last of a chunk's records has ended, and a little later. A thread's own are in order; those of a device's
 * commands are put when it hears of them. */
static uint64_t after_all(const struct ps_trace *t, const struct ps_trace_chunk *c)
{
	const struct ps_trace_record *records = &t->records[(size_t)(c - t->chunks) * t->chunk_records];
	uint64_t after = 0;

	for (unsigned i = 0; i < c->count; i++) {
		uint64_t end = ps_trace_ended(&records[i]) + (records[i].coarse ? 1u << PS_TRACE_COARSE : 1);

		after = end > after ? end : after;
	}
	return after;
}

/* No record of a chunk that is used again counts, nor what another thread did meanwhile. */
static void forget(struct ps_trace *t, const struct ps_trace_chunk *c)
{
	uint64_t from = atomic_load(&t->from), after = after_all(t, c);

	while (from < after && !atomic_compare_exchange_weak(&t->from, &from, after))
		;
}

/* NULL: there is none any more. */
static struct ps_trace_chunk *take_chunk(struct ps_trace *t)
{
	for (;;) {
		uint64_t turn = atomic_fetch_add(&t->turns, 1);
		struct ps_trace_chunk *c = &t->chunks[turn % t->chunk_count];

		if (turn >= t->chunk_count && t->keep_first)
			return NULL;
		if (atomic_exchange(&c->taken, true))
			continue; /* there are more chunks than tracks */
		if (c->count)
			forget(t, c);
		return c;
	}
}

static void leave_chunk(struct ps_trace *t, struct ps_trace_track *track)
{
	struct ps_trace_chunk *c = track->chunk;

	if (!c)
		return;
	c->count = t->chunk_records;
	track->chunk = NULL;
	atomic_store(&c->taken, false);
}

static void lose(struct ps_trace *t, struct ps_trace_track *track, const struct ps_trace_record *r)
{
	uint64_t until = atomic_load_explicit(&t->until, memory_order_relaxed), ended = ps_trace_ended(r);

	while (ended < until && !atomic_compare_exchange_weak(&t->until, &until, ended))
		;
	track->fired += r->kind == PS_TRACE_FIRE;
	if (r->kind != PS_TRACE_FIRE && r->kind != PS_TRACE_WAIT && r->kind != PS_TRACE_SLEEP)
		return;
	if (!track->has_cut || r->begin < track->cut.begin)
		track->cut = *r;
	track->has_cut = true;
}

/* A thread that belongs to no actor and no team may put into several traces, in turn. */
static void enter_again(struct ps_trace *t)
{
	unsigned entered = atomic_load(&t->entered);

	for (unsigned i = 0; i < entered; i++)
		if (atomic_load(&t->tracks[i].owner) == PS_TRACE_OTHER &&
			pthread_equal(t->tracks[i].thread, pthread_self())) {
			ps_trace_here = (struct ps_trace_place){ .id = t->id, .track = &t->tracks[i] };
			return;
		}
	ps_trace_enter(t, PS_TRACE_OTHER, 0);
}

bool ps_trace_turn(struct ps_trace *t, const struct ps_trace_record *r)
{
	struct ps_trace_track *track;

	if (ps_trace_here.id != t->id)
		enter_again(t);
	track = ps_trace_here.track;
	if (!track) {
		atomic_fetch_add(&t->unheard, r->kind == PS_TRACE_FIRE);
		return false;
	}
	if (track->next != track->end)
		return true;
	leave_chunk(t, track);
	track->chunk = take_chunk(t);
	if (!track->chunk) {
		lose(t, track, r);
		return false;
	}
	track->chunk->track = (unsigned)(track - t->tracks);
	track->next = t->records + (size_t)(track->chunk - t->chunks) * t->chunk_records;
	track->end = track->next + t->chunk_records;
	return true;
}

/* Of chunks that threads have not left: how far they are. */
static void leave_all(struct ps_trace *t)
{
	for (unsigned i = 0; i < t->track_count; i++) {
		struct ps_trace_track *track = &t->tracks[i];
		struct ps_trace_chunk *c = track->chunk;

		if (!c)
			continue;
		c->count = t->chunk_records - (unsigned)(track->end - track->next);
		track->chunk = NULL;
		track->next = track->end = NULL;
	}
}

/* What began before from, or lasts until then: the part that lies in between. */
static void cut(struct ps_trace_record *r, uint64_t from, uint64_t until)
{
	uint64_t ended = ps_trace_ended(r);

	if (r->begin >= from && ended <= until)
		return;
	r->begin = r->begin < from ? from : r->begin;
	ps_trace_took(r, (ended < until ? ended : until) - r->begin);
}

/* Of what was lost at a track's end: it has moved no window within the trace. */
static void collect_cut(struct ps_trace *t, unsigned track)
{
	uint32_t at = t->chunk_count * t->chunk_records + track;
	struct ps_trace_record *r = &t->records[at];
	uint64_t until = ps_trace_until(t);

	if (!t->tracks[track].has_cut || t->tracks[track].cut.begin >= until)
		return;
	*r = t->tracks[track].cut;
	if (r->kind == PS_TRACE_FIRE)
		r->value = 0;
	cut(r, 0, until);
	t->order[t->order_count++] = at;
}

void ps_trace_collect(struct ps_trace *t)
{
	uint64_t from = ps_trace_from(t), until = ps_trace_until(t);

	leave_all(t);
	t->order_count = 0;
	for (unsigned c = 0; c < t->chunk_count; c++)
		for (unsigned i = 0; i < t->chunks[c].count; i++) {
			uint32_t at = c * t->chunk_records + i;
			uint64_t ended = ps_trace_ended(&t->records[at]);

			if (ended < from || ended >= until)
				continue;
			cut(&t->records[at], from, until);
			t->order[t->order_count++] = at;
		}
	for (unsigned i = 0; i < t->track_count; i++)
		collect_cut(t, i);
}

uint64_t ps_trace_from(const struct ps_trace *t)
{
	return atomic_load(&t->from);
}

uint64_t ps_trace_until(const struct ps_trace *t)
{
	return atomic_load(&t->until);
}

struct sorting {
	const struct ps_trace_record *records;
	int (*compare)(const struct ps_trace_record *, const struct ps_trace_record *);
};

static int compare_places(const void *a, const void *b, void *data)
{
	const struct sorting *s = data;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	int order = s->compare(&s->records[i], &s->records[j]);

	return order ? order : (i > j) - (i < j);
}

void ps_trace_sort(
	struct ps_trace *t, int (*compare)(const struct ps_trace_record *, const struct ps_trace_record *))
{
	struct sorting sorting = { t->records, compare };

	qsort_r(t->order, t->order_count, sizeof *t->order, compare_places, &sorting);
}

uint64_t ps_trace_fired(const struct ps_trace *t)
{
	uint64_t fired = atomic_load(&t->unheard);

	for (unsigned i = 0; i < t->track_count; i++)
		fired += t->tracks[i].fired;
	return fired;
}

uint64_t ps_trace_lost(const struct ps_trace *t)
{
	uint64_t kept = 0;

	for (uint32_t n = 0; n < t->order_count; n++)
		kept += ps_trace_at(t, n)->kind == PS_TRACE_FIRE;
	return ps_trace_fired(t) - kept;
}
