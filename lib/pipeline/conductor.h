/* SPDX-License-Identifier: MIT */
/*
 * Conductor: under which setting a pipeline runs, and for how many items. It knows no threads and no clock: setting.c
 * tells it what has happened, with the times, and asks what is next.
 *
 *	a phase                        items                 what it tells
 *	CORES   one thread             repetitions           T_CG1 of each stage
 *	SIDE    n threads, n = 2 ..    rounds of n items     T_CG(n)
 *	DEVICE  one thread             repetitions           T_G of each stage, h2d, d2h
 *	MEDIUM  all cores on one item  repetitions           T_MG of each stage
 *	        -- the model predicts all configurations (penstock/mapper.h), and chooses the best ones --
 *	TRY     a candidate            four windows, and     its rate: of all windows but the first; one that falls
 *	                               those around them     behind the best so far has fewer
 *	STAY    the best of them       until all changes     windows: a rate that has changed, twice running, is a
 *	                                                     reason to train again, once eq. 2 allows it
 *
 * Between two phases no item is in flight. CORES to TRY are a training.
 */
#ifndef PENSTOCK_CONDUCTOR_H
#define PENSTOCK_CONDUCTOR_H

#include "lib/pipeline/samples.h"
#include "penstock/pipeline.h"

enum {
	PS_CARRIERS_MOST = 256,           /* cores + 1 */
	PS_CONFIGURATIONS_MOST = 1 << 20, /* that an adaptive pipeline may choose from */
	PS_TRAININGS_KEPT = 8,            /* of which a report tells one by one */
	PS_CHANGES_KEPT = 64              /* .. of configurations */
};

/* What carriers do. */
struct ps_setting {
	struct pstk_configuration configuration;
	bool waits; /* items wait for the device, and, in medium grain, for the cores, rather than fall back */
	bool timed;      /* each step of the device is measured by itself */
	unsigned takers; /* carriers that take items */
};

/* What the program wants. */
struct ps_aim {
	enum { PS_AIM_ADAPTIVE, PS_AIM_FIXED, PS_AIM_BASELINE } kind;
	struct pstk_configuration fixed;
};

enum ps_phase_kind {
	PS_PHASE_CORES,
	PS_PHASE_SIDE,
	PS_PHASE_DEVICE,
	PS_PHASE_MEDIUM,
	PS_PHASE_TRY,
	PS_PHASE_STAY
};

struct ps_phase {
	enum ps_phase_kind kind;
	struct ps_setting setting;
	uint64_t items; /* to be taken; UINT64_MAX: until something else is wanted */
	/* TRY, STAY: items that are through before its first window begins, and how many each window has. SIDE: of a
	 * round */
	unsigned before, window;
	unsigned windows; /* TRY */
};

/* What a phase has come to. Times are the clock's, ns. */
struct ps_phase_end {
	uint64_t items;        /* that were taken, and are published */
	uint64_t began, ended; /* from the boundary before it to that behind it */
	uint64_t first, last;  /* when its first item was taken, and its last one through; 0: it had none */
	uint64_t starved_ns, blocked_ns;     /* a thread waited for input, or for room behind */
	uint64_t window_began, window_ended; /* TRY: all but the first one; 0: it had not so many items */
	const struct ps_samples *samples;
	const struct pstk_joules *joules; /* that all its items took; NULL: there is no meter */
};

/* Windows of STAY, since it began. */
struct ps_monitor {
	double reference; /* items/s, of the first window that counts, from the second one on; 0: there was none */
	double rate;      /* .. of the latest one */
	unsigned off, on; /* windows running that were off the reference by more than `change`, or not */
	bool changed;     /* `pending` is of these windows */
	uint64_t windows, starved, blocked; /* the latter two don't count */
	double joules;                      /* an item, of the latest; NAN */
	/* of all but the first: items, and the seconds that they took; items with known joules, and these */
	double items, seconds, metered_items, all_joules;
};

/* What a training has measured; what it has cost. */
struct ps_training {
	bool there;    /* all that the choice needs */
	uint32_t done; /* experiments, as a mask of their kinds */
	double t_cg1[PS_STAGES_MOST], t_g[PS_STAGES_MOST], t_mg[PS_STAGES_MOST], t_cg[PS_CARRIERS_MOST];
	double h2d[PS_STAGES_MOST + 1], d2h[PS_STAGES_MOST + 1];
	struct pstk_joules e_cg1[PS_STAGES_MOST], e_g[PS_STAGES_MOST], e_mg[PS_STAGES_MOST],
		e_cg[PS_CARRIERS_MOST];
	double walls[PS_CARRIERS_MOST]; /* s that the phases took: one thread, n threads, .. */
	double wall_g, wall_mg, trying; /* .. the device, medium grain; candidates */
	uint64_t items, tried_items;
	bool estimated; /* T_CG(n) of some n, because items came too slowly to be side by side */
	bool unmetered; /* the meter could not be read: its joules are none */
	bool split;     /* joules of stages are shares, by time, of those of whole items */
};

struct ps_conductor {
	/* constant after create */
	const struct pstk_pipeline_spec *spec;
	unsigned stages, window;
	uint32_t device_ok;
	bool metered, splits; /* there is a meter; it needs PS_ENERGY's repetitions */
	struct pstk_prediction *list;
	unsigned room; /* of list; 0: too many to choose from */

	struct ps_aim aim, pursued; /* what is wanted; what the phase follows from */
	struct pstk_goal goal;
	bool regoal; /* it has changed, and nothing was chosen by it */
	struct ps_phase phase;
	enum pstk_pipeline_why why;
	unsigned repetition; /* of this experiment */
	double item_s;       /* .. its item's seconds, if they are known; 0: they are not */
	unsigned side;       /* SIDE: n */

	struct ps_training training,
		former; /* the latest, which may go on; the one before it, until it is over */
	struct pstk_candidate *candidates; /* spec->candidates; predictions, then what was measured .. */
	struct pstk_prediction *measured;
	unsigned candidate_count, candidate;
	bool *waited;      /* by candidate: its windows waited for others: it may be faster than they say */
	unsigned waits;    /* so many did */
	double rate, lead; /* items/s: of this candidate, so far; of the fastest one so far; 0: none */
	bool hopeless;     /* this one is too slow to be the best */
	unsigned whole;    /* so many have run all their windows; they are at the front of `list` */
	struct pstk_prediction predicted; /* of the one that stays */

	struct ps_monitor monitor;
	bool trains;           /* a training goes on */
	bool pending, retrain; /* a training is wanted; by the program */
	/* the clock, when the latest one would have been over if it had done nothing but cost dt; 0: there was none */
	uint64_t trained_at;
	uint64_t training_began;
	double dt, interval; /* s: what it has cost, and until the next one may be */
	unsigned trainings;
	struct pstk_pipeline_training log[PS_TRAININGS_KEPT]; /* the latest of them: training n at n % that */
	struct pstk_pipeline_training begun;                  /* what is known of one when it begins */
	bool awaits_gain; /* the latest one's rate_after is not known yet */
	struct pstk_pipeline_change changes[PS_CHANGES_KEPT]; /* the latest: change n at n % that */
	uint64_t change_count;
	double training_s, overhead_s; /* of all; dt of all but the first */
	uint64_t training_items;
	uint64_t began_at;
};

/* BUILD or start(). Everything of it is 0. -ENOMEM. */
int ps_conductor_init(struct ps_conductor *, const struct pstk_pipeline_spec *, unsigned stages,
	uint32_t device_ok, bool metered, bool splits);
void ps_conductor_fini(struct ps_conductor *);

/* Is it possible that it chooses by itself? */
bool ps_conductor_may_adapt(const struct pstk_pipeline_spec *, unsigned stages, uint32_t device_ok);

/* start(): the first phase. */
void ps_conductor_begin(struct ps_conductor *, const struct ps_aim *, uint64_t now);

/* What is wanted has changed. true: a boundary is to come at once. */
bool ps_conductor_aim(struct ps_conductor *, const struct ps_aim *);
bool ps_conductor_retrain(struct ps_conductor *, uint64_t now);
bool ps_conductor_set_goal(struct ps_conductor *, const struct pstk_goal *);

/* At a boundary: what the phase has come to. true: `phase` is another one, which begins; false: it goes on. */
bool ps_conductor_step(struct ps_conductor *, const struct ps_phase_end *);

/* A candidate's windows, n of them behind the first one, in ns. true: it will not be the best, and the boundary is to
 * come at once. */
bool ps_conductor_try_windows(
	struct ps_conductor *, unsigned n, uint64_t ns, uint64_t starved_ns, uint64_t blocked_ns);

/* A window of STAY, in which items/ns. true: the boundary is to come at once. */
bool ps_conductor_window(struct ps_conductor *, uint64_t ns, uint64_t starved_ns, uint64_t blocked_ns,
	const struct pstk_joules *joules, uint64_t now);

/* The latest training that was not given up: one that goes on has not all measurements yet. */
const struct ps_training *ps_conductor_latest(const struct ps_conductor *);

/* Its measurements, as the mapper takes them: arrays are the conductor's. */
struct pstk_measurements ps_conductor_measurements(const struct ps_conductor *);

#endif
