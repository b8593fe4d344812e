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

struct ps_adopted;
struct ps_arrival;
struct ps_arrivals;
struct ps_group_port;
struct ps_latency;
struct ps_marks;
struct ps_moving;
struct ps_actor_place;
struct ps_backend;
struct ps_cl_actor;
struct ps_cl_fifo;
struct ps_cl_network;
struct ps_control_groups;
struct ps_plan;
struct ps_run;
struct ps_schedule;
struct ps_task;
struct ps_texts;
struct ps_trace;
struct ps_watch;
struct ps_way;

/* What a plan says of a buffer: it shares memory with those of its group. */
struct ps_merge {
	unsigned group; /* from 1; 0: it has memory of its own */
	unsigned order; /* by when it is used in an iteration, among those of the group */
	uint32_t slots; /* windows that the memory has */
};

/* A place of the machine that a network runs on: a host with a process of it, or a device of one. */
struct ps_named_place {
	char *name;
	unsigned host; /* its number in the machine */
	bool is_device;
	char *selector; /* of a device; NULL: it has none */
};

/* An end of a FIFO as it was connected. */
struct ps_connected {
	struct pstk_actor *actor;
	unsigned port;
};

/* Which ends of a FIFO are in this process, where only a part of the network runs (lib/plan/parts.h). */
enum ps_crossing {
	PS_CROSSES_NOT, /* both */
	PS_CROSSES_OUT, /* the writer's; the reader's end is away: its owner is no actor of this process */
	PS_CROSSES_IN,  /* the reader's; the writer's end is away */
	PS_CROSSES_THROUGH,  /* none; both ends are away: its windows are passed on here */
	PS_CROSSES_ELSEWHERE /* none, or another FIFO of the output carries its windows: it has no memory */
};

/* A FIFO between two ports. All members but fifo: constant after start. */
struct pstk_fifo {
	struct ps_fifo fifo;
	/* The first FIFO of its bundle, whose counters, ends and lock are its own, too (lib/fifo/bundle.h); itself: it
	 * is in none. Ask ps_counters(). Constant after start */
	struct pstk_fifo *lead;
	struct ps_cl_fifo
		*cl; /* the OpenCL backend's; constant after start; NULL: plain memory of the host */
	struct ps_marks *marks; /* of windows that are followed (lib/firing/latency.h); NULL: none is */
	struct ps_arrival
		*arrival; /* of the first window (lib/firing/arrival.h); NULL: cycles aren't counted */
	/* the rates that pstk_plan_apply() has planned it with, write and read: what it merges is right for these */
	uint32_t planned_rates[2];
	uint64_t planned; /* the cycle of the first window, and 1, as pstk_plan_apply() says; 0: not known */
	unsigned index;
	struct pstk_actor *src, *dst;
	unsigned src_port, dst_port;
	/* The same, but where src or dst is a pipeline: a stage of it (pipeline.h) */
	struct ps_connected from, to;
	struct ps_way *way; /* from host to host (lib/plan/ways.h); constant after start; NULL: directly */
	enum ps_crossing crossing;        /* set by start() */
	void *initial;                    /* delay tokens; NULL: zeros. Freed at the start */
	uint32_t given_write, given_read; /* rates that its spec has; 0: none */
	bool rates_known;      /* those of its layout count: ask ps_plan_settle() before you look at it */
	bool ring;             /* its size was given as a capacity */
	bool depth_is_default; /* none was given: ask ps_plan_settle() before you look at it */
	bool depth_is_planned; /* .. and pstk_plan_apply() has set it */
	struct ps_merge merge_before; /* of the first place that windows cross, if there are several .. */
	struct ps_merge merge;        /* .. and of the reader's */
	uint32_t depth_before;  /* of each place that windows cross before the reader's; 0: the layout's */
	struct pstk_fifo *next; /* of the same output: the broadcast's next reader */
	struct pstk_fifo *also; /* of the same output as it was connected, between stages, too */
};

/* Whose counters say what is in it, and at whose ends its writer and reader wait. */
static inline struct ps_fifo *ps_counters(const struct pstk_fifo *f)
{
	return &f->lead->fifo;
}

/* Is its depth left to start()? */
static inline bool ps_depth_is_open(const struct pstk_fifo *f)
{
	return f->depth_is_default && !f->depth_is_planned;
}

/* What a port moves in a step (lib/model/declare.h); 0: not declared. */
struct ps_declared {
	uint32_t rate, history, peek;
};

/* Windows at each place that windows cross before the reader's, where they do. */
static inline uint32_t ps_depth_before(const struct pstk_fifo *f)
{
	return f->depth_before ? f->depth_before : f->fifo.layout.depth;
}

struct ps_port {
	const struct pstk_port *declared; /* in the actor's type; constant after build */
	struct pstk_fifo *fifo;           /* an input's FIFO, an output's first one; constant after start */
	struct pstk_fifo *primary;        /* an output's: whose window was taken last; the taker */
	bool reads;                       /* an input or control port; constant after start */
	uint32_t rate;                    /* constant after start */
	unsigned along; /* the actor's next port in the same bundle; PS_NO_PORT: none; constant after start */
	uint32_t dropped;         /* tokens of a last step that was not whole; the taker, its last firing */
	bool broken;              /* BUILD: a connection failed and was reported already */
	_Atomic uint64_t wait_ns; /* changed by the actor's thread */
};

struct pstk_actor {
	struct pstk_network *network;
	unsigned index;
	char *name;
	struct pstk_actor_type type; /* own copy, with its ports, params and strings */
	struct ps_port *ports;
	unsigned control_port; /* constant after build; PS_NO_PORT: a static actor */
	bool has_outputs;
	bool is_source;       /* constant after start */
	void *arg;            /* own copy if type.arg_size */
	char **param_strings; /* own copies of string params, one a param; NULL in between */
	bool *param_set;      /* BUILD: which params have a value */
	size_t state_size;
	void *state;
	uint32_t steps_asked;         /* BUILD; 0: not given */
	uint32_t steps_auto;          /* PSTK_STEPS_AUTO's choice; 0: none */
	uint32_t steps;               /* of a firing; known as FIFOs' rates are; 0: no port declares a rate */
	struct ps_declared *declared; /* one a port: what rates() says; NULL: the type has none */
	int declare_err;              /* what was wrong in its latest call; text says more */
	unsigned host;                /* constant after start: that runs it, if the network has hosts */
	int core;                     /* -1: any */
	unsigned concurrency;         /* constant after start; 0: not given */
	/* Where it is: NULL: on the cores. Constant after start; of an actor that moves changed by its taker between
	 * two firings, read by any thread. */
	const struct ps_backend *_Atomic backend;
	bool map_refused;               /* BUILD: pstk_actor_map() was, and has said why */
	struct pstk_pipeline *pipeline; /* that it is, or whose stage it is; NULL; constant after build */
	/* Constant after start: what each declared control value turns on, a mask of ports each (decision.h). NULL:
	 * not looked up. Fewer than the declared values if control() failed for one. */
	uint64_t *decided;
	uint32_t decided_count;
	char text[PS_TEXT_SIZE]; /* pstk_actor_error()'s; its taker and its publisher (firing/task.h) */

	/* What fires it, set once by start(), NULL before. Atomic: any thread may ask for figures meanwhile. */
	struct ps_task *_Atomic task;
	struct ps_group_port *group_ports; /* control_group.c's */
	/* The OpenCL backend's; NULL: was never told anything for a device. Of an actor that moves that of the device
	 * where it is or was last, changed before `backend`. */
	struct ps_cl_actor *_Atomic cl;
	struct ps_actor_place
		*places;        /* place.h; constant after start; NULL: it stays where it is mapped to */
	unsigned place_count;   /* constant after start */
	_Atomic unsigned place; /* where it is; its taker */
	bool guarded;           /* constant after start: its ends are the host's, wherever it fires .. */
	bool fails_over; /* .. and another place takes over where one has failed: pstk_actor_guard() .. */
	bool visits;     /* .. and it may fire at other hosts (lib/move/visits.h) */
	bool visited;    /* constant after start: it is away, and may fire here */
	/* visited: of its ports, as they were built; NULL: as its FIFOs say. Constant after start */
	struct ps_layout *layouts;
	/* BUILD: it is away, and a plan puts it on this device there; the network's named places have the text. NULL:
	 * on the cores, or not known */
	const char *planned_device;
};

enum ps_network_state { PS_BUILD, PS_STARTING, PS_RUNNING, PS_FAILED_START, PS_ENDED };

/* How the run ends. UNKNOWN goes to one of the others, once. */
enum ps_network_fate { PS_FATE_UNKNOWN, PS_FATE_ABORTED, PS_FATE_OVER /* every actor has ended */ };

struct pstk_network {
	char *name;
	uint64_t number; /* from 1: no other network of this process has had it; constant after create */
	struct ps_environment environment; /* constant after create */

	/* constant after start */
	struct pstk_actor **actors;
	unsigned actor_count, actor_capacity;
	struct pstk_fifo **fifos;
	unsigned fifo_count, fifo_capacity;
	/* What fires the actors (firing/task.h); NULL before start(). Behind the first task_count there are those of
	 * actors that are away, which nothing fires. */
	struct ps_task **tasks;
	unsigned task_count;
	bool has_hosts;                      /* only actors of this process's host run .. */
	unsigned host;                       /* .. which is this one */
	struct ps_named_place *named_places; /* NULL: none yet. Set when a plan is applied */
	unsigned named_place_count;
	const char
		*host_name; /* .. of that name, which errors of this process begin with; NULL: it has none */
	unsigned away_ends; /* of FIFOs; each is closed by its owner before the run is over */
	void *names;        /* tsearch(3) tree of the actors by name, stages of pipelines, too */
	struct pstk_pipeline *pipelines; /* pipeline.h: their stages are in no other list; NULL: none */
	unsigned flags;
	uint32_t default_depth; /* of FIFOs that are built without a depth */
	bool handles_signals;
	bool traces; /* BUILD: what its threads do is wanted .. */
	struct ps_trace
		*trace; /* .. what its threads do (lib/observe/timeline.h); NULL: it is not asked for */
	struct ps_latency
		*latency; /* how long windows take (lib/firing/latency.h); NULL: it is not asked for */
	struct ps_arrivals
		*arrivals; /* when first windows came (lib/firing/arrival.h); NULL: it is not asked for */
	struct ps_visits *
		visits; /* actors that may fire at another host than their own (lib/move/visits.h); NULL: none */
	struct pstk_verdict verdict; /* what the analyser has said before the start */
	/* changed under lock; false: something was built since the plan was made (lib/plan/settle.h) */
	atomic_bool settled;
	bool is_uniform; /* settled: no actor is dynamic or Kahn, each FIFO has one rate and no history */

	/* BUILD: what was refused */
	char **problems;
	unsigned problem_count;
	unsigned problem_total; /* with those for which memory was out */
	bool add_failed;        /* pstk_network_add() has returned NULL, and said why */

	pthread_mutex_t lock;
	pthread_cond_t
		changed; /* with lock, CLOCK_MONOTONIC: state, and what lib/schedule and lib/run keep */
	enum ps_network_state state; /* guarded by lock */

	/* set by any thread, read everywhere; the watcher does what follows from them */
	atomic_bool stopping;
	_Atomic enum ps_network_fate fate;
	sem_t wake;            /* posted after each of them, and when the network has ended */
	atomic_bool cancelled; /* wait() has said -ECANCELED */

	/* the first error */
	atomic_bool failed; /* set after error and err, under lock */
	int err;            /* guarded by lock */
	char error[PS_ERROR_LONGEST];
	const char
		*_Atomic agreed; /* what the processes of the network have agreed on instead; NULL: nothing */

	/* what one part of the library keeps for itself; NULL before it has begun */
	struct ps_plan *plan;
	struct ps_control_groups *groups;
	struct ps_cl_network *cl;
	struct ps_schedule *schedule;
	struct ps_texts *texts;
	struct ps_watch *watch;
	struct ps_moving *_Atomic moving; /* NULL also while no actor may move */
	struct ps_run *run;

	/* figures of what ran on other hosts (adopted.h); NULL: there are none, or not yet */
	struct ps_adopted *_Atomic adopted;
};

/* Does it run on another host, and so not in this process? */
static inline bool ps_actor_away(const struct pstk_actor *a)
{
	return a->network->has_hosts && a->host != a->network->host;
}

/* Are its callbacks called in this process? */
static inline bool ps_actor_fires_here(const struct pstk_actor *a)
{
	return !ps_actor_away(a) || a->visited;
}

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
