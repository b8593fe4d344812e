/* SPDX-License-Identifier: MIT */
/*
 * Dynamic networks, proven or not, run by teams of two and three with pinned actors: the simulation says which of
 * them deadlock. Those must be reported, the others must end. The last event before a deadlock is often a control token that
 * an actor takes before it waits for windows, so half of the networks are made to end like that.
 */
#include "tests/random/dynamic_oracle.h"
#include "tests/random/dynamic_rules.h"
#include "tests/random/dynamic_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { QUICK_NETWORKS = 2000, TICKS = 12, LEAST_TEAM = 2, MOST_TEAM = 3 };

/* A FIFO of rate 1 between these two, each end on for some values or, 0, always. */
static void join(struct dyn_net *net, struct test_rng *rng, unsigned src, uint32_t src_on, unsigned dst,
	uint32_t dst_on, uint32_t delay)
{
	unsigned out = dyn_add_port(net, src, src_on ? DYN_DYNAMIC_OUTPUT : DYN_OUTPUT, src_on);
	unsigned in = dyn_add_port(net, dst, dst_on ? DYN_DYNAMIC_INPUT : DYN_INPUT, dst_on);
	unsigned f = dyn_add_fifo(net, src, out, dst, in, 1, delay);

	net->fifos[f].depth = test_between(rng, 1, 2);
}

/* A source, which feeds one or two dynamic actors and tells them what to do; these wait for themselves or each other. */
static void make_small(struct dyn_net *net, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed ^ 0x5a11) };
	unsigned members = test_between(&rng, 1, 2), values = test_between(&rng, 1, 3), first;

	memset(net, 0, sizeof *net);
	net->seed = seed;
	net->origin = DYN_LOOSE;
	dyn_add_actor(net, 0);
	dyn_add_group(net, 0, dyn_add_port(net, 0, DYN_OUTPUT, 0), values);
	first = dyn_add_member(net, 0);
	for (unsigned m = 1; m < members; m++)
		dyn_add_member(net, 0);
	for (unsigned f = 0; f < net->fifo_count; f++)
		net->fifos[f].depth = test_between(&rng, 1, 2);
	for (unsigned m = 0; m < members; m++) {
		unsigned next = first + (m + 1) % members;
		uint32_t on = test_between(&rng, 1, dyn_all(values));

		if (test_chance(&rng, 80))
			join(net, &rng, 0, 0, first + m, test_chance(&rng, 50) ? 0 : on, 0);
		join(net, &rng, first + m, on, next,
			test_chance(&rng, 80) ? on : test_between(&rng, 1, dyn_all(values)),
			test_chance(&rng, 70) ? 0 : test_between(&rng, 1, 2));
	}
}

static void run_all(const char *what, void (*make)(struct dyn_net *, uint64_t), uint64_t rounds)
{
	static struct dyn_net net;
	struct dyn_totals totals = { 0 };
	uint64_t first = test_seed();

	test_log_start();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct dyn_sequences s;
		const char *wrong;

		test_guard(what, seed);
		make(&net, seed);
		if (!net.group_count)
			continue;
		dyn_random_sequences(&net, &s, TICKS, &rng);
		wrong = dyn_run_unproven(&net, &s, test_between(&rng, 1, TICKS),
			test_between(&rng, LEAST_TEAM, MOST_TEAM), &totals);
		ck_assert_msg(!wrong, "PENSTOCK_TEST_SEED=%" PRIu64 ": %s", seed, wrong);
	}
	test_log_stop();
	dyn_print_totals(what, &totals);
	printf("%s: %" PRIu64 " deadlocks, all found, no other\n", what, totals.dead);
	ck_assert_uint_ge(totals.dead * 10, rounds);
}

START_TEST(small_networks)
{
	run_all("small networks", make_small, test_rounds(QUICK_NETWORKS));
}
END_TEST

START_TEST(random_networks)
{
	run_all("random networks", dyn_make_random, test_rounds(QUICK_NETWORKS));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dynamic_dead");
	TCase *tcase = test_case(suite, "networks");

	tcase_add_test(tcase, small_networks);
	tcase_add_test(tcase, random_networks);
	return test_main(suite);
}
