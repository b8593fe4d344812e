/* SPDX-License-Identifier: MIT */
/*
 * The network of P-I-I-C by hand, by MPI: a persistent request for each half of the memory, which is page-locked where
 * the driver has that. Waits are tests and short sleeps: MPI_Wait() would take the core from what moves the bytes.
 */
#ifndef PENSTOCK_BENCHMARKS_PIIC_MPI_H
#define PENSTOCK_BENCHMARKS_PIIC_MPI_H

#include "benchmarks/common/slow_link.h"
#include "benchmarks/limit/piic_opencl.h"

/* link: NULL: the network is real. Ranks 0 and 1 call it; rank 0 has the producer. What it returns serves any number
 * of runs, is borrowed, and is one for the process. */
const struct piic_net *piic_mpi(struct slow_link *link);

/* Seconds that the network takes for so many bytes, one way: the least of some. */
double piic_mpi_seconds(struct slow_link *link, size_t bytes);

#endif
