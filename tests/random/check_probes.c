/* SPDX-License-Identifier: MIT */
/* Random networks of dynamic kernels (probe_net.h) on a real driver, in each way in which memory is shared. */
#include "tests/random/probe_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_NETWORKS = 20 };

static const struct {
	const char *memory, *pocl, *launch;
} ways[] = { { "svm", "basic", "" }, { "map", "basic", "" }, { "copy", "basic", "" }, { "", "pthread", "" },
	{ "copy", "pthread", "own" } };

START_TEST(networks)
{
	uint64_t rounds = test_rounds(QUICK_NETWORKS), first = test_seed() + (uint64_t)_i * rounds;
	struct probe_totals totals = { 0 };
	static struct probe_net net;
	struct pstk_device_info info;
	const char *device = info.selector;

	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	setenv("POCL_DEVICES", ways[_i].pocl, 1);
	setenv("PENSTOCK_LAUNCH", ways[_i].launch, 1);
	if (pstk_devices(&info, 1) < 1) {
		printf("no OpenCL device: skipped\n");
		return;
	}
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *what;

		test_guard("a network of probes", seed);
		probe_random(&net, seed, &device, 1);
		what = probe_check(&net, &totals);
		ck_assert_msg(!what, "%s %s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", ways[_i].pocl,
			ways[_i].memory, seed, what);
	}
	printf("%s %s: %" PRIu64 " networks, %" PRIu64 " firings, %" PRIu64 " tokens\n", ways[_i].pocl,
		ways[_i].memory, totals.networks, totals.firings, totals.tokens);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probes");
	TCase *runs = test_case(suite, "runs");

	tcase_add_loop_test(runs, networks, 0, TEST_COUNT(ways));
	return test_main(suite);
}
