/* SPDX-License-Identifier: MIT */
/*
 * Adapt: section V-B of the paper, on simulated stages: what a training costs, after how long a switch to the new best
 * configuration has paid for it, and what is lost without one. A stream changes from one pipeline's times to the other
 * one's and back.
 */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_ADAPT_H
#define PENSTOCK_BENCHMARKS_MAPPING_ADAPT_H

#include "benchmarks/apps/mapping_measure.h"

enum { MAPPING_ADAPT_PHASES = 3 }; /* A, B, A */

/* Each phase takes so many times what its own training has cost. */
enum { MAPPING_ADAPT_DTS = 20 };

struct mapping_phase {
	double seconds, items, energy;    /* energy: J an item, outside of trainings; NAN: no meter */
	double training, dt;              /* s: of the training of this phase; 0: there was none */
	unsigned trainings;               /* in it */
	struct pstk_configuration at_end; /* what it was under */
};

struct mapping_adaptation {
	struct mapping_pipeline is[2];                     /* A, B */
	struct pstk_configuration best[2];                 /* for each of them */
	struct mapping_figure under[2][2];                 /* [of which one][under whose best] */
	struct mapping_phase phases[MAPPING_ADAPT_PHASES]; /* the first one begins behind its training */
	double of_once; /* the time that switching at once would need for the same items, by that it took */
	double of_fixed[2]; /* .. that one best configuration would need */
};

/* Figures of `phases` and `under` make of_once, of_fixed. */
void mapping_adapt_compare(struct mapping_adaptation *);

/* How many times as fast it is with the own best configuration as with the other one's, and when a switch to it has
 * paid for the training, s; INFINITY: never. to: of which pipeline. */
double mapping_adapt_gain(const struct mapping_adaptation *, unsigned to);
double mapping_adapt_break_even(const struct mapping_adaptation *, unsigned to);

/* Measures and prints. json: NULL: no file. */
void mapping_adapt(const struct mapping_pipeline is[2], const struct mapping_how *, const char *json);

/* Ends the program if the file can't be written. */
void mapping_adapt_json(const char *path, const struct mapping_adaptation *);

#endif
