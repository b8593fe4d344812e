/* SPDX-License-Identifier: MIT */
#include "tests/common/quiet.h"
#include "lib/base/clock.h"
#include "lib/base/cores.h"
#include "tests/common/common.h"

#include <pthread.h>
#include <stdio.h>

enum { SPIN_NS = 20000000, CORES_MOST = 64, RUNS = 10, JUDGED = 3 };

/* Its share of a core. */
static void *spin(void *share)
{
	uint64_t begin = ps_clock_ns(), cpu = ps_clock_cpu_ns();

	while (ps_clock_ns() - begin < SPIN_NS)
		;
	*(double *)share = (double)(ps_clock_cpu_ns() - cpu) / (double)(ps_clock_ns() - begin);
	return NULL;
}

bool test_machine_is_quiet(void)
{
	unsigned cores = ps_cores() < CORES_MOST ? ps_cores() : CORES_MOST;
	pthread_t threads[CORES_MOST];
	double shares[CORES_MOST];
	bool quiet = true;

	for (unsigned i = 0; i < cores; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, spin, &shares[i]), 0);
	for (unsigned i = 0; i < cores; i++) {
		pthread_join(threads[i], NULL);
		quiet &= shares[i] > 0.97;
	}
	return quiet;
}

bool test_when_quiet(bool (*is_right)(void *), void *data, const char *what)
{
	unsigned judged = 0;

	for (unsigned i = 0; i < RUNS && judged < JUDGED; i++) {
		bool quiet = test_machine_is_quiet();

		if (is_right(data))
			return true;
		judged += quiet && test_machine_is_quiet();
	}
	if (judged < JUDGED)
		fprintf(stderr, "%s: not judged, other programs have the cores\n", what);
	return judged < JUDGED;
}
