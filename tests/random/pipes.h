/* SPDX-License-Identifier: MIT */
/* Pipelines in random networks: actors that are run as several stages (stages.h), and what happens to them. */
#ifndef PENSTOCK_TESTS_PIPES_H
#define PENSTOCK_TESTS_PIPES_H

#include "tests/random/run_actor.h"
#include "tests/random/stages.h"

#include <penstock/pipeline.h>

struct pipe;

/* One stage: the arg of its callbacks. */
struct pipe_stage {
	struct pipe *of;
	unsigned number;
	struct pstk_actor *actor;
	_Atomic uint64_t begun, ran, numbers; /* as those of struct run_actor */
};

struct pipe {
	struct run *run;
	struct run_actor *actor; /* that it is to the network */
	struct stages plan;
	struct pipe_stage stages[STAGES_MOST];
	const char *device;       /* NULL: it has none */
	uint32_t forms;           /* stages with a fire_cl(), as a mask; 0 without a device */
	bool inner_first;         /* FIFOs between stages were connected before all others */
	unsigned inits, finishes; /* of stages, one after the other */
	unsigned error_at;        /* error: of this stage .. */
	uint64_t first_error;     /* .. in this item; UINT64_MAX: none */
};

/* pipes.c: building; in run_build(). */
void pipes_add_stages(struct run *, struct net_built *, unsigned a);
void pipes_connect(struct run *, struct net_built *, bool first);
void pipes_make(struct run *, struct net_built *);
/* NULL: the actor is no pipeline. */
struct pipe *pipes_of(unsigned a);
/* Of several networks that are parts of one: where it runs. */
struct pstk_pipeline *pipes_made(const struct pipe *);
/* Its stages after a run in which it has published so many items. */
void pipes_compare(struct run *, unsigned a, uint64_t items, struct net_totals *);

/* Where stages run beside the cores; before the first run. fire_cl: theirs; NULL: on the cores alone. */
struct pipes_devices {
	const char *const *names;
	unsigned count;
	int (*fire_cl)(struct pstk_firing *);
};
extern struct pipes_devices pipes_devices;

/* pipes_cl.c, with OpenCL: stages run on one of these, too. */
void pipes_on(const char *const *devices, unsigned count);

/* pipes_fire.c */
int pipes_fire(struct pstk_firing *);
/* fire_cl(): windows are copies on the host. Each port is opened once, and closed; or left, when the item is the last
 * one. */
struct pipes_windows {
	void *(*open)(struct pstk_firing *, unsigned port, bool reads); /* NULL: an error */
	int (*close)(struct pstk_firing *, unsigned port, bool reads, uint32_t moved);
};
int pipes_fire_on(struct pstk_firing *, const struct pipes_windows *);
/* What happens in an item of it. */
void pipes_foretell(const struct pipe *, uint64_t item, struct stages_item *);

/* pipes_switch.c: configurations that are changed by a thread of its own and by actors; and what ends a run early. */
enum pipes_event { PIPES_NOTHING, PIPES_ERROR, PIPES_ABORT, PIPES_STOP };
extern enum pipes_event pipes_event; /* of the runs from now on */
void pipes_random_configuration(const struct pipe *, struct test_rng *, char *text, size_t size);
void pipes_begin(struct run *);
void pipes_switch_any(const struct run_actor *); /* in a callback: now and then */
/* err: what the run has returned. true: an event was to come, and what is left has been compared. */
bool pipes_end(struct run *, int err, struct net_totals *);
/* The stage that is to fail in this item; STAGES_MOST: none. */
unsigned pipes_fails_at(const struct pipe *, uint64_t item);

#endif
