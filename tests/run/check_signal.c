/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM: they stop, abort and end. Each test in a child process of its own. */
#include "tests/common/child.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- stop, abort, end
 * ---------------------------------------------------------------------------------------------------- */

/* A chain that runs for ever drains on the first signal; all that the source gave arrives. */
static void body_drain(int expected_signal)
{
	struct simple_chain chain;

	simple_chain(&chain, 3, SIMPLE_ALL, 3, 2, 2);
	CHILD_NEEDS(pstk_network_handle_signals(chain.net) == 0);
	CHILD_NEEDS(pstk_network_signal(chain.net) == 0);
	CHILD_NEEDS(pstk_network_start(chain.net) == 0);
	test_await(&chain.collect.tokens, 10);
	child_say('r');
	CHILD_NEEDS(pstk_network_wait(chain.net) == 0);
	CHILD_NEEDS(pstk_network_signal(chain.net) == expected_signal);
	CHILD_NEEDS(chain.collect.tokens == chain.count.given + 8);
	CHILD_NEEDS(chain.collect.wrong == 0);
	CHILD_NEEDS(!pstk_network_failed(chain.net));
	pstk_network_destroy(chain.net);
}

static void body_drain_int(void)
{
	body_drain(SIGINT);
}

static void body_drain_term(void)
{
	body_drain(SIGTERM);
}

START_TEST(test_drain)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = test_rounds(40) + 1; round > 0; round--) {
		bool term = test_chance(&rng, 50);
		struct child child;

		child_start(&child, term ? body_drain_term : body_drain_int);
		child_await(&child, 'r');
		for (uint32_t k = test_between(&rng, 0, 200); k > 0; k--)
			sched_yield();
		ck_assert_int_eq(kill(child.pid, term ? SIGTERM : SIGINT), 0);
		child_exits(&child, CHILD_FINE);
	}
}
END_TEST

/* At any moment, also before or while start() runs. */
static void body_early(void)
{
	struct simple_chain chain;

	simple_chain(&chain, 3, SIMPLE_ALL, 2, 0, 2);
	CHILD_NEEDS(pstk_network_handle_signals(chain.net) == 0);
	child_say('h');
	CHILD_NEEDS(pstk_network_run(chain.net) == 0);
	CHILD_NEEDS(pstk_network_signal(chain.net) == SIGINT);
	CHILD_NEEDS(chain.collect.tokens == chain.count.given);
	CHILD_NEEDS(chain.collect.wrong == 0);
	pstk_network_destroy(chain.net);
}

START_TEST(test_any_moment)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = test_rounds(40) + 1; round > 0; round--) {
		struct child child;

		child_start(&child, body_early);
		child_await(&child, 'h');
		for (uint32_t k = test_between(&rng, 0, 60); k > 0; k--)
			sched_yield();
		ck_assert_int_eq(kill(child.pid, SIGINT), 0);
		child_exits(&child, CHILD_FINE);
	}
}
END_TEST

/* The sink is stuck until a failure: the first signal alone does not end the network. */
static void body_abort(void)
{
	struct simple_chain chain;

	simple_chain_held(&chain, 1, SIMPLE_ALL, 2, 0, 2);
	atomic_store(&chain.collect.allowed, 2);
	CHILD_NEEDS(pstk_network_handle_signals(chain.net) == 0);
	CHILD_NEEDS(pstk_network_start(chain.net) == 0);
	test_await(&chain.count.given, 8); /* the third window is on its way, the sink keeps it */
	child_say('r');
	while (pstk_network_signal(chain.net) == 0)
		sched_yield();
	CHILD_NEEDS(!pstk_network_failed(chain.net));
	child_say('1');
	CHILD_NEEDS(pstk_network_wait(chain.net) == -ECANCELED);
	CHILD_NEEDS(pstk_network_failed(chain.net));
	CHILD_NEEDS(pstk_network_signal(chain.net) == SIGINT); /* the one that stopped it */
	CHILD_NEEDS(*pstk_network_error(chain.net) != '\0');
	pstk_network_destroy(chain.net);
}

START_TEST(test_second_aborts)
{
	static const int second[] = { SIGINT, SIGTERM };

	for (unsigned i = 0; i < TEST_COUNT(second); i++) {
		struct child child;

		child_start(&child, body_abort);
		child_await(&child, 'r');
		ck_assert_int_eq(kill(child.pid, SIGINT), 0);
		child_await(&child, '1');
		ck_assert_int_eq(kill(child.pid, second[i]), 0);
		child_exits(&child, CHILD_FINE);
	}
}
END_TEST

/* An actor that nothing moves: only the third signal helps. */
static int stuck_fire(struct pstk_firing *f)
{
	_Atomic uint64_t *entered = pstk_actor_arg(pstk_firing_actor(f));
	static _Atomic uint64_t never;

	atomic_store(entered, 1);
	test_await(&never, 1);
	return PSTK_DONE;
}

static void body_stuck(void)
{
	struct pstk_network *net = pstk_network_create("stuck");
	_Atomic uint64_t entered = 0;

	pstk_network_add(
		net, "stuck", PSTK_ACTOR_TYPE(.name = "stuck", .blocks = true, .fire = stuck_fire), &entered);
	CHILD_NEEDS(pstk_network_handle_signals(net) == 0);
	CHILD_NEEDS(pstk_network_start(net) == 0);
	test_await(&entered, 1);
	child_say('r');
	while (pstk_network_signal(net) == 0)
		sched_yield();
	child_say('1');
	while (!pstk_network_failed(net))
		sched_yield();
	child_say('2');
	pstk_network_wait(net);
	_exit(CHILD_WRONG);
}

START_TEST(test_third_ends)
{
	struct child child;

	child_start(&child, body_stuck);
	child_await(&child, 'r');
	ck_assert_int_eq(kill(child.pid, SIGTERM), 0);
	child_await(&child, '1');
	ck_assert_int_eq(kill(child.pid, SIGINT), 0);
	child_await(&child, '2');
	ck_assert_int_eq(kill(child.pid, SIGINT), 0);
	child_exits(&child, 130);
}
END_TEST

/* Without the call the signals do what they always did. */
static void body_not_asked(void)
{
	struct simple_chain chain;

	simple_chain(&chain, 1, SIMPLE_ALL, 2, 0, 2);
	CHILD_NEEDS(pstk_network_start(chain.net) == 0);
	child_say('r');
	pstk_network_wait(chain.net);
}

START_TEST(test_not_asked)
{
	struct child child;
	int status;

	child_start(&child, body_not_asked);
	child_await(&child, 'r');
	ck_assert_int_eq(kill(child.pid, SIGINT), 0);
	status = child_status(&child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}
END_TEST

/* -- the former handlers
 * -------------------------------------------------------------------------------------------------- */

static const int handled[] = { SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static volatile sig_atomic_t former_calls;

static void former(int number)
{
	(void)number;
	former_calls++;
}

static void needs_handlers(void (*const *expected)(int))
{
	for (unsigned i = 0; i < TEST_COUNT(handled); i++) {
		struct sigaction action;

		CHILD_NEEDS(sigaction(handled[i], NULL, &action) == 0);
		CHILD_NEEDS(action.sa_handler == expected[i]);
	}
}

static void body_restored(void)
{
	void (*expected[TEST_COUNT(handled)])(int);
	struct simple_chain chains[2];

	for (unsigned i = 0; i < TEST_COUNT(handled); i++) {
		expected[i] = i % 3 == 0 ? former : i % 3 == 1 ? SIG_IGN : SIG_DFL;
		CHILD_NEEDS(signal(handled[i], expected[i]) != SIG_ERR);
	}
	for (unsigned i = 0; i < 2; i++) {
		simple_chain(&chains[i], 1, SIMPLE_ALL, 2, 0, 2);
		CHILD_NEEDS(pstk_network_handle_signals(chains[i].net) == 0);
		CHILD_NEEDS(pstk_network_handle_signals(chains[i].net) == 0);
	}
	CHILD_NEEDS(pstk_network_start(chains[0].net) == 0);
	CHILD_NEEDS(pstk_network_start(chains[1].net) == 0);
	CHILD_NEEDS(raise(SIGTERM) == 0); /* stops both */
	for (unsigned i = 0; i < 2; i++) {
		CHILD_NEEDS(pstk_network_wait(chains[i].net) == 0);
		CHILD_NEEDS(pstk_network_signal(chains[i].net) == SIGTERM);
	}
	pstk_network_destroy(chains[0].net);
	CHILD_NEEDS(former_calls == 0);
	pstk_network_destroy(chains[1].net);
	needs_handlers((void (*const *)(int))expected);
	CHILD_NEEDS(raise(SIGINT) == 0);
	CHILD_NEEDS(former_calls == 1);
}

START_TEST(test_restored)
{
	struct child child;

	child_start(&child, body_restored);
	child_exits(&child, CHILD_FINE);
}
END_TEST

/* Each network counts its own signals; when all have ended a signal does what it did before. */
static void body_one_after_another(void)
{
	struct simple_chain chains[3];

	CHILD_NEEDS(signal(SIGINT, former) != SIG_ERR);
	for (unsigned i = 0; i < 3; i++) {
		simple_chain(&chains[i], 1, SIMPLE_ALL, 2, 0, 2);
		CHILD_NEEDS(pstk_network_handle_signals(chains[i].net) == 0);
		CHILD_NEEDS(pstk_network_start(chains[i].net) == 0);
		CHILD_NEEDS(raise(SIGINT) == 0);
		CHILD_NEEDS(pstk_network_wait(chains[i].net) == 0);
		CHILD_NEEDS(pstk_network_signal(chains[i].net) == SIGINT);
	}
	CHILD_NEEDS(former_calls == 0);
	CHILD_NEEDS(raise(SIGINT) == 0);
	CHILD_NEEDS(former_calls == 1);
	for (unsigned i = 0; i < 3; i++)
		pstk_network_destroy(chains[i].net);
}

/* A signal that comes after the end has stopped nothing. */
static void body_after_the_end(void)
{
	struct simple_chain chain;

	simple_chain(&chain, 1, 10, 2, 0, 2);
	CHILD_NEEDS(signal(SIGTERM, SIG_IGN) != SIG_ERR);
	CHILD_NEEDS(pstk_network_handle_signals(chain.net) == 0);
	CHILD_NEEDS(pstk_network_run(chain.net) == 0);
	CHILD_NEEDS(raise(SIGTERM) == 0);
	CHILD_NEEDS(pstk_network_signal(chain.net) == 0);
	CHILD_NEEDS(raise(SIGINT) == 0); /* SIG_DFL: the end */
	_exit(CHILD_WRONG);
}

static int signal_finish(struct pstk_actor *self)
{
	(void)self;
	CHILD_NEEDS(raise(SIGINT) == 0); /* SIG_DFL before: must not cut this off */
	return 0;
}

static int once_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static void body_in_finish(void)
{
	struct pstk_network *net = pstk_network_create("finish");

	pstk_network_add(
		net, "a", PSTK_ACTOR_TYPE(.name = "t", .fire = once_fire, .finish = signal_finish), NULL);
	CHILD_NEEDS(pstk_network_handle_signals(net) == 0);
	CHILD_NEEDS(pstk_network_run(net) == 0);
	CHILD_NEEDS(pstk_network_signal(net) == 0); /* it had ended by itself */
	pstk_network_destroy(net);
}

static void note(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	former_calls += number == SIGTERM;
}

/* A former handler with three arguments. */
static void body_former_siginfo(void)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
	struct simple_chain chain;

	CHILD_NEEDS(sigaction(SIGTERM, &action, NULL) == 0);
	simple_chain(&chain, 1, 10, 2, 0, 2);
	CHILD_NEEDS(pstk_network_handle_signals(chain.net) == 0);
	CHILD_NEEDS(pstk_network_run(chain.net) == 0);
	CHILD_NEEDS(raise(SIGTERM) == 0);
	CHILD_NEEDS(former_calls == 1);
	pstk_network_destroy(chain.net);
}

START_TEST(test_counted_by_network)
{
	struct child child;
	int status;

	child_start(&child, body_one_after_another);
	child_exits(&child, CHILD_FINE);
	child_start(&child, body_in_finish);
	child_exits(&child, CHILD_FINE);
	child_start(&child, body_former_siginfo);
	child_exits(&child, CHILD_FINE);
	child_start(&child, body_after_the_end);
	status = child_status(&child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}
END_TEST

static void body_many(void)
{
	struct pstk_network *nets[17];

	for (unsigned i = 0; i < 17; i++)
		CHILD_NEEDS((nets[i] = pstk_network_create("many")) != NULL);
	for (unsigned i = 0; i < 16; i++)
		CHILD_NEEDS(pstk_network_handle_signals(nets[i]) == 0);
	CHILD_NEEDS(pstk_network_handle_signals(nets[16]) == -EBUSY);
	pstk_network_destroy(nets[3]);
	CHILD_NEEDS(pstk_network_handle_signals(nets[16]) == 0);
	for (unsigned i = 0; i < 17; i++)
		if (i != 3)
			pstk_network_destroy(nets[i]);
	CHILD_NEEDS(pstk_network_handle_signals(NULL) == -EINVAL);
	CHILD_NEEDS(pstk_network_signal(NULL) == 0);
}

START_TEST(test_many_networks)
{
	struct child child;

	child_start(&child, body_many);
	child_exits(&child, CHILD_FINE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("signals");
	TCase *stop = test_case(suite, "stop"), *handlers = test_case(suite, "handlers");

	tcase_add_test(stop, test_drain);
	tcase_add_test(stop, test_any_moment);
	tcase_add_test(stop, test_second_aborts);
	tcase_add_test(stop, test_third_ends);
	tcase_add_test(stop, test_not_asked);
	tcase_add_test(handlers, test_restored);
	tcase_add_test(handlers, test_many_networks);
	tcase_add_test(handlers, test_counted_by_network);
	return test_main(suite);
}
