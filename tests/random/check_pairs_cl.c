/* SPDX-License-Identifier: MIT */
/* Which pairs deadlock, with A, B or both on a real driver, in each way in which host and device share memory. */
#include "tests/random/pair_net.h"

#include <penstock/penstock.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_PAIRS = 40 };

static const struct {
	const char *name, *memory, *pocl;
} ways[] = {
	{ "svm", "svm", "basic" },
	{ "map", "map", "basic" },
	{ "copy", "copy", "basic" },
	{ "as the device suggests, on threads", "", "pthread" },
	{ "copy on threads", "copy", "pthread" },
};

static void run_pair(unsigned way, const char *device, uint64_t seed, struct pair_totals *totals)
{
	struct test_rng rng = { test_mix(seed) };
	unsigned on = 1 + (unsigned)(seed % 3);
	const char *what;
	struct pair p;

	test_guard(ways[way].name, seed);
	pair_random(&p, &rng);
	what = pair_run(&p, on & 1 ? device : NULL, on & 2 ? device : NULL, totals);
	ck_assert_msg(!what, "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s: %s", ways[way].name, seed,
		pair_text(&p), what);
}

START_TEST(pairs)
{
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_PAIRS);
	struct pair_totals totals = { 0 };
	struct pstk_device_info info;

	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	setenv("POCL_DEVICES", ways[_i].pocl, 1);
	if (pstk_devices(&info, 1) < 1) {
		printf("no OpenCL device: skipped\n");
		return;
	}
	first += (uint64_t)_i * rounds; /* other pairs in each way */
	for (uint64_t seed = first; seed < first + rounds; seed++)
		run_pair((unsigned)_i, info.selector, seed, &totals);
	printf("%s: %" PRIu64 " pairs, %" PRIu64 " dead, %" PRIu64 " starved, %" PRIu64
	       " windows, seeds %" PRIu64 " to %" PRIu64 "\n",
		ways[_i].name, totals.pairs, totals.dead, totals.starved, totals.firings, first,
		first + rounds - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pairs_cl");
	TCase *runs = test_case(suite, "runs");

	tcase_add_loop_test(runs, pairs, 0, TEST_COUNT(ways));
	return test_main(suite);
}
