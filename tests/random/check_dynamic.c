/* SPDX-License-Identifier: MIT */
/*
 * The theorem of doc/internals/deadlock.md, tested: random dynamic networks, the analyser's verdict, and what a
 * simulation makes of them. What is proven never hangs and leaves what the oracle leaves;
 * what is refused hangs or grows under control values that the test finds, or is refused conservatively,
 * in a way that the document names.
 */
#include "tests/random/generator.h"
#include "tests/random/oracle.h"
#include "tests/random/rules.h"
#include "tests/random/run.h"
#include "tests/random/suite.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { QUICK_NETWORKS = 3000, TICKS = 30, LATER = 600, SEQUENCES = 2, SCHEDULES = 2 };

/* What becomes of a network. */
enum outcome {
	PROVEN,
	STARVES,      /* refused: its actors wait for each other, however deep the FIFOs are */
	GROWS,        /* refused: more depth only puts the end off, or some actor falls behind for ever */
	CONSERVATIVE, /* refused, and nothing happens: equal values of different actors */
	IDLE,         /* the same: what is refused moves no window, whatever the values are */
	WAITING,      /* the same: one stream waits for another and nothing else couples them */
	OUTCOMES
};

static const char *replay(uint64_t seed)
{
	return suite_replay("CK_RUN_CASE=verdicts", -1, seed);
}

/* The library's verdict is that of the plain rules. */
static void compare_verdicts(const struct net *net, const struct rules_verdict *expected)
{
	struct pstk_verdict *verdict = PSTK_VERDICT();
	struct net_built built;
	int rc;

	net_build(&built, net);
	rc = pstk_network_check(built.network, NULL, verdict);
	ck_assert_int_eq(rc, verdict->result);
	ck_assert_msg(rc == (expected->rule == RULES_PROVEN ? 0 : -EDEADLK), "%s: %d (%s), not %d",
		replay(net->seed), rc, verdict->reason, expected->rule);
	if (expected->rule == RULES_CYCLES) /* a network that breaks both rules may be refused for either */
		ck_assert_msg(
			verdict->rule == PSTK_RULE_CYCLES, "%s: %s", replay(net->seed), verdict->reason);
	if (rc) {
		ck_assert_ptr_nonnull(verdict->fifo);
		ck_assert(verdict->reason[0] && verdict->remedy[0]);
		ck_assert(!verdict->conservative);
	}
	ck_assert_uint_eq(verdict->bytes, pstk_network_fifo_bytes(built.network));
	pstk_network_destroy(built.network);
}

/* All actors make their firings of `ticks` instants, and leave what a sequential run leaves: each FIFO its
 * delay. */
static void stays_alive(
	const struct net *net, const struct rules_verdict *v, const struct net_sequences *s, uint64_t seed)
{
	static struct oracle sim;

	oracle_init(&sim, net, s, 1, seed);
	for (unsigned a = 0; a < net->actor_count; a++) {
		sim.actors[a].ends = false;
		sim.actors[a].limit = rules_ticks(net, v, s, a, TICKS);
	}
	oracle_run(&sim);
	ck_assert(!sim.wrong);
	for (unsigned a = 0; a < net->actor_count; a++)
		ck_assert_msg(sim.actors[a].ticks == sim.actors[a].limit,
			"%s, schedule %" PRIu64 ": a%u stops after %" PRIu64 " of %" PRIu64 " firings",
			replay(net->seed), seed, a, sim.actors[a].ticks, sim.actors[a].limit);
	for (unsigned f = 0; f < net->fifo_count; f++)
		ck_assert_msg(sim.fifos[f].written == sim.fifos[f].read,
			"%s: FIFO %u: %" PRIu64 " windows written, %" PRIu64 " read", replay(net->seed), f,
			sim.fifos[f].written, sim.fifos[f].read);
}

/* Static actors that nothing controls end by themselves, at firings of their own choice. Then all the
 * others end, too. */
static void ends(
	const struct net *net, const struct rules_verdict *v, const struct net_sequences *s, uint64_t seed)
{
	static struct oracle sim;

	oracle_init(&sim, net, s, 1, seed);
	for (unsigned a = 0; a < net->actor_count; a++)
		if (rules_is_free(net, v, a))
			sim.actors[a].limit = 1 + test_mix(seed + a) % TICKS;
	oracle_run(&sim);
	for (unsigned a = 0; a < net->actor_count; a++)
		ck_assert_msg(sim.actors[a].ended, "%s, schedule %" PRIu64 ": a%u does not end",
			replay(net->seed), seed, a);
}

static void check_proven(const struct net *net, const struct rules_verdict *v, struct test_rng *rng)
{
	for (unsigned i = 0; i < SEQUENCES; i++) {
		struct net_sequences s;

		net_random_sequences(net, &s, NET_SEQUENCE, rng);
		for (unsigned j = 0; j < SCHEDULES; j++)
			stays_alive(net, v, &s, test_random(rng));
		ends(net, v, &s, test_random(rng));
	}
}

static void run_all(struct oracle *sim, const struct net *net, const struct net_sequences *s, unsigned deeper,
	uint64_t limit)
{
	oracle_init(sim, net, s, deeper, net->seed);
	for (unsigned a = 0; a < net->actor_count; a++) {
		sim->actors[a].ends = false;
		sim->actors[a].limit = limit;
	}
	oracle_run(sim);
}

/* Do the actors come to wait for each other in a circle, if none ever ends? CONSERVATIVE: they don't. */
static enum outcome circles(const struct net *net, const struct net_sequences *s)
{
	static struct oracle sim;
	bool room;

	run_all(&sim, net, s, 1, TICKS);
	if (!oracle_deadlocked(&sim, &room))
		return CONSERVATIVE;
	run_all(&sim, net, s, 16, TICKS);
	return oracle_deadlocked(&sim, &room) && !room ? STARVES : GROWS;
}

/* Does an actor that has its control value wait for ever, while others go on? Every value comes again and
 * again, so every region should be on again and again; LATER is when groups three deep have gone through
 * all their values. */
static enum outcome falls_behind(const struct net *net, const struct net_sequences *s)
{
	static struct oracle sim, later;
	bool room;

	run_all(&sim, net, s, 1, TICKS);
	run_all(&later, net, s, 1, LATER);
	for (unsigned a = 0; a < net->actor_count; a++)
		if (sim.actors[a].decided && later.actors[a].decided &&
			sim.actors[a].ticks == later.actors[a].ticks && oracle_waits(&later, a, &room))
			return GROWS;
	return CONSERVATIVE;
}

/* The values of a vector again and again. */
static void repeat(const struct net *net, struct net_sequences *s, const uint32_t *vector)
{
	for (unsigned g = 0; g < net->group_count; g++) {
		s->length[g] = 1;
		s->values[g][0] = (uint8_t)vector[g];
	}
}

/* All values of each group in some order, again and again. */
static void all_values(const struct net *net, struct net_sequences *s, struct test_rng *rng)
{
	for (unsigned g = 0; g < net->group_count; g++) {
		s->length[g] = net->groups[g].values;
		for (unsigned i = 0; i < s->length[g]; i++) {
			unsigned other = test_between(rng, 0, i);

			s->values[g][i] = s->values[g][other];
			s->values[g][other] = (uint8_t)i;
		}
	}
}

/* Finds control values under which a refused network fails. */
static enum outcome check_refused(const struct net *net, const struct rules_verdict *v, struct test_rng *rng)
{
	uint32_t vector[NET_GROUPS];
	struct net_sequences s;
	enum outcome outcome = CONSERVATIVE;

	if (v->rule == RULES_CYCLES) {
		repeat(net, &s, v->vector);
		outcome = circles(net, &s);
	}
	for (unsigned i = 0; i < 100 && outcome == CONSERVATIVE; i++) {
		for (unsigned g = 0; g < net->group_count; g++)
			vector[g] = test_between(rng, 0, net->groups[g].values - 1);
		repeat(net, &s, vector);
		if (i % 3)
			net_random_sequences(net, &s, NET_SEQUENCE, rng);
		outcome = circles(net, &s);
	}
	for (unsigned i = 0; i < 5 && outcome == CONSERVATIVE; i++) {
		all_values(net, &s, rng);
		outcome = falls_behind(net, &s);
	}
	return outcome;
}

static void print_counts(uint64_t counts[NET_ORIGINS][OUTCOMES])
{
	printf("%-10s %8s %8s %8s %8s %8s %8s\n", "networks", "proven", "starve", "grow", "equal", "idle",
		"waiting");
	for (unsigned o = 0; o < NET_ORIGINS; o++)
		printf("%-10s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
		       "\n",
			net_origin_name((enum net_origin)o), counts[o][PROVEN], counts[o][STARVES],
			counts[o][GROWS], counts[o][CONSERVATIVE], counts[o][IDLE], counts[o][WAITING]);
}

/* A configuration actor 0 and a group of two members, 1 and 2, all with depth 1; static actors may follow. */
static void make_group(struct net *net, unsigned values)
{
	net_begin(net, 1);
	net_add_actor(net, 0);
	net_add_group(net, 0, net_add_port(net, 0, NET_OUTPUT, 0), values);
	net_add_member(net, 0);
	net_add_member(net, 0);
}

#define ANY_VALUE UINT32_MAX

/* The library's verdict and the plain rules'; for refused ones one of these FIFOs (digits), and the value. */
static void expect(struct net *net, enum rules_rule rule, const char *fifos, uint32_t value)
{
	struct pstk_verdict *verdict = PSTK_VERDICT();
	struct net_built built;
	struct rules_verdict v;
	unsigned f = 0;

	for (unsigned i = 0; i < net->fifo_count; i++)
		net->fifos[i].depth = 1;
	rules_judge(net, &v);
	ck_assert_int_eq(v.rule, rule);
	compare_verdicts(net, &v);
	net_build(&built, net);
	ck_assert_int_eq(pstk_network_check(built.network, NULL, verdict), rule ? -EDEADLK : 0);
	while (rule && built.fifos[f] != verdict->fifo)
		f++;
	ck_assert_msg(!rule || strchr(fifos, (int)('0' + f)), "FIFO %u: %s", f, verdict->reason);
	if (value != ANY_VALUE) { /* of one of the members */
		ck_assert_msg(verdict->has_value && verdict->value == value, "%s", verdict->reason);
		ck_assert(verdict->actor == built.actors[1] || verdict->actor == built.actors[2]);
	}
	pstk_network_destroy(built.network);
}

/* The example of doc/internals/deadlock.md, section 3: 0 conf, 1 split, 2 join, 3 short, 4 long, 5 src, 6 sink. */
START_TEST(test_document)
{
	struct net net;
	struct rules_verdict v;
	struct net_sequences s = { { 4 }, { { 0, 1, 1, 0 } } };

	make_group(&net, 2);
	for (unsigned a = 3; a <= 6; a++)
		net_add_actor(&net, 0);
	net_join(&net, 1, 1, 3, 0, 4, 0); /* FIFO 2: x1 */
	net_join(&net, 1, 2, 4, 0, 6, 0);
	net_join(&net, 3, 0, 2, 1, 4, 0); /* FIFO 4: y1 */
	net_join(&net, 4, 0, 2, 2, 6, 0);
	net_join(&net, 5, 0, 1, 0, 1, 0);
	net_join(&net, 2, 0, 6, 0, 1, 0);
	net_join(&net, 2, 0, 0, 0, 3, 3); /* FIFO 8: back */
	expect(&net, RULES_PROVEN, "", ANY_VALUE);
	rules_judge(&net, &v);
	ck_assert_uint_eq(rules_ticks(&net, &v, &s, 3, 4), 2);
	ck_assert_uint_eq(rules_ticks(&net, &v, &s, 4, 3), 2);
	for (uint64_t seed = 0; seed < 20; seed++)
		stays_alive(&net, &v, &s, seed);
	net.fifos[8].delay = 2;
	expect(&net, RULES_CYCLES, "18", ANY_VALUE);
	ck_assert_int_eq(circles(&net, &s), STARVES);
	net.fifos[8].delay = 3;
	net.actors[2].ports[1].on = 3;
	expect(&net, RULES_CLOCKS, "24", 1);
	ck_assert_int_ne(circles(&net, &s), CONSERVATIVE);
}
END_TEST

/* Cycles between the members: what counts is what is on at once. */
START_TEST(test_cycles_by_hand)
{
	struct net_sequences s = { { 3 }, { { 0, 2, 1 } } };
	struct net net;
	struct rules_verdict v;

	make_group(&net, 3);
	net_join(&net, 1, 1, 2, 1, 2, 0); /* there for 0 .. */
	net_join(&net, 2, 2, 1, 2, 3, 2); /* .. back for 1 */
	expect(&net, RULES_PROVEN, "", ANY_VALUE);
	rules_judge(&net, &v);
	stays_alive(&net, &v, &s, 1);
	net.actors[1].ports[1].on = net.actors[2].ports[1].on = 3; /* there for 0 and 1 */
	expect(&net, RULES_CYCLES, "23", ANY_VALUE);
	rules_judge(&net, &v);
	ck_assert_uint_eq(v.vector[0], 1);
	ck_assert_int_eq(circles(&net, &s), STARVES);
	net.fifos[3].delay = 3;
	expect(&net, RULES_PROVEN, "", ANY_VALUE);
}
END_TEST

/* One FIFO under two control streams, doc/internals/deadlock.md, section 6: the simulation against its example. Actor 0
 * controls the writer (1) and the reader (2) by two outputs. */
START_TEST(test_two_streams)
{
	struct net_sequences s = { { 10, 10 }, { { 1, 1, 1, 1, 1 }, { 0, 0, 0, 0, 0, 1, 1, 1, 1, 1 } } };
	static struct oracle sim;
	struct net net;
	bool room;

	net_begin(&net, 1);
	net_add_actor(&net, 0);
	net_add_group(&net, 0, net_add_port(&net, 0, NET_OUTPUT, 0), 2);
	net_add_group(&net, 0, net_add_port(&net, 0, NET_OUTPUT, 0), 2);
	net_add_member(&net, 0);
	net_add_member(&net, 1);
	net_join(&net, 1, 2, 2, 2, 1, 0);
	for (unsigned kappa = 1; kappa <= 4; kappa++) {
		net.fifos[0].depth = net.fifos[1].depth = kappa;
		net.fifos[2].depth = 2;
		run_all(&sim, &net, &s, 1, 10);
		/* (F) fails for k = 3 if the reader gets no 1 meanwhile: k + kappa <= 5 */
		ck_assert_uint_eq(oracle_deadlocked(&sim, &room), kappa <= 2 ? 7 : 0);
		ck_assert_uint_eq(sim.actors[1].ticks, kappa <= 2 ? 2 : 10);
		ck_assert_uint_eq(sim.fifos[2].read, kappa <= 2 ? 0 : 5);
	}
}
END_TEST

START_TEST(test_verdicts)
{
	static struct net net;
	uint64_t counts[NET_ORIGINS][OUTCOMES] = { { 0 } };
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_NETWORKS);

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { test_mix(~seed) };
		enum outcome outcome = PROVEN;
		struct rules_verdict v;

		test_guard("the simulation of a dynamic network", seed);
		net_make_dynamic(&net, seed);
		rules_judge(&net, &v);
		compare_verdicts(&net, &v);
		ck_assert_msg(net.origin != NET_SANE || v.rule == RULES_PROVEN, "%s", replay(seed));
		if (v.rule == RULES_PROVEN)
			check_proven(&net, &v, &rng);
		else
			outcome = check_refused(&net, &v, &rng);
		if (outcome == CONSERVATIVE && v.idle)
			outcome = IDLE;
		else if (outcome == CONSERVATIVE && net.origin != NET_TWINS && v.apart)
			outcome = WAITING;
		ck_assert_msg(outcome != CONSERVATIVE || net.origin == NET_TWINS,
			"%s: no values found for which it fails", replay(seed));
		counts[net.origin][outcome]++;
	}
	print_counts(counts);
	for (unsigned outcome = 0; outcome < IDLE && rounds >= 1000; outcome++) {
		uint64_t sum = 0;

		for (unsigned o = 0; o < NET_ORIGINS; o++)
			sum += counts[o][outcome];
		ck_assert_uint_ge(sum, rounds / 200); /* the others are rare */
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dynamic");
	TCase *hand = test_case(suite, "by hand"), *verdicts = test_case(suite, "verdicts");

	tcase_add_test(hand, test_document);
	tcase_add_test(hand, test_cycles_by_hand);
	tcase_add_test(hand, test_two_streams);
	tcase_add_test(verdicts, test_verdicts);
	return test_main(suite);
}
