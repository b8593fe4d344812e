/* SPDX-License-Identifier: MIT */
/* Random networks with actors on cores and on devices of the fake driver, in each way in which it shares memory; with
 * pipelines that end early. */
#include "tests/random/suite.h"

/* Seeds that have found something. */
static const uint64_t found[] = {
	1409, /* two readers with as many delay tokens, but others */
	1536, /* a host writes on when the device's reader has ended: unmaps were forgotten */
};

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true }, .rounds = 40 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 30 },
	{ .name = "found",
		.switches = { .form = NET_STATIC, .proven = true, .own_delays = true },
		.rounds = TEST_COUNT(found),
		.seeds = found },
	{ .name = "beside",
		.switches = { .form = NET_STATIC, .proven = true, .beside = true },
		.rounds = 16 },
	{ .name = "dynamic", .switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 40 }, .rounds = 24 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true }, .rounds = 24 },
	{ .name = "pipelines",
		.switches = { .form = NET_STATIC,
			.proven = true,
			.rates = true,
			.steps = true,
			.pipelines = true },
		.rounds = 12 },
	{ .name = "pairs", .switches = { .form = NET_PAIR }, .rounds = 120, .least_dead = 5 },
};

int main(void)
{
	Suite *suite = suite_create("random_fake");

	suite_add(suite, &carrier_fake, kinds, TEST_COUNT(kinds));
	suite_add_ends(suite, &carrier_fake, 12);
	return test_main(suite);
}
