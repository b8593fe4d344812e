/* SPDX-License-Identifier: MIT */
/* Random networks that come from graph files, and that are written back. */
#include "tests/random/suite.h"

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true }, .rounds = 1000 },
	{ .name = "rates", .switches = { .form = NET_STATIC, .proven = true, .rates = true }, .rounds = 600 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 1200 },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30 },
		.rounds = 150 },
	{ .name = "ticks",
		.switches = { .form = NET_DYNAMIC, .proven = true, .rates = true, .ticks = 12 },
		.rounds = 150 },
	{ .name = "small",
		.switches = { .form = NET_SMALL,
			.undeclared = true,
			.ticks = 12,
			.least_team = 2,
			.most_team = 3 },
		.rounds = 600,
		.least_dead = 10 },
	{ .name = "pairs", .switches = { .form = NET_PAIR }, .rounds = 1200, .least_dead = 10 },
};

int main(void)
{
	Suite *suite = suite_create("random_graph");

	suite_add(suite, &carrier_graph, kinds, TEST_COUNT(kinds));
	return test_main(suite);
}
