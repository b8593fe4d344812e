/* SPDX-License-Identifier: MIT */
/*
 * What is built: the network, its actors, ports and connections. "constant after start" members are written
 * by BUILD calls and start() only, before any thread exists.
 */
#ifndef PENSTOCK_NETWORK_H
#define PENSTOCK_NETWORK_H

#include "lib/base/environment.h"
#include "lib/fifo/fifo.h"
#include "penstock/penstock.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum {
	PS_ERROR_SIZE = 512,     /* of one line that people read at once: a deadlock's */
	PS_ERROR_LONGEST = 1024, /* of any: a refusal says why, and what would fix it */
	PS_TEXT_SIZE = 400,
	PS_PORTS_MAX = 4096,
	PS_CONTROL_VALUES_MAX = 65536,
	PS_NO_PORT = PS_PORTS_MAX
};

struct ps_group_port;
struct ps_backend;
struct ps_cl_actor;
struct ps_cl_fifo;
struct ps_cl_network;
struct ps_runner;
struct ps_detector;
struct ps_team;

/* A FIFO between two ports. All members but fifo: constant after start. */
struct pstk_fifo {
	struct ps_fifo fifo;
	struct ps_cl_fifo
		*cl; /* the OpenCL backend's; constant after start; NULL: plain memory of the host */
	unsigned index;
	struct pstk_actor *src, *dst;
	unsigned src_port, dst_port;
	void *initial;          /* delay tokens; NULL: zeros. Freed at the start */
	bool ring;              /* its size was given as a capacity */
	bool depth_is_default;  /* none was given: ask ps_depth_settle() before you look at it */
	struct pstk_fifo *next; /* of the same output: the broadcast's next reader */
};

/* The window for which an actor waits: it still does when it has looked again in vain. */
struct ps_latest_wait {
	const struct ps_fifo_end *end;
	uint64_t window, began; /* the clock */
	unsigned unmeasured;    /* brief waits since the last one that was measured */
};

struct ps_port {
	const struct pstk_port *declared; /* in the actor's type; constant after build */
	struct pstk_fifo *fifo;           /* an input's FIFO, an output's first one; constant after start */
	bool reads;                       /* an input or control port; constant after start */
	uint32_t rate;                    /* constant after start */
	bool broken;                      /* BUILD: a connection failed and was reported already */
	_Atomic uint64_t wait_ns;         /* changed by the actor's thread */
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
	enum ps_window_state state;
	bool on;                   /* moves a window in this firing; a control port's never is */
	void *data;                /* NULL on a device */
	uint64_t number;           /* on a device: of the window, at this end */
	struct pstk_fifo *primary; /* the FIFO whose memory data is; other readers get copies */
	uint32_t valid;            /* tokens that are data */
	uint32_t position;         /* kahn: tokens already copied by pstk_fifo_read() or _write() */
};

/* One firing of an actor: a slot that is used again and again. Belongs to the thread that takes it, then to
 * the one that fires it, then to the one that publishes it. */
struct pstk_firing {
	struct pstk_actor *actor;
	uint64_t index;            /* of a dynamic actor: of control tokens */
	uint64_t ran;              /* firings with a port on, before this one */
	int rc;                    /* what fire() has returned */
	atomic_bool done;          /* side by side: fire() is through, it may be published (reorder.h) */
	bool decided;              /* of a dynamic actor: has taken its control token and obeyed it */
	bool in_control;           /* pstk_port_enable() is allowed */
	uint32_t value;            /* decided: the control token's */
	struct ps_window *windows; /* one a port */
	uint64_t waited_ns;        /* kahn: in this call of fire() */
	size_t unwritten; /* kahn: tokens that the present pstk_fifo_write() has still to move; else 0 */
	bool saw_end;     /* kahn: a NULL was handed out */
	bool last;        /* a window was partly filled */
	unsigned open;    /* windows that fire() has not ended yet; not of a kahn actor */
	bool in_fire_cl;  /* the calls of opencl.h are allowed */
	char misuse[PS_TEXT_SIZE]; /* the first wrong call of fire(); "": none */
	char text[PS_TEXT_SIZE];   /* side by side: what pstk_actor_error() says in it, else the actor's */
};

/* A thread that fires one actor only. */
struct ps_own_thread {
	struct pstk_actor *actor;
	pthread_t thread;
	void *alternate_stack; /* for the crash handler; constant after start */
};

/* One FIFO end at which an actor's window may be missing: all but that of its control port. Constant after start. */
struct ps_rule_term {
	struct pstk_fifo *fifo;
	unsigned port;
	bool writer;
	bool dynamic; /* the port */
};

/* How long an actor's firings take, measured now and then where they are short. Changed by the threads
 * that fire it. */
struct ps_timing {
	_Atomic unsigned unmeasured; /* firings since the last one that was measured */
	_Atomic unsigned until;      /* .. and how many there are to be before the next one is */
	_Atomic uint64_t
		lately_ns; /* the longest of late, less a quarter of the difference for each after it; 0: none yet */
};

struct pstk_actor {
	struct pstk_network *network;
	unsigned index;
	char *name;
	struct pstk_actor_type type; /* own copy, with its ports, params and strings */
	struct ps_port *ports;
	unsigned control_port; /* constant after build; PS_NO_PORT: a static actor */
	void *arg;             /* own copy if type.arg_size */
	char **param_strings;  /* own copies of string params, one a param; NULL in between */
	bool *param_set;       /* BUILD: which params have a value */
	size_t state_size;
	void *state;
	int core;                         /* -1: any */
	unsigned concurrency;             /* constant after start; 0: not given */
	bool map_refused;                 /* BUILD: pstk_actor_map() was, and has said why */
	const struct ps_backend *backend; /* constant after start; NULL: it runs on the cores */
	struct ps_cl_actor *cl; /* the OpenCL backend's; NULL: was never told anything for a device */
	bool is_source;         /* constant after start */
	struct ps_group_port
		*group_ports; /* constant after start: its ports that control_group.c compares; NULL: none */
	/* constant after start: what each declared control value has turned on before (ps_control_decision()); NULL:
	 * not looked up. Fewer than the declared values if control() failed for one */
	uint64_t *decisions;
	uint32_t decision_count;
	bool has_inputs, has_outputs;

	/* constant after start */
	struct ps_rule_term *terms;
	unsigned term_count;
	/* by port: is it on? Of dynamic ports while `decision` is one, for people and hints; changed by the taker.
	 * Together, because a look at an actor of many ports looks at all */
	atomic_bool *on;
	bool small; /* its windows are few bytes (firing_rule.h): in whose cache they are doesn't matter */
	bool plain; /* static, and all its windows are in plain memory */
	bool helps; /* neighbours are to be told of its windows (ps_firing_help()) */
	struct pstk_firing *slots; /* as many as firings may be side by side */
	unsigned slot_count;
	const struct ps_runner *runner; /* what fires it .. */
	bool polled;                    /* .. and that is a runner that polls (runner.h) */
	int member;                     /* of the team: which alone may fire it; -1: any */
	unsigned rank;                  /* of the team: its place in the order of looking, sinks first */

	/*
	 * What every firing changes lies together, apart from what firings only read: in a team it goes from one core's
	 * cache to another's. One thread at a time is the taker (firing.h): the actor's own, the one that has the claim
	 * (launched, side by side), or the one that has set `taking` (polled). Firings are taken in order, and
	 * published in order.
	 */
	char firings_line[PS_CACHE_LINE];
	atomic_bool taking;
	atomic_bool again;          /* look at its ports again, whatever the counters say */
	atomic_bool publishing;     /* side by side: a thread publishes (reorder.h) */
	_Atomic unsigned missing;   /* the term where a window was missing last: the first to look at */
	_Atomic uint64_t taken;     /* firings taken; the taker */
	_Atomic uint64_t published; /* .. and through; the publishing thread */
	uint64_t next_index;        /* of the firing to be taken next; the taker */
	uint64_t next_ran;          /* firings with a port on before it; the taker */
	struct ps_timing timing;
	_Atomic uint64_t since; /* the clock when it began its latest firing or wait; 0: it has not yet */
	_Atomic uint64_t firings, fire_ns, off_ns; /* off_ns: of fire_ns, not on a core (timing.h) */
	char rest_line[PS_CACHE_LINE];

	pthread_mutex_t claim;    /* launched, or several threads of its own: held around taking */
	atomic_bool ending;       /* polled: it is to end when nothing of it is in flight */
	atomic_bool over;         /* it will not fire again; set by the taker or the publishing thread */
	atomic_bool last_taken;   /* its last firing, by a partly filled input; as taking */
	atomic_bool reader_ended; /* some reader of its outputs has */
	atomic_bool writer_ended; /* some writer of its inputs has */
	uint64_t
		announced; /* team, on a device: the firing for whose room an event notifies, and 1; the taker */
	char text[PS_TEXT_SIZE];       /* pstk_actor_error()'s; as taking */
	struct ps_own_thread *threads; /* constant after start: one a slot, none if it is polled */
	_Atomic unsigned threads_left; /* of them, that have not ended */
	bool has_claim,
		has_locks; /* constant after start: claim is there; order_lock and order_changed are */
	pthread_mutex_t order_lock;   /* several threads: nothing of its own .. */
	pthread_cond_t order_changed; /* .. with it: a firing is through */
	bool initialised;             /* init() succeeded; start() and wait() only */
	atomic_bool ended;            /* it will not fire again; set by its thread */
	atomic_flag told_unwanted;    /* unblock() was called because all readers had ended */
	_Atomic uint64_t control_tokens;

	/* Where it waits, unless it is polled; of a launched actor where its firing does, changed under its claim; of
	 * others see ps_fifo_end.waits_for */
	ps_waits_for waits_for;
	/* a dynamic actor's control value in this firing, and 1; 0: it has none yet. The taker */
	_Atomic uint64_t decision;
	struct ps_latest_wait wait; /* as taking */
	bool reported;              /* the watchdog has; watcher only */
};

enum ps_network_state { PS_BUILD, PS_STARTING, PS_RUNNING, PS_FAILED_START, PS_ENDED };

/* How the run ends. UNKNOWN goes to one of the others, once. */
enum ps_network_fate { PS_FATE_UNKNOWN, PS_FATE_ABORTED, PS_FATE_OVER /* every actor has ended */ };

struct pstk_network {
	char *name;
	/* constant after start */
	struct pstk_actor **actors;
	unsigned actor_count, actor_capacity;
	unsigned flags;
	unsigned threads;               /* of the team; 0: a thread per actor */
	struct ps_team *team;           /* NULL: none */
	const struct ps_runner *poller; /* the runner that polls (runner.h); NULL: none */
	struct ps_detector *detector;   /* its own state (detector_state.h); from start() on */
	size_t depth_budget;            /* 0: the default */
	bool spins;             /* own threads look again for a while before they sleep: thread_wait.h */
	uint32_t default_depth; /* of FIFOs that are built without a depth .. */
	uint32_t depth;         /* .. and what they have got; 0: not all the same. See depth.c */
	/* guarded by lock, constant after start; false: something was built since they were found */
	atomic_bool depths_known;
	struct ps_cl_network *cl;          /* the OpenCL backend's; NULL: no actor was ever mapped */
	void *names;                       /* tsearch(3) tree of the actors by name */
	struct ps_group_port *group_ports; /* group_port_count of them */
	unsigned group_port_count;
	struct pstk_fifo **fifos;
	unsigned fifo_count, fifo_capacity;
	bool add_failed; /* BUILD: pstk_network_add() has returned NULL, and said why */
	char **problems;
	unsigned problem_count;
	bool sharing_decided;   /* constant after start: the FIFOs know whose memory they use (sharing.h) */
	unsigned problem_total; /* with those for which memory was out */

	/* set by anybody, read everywhere; the watcher does what follows from them */
	atomic_bool stopping;
	_Atomic enum ps_network_fate fate;
	atomic_int signal;           /* the first one that stopped it */
	atomic_uint signals;         /* how many came */
	atomic_bool snapshot_wanted; /* by a signal */
	sem_t wake;                  /* posted after each of them, and when the network has ended */

	/* the first error */
	atomic_bool failed; /* set after error and err, under lock */
	int err;            /* guarded by lock */
	char error[PS_ERROR_LONGEST];

	pthread_mutex_t lock;
	pthread_cond_t changed;      /* with lock, CLOCK_MONOTONIC: running, gate, state */
	enum ps_network_state state; /* guarded by lock */
	unsigned running;            /* guarded by lock: threads that fire and have not ended yet */
	enum { PS_GATE_SHUT, PS_GATE_OPEN, PS_GATE_CANCELLED } gate; /* guarded by lock */
	bool ending; /* guarded by lock: some thread is in the end of wait() */
	bool ended;  /* guarded by lock: the watcher may go */
	pthread_t watcher;
	int result;                  /* guarded by lock: what wait() returns once state is PS_ENDED */
	bool handles_signals;        /* constant after start */
	int snapshot_signal;         /* constant after start; 0: none */
	struct pstk_verdict verdict; /* constant after start: what the analyser has said before it */
	bool watchdog_set;           /* BUILD: the environment does not count */
	bool watchdog_aborts;        /* constant after start */
	uint64_t watchdog_ns;        /* constant after start; 0: no watchdog */
	void *alternate_stack;       /* the watcher's, for the crash handler; constant after start */
	atomic_bool finished;        /* wait() is through with every finish() */
	atomic_bool cancelled;       /* wait() has said -ECANCELED */

	struct ps_environment environment; /* constant after create */
};

/* Has it failed, or was it aborted? */
static inline bool ps_network_over(const struct pstk_network *net)
{
	return atomic_load(&net->failed) || atomic_load(&net->fate) == PS_FATE_ABORTED;
}

/* What pstk_network_create() makes, but for what the environment says. name: one that may be in a message. */
struct pstk_network *ps_network_create(const char *name);

/* Frees it when its FIFOs and actors are gone. */
void ps_network_free(struct pstk_network *);

/* The same for a FIFO, and for an actor: frees what was built; what start() has added is gone. */
void ps_fifo_free(struct pstk_fifo *);
void ps_actor_free(struct pstk_actor *);

#endif
