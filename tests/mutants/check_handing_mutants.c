/* SPDX-License-Identifier: MIT */
/*
 * The tests must see a pipeline beside a team whose items are handed over, or lent windows, wrongly. This program is
 * built once for each mutant, and once without a fault. `mutant` says which. They are the faults of these numbers of
 * the model handing.pml: HAND_NO_TAKERS 1, HAND_NO_WAKE 9, HAND_NO_NUDGE 12, HAND_AS_BEFORE 16, HAND_TOO_MANY 18,
 * HAND_LENT_TWICE 20.
 */
#include "lib/base/clock.h"
#include "lib/schedule/team_member.h"
#include "tests/common/common.h"
#include "tests/mutants/mutants.h"
#include "tests/pipeline/switch_net.h"

#include <errno.h>
#include <sched.h>

/* a mutated file says otherwise */
enum mutant mutant __attribute__((weak)) = NO_FAULT;

/* Of what must not happen, and is waited for all the same. */
#define A_WHILE_NS 300000000u

static struct switch_net n;
static atomic_bool holds;                     /* a carrier is held where it looks for an item */
static _Atomic uint64_t held, released, seen; /* seen: what this program looks for */

static void make(uint64_t tokens, const char *configuration, unsigned team)
{
	n = (struct switch_net){ .tokens = tokens, .configuration = configuration, .team = team };
	atomic_store(&holds, false);
	atomic_store(&held, 0);
	atomic_store(&released, 0);
	atomic_store(&seen, 0);
}

static void start(void)
{
	switch_build(&n);
	ck_assert_int_eq(pstk_network_start(n.net), 0);
}

static void end(bool wrong)
{
	ck_assert_int_eq(atomic_load(&seen) > 0, wrong);
	pstk_network_destroy(n.net);
}

static void wait_a_while(const _Atomic uint64_t *for_it)
{
	uint64_t until = ps_clock_ns() + A_WHILE_NS;

	while (!atomic_load(for_it) && ps_clock_ns() < until)
		sched_yield();
}

/* What waits for ever is aborted; without a fault it comes. */
static void run(bool wrong)
{
	start();
	if (pstk_network_wait_for(n.net, wrong ? A_WHILE_NS : 60 * UINT64_C(1000000000))) {
		atomic_store(&seen, 1);
		pstk_network_abort(n.net);
	}
	pstk_network_wait(n.net);
}

void mutant_before_handed(struct ps_carriage *c, unsigned carrier)
{
	(void)c;
	if (!atomic_load(&holds) || carrier != 2)
		return;
	atomic_fetch_add(&held, 1);
	test_await(&released, 1);
}

/* -- carriers are woken, and nudge -- */

START_TEST(through)
{
	make(20, "MG:000", 2);
	run(mutant == HAND_NO_WAKE);
	end(mutant == HAND_NO_WAKE);
}
END_TEST

/* The member finds the end with the only item in flight, and sleeps: nothing else wakes it, for the source has ended
 * and the sink goes on only when the pipeline has. */
static int hold_it(struct switch_net *net, unsigned stage, uint64_t item)
{
	const struct ps_task *source = net->net->actors[0]->task, *own = net->run->task;

	(void)item;
	while (stage == 1 && !pstk_network_failed(net->net) &&
		!(atomic_load(&source->ended) && atomic_load(&own->ending) && ps_team_rests(net->net)))
		sched_yield();
	return PSTK_AGAIN;
}

static void await_end(struct switch_net *net, uint64_t token)
{
	(void)token;
	while (!atomic_load(&net->run->task->ended) && !pstk_network_failed(net->net))
		sched_yield();
}

START_TEST(the_last)
{
	bool wrong = mutant == HAND_NO_NUDGE;
	unsigned tries = wrong ? 50 : 1; /* a member that is still at its last look finds the end by itself */

	for (;;) {
		make(1, "MG:000", 1);
		n.stage = hold_it;
		n.sink = await_end;
		run(wrong);
		if (atomic_load(&seen) || !--tries)
			break;
		pstk_network_destroy(n.net);
	}
	end(wrong);
}
END_TEST

/* -- a carrier that was a taker before the boundary -- */

static int see_stranger(struct switch_net *net, unsigned stage, uint64_t item)
{
	(void)stage;
	(void)item;
	if (ps_carrier_current->index >= net->run->conductor.phase.setting.takers)
		atomic_store(&seen, 1);
	return PSTK_AGAIN;
}

/* The third carrier is held, a taker until then. */
static void ask_and_release(struct switch_net *net, uint64_t token)
{
	if (token)
		return;
	test_await(&held, 1);
	switch_to(net, "MG:000");
	switch_await(net, "MG:000");
}

static int release_later(struct switch_net *net, unsigned stage, uint64_t item)
{
	if (item == 0 && stage == 0) {
		/* while the only taker has this item, the next one is handed */
		while (atomic_load(&net->run->handed) < 2 && !pstk_network_failed(net->net))
			sched_yield();
		atomic_store(&released, 1);
		wait_a_while(&seen);
	}
	return see_stranger(net, stage, item);
}

START_TEST(a_stranger)
{
	make(20, "CG:000:3", 2);
	atomic_store(&holds, true);
	n.source = ask_and_release;
	n.stage = release_later;
	start();
	pstk_network_wait(n.net);
	end(mutant == HAND_NO_TAKERS);
}
END_TEST

/* -- members -- */

static int see_member(struct switch_net *net, unsigned stage, uint64_t item)
{
	if (item == 3 && stage == 0)
		switch_to(net, "MG:000");
	if (net->run->conductor.phase.setting.configuration.medium_grain && ps_member_current)
		atomic_store(&seen, 1);
	return PSTK_AGAIN;
}

START_TEST(as_before)
{
	make(50, "CG:000:2", 2);
	n.stage = see_member;
	start();
	pstk_network_wait(n.net);
	end(mutant == HAND_AS_BEFORE);
}
END_TEST

/* The first item waits for another one beside it, which may not come. */
static int see_another(struct switch_net *net, unsigned stage, uint64_t item)
{
	uint64_t until = ps_clock_ns() + A_WHILE_NS;

	if (stage != 0 || item != 0)
		return PSTK_AGAIN;
	while (atomic_load(&net->run->task->taken) < 2 && ps_clock_ns() < until)
		sched_yield();
	if (atomic_load(&net->run->task->taken) >= 2)
		atomic_store(&seen, 1);
	return PSTK_AGAIN;
}

START_TEST(too_many)
{
	make(20, "CG:000:1", 2);
	n.stage = see_another;
	start();
	pstk_network_wait(n.net);
	end(mutant == HAND_TOO_MANY);
}
END_TEST

/* Two items meet, each with windows of its own. */
static _Atomic uint64_t met;
static _Atomic(struct ps_carrier *) lent[2];

static int see_windows(struct switch_net *net, unsigned stage, uint64_t item)
{
	uint64_t own;

	(void)item;
	if (stage != 0 || atomic_load(&met) >= 2)
		return PSTK_AGAIN;
	own = atomic_fetch_add(&met, 1);
	if (own >= 2)
		return PSTK_AGAIN;
	atomic_store(&lent[own], ps_carrier_current);
	while (!atomic_load(&lent[!own]) && !pstk_network_failed(net->net))
		sched_yield();
	if (atomic_load(&lent[0]) != atomic_load(&lent[1]))
		return PSTK_AGAIN;
	atomic_store(&seen, 1);
	return -EIO; /* nothing of them is of any use */
}

START_TEST(lent_twice)
{
	test_log_nothing();
	make(20, "CG:000:2", 2);
	atomic_store(&met, 0);
	n.stage = see_windows;
	start();
	pstk_network_wait(n.net);
	end(mutant == HAND_LENT_TWICE);
}
END_TEST

/* Those that a test is for, and a fault that it does not see; and none. */
static bool is_any(enum mutant one, enum mutant other)
{
	return mutant == one || mutant == other || mutant == NO_FAULT;
}

int main(void)
{
	Suite *suite = suite_create("handing_mutants");
	TCase *c = test_case(suite, "mutants");

	if (TEST_SANITIZED && mutant == HAND_LENT_TWICE) /* the fault itself is a data race */
		return 77;
	if (is_any(HAND_NO_WAKE, HAND_TOO_MANY))
		tcase_add_test(c, through);
	if (is_any(HAND_NO_NUDGE, HAND_TOO_MANY))
		tcase_add_test(c, the_last);
	if (is_any(HAND_NO_TAKERS, HAND_TOO_MANY))
		tcase_add_test(c, a_stranger);
	if (is_any(HAND_AS_BEFORE, HAND_NO_TAKERS))
		tcase_add_test(c, as_before);
	if (is_any(HAND_TOO_MANY, HAND_NO_WAKE))
		tcase_add_test(c, too_many);
	if (is_any(HAND_LENT_TWICE, HAND_NO_NUDGE))
		tcase_add_test(c, lent_twice);
	return test_main(suite);
}
