/* SPDX-License-Identifier: MIT */
/* Random networks that are cut into parts of several hosts: together they do what the whole does. */
#include "tests/random/suite.h"

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true }, .rounds = 1000 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 600 },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30 },
		.rounds = 100 },
	{ .name = "ticks",
		.switches = { .form = NET_DYNAMIC, .proven = true, .rates = true, .ticks = 12 },
		.rounds = 100 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true }, .rounds = 50 },
};

int main(void)
{
	Suite *suite = suite_create("random_parts");

	suite_add(suite, &carrier_parts, kinds, TEST_COUNT(kinds));
	return test_main(suite);
}
