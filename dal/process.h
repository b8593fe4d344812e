/* SPDX-License-Identifier: MIT */
/* Process: a DAL process as an actor: what it keeps between its firings, and one call of its init, fire or
 * finish. */
#ifndef PENSTOCK_DAL_PROCESS_H
#define PENSTOCK_DAL_PROCESS_H

#include "dal/scratch.h"

#include "penstock/dal_network.h"

#include <stdatomic.h>

enum {
	PS_DAL_PORTS = 256,        /* of one process: a call of fire() has a place for each on the stack */
	PS_DAL_MAX_DIMENSIONS = 8, /* iterators around it */
};

struct ps_dal_checkpoint;

/* What is known of a port. Constant after build. */
struct ps_dal_socket {
	const struct pstk_fifo *fifo;
	uint32_t blocks;
	size_t token_size;
};

/* The actor's arg, in the network's copy. */
struct ps_dal_actor {
	const struct pstk_dal_process *process;                             /* borrowed */
	int (*heard)(void *data, const char *process, const char *message); /* constant after build */
	void *heard_data;
	atomic_bool stopped;                   /* an event has ended the application; any thread */
	struct ps_dal_checkpoint *checkpoints; /* in init, fire and finish only: never two at once */
	unsigned idle;                         /* fire only: so many in a row without a port */
	unsigned index_count;                  /* constant after build, as all below */
	int indices[PS_DAL_MAX_DIMENSIONS];
	struct ps_dal_socket sockets[]; /* by port */
};

/* A window of one firing. */
struct ps_dal_window {
	char *data; /* NULL: not begun */
	uint32_t rate;
	uint32_t ended; /* blocks of an output's */
	bool over;      /* ended */
};

/* One call of init, fire or finish; the process's wptr. */
struct ps_dal_run {
	struct pstk_actor *self;
	const struct pstk_actor_type *type;
	struct ps_dal_actor *actor;
	struct pstk_firing *firing; /* NULL: init or finish */
	bool finishing;
	bool touched;                  /* a port */
	bool over;                     /* a stream has ended: what is written now is dropped */
	int err;                       /* of the first wrong call */
	unsigned next;                 /* where the next port is looked for first */
	struct ps_dal_scratch scratch; /* after that: what its windows are then */
	struct ps_dal_window windows[PS_DAL_PORTS];
};

/* The callbacks of the actor's type; windows: of a process that has said its ports. */
int ps_dal_init(struct pstk_actor *);
int ps_dal_fire(struct pstk_firing *);
int ps_dal_fire_windows(struct pstk_firing *);
int ps_dal_finish(struct pstk_actor *);

/* The arg of an actor of ours; NULL: it is another one's. */
struct ps_dal_actor *ps_dal_actor_of(const struct pstk_actor *);

/* The call that a process is in; NULL: none. */
struct ps_dal_run *ps_dal_run_of(const DALProcess *);

/* The port of a call, of this kind; -1: the process ends with an error that says what is wrong, or has done
 * so before. */
int ps_dal_port_of(struct ps_dal_run *, const char *call, const void *port, enum pstk_port_kind);

/* A wrong call: the application ends. */
void ps_dal_wrong(struct ps_dal_run *, const char *format, ...) PSTK_DAL_PRINTF(2, 3);

#endif
