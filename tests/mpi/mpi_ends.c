/* SPDX-License-Identifier: MIT */
/* One rank; receives that end without a message, or with a wrong one; the end of a transport, and of all ranks. */
#include "tests/mpi/mpi_case.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 20 };

/* A channel between ranks 0, which receives, and 1. */
static struct pstk_transport_channel to_first(uint32_t number, uint32_t slots, uint64_t bytes)
{
	uint32_t me = case_transport->rank;

	return (struct pstk_transport_channel){ number, !me, me == 1, slots, bytes };
}

void case_alone(char **arguments)
{
	struct pstk_transport_done done;

	(void)arguments;
	case_begin(1);
	CASE_NEEDS(case_transport->rank == 0 && case_transport->ranks == 1);
	case_open(NULL, 0);
	CASE_NEEDS(case_transport->test(case_transport->self, &done, 1) == 0);
	case_end();
}

void case_cancel(char **arguments)
{
	static const uint32_t order[] = { 2, 0, 3, 1 };
	struct pstk_transport_done done;
	struct pstk_transport_channel channel;
	uint64_t values[4] = { 0 }, value = 7;

	(void)arguments;
	case_begin(2);
	channel = to_first(5, 4, sizeof value);
	case_open(&channel, case_transport->rank < 2);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 4 && !case_transport->rank; i++)
			case_receive(0, order[i], &values[order[i]], sizeof value);
		MPI_Barrier(MPI_COMM_WORLD);
		if (case_transport->rank == 1) {
			case_send(0, 1, &value, sizeof value);
			CASE_NEEDS(case_await_of(0, 1) == sizeof value);
		}
		if (!case_transport->rank) {
			CASE_NEEDS(case_await_of(0, order[0]) == sizeof value);
			CASE_NEEDS(values[order[0]] == value);
			CASE_NEEDS(!case_transport->cancel(case_transport->self, 0));
			for (uint32_t i = 1; i < 4; i++) {
				done = case_await();
				CASE_NEEDS(done.channel == 0 && done.slot == order[i]);
				CASE_NEEDS(done.err == -ECANCELED && !done.bytes);
			}
			/* none is posted */
			CASE_NEEDS(!case_transport->cancel(case_transport->self, 0));
		}
		case_barrier();
	}
	case_end();
}

/* Rank 1 sends more than there is room for, then as much; four times. */
static void send_longer(uint32_t channel, uint64_t bytes, uint8_t *buffer)
{
	struct pstk_transport_done done;

	for (int round = 0; round < 4; round++) {
		if (!case_transport->rank) {
			case_receive(channel, 0, buffer, 8);
			case_receive(channel, 1, buffer + 8, 8);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		if (case_transport->rank == 1) {
			case_send(channel, 0, buffer, bytes);
			case_send(channel, 1, buffer, 8);
			CASE_NEEDS(case_await_of(channel, 0) == bytes);
			CASE_NEEDS(case_await_of(channel, 1) == 8);
		} else if (!case_transport->rank) {
			done = case_await();
			CASE_NEEDS(done.channel == channel && done.slot == 0);
			CASE_NEEDS(done.err == -EMSGSIZE);
			case_says(channel ? "channel 4 from rank 1: " : "channel 9 from rank 1: ");
			case_says("runcated");
			CASE_NEEDS(case_await_of(channel, 1) == 8);
			CASE_NEEDS(buffer[15] == 1);
		}
		case_barrier();
	}
}

void case_longer(char **arguments)
{
	struct pstk_transport_channel channels[2];
	uint8_t *buffer = malloc(LARGE);
	uint64_t most;

	(void)arguments;
	case_begin(2);
	CASE_NEEDS(buffer);
	memset(buffer, case_transport->rank == 1, LARGE);
	most = case_transport->rank ? LARGE : 8;
	channels[0] = to_first(9, 2, most);
	channels[1] = to_first(4, 2, most);
	case_open(channels, case_transport->rank < 2 ? 2 : 0);
	send_longer(0, 16, buffer);
	memset(buffer, case_transport->rank == 1, LARGE);
	send_longer(1, LARGE, buffer);
	case_end();
	free(buffer);
}

/* A byte from rank 1 to rank 0. */
static void exchange(uint32_t number)
{
	struct pstk_transport_channel channel = to_first(number, 1, 1);
	uint8_t byte = (uint8_t)(case_transport->rank ? number : 0);

	case_open(&channel, case_transport->rank < 2);
	if (case_transport->rank == 1)
		case_send(0, 0, &byte, 1);
	else if (!case_transport->rank)
		case_receive(0, 0, &byte, 1);
	if (case_transport->rank < 2)
		CASE_NEEDS(case_await_of(0, 0) == 1);
	CASE_NEEDS(case_transport->rank > 1 || byte == (uint8_t)number);
	case_barrier();
	case_transport->close(case_transport->self);
}

/* After an error: rank 0 closes while it receives, rank 1 while it sends what rank 0 has not asked for. */
void case_given_up(char **arguments)
{
	struct pstk_transport_channel channels[2];
	uint8_t *buffer = malloc(LARGE), byte = 1;

	(void)arguments;
	CASE_NEEDS(buffer);
	memset(buffer, 1, LARGE);
	case_begin(2);
	channels[0] = to_first(1, 2, LARGE);
	channels[1] = to_first(2, 1, 1);
	case_open(channels, case_transport->rank < 2 ? 2 : 0);
	if (case_transport->rank == 1) {
		case_send(1, 0, &byte, 1);
	} else if (!case_transport->rank) {
		case_receive(0, 0, buffer, LARGE / 2);
		case_receive(0, 1, buffer + LARGE / 2, LARGE / 2);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	case_transport->close(case_transport->self);
	exchange(3);
	/* another one, which must not get what the first one has forgotten */
	exchange(1);
	for (size_t i = 0; i < LARGE; i++)
		CASE_NEEDS(buffer[i] == 1);
	case_end();
	free(buffer);
}

void case_again(char **arguments)
{
	struct pstk_transport *first;
	char text[128] = "";

	(void)arguments;
	case_begin(2);
	exchange(1);
	exchange(2);
	first = case_transport;
	case_begin(2);
	exchange(3);
	pstk_mpi_transport_free(first);
	exchange(4);
	case_end();
	pstk_mpi_transport_free(NULL);
	CASE_NEEDS(!pstk_mpi_transport(text, sizeof text));
	CASE_NEEDS(strstr(text, "MPI has ended in this process"));
}

void case_abort(char **arguments)
{
	struct pstk_transport_done done;

	case_begin(2);
	case_open(NULL, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	if (case_transport->rank == 1) {
		case_transport->abort(case_transport->self, (int)strtol(arguments[0], NULL, 10));
		exit((int)strtol(arguments[0], NULL, 10));
	}
	for (;;) {
		CASE_NEEDS(!case_transport->test(case_transport->self, &done, 1));
		sched_yield();
	}
}

void case_hosts(char **arguments)
{
	char own[MPI_MAX_PROCESSOR_NAME] = "";
	int length;

	(void)arguments;
	case_begin(2);
	CASE_NEEDS(!MPI_Get_processor_name(own, &length));
	/* all of them run on this machine */
	for (uint32_t i = 0; i < case_transport->ranks; i++)
		CASE_NEEDS(!strcmp(case_transport->host_name(case_transport->self, i), own));
	CASE_NEEDS(!case_transport->host_name(case_transport->self, case_transport->ranks));
	case_end();
}
