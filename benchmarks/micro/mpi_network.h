/* SPDX-License-Identifier: MIT */
/* A network of a source on rank 0 and a sink on rank 1, as <penstock/hosts.h> runs it. The sink checks each window. */
#ifndef PENSTOCK_BENCHMARKS_MPI_NETWORK_H
#define PENSTOCK_BENCHMARKS_MPI_NETWORK_H

#include <penstock/transport.h>

#include <stdint.h>

struct mpi_network {
	struct pstk_transport *transport; /* that nothing else has open */
	uint64_t token, windows;          /* bytes; a window in ten, at the beginning, is not timed */
	uint32_t rate, depth;
};

struct mpi_network_cost {
	double seconds; /* a window, as this rank's actor meets them */
	double cores;   /* that this process kept busy */
};

/* Both ranks call it. NULL, or why it failed. */
const char *mpi_network_run(const struct mpi_network *, struct mpi_network_cost *);

#endif
