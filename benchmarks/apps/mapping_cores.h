/* SPDX-License-Identifier: MIT */
/*
 * Simulated cores: work takes time by the clock and none of a real core, so a machine of two can have four that are
 * all busy. Work that is on more cores than there are shares these alike, as threads of a system do: each stage is
 * slower then. Or it has a core to its end, and others wait for one, in turn ("permits").
 *
 * What ends is due at a time of its own: a thread that wakes late slows no thread but itself.
 */
#ifndef PENSTOCK_BENCHMARKS_MAPPING_CORES_H
#define PENSTOCK_BENCHMARKS_MAPPING_CORES_H

#include <stdbool.h>
#include <stdint.h>

/* Before any work. stretch: a core is so much slower for each other one that is busy, as a share; 0: it is not. */
void mapping_cores_open(unsigned count, double stretch, bool permits);

/* Returns when the calling thread has had so many ns of a core. Any thread. */
void mapping_cores_work(uint64_t ns);

/* What all work since mapping_cores_open() took, as the threads saw it, by what it was due to take: 1 is best. */
double mapping_cores_late(void);

/* Sleeps to that moment of the monotonic clock, ns. */
void mapping_cores_sleep(uint64_t until);

/* That clock. */
uint64_t mapping_cores_now(void);

#endif
