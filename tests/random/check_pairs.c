/* SPDX-License-Identifier: MIT */
/*
 * Exactly which pairs deadlock: the conditions against every interleaving, and against the oracle. Pairs are run
 * with the library among the other random networks (kind "pairs").
 */
#include "tests/random/oracle.h"
#include "tests/random/pair.h"
#include "tests/random/suite.h"

#include <inttypes.h>
#include <stdio.h>

enum { QUICK_PAIRS = 120000, QUICK_EXPLORED = 1500, EXHAUSTIVE = 4 };

static const char *replay(uint64_t seed)
{
	return suite_replay("CK_RUN_CASE=model", -1, seed);
}

static void explore(const struct pair *p, uint64_t seed, uint64_t *states, uint64_t *dead)
{
	struct pair_end predicted;
	unsigned count;

	pair_predict(p, &predicted);
	count = pair_explore(p, &predicted);
	ck_assert_msg(count, "%s: predicted %s, some interleaving is not: %s", replay(seed),
		predicted.dead ? "dead" : "alive", pair_text(p));
	*states += count;
	*dead += predicted.dead;
}

/* All that is short. */
START_TEST(every_interleaving)
{
	static const uint32_t delays[][2] = { { 1, 0 }, { 1, 1 }, { 2, 1 }, { 2, 2 }, { 3, 4 } };
	uint64_t pairs = 0, states = 0, dead = 0;

	for (unsigned n = 1; n <= (TEST_SANITIZED ? 3 : EXHAUSTIVE); n++)
		for (unsigned bits = 0; bits < 1u << 2 * n; bits++)
			for (unsigned d = 0; d < TEST_COUNT(delays); d++)
				for (unsigned way = 0; way < 54; way++, pairs++) {
					struct pair p = { .n = n,
						.a = bits & ((1u << n) - 1),
						.b = bits >> n,
						.rate = delays[d][0],
						.delay = delays[d][1],
						.depth = 1 + way % 2,
						.depth_a = 1 + way / 2 % 3,
						.depth_b = 1 + way / 6 % 3,
						.order = (enum pair_order)(way / 18) };

					explore(&p, 0, &states, &dead);
				}
	printf("%" PRIu64 " pairs, %" PRIu64 " dead, %" PRIu64 " states\n", pairs, dead, states);
}
END_TEST

START_TEST(longer_interleavings)
{
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_EXPLORED), states = 0, dead = 0;

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct pair p;

		pair_random(&p, &rng);
		p.n = test_between(&rng, 5, 6);
		p.a &= (1u << p.n) - 1;
		p.b &= (1u << p.n) - 1;
		explore(&p, seed, &states, &dead);
	}
	printf("%" PRIu64 " pairs, %" PRIu64 " dead, %" PRIu64 " states\n", rounds, dead, states);
}
END_TEST

/* The oracle knows no conditions, only steps; its interleaving is any. */
START_TEST(one_interleaving)
{
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_PAIRS), dead = 0;
	static struct oracle oracle;
	static struct net net;

	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct pair_end predicted;
		struct pair p;
		bool ends;

		pair_random(&p, &rng);
		pair_predict(&p, &predicted);
		net_begin(&net, seed);
		pair_net(&p, &net);
		ends = oracle_foretell(&oracle, &net, &net.values);
		ck_assert_msg(ends == !predicted.dead, "%s: %s: predicted %s, the oracle %s", replay(seed),
			pair_text(&p), predicted.dead ? "dead" : "alive", ends ? "ends" : "does not end");
		dead += !ends;
		if (!ends)
			continue;
		oracle_find_bounds(&oracle);
		ck_assert_msg(oracle.fifos[2].read == predicted.read &&
				      oracle.actors[PAIR_B].ticks == predicted.b_tokens &&
				      oracle.actors[PAIR_B].least == predicted.b_tokens &&
				      oracle.actors[PAIR_A].ticks == predicted.a_tokens &&
				      oracle.actors[PAIR_A].least == predicted.a_least,
			"%s: %s: the oracle's counts are not the predicted ones", replay(seed),
			pair_text(&p));
	}
	printf("%" PRIu64 " pairs, %" PRIu64 " dead\n", rounds, dead);
}
END_TEST

/* The facts that were known before: of balanced sequences of length 8 with rate 1 and depths 2 so many die. */
START_TEST(known_counts)
{
	struct pair p = { .n = 8, .rate = 1, .depth = 2, .depth_a = 2, .depth_b = 2 };
	unsigned all = 0, dead[2] = { 0 };

	for (p.a = 0; p.a < 256; p.a++)
		for (p.b = 0; p.b < 256; p.b++) {
			if (__builtin_popcount(p.a) != __builtin_popcount(p.b))
				continue;
			all++;
			for (unsigned i = 0; i < 2; i++) {
				p.order = i ? PAIR_A_FIRST : PAIR_AT_ONCE;
				dead[i] += pair_dies(&p);
			}
		}
	ck_assert_uint_eq(all, 12870);
	ck_assert_uint_eq(dead[0], 1821);
	ck_assert_uint_eq(dead[1], 561);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pairs");
	TCase *model = test_case(suite, "model");

	tcase_add_test(model, every_interleaving);
	tcase_add_test(model, longer_interleavings);
	tcase_add_test(model, one_interleaving);
	tcase_add_test(model, known_counts);
	return test_main(suite);
}
