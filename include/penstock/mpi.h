/* SPDX-License-Identifier: MIT */
/*
 * MPI: the transport of a network over several processes, in libpenstock-mpi. `mpirun -n 2 program` starts the
 * processes; a program that is started without it is the only rank.
 *
 * A program may use MPI itself beside it: the transport has a communicator of its own. A program that has begun MPI
 * before ends it, too. Else the first transport begins MPI, with MPI_THREAD_SERIALIZED, and the last one ends it. So
 * a program that calls MPI while another thread calls a transport begins MPI itself, with MPI_THREAD_MULTIPLE.
 *
 * After a rank has failed a program ends by the table's abort(): pstk_mpi_transport_free() and the end of MPI wait for
 * all ranks.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_MPI_H
#define PENSTOCK_MPI_H

#include <penstock/core/types.h>
#include <penstock/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Creates a transport between all processes that MPI has started. BUILD, and in all of them: each waits for the others.
 * The caller frees it with pstk_mpi_transport_free(). NULL, and text (up to size bytes) says why:
 *   - MPI has ended in this process already: it begins once only
 *   - MPI was begun with less than MPI_THREAD_SERIALIZED
 *   - MPI could not be begun, or has failed
 *   - out of memory, on this rank or on another one
 *
 * Beside what <penstock/transport.h> says, its functions return
 *   -EINVAL    the peer is no other rank; no slots; no such channel or slot; a receive on a channel that sends, ..
 *   -EEXIST    two channels of one number from the same rank
 *   -ERANGE    MPI has no tag of this number
 *   -EMSGSIZE  a channel of more than 2147483647 bytes a message, or a message of more than the channel's
 *   -E2BIG     more than 2147483647 slots together
 *   -EALREADY  open() a second time, without close()
 *   -EBUSY     the slot is posted
 *   -ENOMEM    out of memory
 *   -EIO       MPI has failed
 * A message that is longer than the buffer that was posted for it is told with -EMSGSIZE.
 */
PSTK_PUBLIC struct pstk_transport *pstk_mpi_transport(char *text, size_t size);

/* Frees a transport, in all processes, and what open() has made. Each waits for the others. BUILD, after the network's
 * end. Takes NULL. */
PSTK_PUBLIC void pstk_mpi_transport_free(struct pstk_transport *);

#ifdef __cplusplus
}
#endif

#endif
