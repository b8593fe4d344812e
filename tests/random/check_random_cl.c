/* SPDX-License-Identifier: MIT */
/* Random networks with actors on cores and on devices of a real driver, once for each way in which host and device
 * share memory. */
#include "tests/random/suite.h"

/* Seeds that have found something: 1409, two readers with the same delay and other initial tokens. */
static const uint64_t found[] = { 1409 };

/* To prepare a kernel takes a real driver longer than to run it: few actors are on devices. */
static const struct suite_kind kinds[] = {
	{ .name = "static",
		.switches = { .form = NET_STATIC, .proven = true, .most_on_devices = 3 },
		.rounds = 28 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC,
			.proven = true,
			.rates = true,
			.steps = true,
			.most_on_devices = 3 },
		.rounds = 14 },
	{ .name = "found",
		.switches = { .form = NET_STATIC, .proven = true, .own_delays = true },
		.rounds = TEST_COUNT(found),
		.seeds = found },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 24, .most_on_devices = 4 },
		.rounds = 7 },
	{ .name = "probes",
		.switches = { .form = NET_PROBES, .proven = true, .most_on_devices = 3 },
		.rounds = 12 },
	{ .name = "pipelines",
		.switches = { .form = NET_STATIC,
			.proven = true,
			.rates = true,
			.steps = true,
			.pipelines = true,
			.most_on_devices = 3 },
		.rounds = 8 },
	{ .name = "pairs", .switches = { .form = NET_PAIR }, .rounds = 23, .least_dead = 1 },
};

int main(void)
{
	Suite *suite = suite_create("random_cl");

	suite_add(suite, &carrier_cl, kinds, TEST_COUNT(kinds));
	return test_main(suite);
}
