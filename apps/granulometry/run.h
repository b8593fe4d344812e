/* SPDX-License-Identifier: MIT */
/* Run: all that a run of the program needs, opened and closed together. */
#ifndef GRANULOMETRY_RUN_H
#define GRANULOMETRY_RUN_H

#include "apps/common/report.h"
#include "apps/granulometry/options.h"
#include "apps/granulometry/results.h"
#include "apps/granulometry/source.h"

struct granulometry_run {
	struct inputs inputs;
	struct source source;
	struct results results;
	struct granulometry_spec spec;
	struct granulometry g;
};

/* Opens the inputs, chooses the split, builds the network. 0, or what to exit with; said then. In both cases
 * granulometry_run_close() follows. */
int granulometry_run_open(struct granulometry_run *, const struct options *);

/* Writes the figures and gives the file its name; frees the report. As above. */
int granulometry_run_report(
	struct report *, const struct granulometry_run *, const struct options *, const struct running *);

void granulometry_run_close(struct granulometry_run *);

#endif
