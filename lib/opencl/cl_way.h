/* SPDX-License-Identifier: MIT */
/*
 * Way: how windows get from the writer's place to the reader's, where these have no memory in common.
 *
 *	STAGED    device --hop 0--> host              or  host --hop 0--> device
 *	RELAYED   device --hop 0--> host --hop 1--> device of another context
 *
 * FIFOs of one output may use one way (placement.h says which). It has the hops and places of all of them, each once:
 *
 *	device --hop 0--> host --hop 1--> device      or  host --hop 0--> device
 *	                       --hop 2--> another                 --hop 1--> another
 *
 * Any place may have several readers; those at a writer's device have FIFOs without a way (`home`), and so have those
 * on the cores beside a writer there (ps_fifo_borrow()).
 *
 * Each place has windows of its own. A hop moves write n as soon as the write is at the place behind it and the place
 * in front of it is free for it: all readers there have given back what it replaces, and all hops have taken it away.
 * Readers that have ended don't count, nor hops without readers. So a transfer waits for none of the actors, and each
 * place may be busy with windows of its own while transfers are on their way.
 *
 * Which thread moves. A hop gets possible when
 *   - the writer hands write n over, or a reader gives a window back: that thread then moves what it can, before it
 *     changes the FIFO's counters (ps_cl_way_written(), ps_cl_way_read());
 *   - one of several readers ends: so does its thread (ps_cl_way_closed());
 *   - a transfer of RELAYED is through: commands of two contexts can't wait for each other, so the mover does
 *     (cl_mover.h).
 * All of them hold the way's lock, and enqueue the hops of a FIFO in the order of the writes.
 *
 * What the counters tell the ends. The room of all places admits write n: k windows at the writer's and what the
 * layout says of the reader's place (ps_fifo's room_before). STAGED: the counters admit write n only when a read has
 * been given back that leaves room for write n - k at the reader's place. The thread that gave it back has enqueued
 * that hop before. So the writer finds an event after which its window is free, and need not wait for more. The same
 * holds for the reader: a window that it may take has been enqueued, as long as it holds fewer windows than its place
 * has, which lib/plan/concurrency sees to.
 *
 * Gated ways. RELAYED: between the counters and the hop there is a transfer that must be through. The same is so where
 * a way comes to merged memory (cl_merged.h): there other buffers must have been read; and of several readers: there
 * the others must have read, or one has ended and what it held up is not moved yet. So both ends ask whether their hop
 * has been enqueued, and the thread that has enqueued it notifies them.
 *
 * Several readers. The writer writes each window once, of whichever FIFO; the first one that hands it over moves it. No
 * reader may write where others read, so zeros behind the last tokens come with the transfer.
 *
 * Why they get to their end. Once all transfers are through, reader i has all that is written up to window r + k, for
 * any reader r of its way that has given r windows back, and k windows at r's place. So the network goes on as it would
 * with FIFOs of k windows, and networks of static actors of one rate do that with any k from 1 on.
 *
 * tests/models/way.pml is a model of this, and branch.pml of several readers.
 */
#ifndef PENSTOCK_CL_WAY_H
#define PENSTOCK_CL_WAY_H

#include "lib/base/eventcount.h"
#include "lib/opencl/cl_event.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ps_cl_fifo;

/* of a transfer at most: of a window that lies in several places */
enum { PS_CL_PIECES = 3 };

struct ps_cl_hop {
	struct ps_cl_fifo *of; /* whose queue and memory it uses; constant, as the next one */
	bool up;               /* to a device */
	cl_event *done;        /* by write number mod slots: what moves it; guarded by lock */
	/* What moves its first pieces, PS_CL_PIECES - 1 of them, to tell which has failed; NULL: there is one piece
	 * only. Guarded by lock */
	cl_event *parts;
	_Atomic uint64_t moved; /* so many transfers are enqueued; changed under lock */
	/* Number + 1 of the write for which the mover is notified: when it is here, when the first hop's place is free
	 * of this hop. Guarded by lock */
	uint64_t asked_here, asked_free;
};

/* What start() knows of a way before its first FIFO is there. */
struct ps_cl_way_shape {
	unsigned members;    /* FIFOs */
	uint32_t windows[2]; /* of the writer's place; of the host's behind it */
	uint32_t most;       /* of the places of the readers */
};

struct ps_cl_way {
	pthread_mutex_t lock; /* no other but the serial lock, which is taken before, is held with it */
	/* constant after start, as what follows */
	bool has_lock;
	struct ps_cl_fifo
		*lead; /* has the memory of the writer's place and, if not an only reader's, the host's */
	struct ps_cl_fifo *members; /* all that use it, by next_on_way */
	unsigned left;              /* not destroyed yet; start() and destroy() only */
	bool shared;                /* by several FIFOs */
	struct ps_cl_way_shape shape;
	unsigned slots; /* of events */
	/* down: the first one goes to the host, and the others begin where it ends. Else all of them begin at the
	 * writer */
	struct ps_cl_hop *hops;
	unsigned count;
	bool down;
	struct ps_eventcount *mover; /* of the network; NULL: no hop follows another */

	cl_event *waits; /* of the transfer that is being enqueued; guarded by lock */
	cl_event *made;  /* by write number mod slots: what fills a device writer's window; guarded by lock */
	_Atomic uint64_t written; /* writes handed over; changed under lock */
	uint32_t last;            /* valid tokens of the last one of them; guarded by lock */
	bool stopped;             /* nothing is moved any more: something has failed; guarded by lock */
	atomic_bool failed;       /* the mover's part has, with this fault */
	struct ps_cl_fault fault; /* guarded by lock; constant once failed is set */
};

/* start(). Takes the FIFO to the way of its lead, which it makes if it is the lead: with arrays for as many events as
 * the FIFO has slots. -ENOMEM. */
int ps_cl_way_init(struct ps_cl_fifo *, const struct ps_cl_way_shape *);
void ps_cl_way_fini(struct ps_cl_fifo *);

/* The window of a write, or of a host's reader's read, at the host's place. */
unsigned char *ps_cl_way_host(const struct ps_cl_fifo *, uint64_t n);

/* One of its ends was closed: others need not wait for that reader. */
void ps_cl_way_closed(struct ps_cl_fifo *);

/* The writer's thread, before it publishes: write w is at its place, or will be after this event (NULL: it is).
 * The reader's, before it frees: read j is given back, after this event. 0, or the fault of that side. */
int ps_cl_way_written(struct ps_cl_fifo *, uint64_t w, uint32_t valid, cl_event);
int ps_cl_way_read(struct ps_cl_fifo *, uint64_t j, cl_event);

/* Any thread: moves what merged memory did not let move before. 0, or the fault, which the ends learn, too. */
int ps_cl_way_push(struct ps_cl_fifo *, struct ps_cl_fault *);

/* The mover: moves what can be moved. */
void ps_cl_way_move(struct ps_cl_fifo *);

/* Any thread, the serial lock held, no way's; it has a way. A transfer of it that has failed by itself, not because of
 * what it waited for, fills the fault. */
void ps_cl_way_find_failed(struct ps_cl_fifo *, struct ps_cl_fault *);

/* The transfer that frees the writer's window w (with the serial lock held; once no reader is left, its last one), and
 * the one that brings write w to the reader; NULL: there is nothing to wait for, or none was enqueued. Borrowed, until
 * the end goes on. */
cl_event ps_cl_way_left(struct ps_cl_fifo *, uint64_t w);
cl_event ps_cl_way_brought(struct ps_cl_fifo *, int64_t w);

/* Must its ends ask whether a transfer is enqueued? Of RELAYED, and where it comes to merged memory. */
bool ps_cl_way_is_gated(const struct ps_cl_fifo *);

/* Of a gated way: DONE once the hop is enqueued that frees window w of the writer's place, or that brings write w
 * (below 0: initial tokens) to the reader's. FAILED fills the fault. */
enum ps_cl_event_state ps_cl_way_may_write(struct ps_cl_fifo *, uint64_t w, struct ps_cl_fault *);
enum ps_cl_event_state ps_cl_way_may_read(struct ps_cl_fifo *, int64_t w, struct ps_cl_fault *);

/* Of a gated way: from now on this eventcount is notified, too, whenever a window comes to the reader, or leaves the
 * writer. */
void ps_cl_way_listen(struct ps_cl_fifo *, bool writer, struct ps_eventcount *);

#endif
