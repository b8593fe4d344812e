/* SPDX-License-Identifier: MIT */
/* What being movable costs while nothing moves: a chain of a source, a kernel and a sink. */
#ifndef PENSTOCK_BENCHMARKS_MIGRATE_STEADY_H
#define PENSTOCK_BENCHMARKS_MIGRATE_STEADY_H

#include "benchmarks/common/rounds.h"

/* Runs or lists four tables: kernels of 1 ms and of 20 us, homes in shared memory and staged. absent: why they can't be
 * run; NULL: they can. */
void migrate_steady(const struct rounds_options *, const char *absent);

#endif
