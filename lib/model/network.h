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
struct ps_detector;
struct ps_runner;
struct ps_task;
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

struct ps_port {
	const struct pstk_port *declared; /* in the actor's type; constant after build */
	struct pstk_fifo *fifo;           /* an input's FIFO, an output's first one; constant after start */
	bool reads;                       /* an input or control port; constant after start */
	uint32_t rate;                    /* constant after start */
	bool broken;                      /* BUILD: a connection failed and was reported already */
	_Atomic uint64_t wait_ns;         /* changed by the actor's thread */
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
	bool has_outputs;
	bool initialised; /* init() succeeded; start() and wait() only */
	bool reported;    /* the watchdog has; watcher only */
	/* What fires it, set once by start(), NULL before. Atomic: any thread may ask for figures meanwhile. */
	struct ps_task *_Atomic task;
	char text[PS_TEXT_SIZE]; /* pstk_actor_error()'s; its taker (firing/task.h) */
};

enum ps_network_state { PS_BUILD, PS_STARTING, PS_RUNNING, PS_FAILED_START, PS_ENDED };

/* How the run ends. UNKNOWN goes to one of the others, once. */
enum ps_network_fate { PS_FATE_UNKNOWN, PS_FATE_ABORTED, PS_FATE_OVER /* every actor has ended */ };

struct pstk_network {
	char *name;
	/* constant after start */
	struct pstk_actor **actors;
	unsigned actor_count, actor_capacity;
	struct ps_task **tasks; /* what fires the actors (firing/task.h); NULL before start() */
	unsigned task_count;
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
