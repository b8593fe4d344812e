/* SPDX-License-Identifier: MIT */
/* Process: one of the baseline's, what it keeps, its thread, and what ends it. */
#ifndef PENSTOCK_BENCHMARKS_DAL_BASELINE_PROCESS_H
#define PENSTOCK_BENCHMARKS_DAL_BASELINE_PROCESS_H

#include "benchmarks/dal/baseline.h"
#include "benchmarks/dal/baseline_channel.h"
#include "dal/description.h"
#include "dal/scratch.h"

struct ps_dal_checkpoint;
struct baseline_device;

struct baseline_port {
	/* constant after create */
	const char *name;
	bool input;
	uint32_t blocks; /* of an output's window */
	struct baseline_channel *channel;
	char *own; /* copying: a window; its process's thread only, as all below */
	/* this fire's window */
	char *data;     /* NULL: not begun by the process */
	char *place;    /* where it is in the channel */
	uint32_t valid; /* tokens of it, the rest of an input's are zeros */
	uint32_t ended; /* blocks of an output's */
	bool over;      /* ended */
};

enum baseline_phase { BASELINE_INIT, BASELINE_FIRE, BASELINE_FINISH };

struct baseline_process {
	/* constant after create */
	struct baseline *owner;
	const struct pstk_dal_process *definition; /* borrowed */
	const char *name;
	struct baseline_port *ports;
	unsigned port_count, output_count;
	int indices[PS_DAL_DIMENSIONS];
	unsigned index_count;
	int core;                       /* -1: any */
	bool source;                    /* ends when the application is stopped */
	struct baseline_device *device; /* NULL: a core */
	void *state;

	/* its thread only; in init and finish, the thread that calls baseline_run() */
	DALProcess dal;
	enum baseline_phase phase;
	bool touched;  /* a port, in this fire */
	bool ended;    /* a stream has: what is written now is dropped */
	int err;       /* of the first wrong call */
	unsigned next; /* where the next port is looked for first */
	unsigned idle; /* fires in a row without a port */
	struct ps_dal_checkpoint *checkpoints;
	struct ps_dal_scratch scratch; /* after a wrong call: what its windows are then */

	/* any thread */
	atomic_bool over;         /* it is not to wait any more */
	_Atomic unsigned changes; /* of what its waits are given up for */
	atomic_uint wanted;       /* outputs whose readers have not ended */

	pthread_t thread; /* the thread that calls baseline_run() */
};

struct baseline {
	/* constant after create */
	struct baseline_options options;
	struct ps_dal_description *description;
	struct baseline_process *processes;
	struct baseline_channel *channels;
	unsigned process_count, channel_count;
	unsigned channels_made; /* create and destroy only */
	size_t memory;
	struct baseline_cl *devices;
	struct baseline *next_abandoned; /* destroy only */
	bool has_run;                    /* the thread that calls baseline_run() */

	atomic_bool stopped; /* by an event; any thread */
	atomic_bool failed;
	atomic_bool device_failed; /* what is queued there may stay for ever */
	pthread_mutex_t lock;
	pthread_cond_t opened;
	int gate;        /* guarded by lock: 0 shut, 1 open, -1 nothing is to run */
	int err;         /* guarded by lock: the first error */
	char error[400]; /* guarded by lock until all threads have ended */
};

/* The thread's function: fires until it is over. */
void *baseline_process_main(void *process);

/* Ends a fire's windows for good: copies and counts. */
void baseline_end_input(struct baseline_port *);
void baseline_end_output(struct baseline_process *, struct baseline_port *);

/* Until every port has a window, or an input has ended: false. */
bool baseline_take_windows(struct baseline_process *);
bool baseline_has_windows(const struct baseline_process *); /* without waiting */
/* Places of what has been found there. Only that input's last window may lack tokens. */
void baseline_open_read(struct baseline_port *);
void baseline_open_write(struct baseline_port *);
/* valid of the outputs, in proportion to what the inputs lack. */
void baseline_default_valid(struct baseline_process *);

/* Its thread: until there are, or there is room for, so many tokens, or the wait is given up. */
void baseline_wait(struct baseline_process *, struct baseline_channel *, bool input, uint64_t tokens,
	struct baseline_patience);

/* Any thread. */
struct baseline_patience baseline_patience(const struct baseline_process *);
void baseline_process_nudge(struct baseline_process *);
void baseline_process_over(struct baseline_process *); /* it ends soon */
void baseline_stop(struct baseline *);                 /* sources fire no more */
/* The first error is kept, and everything ends. Returns err. */
int baseline_fail(struct baseline *, int err, const char *format, ...) PSTK_DAL_PRINTF(3, 4);
int baseline_wrong(struct baseline_process *, const char *format, ...) PSTK_DAL_PRINTF(2, 3);

#endif
