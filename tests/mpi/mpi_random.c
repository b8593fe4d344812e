/* SPDX-License-Identifier: MIT */
/*
 * Random networks over the processes of an mpirun: together they do what the oracle says, and end together, whatever
 * ends them: mpirun -n 3 mpi_random. Environment variables: those of tests/random/suite.h.
 */
#include "lib/model/error.h"
#include "lib/run/hosts_still.h"
#include "tests/random/carrier_mpi.h"
#include "tests/random/dead.h"
#include "tests/random/run_actor.h"
#include "tests/random/suite.h"

#include <errno.h>
#include <stdlib.h>

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true }, .rounds = 4 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC, .proven = true, .rates = true, .steps = true },
		.rounds = 3 },
	{ .name = "dynamic", .switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 30 }, .rounds = 2 },
	{ .name = "ticks",
		.switches = { .form = NET_DYNAMIC, .proven = true, .rates = true, .ticks = 12 },
		.rounds = 2 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true }, .rounds = 1 },
};
enum { ENDS = 6, DEAD = 8 };

/*
 * Ends at any time, by any rank. Each window that an actor sees is the oracle's until then.
 */

enum { MANY = 100 }; /* of so many runs each event ends some */

enum event { ABORT, FAIL, STOP, EVENTS };

static struct run run;
static unsigned ended[EVENTS]; /* runs before their own end */

static void plant(struct pstk_network *network)
{
	ps_network_fail(network, -EIO, "planted");
}

/* A source that stops has written whole windows. For others to stop at windows of the oracle, too, nothing may make
 * partly filled ones of these: other rates, or delay tokens that are no windows. */
static bool make_stoppable(struct net *net)
{
	if (net->steps)
		return false;
	for (unsigned f = 0; f < net->fifo_count; f++)
		if (net->fifos[f].rate != net->fifos[f].read_rate)
			return false;
	for (unsigned f = 0; f < net->fifo_count; f++) {
		struct net_fifo *fifo = &net->fifos[f];

		fifo->delay = (fifo->delay + fifo->rate - 1) / fifo->rate * fifo->rate;
	}
	return true;
}

/* All ranks draw the same. */
static enum event draw_event(struct net *net, struct test_rng *rng)
{
	static void (*const calls[EVENTS])(struct pstk_network *) = {
		[ABORT] = pstk_network_abort, [FAIL] = plant, [STOP] = pstk_network_stop
	};
	enum event event = (enum event)(net->seed % EVENTS);
	bool mine = test_between(rng, 0, carrier_mpi_ranks - 1) == carrier_mpi_rank;

	if (event == STOP && !make_stoppable(net))
		event = ABORT;
	carrier_mpi_event.call = mine ? calls[event] : NULL;
	carrier_mpi_event.looks = test_chance(rng, 10) ? 0 : test_between(rng, 0, 300);
	return event;
}

static bool is_short(unsigned a)
{
	struct pstk_actor_stats stats = { 0 };
	uint64_t ticks;

	pstk_actor_get_stats(run.built.actors[a], &stats);
	ticks = run.net->actors[a].values ? stats.control_tokens : stats.firings;
	if (ticks > run.oracle.actors[a].ticks + run.net->actors[a].kahn)
		run_say(&run, "%s fired %llu times, not %llu", run.net->actors[a].name,
			(unsigned long long)ticks, (unsigned long long)run.oracle.actors[a].ticks);
	return ticks < run.oracle.actors[a].least;
}

/* A rank may hear of an end before its init() calls. One that ends well without a stop has done all. */
static void check_end(enum event event, int err)
{
	static const int errors[EVENTS] = { [ABORT] = -ECANCELED, [FAIL] = -EIO, [STOP] = 0 };
	bool whole = !err && event != STOP, is_ended = err;
	static struct net_totals totals;

	if (err && err != errors[event])
		run_say(&run, "event %d: it ends with %d: %s", event, err,
			pstk_network_error(run.built.network));
	if (whole)
		run_compare(&run, &totals);
	for (unsigned a = 0; a < run.net->actor_count && !whole; a++) {
		unsigned finished = run.actors[a].finished;

		if (run.where[a] != RUN_AWAY)
			is_ended = is_short(a) || is_ended;
		if (run.where[a] == RUN_HERE && finished != 1 && (finished || !err))
			run_say(&run, "%s: finish() was called %u times", run.net->actors[a].name, finished);
		if (run.where[a] != RUN_HERE && finished)
			run_say(&run, "%s is elsewhere: finish() was called", run.net->actors[a].name);
	}
	ended[event] += is_ended;
}

static void end_at_random(struct net *net, const char *replay)
{
	struct test_rng rng = { test_mix(net->seed) };
	enum event event = draw_event(net, &rng);
	int err;

	run.net = net;
	run.message[0] = 0;
	run.ends = oracle_foretell(&run.oracle, net, &net->values);
	if (!run.ends)
		return;
	oracle_find_bounds(&run.oracle);
	run_build(&run, &run.built);
	carrier_over_mpi.exchange(&run);
	err = carrier_over_mpi.run(&run);
	check_end(event, err);
	ck_assert_msg(!run.message[0], "%s: %s", replay, run.message);
	carrier_over_mpi.destroy(&run);
}

START_TEST(ends_at_any_time)
{
	static struct net net;
	uint64_t rounds = test_rounds(ENDS), first = test_seed();

	if (carrier_mpi_failed())
		return;
	test_log_nothing();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *replay = suite_replay("CK_RUN_CASE=ends", -1, seed);

		test_guard(replay, seed);
		if (net_make_random(&net, &kinds[seed % TEST_COUNT(kinds)].switches, seed, NULL, 0) &&
			!oracle_never_ends(&net))
			end_at_random(&net, replay);
	}
	pstk_set_log(NULL, NULL);
	carrier_mpi_event.call = NULL;
	printf("rank %u of %u: of %u networks aborted: %u, failed: %u, stopped: %u\n", carrier_mpi_rank,
		carrier_mpi_ranks, (unsigned)rounds, ended[ABORT], ended[FAIL], ended[STOP]);
	for (unsigned i = 0; i < EVENTS && rounds >= MANY && !carrier_mpi_rank; i++)
		ck_assert_msg(ended[i], "event %u has ended none of %u runs", i, (unsigned)rounds);
}
END_TEST

/*
 * Deadlocks, which the ranks find together. They look all the time, so that a false alarm would show.
 */

static unsigned may_die(const struct net *net, const char *replay)
{
	struct dead_foretold foretold = dead_foretell(&run, net);
	int err;

	run_build(&run, &run.built);
	carrier_over_mpi.exchange(&run);
	err = carrier_over_mpi.run(&run);
	dead_check(&run, foretold, replay, err, pstk_network_error(run.built.network));
	carrier_over_mpi.destroy(&run);
	return err != 0;
}

START_TEST(deadlocks)
{
	static struct net net;
	uint64_t rounds = test_rounds(DEAD), first = test_seed();
	unsigned dead = 0;

	ps_hosts_still_after_ns = 200000;
	if (carrier_mpi_failed())
		return;
	test_log_nothing();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *replay = suite_replay("CK_RUN_CASE=dead", -1, seed);

		test_guard(replay, seed);
		if (dead_make(&net, seed))
			dead += may_die(&net, replay);
	}
	pstk_set_log(NULL, NULL);
	printf("rank %u of %u: %u of %u networks dead\n", carrier_mpi_rank, carrier_mpi_ranks, dead,
		(unsigned)rounds);
	ck_assert(rounds < MANY || dead);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mpi_random");

	if (!carrier_mpi_begin("mpi_random"))
		return EXIT_FAILURE;
	suite_add(suite, &carrier_mpi, kinds, TEST_COUNT(kinds));
	tcase_add_test(test_case(suite, "ends"), ends_at_any_time);
	tcase_add_test(test_case(suite, "dead"), deadlocks);
	return carrier_mpi_end(suite);
}
