/* SPDX-License-Identifier: MIT */
/*
 * The transport over MPI, inside. A channel is a tag of a communicator that nothing else uses. MPI matches the messages
 * of a channel in order, but may say in any order that they are through: a look is at the oldest one of each channel
 * alone.
 *
 * Each slot has a persistent request, which is made again for another buffer. Not only because it costs less to start:
 * MPICH 4.0 hands an error of another request, or of MPI_Testsome(), to the handler of MPI_COMM_WORLD, which ends the
 * program. That one is the program's.
 *
 * One thread at a time uses all of this. Nothing but open() allocates.
 */
#ifndef PENSTOCK_MPI_MPI_H
#define PENSTOCK_MPI_MPI_H

#include <penstock/mpi.h>

#include <mpi.h>

/* At most one message at a time. */
struct ps_mpi_slot {
	MPI_Request request; /* for this buffer; or MPI_REQUEST_NULL */
	const void *buffer;
	uint64_t bytes;
	bool posted; /* and not told */
};

struct ps_mpi_channel {
	struct pstk_transport_channel face;
	struct ps_mpi_slot *slots;
	uint32_t *order;        /* a ring of face.slots: the slots in the order in which they were posted */
	uint32_t first, posted; /* the oldest one's place there; how many there are */
};

struct ps_mpi {
	struct pstk_transport table;
	MPI_Comm comm;
	char (*hosts)[MPI_MAX_PROCESSOR_NAME]; /* of each rank */
	char error[512];

	/* what open() has made */
	struct ps_mpi_channel *channels;
	uint32_t channel_count;
	struct ps_mpi_slot *slots; /* of all channels */
	size_t slot_count;
	uint32_t *orders; /* of all channels */
	uint32_t next;    /* the channel at which test() looks first */
};

/* The errno that is nearest to a code of MPI's. */
int ps_mpi_errno(int code);

/* Says why, in error, with MPI's words for the code. Returns its errno. */
PSTK_PRINTF(3, 4) int ps_mpi_failed(struct ps_mpi *, int code, const char *format, ...);

/* MPI's words for a code. */
void ps_mpi_words(int code, char words[static MPI_MAX_ERROR_STRING + 1]);

/* Says why, in error. Returns err. */
PSTK_PRINTF(3, 4) int ps_mpi_refuse(struct ps_mpi *, int err, const char *format, ...);

/* The table's functions. */
int ps_mpi_open(void *self, const struct pstk_transport_channel *, uint32_t count);
void ps_mpi_close(void *self);
int ps_mpi_receive(void *self, uint32_t channel, uint32_t slot, void *buffer, uint64_t bytes);
int ps_mpi_send(void *self, uint32_t channel, uint32_t slot, const void *buffer, uint64_t bytes);
int ps_mpi_cancel(void *self, uint32_t channel);
int ps_mpi_test(void *self, struct pstk_transport_done *, uint32_t room);

#endif
