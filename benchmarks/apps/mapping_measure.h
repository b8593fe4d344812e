/* SPDX-License-Identifier: MIT */
/* Measure: what a configuration gives on the bed, what an adaptive pipeline chooses there, what the simulation says. */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_MEASURE_H
#define PENSTOCK_BENCHMARKS_MAPPING_MEASURE_H

#include "benchmarks/apps/mapping_bed.h"

#include <stdio.h>

enum { MAPPING_ROUNDS = 31 };

struct mapping_how {
	double settle, seconds; /* of a run: before what counts, and that */
	unsigned rounds;        /* of which medians are taken */
	unsigned in_flight;     /* 0: the library's default */
	struct mapping_bed_options bed;
	enum pstk_objective objective;
	const char *meter; /* NULL: none */
};

struct mapping_figure {
	double rate;   /* items/s */
	double energy; /* J an item; NAN: no meter */
	double late;   /* mapping_cores_late() */
};

/* One configuration, fixed: one run. */
void mapping_measure_fixed(const struct mapping_pipeline *, const struct pstk_configuration *,
	const struct mapping_how *, struct mapping_figure *);

/* All of them, one by one, round by round: medians. */
void mapping_measure_all(const struct mapping_pipeline *, const struct mapping_how *,
	struct mapping_figure figures[MAPPING_CONFIGURATIONS]);

/* The higher, the better, by the objective. */
double mapping_score(const struct mapping_how *, double rate, double energy);

/* The best of all by the objective. */
unsigned mapping_best(const struct mapping_pipeline *, const struct mapping_how *,
	const struct mapping_figure figures[MAPPING_CONFIGURATIONS]);

/* What chooses. */
enum mapping_chooser { MAPPING_CAPACITY, MAPPING_PAPER, MAPPING_BASELINE, MAPPING_CHOOSERS };
extern const char *const mapping_choosers[MAPPING_CHOOSERS];

struct mapping_choice {
	struct pstk_configuration chosen;
	struct pstk_prediction predicted; /* NAN: it was not */
	struct mapping_figure measured;   /* of the same run, behind the choice */
	double training;                  /* s */
};

/* One adaptive run: it chooses, and goes on. */
void mapping_measure_choice(const struct mapping_pipeline *, enum mapping_chooser, const struct mapping_how *,
	struct mapping_choice *);

/* Items/s by the simulation, with as many items in flight as the run has. late: a stage takes so much
 * longer on average, each time by another share; 1: none does. */
double mapping_measure_simulated(const struct mapping_pipeline *, const struct pstk_configuration *,
	const struct mapping_how *, double late);

double mapping_median(double *values, unsigned count);

#endif
