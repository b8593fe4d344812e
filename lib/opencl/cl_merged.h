/* SPDX-License-Identifier: MIT */
/*
 * Merged: buffers of one device that a plan has given one memory (lib/mapping/merge.c says which may have one).
 *
 * The memory has K slots, each as large as the largest window. Window n of each member lies in slot n mod K. The
 * members are in the order in which they use a slot in each iteration:
 *
 *	slot 0:  member 0 writes 0, its readers read it; member 1 writes 0, ..; member 0 writes K, ..
 *	slot 1:  member 0 writes 1, ..
 *
 * So before window n of a member is written, that member which used the slot last must have given it back: the nearest
 * one before it has read window n, or, of the first one, the last has read window n - K. A member whose stream has
 * ended before that window is passed over. What was given back is counted when the command that reads it is enqueued;
 * the write waits for that command on the device. Once no reader of a member is left, its windows are given back when
 * they are written: they are dropped, but the device writes them all the same.
 *
 * A member is one output at one device:
 *   READ     its readers are on the device, too. Given back: each of them has read it
 *   LEAVES   the first place of a way. Given back: the transfer that takes it away is enqueued
 *   COMES    the last place of a way, which a transfer fills. Given back: its reader has read it
 *
 * tests/models/merged.pml is a model of this.
 *
 * No wake-up is lost
 *   waiter                                  the thread that gives a window back
 *   1. says that it waits                   1. counts it
 *   2. looks                                2. asks which members wait, and notifies them
 *   These steps are sequentially consistent. A transfer that could not go is moved by the thread that gives back.
 */
#ifndef PENSTOCK_CL_MERGED_H
#define PENSTOCK_CL_MERGED_H

#include "lib/opencl/cl_device.h"
#include "lib/opencl/cl_event.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ps_cl_fifo;
struct ps_cl_merged;

enum ps_cl_member_kind { PS_CL_READ, PS_CL_LEAVES, PS_CL_COMES };

/* More readers of one output are not merged. */
enum { PS_CL_MERGED_READERS = 8 };

struct ps_cl_member {
	/* constant after start */
	struct ps_cl_merged *of;
	unsigned index;
	enum ps_cl_member_kind kind;
	struct ps_cl_fifo *fifos[PS_CL_MERGED_READERS]; /* of the output */
	unsigned count;

	atomic_bool waits;                        /* its writer, or its transfer, waits for another member */
	_Atomic(struct ps_eventcount *) listener; /* of a team that polls it; NULL: none does */
};

struct ps_cl_merged {
	struct ps_cl_member *members;
	unsigned count;
	uint32_t slots;  /* K */
	size_t bytes;    /* of a slot */
	cl_mem *buffers; /* one a slot */
	struct ps_cl_merged *next;
};

/* start(). Takes the memory, once members, slots and bytes are set. */
int ps_cl_merged_allocate(struct ps_cl_merged *, const struct ps_cl_device *, struct ps_cl_fault *);

/* When none of its FIFOs is left. lost: commands may still touch the memory. */
void ps_cl_merged_free(struct ps_cl_merged *, bool lost);

/* May window n be written, that is, have the others given its slot back? If not, it waits from now on. */
bool ps_cl_merged_may_write(struct ps_cl_member *, uint64_t n);

/* What window n waits for on the device, once it may be written. Returns how many events. Borrowed. */
unsigned ps_cl_merged_waits(const struct ps_cl_member *, uint64_t n, cl_event waits[PS_CL_MERGED_READERS]);

/* A window was given back, or a stream has ended, and nothing is locked. NULL is allowed. */
int ps_cl_merged_changed(struct ps_cl_member *, struct ps_cl_fault *);

#endif
