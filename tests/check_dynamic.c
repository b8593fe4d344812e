/* SPDX-License-Identifier: MIT */
/*
 * The theorem of doc/deadlock.md, tested: random dynamic networks, the analyser's verdict, and what a simulation and real
 * threads make of them. What is proven never hangs and leaves what the oracle leaves; what is refused hangs or grows under
 * control values that the test finds, or is refused conservatively, in a way that the document names.
 */
#include "tests/dynamic_build.h"
#include "tests/dynamic_oracle.h"
#include "tests/dynamic_rules.h"
#include "tests/dynamic_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { QUICK_NETWORKS = 3000, QUICK_RUNS = 200, TICKS = 30, LATER = 600, SEQUENCES = 2, SCHEDULES = 2 };

/* What becomes of a network. */
enum outcome {
	PROVEN,
	STARVES, /* refused: its actors wait for each other, however deep the FIFOs are */
	GROWS,   /* refused: more depth only puts the end off, or some actor falls behind for ever */
	CONSERVATIVE,
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

/* All actors make their firings of `ticks` instants, and leave what a sequential run leaves: each FIFO its delay. */
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

/* Static actors that nothing controls end by themselves, at firings of their own choice: so does everybody then. */
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

/* Does an actor that has its control value wait for ever, while others go on? Every value comes again and again, so every
 * region should be on again and again; LATER is when groups three deep have gone through all their values. */
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
	printf("%-10s %8s %8s %8s %8s\n", "networks", "proven", "starve", "grow", "neither");
	for (unsigned o = 0; o < DYN_ORIGINS; o++)
		printf("%-10s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n",
			dyn_origin_name((enum dyn_origin)o), counts[o][PROVEN], counts[o][STARVES],
			counts[o][GROWS], counts[o][CONSERVATIVE]);
}

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
		if (outcome == CONSERVATIVE && net.origin != DYN_TWINS)
			printf("NEITHER seed %" PRIu64 " %s rule %d\n", seed, dyn_origin_name(net.origin),
				v.rule);
		counts[net.origin][outcome]++;
	}
	test_guard_off();
	print_counts(counts);
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
	test_guard_off();
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
	TCase *verdicts = test_case(suite, "verdicts"), *threads = test_case(suite, "threads");

	tcase_set_timeout(verdicts, 0); /* each network has the guard */
	tcase_add_test(verdicts, test_verdicts);
	tcase_set_timeout(threads, 0);
	tcase_add_test(threads, test_threads);
	return test_main(suite);
}
