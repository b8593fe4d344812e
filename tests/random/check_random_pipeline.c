/* SPDX-License-Identifier: MIT */
/* Random networks some of whose actors are run as pipelines, whose configurations change at any time. */
#include "tests/random/suite.h"

static const struct suite_kind kinds[] = {
	{ .name = "static",
		.switches = { .form = NET_STATIC, .proven = true, .pipelines = true },
		.rounds = 600 },
	{ .name = "rates",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .pipelines = true },
		.rounds = 300 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC,
			.proven = true,
			.rates = true,
			.steps = true,
			.pipelines = true },
		.rounds = 300 },
	{ .name = "beside",
		.switches = { .form = NET_STATIC, .proven = true, .pipelines = true, .beside = true },
		.rounds = 200,
		.least_bundled = 10 },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30, .pipelines = true },
		.rounds = 60 },
	{ .name = "ticks",
		.switches = { .form = NET_DYNAMIC,
			.proven = true,
			.rates = true,
			.ticks = 12,
			.pipelines = true },
		.rounds = 60 },
};

int main(void)
{
	Suite *suite = suite_create("random_pipeline");

	suite_add(suite, &carrier_cores, kinds, TEST_COUNT(kinds));
	suite_add_ends(suite, &carrier_cores, 250);
	return test_main(suite);
}
