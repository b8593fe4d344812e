/* SPDX-License-Identifier: MIT */
/* Random networks whose runs are traced: each file is read back, and compared with the network. */
#include "tests/random/suite.h"

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true }, .rounds = 300 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 300 },
	{ .name = "ticks",
		.switches = { .form = NET_DYNAMIC, .proven = true, .rates = true, .ticks = 12 },
		.rounds = 60 },
	{ .name = "beside",
		.switches = { .form = NET_STATIC, .proven = true, .beside = true },
		.rounds = 100,
		.least_bundled = 10 },
	{ .name = "pipelines",
		.switches = { .form = NET_STATIC, .proven = true, .pipelines = true },
		.rounds = 60 },
	{ .name = "small",
		.switches = { .form = NET_SMALL,
			.undeclared = true,
			.ticks = 12,
			.least_team = 2,
			.most_team = 3 },
		.rounds = 100,
		.least_dead = 10 },
	{ .name = "pairs", .switches = { .form = NET_PAIR }, .rounds = 300, .least_dead = 10 },
};

int main(void)
{
	Suite *suite = suite_create("random_trace");

	suite_add(suite, &carrier_trace, kinds, TEST_COUNT(kinds));
	return test_main(suite);
}
