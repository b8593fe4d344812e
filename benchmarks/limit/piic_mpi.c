/* SPDX-License-Identifier: MIT */
#include "benchmarks/limit/piic_mpi.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { STREAM = 40, TAG = 7, SAMPLES = 5, NAP_NS = 20000 };

/* One for the process. */
static struct side {
	struct slow_link *link;
	bool sends;
	MPI_Request requests[2];
	unsigned half; /* of the token that is under way */
	size_t bytes;
	uint64_t n, due; /* messages; when the one under way is through, of a sender */
} side;

static int peer(void)
{
	int rank = 0;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return !rank;
}

static void open_side(void *self, float *const memory[2], size_t bytes)
{
	struct side *s = self;

	s->bytes = bytes;
	s->n = 0;
	for (unsigned half = 0; half < 2; half++)
		if (s->sends)
			MPI_Send_init(memory[half], (int)bytes, MPI_BYTE, peer(), TAG, MPI_COMM_WORLD,
				&s->requests[half]);
		else
			MPI_Recv_init(memory[half], (int)bytes, MPI_BYTE, peer(), TAG, MPI_COMM_WORLD,
				&s->requests[half]);
	slow_link_meet();
}

static void close_side(void *self)
{
	struct side *s = self;

	for (unsigned half = 0; half < 2; half++)
		MPI_Request_free(&s->requests[half]);
}

static void start(void *self, unsigned half)
{
	struct side *s = self;

	s->half = half;
	if (s->link && s->sends)
		s->due = slow_link_leave(s->link, STREAM, s->n, s->bytes);
	MPI_Start(&s->requests[half]);
}

static void wait_side(void *self)
{
	struct side *s = self;
	int through = 0;

	for (MPI_Test(&s->requests[s->half], &through, MPI_STATUS_IGNORE); !through;
		MPI_Test(&s->requests[s->half], &through, MPI_STATUS_IGNORE))
		slow_link_sleep(slow_link_now() + NAP_NS);
	if (s->link)
		slow_link_sleep(s->sends ? s->due : slow_link_arrival(s->link, STREAM, s->n));
	s->n++;
}

static void barrier(void *self)
{
	(void)self;
	slow_link_meet();
}

const struct piic_net *piic_mpi(struct slow_link *link)
{
	static struct piic_net net = { &side, false, open_side, start, wait_side, barrier, close_side };

	side.link = link;
	side.sends = net.first = peer();
	return &net;
}

double piic_mpi_seconds(struct slow_link *link, size_t bytes)
{
	const struct piic_net *net = piic_mpi(link);
	float *memory = calloc(1, bytes);
	double least = 0;

	if (!memory) {
		fprintf(stderr, "by hand: out of memory\n");
		exit(1);
	}
	net->open(net->self, (float *const[]){ memory, memory }, bytes);
	for (unsigned i = 0; i <= SAMPLES; i++) {
		double begin;

		slow_link_meet();
		begin = (double)slow_link_now();
		net->start(net->self, 0);
		net->wait(net->self);
		begin = ((double)slow_link_now() - begin) * 1e-9;
		if (i == 1 || (i && begin < least)) /* the first one meets cold memory */
			least = begin;
	}
	net->close(net->self);
	free(memory);
	MPI_Bcast(&least, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD); /* the receiver's */
	return least;
}
