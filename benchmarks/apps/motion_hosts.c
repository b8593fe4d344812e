/* SPDX-License-Identifier: MIT */
/*
 * Motion detection over two ranks of one machine: frames a second
 *
 *	alone    of one process, with a team of 2; it knows of no other
 *	at one   of the same, where the network has two hosts, all actors are on the first, and the other one has none
 *	cut      behind gauss: source and gauss are on one rank, the others on the other one, with a team of 1 each
 *
 * and the ratio of the last two to the first of the same round, as the median of rounds. All give the same output.
 *
 * Why it is fair: all run as planned, with the same depths. Both ranks have the same two cores, as the team has them.
 * What isn't at work sleeps. The time is from the sink's first window to its last one, so neither the start of MPI nor
 * that of a network counts.
 * Why cut can't reach 1: each frame crosses by MPI, which copies it twice, into shared memory and out of it; and each
 * rank has a thread for MPI besides, so four threads share two cores.
 *
 * Usage: mpirun -n 2 motion_hosts [-H] [-S WxH] [-n ROUNDS] [-s SECONDS] [-r RATE] [-k DEPTH] [-q]
 */
#include "benchmarks/apps/motion_frames.h"
#include "benchmarks/apps/motion_network.h"
#include "apps/common/probe.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/slow_link.h"

#include <penstock/hosts.h>
#include <penstock/mpi.h>
#include <penstock/penstock.h>
#include <penstock/plan.h>

#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 99, RANKS = 2, FRAMES_LEAST = 256 };
enum way { ALONE, AT_ONE, CUT, WAYS };

static const char *const names[WAYS] = { "alone, team 2", "at one of two, team 2",
	"cut in two, team 1 each" };

static struct {
	unsigned rounds, depth, rate;
	double seconds;
	uint64_t frames, hash; /* of each run */
	struct pstk_transport *transport;
} bench = { .rounds = 9, .depth = 8, .rate = 1, .seconds = 0.5 };

static void fail(const char *what)
{
	fprintf(stderr, "motion_hosts: %s\n", what);
	bench.transport->abort(bench.transport->self, 1);
	exit(1);
}

static struct pstk_machine *new_machine(enum way way)
{
	struct pstk_machine *m = pstk_machine_create();

	pstk_machine_add_host(m, "c0", 2, 0);
	if (way == ALONE)
		return m;
	pstk_machine_add_host(m, "c1", 2, 0);
	pstk_machine_add_link(m, &(const struct pstk_link){ "c0", "c1", PSTK_LINK_NET, INFINITY, 0, false });
	return m;
}

static void check(int err, const struct pstk_network *net)
{
	if (err < 0)
		fail(pstk_network_error(net));
}

static void place(struct pstk_network *net, bool cut)
{
	struct pstk_actor *a;

	for (unsigned i = 0; (a = pstk_network_actor(net, i)); i++) {
		const char *name = pstk_actor_name(a);
		bool first = !cut || !strcmp(name, "source") || !strcmp(name, "gauss");

		pstk_actor_place(a, first ? "c0" : "c1");
	}
}

static void run_planned(struct pstk_network *net, enum way way)
{
	struct pstk_machine *m = new_machine(way);
	struct pstk_plan *plan;

	if (way != ALONE)
		check(pstk_network_set_hosts(net, bench.transport, NULL), net);
	place(net, way == CUT);
	plan = pstk_plan_create(net, m, NULL);
	if (pstk_plan_result(plan))
		fail(pstk_plan_error(plan));
	check(pstk_plan_apply(net, plan), net);
	check(pstk_network_run(net), net);
	pstk_plan_destroy(plan);
	pstk_machine_destroy(m);
}

/* Frames a second; of both ranks, the one with the sink knows. */
static double run(enum way way, uint64_t frames)
{
	struct motion_way is = { .team = way == CUT ? 1 : 2, .rate = bench.rate, .depth = bench.depth };
	struct motion_run motion = { .frames = frames };
	bool takes_part = way != ALONE || !bench.transport->rank;
	struct pstk_network *net = takes_part ? motion_build(&is, &motion) : NULL;
	double second;

	slow_link_meet();
	if (net)
		run_planned(net, way);
	pstk_network_destroy(net);
	slow_link_meet();
	second = (double)(frames - bench.rate) / (motion.last - motion.first);
	MPI_Bcast(&second, 1, MPI_DOUBLE, way == CUT, MPI_COMM_WORLD);
	MPI_Bcast(&motion.hash, 1, MPI_UINT64_T, way == CUT, MPI_COMM_WORLD);
	if (frames == bench.frames && !bench.hash)
		bench.hash = motion.hash;
	if (frames == bench.frames && bench.hash != motion.hash)
		fail("two outputs differ");
	return second;
}

/* -- the table -- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct rounds {
	double seconds[WAYS][ROUNDS_MOST];
	enum probe_state states[ROUNDS_MOST];
};

/* Of the rounds in this state; PROBE_STATES: of all. */
static void print_state(const struct rounds *r, enum probe_state state)
{
	double values[ROUNDS_MOST], ratios[ROUNDS_MOST];

	for (unsigned way = 0; way < WAYS; way++) {
		unsigned n = 0;

		for (unsigned i = 0; i < bench.rounds; i++) {
			if (state != PROBE_STATES && r->states[i] != state)
				continue;
			values[n] = r->seconds[way][i];
			ratios[n++] = r->seconds[way][i] / r->seconds[ALONE][i];
		}
		if (!n)
			return;
		qsort(values, n, sizeof *values, compare);
		qsort(ratios, n, sizeof *ratios, compare);
		printf("%-8s %2u  %-24s %9.0f   %5.3f  (%.3f .. %.3f)\n",
			state == PROBE_STATES ? "any" : probe_state_names[state], n, names[way],
			values[n / 2], ratios[n / 2], ratios[0], ratios[n - 1]);
	}
}

/* What the cores are at the beginning and at the end of a round. */
static enum probe_state common(enum probe_state a, enum probe_state b)
{
	return a == b ? a : PROBE_NEITHER;
}

static void measure(void)
{
	static struct rounds r;

	bench.frames = (uint64_t)(run(ALONE, FRAMES_LEAST) * bench.seconds);
	bench.frames = bench.frames < FRAMES_LEAST ? FRAMES_LEAST : bench.frames / 16 * 16;
	for (unsigned i = 0; i < bench.rounds; i++) {
		enum probe_state before = bench.transport->rank ? PROBE_NEITHER : probe_cores().state;

		for (unsigned k = 0; k < WAYS; k++) {
			enum way way = (enum way)((k + i) % WAYS);

			r.seconds[way][i] = run(way, bench.frames);
		}
		if (!bench.transport->rank)
			r.states[i] = common(before, probe_cores().state);
		slow_link_meet();
	}
	if (bench.transport->rank)
		return;
	printf("%s: %llu frames of %ux%u, r %u, depth %u\n", motion_name(), (unsigned long long)bench.frames,
		motion_width(), motion_height(), bench.rate, bench.depth);
	printf("cores rounds                            frames/s   ratio\n");
	print_state(&r, PROBE_NEAR);
	print_state(&r, PROBE_FAR);
	print_state(&r, PROBE_STATES);
}

/* -- options -- */

static int usage(FILE *to, int status)
{
	fputs("usage: mpirun -n 2 motion_hosts [OPTION]...\n" MOTION_HELP "  -n ROUNDS   1 to 99; 9\n"
	      "  -s SECONDS  that a run of one process takes; 0.5\n"
	      "  -r RATE     frames of a window, 1, 2, 4, 8 or 16; 1\n"
	      "  -k DEPTH    windows of a FIFO; 8\n"
	      "  -q          a round of runs that are as short as can be\n"
	      "Columns: the state of the cores, and how many rounds were in it; what runs; frames a second; "
	      "as a\n"
	      "ratio to one process that knows of no other: the median of rounds, its smallest and its "
	      "largest.\n",
		to);
	return status;
}

static bool option(int c)
{
	switch (c) {
	case 'n':
		return number_unsigned(optarg, 1, ROUNDS_MOST, &bench.rounds);
	case 's':
		return number_real(optarg, 1e-4, 100, &bench.seconds);
	case 'r':
		return number_unsigned(optarg, 1, 16, &bench.rate) && 16 % bench.rate == 0;
	case 'k':
		return number_unsigned(optarg, 2, 4096, &bench.depth);
	case 'q':
		bench.rounds = 1;
		bench.seconds = 1e-4;
		return true;
	default:
		return c != '?' && motion_option(c, optarg);
	}
}

int main(int argc, char **argv)
{
	char text[512] = "";
	int status = 0;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout, 0);
	for (int c; (c = getopt(argc, argv, MOTION_OPTIONS "n:s:r:k:qh")) != -1;) {
		if (c == 'h')
			return usage(stdout, 0);
		if (!option(c))
			return usage(stderr, 2);
	}
	if (optind < argc)
		return usage(stderr, 2);
	bench.transport = pstk_mpi_transport(text, sizeof text);
	if (!bench.transport) {
		fprintf(stderr, "motion_hosts: %s\n", text);
		return 1;
	}
	motion_open();
	if (bench.transport->ranks == RANKS)
		measure();
	else {
		fprintf(stderr, "motion_hosts: %u processes, it takes two: mpirun -n 2 motion_hosts\n",
			bench.transport->ranks);
		status = 2;
	}
	motion_close();
	slow_link_meet();
	pstk_mpi_transport_free(bench.transport);
	return status;
}
