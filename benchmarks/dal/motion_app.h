/* SPDX-License-Identifier: MIT */
/* Motion detection as a DAL application: its processes at a rate, and one run of it. */
#ifndef PENSTOCK_BENCHMARKS_DAL_MOTION_APP_H
#define PENSTOCK_BENCHMARKS_DAL_MOTION_APP_H

#include "benchmarks/dal/app.h"

/* For tables of rounds.h; arg: a struct app_way. On a device the maps are compared in there, the hash is
 * 0, and the time is that from the first frame to the last map. */
uint64_t motion_app_run(const void *arg, uint64_t frames);
uint64_t motion_app_run_device(const void *arg, uint64_t frames);

#endif
