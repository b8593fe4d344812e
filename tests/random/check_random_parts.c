/* SPDX-License-Identifier: MIT */
/* Random networks that are cut into parts of several hosts: together they do what the whole does. */
#include "lib/model/error.h"
#include "tests/random/carrier_parts.h"
#include "tests/random/run_actor.h"
#include "tests/random/suite.h"

#include <errno.h>

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true }, .rounds = 200 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 120 },
	{ .name = "dynamic", .switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30 }, .rounds = 30 },
	{ .name = "ticks",
		.switches = { .form = NET_DYNAMIC, .proven = true, .rates = true, .ticks = 12 },
		.rounds = 30 },
	{ .name = "pipelines",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .pipelines = true },
		.rounds = 60 },
	{ .name = "beside",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30, .beside = true },
		.rounds = 40 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true }, .rounds = 20 },
};

/*
 * Ends at any time. Each window that an actor sees is the oracle's until then.
 */

enum { MANY = 50 }; /* of so many runs each event ends some */

static struct run run;
static unsigned left; /* windows until then */
static bool happened;
static enum event { ABORT, FAIL, EVENTS } event;
static unsigned ended[EVENTS]; /* runs that it has ended */

static void happen(void *data)
{
	struct pstk_network *part = data;

	if (happened || --left)
		return;
	happened = true;
	if (event == ABORT)
		pstk_network_abort(part);
	else
		ps_network_fail(part, -EIO, "planted");
}

static void happen_now(void *data)
{
	left = 1;
	happen(data);
}

/* Of a network that was through before, nothing has happened. */
static void check_end(const char *replay, int err)
{
	static const int errors[EVENTS] = { [ABORT] = -ECANCELED, [FAIL] = -EIO };

	if (err && err != (happened ? errors[event] : 0))
		run_say(&run, "event %d: ends with %d", event, err);
	ended[event] += err != 0;
	for (unsigned a = 0; a < run.net->actor_count; a++)
		/* a rank may hear of it before its init() calls */
		if (run.actors[a].finished != 1 && (run.actors[a].finished || !carrier_joined || !err))
			run_say(&run, "%s: finish() was called %u times", run.net->actors[a].name,
				run.actors[a].finished);
	ck_assert_msg(!run.message[0], "%s: %s", replay, run.message);
}

static void end_at_random(const struct net *net, const char *replay)
{
	struct test_rng rng = { test_mix(net->seed) };

	run.net = net;
	run.message[0] = 0;
	run.ends = oracle_foretell(&run.oracle, net, &net->values);
	oracle_find_bounds(&run.oracle);
	run_build(&run, &run.built);
	carrier_cut.exchange(&run);
	event = test_between(&rng, 0, EVENTS - 1);
	left = test_between(&rng, 1, 60);
	happened = false;
	carrier_courier.carried = happen;
	carrier_courier.data = carrier_courier.parts[test_between(&rng, 0, carrier_courier.count - 1)];
	carrier_crew.event = happen_now;
	carrier_crew.data = carrier_courier.data;
	carrier_crew.looks = test_between(&rng, 0, 300);
	check_end(replay, carrier_joined ? carrier_cut.run(&run) : courier_run(&carrier_courier));
	carrier_cut.destroy(&run);
}

START_TEST(ends_at_any_time)
{
	static struct net net;
	uint64_t rounds = test_rounds(120), first = test_seed();

	test_log_nothing();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *replay = suite_replay("CK_RUN_CASE=ends", -1, seed);

		test_guard(replay, seed);
		if (net_make_random(&net, &kinds[seed % TEST_COUNT(kinds)].switches, seed, NULL, 0) &&
			!oracle_never_ends(&net))
			end_at_random(&net, replay);
	}
	for (unsigned i = 0; i < EVENTS && rounds >= MANY; i++)
		ck_assert_msg(ended[i], "event %u has ended none of %u runs", i, (unsigned)rounds);
	pstk_set_log(NULL, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_parts");

	suite_add(suite, &carrier_parts, kinds, TEST_COUNT(kinds));
	tcase_add_test(test_case(suite, "ends"), ends_at_any_time);
	return test_main(suite);
}
