/* SPDX-License-Identifier: MIT */
/*
 * A window from one process to another one, through the transport over MPI: microseconds a window with four of them on
 * their way, and as a ratio to MPI alone, half of a ping-pong of MPI_Send() and MPI_Recv() on as many bytes.
 *
 * Why it is fair: the same two processes run both in turn, each once a round. Neither side computes. Each side has four
 * buffers, which the windows use in turn. A receive is posted before its window is sent: the receiver says how many it
 * has posted, in messages of their own. Both processes spin all the time, where the thread of a network would sleep.
 * A ratio below 1 means that windows on their way together wait less than one by itself.
 *
 * Columns: bytes of a window; a window by the transport; one way by MPI; the median of the rounds' ratios, and the
 * smallest and the largest of them.
 *
 * Usage: mpirun -n 2 mpi_hop [-n ROUNDS] [-q]
 */
#include "benchmarks/common/number.h"

#include <penstock/mpi.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 4, CREDITS = DEPTH + 1, DATA = 0, CREDIT = 1, ROUNDS_MOST = 99 };

/* A size, and how many of it take about a tenth of a second. */
struct size {
	uint64_t bytes, windows;
};

static const struct size sizes[] = { { 4096, 20000 }, { 76800, 5000 }, { 1 << 20, 400 }, { 16 << 20, 24 } };

/* One stream, as one of its two sides sees it. */
struct side {
	struct pstk_transport *transport;
	uint64_t bytes, windows;
	uint8_t *buffers[DEPTH];
	uint64_t credits[CREDITS]; /* of messages: windows that the receiver has posted */
	uint64_t posted, told;     /* windows */
	uint64_t granted;          /* the last credit that came, or was sent */
	uint64_t credits_posted, credits_told;
};

static void fail(const char *what)
{
	fprintf(stderr, "mpi_hop: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static void need(struct side *s, bool fine)
{
	if (!fine)
		fail(s->transport->error(s->transport->self));
}

static double now(void)
{
	return MPI_Wtime() * 1e6;
}

/* -- MPI alone -- */

static double ping_pong(struct side *s)
{
	int bytes = (int)s->bytes, other = !s->transport->rank;
	double start;

	MPI_Barrier(MPI_COMM_WORLD);
	start = now();
	for (uint64_t i = 0; i < s->windows; i++) {
		if (!s->transport->rank)
			MPI_Send(s->buffers[i % DEPTH], bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
		MPI_Recv(s->buffers[i % DEPTH], bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (s->transport->rank)
			MPI_Send(s->buffers[i % DEPTH], bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
	}
	return (now() - start) / (double)s->windows / 2;
}

/* -- the transport: rank 0 sends, rank 1 receives -- */

static void await_credit(struct side *s)
{
	uint32_t slot = (uint32_t)(s->credits_posted++ % CREDITS);

	need(s, !s->transport->receive(
			s->transport->self, CREDIT, slot, &s->credits[slot], sizeof s->credits[0]));
}

static void send_windows(struct side *s)
{
	for (; s->posted < s->granted && s->posted - s->told < DEPTH; s->posted++) {
		uint32_t slot = (uint32_t)(s->posted % DEPTH);

		memcpy(s->buffers[slot], &s->posted, sizeof s->posted);
		need(s, !s->transport->send(s->transport->self, DATA, slot, s->buffers[slot], s->bytes));
	}
}

static void await_windows(struct side *s)
{
	uint32_t slot;

	for (; s->posted < s->windows && s->posted - s->told < DEPTH; s->posted++) {
		slot = (uint32_t)(s->posted % DEPTH);
		need(s, !s->transport->receive(s->transport->self, DATA, slot, s->buffers[slot], s->bytes));
	}
	/* one message at a time tells of all that are new */
	if (s->granted == s->posted || s->credits_posted != s->credits_told)
		return;
	slot = (uint32_t)(s->credits_posted++ % CREDITS);
	s->granted = s->credits[slot] = s->posted;
	need(s, !s->transport->send(
			s->transport->self, CREDIT, slot, &s->credits[slot], sizeof s->credits[0]));
}

static void tell(struct side *s, const struct pstk_transport_done *done)
{
	need(s, !done->err || done->err == -ECANCELED);
	if (done->channel == DATA) {
		if (s->transport->rank && memcmp(s->buffers[done->slot], &s->told, sizeof s->told))
			fail("a window is not the next one");
		s->told++;
		return;
	}
	s->credits_told++;
	if (s->transport->rank || done->err)
		return;
	s->granted = s->credits[done->slot];
	if (s->granted < s->windows)
		await_credit(s);
	else
		need(s, !s->transport->cancel(s->transport->self, CREDIT));
}

static double stream(struct side *s)
{
	struct pstk_transport_done done[DEPTH + CREDITS];
	double start;
	int count;

	s->posted = s->told = s->granted = s->credits_posted = s->credits_told = 0;
	for (int i = 0; i < CREDITS && !s->transport->rank; i++)
		await_credit(s);
	MPI_Barrier(MPI_COMM_WORLD);
	start = now();
	while (s->told < s->windows || s->credits_told < s->credits_posted) {
		if (s->transport->rank)
			await_windows(s);
		else
			send_windows(s);
		count = s->transport->test(s->transport->self, done, DEPTH + CREDITS);
		need(s, count >= 0);
		for (int i = 0; i < count; i++)
			tell(s, &done[i]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	return (now() - start) / (double)s->windows;
}

/* -- the table -- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(struct pstk_transport *t, struct size size, unsigned rounds)
{
	struct side s = { .transport = t, .bytes = size.bytes, .windows = size.windows };
	const struct pstk_transport_channel channels[] = {
		{ 0, !t->rank, !t->rank, DEPTH, size.bytes },
		{ 1, !t->rank, t->rank, CREDITS, sizeof s.credits[0] },
	};
	double windows[ROUNDS_MOST], ways[ROUNDS_MOST], ratios[ROUNDS_MOST];

	for (int i = 0; i < DEPTH; i++) {
		s.buffers[i] = calloc(1, size.bytes);
		if (!s.buffers[i])
			fail("out of memory");
	}
	need(&s, !t->open(t->self, channels, 2));
	stream(&s);
	ping_pong(&s);
	for (unsigned i = 0; i < rounds; i++) {
		windows[i] = stream(&s);
		ways[i] = ping_pong(&s);
		ratios[i] = windows[i] / ways[i];
	}
	t->close(t->self);
	for (int i = 0; i < DEPTH; i++)
		free(s.buffers[i]);
	qsort(windows, rounds, sizeof windows[0], compare);
	qsort(ways, rounds, sizeof ways[0], compare);
	qsort(ratios, rounds, sizeof ratios[0], compare);
	if (!t->rank)
		printf("%9llu %10.2f us %10.2f us   %5.2f  (%.2f .. %.2f)\n", (unsigned long long)size.bytes,
			windows[rounds / 2], ways[rounds / 2], ratios[rounds / 2], ratios[0],
			ratios[rounds - 1]);
}

static int usage(FILE *to, int status)
{
	fputs("usage: mpirun -n 2 mpi_hop [-n ROUNDS] [-q]\n"
	      "  -n ROUNDS  1 to 99; 9\n"
	      "  -q         a round of a twentieth of the windows\n"
	      "Columns: bytes of a window; a window through the transport, with four on their way; one way "
	      "of a\n"
	      "ping-pong by MPI alone; the ratio of these, the median of the rounds, its smallest and its "
	      "largest.\n",
		to);
	return status;
}

int main(int argc, char **argv)
{
	struct pstk_transport *t;
	char text[512] = "";
	unsigned rounds = 9;
	bool quick = false;
	int option;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout, 0);
	while ((option = getopt(argc, argv, "hn:q")) != -1) {
		if (option == 'h')
			return usage(stdout, 0);
		if (option == 'q')
			quick = true;
		else if (option != 'n' || !number_unsigned(optarg, 1, ROUNDS_MOST, &rounds))
			return usage(stderr, 2);
	}
	if (optind < argc)
		return usage(stderr, 2);
	t = pstk_mpi_transport(text, sizeof text);
	if (!t) {
		fprintf(stderr, "mpi_hop: %s\n", text);
		return 1;
	}
	if (t->ranks != 2) {
		fprintf(stderr, "mpi_hop: %u processes, it takes two: mpirun -n 2 mpi_hop\n", t->ranks);
		pstk_mpi_transport_free(t);
		return 2;
	}
	if (!t->rank)
		printf("    bytes     transport         MPI   ratio\n");
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct size size = sizes[i];

		if (quick)
			size.windows = 1 + size.windows / 20;
		measure(t, size, quick ? 1 : rounds);
	}
	pstk_mpi_transport_free(t);
	return 0;
}
