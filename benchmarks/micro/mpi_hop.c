/* SPDX-License-Identifier: MIT */
/*
 * A window from one process to another one, and as a ratio to MPI alone, half of a ping-pong of MPI_Send() and
 * MPI_Recv() on as many bytes: through the transport over MPI, and through a network of two actors, with four windows
 * on their way.
 *
 * Why it is fair: the same two processes run all of them in turn, each once a round. Neither side computes. Each side
 * has four buffers, which the windows use in turn. A receive is posted before its window is sent: the receiver says how
 * many it has posted, in messages of their own. By the transport alone both processes spin all the time, where the
 * thread of a network sleeps. A ratio below 1 means that windows on their way together wait less than one by itself.
 *
 * -R: the link between two hosts has that rate, of which a network uses a share: columns: bytes of a window; the share,
 * and the cores that rank 0 and rank 1 keep busy, each the median of rounds.
 *
 * Usage: mpirun -n 2 mpi_hop [-n ROUNDS] [-R RATE] [-q]
 */
#include "benchmarks/common/number.h"
#include "benchmarks/micro/mpi_network.h"

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
	uint32_t rate; /* tokens of a window */
};

static const struct size sizes[] = { { 4096, 20000, 1024 }, { 4096, 20000, 1 }, { 76800, 5000, 1 },
	{ 1 << 20, 400, 1 }, { 16 << 20, 24, 1 } };

/* On a shaped link. */
static const struct size shaped = { 1 << 20, 200, 1 };
enum { SHAPED_DEPTH = 2 };

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

static double network(struct pstk_transport *t, struct size size, uint32_t depth, double cores[2])
{
	const struct mpi_network is = { t, size.bytes / size.rate, size.windows, size.rate, depth };
	struct mpi_network_cost cost;
	const char *why;

	MPI_Barrier(MPI_COMM_WORLD);
	why = mpi_network_run(&is, &cost);
	if (why)
		fail(why);
	MPI_Allgather(&cost.cores, 1, MPI_DOUBLE, cores, 1, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Bcast(&cost.seconds, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD); /* the sink's */
	return cost.seconds * 1e6;
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof *values, compare);
	return values[count / 2];
}

static void print_ratio(double *ratios, unsigned rounds)
{
	double middle = median(ratios, rounds);

	printf("   %5.2f  (%.2f .. %.2f)", middle, ratios[0], ratios[rounds - 1]);
}

static double transport_of(struct side *s)
{
	struct pstk_transport *t = s->transport;
	const struct pstk_transport_channel channels[] = {
		{ 0, !t->rank, !t->rank, DEPTH, s->bytes },
		{ 1, !t->rank, t->rank, CREDITS, sizeof s->credits[0] },
	};
	double us;

	need(s, !t->open(t->self, channels, 2));
	us = stream(s);
	t->close(t->self);
	return us;
}

static void measure(struct pstk_transport *t, struct size size, unsigned rounds)
{
	struct side s = { .transport = t, .bytes = size.bytes, .windows = size.windows };
	double windows[ROUNDS_MOST], ways[ROUNDS_MOST], nets[ROUNDS_MOST], ratios[2][ROUNDS_MOST], cores[2];

	for (int i = 0; i < DEPTH; i++) {
		s.buffers[i] = calloc(1, size.bytes);
		if (!s.buffers[i])
			fail("out of memory");
	}
	transport_of(&s);
	ping_pong(&s);
	for (unsigned i = 0; i < rounds; i++) {
		windows[i] = transport_of(&s);
		ways[i] = ping_pong(&s);
		nets[i] = network(t, size, DEPTH, cores);
		ratios[0][i] = windows[i] / ways[i];
		ratios[1][i] = nets[i] / ways[i];
	}
	for (int i = 0; i < DEPTH; i++)
		free(s.buffers[i]);
	if (t->rank)
		return;
	printf("%9llu %6u %9.2f us %9.2f us", (unsigned long long)size.bytes, size.rate, median(ways, rounds),
		median(windows, rounds));
	print_ratio(ratios[0], rounds);
	printf(" %9.2f us", median(nets, rounds));
	print_ratio(ratios[1], rounds);
	printf("\n");
}

static void measure_all(struct pstk_transport *t, unsigned rounds, bool quick)
{
	if (!t->rank)
		printf("    bytes tokens         MPI    transport   ratio                    network   "
		       "ratio\n");
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct size size = sizes[i];

		if (quick)
			size.windows = 1 + size.windows / 20;
		measure(t, size, rounds);
	}
}

/* The share of a link of this rate that a network uses. */
static void measure_share(struct pstk_transport *t, double rate, unsigned rounds, bool quick)
{
	double shares[ROUNDS_MOST], cores[2][ROUNDS_MOST], both[2];
	struct size size = shaped;

	if (quick)
		size.windows /= 10;
	for (unsigned i = 0; i < rounds; i++) {
		shares[i] = (double)size.bytes / rate / (network(t, size, SHAPED_DEPTH, both) * 1e-6);
		cores[0][i] = both[0];
		cores[1][i] = both[1];
	}
	if (!t->rank)
		printf("    bytes   share of %.4g bytes/s   cores of rank 0   of rank 1\n"
		       "%9llu   %.3f   %.3f   %.3f\n",
			rate, (unsigned long long)size.bytes, median(shares, rounds),
			median(cores[0], rounds), median(cores[1], rounds));
}

static int usage(FILE *to, int status)
{
	fputs("usage: mpirun -n 2 mpi_hop [-n ROUNDS] [-R RATE] [-q]\n"
	      "  -n ROUNDS  1 to 99; 9\n"
	      "  -R RATE    of the link between two hosts, bytes/s: the share of it that a network uses, "
	      "with\n"
	      "             windows of 1 MiB at depth 2, and the cores that each rank keeps busy meanwhile\n"
	      "  -q         a round of a twentieth of the windows\n"
	      "Columns: bytes of a window, and its tokens; one way of a ping-pong by MPI alone; a window "
	      "through\n"
	      "the transport, and through a network, both with four on their way; the ratio of each to MPI "
	      "alone,\n"
	      "the median of the rounds, its smallest and its largest.\n",
		to);
	return status;
}

static int run(unsigned rounds, double rate, bool quick)
{
	char text[512] = "";
	struct pstk_transport *t = pstk_mpi_transport(text, sizeof text);

	if (!t) {
		fprintf(stderr, "mpi_hop: %s\n", text);
		return 1;
	}
	if (t->ranks != 2) {
		fprintf(stderr, "mpi_hop: %u processes, it takes two: mpirun -n 2 mpi_hop\n", t->ranks);
		pstk_mpi_transport_free(t);
		return 2;
	}
	if (rate > 0)
		measure_share(t, rate, quick ? 1 : rounds, quick);
	else
		measure_all(t, quick ? 1 : rounds, quick);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rate >
		0) { /* over TCP MPI_Finalize() of MPICH 4.0 mostly hangs when one rank is later than the other */
		fflush(stdout);
		_exit(0);
	}
	pstk_mpi_transport_free(t);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned rounds = 9;
	bool quick = false;
	double rate = 0;
	int option;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout, 0);
	while ((option = getopt(argc, argv, "hn:R:q")) != -1) {
		if (option == 'h')
			return usage(stdout, 0);
		if (option == 'q')
			quick = true;
		else if (option == 'R' && number_real(optarg, 1, 1e18, &rate))
			continue;
		else if (option != 'n' || !number_unsigned(optarg, 1, ROUNDS_MOST, &rounds))
			return usage(stderr, 2);
	}
	return optind < argc ? usage(stderr, 2) : run(rounds, rate, quick);
}
