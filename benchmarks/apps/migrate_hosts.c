/* SPDX-License-Identifier: MIT */
/*
 * Migrate, hosts: saliency whose step normalize moves between devices of two processes, there and back. As benchmarks/
 * migrate, of which it has the other scenarios (section V's 2 and 3); benchmarks/README.md says more.
 *
 * Usage: mpirun -n 2 migrate_hosts [-S WxH] [-m MOVES] [-f DIR]
 */
#include "apps/common/probe.h"
#include "benchmarks/apps/migrate_figures.h"
#include "benchmarks/apps/migrate_gaps.h"
#include "benchmarks/common/number.h"
#include "benchmarks/common/rounds.h"

#include <penstock/hosts.h>
#include <penstock/mpi.h>

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RANKS = 2, SIDE_MAX = 4096, MOVES_MOST = 10000, BEGIN = 12, APART = 3 };

static uint32_t width = 512, height = 512;
static unsigned moves = 200;
static const char *folder;

static int usage(FILE *to, int status)
{
	fputs("usage: mpirun -n 2 migrate_hosts [OPTION]...\n"
	      "  -S WxH      size of a frame; 512x512\n"
	      "  -m MOVES    there, and as many back; 200\n"
	      "  -f DIR      the figures alone, as CSV and SVG\n"
	      "Columns: as of benchmarks/migrate.\n",
		to);
	return status;
}

static bool option(int c)
{
	if (c == 'f')
		folder = optarg;
	return c == 'f' || (c == 'S' && number_size(optarg, SIDE_MAX, &width, &height)) ||
	       (c == 'm' && number_unsigned(optarg, 1, MOVES_MOST, &moves));
}

/* A control behind each move, as migrate_gaps_run(). */
static void measure(struct saliency_frames *frames, struct pstk_transport *transport)
{
	const struct migrate_way way = { .first = MIGRATE_HALF_1,
		.movable = true,
		.frames = BEGIN + (uint64_t)APART * 4 * moves + 2,
		.moves = 4 * moves,
		.begin = BEGIN,
		.apart = APART,
		.cycle = { MIGRATE_HALF_2, MIGRATE_HALF_2, MIGRATE_HALF_1, MIGRATE_HALF_1 },
		.cycle_length = 4,
		.transport = transport };
	struct migrate_gaps there, back;
	struct migrate_ran ran;

	migrate_run(frames, &way, &ran);
	if (!transport->rank) {
		migrate_gaps_measure(&ran, migrate_place_name(&way, MIGRATE_HALF_2), &there);
		migrate_gaps_measure(&ran, migrate_places[MIGRATE_HALF_1], &back);
		migrate_gaps_print_head();
		migrate_gaps_print("there", &there, 0);
		migrate_gaps_print("back", &back, 0);
	}
	free(ran.moments);
	free(ran.moves);
}

/* The maps are learnt in a run of this process alone. */
static void learn(struct saliency_frames *frames)
{
	const struct migrate_way still = { .first = MIGRATE_CORES, .frames = SALIENCY_RING };
	struct migrate_ran ran;

	migrate_run(frames, &still, &ran);
	free(ran.moments);
	free(ran.moves);
}

static void run(struct pstk_transport *transport)
{
	bool says = !transport->rank;
	struct saliency_frames frames;

	saliency_frames_open(&frames, width, height);
	learn(&frames);
	if (says)
		probe_print("before");
	for (unsigned staged = 0; staged < 2; staged++) {
		if (staged)
			setenv("PENSTOCK_MEMORY", "copy", 1);
		if (says)
			printf("saliency %ux%u, normalize moves to another host, %s:\n", width, height,
				staged ? "staged homes" : "homes as they are");
		if (folder)
			migrate_figures_write_hosts(&frames, folder, staged, transport);
		else
			measure(&frames, transport);
	}
	if (says)
		probe_print("after");
	saliency_frames_close(&frames);
}

int main(int argc, char **argv)
{
	struct pstk_transport *transport;
	char text[512] = "";
	int status = 0;

	for (int c; (c = getopt(argc, argv, "S:m:f:h")) != -1;) {
		if (c == 'h')
			return usage(stdout, 0);
		if (!option(c))
			return usage(stderr, 2);
	}
	if (optind < argc)
		return usage(stderr, 2);
	if (folder && mkdir(folder, 0777) && errno != EEXIST)
		rounds_fail("%s: %s", folder, strerror(errno));
	transport = pstk_mpi_transport(text, sizeof text);
	if (!transport) {
		fprintf(stderr, "migrate_hosts: %s\n", text);
		return 1;
	}
	if (transport->ranks != RANKS) {
		fprintf(stderr, "migrate_hosts: %u processes, it takes two: mpirun -n 2 migrate_hosts\n",
			transport->ranks);
		status = 2;
	} else if (migrate_absent()) {
		if (!transport->rank)
			printf("left out: %s\n", migrate_absent());
	} else {
		run(transport);
	}
	pstk_mpi_transport_free(transport);
	return status;
}
