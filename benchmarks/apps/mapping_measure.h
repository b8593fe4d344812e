/* SPDX-License-Identifier: MIT */
/* Measure: what a configuration gives on the bed, what an adaptive pipeline chooses there, what the simulation says. */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_MEASURE_H
#define PENSTOCK_BENCHMARKS_MAPPING_MEASURE_H

#include "benchmarks/apps/mapping_bed.h"

#include <stdio.h>

enum { MAPPING_ROUNDS = 31, MAPPING_RULES = PSTK_RULE_PAPER + 1 };

struct mapping_how {
	double settle, seconds; /* of a run: before what counts, and that */
	unsigned rounds;        /* of which medians are taken */
	unsigned passes;        /* rounds of mapping_measure_all(); 0: as many */
	unsigned in_flight;     /* 0: the library's default */
	struct mapping_bed_options bed;
	enum pstk_objective objective;
	const char *meter; /* NULL: none */
	/* Of mapping_measure_all(): so many configurations, the best by the simulation; with them go those without the
	 * device, and the device alone. All of them are measured without `some`. */
	bool some;
	unsigned most;  /* 0: none at all */
	unsigned again; /* a run in which threads woke too late is repeated, so many times at most */
};

struct mapping_figure {
	double rate;   /* items/s */
	double energy; /* J an item; NAN: no meter */
	double late;   /* mapping_cores_late() */
};

/* One configuration, fixed: one run. */
void mapping_measure_fixed(const struct mapping_pipeline *, const struct pstk_configuration *,
	const struct mapping_how *, struct mapping_figure *);

/* All of them, one by one, round by round: medians. NAN: it was not measured. */
void mapping_measure_all(const struct mapping_pipeline *, const struct mapping_how *,
	struct mapping_figure figures[MAPPING_CONFIGURATIONS]);

/* The higher, the better, by the objective. */
double mapping_score(const struct mapping_how *, double rate, double energy);

/* The best of those that were measured by the objective. Were none, the best by the simulation. */
unsigned mapping_best(const struct mapping_pipeline *, const struct mapping_how *,
	const struct mapping_figure figures[MAPPING_CONFIGURATIONS]);

/* What chooses. */
enum mapping_chooser { MAPPING_CAPACITY, MAPPING_PAPER, MAPPING_BASELINE, MAPPING_CHOOSERS };
extern const char *const mapping_choosers[MAPPING_CHOOSERS];

struct mapping_choice {
	struct pstk_configuration chosen;
	struct pstk_prediction predicted; /* NAN: it was not */
	struct mapping_figure measured;   /* of the same run, behind the choice */
	double training, dt;              /* s: that it took; that it has cost */
};

/* What each rule predicts of all configurations; NAN: there is no meter. */
struct mapping_predictions {
	double rate[MAPPING_RULES][MAPPING_CONFIGURATIONS], energy[MAPPING_RULES][MAPPING_CONFIGURATIONS];
};

/* One adaptive run: it chooses, and goes on. predictions: from what it has measured of its stages; NULL: they are not
 * wanted. */
void mapping_measure_choice(const struct mapping_pipeline *, enum mapping_chooser, const struct mapping_how *,
	struct mapping_choice *, struct mapping_predictions *);

/* The score by the simulation, its energy by the meter's watts. */
double mapping_measure_simulated_score(
	const struct mapping_pipeline *, const struct pstk_configuration *, const struct mapping_how *);

/* Items/s by the simulation, with as many items in flight as the run has. late: a stage takes so much
 * longer on average, each time by another share; 1: none does. */
double mapping_measure_simulated(const struct mapping_pipeline *, const struct pstk_configuration *,
	const struct mapping_how *, double late);

double mapping_median(double *values, unsigned count);

#endif
