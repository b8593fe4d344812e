/* SPDX-License-Identifier: MIT */
/*
 * An actor on a device: its queue, its kernel with what it is given, its state, and its own firings in flight, of which
 * there are at most PS_CL_FLYING.
 */
#ifndef PENSTOCK_CL_ACTOR_H
#define PENSTOCK_CL_ACTOR_H

#include "lib/base/eventcount.h"
#include "lib/opencl/cl_event.h"
#include "lib/opencl/cl_fifo.h"
#include "lib/opencl/cl_kernel.h"
#include "lib/opencl/cl_stamp.h"
#include "lib/opencl/cl_trace.h"
#include "lib/opencl/mapping_check.h"

enum { PS_CL_FLYING = 8, PS_CL_EXTRA = 8, PS_CL_NO_PORT = 4096 };

struct ps_guard;

struct ps_cl_actor {
	/* BUILD calls and init() */
	struct ps_cl_arg args[PS_CL_ARGS_MAX];
	unsigned arg_count;
	unsigned dims; /* 0: no work size yet */
	bool of_row;   /* a stage's part in a row (row.h), which has the queue */
	size_t global[3], local[3];
	bool has_local_size;

	const struct ps_cl_device *device; /* constant after start; that it is mapped to, or was */
	char *selector;                    /* as the program named it; constant after start */
	unsigned number; /* among the device places of an actor that moves; constant after start */

	/* constant after start */
	cl_command_queue queue;
	struct ps_cl_kernel kernel;
	bool has_kernel;
	unsigned port_count, control_port; /* which no kernel sees; PS_CL_NO_PORT: none */
	uint32_t *rates;                   /* one a port */
	cl_mem state;                      /* NULL: none */
	size_t state_size;
	bool profile;
	struct ps_cl_stamp stamp;  /* with profile, or traced: around what fire_cl() enqueues */
	struct ps_cl_trace *trace; /* of its firings; NULL: there is none */

	/* owner thread only; start() and wait() before and after */
	struct ps_cl_window *windows; /* one a port, of this firing */
	uint32_t *valids;             /* one a port: tokens of this firing's windows that are data */
	struct ps_cl_window
		*given;         /* one a port: what the kernel's arguments are from the firing before .. */
	uint32_t *given_valids; /* .. of both; arguments stay until they are set again */
	uint32_t steps, given_steps; /* of this firing that have data, and of the one before */
	bool has_given;
	cl_event *waits; /* what this firing waits for: at most two a FIFO */
	unsigned wait_count;
	cl_event entered;            /* fire_cl(): when its windows are there */
	cl_event extra[PS_CL_EXTRA]; /* fire_cl(): events of other queues that belong to the firing */
	unsigned extra_count;
	cl_event flying[PS_CL_FLYING]; /* by firing number; changed under a lock of cl_actor.c's */
	uint64_t fired;                /* changed under the same lock */
	struct ps_guard *guard;        /* guard.h; NULL: its actor is not guarded */
	bool dead; /* of a guarded one: its commands may never end. The thread that fires, then wait()\'s */
	struct ps_cl_actor *next_dead; /* once destroyed */
	bool drains;                   /* the taker waits for all of them, ps_cl_actor_idle() */
	cl_event began[PS_CL_FLYING];  /* with profile, of fire_cl(): when that firing's windows were there */
	bool timed[PS_CL_FLYING];      /* has a profile that was not taken yet */
	_Atomic uint64_t device_ns;    /* of firings that are through, with profile */
	struct ps_eventcount *eventcount; /* notified by nudges, and for flying events */
	struct ps_cl_fault fault;

	/* while its own thread waits for room in flight */
	_Atomic uint64_t waits_since, waited_ns; /* backend.h */
	uint64_t room_began, room_firings;       /* own thread only: of the firing that would be the next */
};

/* BUILD. NULL: out of memory. */
struct ps_cl_actor *ps_cl_actor_create(void);

/* start(), behind init(): gives it the arguments and the work size of another one, if that is another one. */
int ps_cl_actor_configure(struct ps_cl_actor *, const struct ps_cl_actor *from);

/* When nothing of it is in flight, or what is never ends. NULL is allowed. */
void ps_cl_actor_destroy(struct ps_cl_actor *);

/* start(). The queue, which a stage has already, with profiling if it is traced or `profile`, which measures its
 * firings; and room for so many ports, one of which may be a control port, and for events that a firing waits for. */
int ps_cl_actor_open(struct ps_cl_actor *, unsigned ports, unsigned control_port, unsigned waits,
	bool profile, bool traced);

/* start(), after init(): binds the arguments and brings the state to the device. */
int ps_cl_actor_prepare(struct ps_cl_actor *, const void *state, size_t state_size);

/* start(), after that: a launch with the real sizes (windows[].bytes and rates[] are set) on scratch windows and a
 * scratch state, whose end it waits for. So what drivers do at a first launch is done. */
int ps_cl_actor_warm_up(struct ps_cl_actor *);

/* Is there room for one more firing in flight? DONE, PENDING, or FAILED with the fault filled. */
enum ps_cl_event_state ps_cl_actor_room(struct ps_cl_actor *);

/* The last firing's command is through: takes its time, with `profile`. */
void ps_cl_actor_time(struct ps_cl_actor *);

/* Are all of its commands through? So asks a taker that is to move it. */
enum ps_cl_event_state ps_cl_actor_idle(struct ps_cl_actor *);

/* What to wait for when there is no room: not the first firing in the way but one half-way through those in
 * flight, so that the thread that is woken can fire a few times; when it is not idle, the last one. Any thread. Its
 * reference is the caller's. NULL: nothing. */
cl_event ps_cl_actor_busy(const struct ps_cl_actor *);

/* One firing: begin, depend on each window's event, then launch, or what fire_cl() enqueues between enter and leave,
 * flush. depend: an event that has failed already is an error, and nothing is enqueued. *event: borrowed, the firing's
 * own. */
void ps_cl_actor_begin(struct ps_cl_actor *);
int ps_cl_actor_depend(struct ps_cl_actor *, cl_event);
int ps_cl_actor_launch(struct ps_cl_actor *, uint64_t firing, cl_event *event);
int ps_cl_actor_enter(struct ps_cl_actor *);
int ps_cl_actor_leave(struct ps_cl_actor *, uint64_t firing, cl_event *event);
int ps_cl_actor_flush(struct ps_cl_actor *);

/* Any thread, from start() to destroy(). How many of its firings are in flight; runs: has the device begun one of
 * them? */
unsigned ps_cl_actor_flights(const struct ps_cl_actor *, bool *runs);

/* How many of its firings are not through; failed ones fill the fault. When its thread has ended. */
unsigned ps_cl_actor_pending(struct ps_cl_actor *, cl_event *one, struct ps_cl_fault *);

/* wait(), after a failure: flushes what a call that has failed did not. A driver may begin nothing before. */
void ps_cl_actor_flush_rest(const struct ps_cl_actor *);

/* A move: the state from the host, when no command of the actor is in flight. */
int ps_cl_actor_write_state(struct ps_cl_actor *, const void *state);

/* wait(), or a move: the state back to the host. */
int ps_cl_actor_read_state(struct ps_cl_actor *, void *state);

#endif
