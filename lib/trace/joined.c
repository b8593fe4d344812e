/* SPDX-License-Identifier: MIT */
#include "lib/trace/joined.h"
#include "lib/base/memory.h"

#include <errno.h>

/* Comes first; then the names of the tracks, the records, and the track of each. */
struct head {
	uint32_t tracks, records;
	uint64_t from, until, fired;
};

static unsigned tracks_of(const struct ps_trace *t)
{
	unsigned entered = atomic_load(&t->entered);

	return entered < t->track_count ? entered : t->track_count;
}

void ps_trace_pack(const struct ps_trace *t, struct ps_bytes *to)
{
	struct head h = { .tracks = tracks_of(t),
		.records = t->order_count,
		.from = ps_trace_from(t),
		.until = ps_trace_until(t),
		.fired = ps_trace_fired(t) };

	ps_bytes_put(to, &h, sizeof h);
	for (uint32_t i = 0; i < h.tracks; i++) {
		struct ps_trace_track_name name = { atomic_load(&t->tracks[i].owner), t->tracks[i].number,
			0 };

		ps_bytes_put(to, &name, sizeof name);
	}
	for (uint32_t i = 0; i < h.records; i++)
		ps_bytes_put(to, ps_trace_at(t, i), sizeof(struct ps_trace_record));
	for (uint32_t i = 0; i < h.records; i++) {
		uint32_t track = ps_trace_track_of(t, i);

		ps_bytes_put(to, &track, sizeof track);
	}
}

void ps_trace_part_free(struct ps_trace_part *p)
{
	if (!p)
		return;
	ps_memory_free(p->tracks);
	ps_memory_free(p->records);
	ps_memory_free(p->track_of);
	ps_memory_free(p);
}

static bool is_good(const struct ps_trace_part *p, uint32_t actors)
{
	for (uint32_t i = 0; i < p->track_count; i++) {
		const struct ps_trace_track_name *t = &p->tracks[i];

		if (t->owner > PS_TRACE_OTHER || (t->owner == PS_TRACE_THREAD_OF && t->number >= actors))
			return false;
	}
	for (uint32_t i = 0; i < p->record_count; i++)
		if (p->track_of[i] >= p->track_count || p->records[i].actor >= actors ||
			p->records[i].kind > PS_TRACE_TRANSFER)
			return false;
	return true;
}

/* 0 and UINT64_MAX are no times. */
static uint64_t shifted(uint64_t time, int64_t ahead)
{
	return !time || time == UINT64_MAX ? time : time - (uint64_t)ahead;
}

static struct ps_trace_part *make_part(const struct head *h)
{
	struct ps_trace_part *p = ps_memory_zalloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->track_count = h->tracks;
	p->record_count = h->records;
	p->tracks = ps_memory_zalloc(h->tracks, sizeof *p->tracks);
	p->records = ps_memory_zalloc(h->records, sizeof *p->records);
	p->track_of = ps_memory_zalloc(h->records, sizeof *p->track_of);
	if (p->tracks && p->records && p->track_of)
		return p;
	ps_trace_part_free(p);
	return NULL;
}

struct ps_trace_part *ps_trace_take(
	struct ps_bytes_left *from, uint32_t host, int64_t ahead, uint32_t actors, int *err)
{
	struct ps_trace_part *p;
	struct head h;

	*err = -EPROTO;
	if (!ps_bytes_take(from, &h, sizeof h) || h.tracks > from->size / sizeof *p->tracks ||
		h.records > from->size / sizeof *p->records)
		return NULL;
	p = make_part(&h);
	if (!p) {
		*err = -ENOMEM;
		return NULL;
	}
	if (!ps_bytes_take(from, p->tracks, h.tracks * sizeof *p->tracks) ||
		!ps_bytes_take(from, p->records, h.records * sizeof *p->records) ||
		!ps_bytes_take(from, p->track_of, h.records * sizeof *p->track_of) || !is_good(p, actors)) {
		ps_trace_part_free(p);
		return NULL;
	}
	p->from = shifted(h.from, ahead);
	p->until = shifted(h.until, ahead);
	p->fired = h.fired;
	for (uint32_t i = 0; i < h.records; i++)
		p->records[i].begin -= (uint64_t)ahead;
	for (uint32_t i = 0; i < h.tracks; i++)
		p->tracks[i].host = host;
	*err = 0;
	return p;
}

/* A chunk a record: it knows the record's track. */
static void add_record(struct ps_trace *t, const struct ps_trace_record *r, uint32_t track)
{
	t->records[t->order_count] = *r;
	t->chunks[t->order_count].track = track;
	t->chunks[t->order_count].count = 1;
	t->order_count++;
}

static void add_track(struct ps_trace *t, uint32_t owner, uint32_t number, uint32_t host)
{
	struct ps_trace_track *k = &t->tracks[atomic_fetch_add(&t->entered, 1)];

	k->number = number;
	k->host = host;
	atomic_store(&k->owner, (enum ps_trace_owner)owner);
}

static void add_limits(struct ps_trace *t, uint64_t from, uint64_t until, uint64_t fired)
{
	if (from > atomic_load(&t->from))
		atomic_store(&t->from, from);
	if (until < atomic_load(&t->until))
		atomic_store(&t->until, until);
	atomic_fetch_add(&t->unheard, fired);
}

static void add_own(struct ps_trace *t, const struct ps_trace *own, uint32_t host)
{
	unsigned before = atomic_load(&t->entered);

	add_limits(t, ps_trace_from(own), ps_trace_until(own), ps_trace_fired(own));
	for (unsigned i = 0; i < tracks_of(own); i++)
		add_track(t, atomic_load(&own->tracks[i].owner), own->tracks[i].number, host);
	for (uint32_t i = 0; i < own->order_count; i++)
		add_record(t, ps_trace_at(own, i), before + ps_trace_track_of(own, i));
}

static void add_part(struct ps_trace *t, const struct ps_trace_part *p)
{
	unsigned before = atomic_load(&t->entered);

	add_limits(t, p->from, p->until, p->fired);
	for (uint32_t i = 0; i < p->track_count; i++)
		add_track(t, p->tracks[i].owner, p->tracks[i].number, p->tracks[i].host);
	for (uint32_t i = 0; i < p->record_count; i++)
		add_record(t, &p->records[i], before + p->track_of[i]);
}

struct ps_trace *ps_trace_join(const struct ps_trace *own, uint32_t host, const struct ps_trace_part *parts)
{
	size_t records = own->order_count, tracks = tracks_of(own);
	struct ps_trace *t = ps_memory_zalloc(1, sizeof *t);

	for (const struct ps_trace_part *p = parts; p; p = p->next) {
		records += p->record_count;
		tracks += p->track_count;
	}
	if (!t)
		return NULL;
	t->keep_first = own->keep_first;
	t->chunk_records = 1;
	t->chunk_count = (unsigned)records;
	t->track_count = (unsigned)tracks;
	t->records = ps_memory_zalloc(records + tracks, sizeof *t->records);
	t->order = ps_memory_zalloc(records + tracks, sizeof *t->order);
	t->chunks = ps_memory_zalloc(records, sizeof *t->chunks);
	t->tracks = ps_memory_zalloc_lines((tracks + 1) * sizeof *t->tracks);
	if (records > UINT32_MAX / 2 || !t->records || !t->order || !t->chunks || !t->tracks) {
		ps_trace_free(t);
		return NULL;
	}
	atomic_store(&t->until, UINT64_MAX);
	add_own(t, own, host);
	for (const struct ps_trace_part *p = parts; p; p = p->next)
		add_part(t, p);
	ps_trace_collect(t);
	return t;
}
