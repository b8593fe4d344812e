/* SPDX-License-Identifier: MIT */
/* Report: what was measured of pipelines of simulated stages, as tables and as JSON. */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_REPORT_H
#define PENSTOCK_BENCHMARKS_MAPPING_REPORT_H

#include "benchmarks/apps/mapping_measure.h"

/* One pipeline. */
struct mapping_result {
	struct mapping_pipeline is;
	struct mapping_rates expected; /* of a file */
	struct mapping_figure figures[MAPPING_CONFIGURATIONS];
	double simulated[MAPPING_CONFIGURATIONS]; /* ideal */
	double late[MAPPING_CONFIGURATIONS];      /* .. with stages as late as in the run */
	unsigned best;
	bool chosen;                                     /* the rest is there */
	struct mapping_choice choices[MAPPING_CHOOSERS]; /* no thread: it can't choose of this one */
	struct mapping_predictions predictions;          /* of the pipeline that chose by MAPPING_CAPACITY */
	double of_best[MAPPING_CHOOSERS];                /* measured score by that of the best, in turn */
	double of_best_ideal[MAPPING_CHOOSERS];          /* rates, by the simulation */
};

/* Each configuration, measured and simulated. */
void mapping_report_fixed(const struct mapping_result *);

/* How many are within a tenth of what is expected. */
void mapping_report_within(const struct mapping_result *, unsigned count);

/* What was chosen of one; of all of them. */
void mapping_report_choices(const struct mapping_result *, const struct mapping_how *);
void mapping_report_losses(const struct mapping_result *, unsigned count, const struct mapping_how *);

/* Ends the program if the file can't be written. */
void mapping_report_json(const char *path, const struct mapping_result *, unsigned count);

#endif
