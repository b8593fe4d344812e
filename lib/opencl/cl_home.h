/* SPDX-License-Identifier: MIT */
/*
 * Home: the memory of a FIFO with an end that moves from place to place (lib/move).
 *
 * The windows lie in one memory that does not depend on where the ends are: fine-grained SVM (FINE), or host memory as
 * layout.h says (HOME). Of HOME an end has windows of its own at each of its device places:
 *
 *	a device writes w    kernel -> the place's window w mod k -> download to the home    wev[w]: the download
 *	a device reads j     upload from the home -> the place's window j mod k -> kernel    rev[j]: the upload
 *	the host             touches the home itself
 *
 * Both ends wait as a host does: for the events of the other side, before their window is taken, whichever place that
 * side has used. So neither asks where the other end is, and what the old place of an actor has still in flight is
 * waited for window by window. No command waits for one of the other end: they may be of two contexts.
 *
 * An end waits for all events of the other side up to the one that it needs. One in-order queue implies the earlier
 * ones, two places don't: of a delay with a remainder read j needs two writes, and of a window with history several.
 *
 * Where no other side waits any more an end waits for its own commands: waits_for_own() in cl_home.c. So does a writer
 * for the commands that copy a window from here to other readers' memory: their place's queue holds back only what is
 * written there.
 *
 * Models of this: tests/models/move.pml; of the copies tests/models/copies.pml.
 */
#ifndef PENSTOCK_CL_HOME_H
#define PENSTOCK_CL_HOME_H

#include "lib/fifo/fifo.h"
#include "lib/opencl/cl_device.h"
#include "lib/opencl/cl_event.h"
#include "lib/opencl/cl_trace.h"

/* What an end has at one of its places. Constant after start, but for `free`. */
struct ps_cl_stage {
	const struct ps_cl_device *device; /* NULL: the host, which has nothing */
	cl_command_queue queue;            /* of transfers; HOME, as what follows */
	cl_mem *windows;
	unsigned count;
	cl_event *free;            /* a window each: after which it may be used again; the end's owner */
	struct ps_cl_trace *trace; /* NULL: nothing is traced */
	cl_event last;             /* of the commands here, in order: the last one; the end's owner */
};

struct ps_cl_side {
	struct ps_cl_stage *stages; /* one a place of the end's owner; constant after start */
	unsigned count;
	unsigned at; /* where the end is; its owner, at a boundary of its own */
};

/* Of a FIFO with an end that moves. Arrays by `writer`: the reader's side, then the writer's. */
struct ps_cl_home {
	struct ps_fifo *fifo;  /* constant after start, as what follows */
	unsigned char *memory; /* HOME: of the host */
	bool in_place;         /* FINE: devices use the memory itself */
	bool traced;           /* the queues are to have profiling */
	char *on;              /* "pocl:cpu:0/1of2 or pocl:cpu:0/2of2", for messages */
	cl_event *wev, *rev;   /* the FIFO's (cl_fifo.h) .. */
	unsigned slots;        /* .. so many */
	struct ps_cl_side sides[2];
	/* So many events of the other side are known to be through; that side's owner only. */
	uint64_t through[2];
	/* In place: of each write the last command that copies it from here to other readers' memory; NULL: none does.
	 * So many of them are known to be through. The writer's. */
	cl_event *copied;
	uint64_t copied_through;
};

/* The bytes of an end's windows at one device place. */
size_t ps_cl_home_bytes(const struct ps_layout *, bool writer);

/* start(). With so many places at each end, for their devices to be put in. NULL: out of memory. */
struct ps_cl_home *ps_cl_home_create(struct ps_fifo *, unsigned reader_places, unsigned writer_places);

/* start(). When the places have their devices: its text. -ENOMEM. */
int ps_cl_home_name(struct ps_cl_home *, struct ps_cl_fault *);

/* start(). Takes the windows at all places. 0, or a negative errno with the fault filled. */
int ps_cl_home_open(struct ps_cl_home *, struct ps_cl_fault *);

/* destroy(). lost: commands may never end, which keeps the windows. NULL is allowed. */
void ps_cl_home_destroy(struct ps_cl_home *, bool lost);

/* A device's end, HOME. Where write w goes, and after which event; it is there once `event` is through: its valid
 * tokens go to the home. *moved: the last download's, kept by wev then; NULL: none was enqueued. 0, or the fault. */
cl_mem ps_cl_home_write_window(const struct ps_cl_home *, uint64_t w, cl_event *after);
int ps_cl_home_written(struct ps_cl_home *, uint64_t w, uint32_t valid, cl_event event, cl_event *moved,
	struct ps_cl_fault *);

/* Where read j is once *after is through, its upload. It is given back after `event`. 0, or the fault. */
int ps_cl_home_read_window(struct ps_cl_home *, uint64_t j, cl_mem *, cl_event *after, struct ps_cl_fault *);
int ps_cl_home_was_read(struct ps_cl_home *, uint64_t j, cl_event event, struct ps_cl_fault *);

/* A device's end, SVM: the last command that touches its window. */
int ps_cl_home_used(struct ps_cl_home *, bool writer, cl_event event, struct ps_cl_fault *);

/* The writer: `event` is the last command that copies write w to other readers' memory. 0, or the fault. */
int ps_cl_home_copied(struct ps_cl_home *, uint64_t w, cl_event event, struct ps_cl_fault *);

/* Write w of a FIFO whose window another reader of the output has: from that buffer to the home, on the writer's queue,
 * after these events. *event: owned by the caller, also after a failure. */
int ps_cl_home_bring(struct ps_cl_home *, uint64_t w, uint32_t valid, cl_mem from, cl_command_queue,
	cl_uint wait_count, const cl_event *waits, cl_event *event, struct ps_cl_fault *);

/* Of both kinds. Waits as a host: is all through that window n of this end needs? FAILED fills the fault. */
enum ps_cl_event_state ps_cl_home_look(struct ps_cl_home *, bool writer, uint64_t n, struct ps_cl_fault *);

/* The first event that window n may still have to wait for. Borrowed, NULL: none. */
cl_event ps_cl_home_awaited(const struct ps_cl_home *, bool writer, uint64_t n);

/* How many of its places' events are not through. */
unsigned ps_cl_home_pending(const struct ps_cl_home *, cl_event *one, struct ps_cl_fault *);

/* wait(): the last transfers' records; after a failure flushes what a call that has failed did not. */
void ps_cl_home_end_traces(struct ps_cl_home *);
void ps_cl_home_flush_rest(const struct ps_cl_home *);

#endif
