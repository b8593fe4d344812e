/* SPDX-License-Identifier: MIT */
/* Random networks whose actors move between the cores and parts of a real device, in each way of sharing memory. */
#include "tests/random/suite.h"

static const struct suite_kind kinds[] = {
	{ .name = "static",
		.switches = { .form = NET_STATIC, .proven = true, .moves = true, .most_on_devices = 3 },
		.rounds = 20 },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC,
			.proven = true,
			.ticks = 24,
			.moves = true,
			.most_on_devices = 3 },
		.rounds = 6 },
	{ .name = "probes",
		.switches = { .form = NET_PROBES, .proven = true, .moves = true, .most_on_devices = 2 },
		.rounds = 6 },
};

int main(void)
{
	Suite *suite = suite_create("random_move");

	suite_add(suite, &carrier_cl, kinds, TEST_COUNT(kinds));
	return test_main(suite);
}
