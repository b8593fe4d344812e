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
 * A setting changes at a boundary: the carrier that is the taker finds a change due (lib/firing/mover.h), takes no
 * further item until those in flight are published, changes it, and goes on. So each item is carried under one setting,
 * and none is lost, doubled or out of order. tests/models/setting.pml is this protocol.
 */
#ifndef PENSTOCK_CARRIAGE_H
#define PENSTOCK_CARRIAGE_H

#include "lib/firing/task.h"
#include "lib/model/pipeline.h"
#include "lib/parallel/crew.h"

/* What carriers do. */
struct ps_setting {
	struct pstk_configuration configuration;
	bool waits;      /* items wait for the device, rather than fall back: medium grain */
	unsigned takers; /* carriers that take items */
};

/* What the program wants. */
struct ps_aim {
	enum { PS_AIM_ADAPTIVE, PS_AIM_FIXED, PS_AIM_BASELINE } kind;
	struct pstk_configuration fixed;
};

/* Where a stage's port has its window. */
struct ps_wire {
	unsigned border; /* the port of the pipeline's actor; PS_NO_PORT: it leads to other stages alone */
	unsigned stage, port; /* an input that another stage writes: that stage, and its port */
	size_t offset, bytes; /* an output without a border: its buffer in the carrier's memory */
};

/* One thread of the pipeline's. */
struct ps_carrier {
	struct ps_carriage *of;
	unsigned index;
	unsigned char *buffers; /* what lies between stages; its own */
};

struct ps_carriage {
	/* constant after start */
	struct pstk_pipeline *pipeline;
	struct ps_task *task;                 /* set by start() under lock */
	struct ps_wire *wires[PS_STAGES_MAX]; /* by stage and port */
	struct ps_carrier *carriers;
	unsigned carrier_count; /* nC + 1 */
	struct ps_crew *crew;

	atomic_uint begun; /* carriers whose thread runs */
	atomic_bool over;  /* no item will come */

	/* changed by the taker while no item is in flight */
	struct ps_setting now;
	atomic_uint takers; /* now.takers, for carriers that are no takers */

	uint32_t *
		fired; /* by slot: stages that the item was fired by, as a mask; its carrier, then its publisher */

	pthread_mutex_t lock;
	/* guarded by lock */
	struct ps_aim aim;
	bool asked; /* it has changed since the taker has looked */

	atomic_ullong on_device, on_cores; /* items by path; changed by carriers */
};

/* BUILD. NULL: out of memory. */
struct ps_carriage *ps_carriage_create(struct pstk_pipeline *, const struct ps_aim *);
void ps_carriage_destroy(struct ps_carriage *);

/* Fires the items of pipelines. */
extern const struct ps_runner ps_carriage_runner;

/* destroy(), when the actors' tasks are gone. */
void ps_carriages_free(struct pstk_network *);

/* fire() of a pipeline's actor, and its init() and finish(). */
int ps_item_fire(struct pstk_firing *);
int ps_carriage_init(struct pstk_actor *);
int ps_carriage_finish(struct pstk_actor *);

/* start(). Which ports have which windows, and how many bytes of buffers a carrier has. -ENOMEM. */
int ps_item_wire(struct ps_carriage *, size_t *bytes);

/* Any thread. What the program wants from now on. */
void ps_setting_ask(struct ps_carriage *, const struct ps_aim *);

/* start(): before any item. */
void ps_setting_begin(struct ps_carriage *, struct ps_task *);

/* What changes it: lib/firing's mover of a pipeline. */
extern const struct ps_mover ps_setting_mover;

/* The carrier whose thread this is; NULL: none. */
extern _Thread_local struct ps_carrier *ps_carrier_current __attribute__((tls_model("initial-exec")));

#endif
