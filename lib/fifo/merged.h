/* SPDX-License-Identifier: MIT */
/*
 * Merged: buffers of one place that a plan has given one memory (lib/mapping/merge.c says which may have one).
 *
 * The memory has K slots, each as large as the largest window. Window n of each member lies in slot n mod K. The
 * members are in the order in which they use a slot in each iteration:
 *
 *	slot 0:  member 0 writes 0, its readers read it; member 1 writes 0, ..; member 0 writes K, ..
 *	slot 1:  member 0 writes 1, ..
 *
 * So before window n of a member is written, that member which used the slot last must have given it back: the nearest
 * one before it has read window n, or, of the first one, the last has read window n - K. A member whose stream has
 * ended before that window is passed over. Once no reader of a member is left, its windows are given back when they are
 * written: they are dropped, but written all the same.
 *
 * A member is one output at one place:
 *   READ     its readers are at that place, too. Given back: each of them has read it
 *   LEAVES   the first place of a way. Given back: the transfer that takes it away
 *   COMES    the last place of a way, which a transfer fills. Given back: its reader has read it
 * On the cores a window that was given back is free. On a device what is counted is enqueued, and events say when it is
 * through (lib/opencl/cl_merged.h).
 *
 * tests/models/merged.pml is a model of this.
 *
 * No wake-up is lost
 *   waiter                                  the thread that gives a window back, or ends a stream
 *   1. says that it waits                   1. counts it
 *   2. looks                                2. asks whether the next member waits, and notifies it. Only where that
 *                                              one has ended it asks the one behind it, too: others wait for that one
 *   These steps are sequentially consistent. A transfer that could not go is moved by the thread that gives back.
 *
 * A waiter is told of writes, too, if it has a thread of its own: from then on it waits for readers, and the detector
 * is to see that (ps_fifo_blocker()).
 */
#ifndef PENSTOCK_MERGED_H
#define PENSTOCK_MERGED_H

#include "lib/fifo/fifo.h"

struct ps_merged;

enum ps_member_kind { PS_MEMBER_READ, PS_MEMBER_LEAVES, PS_MEMBER_COMES };

/* More readers of one output are not merged. */
enum { PS_MEMBER_READERS = 8 };

/* A FIFO of the member's output. */
struct ps_member_fifo {
	struct ps_fifo *fifo;
	const _Atomic uint64_t *given; /* windows that its reader, or the transfer, has given back .. */
	const _Atomic uint64_t *put;   /* .. and those written; once its reader has ended it may be fewer */
	void *place;                   /* a device's part of the FIFO; NULL: plain memory */
};

struct ps_member {
	/* constant after start */
	struct ps_merged *of;
	unsigned index;
	enum ps_member_kind kind;
	struct ps_member_fifo fifos[PS_MEMBER_READERS];
	unsigned count;
	void (*push)(void *place); /* of COMES: enqueues the transfer that has waited; NULL: an actor waits */

	atomic_bool waits;                        /* its writer, or its transfer, waits for another member */
	_Atomic(struct ps_eventcount *) listener; /* of a team that polls it; NULL: none does */
};

/* Constant after start. */
struct ps_merged {
	struct ps_member *members;
	unsigned count;
	uint32_t slots; /* K */
	size_t bytes;   /* of the largest window .. */
	size_t step;    /* .. and from a slot to the next one: such that all tokens are aligned */
	void *memory;   /* of the host; of a device: what its backend keeps. Its owner frees it */
	struct ps_merged *next;
};

/* start(). Adds a FIFO of its output to the member. */
void ps_merged_add(struct ps_member *, struct ps_member_fifo);

/* start(), before its memory is taken: a FIFO in plain memory, which may have sharers, becomes one member. */
void ps_merged_join(struct ps_member *, struct ps_fifo *owner);

/* start(). Windows of others lie between those of f. None of its ends takes the short calls (fifo_quick.h). */
void ps_merged_place(struct ps_fifo *);

/* The member that uses the slot of window n last before this one, and its window there; NULL: none does. */
const struct ps_member *ps_merged_before(const struct ps_member *, uint64_t n, uint64_t *window);

/* May window n be written, that is, have the others given its slot back? If not, it waits from now on. */
bool ps_merged_may_write(struct ps_member *, uint64_t n);

/* The end whose owner must move before window n may be written. NULL: none has to, or it can't be told. Any thread. */
struct ps_fifo_end *ps_merged_blocker(const struct ps_member *, uint64_t n);

/* A window was given back, or a stream has ended, and no lock of a FIFO is held. NULL is allowed. */
void ps_merged_changed(struct ps_member *);

/* A window was written, the same. NULL is allowed. */
void ps_merged_wrote(struct ps_member *);

/* The writer's end of plain memory that is merged; its place is the member. */
extern const struct ps_fifo_ops ps_merged_ops;

#endif
