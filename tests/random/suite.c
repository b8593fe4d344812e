/* SPDX-License-Identifier: MIT */
#include "tests/random/suite.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS_OF_A_WAY = 1000000 };

static const struct carrier *carrier;
static const struct suite_kind *kinds;
static unsigned kind_count;
const char *suite_program;

const struct carrier carrier_cores = { .ways = 1 };

const char *suite_replay(const char *choice, int way, uint64_t seed)
{
	static const char *const kept[] = { "PENSTOCK_TEAM", "PENSTOCK_TEST_TEAM" };
	static char text[300];
	const char *program = program_invocation_short_name;
	size_t used = 0;

	for (size_t i = 0; i < TEST_COUNT(kept); i++)
		if (getenv(kept[i]))
			used += (size_t)snprintf(
				text + used, sizeof text - used, "%s=%s ", kept[i], getenv(kept[i]));
	if (way >= 0)
		used += (size_t)snprintf(text + used, sizeof text - used, "PENSTOCK_TEST_WAY=%d ", way);
	snprintf(text + used, sizeof text - used, "%s PENSTOCK_TEST_SEED=%" PRIu64 " %s%s", choice, seed,
		suite_program ? "" : "tests/random/",
		suite_program ? suite_program : program + (strncmp(program, "lt-", 3) ? 0 : 3));
	return text;
}

static void run_network(const struct suite_kind *kind, unsigned way, uint64_t seed,
	const char *const *devices, unsigned count, struct net_totals *totals)
{
	uint64_t launches = totals->launches, dead = totals->dead;
	const char *replay, *what;
	static struct net net;
	char choice[64];

	snprintf(choice, sizeof choice, "PENSTOCK_TEST_KIND=%s", kind->name);
	replay = suite_replay(choice, carrier->ways > 1 ? (int)way : -1, seed);
	if (!net_make_random(&net, &kind->switches, seed, devices, count))
		return;
	test_guard(replay, seed);
	if (carrier->begin)
		carrier->begin(way, &net);
	what = net_run(&net, totals);
	if (!what && carrier->end)
		what = carrier->end(way, totals->dead == dead, totals->launches - launches);
	ck_assert_msg(!what, "%s: %s", replay, what);
}

static void print(const struct suite_kind *kind, unsigned way, const struct net_totals *t, uint64_t first,
	uint64_t last)
{
	printf("%s%s%s: %" PRIu64 " networks, %" PRIu64 " of them dead, %" PRIu64 " actors (%" PRIu64
	       " on devices, %" PRIu64 " compared exactly), %" PRIu64 " FIFOs (%" PRIu64 ", %" PRIu64
	       " shared, %" PRIu64 " bundled), %" PRIu64 " firings, %" PRIu64 " tokens, seeds %" PRIu64
	       " to %" PRIu64 "; %" PRIu64 " would never end\n",
		kind->name, carrier->name ? ", " : "", carrier->name ? carrier->name(way) : "", t->networks,
		t->dead, t->actors, t->on_devices, t->exact_actors, t->fifos, t->exact_fifos, t->shared,
		t->bundled, t->firings, t->tokens, first, last, t->endless);
	if (t->moves)
		printf("\t%" PRIu64 " moves\n", t->moves);
	if (t->pipelines)
		printf("\t%" PRIu64 " pipelines, %" PRIu64 " items, %" PRIu64 " of them on devices, %" PRIu64
		       " switches\n",
			t->pipelines, t->items, t->device_items, t->switches);
	printf("\tfirings by a thread per actor: %" PRIu64 ", by teams of 1 to %d:", t->team_firings[0],
		NET_TEAMS - 1);
	for (unsigned n = 1; n < NET_TEAMS; n++)
		printf(" %" PRIu64, t->team_firings[n]);
	printf("\n");
}

static void run_kind(const struct suite_kind *kind, unsigned way, const char *const *devices, unsigned count)
{
	uint64_t first = suite_first_seed(way),
		 rounds = kind->seeds ? kind->rounds : test_rounds(kind->rounds), seed;
	struct net_totals totals = { 0 };

	if (!kind->switches.proven)
		test_log_nothing(); /* hundreds of expected deadlocks: the network's error says it, too */
	for (seed = first; totals.networks < rounds; seed++)
		run_network(kind, way, kind->seeds ? kind->seeds[totals.networks] : seed, devices, count,
			&totals);
	pstk_set_log(NULL, NULL);
	print(kind, way, &totals, first, seed - 1);
	if (rounds < kind->rounds)
		return;
	ck_assert_uint_ge(totals.dead * 100, kind->least_dead * totals.networks);
	ck_assert_uint_ge(totals.shared * 100, kind->least_shared * totals.fifos);
	ck_assert_uint_ge(totals.bundled * 100, kind->least_bundled * totals.fifos);
}

/* _i is the way. One process for all kinds: to load a driver takes longer than they. */
START_TEST(networks)
{
	const char *only = getenv("PENSTOCK_TEST_KIND");
	const char *const *devices = NULL;
	unsigned count = 0;

	if (carrier->open && !carrier->open((unsigned)_i, &devices, &count)) {
		printf("no OpenCL device: skipped\n");
		return;
	}
	for (unsigned k = 0; k < kind_count; k++)
		if (!only || !strcmp(only, kinds[k].name))
			run_kind(&kinds[k], (unsigned)_i, devices, count);
}
END_TEST

uint64_t suite_first_seed(unsigned way)
{
	return getenv("PENSTOCK_TEST_SEED") ? test_seed() : test_seed() + way * (uint64_t)SEEDS_OF_A_WAY;
}

int suite_way(const struct carrier *on)
{
	const char *only = getenv("PENSTOCK_TEST_WAY");
	int way = only ? (int)strtol(only, NULL, 10) : -1;

	return way < (int)on->ways ? way : -1;
}

void suite_add(Suite *suite, const struct carrier *on, const struct suite_kind *list, unsigned count)
{
	int way = suite_way(on);
	TCase *tcase = test_case(suite, "networks");

	carrier = on;
	kinds = list;
	kind_count = count;
	if (way >= 0)
		tcase_add_loop_test(tcase, networks, way, way + 1);
	else
		tcase_add_loop_test(tcase, networks, 0, (int)on->ways);
}
