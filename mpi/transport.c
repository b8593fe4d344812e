/* SPDX-License-Identifier: MIT */
/* Transport: MPI's begin and end, the communicator, the names of the machines. */
#include "mpi/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of this process; transports are created and freed by one thread at a time. */
static unsigned transports;
static bool begun; /* by a transport: the last one ends MPI */

static bool say(char *text, size_t size, const char *what, int code)
{
	char words[MPI_MAX_ERROR_STRING + 1];

	ps_mpi_words(code, words);
	snprintf(text, size, "%s: %s", what, words);
	return false;
}

static bool has_ended(void)
{
	int ended = 0;

	MPI_Finalized(&ended);
	return ended;
}

/* Begins MPI, unless that is done. */
static bool begin(char *text, size_t size)
{
	int there = 0, level = MPI_THREAD_SINGLE, code;

	if (has_ended()) {
		snprintf(text, size, "MPI has ended in this process already, and begins once only");
		return false;
	}
	MPI_Initialized(&there);
	if (!there) {
		/* not FUNNELED: a network's thread calls the transport, not the one that is here */
		code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
		if (code)
			return say(text, size, "MPI_Init_thread()", code);
		begun = true;
	}
	MPI_Query_thread(&level);
	if (level >= MPI_THREAD_SERIALIZED)
		return true;
	snprintf(text, size,
		"MPI was begun with %s: a network calls it from a thread of its own. Begin it with "
		"MPI_Init_thread() and MPI_THREAD_SERIALIZED, or MPI_THREAD_MULTIPLE",
		level == MPI_THREAD_FUNNELED ? "MPI_THREAD_FUNNELED" : "MPI_THREAD_SINGLE");
	return false;
}

/* Ends MPI with the last transport, if it is for them to do so. */
static void end(void)
{
	if (transports || !begun || has_ended())
		return;
	begun = false;
	MPI_Finalize();
}

static const char *host_name(void *self, uint32_t rank)
{
	struct ps_mpi *m = self;

	return rank < m->table.ranks ? m->hosts[rank] : NULL;
}

static const char *error(void *self)
{
	return ((struct ps_mpi *)self)->error;
}

static void abort_all(void *self, int status)
{
	MPI_Abort(((struct ps_mpi *)self)->comm, status);
}

static const struct pstk_transport functions = {
	.struct_size = sizeof(struct pstk_transport),
	.name = "mpi",
	.host_name = host_name,
	.open = ps_mpi_open,
	.receive = ps_mpi_receive,
	.send = ps_mpi_send,
	.cancel = ps_mpi_cancel,
	.test = ps_mpi_test,
	.error = error,
	.abort = abort_all,
	.close = ps_mpi_close,
};

static struct ps_mpi *allocate(int ranks)
{
	struct ps_mpi *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->hosts = calloc((size_t)ranks, sizeof *m->hosts);
	if (!m->hosts) {
		free(m);
		return NULL;
	}
	m->table = functions;
	m->table.self = m;
	m->table.ranks = (uint32_t)ranks;
	return m;
}

static void release(struct ps_mpi *m)
{
	if (!m)
		return;
	free(m->hosts);
	free(m);
}

/* Each rank tells the others the name of its machine, and whether it had memory. *code: MPI's, of a failure. NULL and
 * no code: a rank is out of memory, and all of them learn that. */
static struct ps_mpi *meet(MPI_Comm comm, int *code)
{
	char name[MPI_MAX_PROCESSOR_NAME] = "";
	struct ps_mpi *m = NULL;
	int ranks = 1, rank = 0, length = 0, mine, all = 0;

	MPI_Comm_size(comm, &ranks);
	MPI_Comm_rank(comm, &rank);
	m = allocate(ranks);
	mine = m != NULL;
	*code = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
	if (!*code && all && m) {
		m->comm = comm;
		m->table.rank = (uint32_t)rank;
		MPI_Get_processor_name(name, &length);
		*code = MPI_Allgather(name, sizeof name, MPI_CHAR, m->hosts, sizeof name, MPI_CHAR, comm);
		if (!*code)
			return m;
	}
	release(m);
	return NULL;
}

struct pstk_transport *pstk_mpi_transport(char *text, size_t size)
{
	struct ps_mpi *m = NULL;
	MPI_Comm comm = MPI_COMM_NULL;
	int code;

	if (!begin(text, size)) {
		end();
		return NULL;
	}
	code = MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	if (code) {
		say(text, size, "MPI_Comm_dup()", code);
		end();
		return NULL;
	}
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	m = meet(comm, &code);
	if (m) {
		transports++;
		return &m->table;
	}
	if (code)
		say(text, size, "the processes do not meet", code);
	else
		snprintf(text, size, "out of memory, on this rank or on another one");
	MPI_Comm_free(&comm);
	end();
	return NULL;
}

void pstk_mpi_transport_free(struct pstk_transport *transport)
{
	struct ps_mpi *m = transport ? transport->self : NULL;

	if (!m)
		return;
	ps_mpi_close(m);
	transports--;
	/* a program that began MPI may have ended it before */
	if (!has_ended()) {
		/* MPICH 4.0.2 over TCP: MPI_Finalize() mostly hangs if a rank comes there half a second later */
		MPI_Barrier(m->comm);
		MPI_Comm_free(&m->comm);
	}
	release(m);
	end();
}
