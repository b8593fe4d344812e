/* SPDX-License-Identifier: MIT */
/*
 * What fails: memory, and MPI's functions. This file defines functions of MPI that fail when they are told to, and else
 * call MPI's own by its second name, PMPI_NAME. The library's objects are linked into this program, so they call these.
 */
#include "tests/mpi/mpi_case.h"
#include "tests/common/allocation.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *failing = ""; /* the function that fails */

static bool fails(const char *function)
{
	return !strcmp(function, failing);
}

#define FAILING(function, parameters, arguments)                                  \
	int function parameters                                                   \
	{                                                                         \
		return fails(#function) ? MPI_ERR_NO_MEM : P##function arguments; \
	}
FAILING(MPI_Init_thread, (int *argc, char ***argv, int required, int *provided),
	(argc, argv, required, provided))
FAILING(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))
FAILING(MPI_Allreduce, (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	(from, to, count, type, op, comm))
FAILING(MPI_Allgather,
	(const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype to_type, MPI_Comm comm),
	(from, n, type, to, m, to_type, comm))
FAILING(MPI_Comm_get_attr, (MPI_Comm comm, int key, void *value, int *found), (comm, key, value, found))
FAILING(MPI_Send_init,
	(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request),
	(from, n, type, to, tag, comm, request))
FAILING(MPI_Recv_init,
	(void *to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
	(to, n, type, from, tag, comm, request))
FAILING(MPI_Start, (MPI_Request * request), (request))
FAILING(MPI_Cancel, (MPI_Request * request), (request))
FAILING(MPI_Iprobe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
	(from, tag, comm, flag, status))
FAILING(MPI_Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))

/* What a call returned while a function failed: out of memory, in MPI's words too. */
static void failed(int err, const char *words)
{
	failing = "";
	CASE_NEEDS(err == -ENOMEM);
	case_says(words);
	case_says(": ");
}

static void messages(bool sends)
{
	struct pstk_transport *t = case_transport;
	uint32_t channel = !sends;
	const char *const functions[] = { sends ? "MPI_Send_init" : "MPI_Recv_init", "MPI_Start" };
	char words[64];
	uint8_t byte = 0;

	snprintf(words, sizeof words, "channel %d %s rank %d: ", sends == !t->rank ? 1 : 2,
		sends ? "to" : "from", !t->rank);
	for (int i = 0; i < 2; i++) {
		failing = functions[i];
		failed(sends ? t->send(t->self, channel, 0, &byte, 1)
			     : t->receive(t->self, channel, 0, &byte, 1),
			words);
	}
}

void case_faults(char **arguments)
{
	struct pstk_transport_done done;
	struct pstk_transport *t;
	uint8_t bytes[2] = { 0 };
	uint32_t other;

	(void)arguments;
	case_begin(2);
	t = case_transport;
	other = !t->rank;
	/* the least that each MPI has */
	failing = "MPI_Comm_get_attr";
	CASE_NEEDS(
		t->open(t->self, &(struct pstk_transport_channel){ 32768, other, true, 1, 1 }, 1) == -ERANGE);
	failing = "";
	case_says("MPI's tags end at 32767");
	case_open((const struct pstk_transport_channel[]){ { 1 + t->rank, other, true, 2, 1 },
			  { 2 - t->rank, other, false, 2, 1 } },
		2);
	messages(true);
	messages(false);
	failing = "MPI_Iprobe";
	failed(t->test(t->self, &done, 1), "MPI_Iprobe()");
	case_receive(1, 1, bytes, 1);
	failing = "MPI_Test";
	failed(t->test(t->self, &done, 1), "MPI_Test()");
	failing = "MPI_Cancel";
	failed(t->cancel(t->self, 1), ": cancel");
	/* nothing of that was posted: the slots work */
	MPI_Barrier(MPI_COMM_WORLD);
	case_send(0, 0, &bytes[1], 1);
	for (int i = 0; i < 2; i++) {
		done = case_await();
		CASE_NEEDS(!done.err && done.bytes == 1);
	}
	case_barrier();
	case_end();
}

void case_failed(char **arguments)
{
	char text[512] = "";

	failing = arguments[0];
	CASE_NEEDS(!pstk_mpi_transport(text, sizeof text));
	failing = "";
	CASE_NEEDS(
		strstr(text, strcmp(arguments[0], "MPI_Init_thread") && strcmp(arguments[0], "MPI_Comm_dup")
				     ? "the processes do not meet: "
				     : arguments[0]));
}

void case_memory(char **arguments)
{
	struct pstk_transport *first, *t = NULL;
	char text[128] = "";
	bool had;
	int err = 0;

	(void)arguments;
	case_begin(2);
	first = case_transport;
	/* of one rank; all of them learn it */
	for (unsigned n = 1; !t; n++) {
		text[0] = 0;
		if (first->rank == 1)
			test_fail_allocation(n);
		t = pstk_mpi_transport(text, sizeof text);
		had = test_allocation_failed();
		CASE_NEEDS(first->rank != 1 || had == !t);
		CASE_NEEDS(t || strstr(text, "out of memory"));
		CASE_NEEDS(t || n <= 2);
	}
	case_transport = t;
	for (unsigned n = 1; n == 1 || err; n++) {
		struct pstk_transport_channel channel = { 1, !t->rank, true, 1, 1 };

		test_fail_allocation(n);
		err = t->open(t->self, &channel, 1);
		had = test_allocation_failed();
		CASE_NEEDS(err == (had ? -ENOMEM : 0));
		if (err)
			case_says("out of memory");
	}
	case_end();
	pstk_mpi_transport_free(first);
}
