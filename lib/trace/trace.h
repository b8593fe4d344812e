/* SPDX-License-Identifier: MIT */
/*
 * Trace: what the threads of a network do, kept in memory while it runs.
 *
 * All memory is taken before the start, as chunks of records. A thread fills a chunk that no other thread writes, and
 * takes the next one by a count: no lock, and one compare a record. A thread's chunks together are its track.
 *
 * When no chunk is free
 *   first   What comes later is lost: the trace is the beginning of the run.
 *   last    The oldest chunk that no thread is filling is used again: the trace is the end of the run.
 *   Either way the trace is whole between ps_trace_from() and ps_trace_until(): what another thread has kept of
 *   before or after that is left out, so that no thread's part is missing in between.
 *
 * A record is put when what it is of has ended, and counts by that. What lasts longer than the trace is cut at its
 * edge: of each thread the longest of the lost records that reach into it is kept for that.
 */
#ifndef PENSTOCK_TRACE_H
#define PENSTOCK_TRACE_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* took: nanoseconds, up to 34 s; with the bit COARSE 1024 of them each, up to 9.7 hours, and never more. */
enum { PS_TRACE_ACTOR_BITS = 24, PS_TRACE_TOOK_BITS = 35, PS_TRACE_COARSE = 10 };

#define PS_TRACE_ACTORS_MOST (UINT32_C(1) << PS_TRACE_ACTOR_BITS)
#define PS_TRACE_TOOK_MOST ((UINT64_C(1) << PS_TRACE_TOOK_BITS) - 1)

/* What number and value are: lib/firing/tracing.h. */
enum ps_trace_kind {
	PS_TRACE_FIRE,
	PS_TRACE_MORE,
	PS_TRACE_PARTIAL,
	PS_TRACE_DROPPED,
	PS_TRACE_MOVED,
	PS_TRACE_WAIT,
	PS_TRACE_SLEEP,
	PS_TRACE_CONTROL,
	PS_TRACE_KERNEL,
	PS_TRACE_TRANSFER
};

struct ps_trace_record {
	uint64_t begin; /* the clock */
	uint64_t kind : 4, actor : PS_TRACE_ACTOR_BITS, coarse : 1, took : PS_TRACE_TOOK_BITS;
	uint64_t number, value;
};

/* Of PS_TRACE_KERNEL and PS_TRACE_TRANSFER the upper byte of `number` is the place of the actor at whose device the
 * command was (lib/model/place.h); 0: it has one only. */
enum { PS_TRACE_PLACE_SHIFT = 56 };
static inline unsigned ps_trace_place(const struct ps_trace_record *r)
{
	return (unsigned)(r->number >> PS_TRACE_PLACE_SHIFT);
}
static inline uint64_t ps_trace_command(const struct ps_trace_record *r)
{
	return r->number & ((UINT64_C(1) << PS_TRACE_PLACE_SHIFT) - 1);
}

/* Whose track it is. */
enum ps_trace_owner { PS_TRACE_UNKNOWN, PS_TRACE_THREAD_OF, PS_TRACE_MEMBER, PS_TRACE_OTHER };

/* What one thread has put. Its own, until that has ended. */
struct ps_trace_track {
	alignas(64) struct ps_trace_record *next; /* of its chunk .. */
	struct ps_trace_record *end;              /* .. equal: it has none, or it is full */
	struct ps_trace_chunk *chunk;
	uint32_t number;                   /* of the actor, or of the member */
	uint32_t host;                     /* of a joined trace (joined.h): whose */
	pthread_t thread;                  /* whose it is .. */
	_Atomic enum ps_trace_owner owner; /* .. known when this is */
	uint64_t fired;                    /* PS_TRACE_FIRE records, also lost ones */
	struct ps_trace_record cut;        /* with keep_first: of those lost, the one that began first .. */
	bool has_cut;                      /* .. if there is one */
};

struct ps_trace_chunk {
	atomic_bool taken;     /* some thread fills it */
	unsigned track, count; /* of its thread; count: of records, once that has left it */
};

struct ps_trace {
	/* constant after creation */
	uint64_t id; /* of this process: an address may come again */
	bool keep_first;
	unsigned chunk_count, chunk_records, track_count;
	struct ps_trace_record *records; /* of the chunks; then one a track, for what is cut */
	struct ps_trace_chunk *chunks;
	struct ps_trace_track *tracks;

	/* of ps_trace_collect(): each record that counts */
	uint32_t *order;
	uint32_t order_count;

	_Atomic uint64_t turns;   /* chunks taken */
	_Atomic unsigned entered; /* tracks */
	_Atomic uint64_t from, until;
	_Atomic uint64_t unheard; /* firings of threads for which there was no track */
};

/* The tracks for threads that belong to no actor and no team. */
enum { PS_TRACE_OTHERS = 16 };

/* The fewest bytes with which a trace of so many threads can be. */
size_t ps_trace_least(unsigned threads);

/* BUILD. For so many threads, and PS_TRACE_OTHERS more. bytes: all that it takes, the least or more. NULL: out of
 * memory. */
struct ps_trace *ps_trace_create(size_t bytes, unsigned threads, bool keep_first);
void ps_trace_free(struct ps_trace *);

/* A thread begins, and has put nothing yet. */
void ps_trace_enter(struct ps_trace *, enum ps_trace_owner, uint32_t number);

/* What took so long, for a record. */
static inline void ps_trace_took(struct ps_trace_record *r, uint64_t ns)
{
	r->coarse = ns > PS_TRACE_TOOK_MOST;
	if (r->coarse) {
		bool up = r->kind == PS_TRACE_FIRE && ns % (1u << PS_TRACE_COARSE); /* waits lie within it */

		ns = (ns >> PS_TRACE_COARSE) + up;
	}
	r->took = (ns < PS_TRACE_TOOK_MOST ? ns : PS_TRACE_TOOK_MOST) & PS_TRACE_TOOK_MOST;
}

/* When it ended, the clock. */
static inline uint64_t ps_trace_ended(const struct ps_trace_record *r)
{
	return r->begin + ((uint64_t)r->took << (r->coarse ? PS_TRACE_COARSE : 0));
}

/* Of this thread. The slow part of put(): its chunk is full; it has another trace's track, or none. false: lost. */
struct ps_trace_place {
	uint64_t id;
	struct ps_trace_track *track;
};
extern _Thread_local struct ps_trace_place ps_trace_here __attribute__((tls_model("initial-exec")));
bool ps_trace_turn(struct ps_trace *, const struct ps_trace_record *);

/* Any thread. */
static inline void ps_trace_put(struct ps_trace *t, const struct ps_trace_record *r)
{
	struct ps_trace_track *track = ps_trace_here.track;

	if ((ps_trace_here.id != t->id || !track || track->next == track->end) && !ps_trace_turn(t, r))
		return;
	track = ps_trace_here.track;
	track->fired += r->kind == PS_TRACE_FIRE;
	*track->next++ = *r;
}

/*
 * When no thread puts any more.
 */

/* Finds the records that count: t->order. Before the calls below. */
void ps_trace_collect(struct ps_trace *);

/* When the trace is whole, the clock: records count that ended in between. UINT64_MAX: to its end. */
uint64_t ps_trace_from(const struct ps_trace *);
uint64_t ps_trace_until(const struct ps_trace *);

/* Puts t->order in order. compare: as qsort_r()'s, of two records. */
void ps_trace_sort(
	struct ps_trace *, int (*compare)(const struct ps_trace_record *, const struct ps_trace_record *));

/* The n-th of t->order, and the number of its track. */
static inline const struct ps_trace_record *ps_trace_at(const struct ps_trace *t, uint32_t n)
{
	return &t->records[t->order[n]];
}
static inline unsigned ps_trace_track_of(const struct ps_trace *t, uint32_t n)
{
	uint32_t at = t->order[n], cut = t->chunk_count * t->chunk_records;

	return at < cut ? t->chunks[at / t->chunk_records].track : at - cut;
}

/* All firings that were put; and how many of them are not in t->order. */
uint64_t ps_trace_fired(const struct ps_trace *);
uint64_t ps_trace_lost(const struct ps_trace *);

#endif
