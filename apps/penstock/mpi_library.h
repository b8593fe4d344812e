/* SPDX-License-Identifier: MIT */
/* MPI library: libpenstock-mpi, loaded when it is needed, so that the command links no MPI. */
#ifndef PENSTOCK_COMMAND_MPI_LIBRARY_H
#define PENSTOCK_COMMAND_MPI_LIBRARY_H

#include <penstock/mpi.h>

#include <stdbool.h>

struct mpi_library {
	struct pstk_transport *(*transport)(char *text, size_t size); /* pstk_mpi_transport() */
	void (*free)(struct pstk_transport *);                        /* pstk_mpi_transport_free() */
};

/* Loads it, from PENSTOCK_MPI or from where libpenstock was found. It stays. false, and text says why not. */
bool mpi_library_load(struct mpi_library *, char *text, size_t size);

#endif
