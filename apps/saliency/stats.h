/* SPDX-License-Identifier: MIT */
/* The figures of a run, as JSON. */
#ifndef SALIENCY_STATS_H
#define SALIENCY_STATS_H

#include "apps/common/report.h"
#include "apps/saliency/network.h"

/* Writes the figures and gives the file its name; frees the report. 0, or what to exit with; said then. */
int stats_write(struct report *, const struct saliency *, const struct options *, const struct running *);

#endif
