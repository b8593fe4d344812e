/* SPDX-License-Identifier: MIT */
/* What limits a network: the bottleneck that was put there is the first cause that is named. */
#include "tests/common/common.h"
#include "tests/common/quiet.h"
#include "tests/common/simple.h"
#include "tests/observe/made_load.h"
#include "tests/observe/planted.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const enum pstk_cause_kind expected[PLANTED_KINDS] = {
	[PLANTED_SOURCE] = PSTK_CAUSE_SOURCE,
	[PLANTED_ACTOR] = PSTK_CAUSE_ACTOR,
	[PLANTED_SERIAL] = PSTK_CAUSE_SERIAL,
	[PLANTED_IMBALANCE] = PSTK_CAUSE_IMBALANCE,
	[PLANTED_SWITCHING] = PSTK_CAUSE_SWITCHING,
	[PLANTED_DEPTH] = PSTK_CAUSE_DEPTH,
	[PLANTED_TRANSFER] = PSTK_CAUSE_TRANSFER,
};

/* Each look saw each actor doing one thing; of FIFOs it saw no more than there can be. */
static void check_load(const struct pstk_network *net)
{
	for (unsigned i = 0; i < pstk_network_actor_count(net); i++) {
		const struct pstk_actor *a = pstk_network_actor(net, i);
		struct pstk_actor_load load;
		struct pstk_actor_stats stats;
		struct pstk_device_info device;
		uint64_t waits = 0;

		ck_assert_int_eq(pstk_actor_get_load(a, &load), 0);
		pstk_actor_get_stats(a, &stats);
		for (unsigned p = 0; p < pstk_actor_get_type(a)->port_count; p++)
			waits += pstk_actor_port_waits(a, p);
		ck_assert_uint_eq(waits, load.waits);
		ck_assert_uint_eq(load.firings, stats.firings);
		ck_assert_uint_eq(load.fire_ns, stats.fire_ns);
		ck_assert_uint_le(load.waits + load.for_device + load.for_thread + load.for_core, load.looks);
		ck_assert(!load.device_runs || !pstk_actor_device(a, &device));
		ck_assert_uint_le(load.fire_ns, load.side_by_side * load.ns);
	}
	for (unsigned i = 0; i < pstk_network_fifo_count(net); i++) {
		struct pstk_fifo_load load;

		ck_assert_int_eq(pstk_fifo_get_load(pstk_network_fifo(net, i), &load), 0);
		ck_assert_uint_le(load.full + load.empty, 2 * load.looks);
		ck_assert_uint_le(load.fill, load.looks * load.capacity);
		ck_assert_uint_gt(load.looks, 0);
	}
}

struct planted_run {
	enum planted_kind kind;
	unsigned seed, threads; /* of a team; 0: of their own */
	struct pstk_cause first;
};

/* Is the first cause of a run the planted one? */
static bool names_it(void *data)
{
	struct planted_run *run = data;
	/* a team gives an actor without a state all its threads: then it is they that are short */
	enum pstk_cause_kind wanted =
		run->threads && run->kind == PLANTED_ACTOR ? PSTK_CAUSE_CORES : expected[run->kind];
	struct pstk_cause found[8] = { 0 };
	struct planted p;
	bool right;

	planted_build(&p, run->kind, run->seed,
		run->kind == PLANTED_SWITCHING  ? 100000
		: run->kind == PLANTED_TRANSFER ? 50
						: 400,
		false);
	ck_assert_int_eq(pstk_network_set_threads(p.net, run->threads), 0);
	ck_assert_int_eq(pstk_network_set_sampling(p.net, 300000), 0);
	ck_assert_int_eq(pstk_network_run(p.net), 0);
	ck_assert_int_ge(pstk_network_causes(p.net, found, 8), 1);
	check_load(p.net);
	run->first = found[0];
	right = found[0].kind == wanted && (!p.culprit || found[0].actor == p.culprit) &&
	        (!p.fifo || found[0].fifo == p.fifo);
	pstk_network_destroy(p.net);
	return right;
}

/* What is planted are times, and where other programs have the cores, these are what limits. A machine that is never
 * quiet tells nothing of the rules; the tests below do. */
static void check_planted(enum planted_kind kind, unsigned seed, unsigned threads)
{
	struct planted_run run = { kind, seed, threads, { 0 } };

	ck_assert_msg(test_when_quiet(names_it, &run, "a planted cause"),
		"kind %d, %u threads, seed %u: cause %d: %s", kind, threads, seed, run.first.kind,
		run.first.evidence);
}

START_TEST(planted)
{
	enum planted_kind kind = (enum planted_kind)_i;

	/* a sanitizer makes copies that it checks, and drivers that it doesn't */
	if (!planted_is_here(kind) || (TEST_SANITIZED && kind == PLANTED_TRANSFER))
		return;
	for (unsigned threads = 0; threads <= 4; threads += 2)
		check_planted(kind, (unsigned)test_seed() + threads, threads);
}
END_TEST

/*
 * The rules, on loads that are made up.
 */

struct made {
	struct planted p;
	struct ps_load load;
};

static void make(struct made *m, enum planted_kind kind, unsigned threads)
{
	planted_build(&m->p, kind, 1, 100, false);
	for (unsigned i = 0; i < m->p.count; i++)
		m->p.work[i].ns = 0;
	ck_assert_int_eq(pstk_network_set_threads(m->p.net, threads), 0);
	ck_assert_int_eq(pstk_network_set_sampling(m->p.net, 100000), 0);
	ck_assert_int_eq(pstk_network_run(m->p.net), 0);
	made_load(&m->load, m->p.net);
}

static void check_rule(
	struct made *m, enum pstk_cause_kind kind, double gain, const char *evidence, const char *advice)
{
	made_load_expect(&m->load, kind, gain, evidence, advice);
	pstk_network_destroy(m->p.net);
}

START_TEST(rule_source)
{
	struct made m;

	make(&m, PLANTED_SOURCE, 0);
	made_load_busy(&m.load, "source", 0.98, 0.02);
	made_load_busy(&m.load, "one", 0.2, 0.2);
	made_load_waits(&m.load, "one", 0, 0.8);
	check_rule(&m, PSTK_CAUSE_SOURCE, 1,
		"source is in fire() 98 % of the time, 98 % of that off its core; one waits 80 % of it for "
		"tokens at in",
		"nothing: the network keeps up with what source gets from outside");
}
END_TEST

/* 0.9 with twice the threads is 0.45; but another one is busy 0.6 of the time. */
START_TEST(rule_actor)
{
	struct made m;

	make(&m, PLANTED_ACTOR, 0);
	made_load_busy(&m.load, "source", 0.6, 0.6);
	made_load_busy(&m.load, "one", 0.9, 0.9);
	made_load_waits(&m.load, "one", 0.35, 0);
	check_rule(&m, PSTK_CAUSE_ACTOR, 1.5,
		"one is in fire() 90 % of the time; source waits 35 % of it for room at out",
		"give it more threads: it is stateless; concurrency 2");
}
END_TEST

START_TEST(rule_serial)
{
	struct made m;

	make(&m, PLANTED_SERIAL, 0);
	made_load_busy(&m.load, "one", 1, 1);
	check_rule(&m, PSTK_CAUSE_SERIAL, 2, "one is in fire() 100 % of the time",
		"make its fire() faster, or split it into two actors: it has a state, so its firings come "
		"one after the other");
}
END_TEST

/* 0.8 + 0.1 shared by two */
START_TEST(rule_imbalance)
{
	struct made m;

	make(&m, PLANTED_IMBALANCE, 0);
	made_load_busy(&m.load, "left", 0.8, 0.8);
	made_load_busy(&m.load, "right", 0.1, 0.1);
	check_rule(&m, PSTK_CAUSE_IMBALANCE, 0.8 / 0.45, "left is in fire() 80 % of the time",
		"split sends 90 % of the windows of left and right to left, and right is busy only 10 %: "
		"send each as many");
}
END_TEST

/* Two threads of four cores; and four that are mostly off them. */
START_TEST(rule_cores)
{
	struct made m;

	make(&m, PLANTED_SWITCHING, _i ? 4 : 2);
	made_load_busy(&m.load, "source", 0.5, 0.5);
	made_load_busy(&m.load, "one", _i ? 0.85 : 0.7, _i ? 0.4 : 0.7);
	m.load.threads = _i ? 3.9 : 1.9;
	m.load.actors[1].threads = _i ? 3.4 : 1.4;
	if (_i)
		check_rule(&m, PSTK_CAUSE_CORES, 2,
			"the team's 4 threads fire 98 % of the time; one takes most of it, 87 %",
			"a team of 8: its threads mostly wait inside fire(), off their cores");
	else
		check_rule(&m, PSTK_CAUSE_CORES, 2,
			"the team's 2 threads fire 95 % of the time; one takes most of it, 74 %",
			"a team of 4: there are so many cores");
}
END_TEST

/* 10 s for 10^6 firings: 10 us each, 2 us of them inside; four times as many leave 2 + 8 / 4. */
START_TEST(rule_switching)
{
	struct made m;

	make(&m, PLANTED_SWITCHING, 0);
	for (unsigned i = 0; i < m.p.net->actor_count; i++)
		m.load.actors[i].firings = 1000000;
	made_load_busy(&m.load, "one", 0.2, 0.2);
	check_rule(&m, PSTK_CAUSE_SWITCHING, 2.5,
		"no actor is in fire() more than 20 % of the time, threads sleep between firings: one fires "
		"every 10.0 us, and that takes 2.0 us",
		"a higher rate of the FIFOs: 4 times; or a team of 4: its threads need not wake each other "
		"for each "
		"firing");
}
END_TEST

START_TEST(rule_depth)
{
	struct made m;

	make(&m, PLANTED_DEPTH, 0);
	made_load_busy(&m.load, "source", 0.5, 0.1);
	made_load_busy(&m.load, "sink", 0.45, 0.1);
	made_load_waits(&m.load, "sink", 0.5, 0.4);
	check_rule(&m, PSTK_CAUSE_DEPTH, 2,
		"source waits 50 % of the time for room at out, and sink 40 % for tokens at in: they take "
		"turns",
		"a deeper FIFO between them: depth 4");
}
END_TEST

START_TEST(rule_none)
{
	struct made m;

	make(&m, PLANTED_DEPTH, 0);
	made_load_busy(&m.load, "source", 0.5, 0.1);
	check_rule(&m, PSTK_CAUSE_NONE, 1,
		"no actor is busy all the time: the busiest, source, is in fire() 50 % of it", "");
}
END_TEST

/* Each line that explain() writes is there, and nothing where it was not asked for. A loaded machine may look so seldom
 * that it says so. */
START_TEST(explained)
{
	char text[4096] = "";
	FILE *file = fmemopen(text, sizeof text, "w");
	struct planted p;

	planted_build(&p, PLANTED_ACTOR, 1, 200, false);
	ck_assert_int_eq(pstk_network_explain(p.net, file), -EINVAL);
	ck_assert_int_eq(pstk_network_set_sampling(p.net, PSTK_SAMPLING_NS), 0);
	ck_assert_int_eq(pstk_network_explain(p.net, file), -EINVAL); /* not begun */
	ck_assert_int_eq(pstk_network_run(p.net), 0);
	ck_assert_int_eq(pstk_network_explain(p.net, file), 0);
	ck_assert_int_ge(pstk_network_causes(p.net, NULL, 0), 1);
	fclose(file);
	TEST_SAYS(text, "network 'planted': ", " looks", "\n  limit: ", "\n  source: busy ",
		"\n  sink: busy ", "\n  source.out -> one.in: filled ");
	file = fopen("/dev/full", "w");
	ck_assert_int_eq(pstk_network_explain(p.net, file), -EIO);
	fclose(file);
	pstk_network_destroy(p.net);
}
END_TEST

START_TEST(wrong_calls)
{
	struct simple_chain chain;
	struct pstk_actor_load load;
	struct pstk_fifo_load fifo;
	struct pstk_cause cause;

	ck_assert_int_eq(pstk_network_causes(NULL, &cause, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_explain(NULL, stderr), -EINVAL);
	ck_assert_int_eq(pstk_network_set_sampling(NULL, 0), -EINVAL);
	simple_chain(&chain, 1, 10, 1, 0, 2);
	ck_assert_int_eq(pstk_network_explain(chain.net, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_causes(chain.net, NULL, 1), -EINVAL);
	ck_assert_int_eq(pstk_network_set_sampling(chain.net, 0), 0);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert_int_eq(pstk_network_set_sampling(chain.net, PSTK_SAMPLING_NS), -EBUSY);
	ck_assert_int_eq(pstk_network_causes(chain.net, &cause, 1), -EINVAL);
	ck_assert_int_eq(pstk_actor_get_load(chain.actors[0], &load), -EINVAL);
	ck_assert_int_eq(pstk_actor_get_load(NULL, &load), -EINVAL);
	ck_assert_int_eq(pstk_fifo_get_load(chain.fifos[0], &fifo), -EINVAL);
	ck_assert_int_eq(pstk_fifo_get_load(NULL, &fifo), -EINVAL);
	ck_assert_uint_eq(pstk_actor_port_waits(NULL, 0), 0);
	ck_assert_uint_eq(pstk_actor_port_waits(chain.actors[0], 0), 0);
	pstk_network_destroy(chain.net);
	for (unsigned i = 0; i < 2; i++) {
		simple_chain(&chain, 1, 10, 1, 0, 2);
		ck_assert_int_eq(pstk_network_set_sampling(chain.net, i ? 99999 : 10000000001u), -EINVAL);
		TEST_SAYS(pstk_network_error(chain.net), "cannot be looked at every", "100 us to 10 s");
		pstk_network_destroy(chain.net);
	}
}
END_TEST

/* A network that ends before the first look says so. */
START_TEST(too_brief)
{
	struct simple_chain chain;
	struct pstk_cause cause;

	simple_chain(&chain, 1, 10, 1, 0, 2);
	ck_assert_int_eq(pstk_network_set_sampling(chain.net, 10000000000u), 0);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert_int_eq(pstk_network_causes(chain.net, &cause, 1), 1);
	ck_assert_int_eq(cause.kind, PSTK_CAUSE_NONE);
	TEST_SAYS(cause.evidence, "ended before it was looked at");
	pstk_network_destroy(chain.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("causes");
	TCase *all = test_case(suite, "all");

	unsetenv("PENSTOCK_TEAM");
	tcase_add_test(all, rule_source);
	tcase_add_test(all, rule_actor);
	tcase_add_test(all, rule_serial);
	tcase_add_test(all, rule_imbalance);
	tcase_add_loop_test(all, rule_cores, 0, 2);
	tcase_add_test(all, rule_switching);
	tcase_add_test(all, rule_depth);
	tcase_add_test(all, rule_none);
	tcase_add_loop_test(all, planted, 0, PLANTED_KINDS);
	tcase_add_test(all, explained);
	tcase_add_test(all, wrong_calls);
	tcase_add_test(all, too_brief);
	return test_main(suite);
}
