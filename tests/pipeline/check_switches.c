/* SPDX-License-Identifier: MIT */
/* Settings that change while items flow: at any moment, asked for by any thread, with the end of the stream. */
#include "lib/base/memory.h"
#include "tests/common/common.h"
#include "tests/pipeline/switch_net.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>

/* NULL: adaptive */
static const char *const settings[] = { "CG:000:1", "CG:000:2", "CG:000:3", "MG:000", "baseline", NULL };

/* Threads of the team; 0: there is none. Items of the cores are fired by its members, or carriers, or both in turn. */
static const unsigned teams[] = { 0, 1, 2, 4 };
enum { TEAMS = TEST_COUNT(teams) };

static struct switch_net n;

static void make(uint64_t tokens, const char *configuration)
{
	n = (struct switch_net){ .tokens = tokens, .configuration = configuration };
	n.spec.repetitions = 1;
	n.spec.max_overhead = 1; /* it may train at any time */
}

static void start(void)
{
	switch_build(&n);
	ck_assert_int_eq(pstk_network_start(n.net), 0);
}

static void expect(int err)
{
	ck_assert_int_eq(switch_finish(&n), err);
	pstk_network_destroy(n.net);
}

/* -- at any moment -- */

static void begin_asking(struct switch_asker *a, unsigned count, uint64_t seed)
{
	const struct switch_asker as = {
		.net = &n, .settings = settings, .setting_count = TEST_COUNT(settings), .seed = seed
	};

	switch_begin_asking(a, count, &as);
}

/* One thread asks, or two; a thread an actor, or a team; the clock counts, or is real. */
START_TEST(any_moment)
{
	for (uint64_t round = 0, seed = test_seed(); round < test_rounds(10); round++, seed++) {
		struct test_rng rng = { .state = test_mix(seed) };
		struct switch_asker a[2];

		test_guard("switches", seed);
		make(test_between(&rng, 1, 400), settings[test_between(&rng, 0, TEST_COUNT(settings) - 1)]);
		n.team = teams[_i % TEAMS];
		n.spec.in_flight = test_chance(&rng, 30) ? 2 : 0;
		if (test_chance(&rng, 70))
			switch_clock_virtual();
		start();
		begin_asking(a, _i / TEAMS ? 2 : 1, seed);
		ck_assert_int_eq(pstk_network_wait(n.net), 0);
		switch_end_asking(a, _i / TEAMS ? 2 : 1);
		ck_assert_uint_eq(n.come, n.tokens);
		expect(0);
		switch_clock_real();
	}
}
END_TEST

/* -- while the taker waits for a window -- */

static const struct {
	const char *from, *to;
} steps[] = { { "CG:000:1", "CG:000:3" }, { "CG:000:3", "CG:000:1" }, { "CG:000:2", "MG:000" },
	{ "MG:000", "CG:000:2" } };

/* The source gives no further window before the switch is made: once, and back. */
static void hold_until_made(struct switch_net *net, uint64_t token)
{
	unsigned which = *(unsigned *)net->data;

	if (token != 5 && token != 6)
		return;
	while (atomic_load(&net->come) < token)
		sched_yield();
	switch_to(net, token == 5 ? steps[which].to : steps[which].from);
	switch_await(net, token == 5 ? steps[which].to : steps[which].from);
}

START_TEST(source_waits)
{
	unsigned which = (unsigned)_i / TEAMS;

	make(12, steps[which].from);
	n.data = &which;
	n.team = teams[_i % TEAMS];
	n.source = hold_until_made;
	start();
	expect(0);
	ck_assert_uint_eq(n.come, 12);
}
END_TEST

/* Sleepers come: items meet, so each needs a carrier of its own. */
static _Atomic uint64_t meeting;

static int meet(struct switch_net *net, unsigned stage, uint64_t item)
{
	if (stage == 1 && item >= 6 && item < 9) {
		atomic_fetch_add(&meeting, 1);
		test_await(&meeting, 3);
	}
	(void)net;
	return PSTK_AGAIN;
}

static void give_then_ask(struct switch_net *net, uint64_t item)
{
	if (item == 3)
		switch_to(net, "CG:000:3");
}

START_TEST(sleepers_come)
{
	atomic_store(&meeting, 0);
	make(9, "CG:000:1");
	n.team = teams[_i];
	n.stage = meet;
	n.source = give_then_ask;
	start();
	expect(0);
	ck_assert_uint_eq(n.come, 9);
}
END_TEST

/* -- with the end -- */

enum moment { IN_SOURCE, IN_FIRST, IN_LAST, IN_SINK, MOMENTS };

static enum moment when;
static const char *wanted;

static void ask_at(enum moment moment, struct switch_net *net)
{
	if (moment == when)
		switch_to(net, wanted);
}

static void last_of_source(struct switch_net *net, uint64_t token)
{
	if (token + 1 == net->tokens)
		ask_at(IN_SOURCE, net);
}

static int last_of_stage(struct switch_net *net, unsigned stage, uint64_t item)
{
	if (item + 1 == net->tokens && stage != 1)
		ask_at(stage ? IN_LAST : IN_FIRST, net);
	return PSTK_AGAIN;
}

static void last_of_sink(struct switch_net *net, uint64_t token)
{
	if (token + 1 == net->tokens)
		ask_at(IN_SINK, net);
}

START_TEST(with_the_last_item)
{
	for (unsigned i = 0; i < TEST_COUNT(settings); i++)
		for (unsigned tokens = 1; tokens < 5; tokens++) {
			make(tokens, i % 2 ? "CG:000:3" : "CG:000:1");
			when = (enum moment)(_i / TEAMS);
			wanted = settings[i];
			n.team = teams[_i % TEAMS];
			n.source = last_of_source;
			n.stage = last_of_stage;
			n.sink = last_of_sink;
			start();
			expect(0);
			ck_assert_uint_eq(n.come, tokens);
		}
}
END_TEST

/* A stage ends the pipeline, or fails, while others carry items and a switch is asked for. */
static int ends_with;

static int end_in_stage(struct switch_net *net, unsigned stage, uint64_t item)
{
	if (item >= 3 && stage == 0)
		switch_to(net, settings[item % TEST_COUNT(settings)]);
	return item == 7 && stage == 1 ? ends_with : PSTK_AGAIN;
}

START_TEST(ended_by_a_stage)
{
	for (unsigned i = 0; i < TEST_COUNT(settings); i++) {
		make(1000, settings[i]);
		ends_with = _i / TEAMS ? -EIO : PSTK_DONE;
		n.team = teams[_i % TEAMS];
		n.stage = end_in_stage;
		start();
		expect(_i / TEAMS ? -EIO : 0);
		if (_i / TEAMS)
			ck_assert_uint_le(n.come, 7);
		else
			ck_assert_uint_eq(n.come, 8);
	}
}
END_TEST

/* Stop: what was given arrives. Abort: it ends. */
START_TEST(stopped)
{
	for (uint64_t round = 0, seed = test_seed(); round < test_rounds(8); round++, seed++) {
		struct test_rng rng = { .state = test_mix(seed) };
		struct switch_asker a;

		test_guard("stopped", seed);
		make(UINT64_MAX, settings[test_between(&rng, 0, TEST_COUNT(settings) - 1)]);
		n.team = teams[_i % TEAMS];
		start();
		begin_asking(&a, 1, seed);
		for (uint64_t until = test_between(&rng, 0, 200); atomic_load(&n.come) < until;)
			sched_yield();
		if (_i / TEAMS)
			pstk_network_abort(n.net);
		else
			pstk_network_stop(n.net);
		pstk_network_wait(n.net);
		switch_end_asking(&a, 1);
		if (_i / TEAMS) {
			switch_finish(&n);
		} else {
			ck_assert_int_eq(switch_finish(&n), 0);
			ck_assert_uint_eq(n.come, n.given);
		}
		pstk_network_destroy(n.net);
	}
}
END_TEST

/* -- what it takes: nothing -- */

START_TEST(takes_nothing)
{
	struct switch_asker a;
	long before;

	make(3000, settings[_i / TEAMS]);
	n.team = teams[_i % TEAMS];
	switch_clock_virtual();
	start();
	while (!atomic_load(&n.given))
		sched_yield();
	ps_memory_fail_at = LONG_MAX; /* none fails, but it counts */
	before = ps_memory_fail_at;
	begin_asking(&a, 1, test_seed());
	while (atomic_load(&n.come) < n.tokens)
		sched_yield();
	switch_end_asking(&a, 1);
	ck_assert_int_eq(ps_memory_fail_at, before);
	ps_memory_fail_at = -1;
	expect(0);
	switch_clock_real();
}
END_TEST

/* -- adaptive -- */

/* A training a time: it is asked for, comes, and the pipeline stays with something. */
START_TEST(trainings)
{
	struct pstk_pipeline_report *r;

	make(5000, NULL);
	n.spec.granularities = (enum pstk_granularity)(_i / TEAMS);
	n.team = teams[_i % TEAMS];
	n.spec.max_overhead = 0.5;
	switch_clock_virtual();
	start();
	for (unsigned i = 0; atomic_load(&n.come) < n.tokens; i++) {
		pstk_pipeline_retrain(n.pipeline, NULL, 0);
		sched_yield();
	}
	ck_assert_int_eq(pstk_network_wait(n.net), 0);
	r = pstk_pipeline_get_report(n.pipeline);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_ge(r->trainings, 1);
	ck_assert(r->has_measurements);
	ck_assert_uint_eq(r->on_cores, n.tokens);
	ck_assert_uint_le(r->training_items, n.tokens);
	pstk_pipeline_free_report(r);
	expect(0);
	ck_assert_uint_eq(n.come, 5000);
	switch_clock_real();
}
END_TEST

/* -- places that one item has -- */

static struct ps_token token;
static _Atomic uint64_t inside, most_inside, entered;

static void *enter(void *data)
{
	for (unsigned i = 0; i < 2000; i++) {
		if (data)
			ps_token_wait(&token);
		else if (!ps_token_try(&token))
			continue;
		if (atomic_fetch_add(&inside, 1))
			atomic_store(&most_inside, 2);
		atomic_fetch_add(&entered, 1);
		if (i % 8 == 0)
			sched_yield();
		atomic_fetch_sub(&inside, 1);
		ps_token_give(&token);
	}
	return NULL;
}

START_TEST(one_inside)
{
	pthread_t threads[3];

	ck_assert_int_eq(ps_token_init(&token), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, enter, i ? &token : NULL), 0);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(most_inside, 0);
	ck_assert_uint_ge(entered, 4000);
	ps_token_fini(&token);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("switches");
	TCase *c = test_case(suite, "switches");

	tcase_add_loop_test(c, any_moment, 0, 2 * TEAMS);
	tcase_add_loop_test(c, source_waits, 0, TEAMS * (int)TEST_COUNT(steps));
	tcase_add_loop_test(c, sleepers_come, 0, TEAMS);
	c = test_case(suite, "ends");
	tcase_add_loop_test(c, with_the_last_item, 0, TEAMS * MOMENTS);
	tcase_add_loop_test(c, ended_by_a_stage, 0, 2 * TEAMS);
	tcase_add_loop_test(c, stopped, 0, 2 * TEAMS);
	c = test_case(suite, "costs");
	tcase_add_loop_test(c, takes_nothing, 0, TEAMS * (int)TEST_COUNT(settings));
	tcase_add_loop_test(c, trainings, 0, 3 * TEAMS);
	tcase_add_test(c, one_inside);
	return test_main(suite);
}
