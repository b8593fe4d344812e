/* SPDX-License-Identifier: MIT */
/* The figures of a run, as JSON. */
#ifndef MOTION_DETECTION_STATS_H
#define MOTION_DETECTION_STATS_H

#include "apps/common/report.h"
#include "apps/motion_detection/network.h"

/* Writes the figures and gives the file its name; frees the report. 0, or what to exit with; said then. */
int stats_write(struct report *, const struct motion *, const struct options *, const struct running *);

#endif
