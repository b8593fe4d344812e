/* SPDX-License-Identifier: MIT */
/*
 * The theorem of doc/internals/deadlock.md, tested: random dynamic networks, the analyser's verdict, and what a
 * simulation and real threads make of them. What is proven never hangs and leaves what the oracle leaves;
 * what is refused hangs or grows under control values that the test finds, or is refused conservatively,
 * in a way that the document names.
 */
#include "tests/random/dynamic_build.h"
#include "tests/random/dynamic_oracle.h"
#include "tests/random/dynamic_rules.h"
#include "tests/random/dynamic_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { QUICK_NETWORKS = 3000, QUICK_RUNS = 200, TICKS = 30, LATER = 600, SEQUENCES = 2, SCHEDULES = 2 };

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

static int never_fires(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static void *describe_nothing(void *data, unsigned a, struct pstk_actor_type *type)
{
	struct dyn_arg *args = data;

	type->fire = never_fires;
	return &args[a];
}

/* The library's verdict is that of the plain rules. */
static void compare_verdicts(const struct dyn_net *net, const struct dyn_verdict *expected)
{
	struct pstk_verdict *verdict = PSTK_VERDICT();
	struct dyn_arg args[DYN_ACTORS];
	struct dyn_built built;
	int rc;

	for (unsigned a = 0; a < net->actor_count; a++)
		args[a].actor = &net->actors[a];
	dyn_build(&built, net, describe_nothing, args);
	rc = pstk_network_check(built.network, NULL, verdict);
	ck_assert_int_eq(rc, verdict->result);
	ck_assert_msg(rc == (expected->rule == DYN_PROVEN ? 0 : -EDEADLK),
		"seed %" PRIu64 ": %d (%s), not %d", net->seed, rc, verdict->reason, expected->rule);
	if (expected->rule == DYN_CYCLES) /* who breaks both rules may be refused for either */
		ck_assert_msg(verdict->rule == PSTK_RULE_CYCLES, "seed %" PRIu64 ": %s", net->seed,
			verdict->reason);
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
	const struct dyn_net *net, const struct dyn_verdict *v, const struct dyn_sequences *s, uint64_t seed)
{
	static struct dyn_sim sim;

	dyn_sim_init(&sim, net, s, 1, seed);
	for (unsigned a = 0; a < net->actor_count; a++)
		sim.actors[a].limit = dyn_ticks(net, v, s, a, TICKS);
	dyn_sim_run(&sim);
	ck_assert(!sim.wrong);
	for (unsigned a = 0; a < net->actor_count; a++)
		ck_assert_msg(sim.actors[a].ticks == sim.actors[a].limit,
			"seed %" PRIu64 ", schedule %" PRIu64 ": a%u stops after %" PRIu64 " of %" PRIu64
			" firings",
			net->seed, seed, a, sim.actors[a].ticks, sim.actors[a].limit);
	for (unsigned f = 0; f < net->fifo_count; f++)
		ck_assert_msg(sim.fifos[f].written == sim.fifos[f].read,
			"seed %" PRIu64 ": FIFO %u: %" PRIu64 " windows written, %" PRIu64 " read", net->seed,
			f, sim.fifos[f].written, sim.fifos[f].read);
}

/* Static actors that nothing controls end by themselves, at firings of their own choice: so does everybody
 * then. */
static void ends(
	const struct dyn_net *net, const struct dyn_verdict *v, const struct dyn_sequences *s, uint64_t seed)
{
	static struct dyn_sim sim;

	dyn_sim_init(&sim, net, s, 1, seed);
	for (unsigned a = 0; a < net->actor_count; a++)
		dyn_sim_end_at(
			&sim, a, dyn_is_free(net, v, a) ? 1 + test_mix(seed + a) % TICKS : DYN_SIM_ENDLESS);
	dyn_sim_run(&sim);
	for (unsigned a = 0; a < net->actor_count; a++)
		ck_assert_msg(sim.actors[a].ended, "seed %" PRIu64 ", schedule %" PRIu64 ": a%u does not end",
			net->seed, seed, a);
}

static void check_proven(const struct dyn_net *net, const struct dyn_verdict *v, struct test_rng *rng)
{
	for (unsigned i = 0; i < SEQUENCES; i++) {
		struct dyn_sequences s;

		dyn_random_sequences(net, &s, DYN_SEQUENCE, rng);
		for (unsigned j = 0; j < SCHEDULES; j++)
			stays_alive(net, v, &s, test_random(rng));
		ends(net, v, &s, test_random(rng));
	}
}

static void run_all(struct dyn_sim *sim, const struct dyn_net *net, const struct dyn_sequences *s,
	unsigned deeper, uint64_t limit)
{
	dyn_sim_init(sim, net, s, deeper, net->seed);
	for (unsigned a = 0; a < net->actor_count; a++)
		sim->actors[a].limit = limit;
	dyn_sim_run(sim);
}

/* Do the actors come to wait for each other in a circle, if nobody ever ends? CONSERVATIVE: they don't. */
static enum outcome circles(const struct dyn_net *net, const struct dyn_sequences *s)
{
	static struct dyn_sim sim;
	bool room;

	run_all(&sim, net, s, 1, TICKS);
	if (!dyn_sim_deadlocked(&sim, &room))
		return CONSERVATIVE;
	run_all(&sim, net, s, 16, TICKS);
	return dyn_sim_deadlocked(&sim, &room) && !room ? STARVES : GROWS;
}

/* Does an actor that has its control value wait for ever, while others go on? Every value comes again and
 * again, so every region should be on again and again; LATER is when groups three deep have gone through
 * all their values. */
static enum outcome falls_behind(const struct dyn_net *net, const struct dyn_sequences *s)
{
	static struct dyn_sim sim, later;
	bool room;

	run_all(&sim, net, s, 1, TICKS);
	run_all(&later, net, s, 1, LATER);
	for (unsigned a = 0; a < net->actor_count; a++)
		if (sim.actors[a].decided && later.actors[a].decided &&
			sim.actors[a].ticks == later.actors[a].ticks && dyn_sim_waits(&later, a, &room))
			return GROWS;
	return CONSERVATIVE;
}

/* The values of a vector again and again. */
static void repeat(const struct dyn_net *net, struct dyn_sequences *s, const uint32_t *vector)
{
	for (unsigned g = 0; g < net->group_count; g++) {
		s->length[g] = 1;
		s->values[g][0] = (uint8_t)vector[g];
	}
}

/* All values of each group in some order, again and again. */
static void all_values(const struct dyn_net *net, struct dyn_sequences *s, struct test_rng *rng)
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
static enum outcome check_refused(
	const struct dyn_net *net, const struct dyn_verdict *v, struct test_rng *rng)
{
	uint32_t vector[DYN_GROUPS];
	struct dyn_sequences s;
	enum outcome outcome = CONSERVATIVE;

	if (v->rule == DYN_CYCLES) {
		repeat(net, &s, v->vector);
		outcome = circles(net, &s);
	}
	for (unsigned i = 0; i < 100 && outcome == CONSERVATIVE; i++) {
		for (unsigned g = 0; g < net->group_count; g++)
			vector[g] = test_between(rng, 0, net->groups[g].values - 1);
		repeat(net, &s, vector);
		if (i % 3)
			dyn_random_sequences(net, &s, DYN_SEQUENCE, rng);
		outcome = circles(net, &s);
	}
	for (unsigned i = 0; i < 5 && outcome == CONSERVATIVE; i++) {
		all_values(net, &s, rng);
		outcome = falls_behind(net, &s);
	}
	return outcome;
}

static void print_counts(uint64_t counts[DYN_ORIGINS][OUTCOMES])
{
	printf("%-10s %8s %8s %8s %8s %8s %8s\n", "networks", "proven", "starve", "grow", "equal", "idle",
		"waiting");
	for (unsigned o = 0; o < DYN_ORIGINS; o++)
		printf("%-10s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
		       "\n",
			dyn_origin_name((enum dyn_origin)o), counts[o][PROVEN], counts[o][STARVES],
			counts[o][GROWS], counts[o][CONSERVATIVE], counts[o][IDLE], counts[o][WAITING]);
}

/* A configuration actor 0 and a group of two members, 1 and 2, all with depth 1; static actors may follow. */
static void make_group(struct dyn_net *net, unsigned values)
{
	memset(net, 0, sizeof *net);
	dyn_add_actor(net, 0);
	dyn_add_group(net, 0, dyn_add_port(net, 0, DYN_OUTPUT, 0), values);
	dyn_add_member(net, 0);
	dyn_add_member(net, 0);
}

static unsigned join_dynamic(struct dyn_net *net, unsigned src, uint32_t src_on, unsigned dst,
	uint32_t dst_on, uint32_t rate, uint32_t delay)
{
	unsigned out = dyn_add_port(net, src, src_on ? DYN_DYNAMIC_OUTPUT : DYN_OUTPUT, src_on);
	unsigned in = dyn_add_port(net, dst, dst_on ? DYN_DYNAMIC_INPUT : DYN_INPUT, dst_on);

	return dyn_add_fifo(net, src, out, dst, in, rate, delay);
}

#define ANY_VALUE UINT32_MAX

/* The library's verdict and the plain rules'; for refused ones one of these FIFOs (digits), and the value. */
static void expect(struct dyn_net *net, enum dyn_rule rule, const char *fifos, uint32_t value)
{
	struct pstk_verdict *verdict = PSTK_VERDICT();
	struct dyn_arg args[DYN_ACTORS];
	struct dyn_built built;
	struct dyn_verdict v;
	unsigned f = 0;

	for (unsigned i = 0; i < net->fifo_count; i++)
		net->fifos[i].depth = 1;
	dyn_judge(net, &v);
	ck_assert_int_eq(v.rule, rule);
	compare_verdicts(net, &v);
	for (unsigned a = 0; a < net->actor_count; a++)
		args[a].actor = &net->actors[a];
	dyn_build(&built, net, describe_nothing, args);
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
	struct dyn_net net;
	struct dyn_verdict v;
	struct dyn_sequences s = { { 4 }, { { 0, 1, 1, 0 } } };

	make_group(&net, 2);
	for (unsigned a = 3; a <= 6; a++)
		dyn_add_actor(&net, 0);
	join_dynamic(&net, 1, 1, 3, 0, 4, 0); /* FIFO 2: x1 */
	join_dynamic(&net, 1, 2, 4, 0, 6, 0);
	join_dynamic(&net, 3, 0, 2, 1, 4, 0); /* FIFO 4: y1 */
	join_dynamic(&net, 4, 0, 2, 2, 6, 0);
	join_dynamic(&net, 5, 0, 1, 0, 1, 0);
	join_dynamic(&net, 2, 0, 6, 0, 1, 0);
	join_dynamic(&net, 2, 0, 0, 0, 3, 3); /* FIFO 8: back */
	expect(&net, DYN_PROVEN, "", ANY_VALUE);
	dyn_judge(&net, &v);
	ck_assert_uint_eq(dyn_ticks(&net, &v, &s, 3, 4), 2);
	ck_assert_uint_eq(dyn_ticks(&net, &v, &s, 4, 3), 2);
	for (uint64_t seed = 0; seed < 20; seed++)
		stays_alive(&net, &v, &s, seed);
	net.fifos[8].delay = 2;
	expect(&net, DYN_CYCLES, "18", ANY_VALUE);
	ck_assert_int_eq(circles(&net, &s), STARVES);
	net.fifos[8].delay = 3;
	net.actors[2].ports[1].on = 3;
	expect(&net, DYN_CLOCKS, "24", 1);
	ck_assert_int_ne(circles(&net, &s), CONSERVATIVE);
}
END_TEST

/* Cycles between the members: what counts is what is on at once. */
START_TEST(test_cycles_by_hand)
{
	struct dyn_sequences s = { { 3 }, { { 0, 2, 1 } } };
	struct dyn_net net;
	struct dyn_verdict v;

	make_group(&net, 3);
	join_dynamic(&net, 1, 1, 2, 1, 2, 0); /* there for 0 .. */
	join_dynamic(&net, 2, 2, 1, 2, 3, 2); /* .. back for 1 */
	expect(&net, DYN_PROVEN, "", ANY_VALUE);
	dyn_judge(&net, &v);
	stays_alive(&net, &v, &s, 1);
	net.actors[1].ports[1].on = net.actors[2].ports[1].on = 3; /* there for 0 and 1 */
	expect(&net, DYN_CYCLES, "23", ANY_VALUE);
	dyn_judge(&net, &v);
	ck_assert_uint_eq(v.vector[0], 1);
	ck_assert_int_eq(circles(&net, &s), STARVES);
	net.fifos[3].delay = 3;
	expect(&net, DYN_PROVEN, "", ANY_VALUE);
}
END_TEST

/* One FIFO under two control streams, doc/internals/deadlock.md, section 6: the simulation against its example. Actor 0
 * controls the writer (1) and the reader (2) by two outputs. */
START_TEST(test_two_streams)
{
	struct dyn_sequences s = { { 10, 10 }, { { 1, 1, 1, 1, 1 }, { 0, 0, 0, 0, 0, 1, 1, 1, 1, 1 } } };
	static struct dyn_sim sim;
	struct dyn_net net = { 0 };
	bool room;

	dyn_add_actor(&net, 0);
	dyn_add_group(&net, 0, dyn_add_port(&net, 0, DYN_OUTPUT, 0), 2);
	dyn_add_group(&net, 0, dyn_add_port(&net, 0, DYN_OUTPUT, 0), 2);
	dyn_add_member(&net, 0);
	dyn_add_member(&net, 1);
	join_dynamic(&net, 1, 2, 2, 2, 1, 0);
	for (unsigned kappa = 1; kappa <= 4; kappa++) {
		net.fifos[0].depth = net.fifos[1].depth = kappa;
		net.fifos[2].depth = 2;
		run_all(&sim, &net, &s, 1, 10);
		/* (F) fails for k = 3 if the reader gets no 1 meanwhile: k + kappa <= 5 */
		ck_assert_uint_eq(dyn_sim_deadlocked(&sim, &room), kappa <= 2 ? 7 : 0);
		ck_assert_uint_eq(sim.actors[1].ticks, kappa <= 2 ? 2 : 10);
		ck_assert_uint_eq(sim.fifos[2].read, kappa <= 2 ? 0 : 5);
	}
}
END_TEST

START_TEST(test_verdicts)
{
	static struct dyn_net net;
	uint64_t counts[DYN_ORIGINS][OUTCOMES] = { { 0 } };
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_NETWORKS);

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { test_mix(~seed) };
		enum outcome outcome = PROVEN;
		struct dyn_verdict v;

		test_guard("the simulation of a dynamic network", seed);
		dyn_make_random(&net, seed);
		dyn_judge(&net, &v);
		compare_verdicts(&net, &v);
		ck_assert_msg(net.origin != DYN_SANE || v.rule == DYN_PROVEN, "seed %" PRIu64, seed);
		if (v.rule == DYN_PROVEN)
			check_proven(&net, &v, &rng);
		else
			outcome = check_refused(&net, &v, &rng);
		if (outcome == CONSERVATIVE && v.idle)
			outcome = IDLE;
		else if (outcome == CONSERVATIVE && net.origin != DYN_TWINS && v.apart)
			outcome = WAITING;
		ck_assert_msg(outcome != CONSERVATIVE || net.origin == DYN_TWINS,
			"PENSTOCK_TEST_SEED=%" PRIu64 ": no values found for which it fails", seed);
		counts[net.origin][outcome]++;
	}
	print_counts(counts);
	for (unsigned outcome = 0; outcome < IDLE && rounds >= 1000; outcome++) {
		uint64_t sum = 0;

		for (unsigned o = 0; o < DYN_ORIGINS; o++)
			sum += counts[o][outcome];
		ck_assert_uint_gt(sum,
			10); /* both verdicts, and what becomes of them, occur often; the others are rare */
	}
}
END_TEST

START_TEST(test_threads)
{
	static struct dyn_net net;
	struct dyn_totals totals = { 0 };
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_RUNS);

	for (uint64_t seed = first; totals.networks < rounds; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct dyn_sequences s;
		struct dyn_verdict v;
		const char *what;

		dyn_make_random(&net, seed);
		dyn_judge(&net, &v);
		if (v.rule != DYN_PROVEN || !net.group_count)
			continue;
		test_guard("a dynamic network", seed);
		dyn_random_sequences(&net, &s, DYN_SEQUENCE, &rng);
		what = dyn_run(&net, &v, &s, test_between(&rng, 1, TICKS), NULL, &totals);
		ck_assert_msg(!what, "PENSTOCK_TEST_SEED=%" PRIu64 ": %s", seed, what);
	}
	printf("on threads: %" PRIu64 " networks, %" PRIu64 " actors (%" PRIu64 " compared exactly), %" PRIu64
	       " FIFOs (%" PRIu64 "), %" PRIu64 " firings, %" PRIu64 " tokens; %" PRIu64
	       " networks have loops that never end\n",
		totals.networks, totals.actors, totals.sure_actors, totals.fifos, totals.exact_fifos,
		totals.firings, totals.tokens, totals.endless);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dynamic");
	TCase *hand = test_case(suite, "by hand"), *verdicts = test_case(suite, "verdicts"),
	      *threads = test_case(suite, "threads");

	tcase_add_test(hand, test_document);
	tcase_add_test(hand, test_cycles_by_hand);
	tcase_add_test(hand, test_two_streams);
	tcase_add_test(verdicts, test_verdicts);
	tcase_add_test(threads, test_threads);
	return test_main(suite);
}
