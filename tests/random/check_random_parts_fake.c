/* SPDX-License-Identifier: MIT */
/* Random networks with actors on devices of the fake driver, cut into parts: devices beside away ends. */
#include "tests/random/run_actor.h"
#include "tests/random/suite.h"

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true }, .rounds = 20 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 15 },
	{ .name = "dynamic", .switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 40 }, .rounds = 6 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true }, .rounds = 6 },
};

static bool open_parts(unsigned way, const char *const **devices, unsigned *count)
{
	bool opened = carrier_fake.open(way, devices, count);

	run_exchange = &carrier_cut;
	return opened;
}

int main(void)
{
	static struct carrier on;
	Suite *suite = suite_create("random_parts_fake");

	on = carrier_fake;
	on.open = open_parts;
	suite_add(suite, &on, kinds, TEST_COUNT(kinds));
	return test_main(suite);
}
