/* SPDX-License-Identifier: MIT */
/*
 * Members of a group whose control values are not declared: ports that must agree are compared at each control token.
 * The first token at which they differ is the error, whichever member is ahead.
 */
#include "tests/common/common.h"
#include "tests/random/node.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TOKENS = 60, VALUES = 8 };

enum shape { DIRECT, REGION, BROADCAST, ALWAYS, SHAPES };

struct plan {
	enum shape shape;
	uint32_t values[TOKENS];
	uint32_t a_on[VALUES], b_on[VALUES]; /* is the port on? */
	uint32_t depth_a, depth_b, rate;
	unsigned flags;
	bool two_groups; /* each member has a configuration actor of its own */
};

struct members {
	struct node nodes[6];
	struct pstk_network *net;
};

/* a's port 1 leads to b's port 1, in some way. */
static void build(struct members *m, const struct plan *plan)
{
	static const struct node still[6] = {
		{ .name = "conf", .ports = ">ctl", .give_count = TOKENS, .ends = TOKENS },
		{ .name = "a", .ports = "@ctl !data" }, { .name = "b", .ports = "@ctl ?data" },
		{ .name = "between", .ports = "<in >out" }, { .name = "other", .ports = "@ctl ?data" },
		{ .name = "conf2", .ports = ">ctl", .give_count = TOKENS, .ends = TOKENS }
	};
	struct node *n = m->nodes;

	memcpy(n, still, sizeof still);
	n[0].gives = n[5].gives = plan->values;
	if (plan->shape == ALWAYS)
		n[2].ports = "@ctl <data";
	for (unsigned v = 0; v < VALUES; v++) {
		n[1].on[v] = plan->a_on[v] << 1;
		n[2].on[v] = plan->shape == ALWAYS ? 0 : plan->b_on[v] << 1;
		n[4].on[v] = plan->a_on[v] << 1;
	}
	m->net = pstk_network_create("group");
	pstk_network_set_flags(m->net, plan->flags);
	for (unsigned i = 0; i < 3; i++)
		node_add(m->net, &n[i]);
	node_connect(&n[0], "ctl", &n[1], "ctl", 1, 0, plan->depth_a);
	if (plan->shape == BROADCAST) {
		node_add(m->net, &n[4]);
		node_connect(&n[0], "ctl", &n[4], "ctl", 1, 0, plan->depth_a);
		node_connect(&n[1], "data", &n[4], "data", plan->rate, 0, 0);
	}
	if (plan->two_groups) {
		node_add(m->net, &n[5]);
		node_connect(&n[5], "ctl", &n[2], "ctl", 1, 0, plan->depth_b);
	} else {
		node_connect(&n[0], "ctl", &n[2], "ctl", 1, 0, plan->depth_b);
	}
	if (plan->shape == REGION) {
		node_add(m->net, &n[3]);
		node_connect(&n[1], "data", &n[3], "in", plan->rate, 0, 0);
		node_connect(&n[3], "out", &n[2], "data", 1, 0, 0);
	} else {
		node_connect(&n[1], "data", &n[2], "data", plan->rate, 0, 0);
	}
}

static struct plan random_plan(struct test_rng *rng)
{
	struct plan plan = { .shape = test_between(rng, 0, SHAPES - 1),
		.depth_a = test_between(rng, 1, 9),
		.depth_b = test_between(rng, 1, 9),
		.rate = test_between(rng, 1, 4) };

	for (unsigned i = 0; i < TOKENS; i++)
		plan.values[i] = test_between(rng, 0, test_chance(rng, 95) ? VALUES - 2 : VALUES - 1);
	for (unsigned v = 0; v < VALUES; v++) {
		plan.a_on[v] = plan.shape == ALWAYS || test_chance(rng, 50);
		plan.b_on[v] = plan.a_on[v];
	}
	if (test_chance(rng, 70)) /* only the rare value, or any */
		plan.a_on[test_chance(rng, 50) ? VALUES - 1 : test_between(rng, 0, VALUES - 1)] ^= 1;
	return plan;
}

/* The first token at which they differ; TOKENS: none. */
static unsigned first_difference(const struct plan *plan)
{
	unsigned k = 0;

	while (k < TOKENS && plan->a_on[plan->values[k]] == plan->b_on[plan->values[k]])
		k++;
	return k;
}

/* A member may have had its last token, and have ended, when another one is as far behind as its control FIFO holds
 * tokens. Then that one ends without them, because no actor reads it any more or its static input has ended. */
static bool may_end_first(const struct plan *plan, unsigned k)
{
	uint32_t depth = plan->depth_a > plan->depth_b ? plan->depth_a : plan->depth_b;

	return k + depth + 1 >= TOKENS;
}

START_TEST(test_random_groups)
{
	uint64_t wrong = 0, rounds = test_rounds(1500);

	for (uint64_t seed = test_seed(); seed < test_seed() + rounds; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct plan plan = random_plan(&rng);
		unsigned k = first_difference(&plan);
		struct members m;
		char text[128];
		int err;

		test_guard("a group", seed);
		build(&m, &plan);
		err = pstk_network_run(m.net);
		ck_assert_msg(err == (k < TOKENS ? -EPROTO : 0) || (!err && may_end_first(&plan, k)),
			"PENSTOCK_TEST_SEED=%" PRIu64 ": shape %d, token %u: %d: %s", seed, (int)plan.shape,
			k, err, pstk_network_error(m.net));
		snprintf(text, sizeof text,
			"control value %u of 'conf', firing %u: it turns '%s'.data on and '",
			k < TOKENS ? plan.values[k] : 0, k,
			k < TOKENS && plan.a_on[plan.values[k]] ? "a" : "b");
		if (err && plan.shape != BROADCAST)
			TEST_SAYS(pstk_network_error(m.net), text,
				"let the control of both turn them on for the same values");
		wrong += err != 0;
		pstk_network_destroy(m.net);
	}
	printf("%" PRIu64 " groups, %" PRIu64 " differ\n", rounds, wrong);
	ck_assert_uint_ge(wrong * 4, rounds);
}
END_TEST

/* Not compared: members of two groups, and networks started unchecked. What they do is up to the tokens. */
START_TEST(test_not_compared)
{
	struct plan plan = { .shape = DIRECT, .depth_a = 2, .depth_b = 2, .rate = 1 };
	struct members m;

	/* a first, b one later: the FIFO holds it */
	for (unsigned i = 0; i < TOKENS; i++)
		plan.values[i] = i % 2;
	plan.a_on[0] = plan.b_on[1] = 1;
	plan.two_groups = _i == 0;
	plan.flags = _i == 1 ? PSTK_UNCHECKED : 0;
	build(&m, &plan);
	ck_assert_int_eq(pstk_network_run(m.net), 0);
	ck_assert_uint_eq(m.nodes[1].firings, TOKENS / 2);
	ck_assert_uint_eq(m.nodes[2].firings, TOKENS / 2);
	pstk_network_destroy(m.net);
	/* the same is an error where it is compared */
	plan.two_groups = false;
	plan.flags = 0;
	build(&m, &plan);
	ck_assert_int_eq(pstk_network_run(m.net), -EPROTO);
	pstk_network_destroy(m.net);
}
END_TEST

/* Unchecked and asymmetric: the detector's message. */
START_TEST(test_detector)
{
	struct plan plan = {
		.shape = DIRECT, .depth_a = 2, .depth_b = 2, .rate = 1, .flags = PSTK_UNCHECKED
	};
	struct members m;

	plan.b_on[0] = 1;
	build(&m, &plan);
	test_log_start();
	ck_assert_int_eq(pstk_network_run(m.net), -EDEADLK);
	test_log_stop();
	TEST_SAYS(pstk_network_error(m.net), "conf (firing 3) waits for room on ctl",
		"b (firing 0, control 0) waits for tokens on data");
	pstk_network_destroy(m.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("agreement");
	TCase *tcase = test_case(suite, "groups");

	tcase_add_test(tcase, test_random_groups);
	tcase_add_loop_test(tcase, test_not_compared, 0, 2);
	tcase_add_test(tcase, test_detector);
	return test_main(suite);
}
