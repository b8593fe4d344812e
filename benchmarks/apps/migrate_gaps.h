/* SPDX-License-Identifier: MIT */
/*
 * The gaps of many moves, beside those of controls in the same run: moves to where the actor is already. What a control
 * has above one period is the machine's, not the move's.
 */
#ifndef PENSTOCK_BENCHMARKS_MIGRATE_GAPS_H
#define PENSTOCK_BENCHMARKS_MIGRATE_GAPS_H

#include "benchmarks/apps/migrate_network.h"

/* What this share of the values does not exceed; 0: there is none. Sorts them. */
double migrate_quantile(double *values, unsigned n, double share);

/* Of the moves of one scenario. Medians; s. */
struct migrate_gaps {
	unsigned moves, controls, k;
	double period, gap, bound;
	double excess,
		excess_95; /* of the controls: gap less period; its median, and what 95 of 100 don't exceed */
	double of_periods; /* (gap less excess) by (k + 1) periods */
	double within, within_median; /* share of moves within 1.1 x bound + excess_95, + excess */
	double before,
		after; /* latencies: of the last firing at the old place, of the first one at the new place */
	double switched; /* from its boundary until it is at the new place */
};

/* Scenarios 0, or 1 and 2, which are made in turn in one run: gaps[scenario] is filled. */
void migrate_gaps_run(struct saliency_frames *, bool equal, unsigned moves, struct migrate_gaps *gaps);

/* Of the moves to that place; NULL: of all but controls. */
void migrate_gaps_measure(const struct migrate_ran *, const char *to, struct migrate_gaps *);

/* A table with a line each, beside the gap of lock-step, s; 0: it was not measured. */
void migrate_gaps_print_head(void);
void migrate_gaps_print(const char *name, const struct migrate_gaps *, double lockstep);

#endif
