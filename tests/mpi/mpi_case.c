/* SPDX-License-Identifier: MIT */
#include "tests/mpi/mpi_case.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct pstk_transport *case_transport;

void case_wrong(const char *file, int line, const char *what)
{
	const struct pstk_transport *t = case_transport;

	fprintf(stderr, "rank %d: %s:%d: needs %s: %s\n", t ? (int)t->rank : -1, file, line, what,
		t ? t->error(t->self) : "no transport");
	fflush(stderr);
	_exit(99);
}

void case_begin(uint32_t ranks)
{
	char text[512] = "";

	case_transport = pstk_mpi_transport(text, sizeof text);
	if (!case_transport)
		fprintf(stderr, "%s\n", text);
	CASE_NEEDS(case_transport);
	CASE_NEEDS(case_transport->struct_size == sizeof *case_transport);
	CASE_NEEDS(!strcmp(case_transport->name, "mpi"));
	CASE_NEEDS(case_transport->ranks >= ranks);
	CASE_NEEDS(case_transport->rank < case_transport->ranks);
}

void case_end(void)
{
	case_transport->close(case_transport->self);
	pstk_mpi_transport_free(case_transport);
	case_transport = NULL;
}

void case_open(const struct pstk_transport_channel *channels, uint32_t count)
{
	CASE_NEEDS(!case_transport->open(case_transport->self, channels, count));
}

void case_receive(uint32_t channel, uint32_t slot, void *buffer, uint64_t bytes)
{
	CASE_NEEDS(!case_transport->receive(case_transport->self, channel, slot, buffer, bytes));
}

void case_send(uint32_t channel, uint32_t slot, const void *buffer, uint64_t bytes)
{
	CASE_NEEDS(!case_transport->send(case_transport->self, channel, slot, buffer, bytes));
}

struct pstk_transport_done case_await(void)
{
	struct pstk_transport_done done = { 0 };
	int count;

	while (!(count = case_transport->test(case_transport->self, &done, 1)))
		sched_yield();
	CASE_NEEDS(count == 1);
	return done;
}

uint64_t case_await_of(uint32_t channel, uint32_t slot)
{
	struct pstk_transport_done done = case_await();

	CASE_NEEDS(done.channel == channel);
	CASE_NEEDS(done.slot == slot);
	CASE_NEEDS(!done.err);
	return done.bytes;
}

void case_barrier(void)
{
	struct pstk_transport_done done;
	MPI_Request request;
	int all = 0;

	CASE_NEEDS(!MPI_Ibarrier(MPI_COMM_WORLD, &request));
	while (!all) {
		CASE_NEEDS(!MPI_Test(&request, &all, MPI_STATUS_IGNORE));
		CASE_NEEDS(!case_transport->test(case_transport->self, &done, 1));
		sched_yield();
	}
}

void case_says(const char *words)
{
	const char *error = case_transport->error(case_transport->self);

	if (!strstr(error, words))
		fprintf(stderr, "not '%s'\n", words);
	CASE_NEEDS(strstr(error, words));
	CASE_NEEDS(!strchr(error, '\n'));
}

uint64_t case_mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b;

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}
