/* SPDX-License-Identifier: MIT */
/* The tests' driver, as P-I-I-C uses it: its transfers and kernels take time by the clock. */
#ifndef PENSTOCK_BENCHMARKS_PIIC_TIMED_H
#define PENSTOCK_BENCHMARKS_PIIC_TIMED_H

#include "benchmarks/apps/piic_network.h"

#include <stdbool.h>

/* So many devices, with the rate, latency and duplex of *is. Before the first OpenCL call. False: no such driver. */
bool piic_timed_start(const struct piic *is, unsigned devices);

/* What a round of the kernel's loop takes from now on. */
void piic_timed_loop(double seconds);

#endif
