/* SPDX-License-Identifier: MIT */
/* The kernels of actors/openings on the tests' driver, where an erosion or dilation takes a time by the clock. */
#ifndef PENSTOCK_BENCHMARKS_GRANULOMETRY_TIMED_H
#define PENSTOCK_BENCHMARKS_GRANULOMETRY_TIMED_H

#include <stdbool.h>

/* Before the process's first OpenCL call: makes the tests' driver the only one, with two devices.
 * driver: its file; unit_s: of an erosion or
 * dilation. Transfers and counts take no time. False: there is no such driver. */
bool timed_start(const char *driver, double unit_s);

#endif
