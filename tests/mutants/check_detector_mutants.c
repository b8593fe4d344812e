/* SPDX-License-Identifier: MIT */
/*
 * The tests must see a detector that is wrong. This program is built once for each mutant of detector.c, and once
 * without a fault. `mutant` says which.
 */
#include "lib/firing/task.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"
#include "tests/mutants/mutants.h"
#include "tests/random/node.h"

#include <errno.h>
#include <sched.h>

/* a mutated file says otherwise */
enum mutant mutant __attribute__((weak)) = NO_FAULT;

static atomic_bool forcing;
static _Atomic uint64_t here;

/* Between an actor's word and its look, or the other way round: until the other one is here too. */
void mutant_before_look(struct pstk_actor *a)
{
	(void)a;
	if (!atomic_load(&forcing))
		return;
	atomic_fetch_add(&here, 1);
	for (unsigned i = 0; i < 20000 && atomic_load(&here) < 2; i++)
		sched_yield();
}

static _Atomic(struct pstk_fifo *) awaited;
static _Atomic uint64_t open;

/* Of the test below that has them. */
static _Atomic(struct pstk_actor *) judged;
static _Atomic bool looks;

/* The thread that judges a team says where the team's actor waits. Meanwhile another actor begins to wait, and looks at
 * that waits-for .. */
static void wait_for_a_look(void)
{
	struct pstk_actor *a = atomic_load(&judged);

	if (!a || !atomic_load(&a->task->waits_for))
		return;
	atomic_store(&open, 1);
	for (unsigned i = 0; i < 20000 && !atomic_load(&looks); i++)
		sched_yield();
}

/* .. twice, but the second time it is gone. */
void mutant_before_blocked(void)
{
	struct pstk_actor *a = atomic_exchange(&judged, NULL);

	if (!a)
		return;
	atomic_store(&looks, true);
	while (atomic_load(&a->task->waits_for))
		sched_yield();
}

/* The input that keeps the verdict open has its window before anything is made of that. */
void mutant_after_verdict(bool undecided)
{
	struct pstk_fifo *f = undecided ? atomic_exchange(&awaited, NULL) : NULL;
	struct pstk_fifo_info info = { 0 };

	wait_for_a_look();
	if (!f)
		return;
	atomic_store(&open, 1);
	while (!info.written) { /* the guard ends a wait in vain */
		sched_yield();
		ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
	}
}

/* A ring that its source may still end waits; then the source writes, just when that has been found, and goes on for
 * ever inside fire(). Now it is a deadlock, and only the thread that has found the ring can know. */
START_TEST(decided_at_once)
{
	struct node nodes[] = { { .name = "source", .ports = ">out", .fire = "hold", .open = &open },
		{ .name = "a", .ports = "<back <in >out" }, { .name = "b", .ports = "<in >out" } };
	struct pstk_network *net;

	if (mutant != NO_FAULT)
		return;
	net = pstk_network_create("decided");
	pstk_network_set_threads(net, 0); /* each waits by itself, here and below */
	pstk_network_set_flags(net, PSTK_UNCHECKED);
	for (unsigned i = 0; i < 3; i++)
		node_add(net, &nodes[i]);
	atomic_store(&awaited, node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 8));
	node_connect(&nodes[1], "out", &nodes[2], "in", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[1], "back", 1, 0, 0);
	test_log_start();
	ck_assert_int_eq(pstk_network_run(net), -EDEADLK);
	test_log_stop();
	ck_assert_ptr_null(atomic_load(&awaited));
	pstk_network_destroy(net);
}
END_TEST

/* An actor that has a thread of its own begins to wait for a team's actor, just when that one is being judged. The
 * team has to see the deadlock, so it has to look again. */
START_TEST(left_to_the_team)
{
	struct node nodes[] = {
		{ .name = "own", .ports = "<in >out", .kahn = "io", .fire = "hold", .open = &open },
		{ .name = "teamed", .ports = "<in >out" }
	};
	struct pstk_network *net;

	if (mutant != NO_FAULT)
		return;
	net = pstk_network_create("left");
	pstk_network_set_threads(net, 2);
	pstk_network_set_flags(net, PSTK_UNCHECKED);
	for (unsigned i = 0; i < 2; i++)
		node_add(net, &nodes[i]);
	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[0], "in", 1, 0, 0);
	atomic_store(&judged, nodes[1].actor);
	test_log_start();
	ck_assert_int_eq(pstk_network_run(net), -EDEADLK);
	test_log_stop();
	pstk_network_destroy(net);
}
END_TEST

/* Two begin to wait for each other at the same moment. */
START_TEST(at_once)
{
	bool missed = mutant == LATE_WORD;
	struct node nodes[] = { { .name = "a", .ports = "<in >out" }, { .name = "b", .ports = "<in >out" } };
	struct pstk_network *net;

	if (mutant == NO_JUDGE)
		return;
	net = pstk_network_create("pair");
	pstk_network_set_threads(net, 0);
	pstk_network_set_flags(net, PSTK_UNCHECKED);
	for (unsigned i = 0; i < 2; i++)
		node_add(net, &nodes[i]);
	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[0], "in", 1, 0, 0);
	atomic_store(&forcing, true);
	test_log_start();
	ck_assert_int_eq(pstk_network_start(net), 0);
	if (missed) {
		test_await(&here, 2);
		ck_assert_int_eq(pstk_network_wait_for(net, 500000000), -ETIMEDOUT);
	} else {
		ck_assert_int_eq(pstk_network_wait(net), -EDEADLK);
	}
	test_log_stop();
	atomic_store(&forcing, false);
	pstk_network_destroy(net);
}
END_TEST

/* A live chain, whose actors wait for each other in turn: is one alarm heard? */
static bool alarmed(void)
{
	struct simple_chain chain;
	bool alarm;
	int err;

	simple_chain(&chain, 3, 3000, 1, 0, 1);
	pstk_network_set_threads(chain.net, 0);
	err = pstk_network_run(chain.net);
	alarm = err == -EDEADLK;
	ck_assert(!err || alarm);
	pstk_network_destroy(chain.net);
	return alarm;
}

START_TEST(false_alarm)
{
	bool wrong = mutant == NO_JUDGE, alarm = false;

	for (uint64_t round = 0; round < test_rounds(15) || (wrong && !alarm); round++)
		alarm |= alarmed(); /* the guard ends a search in vain */
	ck_assert_int_eq(alarm, wrong);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("detector_mutants");
	TCase *c = test_case(suite, "mutants");

	tcase_add_test(c, at_once);
	tcase_add_test(c, false_alarm);
	tcase_add_test(c, decided_at_once);
	tcase_add_test(c, left_to_the_team);
	return test_main(suite);
}
