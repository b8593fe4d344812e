/* SPDX-License-Identifier: MIT */
/* Device: a process as launches of its kernel. */
#ifndef PENSTOCK_BENCHMARKS_DAL_BASELINE_DEVICE_H
#define PENSTOCK_BENCHMARKS_DAL_BASELINE_DEVICE_H

#include "benchmarks/dal/baseline_process.h"

/* The thread of a process that is on a device: launches until it ends. */
void baseline_device_fire(struct baseline_process *);

#endif
