/* SPDX-License-Identifier: MIT */
/*
 * FIFO: windows of tokens between one writer and one reader. Knows no actor and no network.
 *
 * A window is started (its memory may be touched), then ended (published, or taken off) or given back. start
 * and end never block; ps_fifo_wait() does. Windows of one side are ended in the order in which they were
 * started.
 *
 * Counters are atomic, so that either side and anybody else may look at them, and change without the lock. What keeps a
 * waiter from losing the wake-up: it says that it listens, then tests, then waits, all under the lock; the other side
 * publishes, then asks whether somebody listens (each in this order for everybody: sequentially consistent), and only if so
 * takes the lock and signals. An end whose owner never waits (polled: actors of a team) costs a store.
 *
 * Waking late. Waking a thread costs more than a short firing, so a waiter may be patient: it is left asleep until it could
 * run half of the depth. Who leaves it owes it a signal, and pays before he waits himself (ps_fifo_pay(); closing pays, too).
 * He may instead be blocked in code that is not ours: so a patient waiter sleeps ten milliseconds at most, then says that it
 * is urgent, looks once more, and is told of every change from then on. tests/models/wake.pml has this. Not one millisecond:
 * a time limit before the processor's next tick has the timer set anew for each wait, and costs more than is saved.
 */
#ifndef PENSTOCK_FIFO_H
#define PENSTOCK_FIFO_H

#include "lib/base/eventcount.h"
#include "lib/fifo/layout.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum ps_fifo_state {
	PS_FIFO_WAIT,  /* nothing yet */
	PS_FIFO_READY, /* a window may be started */
	PS_FIFO_ENDED, /* the other side has closed, no window will come (of a writer's end: writes are
	                  dropped) */
	PS_FIFO_FAILED /* the memory's place has failed; only with ops */
};

struct ps_fifo;

/*
 * What a FIFO does whose memory is not plain memory of the host (cl_fifo.c). The counters say when a window may be
 * started at all; the place, which may be busy with it still, has the last word. Each is called by the owner of
 * that end. Windows are numbered from 0 at each end.
 */
struct ps_fifo_ops {
	/* The counters allow the window: READY, WAIT (the place is busy with it) or FAILED. */
	enum ps_fifo_state (*write_peek)(void *place, uint64_t w);
	enum ps_fifo_state (*read_peek)(void *place, uint64_t j);
	/* The place is busy: returns when that may have changed, or the end's eventcount was rung since `seen`. */
	void (*wait)(void *place, bool writer, uint64_t n, unsigned seen);
	/* The other end's owner has published (or freed) what the owner of this end waits for, window n: its eventcount is to be
	   rung when the place is through with that. Called by the other end's owner: awaited with the FIFO's lock held, it
	   only looks; then announce, without it, with what awaited has returned. Also by the end's owner who looks from
	   time to time, and wants a eventcount of his to be rung. */
	void *(*awaited)(void *place, bool writer, uint64_t n);
	void (*announce)(void *place, struct ps_eventcount *, void *awaited);
	/* A host end's window. read_start() leaves zeros behind the valid tokens. */
	void *(*write_start)(void *place, uint64_t w);
	const void *(*read_start)(void *place, uint64_t j, uint32_t valid);
	/* Before the window is published, or freed. Negative errno: FAILED. */
	int (*write_end)(void *place, uint64_t w, uint32_t valid);
	int (*read_end)(void *place, uint64_t j);
};

struct ps_fifo_end;

/* The end at which an actor waits; NULL: it does not wait. */
typedef _Atomic(struct ps_fifo_end *) ps_waits_for;

enum { PS_CACHE_LINE = 64, PS_FIFO_BY = 16 };

/* A number that this thread leaves at windows which it publishes. */
extern _Thread_local unsigned char ps_fifo_by __attribute__((tls_model("initial-exec")));

/* What an end's owner wants to hear of the counters. */
enum ps_fifo_listens {
	PS_LISTENS_NOT,
	PS_LISTENS_PATIENT, /* as soon as it could run half of the depth */
	PS_LISTENS_URGENT   /* of every change */
};

/* One end: what its owner (an actor) knows of the FIFO. */
struct ps_fifo_end {
	/* The owner's line, changed at each firing */

	/* Windows started: who takes them; others look at it for a hint. Ended: who publishes or frees, in order */
	_Atomic uint64_t started;
	uint64_t ended;
	_Atomic uint64_t
		seen; /* the other side's counter when it was needed last; who takes, others for a hint */
	size_t base,
		at; /* plain memory: the next window to start is at base + at x stride bytes; at: who takes windows */
	bool owes; /* the other side, patient, was left asleep; who publishes or frees, the owner's one thread */
	uint64_t
		announced; /* polled: for this window, number and 1, a eventcount is rung when the place is free; who takes windows */

	char owners_line[PS_CACHE_LINE];
	struct ps_fifo *fifo; /* constant after build */
	bool quiet; /* constant after start; who publishes does not wake the owner but does its work (ps_launch_help()) */

	bool waiting; /* guarded by fifo->lock */
	bool patient; /* guarded by fifo->lock; waiting: may be left asleep */
	bool nudged;  /* guarded by fifo->lock: look again, something outside this FIFO has changed */
	pthread_cond_t changed; /* with fifo->lock; CLOCK_MONOTONIC */
	struct ps_eventcount *
		eventcount; /* constant after start; an end that waits for a place too: rung instead of `changed` */
	/* constant after start; where the owner has put this end before it waits at it, for the detector. Cleared under
	   fifo->lock, so whoever holds the lock and finds the end there knows that its owner stays where it is. NULL:
	   nobody wants to know */
	ps_waits_for *waits_for;
	/* guarded by fifo->lock: another end of the same owner; once the other side has changed the counters, that one is
	   nudged */
	struct ps_fifo_end *relay;
};

/* Which block is at a place; together, because each firing changes them. A line, if there are nine. */
struct ps_fifo_blocks {
	uint64_t freed;    /* so many windows of places have been read; who takes the writer's windows */
	unsigned char *by; /* by block: ps_fifo_by of who has used it last, a hint; as freed */
	uint32_t at[];     /* by place; of free places who takes the writer's windows, of others constant */
};

/*
 * Each counter has a cache line of its own, on which the other side looks while it waits; so has what either side alone
 * changes. What both look at, and nobody changes while the network is busy, comes first.
 */
struct ps_fifo {
	struct ps_layout layout; /* constant after build: this FIFO for itself */

	/* Readers of one output that share memory: the list begins with its owner. Constant after start. */
	struct ps_fifo *owner;  /* itself where nobody shares */
	struct ps_fifo *sharer; /* the next one that uses owner's memory */
	unsigned char *memory; /* the owner's; constant after start; slots belong to who holds their window */
	size_t stride;         /* constant after start: bytes of a window .. */
	uint64_t blocks;       /* .. how many there are in the memory .. */
	bool alone;            /* .. and that it is plain, and no other reader uses it */
	struct ps_fifo_blocks
		*warm; /* the owner's (ps_fifo_keep_warm()); NULL: each block is at its own place */

	const struct ps_fifo_ops *ops; /* constant after start; NULL: memory is all there is .. */
	void *place;                   /* .. else what ops know, and memory is NULL */

	/* Constant after start: the owner never waits here, but looks from time to time (a team's) */
	bool writer_polled, reader_polled;
	/* The other side is to take the lock once it has changed its counter: enum ps_fifo_listens, of waiting, patient
	   and relay. Changed under lock, asked without it */
	atomic_uchar writer_listens, reader_listens;
	atomic_bool closed;   /* the writer has ended; set under lock, or with the last tokens */
	atomic_bool discards; /* the reader has ended; set under lock */

	char writers_line[PS_CACHE_LINE];
	_Atomic uint64_t written; /* valid tokens published; changed by the writer */
	/* by window number modulo PS_FIFO_BY: ps_fifo_by of the thread that has published it; a hint in whose cache it is */
	atomic_uchar by[PS_FIFO_BY];
	char written_line[PS_CACHE_LINE];
	struct ps_fifo_end writer;

	char readers_line[PS_CACHE_LINE];
	_Atomic uint64_t read; /* windows taken off; changed by the reader */
	/* by window number modulo PS_FIFO_BY: ps_fifo_by of the thread that has taken it off; as `by`, but for the writer */
	atomic_uchar read_by[PS_FIFO_BY];
	char read_line[PS_CACHE_LINE];
	struct ps_fifo_end reader;

	char rest_line[PS_CACHE_LINE];
	/* Of an owner only. */
	struct ps_layout shape; /* constant after start: of the memory; layout, or deeper */
	void *allocation;       /* constant after start: what memory lies in .. */
	size_t allocated;       /* .. and its bytes */
	/* constant after start: while the last window is published a firing behind it may still write to the next one. So only
	   ps_fifo_write_close() puts zeros there, and says that it is the end */
	bool closes_late;
	bool sealed; /* who publishes, only: the zeros behind the last token are there */

	pthread_mutex_t lock;
	_Atomic uint64_t copied; /* bytes that were copied inside the library */
};

/* 0, or a negative errno of POSIX's init functions. The layout must be set already: nobody shares it yet. */
int ps_fifo_init(struct ps_fifo *);
void ps_fifo_fini(struct ps_fifo *);

/* Before the memory is taken: f's reader will use owner's, which has the delay tokens of all who share it. Both have one
 * writer, which starts and ends the windows of all of them by naming any. As ps_layout_share(). */
int ps_fifo_share(struct ps_fifo *f, struct ps_fifo *owner);

/* Takes the memory of an owner and puts in the delay tokens (initial NULL: zeros). stagger: how many bytes behind the
 * start of a page the windows begin, rounded down to cache lines: FIFOs that all begin on a page would take each other's
 * place in the cache. -ENOMEM. */
int ps_fifo_allocate(struct ps_fifo *, const void *initial, size_t stagger);

/* After that, before any window: each shall lie in a block that is free since lately and that the writing thread was the last
 * to use, or else in the one of these that is free longest. So a thread that writes and reads in turn stays within what is
 * in its cache, however deep the FIFO is. Who has read a block has used it last, not who wrote it: some processors give a
 * line that was changed away when it is read. That is a hint: readers that are no members of a team don't count, of several
 * that are as far one does, and older windows are their writer's. For owners without rho, and no spans. -ENOMEM. */
int ps_fifo_keep_warm(struct ps_fifo *);

/* Bytes of a window for which that is worth while: of smaller ones there are many in any cache. Only tests change it. */
extern size_t ps_fifo_warm_least;

/* Of write w, the next to start. Who takes the writer's windows. */
void ps_fifo_choose_block(struct ps_fifo *owner, uint64_t w);

enum ps_fifo_state ps_fifo_write_peek(const struct ps_fifo *);
enum ps_fifo_state ps_fifo_read_peek(const struct ps_fifo *);

/* Does any reader of this FIFO's memory still want what is written? */
bool ps_fifo_wanted(const struct ps_fifo *);

/* Could a peek say anything but WAIT? A hint for everybody, of plain memory's FIFOs exact for the owner. */
static inline bool ps_fifo_may_write(const struct ps_fifo *f)
{
	uint64_t w = atomic_load_explicit(&f->writer.started, memory_order_relaxed);

	if (w < atomic_load_explicit(&f->writer.seen, memory_order_relaxed) + f->layout.depth)
		return true;
	return ps_layout_may_write(&f->layout, w, atomic_load_explicit(&f->read, memory_order_acquire)) ||
	       atomic_load_explicit(&f->discards, memory_order_acquire);
}

static inline bool ps_fifo_has_whole(const struct ps_fifo *f)
{
	uint64_t j = atomic_load_explicit(&f->reader.started, memory_order_relaxed);
	uint64_t wants = (j + 1) * f->layout.rate;

	return f->layout.delay + atomic_load_explicit(&f->reader.seen, memory_order_relaxed) >= wants ||
	       f->layout.delay + atomic_load_explicit(&f->written, memory_order_acquire) >= wants;
}

static inline bool ps_fifo_may_read(const struct ps_fifo *f)
{
	return ps_fifo_has_whole(f) || atomic_load_explicit(&f->closed, memory_order_acquire);
}

/* A hint: did this thread publish the window that is to be read next? */
static inline bool ps_fifo_is_mine(const struct ps_fifo *f)
{
	uint64_t j = atomic_load_explicit(&f->reader.started, memory_order_relaxed);

	/* of windows with delay tokens the one that holds most of it, or the one before */
	j -= j < f->layout.q ? j : f->layout.q;
	return atomic_load_explicit(&f->by[j % PS_FIFO_BY], memory_order_relaxed) == ps_fifo_by;
}

/* A hint: has this thread published a window that has not been taken yet? */
static inline bool ps_fifo_holds_mine(const struct ps_fifo *f)
{
	uint64_t j = atomic_load_explicit(&f->reader.started, memory_order_relaxed);
	uint64_t end = atomic_load_explicit(&f->written, memory_order_relaxed) / f->layout.rate;

	j -= j < f->layout.q ? j : f->layout.q; /* the delay tokens' windows were not published by anybody */
	for (j = j + PS_FIFO_BY < end ? end - PS_FIFO_BY : j; j < end; j++)
		if (atomic_load_explicit(&f->by[j % PS_FIFO_BY], memory_order_relaxed) == ps_fifo_by)
			return true;
	return false;
}

/* Who frees: before the oldest window that it holds is free. */
static inline void ps_fifo_note_reader(struct ps_fifo *f)
{
	atomic_store_explicit(&f->read_by[f->reader.ended % PS_FIFO_BY], ps_fifo_by, memory_order_relaxed);
}

/* Is it closed, and all read? Of readers that start several windows: started. */
static inline bool ps_fifo_has_ended(const struct ps_fifo *f)
{
	return atomic_load_explicit(&f->closed, memory_order_acquire) &&
	       !ps_layout_valid(&f->layout, atomic_load_explicit(&f->reader.started, memory_order_relaxed),
		       atomic_load_explicit(&f->written, memory_order_acquire));
}

/* Owner thread of that end, after a peek that said READY (a writer's: or ENDED). *valid: tokens that are
 * data; what lies beyond them is zero. A writer starts (and ends) the window of all who share the memory. */
void *ps_fifo_write_start(struct ps_fifo *);
const void *ps_fifo_read_start(struct ps_fifo *, uint32_t *valid);

/* Who ends windows. Where the oldest window that was started lies; of ends that start several before they end one. */
void *ps_fifo_write_oldest(struct ps_fifo *);

/* Ends the oldest window started. valid < rate closes the FIFO. 0, or with ops a negative errno: the place has failed
 * and nothing was published. */
int ps_fifo_write_end(struct ps_fifo *, uint32_t valid);
int ps_fifo_read_end(struct ps_fifo *);

/* For an end that is no host end: its windows by number, without their memory. take is start, publish and release are
 * what end does once the memory is dealt with. */
uint64_t ps_fifo_write_take(struct ps_fifo *);
uint64_t ps_fifo_read_take(struct ps_fifo *, uint32_t *valid);
void ps_fifo_write_publish(struct ps_fifo *, uint32_t valid);
void ps_fifo_read_release(struct ps_fifo *);

/* Gives back all windows that were started and not ended. */
void ps_fifo_write_cancel(struct ps_fifo *);
void ps_fifo_read_cancel(struct ps_fifo *);

/* For FIFOs of rate 1 in plain memory: up to `max` windows that lie side by side, from the one that would be started
 * next; as many are then ended at once. A writer's span is that of all readers that share the memory: as many windows as
 * each of them that has not ended has room for. It is written once and ended for all of them. 0: WAIT or ENDED. */
uint64_t ps_fifo_write_span(const struct ps_fifo *, uint64_t max, void **first);
uint64_t ps_fifo_read_span(const struct ps_fifo *, uint64_t max, const void **first);
void ps_fifo_write_end_span(struct ps_fifo *, uint64_t windows);
void ps_fifo_read_end_span(struct ps_fifo *, uint64_t windows);

/* The owner of the end has ended; windows still started are given back. All that share memory are closed before anything else
 * is written. */
void ps_fifo_write_close(struct ps_fifo *);
void ps_fifo_read_close(struct ps_fifo *);

/* Owner thread. Returns when the end's peek is not WAIT, or after a nudge (the caller looks again). */
void ps_fifo_wait(struct ps_fifo_end *);

/* The same, but the other side may leave it asleep for a while. Only where that one is a single thread that pays before it
 * waits, and plain memory is between them. */
void ps_fifo_wait_patiently(struct ps_fifo_end *);

/* How long a patient waiter sleeps before it says that it is urgent. Only tests change it. */
extern uint64_t ps_fifo_patience_ns;

/* For how many windows a patient waiter is woken; where it is one nobody is patient. */
static inline uint32_t ps_fifo_worth(const struct ps_fifo *f)
{
	return f->layout.depth / 2;
}

/* Owner thread, before it waits anywhere: wakes the other side if it was left asleep. */
void ps_fifo_pay_debt(struct ps_fifo_end *);
static inline void ps_fifo_pay(struct ps_fifo_end *end)
{
	if (end->owes)
		ps_fifo_pay_debt(end);
}

/* Any thread. Makes the owner's present or next wait at this end return. */
void ps_fifo_nudge(struct ps_fifo_end *);

/* Any thread, no lock held. Once the other side of `end` has changed the counters, or has done so already, `other`, an end
 * of the same owner, is nudged. */
void ps_fifo_relay(struct ps_fifo_end *end, struct ps_fifo_end *other);

/* Any thread. What the counters say to an owner who holds no window of this end, so to one that waits. */
enum ps_fifo_state ps_fifo_look(const struct ps_fifo_end *);

/* Any thread. Tokens in the FIFO at this moment. */
uint64_t ps_fifo_fill(struct ps_fifo *);

/* An end's owner: so many bytes were copied by the library into this FIFO. */
void ps_fifo_count_copy(struct ps_fifo *, size_t bytes);

#endif
