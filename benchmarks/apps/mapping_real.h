/* SPDX-License-Identifier: MIT */
/* Real: pipelines of stages that compute, on the cores of this machine. Each prints what it finds. */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_REAL_H
#define PENSTOCK_BENCHMARKS_MAPPING_REAL_H

#include "benchmarks/apps/mapping_measure.h"

/* gauss and median of a frame, light and heavy: threads that carry frames against a team, and oneTBB. */
void mapping_real_coarse(const struct mapping_how *);

/* One large frame on two cores: a stage's loop over rows against OpenMP's. */
void mapping_real_medium(const struct mapping_how *);

/* One core beside half a PoCL device: four random pipelines, each chosen against the best of all configurations. */
void mapping_real_half(const struct mapping_how *, uint64_t seed, const char *json);

#endif
