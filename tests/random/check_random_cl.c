/* SPDX-License-Identifier: MIT */
/*
 * Random networks with actors on cores and on OpenCL devices: each token that a host actor reads, and each device actor's state
 * at the end, is compared with the sequential oracle. Once for each way in which host and device share memory.
 */
#include "tests/common/common.h"
#include "tests/random/net_device.h"
#include "tests/random/net_run.h"
#include "tests/random/random_net.h"

#include <penstock/penstock.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_NETWORKS = 30 };

/* A test is a process of its own (Check forks), so that each has its own drivers. */
static const struct {
	const char *name, *memory, *pocl;
	bool parts, serial;
	const char *launch;
} ways[] = {
	{ "as the device suggests", "", "pthread", false, false, "" },
	{ "svm", "svm", "basic", true, false, "" },
	{ "map", "map", "basic", true, false, "" },
	{ "copy", "copy", "basic", true, false, "" },
	{ "map on threads", "map", "pthread", true, false, "" },
	{ "copy on threads", "copy", "pthread", true, false, "" },
	{ "each actor launched by its own thread", "", "pthread", true, false, "own" },
	{ "one by one", "", "pthread", true, true, "" },
};

/* The whole device, and its two halves if it can be divided. */
static unsigned find_devices(const char **devices, bool parts)
{
	static char names[3][80];
	struct pstk_device_info info;
	unsigned count = 1;

	if (pstk_devices(&info, 1) < 1)
		return 0;
	snprintf(names[0], sizeof(names[0]), "%s", info.selector);
	for (unsigned i = 1; parts && i <= 2; i++) {
		snprintf(names[i], sizeof(names[i]), "%s/%uof2", info.selector, i);
		count += pstk_device_find(names[i], &info, NULL, 0) == 0;
	}
	for (unsigned i = 0; i < count; i++)
		devices[i] = names[i];
	return count;
}

/* Seeds that have found something: 1409, two readers with the same delay and other initial tokens. */
static const uint64_t found[] = { 1409 };

static void run_network(uint64_t seed, bool known, const char *way, const char *const *devices,
	unsigned count, struct net_totals *totals)
{
	static struct net_spec net;
	const char *what;

	test_guard("a random network", seed);
	net_make_random(&net, seed);
	if (!known)
		net_equal_delays(&net, seed);
	net_device_choose(&net, seed, devices, count);
	what = net_run(&net, totals);
	net_spec_free(&net);
	ck_assert_msg(!what, "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", way, seed, what);
}

START_TEST(mixed_networks)
{
	struct net_totals totals = { 0 };
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_NETWORKS);
	const char *devices[3];
	unsigned count;

	if (!getenv("PENSTOCK_TEST_SEED"))
		first += (uint64_t)_i * rounds; /* other networks in each way */
	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	setenv("POCL_DEVICES", ways[_i].pocl, 1);
	setenv("PENSTOCK_LAUNCH", ways[_i].launch, 1);
	setenv("PENSTOCK_SERIAL", ways[_i].serial ? "1" : "0", 1); /* read once a process */
	count = find_devices(devices, ways[_i].parts);
	if (!count) {
		printf("no OpenCL device: skipped\n");
		return;
	}
	for (unsigned i = 0; i < TEST_COUNT(found); i++)
		run_network(found[i], true, ways[_i].name, devices, count, &totals);
	for (uint64_t seed = first; seed < first + rounds; seed++)
		run_network(seed, false, ways[_i].name, devices, count, &totals);
	ck_assert(totals.shared > 0 || rounds < QUICK_NETWORKS); /* on the cores, beside readers on devices */
	printf("%s: %" PRIu64 " networks, %" PRIu64 " actors, %" PRIu64 " FIFOs, %" PRIu64
	       " firings, %" PRIu64 " tokens, seeds %" PRIu64 " to %" PRIu64 "\n",
		ways[_i].name, totals.networks, totals.actors, totals.fifos, totals.firings, totals.tokens,
		first, first + rounds - 1);
	net_print_teams(&totals);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_cl");
	TCase *networks = test_case(suite, "networks");

	tcase_add_loop_test(networks, mixed_networks, 0, TEST_COUNT(ways));
	return test_main(suite);
}
