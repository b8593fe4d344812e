/* SPDX-License-Identifier: MIT */
/* The figures of a run, as JSON. */
#ifndef MOTION_DETECTION_STATS_H
#define MOTION_DETECTION_STATS_H

#include "apps/motion_detection/network.h"

struct stats;

/* Opens a file beside PATH (a device: itself), so that a name that can't be written is known before the run. path
 * NULL: *stats is NULL and that is all. 0, or what to exit with; said then. */
int stats_open(struct stats **stats, const char *path);

/* Writes the figures and gives the file its name; frees it. */
int stats_write(struct stats *, const struct motion *, const struct options *, const struct motion_times *);

/* Frees it and removes what was begun. */
void stats_drop(struct stats *);

#endif
