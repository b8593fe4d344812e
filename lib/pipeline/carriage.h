/* SPDX-License-Identifier: MIT */
/*
 * Carriage: what carries the items of a pipeline while it runs.
 *
 * The pipeline's task has nC + 1 threads, the carriers, and R slots, the items that may be in flight. A setting says
 * what they do:
 *
 *	                 carriers that take items   the others
 *	coarse grain     n                          sleep
 *	medium grain     1, or 2 with the device    help with loops of stages (lib/parallel/crew.h)
 *
 * A carrier takes an item, fires its stages one after the other, and the item is published in order, as firings side by
 * side are (lib/firing/reorder.h). Windows between stages are the carrier's own.
 *
 * In a network with a team (lib/schedule/team.h) its members take the items, as those of any actor. Coarse grain on the
 * cores, with no more threads than the team has, they fire themselves, each with the windows of a carrier: all carriers
 * sleep, and no thread is woken for an item. All other items they hand to the carriers, in order.
 *
 * A setting changes at a boundary: the carrier that is the taker finds a change due (lib/firing/mover.h), takes no
 * further item until those in flight are published, changes it, and goes on. So each item is carried under one setting,
 * and none is lost, doubled or out of order. tests/models/setting.pml is this protocol.
 */
#ifndef PENSTOCK_CARRIAGE_H
#define PENSTOCK_CARRIAGE_H

#include "lib/energy/energy.h"
#include "lib/firing/task.h"
#include "lib/model/pipeline.h"
#include "lib/parallel/crew.h"
#include "lib/pipeline/conductor.h"
#include "lib/pipeline/token.h"

/* Where a stage's port has its window. */
struct ps_wire {
	unsigned border; /* the port of the pipeline's actor; PS_NO_PORT: it leads to other stages alone */
	unsigned stage, port; /* an input that another stage writes: that stage, and its port */
	size_t offset, bytes; /* an output without a border: its buffer in the carrier's memory */
};

/* One thread of the pipeline's. On cache lines of its own, because each item changes some of it. */
struct ps_carrier {
	alignas(PS_CACHE_LINE) struct ps_carriage *of;
	unsigned index;
	unsigned char *buffers; /* what lies between stages; its own */
	uint64_t helped;        /* the clock when it began to help with a loop; its own */
	/* ns of its latest firing of each stage, by path; changed by it, read by any thread */
	_Atomic uint64_t core_ns[PS_STAGES_MAX], loop_ns[PS_STAGES_MAX], device_ns[PS_STAGES_MAX];
	_Atomic uint64_t busy_ns;             /* on the cores; changed by it */
	_Atomic uint64_t on_cores, on_device; /* items by path; changed by it */
	/* the stage that it fires, from 1; on the device PS_STAGES_MAX more; 0: none; changed by it */
	atomic_uint at;
	bool in_loop; /* a loop of its own stage runs; its own */
	bool spoilt; /* its item has failed on the device, whose commands may still use its windows; its own */
	atomic_bool lent; /* a member of a team fires an item with its windows */
};

struct ps_carriage {
	/* constant after start */
	struct pstk_pipeline *pipeline;
	struct ps_task *task;                 /* set by start() under lock */
	struct ps_wire *wires[PS_STAGES_MAX]; /* by stage and port */
	size_t buffer_bytes;                  /* of a carrier */
	struct ps_carrier *carriers;
	unsigned carrier_count; /* nC + 1 */
	struct ps_crew *crew;
	struct ps_eventcount *handing; /* with a team: carriers sleep on it until they are handed an item */
	struct ps_token *device;       /* of its device, for all pipelines there; NULL: it has none */
	bool owns_device;
	struct ps_token cores;   /* medium grain, where items wait */
	struct ps_energy *meter; /* NULL: there is none */

	/* What each item changes. */
	alignas(PS_CACHE_LINE) _Atomic uint64_t through; /* items of this phase; changed by carriers */
	/* With a team, the clock when fewer items were on their way than may be; 0: no fewer are */
	_Atomic uint64_t idle_from;

	alignas(PS_CACHE_LINE) atomic_uint begun; /* carriers whose thread runs */
	atomic_bool over;                         /* no item will come */
	atomic_uint takers;                       /* phase.setting.takers, for carriers that are none */
	/* With a team: how many items were handed to carriers, or came before those; changed by the taker. And how
	 * many of them a carrier has begun, with the takers of this phase, so that none begins one of another phase */
	_Atomic uint64_t handed, carried;
	bool by_members; /* .. its members fire; as conductor.phase */
	uint32_t *
		fired; /* by slot: stages that the item was fired by, as a mask; its carrier, then its publisher */

	_Atomic uint64_t device_ns; /* that the device was busy; changed by carriers */
	/* by a run's first stage: when device_ns is so much, the next one is timed. The carrier that has the device;
	 * the taker, while no item is in flight */
	uint64_t timed_from[PS_STAGES_MAX];

	/* conductor.phase is changed by the taker alone, while no item is in flight, with the lock: so carriers of
	 * items read it without */
	pthread_mutex_t lock;
	struct ps_conductor conductor; /* guarded by lock */
	struct ps_aim aim;             /* guarded by lock, before start(); then it is the conductor's */
	/* guarded by lock: of this phase */
	uint64_t began, taken_before; /* the clock; the task's `taken` */
	uint64_t first, last;         /* when an item was taken, and through */
	uint64_t edges;               /* of STAY's windows, which have begun or ended */
	uint64_t window_began, window_ended;
	uint64_t starved, blocked; /* the ports' waits when the phase, or this window, began */
	struct pstk_joules joules; /* the meter's, then */
	struct ps_samples samples;
};

/* BUILD. meter: the carriage's from now on; NULL: there is none. NULL: out of memory, and the meter is still the
 * caller's. */
struct ps_carriage *ps_carriage_create(
	struct pstk_pipeline *, const struct ps_aim *, struct ps_energy *meter);
void ps_carriage_destroy(struct ps_carriage *);

/* Fires the items of pipelines where there is no team. */
extern const struct ps_runner ps_carriage_runner;

/* The taker, with no item in flight, or start(): what is handed to carriers from now on, with a team, begins with this
 * item, and is for `takers`. */
void ps_carriage_hand_from(struct ps_carriage *, uint64_t item);

/* Carriers look again whether they take items; there will be none. Any thread. */
void ps_carriage_wake(struct ps_carriage *);
void ps_carriage_end(struct ps_carriage *);

/* destroy(), when the actors' tasks are gone. */
void ps_carriages_free(struct pstk_network *);

/* fire() of a pipeline's actor, and its init() and finish(). */
int ps_item_fire(struct pstk_firing *);
int ps_carriage_init(struct pstk_actor *);
int ps_carriage_finish(struct pstk_actor *);

/* start(). Which ports have which windows, and how many bytes of buffers a carrier has. -ENOMEM. */
int ps_item_wire(struct ps_carriage *, size_t *bytes);

/* start(): before any item. */
void ps_setting_begin(struct ps_carriage *, struct ps_task *);

/* What changes it: lib/firing's mover of a pipeline. */
extern const struct ps_mover ps_setting_mover;

/* Any thread, with the lock. A boundary is to come as soon as items in flight are published; nudge the task, without
 * the lock, if that says so. */
bool ps_setting_hasten(struct ps_carriage *);

/* A carrier: the item that it took at `began` is through. sample: what single steps have taken, of experiments. */
struct ps_item_times {
	uint64_t began, ended;
	uint64_t stage[PS_STAGES_MAX];
	uint64_t to_device[PS_STAGES_MAX + 1], to_host[PS_STAGES_MAX + 1];
};
void ps_setting_through(struct ps_carriage *, const struct ps_item_times *);

/* Adds to a figure of the carrier's own. */
static inline void ps_carrier_count(_Atomic uint64_t *figure, uint64_t more)
{
	atomic_store_explicit(
		figure, atomic_load_explicit(figure, memory_order_relaxed) + more, memory_order_relaxed);
}

/* ns that carriers were busy on the cores; items by path. Any thread, once start() has made them. */
uint64_t ps_carriage_busy_ns(const struct ps_carriage *);
uint64_t ps_carriage_items(const struct ps_carriage *, bool on_device);

/* The clock of trainings, monitor and bound. Only tests replace it. */
extern uint64_t (*ps_setting_clock)(void);

/* The carrier whose thread this is; NULL: none. */
extern _Thread_local struct ps_carrier *ps_carrier_current __attribute__((tls_model("initial-exec")));

#endif
