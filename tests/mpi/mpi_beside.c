/* SPDX-License-Identifier: MIT */
/* A program that uses MPI itself. */
#include "tests/mpi/mpi_case.h"

#include <mpi.h>
#include <string.h>

enum { ROUNDS = 1000 };

/* The program receives from any rank with any tag, and yet gets its own messages only. */
static void exchange(void)
{
	struct pstk_transport_channel channel = { 3, !case_transport->rank, case_transport->rank == 1, 1, 4 };
	uint32_t own = 0, theirs = 0;
	MPI_Request request;

	case_open(&channel, case_transport->rank < 2);
	for (uint32_t i = 0; i < ROUNDS && case_transport->rank < 2; i++) {
		if (case_transport->rank) {
			own = 2 * i;
			theirs = 2 * i + 1;
			case_send(0, 0, &own, sizeof own);
			CASE_NEEDS(!MPI_Isend(&theirs, 1, MPI_UINT32_T, 0, 3, MPI_COMM_WORLD, &request));
		} else {
			CASE_NEEDS(!MPI_Irecv(&theirs, 1, MPI_UINT32_T, MPI_ANY_SOURCE, MPI_ANY_TAG,
				MPI_COMM_WORLD, &request));
			case_receive(0, 0, &own, sizeof own);
		}
		CASE_NEEDS(!MPI_Wait(&request, MPI_STATUS_IGNORE));
		CASE_NEEDS(case_await_of(0, 0) == sizeof own);
		CASE_NEEDS(own == 2 * i && theirs == 2 * i + 1);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

void case_beside(char **arguments)
{
	int level = 0, there = 0;

	(void)arguments;
	case_begin(2);
	CASE_NEEDS(!MPI_Initialized(&there) && there);
	CASE_NEEDS(!MPI_Query_thread(&level) && level >= MPI_THREAD_SERIALIZED);
	exchange();
	case_end();
	CASE_NEEDS(!MPI_Finalized(&there) && there);
}

void case_begun(char **arguments)
{
	struct pstk_transport_channel channel;
	int level, ended = 1, one = 1, sum = 0, ranks;
	uint8_t byte = 0;

	(void)arguments;
	CASE_NEEDS(!MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level));
	case_begin(2);
	exchange();
	case_end();
	/* it is the program's still */
	CASE_NEEDS(!MPI_Finalized(&ended) && !ended);
	CASE_NEEDS(!MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CASE_NEEDS(!MPI_Comm_size(MPI_COMM_WORLD, &ranks) && sum == ranks);
	/* one that is freed only when the program has ended MPI; with a persistent request */
	case_begin(2);
	channel =
		(struct pstk_transport_channel){ 1, !case_transport->rank, case_transport->rank == 1, 1, 1 };
	case_open(&channel, case_transport->rank < 2);
	for (int i = 0; i < 3 && case_transport->rank < 2; i++) {
		if (case_transport->rank)
			case_send(0, 0, &byte, 1);
		else
			case_receive(0, 0, &byte, 1);
		CASE_NEEDS(case_await_of(0, 0) == 1);
	}
	CASE_NEEDS(!MPI_Finalize());
	pstk_mpi_transport_free(case_transport);
	case_transport = NULL;
}

void case_level(char **arguments)
{
	bool funneled = !strcmp(arguments[0], "funneled");
	char text[256] = "";
	int level, ended = 1;

	CASE_NEEDS(!MPI_Init_thread(NULL, NULL, funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE, &level));
	CASE_NEEDS(!pstk_mpi_transport(text, sizeof text));
	CASE_NEEDS(strstr(text, funneled ? "MPI_THREAD_FUNNELED" : "MPI_THREAD_SINGLE"));
	CASE_NEEDS(strstr(text, "MPI_THREAD_SERIALIZED"));
	CASE_NEEDS(!MPI_Finalized(&ended) && !ended);
	CASE_NEEDS(!MPI_Finalize());
}
