/* SPDX-License-Identifier: MIT */
#include "benchmarks/common/slow_link.h"

#include <errno.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS = 2, PACKET = 1024, NAP_NS = 10000000 };

/* When messages of one direction are through; the sender writes it. */
struct direction {
	_Atomic uint64_t due[SLOW_LINK_STREAMS][SLOW_LINK_MESSAGES];
};

struct slow_link {
	double rate, latency;
	uint64_t free_at;                 /* of the direction from this rank */
	uint64_t last[SLOW_LINK_STREAMS]; /* when the stream's message before is through */
	struct direction *from_me, *to_me;
	MPI_Comm comm;
	MPI_Win window;
};

uint64_t slow_link_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void slow_link_sleep(uint64_t until)
{
	const struct timespec t = { (time_t)(until / 1000000000u), (long)(until % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

void slow_link_meet(void)
{
	MPI_Request request;
	int through = 0;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	for (MPI_Test(&request, &through, MPI_STATUS_IGNORE); !through;
		MPI_Test(&request, &through, MPI_STATUS_IGNORE))
		slow_link_sleep(slow_link_now() + NAP_NS);
}

static struct direction *memory_of(const struct slow_link *l, int rank)
{
	struct direction *memory = NULL;
	MPI_Aint bytes;
	int unit;

	MPI_Win_shared_query(l->window, rank, &bytes, &unit, &memory);
	return memory;
}

struct slow_link *slow_link_new(double rate, double latency)
{
	struct slow_link *l = calloc(1, sizeof *l);
	int ranks = 0, rank = 0, mine, all = 0;
	void *memory = NULL;
	MPI_Comm comm;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
	MPI_Comm_size(comm, &ranks);
	MPI_Comm_rank(comm, &rank);
	mine = l && ranks == RANKS;
	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!all || !l) {
		MPI_Comm_free(&comm);
		free(l);
		return NULL;
	}
	l->rate = rate;
	l->latency = latency;
	l->comm = comm;
	MPI_Win_allocate_shared(sizeof *l->from_me, 1, MPI_INFO_NULL, comm, &memory, &l->window);
	memset(memory, 0, sizeof *l->from_me);
	l->from_me = memory_of(l, rank);
	l->to_me = memory_of(l, !rank);
	MPI_Barrier(comm);
	return l;
}

void slow_link_free(struct slow_link *l)
{
	if (!l)
		return;
	MPI_Win_free(&l->window);
	MPI_Comm_free(&l->comm);
	free(l);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t slow_link_leave(struct slow_link *l, uint32_t stream, uint64_t n, uint64_t bytes)
{
	uint64_t now = slow_link_now(), begin = bytes > PACKET ? later(now, l->free_at) : now,
		 due = begin + (uint64_t)((l->latency + (double)bytes / l->rate) * 1e9);

	if (bytes > PACKET)
		l->free_at = due;
	due = later(due, l->last[stream]);
	l->last[stream] = due;
	atomic_store_explicit(&l->from_me->due[stream][n % SLOW_LINK_MESSAGES], due, memory_order_release);
	return due;
}

uint64_t slow_link_arrival(const struct slow_link *l, uint32_t stream, uint64_t n)
{
	return atomic_load_explicit(&l->to_me->due[stream][n % SLOW_LINK_MESSAGES], memory_order_acquire);
}
