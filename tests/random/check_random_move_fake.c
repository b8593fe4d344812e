/* SPDX-License-Identifier: MIT */
/* Random networks whose actors move between the cores and devices of the fake driver, in each way in which it shares
 * memory: parts of one device, and two with memories of their own. Nothing fails, or something at a random time. */
#include "tests/fake_cl/fake_cl.h"
#include "tests/random/run_actor.h"
#include "tests/random/suite.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct suite_kind kinds[] = {
	{ .name = "static", .switches = { .form = NET_STATIC, .proven = true, .moves = true }, .rounds = 30 },
	{ .name = "steps",
		.switches = { .form = NET_STATIC,
			.proven = true,
			.rates = true,
			.steps = true,
			.moves = true },
		.rounds = 15 },
	{ .name = "dynamic",
		.switches = { .form = NET_DYNAMIC, .proven = true, .ticks = 40, .moves = true },
		.rounds = 15 },
	{ .name = "probes", .switches = { .form = NET_PROBES, .proven = true, .moves = true }, .rounds = 10 },
	{ .name = "pairs", .switches = { .form = NET_PAIR, .moves = true }, .rounds = 40, .least_dead = 5 },
};

/*
 * A command or a call fails, or all from one on, while a network runs. It says so and names an actor, or only a move
 * was hit, whose actor stays. Where all that have a kernel are guarded, and may go to the cores, nothing is lost.
 */

enum { ROUNDS = 16, PROVEN = 4 }; /* of the kinds so many: a failure beside a deadlock says nothing */

static struct run run;
static const struct fake_cl *fake;
static unsigned failed, stayed, failed_over;

static const cl_command_type commands[] = { 0, CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_WRITE_BUFFER,
	CL_COMMAND_READ_BUFFER };
static const char *const calls[] = { "clEnqueueNDRangeKernel", "clEnqueueWriteBuffer", "clEnqueueReadBuffer",
	"clSetKernelArg", "clGetEventInfo", "clFlush" };

static void guard_all(struct net *net)
{
	for (unsigned a = 0; a < net->actor_count; a++) {
		struct net_actor *actor = &net->actors[a];

		if (!net_has_kernel(actor))
			continue;
		actor->guarded = true;
		actor->place_count += actor->place_count < NET_PLACES;
		actor->places[actor->place_count - 1] = actor->device ? NULL : actor->places[0];
	}
}

/*
 * What fails, and when: the n-th from now on. *text: says it.
 * - What a dead place has not flushed stays queued for ever on a lazy driver, and settle() would wait for it.
 * - A driver that refuses all can't unmap what the library has mapped.
 */
static void plant(struct test_rng *rng, bool guarded, bool lazy, char *text, size_t size)
{
	unsigned n = test_between(rng, 1, 1u << test_between(rng, 0, 8)), what = test_between(rng, 0, 9), i;

	if (what < 5) {
		i = test_between(rng, 0, TEST_COUNT(commands) - 1);
		fake->fail_command(commands[i], n, CL_OUT_OF_RESOURCES);
		snprintf(text, size, "command %u of type %#x", n, commands[i]);
	} else if (what < 9) {
		i = test_between(rng, 0, (unsigned)TEST_COUNT(calls) - 1 - (guarded && lazy));
		fake->fail_calls(calls[i], n, 1, CL_OUT_OF_RESOURCES);
		snprintf(text, size, "call %u of %s", n, calls[i]);
	} else {
		fake->lose_device(n, CL_OUT_OF_RESOURCES, guarded && test_chance(rng, 50));
		snprintf(text, size, "all commands from %u on", n);
	}
}

static bool names_an_actor(const char *text)
{
	for (unsigned a = 0; a < run.net->actor_count; a++) {
		char name[16];

		snprintf(name, sizeof name, "'%s'", run.net->actors[a].name);
		if (strstr(text, name))
			return true;
	}
	return false;
}

/* NULL: as it must be. */
static const char *judge(int err, bool guarded, struct net_totals *totals)
{
	const char *text = pstk_network_error(run.built.network);

	if (err && (guarded || err == -EILSEQ || !names_an_actor(text)))
		run_say(&run, "it ends with %d: %s", err, text);
	else if (err)
		run_compare_failed(&run);
	else
		run_compare(&run, totals);
	failed += err != 0;
	stayed += run_moves_stayed;
	failed_over += run_moves_failed_over;
	return run.message[0] ? run.message : NULL;
}

static void fail_at_random(unsigned way, const struct net *given, bool guarded, const char *replay)
{
	static struct net net;
	static struct net_totals totals;
	struct test_rng rng = { test_mix(given->seed ^ UINT64_C(0xfa117)) };
	const char *what;
	long live[FAKE_CL_KIND_COUNT];
	char planted[80] = "";
	int err;

	net = *given;
	run.net = &net;
	run.message[0] = 0;
	run.fails = true;
	carrier_fake.begin(way, &net);
	for (int k = 0; k < FAKE_CL_KIND_COUNT; k++)
		live[k] =
			fake->live((enum fake_cl_kind)k); /* of places that have failed in networks before */
	run_find_hops(&run, &net);
	run.ends = oracle_foretell(&run.oracle, &net, &net.values);
	oracle_find_bounds(&run.oracle);
	run_build(&run, &run.built);
	run_moves_begin(&run);
	err = run.message[0] ? -EINVAL : pstk_network_start(run.built.network);
	ck_assert_msg(!err, "%s: %s %s", replay, run.message, pstk_network_error(run.built.network));
	plant(&rng, guarded, strstr(carrier_fake.name(way), "lazy"), planted, sizeof planted);
	err = pstk_network_wait(run.built.network);
	run_moves_end(&run, &totals);
	what = judge(err, guarded, &totals);
	ck_assert_msg(!what, "%s: %s fails: %s", replay, planted, what);
	pstk_network_destroy(run.built.network);
	fake->settle();
	ck_assert_msg(!fake->violation_count(), "%s: %s fails: %s", replay, planted, fake->violation(0));
	/* a place that has failed keeps its memory */
	for (int k = FAKE_CL_CONTEXT; k < FAKE_CL_KIND_COUNT && !run_moves_failed_over; k++)
		ck_assert_msg(fake->live((enum fake_cl_kind)k) == live[k],
			"%s: %s fails: of kind %d %ld objects are there, not %ld", replay, planted, k,
			fake->live((enum fake_cl_kind)k), live[k]);
}

/* _i is the way. */
START_TEST(fails_at_any_time)
{
	const char *only = getenv("PENSTOCK_TEST_WAY");
	uint64_t rounds = test_rounds(ROUNDS), first = test_seed();
	const char *const *devices;
	static struct net net;
	unsigned count;

	if (only && strtol(only, NULL, 10) != _i)
		return;
	test_log_nothing();
	carrier_fake.open((unsigned)_i, &devices, &count);
	fake = fake_cl_start(FAKE_CL_DRIVER, getenv("PENSTOCK_FAKE_CL"), NULL);
	run_exchange = NULL; /* no traces */
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		const char *replay = suite_replay("CK_RUN_CASE=failures", _i, seed);

		test_guard(replay, seed);
		if (!net_make_random(&net, &kinds[seed % PROVEN].switches, seed, devices, count) ||
			oracle_never_ends(&net))
			continue;
		if (seed / PROVEN % 2)
			guard_all(&net);
		fail_at_random((unsigned)_i, &net, seed / PROVEN % 2, replay);
	}
	pstk_set_log(NULL, NULL);
	printf("%s: %u networks failed, %u moves did not come about, %u firings went on elsewhere\n",
		carrier_fake.name((unsigned)_i), failed, stayed, failed_over);
	ck_assert(rounds < ROUNDS || failed + failed_over > 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random_move_fake");

	suite_add(suite, &carrier_fake, kinds, TEST_COUNT(kinds));
	tcase_add_loop_test(test_case(suite, "failures"), fails_at_any_time, 0, (int)carrier_fake.ways);
	return test_main(suite);
}
