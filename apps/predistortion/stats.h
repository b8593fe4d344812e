/* SPDX-License-Identifier: MIT */
/* What is left of a run beside the signal: its figures as JSON, its spectra as a picture. */
#ifndef PREDISTORTION_STATS_H
#define PREDISTORTION_STATS_H

#include "apps/common/plot.h"
#include "apps/common/report.h"
#include "apps/predistortion/network.h"

struct stats {
	struct report *report; /* NULL: none, or not open yet */
	struct plot *plot;     /* as report */
};

/* Opens those of both that are asked for, and not open yet: FIFOs only, whose opening may wait, or all. 0, or
 * what to exit with; said then. */
int stats_open(struct stats *, const struct options *, bool fifos);

/* Writes both. After a run that was aborted there is neither, they would be of a part. 0, or what to exit
 * with; said then. */
int stats_write(struct stats *, const struct predistortion *, const struct options *, const struct running *);

/* Removes what was begun and not written. */
void stats_drop(struct stats *);

#endif
