/* SPDX-License-Identifier: MIT */
/*
 * Networks over the processes of an mpirun. Each process builds the same ones from the same seeds, is the host of its
 * rank, and checks what its own actors have seen. Rank 0 also checks what the others have counted.
 *
 * The suite runs in the process that has begun MPI, which no fork outlives.
 */
#ifndef PENSTOCK_TESTS_CARRIER_MPI_H
#define PENSTOCK_TESTS_CARRIER_MPI_H

#include "tests/random/carrier.h"
#include "tests/random/run_actor.h"

/* Begins MPI. program: as a command names it, below tests/mpi. False, and stderr says why. */
bool carrier_mpi_begin(const char *program);
/* Runs the suite. Ends MPI, or, where a test has failed, all processes. Returns main()'s. */
int carrier_mpi_end(Suite *);

/* A test before this one has failed here: the ranks are out of step. */
bool carrier_mpi_failed(void);

extern const struct run_exchange carrier_over_mpi;
extern const struct carrier carrier_mpi; /* without devices */

extern unsigned carrier_mpi_ranks, carrier_mpi_rank;

/* During the next runs: called once by a thread of its own when this rank has looked so often for messages, if its run
 * is not through by then. NULL: nothing is. */
struct carrier_mpi_event {
	void (*call)(struct pstk_network *);
	uint64_t looks;
	bool happened; /* out */
};
extern struct carrier_mpi_event carrier_mpi_event;

#endif
