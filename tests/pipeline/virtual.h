/* SPDX-License-Identifier: MIT */
/*
 * A pipeline in virtual time: threads, cores, a device, a source and a sink that are nothing but times, so that the
 * conductor can be driven through hours of them. Each stage takes the time that the test says, which may change.
 *
 * What the conductor comes to is compared with what follows from the same events by other code: measurements by
 * medians of what was simulated, candidates by tests/mapping/mapper_oracle.h, dt and the interval by eqs. 1 and 2 of
 * the paper. So each run checks that, whatever its test looks at.
 */
#ifndef PENSTOCK_TESTS_VIRTUAL_H
#define PENSTOCK_TESTS_VIRTUAL_H

#include "lib/pipeline/conductor.h"
#include "tests/mapping/pipeline.h"

#define MS UINT64_C(1000000)
#define SEC UINT64_C(1000000000)

enum { VIRTUAL_PHASES = 4096, VIRTUAL_CANDIDATES = 64 };

/* A phase that is over. */
struct virtual_phase {
	struct ps_phase is;
	uint64_t items, began, ended;
	bool first; /* of a training */
};

/* One thread. */
struct virtual_thread {
	uint64_t ready;
	uint64_t item;                    /* its number */
	unsigned stage, end;              /* of the item, and of its run */
	bool busy, device, was_on_device; /* it has an item; this run, or one before it, is on the device */
	uint64_t began, stages[PS_STAGES_MOST];
};

struct virtual_line {
	/* the test's, before virtual_begin() */
	struct pstk_pipeline_spec spec;
	unsigned stages;
	uint32_t device_ok;
	bool metered, splits;
	/* .. at any time: ns */
	uint64_t core[PS_STAGES_MOST], medium[PS_STAGES_MOST], device[PS_STAGES_MOST];
	uint64_t h2d[PS_STAGES_MOST + 1], d2h[PS_STAGES_MOST + 1];
	uint64_t source_gap, sink_gap; /* between two items; 0: at once */
	struct pstk_joules watts;      /* of a busy core, the busy device, the rest always */
	bool meter_fails;
	double (*factor)(const struct virtual_line *, uint64_t item); /* of the item's times; NULL: 1 */

	struct ps_conductor conductor;
	uint64_t now;
	uint64_t items, on_device; /* that were taken; of those: over the device */
	struct virtual_phase *log; /* the latest ones */
	unsigned phases;
	unsigned trainings, begun; /* that are over, and were begun; of an adaptive pipeline */
	unsigned choices;
	double dt, interval; /* s: of the latest one, as they should be */
	double costs;        /* dt of all but the first */
	uint64_t trained_at; /* 0: never */

	/* its own */
	struct virtual_thread threads[PS_CARRIERS_MOST];
	uint64_t cores_free[PS_CARRIERS_MOST], medium_free, device_free, claim_free, source_at, sink_at;
	uint64_t taken, through, in_flight, began, first, last, window_began, window_ended;
	uint64_t starved, blocked, starved_before, blocked_before;
	double core_busy, device_busy; /* s */
	struct pstk_joules joules;
	bool hastened;
	struct ps_samples samples;
	struct pipeline model, former; /* what was measured; before this training */
	bool warm;                     /* a round of these threads was before */
	double walls, trying;
	uint64_t trained_items, tried_items, training_began;
	unsigned training_for;                               /* what aim */
	struct pstk_configuration before;                    /* where it stayed until then */
	bool training, spoiled, unmetered, former_unmetered; /* one goes on; a candidate was fed too slowly */
	unsigned candidate_count, candidate;
	struct pstk_prediction candidates[VIRTUAL_CANDIDATES], tried[VIRTUAL_CANDIDATES];
	bool given_up[VIRTUAL_CANDIDATES]; /* before they had run all windows */
	bool waited[VIRTUAL_CANDIDATES];   /* they were fed too slowly */
	uint64_t windows, starved_windows; /* of this STAY */
	double reference, means[4];        /* windows but the first: items, s, items with joules, joules */
};

/* Stages of 1 ms on a core that scale ideally, and of half of it on the device; 2 cores, saturated; candidates,
 * repetitions and the like are the defaults. */
void virtual_make(struct virtual_line *, unsigned stages, unsigned cores);
void virtual_begin(struct virtual_line *, const struct ps_aim *); /* NULL: adaptive */
void virtual_end(struct virtual_line *);

/* Until this time. */
void virtual_run(struct virtual_line *, uint64_t until);
/* Until a phase of this kind has begun. */
void virtual_until(struct virtual_line *, enum ps_phase_kind);
/* Until so many windows of this STAY are closed. */
void virtual_windows(struct virtual_line *, uint64_t windows);

/* What a program asks for. */
void virtual_aim(struct virtual_line *, const struct ps_aim *);
void virtual_retrain(struct virtual_line *);
void virtual_goal(struct virtual_line *, const struct pstk_goal *);

/* The n-th phase that is over, from 0; negative: from the end. */
const struct virtual_phase *virtual_phase(const struct virtual_line *, int n);

#endif
