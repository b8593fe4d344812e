/* SPDX-License-Identifier: MIT */
/*
 * Random networks on the fake driver against the oracle, in each way in which memory is shared, on two devices, on parts of
 * one, with waits of random length in the driver. Nothing is left after each network, nothing was done wrong.
 */
#include "tests/common/common.h"
#include "tests/random/net_device.h"
#include "tests/random/net_fake.h"
#include "tests/random/net_run.h"
#include "tests/random/random_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_NETWORKS = 100 };

static const char *const one[] = { "pstk:gpu:0" };
static const char *const two[] = { "pstk:gpu:0", "pstk:gpu:1" };
static const char *const parts[] = { "pstk:gpu:0/1of2", "pstk:gpu:0/2of2", "pstk:gpu:0" };

static const struct {
	const char *settings, *memory;
	const char *const *devices;
	unsigned device_count;
	bool local;
} ways[] = {
	{ "svm=none,unified=0,align=4096", "", one, 1, false },
	{ "svm=none,unified=0,align=4096,arginfo=0", "copy", one, 1, false },
	{ "svm=none,unified=0,align=4096", "copy", one, 1, true },
	{ "svm=none,unified=1,align=4096", "map", one, 1, false },
	{ "svm=coarse,unified=1,align=4096", "svm", one, 1, false },
	{ "svm=coarse,unified=0", "", one, 1, true },
	{ "svm=fine,unified=1", "", one, 1, false },
	{ "svm=none,unified=0,devices=2", "", two, 2, false },
	{ "svm=coarse,unified=1,devices=2", "svm", two, 2, false },
	{ "svm=none,unified=1,devices=2,arginfo=0", "map", two, 2, true },
	{ "svm=none,unified=0,units=4", "", parts, 3, false },
	{ "svm=none,unified=1,units=4", "map", parts, 3, false },
	{ "svm=fine,unified=1,units=4,lazy=1", "svm", parts, 3, false },
};

static void check_left(const struct fake_cl *fake, const char *way, uint64_t seed)
{
	fake->settle();
	for (int kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_msg(!fake->live((enum fake_cl_kind)kind),
			"%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %ld objects of kind %d are left", way, seed,
			fake->live((enum fake_cl_kind)kind), kind);
	ck_assert_msg(!fake->violation_count(), "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", way, seed,
		fake->violation(0));
}

static void run_network(
	const struct fake_cl *fake, unsigned way, uint64_t seed, bool known, struct net_totals *totals)
{
	static struct net_spec net;
	char settings[160];
	const char *what;

	test_guard(ways[way].settings, seed);
	/* most without waits: they find more networks, fewer times */
	snprintf(settings, sizeof settings, "%s,delay=%" PRIu64, ways[way].settings, seed % 4 ? 0 : seed);
	setenv("PENSTOCK_FAKE_CL", settings, 1);
	fake->reset();
	net_fake_kernels(fake, ways[way].local);
	net_make_random(&net, seed);
	if (!known)
		net_equal_delays(&net, seed);
	net_device_choose(&net, seed, ways[way].devices, ways[way].device_count);
	what = net_run(&net, totals);
	net_spec_free(&net);
	ck_assert_msg(!what, "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", settings, seed, what);
	check_left(fake, settings, seed);
}

/* Seeds that have found something. */
START_TEST(known_networks)
{
	static const uint64_t seeds[] = {
		1409, /* two readers with as many delay tokens, but others */
		1536, /* a host writes on when the device's reader has ended: unmaps were forgotten */
	};
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, ways[_i].settings, NULL);
	struct net_totals totals = { 0 };

	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	for (size_t i = 0; i < TEST_COUNT(seeds); i++)
		run_network(fake, (unsigned)_i, seeds[i], true, &totals);
}
END_TEST

START_TEST(mixed_networks)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, ways[_i].settings, NULL);
	struct net_totals totals = { 0 };
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_NETWORKS);

	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	for (uint64_t seed = first; seed < first + rounds; seed++)
		run_network(fake, (unsigned)_i, seed, false, &totals);
	printf("%s%s: %" PRIu64 " networks, %" PRIu64 " firings, %" PRIu64 " tokens, seeds %" PRIu64
	       " to %" PRIu64 "\n",
		ways[_i].settings, ways[_i].local ? ", local memory" : "", totals.networks, totals.firings,
		totals.tokens, first, first + rounds - 1);
	net_print_teams(&totals);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_fake");
	TCase *networks = test_case(suite, "networks");

	tcase_add_loop_test(networks, known_networks, 0, TEST_COUNT(ways));
	tcase_add_loop_test(networks, mixed_networks, 0, TEST_COUNT(ways));
	return test_main(suite);
}
