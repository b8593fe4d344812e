/* SPDX-License-Identifier: MIT */
/* Random networks over the processes of an mpirun, each with devices of a fake driver of its own: mpirun -n 2
 * mpi_random_fake WAY. A process loads one driver once, so it takes one way of the carrier. */
#include "tests/fake_cl/fake_cl.h"
#include "tests/random/carrier_mpi.h"
#include "tests/random/suite.h"

#include <stdio.h>
#include <stdlib.h>

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true }, .rounds = 2 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 1 },
	{ .name = "dynamic", .switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 40 }, .rounds = 1 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true }, .rounds = 1 },
};

static bool open_ranks(unsigned way, const char *const **devices, unsigned *count)
{
	bool opened = carrier_fake.open(way, devices, count);

	run_exchange = &carrier_over_mpi;
	return opened;
}

int main(int argc, char **argv)
{
	static struct carrier on;
	Suite *suite = suite_create("mpi_random_fake");
	static char program[40];

	if (argc != 2) {
		fprintf(stderr, "usage: mpirun -n RANKS mpi_random_fake WAY\n");
		return 2;
	}
	fake_cl_choose(FAKE_CL_DRIVER, ""); /* MPICH's hwloc looks for devices */
	snprintf(program, sizeof program, "mpi_random_fake %.10s", argv[1]);
	if (!carrier_mpi_begin(program))
		return EXIT_FAILURE;
	setenv("PENSTOCK_TEST_WAY", argv[1], 1);
	on = carrier_fake;
	on.open = open_ranks;
	suite_add(suite, &on, kinds, TEST_COUNT(kinds));
	return carrier_mpi_end(suite);
}
