/* SPDX-License-Identifier: MIT */
/*
 * FIFO: windows of tokens between one writer and one reader. It knows no actor and no network.
 *
 * A window is started: its memory may be touched. Then it is ended (the writer publishes it, the reader frees it) or
 * given back. Start and end never block; ps_fifo_wait() does. Each side ends its windows in the order in which it has
 * started them.
 *
 * Owner: the actor at an end, and the thread that fires it. A thread of a team is the owner while it has the actor.
 *
 * No wake-up is lost
 *   Counters are atomic: both sides, and any other thread, may read them, and they change without the lock.
 *
 *	waiter, under the lock                 the other side
 *	1. says that it listens                1. publishes, or frees: changes its counter
 *	2. reads the counters                  2. reads whether the waiter listens
 *	3. sleeps if there is no window        3. only if so: takes the lock and signals
 *
 *   These steps are sequentially consistent. If the other side reads that the waiter does not listen, its step 2 came
 *   before the waiter's step 1. So its step 1 came before the waiter's step 2, which sees the change.
 *   An end whose owner never waits (polled: actors of a team) costs the other side a store.
 *
 * Waking late
 *   Waking a thread costs more than a short firing. So a waiter may be patient: the other side leaves it asleep until
 *   it could run half of the depth.
 *   - The thread that leaves it asleep owes it a signal. It pays before it waits itself (ps_fifo_pay()); closing pays
 *     too.
 *   - That thread may block in code of the user before it pays. So a patient waiter sleeps ten milliseconds at most.
 *     Then it says that it is urgent and looks once more, and from then on it is told of every change.
 *   - Not one millisecond: for a time limit before the processor's next tick the kernel sets the timer anew at each
 *     wait, which costs more than is saved.
 *   tests/models/wake.pml is a model of this.
 */
#ifndef PENSTOCK_FIFO_H
#define PENSTOCK_FIFO_H

#include "lib/base/eventcount.h"
#include "lib/fifo/layout.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum ps_fifo_state {
	PS_FIFO_WAIT,  /* nothing yet */
	PS_FIFO_READY, /* a window may be started */
	PS_FIFO_ENDED, /* the other side has closed, no window will come (of a writer's end: writes are
	                  dropped) */
	PS_FIFO_FAILED /* the end's place has failed; only with ops */
};

struct ps_fifo;
struct ps_fifo_end;
struct ps_member;

/*
 * What an end does that is not in plain memory of the host, but at a place, such as a device (cl_fifo.c).
 *
 * The counters say when a window may be started at all. The place may still be busy with it, and has the last word. The
 * owner of the end calls these functions. Windows are numbered from 0 at each end.
 *
 * Plain memory that is merged has such a writer's end, too (merged.h): without the functions that start and end.
 */
struct ps_fifo_ops {
	/* The counters allow the window: READY, WAIT (the place is busy with it) or FAILED. */
	enum ps_fifo_state (*write_peek)(void *place, uint64_t w);
	enum ps_fifo_state (*read_peek)(void *place, uint64_t j);
	/* The place is busy: returns when that may have changed, or when the end's eventcount was notified since
	 * `seen`. */
	void (*wait)(void *place, bool writer, uint64_t n, unsigned seen);
	/*
	 * The owner of this end waits for window n, which the other end's owner has just published or freed. The
	 * eventcount of this end is to be notified when the place is through with that window. The other end's owner
	 * calls
	 *   1. awaited, with the FIFO's lock held: it only looks;
	 *   2. announce, without the lock, with the result of awaited.
	 * An owner that polls its end calls both to have an eventcount of its own notified.
	 */
	void *(*awaited)(void *place, bool writer, uint64_t n);
	void (*announce)(void *place, struct ps_eventcount *, void *awaited);
	/* A host end's window; NULL: see ps_fifo_write_oldest(). read_start() leaves zeros behind the valid tokens. */
	void *(*write_start)(void *place, uint64_t w);
	const void *(*read_start)(void *place, uint64_t j, uint32_t valid);
	/* Before the window is published, or freed. Negative errno: FAILED. */
	int (*write_end)(void *place, uint64_t w, uint32_t valid);
	int (*read_end)(void *place, uint64_t j);
	/* After an end was closed. No lock held. NULL: nothing follows. */
	void (*closed)(void *place);
	/* Any thread. The place is busy with window n: the end whose owner must move first. NULL: it can't be told, or
	 * no actor has to. So where there is no such function. */
	struct ps_fifo_end *(*blocker)(void *place, bool writer, uint64_t n);
};

/* The end at which an actor waits; NULL: it does not wait. */
typedef _Atomic(struct ps_fifo_end *) ps_waits_for;

enum { PS_CACHE_LINE = 64, PS_FIFO_BY = 16 };

/* This thread's number, which it leaves at the windows that it publishes or frees. */
extern _Thread_local unsigned char ps_fifo_by __attribute__((tls_model("initial-exec")));

/* Of which changes of the counters an end's owner is told. */
enum ps_fifo_listens {
	PS_LISTENS_NOT,
	PS_LISTENS_PATIENT, /* when it could run half of the depth */
	PS_LISTENS_URGENT,  /* of every change */
	PS_LISTENS_ALWAYS   /* of every change, without the lock; it never waits at this end */
};

/* One end: what its owner (an actor) knows of the FIFO, and where it is. */
struct ps_fifo_end {
	/*
	 * Changed at each firing: with the counter that stands in front of it, one cache line (struct ps_fifo). Of an
	 * actor with several firings in flight
	 *   taker       is the thread that starts windows;
	 *   publisher   is the thread that publishes or frees them, in order.
	 */
	_Atomic uint64_t started; /* windows started; taker, other threads read it as a hint */
	uint64_t ended;           /* windows ended; publisher */
	/* The other side's counter with which the next window may start, and that counter when it was looked at last.
	 * Taker, other threads read them as a hint. */
	_Atomic int64_t needs, seen;
	size_t at; /* plain memory: bytes from its beginning to the next window to start; taker */

	size_t step;   /* plain memory: bytes from a window to the next one; constant after start */
	uint32_t rate; /* tokens by which the end moves on; constant after start */
	bool owes; /* the other side is patient and was left asleep; publisher, which is the owner's only thread then */
	bool writes; /* constant after build: it is the writer's */
	/* polled: number + 1 of the window for which an eventcount is notified when the place is free; taker */
	uint64_t announced;
	struct ps_fifo *fifo;      /* constant after build */
	struct ps_fifo_end *other; /* constant after build */
	/* Where this end is; NULL: on the host, and the memory is plain. Changed between two firings of its owner,
	 * while no other thread is in a call of this FIFO (ps_fifo_end_put()). */
	const struct ps_fifo_ops *ops;
	void *place; /* what ops know */
	/* constant after start; the publisher does not wake the owner but does its work (ps_launch_help()) */
	bool quiet;

	bool waiting; /* guarded by fifo->lock */
	bool patient; /* guarded by fifo->lock; waiting: may be left asleep */
	bool nudged; /* guarded by fifo->lock: the owner is to look again: something outside this FIFO has changed */
	pthread_cond_t changed; /* with fifo->lock; CLOCK_MONOTONIC */
	/* constant after start; of an end that waits for a place too: notified instead of `changed` */
	struct ps_eventcount *eventcount;
	/* constant after start; of an end that always listens: notified of every change (ps_fifo_listen()) */
	struct ps_eventcount *listener;
	/* constant after start; for the detector: the owner puts this end here before it waits at it. It is cleared
	 * under
	   fifo->lock. So a thread that holds the lock and finds the end here knows that the owner goes on waiting.
	   NULL: the detector does not need it */
	ps_waits_for *waits_for;
	/* guarded by fifo->lock: another end of the same owner, which is nudged once the other side has changed the
	   counters */
	struct ps_fifo_end *relay;
};

/* Which block is at which place. Each firing changes these together; with nine blocks they are one cache line. The
 * taker of the writer's windows changes them. */
struct ps_fifo_blocks {
	size_t bytes;      /* of a window, and a place; constant */
	uint64_t count;    /* of places; constant */
	uint64_t freed;    /* so many windows of places have been read */
	unsigned char *by; /* by block: ps_fifo_by of the thread that used it last, a hint */
	uint32_t at[];     /* by place: its block; constant while the place is not free */
};

/*
 * Cache lines. What both sides read, and no thread changes while the network is busy, comes first. Then each side has a
 * line for all that its firings change: its counter, which the other side reads when it needs a window, and its end.
 */
struct ps_fifo {
	struct ps_layout layout; /* constant after build: of this FIFO by itself, where it is read */
	/* Constant after start: tokens that there is room for besides, at the places that they cross on their way to
	 * the reader's. What is at one of them can't be seen here: the ends' ops have the last word. */
	uint64_t room_before;

	/* Readers of one output that share memory: the list begins with its owner. Constant after start. */
	struct ps_fifo *owner;  /* itself where it shares nothing */
	struct ps_fifo *sharer; /* the next one that uses owner's memory */
	/* Constant after start: owner's memory is that of other outputs, too (merged.h). NULL: it is not */
	struct ps_member *merged;
	/* the owner's; constant after start; slots belong to the side that holds their window */
	unsigned char *memory;
	size_t alignment; /* constant after start: windows begin at its multiples (ps_fifo_align()); 0: anywhere */
	size_t ring;      /* constant after start: bytes until windows begin at its front again .. */
	bool margin;      /* .. behind them some of its tokens have a second place .. */
	bool alone;       /* .. and no other reader uses it */
	bool borrowed; /* constant after start: the memory is a place's, which reads it, too (ps_fifo_borrow()) */
	struct ps_fifo_blocks
		*warm; /* the owner's (ps_fifo_keep_warm()); NULL: each block is at its own place */

	/* Constant after start: the owner never waits at this end, it polls: an actor of a team */
	bool writer_polled, reader_polled;
	/* Is that end at a place, as its ops say, or is the memory merged? The end's owner changes it with them. */
	bool writer_away, reader_away;
	/* Must the other side take the lock once it has changed its counter? enum ps_fifo_listens, from waiting,
	 * patient
	   and relay. Changed under lock, read without it */
	atomic_uchar writer_listens, reader_listens;
	atomic_bool closed;   /* the writer has ended; set under lock, or with the last tokens */
	atomic_bool discards; /* the reader has ended; set under lock */

	alignas(PS_CACHE_LINE) _Atomic uint64_t written; /* valid tokens published; changed by the writer */
	/* by window number modulo PS_FIFO_BY: ps_fifo_by of the thread that has published it: a hint in which cache it
	 * is */
	atomic_uchar by[PS_FIFO_BY];
	struct ps_fifo_end writer;
	/* Of merged memory: windows written; the owner's, changed by the writer */
	_Atomic uint64_t put;

	alignas(PS_CACHE_LINE) _Atomic uint64_t
		read; /* tokens taken off, in whole windows; changed by the reader */
	/* by window number modulo PS_FIFO_BY: ps_fifo_by of the thread that has freed it: the same hint for the
	 * writer */
	atomic_uchar read_by[PS_FIFO_BY];
	struct ps_fifo_end reader;
	/* Of merged memory: windows given back; changed by the reader */
	_Atomic uint64_t given;

	/* Constant after start; in the owner's memory: the reader's windows that reach beyond the last token
	 * (layout.h). The taker fills it once the writer has ended. NULL: it needs none. */
	unsigned char *end;
	/* Of an owner only. */
	struct ps_layout shape; /* constant after start: of the memory; layout, or deeper */
	void *allocation;       /* constant after start: what memory lies in .. */
	size_t allocated;       /* .. and its bytes */
	/* constant after start: while the last window is published a later firing may still write to the next one. So
	 * only
	   ps_fifo_write_close() puts zeros there, and closes the FIFO */
	bool closes_late;
	bool sealed; /* the zeros behind the last token are there; only the publisher */
	/* Of a bundle (bundle.h): tokens of the last window that not all of its FIFOs have. The publisher of the
	 * writer's end writes it before the lead is closed; others read it behind that. */
	uint32_t beyond;
	/* .. and tokens of the reader's last window, of a FIFO where it has ended that, while it has left those of
	 * other FIFOs. Written before the reader's end is closed. */
	uint32_t took;

	pthread_mutex_t lock;
	_Atomic uint64_t copied; /* bytes that were copied inside the library */
};

/* Prepares a FIFO whose layout is set; it shares nothing yet. 0, or a negative errno of POSIX's init functions. */
int ps_fifo_init(struct ps_fifo *);
void ps_fifo_fini(struct ps_fifo *);

/* Makes f's reader use the memory of owner, which has the delay tokens of all readers that share it. Before the memory
 * is taken. Both FIFOs have the same writer, which starts and ends the windows of all of them by naming any. Which
 * readers may, and errors: as ps_layout_widen(). */
int ps_fifo_share(struct ps_fifo *f, struct ps_fifo *owner);

/* Takes the memory of an owner and puts in the delay tokens (initial NULL: zeros). The first one of those that are
 * merged takes the memory of all. stagger: the windows begin so many
 * bytes behind the start of a page, rounded down to cache lines. FIFOs that all begin on a page would push each other
 * out of the cache. -ENOMEM. */
int ps_fifo_allocate(struct ps_fifo *, const void *initial, size_t stagger);

/* Before that: an owner of one rate, without delay tokens, gets memory that the caller keeps, its windows one after the
 * other. Transfers may read it, too. */
static inline void ps_fifo_borrow(struct ps_fifo *f, unsigned char *memory)
{
	f->borrowed = true;
	f->memory = memory;
}

/* Before that: windows of an owner of one rate, with whole windows of delay tokens or none, in plain memory that no
 * other FIFO uses, shall begin at multiples of so many bytes. Those behind the end of each are left unused, so there
 * are no spans. */
void ps_fifo_align(struct ps_fifo *, size_t alignment);

/* The bytes from one window to the next of an end of this rate. */
static inline size_t ps_fifo_step(const struct ps_fifo *f, uint32_t rate)
{
	size_t bytes = rate * f->layout.token_size;

	return f->alignment ? (bytes + f->alignment - 1) / f->alignment * f->alignment : bytes;
}

/* Of one with an alignment: the bytes of all its windows. */
static inline size_t ps_fifo_aligned_bytes(const struct ps_fifo *f)
{
	return ps_layout_windows(&f->shape) * ps_fifo_step(f, f->layout.write_rate);
}

/* .. puts the delay tokens into its memory; NULL: zeros. */
void ps_fifo_put_aligned(struct ps_fifo *, const void *initial);

/*
 * Keeps windows in blocks that are warm in a cache. After ps_fifo_allocate(), before any window; for owners of
 * one rate without margin, and no spans. -ENOMEM.
 *
 * Each window shall lie in a block that became free lately and that the writing thread was the last to use; else in
 * that of these blocks which is free longest. So a thread that writes and reads in turn stays within what is in its
 * cache, however deep the FIFO is.
 *
 * The last user of a block is the thread that has read it, not the one that wrote it: some processors give a changed
 * line away when it is read. It is only a hint: readers that are no members of a team don't count; of several readers
 * that are equally far one counts; older windows count for their writer.
 */
int ps_fifo_keep_warm(struct ps_fifo *);

/* Windows of at least so many bytes are kept warm: any cache holds many smaller ones. Only tests change it. */
extern size_t ps_fifo_warm_least;

/* Where the window lies whose place is so many bytes from the memory's beginning. */
static inline size_t ps_fifo_warm_at(const struct ps_fifo *f, size_t at)
{
	return f->warm->at[at / f->warm->bytes] * f->warm->bytes;
}

/* Chooses the block of write w, the next to start. The taker of the writer's windows. */
void ps_fifo_choose_block(struct ps_fifo *owner, uint64_t w);

/* Tells the ends what the layout, and room_before, have become since ps_fifo_init(), before any window. Whatever gives
 * it memory calls this. */
void ps_fifo_settle(struct ps_fifo *);

/* Is a window there? The end's owner. ps_fifo_may() below is the fast form. */
enum ps_fifo_state ps_fifo_peek(const struct ps_fifo_end *);

/* What the counters say of that, without the place. The end's owner; any thread while the owner waits, then too: of a
 * thread that changes the counters and one that has said that it waits one sees the other. */
enum ps_fifo_state ps_fifo_look(const struct ps_fifo_end *);

/* The end whose owner must move, or end, before a window is there: mostly the other one. NULL: a window may be there,
 * or it can't be told. Any thread. */
struct ps_fifo_end *ps_fifo_blocker(const struct ps_fifo_end *);

/* Does any reader of this FIFO's memory still want what is written? */
bool ps_fifo_wanted(const struct ps_fifo *);

/* Could a peek say anything but WAIT? A hint for any thread; in plain memory exact for the owner. */
static inline bool ps_fifo_may_write(const struct ps_fifo *f)
{
	int64_t needs = atomic_load_explicit(&f->writer.needs, memory_order_relaxed);

	return atomic_load_explicit(&f->writer.seen, memory_order_relaxed) >= needs ||
	       (int64_t)atomic_load_explicit(&f->read, memory_order_acquire) >= needs ||
	       atomic_load_explicit(&f->discards, memory_order_acquire);
}

static inline bool ps_fifo_has_whole(const struct ps_fifo *f)
{
	int64_t needs = atomic_load_explicit(&f->reader.needs, memory_order_relaxed);

	return atomic_load_explicit(&f->reader.seen, memory_order_relaxed) >= needs ||
	       (int64_t)atomic_load_explicit(&f->written, memory_order_acquire) >= needs;
}

static inline bool ps_fifo_may_read(const struct ps_fifo *f)
{
	return ps_fifo_has_whole(f) || atomic_load_explicit(&f->closed, memory_order_acquire);
}

static inline bool ps_fifo_may(const struct ps_fifo_end *end)
{
	return end->writes ? ps_fifo_may_write(end->fifo) : ps_fifo_may_read(end->fifo);
}

/* A hint: ps_fifo_by of the thread that has published the last tokens of the window that is to be read next; 0: of no
 * team, or none. */
static inline unsigned char ps_fifo_made_by(const struct ps_fifo *f)
{
	uint64_t j = atomic_load_explicit(&f->reader.started, memory_order_relaxed);
	int64_t w = ps_layout_written_by(&f->layout, j);

	/* no thread has published initial tokens: then those behind them count */
	return atomic_load_explicit(&f->by[(w < 0 ? j : (uint64_t)w) % PS_FIFO_BY], memory_order_relaxed);
}

static inline bool ps_fifo_is_mine(const struct ps_fifo *f)
{
	return ps_fifo_made_by(f) == ps_fifo_by;
}

/* A hint: has this thread published a window that has not been taken yet? */
static inline bool ps_fifo_holds_mine(const struct ps_fifo *f)
{
	int64_t first = ps_layout_written_by(
		&f->layout, atomic_load_explicit(&f->reader.started, memory_order_relaxed));
	uint64_t end = atomic_load_explicit(&f->written, memory_order_relaxed) / f->layout.write_rate;
	uint64_t w = first < 0 ? 0 : (uint64_t)first;

	for (w = w + PS_FIFO_BY < end ? end - PS_FIFO_BY : w; w < end; w++)
		if (atomic_load_explicit(&f->by[w % PS_FIFO_BY], memory_order_relaxed) == ps_fifo_by)
			return true;
	return false;
}

/* Leaves this thread's number at the oldest window that it holds. The publisher of the reader's end, before it frees
 * it. */
static inline void ps_fifo_note_reader(struct ps_fifo *f)
{
	atomic_store_explicit(&f->read_by[f->reader.ended % PS_FIFO_BY], ps_fifo_by, memory_order_relaxed);
}

/* Of a closed FIFO: the valid new tokens of the window that the reader starts next. */
static inline uint32_t ps_fifo_left(const struct ps_fifo *f)
{
	return ps_layout_valid(&f->layout, atomic_load_explicit(&f->reader.started, memory_order_relaxed),
		atomic_load_explicit(&f->written, memory_order_acquire) + f->layout.tail);
}

/* Is it closed, and has the reader started all windows? */
static inline bool ps_fifo_has_ended(const struct ps_fifo *f)
{
	return atomic_load_explicit(&f->closed, memory_order_acquire) && !ps_fifo_left(f);
}

/* Start the next window. The end's owner, after a peek that said READY (a writer's peek: or ENDED). *valid: the tokens
 * that are data; behind them there are zeros. A writer starts, and ends, the window of all readers that share the
 * memory. */
void *ps_fifo_write_start(struct ps_fifo *);
const void *ps_fifo_read_start(struct ps_fifo *, uint32_t *valid);

/* Where the oldest window that was started lies; NULL: it was published already, at a place that another FIFO of the
 * output uses, too. The publisher, of ends that start several windows before they end one. */
void *ps_fifo_write_oldest(struct ps_fifo *);

/* End the oldest window that was started. valid < write rate closes the FIFO. 0; with ops also a negative errno: the
 * place has failed, and nothing was published. */
int ps_fifo_write_end(struct ps_fifo *, uint32_t valid);
int ps_fifo_read_end(struct ps_fifo *);

/* For an end that is not on the host: its windows by number, without their memory. take is a start; publish and release
 * are what an end does once the memory is dealt with. */
uint64_t ps_fifo_write_take(struct ps_fifo *);
uint64_t ps_fifo_read_take(struct ps_fifo *, uint32_t *valid);
void ps_fifo_write_publish(struct ps_fifo *, uint32_t valid);
void ps_fifo_read_release(struct ps_fifo *);

/* Give back all windows that were started and not ended. */
void ps_fifo_write_cancel(struct ps_fifo *);
void ps_fifo_read_cancel(struct ps_fifo *);

/* Has it spans? */
static inline bool ps_fifo_has_spans(const struct ps_fifo *f)
{
	return f->layout.write_rate == 1 && f->layout.read_rate == 1 && !f->layout.history &&
	       !f->layout.tail && !f->alignment;
}

/*
 * Spans, for FIFOs of rate 1 in plain memory: up to `max` windows that lie side by side, from the one that would be
 * started next. The caller then ends as many at once. 0: WAIT or ENDED.
 *
 * A writer's span is that of all readers that share the memory: as many windows as each reader that has not ended has
 * room for. The writer writes it once and ends it for all of them.
 */
uint64_t ps_fifo_write_span(const struct ps_fifo *, uint64_t max, void **first);
uint64_t ps_fifo_read_span(const struct ps_fifo *, uint64_t max, const void **first);
void ps_fifo_write_end_span(struct ps_fifo *, uint64_t windows);
void ps_fifo_read_end_span(struct ps_fifo *, uint64_t windows);

/* Close an end whose owner has ended; windows that are still started are given back. The FIFOs that share memory are
 * closed before anything else is written. */
void ps_fifo_write_close(struct ps_fifo *);
void ps_fifo_read_close(struct ps_fifo *);

/* Puts an end at a place (ops NULL: on the host), between two firings of its owner. No other thread may be in a call of
 * this FIFO: so far start() and destroy() do it. */
void ps_fifo_end_put(struct ps_fifo_end *, const struct ps_fifo_ops *, void *place);

/* From now on the eventcount is notified of each change that the other side makes, without a lock. For an owner that
 * looks at many ends and sleeps on that eventcount, which it reads before it looks. It never waits at this end, and
 * no other thread relays it. An end at a place keeps the eventcount that it has for that. Before any window; not of
 * merged memory. */
void ps_fifo_listen(struct ps_fifo_end *, struct ps_eventcount *);

/* The owner of an end has peeked and found WAIT. If only the end's place is busy, the eventcount will be notified when
 * it no longer is: once for each window. Else nothing follows. */
void ps_fifo_announce(struct ps_fifo_end *, struct ps_eventcount *);

/* Waits until the end's peek is not WAIT, or until a nudge; the caller looks again. The end's owner. */
void ps_fifo_wait(struct ps_fifo_end *);

/* The same, but the other side may leave the waiter asleep for a while. Only for plain memory, and where the other side
 * is a single thread that pays before it waits. */
void ps_fifo_wait_patiently(struct ps_fifo_end *);

/* How long a patient waiter sleeps before it says that it is urgent. Only tests change it. */
extern uint64_t ps_fifo_patience_ns;

/* For so many windows a patient waiter is woken. Where it is one no waiter is patient. */
static inline uint32_t ps_fifo_worth(const struct ps_fifo *f)
{
	return f->layout.depth / 2;
}

/* Wakes the other side if it was left asleep. The end's owner, before it waits anywhere. */
void ps_fifo_pay_debt(struct ps_fifo_end *);
static inline void ps_fifo_pay(struct ps_fifo_end *end)
{
	if (end->owes)
		ps_fifo_pay_debt(end);
}

/* Makes the owner's present or next wait at this end return. Any thread. */
void ps_fifo_nudge(struct ps_fifo_end *);

/* Nudges `other`, an end of the same owner, once the other side of `end` has changed the counters, or at once if it
 * has. Any thread, no lock held. */
void ps_fifo_relay(struct ps_fifo_end *end, struct ps_fifo_end *other);

/* The most tokens that are ever in it, wherever they are. Any thread. (ps_bundle_fill(): those in it now.) */
static inline uint64_t ps_fifo_capacity(const struct ps_fifo *f)
{
	return f->layout.capacity + f->room_before;
}

/* Counts bytes that the library has copied into this FIFO. An end's owner. */
void ps_fifo_count_copy(struct ps_fifo *, size_t bytes);

#endif
