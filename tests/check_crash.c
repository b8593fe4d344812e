/* SPDX-License-Identifier: MIT */
/* Crashes in an actor name it. Each test in a child process of its own. */
#include "tests/child.h"
#include "tests/common.h"
#include "tests/simple.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int zero;
static int *volatile nowhere;

static int null_fire(struct pstk_firing *f)
{
	(void)f;
	*nowhere = 1;
	return PSTK_DONE;
}

static int divide_fire(struct pstk_firing *f)
{
	(void)f;
	zero = 5 / zero;
	return PSTK_DONE;
}

static int abort_fire(struct pstk_firing *f)
{
	(void)f;
	abort();
}

static int illegal_fire(struct pstk_firing *f)
{
	(void)f;
	raise(SIGILL);
	return PSTK_DONE;
}

static const struct {
	int (*fire)(struct pstk_firing *f);
	int number;
} crashes[] = { { null_fire, SIGSEGV }, { divide_fire, SIGFPE }, { abort_fire, SIGABRT },
	{ illegal_fire, SIGILL } };

static unsigned crash;

static void body_crash(void)
{
	struct pstk_network *net = pstk_network_create("crash");
	struct rlimit none = { 0, 0 };
	struct simple_count count = { .tokens = SIMPLE_ALL };
	struct simple_collect collect = { .wanted = SIMPLE_ALL, .allowed = SIMPLE_ALL };
	struct pstk_actor *source = pstk_network_add(net, "innocent", simple_count_type(), &count);
	struct pstk_actor *sink = pstk_network_add(net, "bystander", simple_collect_type(), &collect);

	pstk_connect(source, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	pstk_network_add(
		net, "the culprit", PSTK_ACTOR_TYPE(.name = "crash", .fire = crashes[crash].fire), NULL);
	setrlimit(RLIMIT_CORE, &none);
	CHILD_NEEDS(dup2(child_to_parent, STDERR_FILENO) == STDERR_FILENO);
	close(child_to_parent);
	CHILD_NEEDS(pstk_network_handle_signals(net) == 0);
	pstk_network_run(net);
	_exit(CHILD_WRONG);
}

START_TEST(test_crash)
{
	struct child child;
	char text[4096];
	int status;

	crash = (unsigned)_i;
	child_start(&child, body_crash);
	child_read(&child, text, sizeof(text));
	status = child_status(&child);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == crashes[crash].number,
		"child ended with status 0x%x, not signal %d: %s", (unsigned)status, crashes[crash].number,
		text);
	TEST_SAYS(text, "the culprit");
	ck_assert_ptr_null(strstr(text, "innocent"));
	ck_assert_ptr_null(strstr(text, "bystander"));
}
END_TEST

/* unblock() of the source crashes: on the sink's thread when the sink ends, on the watcher's after a stop. The source is
 * named all the same. */
static bool crash_by_stop;

static void crash_unblock(struct pstk_actor *self)
{
	(void)self;
	*nowhere = 1;
}

static int slow_fire(struct pstk_firing *f)
{
	*(uint64_t *)pstk_fifo_write_start(f, 0) = pstk_firing_index(f);
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static void body_crash_unblock(void)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_network *net = pstk_network_create("crash");
	struct rlimit none = { 0, 0 };
	struct simple_collect collect = { .wanted = crash_by_stop ? SIMPLE_ALL : 1, .allowed = SIMPLE_ALL };
	struct pstk_actor *source = pstk_network_add(net, "the culprit",
		PSTK_ACTOR_TYPE(.name = "t", .ports = &out, .port_count = 1, .fire = slow_fire,
			.unblock = crash_unblock),
		NULL);
	struct pstk_actor *sink = pstk_network_add(net, "bystander", simple_collect_type(), &collect);

	pstk_connect(source, "out", sink, "in", PSTK_FIFO(.rate = 1, .token_size = 8));
	setrlimit(RLIMIT_CORE, &none);
	CHILD_NEEDS(dup2(child_to_parent, STDERR_FILENO) == STDERR_FILENO);
	close(child_to_parent);
	CHILD_NEEDS(pstk_network_handle_signals(net) == 0);
	CHILD_NEEDS(pstk_network_start(net) == 0);
	test_await(&collect.tokens, 1);
	if (crash_by_stop)
		pstk_network_stop(net);
	pstk_network_wait(net);
	_exit(CHILD_FINE); /* the source had ended before it could be unblocked */
}

START_TEST(test_crash_unblock)
{
	bool crashed = false;

	crash_by_stop = _i;
	for (unsigned tries = 0; tries < 200 && !crashed; tries++) {
		struct child child;
		char text[4096];
		int status;

		child_start(&child, body_crash_unblock);
		child_read(&child, text, sizeof(text));
		status = child_status(&child);
		crashed = WIFSIGNALED(status);
		ck_assert(!crashed || WTERMSIG(status) == SIGSEGV);
		if (!crashed)
			continue;
		TEST_SAYS(text, "the culprit");
		ck_assert_ptr_null(strstr(text, "bystander"));
	}
	ck_assert(crashed);
}
END_TEST

/* The program's own crash handler gets the fault itself, not a signal that was sent. */
static void report_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	_exit(info->si_code > 0 && info->si_addr == (void *)0x10 ? CHILD_FINE : CHILD_WRONG);
}

static int far_fire(struct pstk_firing *f)
{
	(void)f;
	*((int *volatile)nowhere + 4) = 1;
	return PSTK_DONE;
}

static void body_fault_address(void)
{
	struct sigaction action = { .sa_sigaction = report_fault, .sa_flags = SA_SIGINFO };
	struct pstk_network *net = pstk_network_create("fault");

	CHILD_NEEDS(sigaction(SIGSEGV, &action, NULL) == 0);
	pstk_network_add(net, "a", PSTK_ACTOR_TYPE(.name = "t", .fire = far_fire), NULL);
	CHILD_NEEDS(pstk_network_handle_signals(net) == 0);
	pstk_network_run(net);
	_exit(CHILD_WRONG);
}

START_TEST(test_fault_address)
{
	struct child child;

	child_start(&child, body_fault_address);
	child_exits(&child, CHILD_FINE);
}
END_TEST

/* A crash outside an actor dies as ever, and names none. */
static void body_crash_outside(void)
{
	struct simple_chain chain;
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	CHILD_NEEDS(dup2(child_to_parent, STDERR_FILENO) == STDERR_FILENO);
	close(child_to_parent);
	simple_chain(&chain, 1, SIMPLE_ALL, 2, 0, 2);
	CHILD_NEEDS(pstk_network_handle_signals(chain.net) == 0);
	CHILD_NEEDS(pstk_network_start(chain.net) == 0);
	abort();
}

START_TEST(test_crash_outside)
{
	struct child child;
	char text[4096];
	int status;

	child_start(&child, body_crash_outside);
	child_read(&child, text, sizeof(text));
	status = child_status(&child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	ck_assert_ptr_null(strstr(text, "count"));
	ck_assert_ptr_null(strstr(text, "relay0"));
	ck_assert_ptr_null(strstr(text, "collect"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("crash");
	TCase *c = test_case(suite, "crash");

	tcase_add_test(c, test_fault_address);
	if (!TEST_SANITIZED) { /* sanitizers have these signals for themselves */
		tcase_add_loop_test(c, test_crash, 0, (int)TEST_COUNT(crashes));
		tcase_add_test(c, test_crash_outside);
		tcase_add_loop_test(c, test_crash_unblock, 0, 2);
	}
	return test_main(suite);
}
