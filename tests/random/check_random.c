/* SPDX-License-Identifier: MIT */
/* Random networks of actors on the cores, and the oracle itself against results worked out by hand. */
#include "tests/random/oracle.h"
#include "tests/random/suite.h"

static const struct suite_kind kinds[] = {
	{ .name = "static",
		.switches = { .form = NET_STATIC, .proven = true },
		.rounds = 5000,
		.least_shared = 5 },
	{ .name = "rates",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true },
		.rounds = 2000 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 2000 },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30 },
		.rounds = 200 },
	{ .name = "ticks",
		.switches = { .form = NET_DYNAMIC, .proven = true, .rates = true, .ticks = 12 },
		.rounds = 200 },
	{ .name = "beside",
		.switches = { .form = NET_STATIC, .proven = true, .beside = true },
		.rounds = 2000,
		.least_bundled = 20 },
	{ .name = "beside-dynamic",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30, .beside = true },
		.rounds = 300,
		.least_bundled = 8 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true }, .rounds = 100 },
};

static void foretell(struct oracle *oracle, const struct net *net, bool ends)
{
	ck_assert_int_eq(oracle_foretell(oracle, net, &net->values), ends);
	if (ends)
		oracle_find_bounds(oracle);
}

START_TEST(test_oracle_pipeline)
{
	static struct net net;
	static struct oracle oracle;

	/* 10 tokens at rate 4, delays of 1: 11 tokens arrive behind the first, 12 behind the second FIFO */
	net_make(&net, &(struct net_plan){ NET_PIPELINE, 3, 4, 1, 2, 10, false, 0 }, 1);
	foretell(&oracle, &net, true);
	ck_assert_uint_eq(oracle.actors[0].ticks, 3);
	ck_assert_uint_eq(oracle.fifos[0].tokens, 10);
	ck_assert_uint_eq(oracle_window(&oracle, 0, 1), 4);
	ck_assert_uint_eq(oracle_window(&oracle, 0, 2), 3);
	ck_assert_uint_eq(oracle_window(&oracle, 0, 3), 0);
	ck_assert_uint_eq(oracle.fifos[1].tokens, 11);
	ck_assert_uint_eq(oracle_window(&oracle, 1, 2), 4);
	for (unsigned a = 0; a < 3; a++) {
		ck_assert_uint_eq(oracle.actors[a].ticks, 3);
		ck_assert_uint_eq(oracle.actors[a].least, 3);
	}
	ck_assert(oracle.fifos[0].exact && oracle.fifos[1].exact);
}
END_TEST

START_TEST(test_oracle_early_end)
{
	static struct net net;
	static struct oracle oracle;

	/* the sink ends after 2 firings: the others need not make more than 2, and can make all 5 */
	net_make(&net, &(struct net_plan){ NET_PIPELINE, 3, 2, 0, 2, 10, false, 0 }, 1);
	net_end_at(&net, 2, 1);
	foretell(&oracle, &net, true);
	ck_assert_uint_eq(oracle.actors[2].ticks, 2);
	ck_assert_uint_eq(oracle.actors[0].ticks, 5);
	ck_assert_uint_eq(oracle.actors[0].least, 2);
	ck_assert_uint_eq(oracle.actors[1].least, 2);
	ck_assert(!oracle.fifos[0].exact && !oracle.fifos[1].exact);
}
END_TEST

/* A loop of a source that gives 3 windows and an actor that needs the loop's token: floor(d / r) decides. */
START_TEST(test_oracle_dead_loop)
{
	static struct net net;
	static struct oracle oracle;

	net_make(&net, &(struct net_plan){ NET_RING, 2, 4, 3, 2, 12, false, 0 }, 1);
	foretell(&oracle, &net, true);
	for (unsigned f = 0; f < net.fifo_count; f++)
		if (net.fifos[f].delay >= 4)
			net.fifos[f].delay = 3;
	foretell(&oracle, &net, false);
	ck_assert_uint_eq(oracle.actors[0].ticks, 0);
}
END_TEST

/* A source tells a member by 0, 1, 0 when it writes to a sink, and ends: 2 of 3 control tokens move a window. */
START_TEST(test_oracle_control)
{
	static struct net net;
	static struct oracle oracle;

	net_begin(&net, 1);
	net_add_actor(&net, 0);
	net_add_group(&net, 0, net_add_port(&net, 0, NET_OUTPUT, 0), 2);
	net_add_member(&net, 0);
	net_add_actor(&net, 0);
	net_join(&net, 1, 1, 2, 0, 4, 5);
	net_end_at(&net, 0, 2);
	net.values = (struct net_sequences){ { 2 }, { { 0, 1 } } };
	foretell(&oracle, &net, true);
	ck_assert_uint_eq(oracle.actors[1].ticks, 3);
	ck_assert_uint_eq(oracle.actors[1].firings, 2);
	ck_assert_uint_eq(oracle.actors[1].least, 3);
	ck_assert_uint_eq(oracle.actors[2].ticks, 4);
	ck_assert_uint_eq(oracle_window(&oracle, 1, 3), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random");
	TCase *oracle = test_case(suite, "oracle");

	tcase_add_test(oracle, test_oracle_pipeline);
	tcase_add_test(oracle, test_oracle_early_end);
	tcase_add_test(oracle, test_oracle_dead_loop);
	tcase_add_test(oracle, test_oracle_control);
	suite_add(suite, &carrier_cores, kinds, TEST_COUNT(kinds));
	return test_main(suite);
}
