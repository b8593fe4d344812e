/* SPDX-License-Identifier: MIT */
/* Random networks whose actors move between the cores and devices of the fake driver, in each way in which it shares
 * memory: parts of one device, and two with memories of their own. */
#include "tests/random/suite.h"

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true, .moves = true }, .rounds = 30 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC,
			.proven = true,
			.rates = true,
			.steps = true,
			.moves = true },
		.rounds = 15 },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 40, .moves = true },
		.rounds = 15 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true, .moves = true }, .rounds = 10 },
	{ .name = "pairs", .switches = { .form = NET_PAIR, .moves = true }, .rounds = 40, .least_dead = 5 },
};

int main(void)
{
	Suite *suite = suite_create("random_move_fake");

	suite_add(suite, &carrier_fake, kinds, TEST_COUNT(kinds));
	return test_main(suite);
}
