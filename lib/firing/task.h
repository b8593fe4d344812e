/* SPDX-License-Identifier: MIT */
/*
 * Task: the unit that a runner schedules. It owns what one firing fires, so far an actor, and holds all that changes
 * while that runs: whose turn it is, which windows are missing, which firings are in flight. start() makes a task for
 * each actor.
 *
 * "The taker" is the thread that may take a task's firings at this moment; there is one at most. It is
 *   - the task's own thread;
 *   - the thread that has the claim (launched, side by side);
 *   - the thread that has set `taking` (polled).
 * Firings are taken in order and published in order. Another thread may fire what was taken, and a third one publish
 * it.
 */
#ifndef PENSTOCK_TASK_H
#define PENSTOCK_TASK_H

#include "lib/firing/decision.h"
#include "lib/model/network.h"

#include <assert.h>

/* May it be fired? (firing.h) */
enum ps_firing_state {
	PS_FIRING_WAIT,  /* a window is missing */
	PS_FIRING_READY, /* all windows are taken */
	PS_FIRING_ENDED  /* the actor will not fire again, once those in flight are through */
};

/* State of a port's window in a firing. */
enum ps_window_state {
	PS_WINDOW_NONE,    /* a kahn actor's before start and after end; of a port that is off */
	PS_WINDOW_TAKEN,   /* there for fire() to start */
	PS_WINDOW_STARTED, /* fire() has it */
	PS_WINDOW_ENDED,   /* fire() is through with it; published after fire() */
	PS_WINDOW_COPYING  /* kahn: pstk_fifo_read() or _write() is in the middle of it */
};

/* One port in a firing. Owner thread only. */
struct ps_window {
	void *data;                /* NULL on a device */
	struct pstk_fifo *primary; /* the FIFO whose memory data is; other readers get copies */
	union {
		uint64_t number;   /* on a device: of the window, at this end */
		uint32_t position; /* kahn: tokens already copied by pstk_fifo_read() or _write() */
	};
	uint32_t valid;      /* tokens that are data */
	unsigned char state; /* enum ps_window_state */
	bool reads;          /* of an input; constant after start */
};

/* One firing of an actor: a slot that is used again and again. Belongs to the thread that takes it, then to
 * the one that fires it, then to the one that publishes it. What every firing changes comes first: a cache line. */
struct pstk_firing {
	uint64_t index;               /* of a dynamic actor: of control tokens */
	uint64_t ran;                 /* firings with a port on, before this one */
	const struct ps_decision *on; /* which ports move a window in it */
	uint64_t waited_ns;           /* kahn: in this call of fire() */
	int rc;                       /* what fire() has returned */
	unsigned open;                /* windows that fire() has not ended yet; not of a kahn actor */
	uint32_t steps;               /* that have data; 0: the actor declares none */
	uint32_t value;               /* decided: the control token's */
	bool decided;                 /* of a dynamic actor: has taken its control token and obeyed it */
	bool last;                    /* a window was partly filled */
	bool saw_end;                 /* kahn: a NULL was handed out */
	bool in_control;              /* pstk_port_enable() is allowed */
	bool in_fire_cl;              /* the calls of opencl.h are allowed */
	atomic_bool done;             /* side by side: fire() is through, it may be published (reorder.h) */
	size_t unwritten; /* kahn: tokens that the present pstk_fifo_write() has still to move; else 0 */

	struct ps_task *task; /* whose slot it is */
	struct pstk_actor *actor;
	unsigned port_count; /* constant after start */
	bool kahn;           /* constant after start */
	/* Of a dynamic actor: what control() decides in it, for a value that was not looked at before the start. */
	struct ps_decision *own;
	struct ps_window *windows; /* one a port */
	char *misuse; /* the first wrong call of fire(); "": none. Written by texts.h's leave only */
	char *text;   /* side by side: what pstk_actor_error() says in it, else the actor's */
	void *line;   /* the next slot begins at a cache line */
};
static_assert(sizeof(struct pstk_firing) % PS_CACHE_LINE == 0, "slots share cache lines");

static inline bool ps_firing_has(const struct pstk_firing *firing, unsigned port)
{
	return ps_mask_has(firing->on->mask, port);
}

/* One FIFO end at which an actor's window may be missing: all but that of its control port, and of a bundle only the
 * lead's. Constant after start. */
struct ps_rule_term {
	struct pstk_fifo *fifo;
	struct ps_task *other; /* at its other end */
	size_t bytes;          /* of a window, with those beside it in its bundle */
	unsigned port;
	bool writer;
	bool dynamic; /* the port */
};

/* How long an actor's firings take, measured now and then where they are short. Changed by the threads
 * that fire it. */
struct ps_timing {
	_Atomic unsigned unmeasured; /* firings since the last one that was measured */
	/* .. and how many there are to be before the next one is; 0: they are not short */
	_Atomic unsigned until;
	_Atomic uint64_t
		lately_ns; /* the longest of late, less a quarter of the difference for each after it; 0: none yet */
};

/* The window for which an actor waits: it still does when it has looked again in vain. */
struct ps_latest_wait {
	const struct ps_fifo_end *end;
	uint64_t window, began; /* the clock */
	unsigned unmeasured;    /* brief waits since the last one that was measured */
};

struct ps_arrivals;
struct ps_delegate;
struct ps_firing_texts;
struct ps_mover;
struct ps_moves;
struct ps_own_thread;
struct ps_task_latency;

struct ps_task {
	/*
	 * Constant after start.
	 */

	struct pstk_actor *actor; /* that it owns, and a firing fires */
	struct pstk_network *network;
	const struct ps_runner *runner;     /* what fires it .. */
	bool polled;                        /* .. and that is a runner that polls (runner.h) */
	const struct ps_delegate *delegate; /* its own threads, if it is polled (delegate.h); NULL: none */
	bool is_source;                     /* it begins something new */
	bool dynamic;                       /* it has a control port */
	bool small;                         /* its windows are few bytes (firing_rule.h) */
	bool plain;                         /* all its windows are in plain memory */
	bool helps;                         /* neighbours are to be told of its windows (ps_windows_help()) */
	bool quick;                         /* its windows need nothing but counters (quick.h) */
	struct ps_trace *trace;             /* where its firings are recorded; NULL: nowhere */
	struct ps_task_latency *latency;    /* windows are followed (latency.h); NULL: they are not */
	struct ps_arrivals *arrivals;       /* cycles are counted (arrival.h); NULL: they are not */
	bool followed;                      /* one of these two */
	const struct ps_mover
		*mover;         /* what moves it to other places (mover.h); NULL: it stays where it is .. */
	struct ps_moves *moves; /* .. and what that knows of it */
	struct ps_rule_term *terms;
	unsigned term_count;
	unsigned slot_count;       /* of a stage of a pipeline: as many as items may be side by side in it */
	unsigned thread_count;     /* of its own; 0: one a slot, or none if it is polled */
	struct pstk_firing *slots; /* as many as firings may be side by side */
	struct ps_firing_texts *texts; /* by slot (texts.h); NULL: they have none of their own */
	/* As ps_decision's mask, while `decision` is one, for reports and hints; changed by the taker. */
	_Atomic uint64_t *on;
	struct ps_decision **decisions; /* different ones */
	unsigned decision_count;
	const struct ps_decision **decided; /* by control value; the actor's decided_count */
	int member;                         /* of the team: which alone may fire it; -1: any */
	unsigned rank;                      /* of the team: its place in the order of looking, sinks first */

	/*
	 * Only a move changes these.
	 */

	_Atomic unsigned most;    /* firings side by side at the place where it is; the taker */
	_Atomic uint64_t move_at; /* a move wants to begin before this firing; UINT64_MAX: none (lib/move) */

	/*
	 * What every firing changes is one cache line, apart from what firings only read: in a team it goes from one
	 * core's cache to another's. Behind it comes what only some of them change.
	 */

	alignas(PS_CACHE_LINE) atomic_bool taking; /* polled: a thread is the taker */
	atomic_bool again;                         /* look at its ports again, whatever the counters say */
	atomic_bool publishing;                    /* side by side: a thread publishes (reorder.h) */
	_Atomic unsigned missing;   /* the term where a window was missing last: the first to look at */
	_Atomic uint64_t taken;     /* firings taken; the taker */
	_Atomic uint64_t published; /* .. and through; the publishing thread */
	uint64_t next_index;        /* of the firing to be taken next; the taker */
	uint64_t next_ran;          /* firings with a port on before it; the taker */
	_Atomic uint64_t since;     /* the clock when it began its latest firing or wait; 0: it has not yet */
	_Atomic uint64_t firings;
	struct ps_timing timing;
	_Atomic uint64_t fire_ns, off_ns; /* off_ns: of fire_ns, not on a core (timing.h) */

	_Atomic uint64_t control_tokens;
	/* a dynamic actor's control value in this firing, and 1; 0: it has none yet. The taker */
	_Atomic uint64_t decision;

	/*
	 * Its end.
	 */

	atomic_bool reader_ended; /* some reader of its outputs has */
	atomic_bool writer_ended; /* some writer of its inputs has */
	atomic_bool last_taken;   /* its last firing, by a partly filled input; the taker */
	atomic_bool over;         /* it will not fire again; set by the taker or the publishing thread */
	atomic_bool ending;       /* polled: it is to end when nothing of it is in flight */
	atomic_bool ended;        /* its ports are being closed; set by the thread that does so */
	atomic_bool
		unblock_later; /* .. the watcher is to call it: a reader on another host was the last one */
	atomic_flag told_unwanted; /* unblock() was called because all readers had ended */

	/*
	 * Where it waits.
	 */

	/* Unless it is polled. Of a launched actor where its firing does, changed under its claim; of others see
	 * ps_fifo_end.waits_for. */
	ps_waits_for waits_for;
	struct ps_latest_wait wait; /* the taker */
	/* team, on a device: the firing for whose room an event notifies, and 1; the taker */
	uint64_t announced;

	/*
	 * Threads of its own (lib/schedule/thread.c).
	 */

	struct ps_own_thread *threads; /* constant after start */
	_Atomic unsigned threads_left; /* of them, that have not ended */
	bool has_claim;                /* constant after start: claim is there */
	bool has_locks;                /* constant after start: order_lock and order_changed are there */
	pthread_mutex_t claim;         /* launched, or several threads: held around taking */
	pthread_mutex_t order_lock;    /* several threads: guards nothing of its own .. */
	pthread_cond_t order_changed;  /* .. with it: a firing is through */
};

/* Any thread. Is the port on in the latest decision? */
static inline bool ps_task_has(const struct ps_task *t, unsigned port)
{
	return atomic_load_explicit(&t->on[port / PS_MASK_BITS], memory_order_relaxed) >>
	               port % PS_MASK_BITS &
	       1;
}

/* start(), before anything else of what runs. A task for each actor. That of one that is away has ended from the
 * beginning: no other member of it but its runner is used. -ENOMEM. */
int ps_tasks_create(struct pstk_network *);

/* start(). A task of this actor, in no list. NULL: out of memory. */
struct ps_task *ps_task_create(struct pstk_actor *);

/* destroy(). Frees the tasks; what other parts keep in them is gone. */
void ps_tasks_free(struct pstk_network *);

#endif
