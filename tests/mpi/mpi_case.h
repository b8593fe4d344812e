/* SPDX-License-Identifier: MIT */
/* Cases of the transport over MPI. Each is run by all ranks of an mpirun; check_mpi_transport.sh says with what. */
#ifndef PENSTOCK_TESTS_MPI_CASE_H
#define PENSTOCK_TESTS_MPI_CASE_H

#include <penstock/mpi.h>

/* Ends this rank, and so all of them, where something is wrong. */
#define CASE_NEEDS(condition)                                       \
	do {                                                        \
		if (!(condition))                                   \
			case_wrong(__FILE__, __LINE__, #condition); \
	} while (0)
_Noreturn void case_wrong(const char *file, int line, const char *what);

/* The last transport that was created, so that case_wrong() tells its error; the one of a case of one. */
extern struct pstk_transport *case_transport;

/* Creates a transport of so many ranks at least. */
void case_begin(uint32_t ranks);
/* Closes and frees it. */
void case_end(void);

void case_open(const struct pstk_transport_channel *, uint32_t count);
void case_receive(uint32_t channel, uint32_t slot, void *buffer, uint64_t bytes);
void case_send(uint32_t channel, uint32_t slot, const void *buffer, uint64_t bytes);
/* The next message that is through, one at a time. */
struct pstk_transport_done case_await(void);
/* The same, which is of this channel and slot, without an error. Returns the bytes. */
uint64_t case_await_of(uint32_t channel, uint32_t slot);
/* Until each rank is here. Calls test() meanwhile, which tells nothing. */
void case_barrier(void);
/* The transport's error has these words. */
void case_says(const char *words);

/* A number that follows from two. */
uint64_t case_mix(uint64_t a, uint64_t b);

/* The cases: arguments behind the name. */
void case_stream(char **arguments);   /* ring|pairs fixed|short|moving BYTES WINDOWS ROOM */
void case_alone(char **arguments);    /* one rank, with or without mpirun */
void case_cancel(char **arguments);   /* receives to which nothing comes */
void case_longer(char **arguments);   /* a message that is longer than its buffer */
void case_given_up(char **arguments); /* close() while messages are posted */
void case_again(char **arguments);    /* open() after close(), two transports, none after MPI's end */
void case_abort(char **arguments);    /* STATUS */
void case_hosts(char **arguments);    /* the name of each rank's machine */
void case_beside(char **arguments);   /* the program uses MPI itself */
void case_begun(char **arguments);    /* the program has begun MPI, and ends it */
void case_level(char **arguments);    /* single|funneled: it has begun MPI with too little */
void case_refused(char **arguments);  /* wrong channels and wrong messages */
void case_faults(char **arguments);   /* functions of MPI that fail */
void case_memory(char **arguments);   /* allocations that fail */
void case_failed(char **arguments);   /* NAME: a function of MPI fails at the begin */

#endif
