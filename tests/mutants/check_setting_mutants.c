/* SPDX-License-Identifier: MIT */
/*
 * The tests must see a pipeline whose setting changes wrongly. This program is built once for each mutant of
 * lib/pipeline, and once without a fault. `mutant` says which. They are the faults of these numbers of the model
 * setting.pml: SWITCH_IN_FLIGHT 1, LATE_DUE 2, NO_WAKE 3, NO_NUDGE 4, TAKES_ON 5, ONE_BY_ONE 6.
 */
#include "tests/common/common.h"
#include "tests/mutants/mutants.h"
#include "tests/pipeline/switch_net.h"

#include <pthread.h>
#include <sched.h>

/* a mutated file says otherwise */
enum mutant mutant __attribute__((weak)) = NO_FAULT;

static struct switch_net n;
static _Atomic uint64_t asked, held, through, meeting;
static _Atomic(const char *) at_change; /* what is asked for there, once */

void mutant_at_change(struct pstk_pipeline *p)
{
	const char *wanted = atomic_exchange(&at_change, NULL);

	(void)p;
	if (wanted)
		switch_to(&n, wanted);
}

static void make(uint64_t tokens, const char *configuration)
{
	n = (struct switch_net){ .tokens = tokens, .configuration = configuration };
	atomic_store(&asked, 0);
	atomic_store(&held, 0);
	atomic_store(&through, 0);
	atomic_store(&meeting, 0);
}

static void start(void)
{
	switch_build(&n);
	ck_assert_int_eq(pstk_network_start(n.net), 0);
}

static void end(void)
{
	ck_assert_uint_eq(n.wrong, 0);
	pstk_network_destroy(n.net);
}

/* An item is held until the setting has changed, where that is wrong; else it goes on, and then it changes. */
static int ask_and_hold(struct switch_net *net, unsigned stage, uint64_t item)
{
	if (item != 2 || stage != 1)
		return PSTK_AGAIN;
	switch_to(net, "CG:000:1");
	if (mutant == SWITCH_IN_FLIGHT)
		switch_await(net, "CG:000:1");
	return PSTK_AGAIN;
}

START_TEST(in_flight)
{
	make(20, "CG:000:2");
	n.stage = ask_and_hold;
	start();
	ck_assert_int_eq(pstk_network_wait(n.net), 0);
	ck_assert_int_eq(n.mixed > 0, mutant == SWITCH_IN_FLIGHT);
	end();
}
END_TEST

/* While one change is made another one is asked for; the source waits for that. */
static void hold_source(struct switch_net *net, uint64_t token)
{
	if (token != 3)
		return;
	while (atomic_load(&net->come) < 3 ||
		!atomic_load(&net->run->task->waits_for)) /* the taker finds nothing */
		sched_yield();
	atomic_store(&at_change, "MG:000");
	switch_to(net, "CG:000:1");
	while (!switch_is(net, "MG:000") && !pstk_network_failed(net->net) && !atomic_load(&asked))
		sched_yield();
}

/* What waits for ever has half a second, then it is aborted; without a fault it comes at last. */
static void judge(bool wrong)
{
	bool is = false;

	if (wrong) {
		is = pstk_network_wait_for(n.net, 500000000) != 0;
		atomic_store(&asked, 1); /* the source goes on */
		pstk_network_abort(n.net);
	}
	pstk_network_wait(n.net);
	ck_assert_int_eq(is, wrong);
}

START_TEST(asked_while_it_changes)
{
	make(20, "CG:000:2");
	n.source = hold_source;
	start();
	judge(mutant == SWITCH_LATE_DUE || mutant == SWITCH_NO_NUDGE);
	end();
}
END_TEST

/* Items meet, so each has a carrier of its own. */
static int meet(struct switch_net *net, unsigned stage, uint64_t item)
{
	if (stage == 1 && item >= 6 && item < 9) {
		atomic_fetch_add(&meeting, 1);
		while (atomic_load(&meeting) < 3 && !atomic_load(&asked))
			sched_yield();
	}
	(void)net;
	return PSTK_AGAIN;
}

/* One carrier takes items; the others sleep. The one asks for them, and is held before the change comes. */
static int ask_for_more(struct switch_net *net, unsigned stage, uint64_t item)
{
	if (item == 3 && stage == 0) {
		switch_to(net, "CG:000:3");
		atomic_store(&held, 1);
		test_await(&through, 1);
	}
	return meet(net, stage, item);
}

START_TEST(sleepers)
{
	bool wrong = mutant == SWITCH_NO_WAKE;

	make(9, "CG:000:1");
	n.stage = ask_for_more;
	start();
	test_await(&held, 1);
	if (wrong) /* what was asked for has woken the sleepers, too: they find nothing, and sleep again */
		ck_assert_int_ne(pstk_network_wait_for(n.net, 500000000), 0);
	atomic_store(&through, 1);
	judge(wrong);
	end();
}
END_TEST

/* A boundary with an item in flight; behind it items meet. */
static int hold_for_boundary(struct switch_net *net, unsigned stage, uint64_t item)
{
	if (item == 2 && stage == 1) {
		switch_to(net, "CG:000:3");
		atomic_store(&held, 1);
		while (atomic_load(&net->run->task->most) != 1) /* the taker is there */
			sched_yield();
	}
	return meet(net, stage, item);
}

/* The other carrier has nothing to do but to come there. */
static void give_few(struct switch_net *net, uint64_t token)
{
	(void)net;
	if (token == 4)
		test_await(&held, 1);
}

START_TEST(side_by_side)
{
	make(9, "CG:000:2");
	n.stage = hold_for_boundary;
	n.source = give_few;
	start();
	judge(mutant == SWITCH_ONE_BY_ONE);
	end();
}
END_TEST

/* The first carrier holds an item until the other one waits at the boundary. */
static int hold_first(struct switch_net *net, unsigned stage, uint64_t item)
{
	(void)item;
	if (stage != 0 || atomic_load(&asked))
		return PSTK_AGAIN;
	if (ps_carrier_current->index) {
		test_await(&held, 1);
		return PSTK_AGAIN;
	}
	atomic_store(&held, 1);
	test_await(&through, 1); /* the source has given all before the switch */
	switch_to(net, "CG:000:1");
	while (atomic_load(&net->run->task->most) != 1)
		sched_yield();
	atomic_store(&asked, 1);
	return PSTK_AGAIN;
}

static void give_some(struct switch_net *net, uint64_t token)
{
	if (token != 4)
		return;
	(void)net;
	atomic_store(&through, 1);
	test_await(&asked, 1);
}

START_TEST(takes_on)
{
	make(200, "CG:000:2");
	n.stage = hold_first;
	n.source = give_some;
	start();
	ck_assert_int_eq(pstk_network_wait(n.net), 0);
	ck_assert_int_eq(n.strangers > 0, mutant == SWITCH_TAKES_ON);
	end();
}
END_TEST

static int end_at_7(struct switch_net *net, unsigned stage, uint64_t item)
{
	(void)net;
	return item == 7 && stage == 1 ? PSTK_DONE : PSTK_AGAIN;
}

START_TEST(a_stage_ends)
{
	make(20, "CG:000:2");
	n.stage = end_at_7;
	start();
	ck_assert_int_eq(pstk_network_wait(n.net), 0);
	ck_assert_uint_eq(n.come, mutant == ITEM_DONE ? 20 : 8);
	end();
}
END_TEST

START_TEST(windows)
{
	make(200, "CG:000:2");
	start();
	ck_assert_int_eq(pstk_network_wait(n.net), 0);
	ck_assert_int_eq(n.run->conductor.monitor.windows == 0, mutant == ITEM_UNTOLD);
	end();
}
END_TEST

static struct ps_token token;
static _Atomic uint64_t got;

static void *wait_for_token(void *data)
{
	(void)data;
	ps_token_wait(&token);
	atomic_store(&got, 1);
	ps_token_give(&token);
	return NULL;
}

START_TEST(a_place)
{
	pthread_t thread;

	atomic_store(&got, 0);
	ck_assert_int_eq(ps_token_init(&token), 0);
	ck_assert(ps_token_try(&token));
	ck_assert_int_eq(ps_token_try(&token), mutant == TOKEN_TRY);
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_token, NULL), 0);
	if (mutant == TOKEN_NO_WAIT)
		test_await(&got, 1);
	else
		ck_assert_uint_eq(got, 0);
	ps_token_give(&token);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(got, 1);
	ps_token_fini(&token);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("setting_mutants");
	TCase *c = test_case(suite, "mutants");
	bool in_order = mutant != SWITCH_IN_FLIGHT; /* whose items are anyhow is no good for anything else */

	if (mutant != SWITCH_NO_NUDGE && mutant != SWITCH_TAKES_ON)
		tcase_add_test(c, in_flight);
	if (in_order && mutant != SWITCH_TAKES_ON && mutant != SWITCH_ONE_BY_ONE)
		tcase_add_test(c, asked_while_it_changes);
	if (in_order && mutant != SWITCH_TAKES_ON)
		tcase_add_test(c, sleepers);
	if (in_order && mutant != SWITCH_NO_WAKE && mutant != SWITCH_TAKES_ON && mutant != SWITCH_NO_NUDGE)
		tcase_add_test(c, side_by_side);
	if (in_order && mutant != SWITCH_NO_WAKE && mutant != SWITCH_NO_NUDGE)
		tcase_add_test(c, takes_on);
	tcase_add_test(c, a_stage_ends);
	if (mutant != SWITCH_TAKES_ON)
		tcase_add_test(c, windows);
	tcase_add_test(c, a_place);
	return test_main(suite);
}
