/* SPDX-License-Identifier: MIT */
/*
 * Random networks that may deadlock: the oracle says which of them do, and where. Those must be reported, the
 * others must never be.
 */
#include "tests/random/suite.h"

static const struct suite_kind kinds[] = {
	{ .name = "starved",
		.switches = { .form = NET_STATIC, .starved = true },
		.rounds = 4000,
		.least_dead = 5 },
	{ .name = "beside",
		.switches = { .form = NET_STATIC, .starved = true, .beside = true },
		.rounds = 2000,
		.least_dead = 5,
		.least_bundled = 10 },
	{ .name = "rates",
		.switches = { .form = NET_STATIC, .starved = true, .rates = true },
		.rounds = 2000,
		.least_dead = 5 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .starved = true, .rates = true, .steps = true },
		.rounds = 2000,
		.least_dead = 5 },
	{ .name = "small",
		.switches = { .form = NET_SMALL,
			.undeclared = true,
			.ticks = 12,
			.least_team = 2,
			.most_team = 3 },
		.rounds = 2000,
		.least_dead = 10 },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC,
			.undeclared = true,
			.ticks = 12,
			.least_team = 2,
			.most_team = 3 },
		.rounds = 2000,
		.least_dead = 10 },
	{ .name = "pairs", .switches = { .form = NET_PAIR }, .rounds = 12000, .least_dead = 10 },
};

int main(void)
{
	Suite *suite = suite_create("random_dead");

	suite_add(suite, &carrier_cores, kinds, TEST_COUNT(kinds));
	return test_main(suite);
}
