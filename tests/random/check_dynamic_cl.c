/* SPDX-License-Identifier: MIT */
/*
 * Proven dynamic networks (dynamic_net.h) with their actors on cores and on devices of a real driver: every
 * token is checked, and what is left is the oracle's.
 */
#include "tests/random/dynamic_run.h"

#include <penstock/penstock.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_NETWORKS = 12, TICKS = 24 };

static const struct {
	const char *memory, *pocl, *launch;
	bool parts;
} ways[] = { { "svm", "basic", "", false }, { "map", "basic", "", false }, { "copy", "basic", "", false },
	{ "", "pthread", "", true }, { "copy", "pthread", "own", true } };

/* The whole device, and its two halves if it can be divided. */
static unsigned find_devices(const char **devices, bool parts)
{
	static char names[3][80];
	struct pstk_device_info info;
	unsigned count = 1;

	if (pstk_devices(&info, 1) < 1)
		return 0;
	snprintf(names[0], sizeof names[0], "%s", info.selector);
	for (unsigned i = 1; parts && i <= 2; i++) {
		snprintf(names[i], sizeof names[i], "%s/%uof2", info.selector, i);
		count += pstk_device_find(names[i], &info, NULL, 0) == 0;
	}
	for (unsigned i = 0; i < count; i++)
		devices[i] = names[i];
	return count;
}

START_TEST(networks)
{
	uint64_t rounds = test_rounds(QUICK_NETWORKS), seed = test_seed() + 1000 * (uint64_t)_i;
	struct dyn_totals totals = { 0 };
	const char *devices[3];
	unsigned count;

	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	setenv("POCL_DEVICES", ways[_i].pocl, 1);
	setenv("PENSTOCK_LAUNCH", ways[_i].launch, 1);
	count = find_devices(devices, ways[_i].parts);
	if (!count) {
		printf("no OpenCL device: skipped\n");
		return;
	}
	for (; totals.networks < rounds; seed++) {
		const char *what;

		test_guard("a dynamic network", seed);
		what = dyn_run_random(seed, TICKS, devices, count, &totals);
		ck_assert_msg(!what, "%s %s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", ways[_i].pocl,
			ways[_i].memory, seed, what);
	}
	dyn_print_totals(ways[_i].memory, &totals);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dynamic_cl");
	TCase *runs = test_case(suite, "runs");

	tcase_add_loop_test(runs, networks, 0, TEST_COUNT(ways));
	return test_main(suite);
}
