/* SPDX-License-Identifier: MIT */
/*
 * The part of a FIFO that is not plain host memory: one end at least is a device's.
 *
 * A window on a device carries two events: what fills it (wev, kept by the writer's side) and after what it may be
 * overwritten (rev, kept by the reader's side). Actors on one device hand over by these events alone: the FIFO's
 * counters count what is ENQUEUED at a device's end, what is finished at a host's end. Write w waits, on the device,
 * for rev[w - k], read j for wev[j - q]; the host waits only where it touches memory itself.
 *
 * How the memory is chosen, and what happens at each end:
 *
 * kind     memory                          device writes w          host reads j       host writes w    device reads j
 * BLOCKS   a buffer a block; rho > 0:      after rev[w-k]           -                  -                after wev[j-q]
 *          the writer fills a spare window,
 *          which is copied to both its blocks
 * SVM      one SVM allocation, interior    after rev[w-k], wrap     -                  -                after wev[j-q]
 *          pointers                        copied on the device
 * FINE     one fine-grain SVM allocation   at once (the host has    when wev is done   when rev is done at once
 *                                          finished); wrap as SVM
 * COARSE   an SVM allocation a block;      after rev[w-k] (unmap),  when wev (the map) when rev (the map after wev
 *          rho = 0                         then mapped for the host is done; unmaps    for it) is done;  (unmap)
 *                                                                                      unmaps
 * MAPPED   the same with buffers
 * STAGED   the reader's place: a buffer a  spare window w mod k,    when wev (the      when wev[w-k] is after wev[j-q]
 *          block, or host memory as        after the transfer of    transfer) is done  done
 *          layout.h says; the writer's:    write w-k
 *          k windows. cl_way.h moves them
 * RELAYED  STAGED twice, between two contexts: both ends are a device's, and wait as a host does until the transfer is
 *          enqueued that brings, or frees, their window. STAGED, too, if FIFOs of one output use one way
 *
 * So it is for windows that never overlap (ps_layout_is_simple()). Else the memory is one ring as layout.h says:
 *
 * SVM      the same; copies to the margin follow write w on the device, and what it waits for is wev[w-1], too: a
 *          window of several writes is filled when the last one of them is
 * FINE     the same
 * GATHERED a buffer for the ring, without margin. A device writes a spare window, which is copied into the ring, in one
 *          or two pieces. Read j is copied together from it, into one window of the reader's
 * STAGED   a host's end: host memory as layout.h says, or k windows of a writer. A device's end: as GATHERED
 * RELAYED  as STAGED
 *
 * Write w waits for the read that leaves room for it, read j for the write of its last token.
 *
 * A FIFO with an end that moves from place to place (cl_home.h) is
 *
 * FINE     where all places of both ends are the host and one device that has it
 * HOME     elsewhere: host memory as layout.h says; at each device place of an end windows of its own
 *
 * Its ends both wait as a host does, wherever they are.
 *
 * The slots of both arrays hold a reference each; there are 3 more than windows of either end fit into the ring, so
 * that a slot is not needed any more when it is overwritten. The writer's side changes wev before it publishes, the
 * reader's side rev before it frees: the FIFO's counters order them for the other side.
 */
#ifndef PENSTOCK_CL_FIFO_H
#define PENSTOCK_CL_FIFO_H

#include "lib/opencl/cl_device.h"
#include "lib/opencl/cl_merged.h"
#include "lib/opencl/cl_trace.h"
#include "lib/opencl/cl_way.h"
#include "lib/fifo/fifo.h"
#include "lib/firing/arrival.h"

struct ps_cl_home;

enum ps_cl_kind {
	PS_CL_BLOCKS,
	PS_CL_GATHERED,
	PS_CL_SVM,
	PS_CL_FINE,
	PS_CL_COARSE,
	PS_CL_MAPPED,
	PS_CL_STAGED,
	PS_CL_RELAYED,
	PS_CL_HOME
};

/* A window as a kernel's argument: an SVM pointer, or a buffer. */
struct ps_cl_window {
	void *svm; /* NULL: the buffer */
	cl_mem buffer;
	size_t bytes;
	cl_event after; /* borrowed: what must have happened before the window is touched; NULL: nothing */
};

struct ps_cl_fifo {
	struct ps_fifo *fifo;       /* constant, as all up to the events */
	const struct pstk_fifo *of; /* for messages; NULL: it has no actors, in a test */
	enum ps_cl_kind kind;
	bool overlaps;                              /* the layout is not a simple one */
	const struct ps_cl_device *writer, *reader; /* NULL: the host's end, or one of a FIFO that moves */
	const struct ps_cl_device *device;          /* one at which an end may be */
	struct ps_cl_home *moving;                  /* if one of its ends moves; else NULL */
	const char *on;                             /* a device's selector, or several, for messages */
	cl_context context;                         /* of the memory; RELAYED: of the reader's blocks */
	/* Readers of one output on one device may share memory: that of the owner, the one with delay tokens if there
	 * is one (a FIFO that shares nothing is its own owner). A reader without delay then reads the writer's own
	 * windows (direct). What is behind a partly filled window the writer zeroes, so that no two readers do. */
	struct ps_cl_fifo *owner;
	bool shared, direct;
	/* STAGED, RELAYED: FIFOs of one output may use one way (placement.h). One of them, the lead, has the memory of
	 * all places before the readers'; each owner that of its reader's device */
	struct ps_cl_fifo *lead;
	struct ps_cl_fifo *home;    /* has the memory that the writer writes */
	const struct ps_layout *at; /* of the memory: the owner's */
	cl_command_queue up;        /* of its own: unmaps and transfers to the device; NULL: needs none */
	cl_command_queue down; /* maps and transfers to the host. Two, so that neither waits for the other */
	bool traced;           /* the queues are to have profiling */
	struct ps_cl_trace
		*traces[2];         /* of what comes from the device, and goes there; NULL: there is none */
	struct ps_arrival *arrival; /* of its first window; NULL: cycles aren't counted */
	cl_event arriving;          /* after which that is there; guarded as wev, then wait()'s */
	unsigned slots,
		ring; /* event slots; windows of each place before the reader's, of STAGED and RELAYED */
	struct ps_cl_way *way; /* of these two; NULL: writer and reader use one memory */
	struct ps_cl_fifo *next_on_way;
	unsigned brought_by; /* the hop to its reader's place */
	uint64_t was_read;   /* reads given back; guarded by the way's lock */
	/* Of a gated way: a team's, that polls the reader's end, and the writer's; NULL: none does. Changed under the
	 * way's lock */
	_Atomic(struct ps_eventcount *) listeners[2];
	/* Merged memory: of a buffer that its writer fills (or, of a way, the first place's), and of a way's last
	 * place. NULL: it has memory of its own */
	struct ps_member *written_merged, *brought_merged;
	/* Of merged memory: reads and writes whose commands are enqueued; changed by the reader's, the writer's side */
	_Atomic uint64_t given, put;
	cl_mem *blocks; /* block_count of them; of what overlaps one, the ring */
	unsigned block_count;
	cl_mem *gathered; /* one: where read j is copied together; NULL: it lies in one piece */
	unsigned gathered_count;
	void **pointers; /* COARSE: the allocations; MAPPED: where the blocks are mapped. A block each. As mapped */
	unsigned char *svm; /* SVM, FINE: the allocation */
	cl_mem *spares;     /* ring of them: where a device writes before a copy or transfer */
	unsigned spare_count;
	unsigned char *host; /* STAGED, RELAYED: the host's end, or the middle .. */
	cl_mem locked;       /* .. which lies in page-locked memory of this buffer; NULL: it does not .. */
	void *locked_at;     /* .. mapped here */
	unsigned char *
		scratch; /* COARSE, MAPPED: what a host writes after the reader has ended; NULL: can't happen */
	bool *mapped; /* COARSE, MAPPED, a block each: the host has it, or the command is on its way. Belongs to
	                            the window's owner, as the counters say */
	cl_event *maps; /* .. and the map's event, with a reference of its own */
	cl_event
		zeroed; /* what has put zeros behind the valid tokens of the last window, or has copied a window
			   together; reader's side only */
	cl_event *wev; /* by write number mod slots; changed by the writer's side */
	cl_event *
		rev; /* by read number mod slots; changed by the reader's side. Of a way both are guarded by its lock */
	uint64_t free;   /* a host's write below this has nothing to wait for; writer's side only */
	uint64_t filled; /* a host's read below this is there; reader's side only */
	struct ps_cl_fault write_fault, read_fault; /* of each side, for messages */
	struct ps_cl_fifo *next_lost;               /* once destroyed */
};

/* What fills write w was enqueued, and failed later: where the end finds it, to wait for it. */
cl_event *ps_cl_fifo_kept(struct ps_cl_fifo *, uint64_t w);

/* start(). owner and lead are set. Takes memory, unless it is that of these, which were created before, and puts in the
 * delay tokens (initial NULL: zeros). scratch: the writer may go on when this FIFO's reader has ended. way: used where
 * it has one. 0, or a negative errno with the fault filled; then destroy() it. */
int ps_cl_fifo_create(struct ps_cl_fifo *, const void *initial, bool scratch,
	const struct ps_cl_way_shape *way, struct ps_cl_fault *);

/* After every command is through (ps_cl_fifo_pending()), or never will be: `lost` then keeps the memory that commands
 * may still touch from being freed. */
void ps_cl_fifo_destroy(struct ps_cl_fifo *, bool lost);

/* Write w is there after this event (NULL: it is): does its cycle count? */
static inline void ps_cl_fifo_arrives(struct ps_cl_fifo *c, uint64_t w, cl_event event)
{
	if (!c->arrival || w != c->arrival->first)
		return;
	ps_cl_event_keep(&c->arriving, event);
	ps_cl_event_arrives(event, c->arrival);
}

/* wait(), when no command is in flight any more: the first window is there, though the driver has not called back. */
void ps_cl_fifo_arrived(struct ps_cl_fifo *);

/* How many of its events are not through; failed ones fill the fault. Any thread, when no other touches the FIFO. */
unsigned ps_cl_fifo_pending(struct ps_cl_fifo *, cl_event *one, struct ps_cl_fault *);

/* wait(), when no command is in flight any more: the last transfers' records. */
void ps_cl_fifo_end_traces(struct ps_cl_fifo *);

/* wait(), after a failure: flushes what a call that has failed did not. A driver may begin nothing before. */
void ps_cl_fifo_flush_rest(const struct ps_cl_fifo *);

/* A device's end. Each by the end's owner, with a number from ps_fifo_*_take(); queue: the actor's own, in order.
 *
 * write_window: where write w goes. written: `event` (borrowed) fills it, with `valid` tokens; what must follow on the
 * device is enqueued. read_window: where read j is (zeros behind `valid` tokens are enqueued). was_read: nothing
 * touches it after `event`. 0, or a negative errno with that side's fault filled. */
int ps_cl_fifo_write_window(struct ps_cl_fifo *, uint64_t w, struct ps_cl_window *);
int ps_cl_fifo_written(struct ps_cl_fifo *, uint64_t w, uint32_t valid, cl_command_queue, cl_event);
int ps_cl_fifo_read_window(
	struct ps_cl_fifo *, uint64_t j, uint32_t valid, cl_command_queue, struct ps_cl_window *);
int ps_cl_fifo_was_read(struct ps_cl_fifo *, uint64_t j, cl_event);

/* Of one allocation: has write w tokens that lie in two places? */
static inline bool ps_cl_fifo_wraps(const struct ps_layout *l, uint64_t w)
{
	struct ps_layout_copy copies[2];

	return ps_layout_copies(l, ps_layout_write_slot(l, w), l->write_rate, copies);
}

/* Windows taken off. */
static inline uint64_t ps_cl_fifo_reads(const struct ps_cl_fifo *c)
{
	return atomic_load(&c->fifo->read) / c->fifo->layout.read_rate;
}

/* What a device's write w waits for besides its window's `after`: that of another reader of the same memory.
 * Borrowed. */
cl_event ps_cl_fifo_freed(struct ps_cl_fifo *, uint64_t w);

/* Of windows that overlap: what is to be through before write w, so that it tells of all writes; else NULL.
 * Borrowed. */
cl_event ps_cl_fifo_before(const struct ps_cl_fifo *, uint64_t w);

/* Write w of a FIFO that shares the memory of another, whose write has just been told with ps_cl_fifo_written(). */
int ps_cl_fifo_written_too(struct ps_cl_fifo *, struct ps_cl_fifo *other, uint64_t w, uint32_t valid);

/* Copies the first bytes of one window to another, both of one context, on a queue, after these events; counts them for
 * the FIFO. *event: owned by the caller, also when one of them has failed; not changed if nothing was enqueued. */
int ps_cl_fifo_copy(struct ps_cl_fifo *to, const struct ps_cl_window *dst, const struct ps_cl_window *src,
	size_t bytes, cl_command_queue, cl_uint wait_count, const cl_event *waits, cl_event *event);

/* Does a device's write go to a spare window first, and from there to the two blocks, or into the ring? What is copied
 * to such a FIFO needs no spare window: ps_cl_fifo_spread() makes it write w, once ps_cl_fifo_freed() and these events
 * are through. *event: as above, but NULL where the FIFO has taken it over. */
bool ps_cl_fifo_spreads(const struct ps_cl_fifo *);
int ps_cl_fifo_spread(struct ps_cl_fifo *, uint64_t w, uint32_t valid, const struct ps_cl_window *src,
	cl_command_queue, cl_uint wait_count, const cl_event *waits, cl_event *event);

/* A host's end, and both of RELAYED. */
extern const struct ps_fifo_ops ps_cl_fifo_ops;

#endif
