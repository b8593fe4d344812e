/* SPDX-License-Identifier: MIT */
/* A row's parts (row.h): its queue, a buffer for each window of an item, and the commands of the present run. */
#ifndef PENSTOCK_CL_ROW_H
#define PENSTOCK_CL_ROW_H

#include "lib/opencl/cl_actor.h"
#include "lib/opencl/row.h"

enum { PS_ROW_BORDER = PS_STAGES_MAX };

/* A window of the host that the device uses in place. */
struct ps_row_window {
	/* constant after start */
	unsigned char *host;
	size_t bytes;
	cl_mem buffer; /* of that memory; the host has it mapped but in a run */

	bool away; /* a run has enqueued its unmap; the carrier that has the device */
};

/* Windows that one port writes: an output of a stage, or an input that leads into the pipeline. */
struct ps_row_wire {
	/* constant after start */
	unsigned writer;  /* its stage; PS_ROW_BORDER: none */
	unsigned port;    /* of the writer; of the only reader where there is none */
	uint32_t readers; /* stages, as a mask */
	bool leaves;      /* the border reads it */
	size_t token_size, bytes;
	cl_mem buffer;

	/* the carrier that has the device */
	bool there;               /* in this run `now` has the window */
	cl_mem now;               /* the buffer, or the window's own .. */
	struct ps_row_window *at; /* .. of this window; NULL: copied */
	uint64_t up_ns, down_ns;  /* of the latest training that moved it */
};

/* What a command does, for its message. */
enum ps_row_act { PS_ROW_UPLOADS, PS_ROW_DOWNLOADS, PS_ROW_UNMAPS, PS_ROW_MAPS, PS_ROW_CLEARS, PS_ROW_FIRES };

struct ps_row_command {
	cl_event event; /* of a firing: the stage's; else owned */
	enum ps_row_act act;
	unsigned stage, port; /* of all but a firing: the port at the window */
	const void *host;     /* of a transfer, a map or an unmap: the window there, and its bytes */
	size_t bytes;
};

struct ps_row {
	/* constant after start */
	struct pstk_pipeline *pipeline; /* not behind free_pipelines() */
	const struct ps_cl_device *device;
	cl_command_queue queue;           /* of all stages */
	struct ps_eventcount *eventcount; /* notified by nudges, and for a run's last event */
	struct ps_row_wire *wires;
	unsigned wire_count;
	unsigned *wire_of[PS_STAGES_MAX]; /* by stage and port */
	unsigned char *scratch; /* of the longest window: where a training downloads what is the border's */
	atomic_bool *commands_failed;  /* the network's */
	bool shares;                   /* windows of the host may be used in place .. */
	struct ps_row_window *windows; /* .. these, by address, once it is prepared */
	unsigned window_count;
	cl_command_queue host_queue; /* of their first maps and their last unmaps; NULL: there are none */

	/* the carrier that has the device; start() and wait() before and after */
	struct ps_row_command *commands; /* in the order of the queue */
	unsigned command_count;
	unsigned through; /* of the commands: those before it are */
	unsigned stage;   /* that is being enqueued */
	int err;          /* what a run has failed with; 0: none has */
	unsigned failed;  /* .. its stage */
	char text[PS_TEXT_SIZE];

	_Atomic uint64_t up, down; /* bytes; changed by the carrier that has the device */
	struct ps_row *next;       /* of the network's */
};

/* start(), when the devices are open. The row and its queue, which its stages use from here on. shares: host and device
 * use one memory. NULL: the network has failed. */
struct ps_row *ps_cl_row_open(struct pstk_pipeline *, bool shares, atomic_bool *commands_failed);

/* start(), when each stage is prepared: the buffers, which the stages' parts get as their windows. A negative errno:
 * the network has failed. */
int ps_cl_row_prepare(struct ps_row *);

/* drain(), when no carrier runs. How many of its transfers are not through; *one: one of them, borrowed. The first one
 * that has failed fills the fault, and *stage is its stage. */
unsigned ps_cl_row_pending(struct ps_row *, cl_event *one, unsigned *stage, struct ps_cl_fault *);

/* drain(), or start() has failed, when no command is in flight: the host's windows are the host's alone again, before
 * their memory goes. NULL is allowed. */
void ps_cl_row_give_windows(struct ps_row *);

/* start(), in ps_cl_row_prepare(): adds those of the border, makes buffers of what was added, and maps them. What can't
 * be used in place is left out. -ENOMEM. */
int ps_cl_row_take_windows(struct ps_row *);

/* The carrier that has the device. NULL: it is none of them. */
struct ps_row_window *ps_cl_row_find_window(const struct ps_row *, const void *host);

/* close(). lost: commands may never end: what a run that was broken off may touch is kept. NULL is allowed. */
void ps_cl_row_free(struct ps_row *, bool lost);

/* Of a run that is through: gives its events back. */
void ps_cl_row_forget(struct ps_row *);

/* What has become of a command that was enqueued. FAILED: the fault says which port, if it is of one. */
enum ps_cl_event_state ps_cl_row_state(
	const struct ps_row *, const struct ps_row_command *, struct ps_cl_fault *);

#endif
