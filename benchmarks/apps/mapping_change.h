/* SPDX-License-Identifier: MIT */
/* Change: what adapting costs and gives while it runs, on simulated stages. Each prints what it finds. */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_CHANGE_H
#define PENSTOCK_BENCHMARKS_MAPPING_CHANGE_H

#include "benchmarks/apps/mapping_measure.h"

/* The time to predict all configurations and to choose: of 48 and of 384. */
void mapping_change_model(void);

/* Times of stages that change to and fro: against configurations that are switched at once, and against the better one
 * of the two. */
void mapping_change(const struct mapping_how *);

/* A training is asked for without a pause: against the configuration that it chooses, fixed. */
void mapping_change_retrain(const struct mapping_how *);

/* From a switch asked for to the first item under it. */
void mapping_change_switch(const struct mapping_how *, uint64_t seed);

#endif
