/* SPDX-License-Identifier: MIT */
/* Crashes in an actor name it. Each test in a child process of its own. */
#include "tests/common/child.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <sched.h>
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
	ck_assert_ptr_null(strstr(text, "wrong call"));
	ck_assert_ptr_null(strstr(text, "innocent"));
	ck_assert_ptr_null(strstr(text, "bystander"));
}
END_TEST

/* -- fire() uses the NULL of a wrong start: what was wrong is told, too -- */

static const struct pstk_port wrong_ports[] = { { .name = "ctl", .kind = PSTK_CONTROL },
	{ .name = "in", .kind = PSTK_INPUT }, { .name = "out", .kind = PSTK_OUTPUT },
	{ .name = "off", .kind = PSTK_DYNAMIC_INPUT } };

static const struct {
	unsigned port;
	bool write;
	const char *says;
} wrong_starts[] = {
	{ 2, false, "pstk_fifo_read_start: port 'out' is an output: call pstk_fifo_write_start()" },
	{ 1, true, "pstk_fifo_write_start: port 'in' is an input: call pstk_fifo_read_start()" },
	{ 3, false, "pstk_fifo_read_start: port 'off' is off in this firing: ask pstk_port_enabled()" },
	{ 0, false, "pstk_fifo_read_start: port 'ctl' is the control port" },
	{ 4, false, "pstk_fifo_read_start: there is no port 4, only 4, numbered from 0" },
};

static bool wrong_aside; /* two firings side by side */

static int wrong_fire(struct pstk_firing *f)
{
	const volatile uint32_t *null;
	const uint32_t *in = pstk_fifo_read_start(f, 1);

	while (pstk_firing_index(f)) /* beside the one that dies */
		sched_yield();
	if (!wrong_starts[crash].write)
		null = pstk_fifo_read_start(f, wrong_starts[crash].port);
	else
		null = pstk_fifo_write_start(f, wrong_starts[crash].port);
	return (int)(*in + *null);
}

static int none_on(struct pstk_firing *f, uint32_t value)
{
	(void)f;
	(void)value;
	return 0;
}

static int zeros_fire(struct pstk_firing *f)
{
	*(uint32_t *)pstk_fifo_write_start(f, 0) = 0;
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int forget_fire(struct pstk_firing *f)
{
	pstk_fifo_read_start(f, 0);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static void body_wrong_start(void)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
				      in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_network *net = pstk_network_create("crash");
	struct rlimit none = { 0, 0 };
	struct pstk_actor *culprit = pstk_network_add(net, "the culprit",
		PSTK_ACTOR_TYPE(.name = "wrong", .ports = wrong_ports, .port_count = 4, .control_values = 1,
			.stateless = true, .control = none_on, .fire = wrong_fire),
		NULL);
	const struct pstk_actor_type *zeros =
		PSTK_ACTOR_TYPE(.name = "zeros", .ports = &out, .port_count = 1, .fire = zeros_fire);

	for (unsigned p = 0; p < 4; p++)
		if (p != 2)
			pstk_connect(pstk_network_add(net, wrong_ports[p].name, zeros, NULL), "out", culprit,
				wrong_ports[p].name, PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_connect(culprit, "out",
		pstk_network_add(net, "sink",
			PSTK_ACTOR_TYPE(.name = "sink", .ports = &in, .port_count = 1, .fire = forget_fire),
			NULL),
		"in", PSTK_FIFO(.rate = 1, .token_size = 4));
	CHILD_NEEDS(pstk_network_set_flags(net, PSTK_UNCHECKED) == 0);
	if (wrong_aside)
		CHILD_NEEDS(pstk_actor_set_concurrency(culprit, 2) == 0);
	setrlimit(RLIMIT_CORE, &none);
	CHILD_NEEDS(dup2(child_to_parent, STDERR_FILENO) == STDERR_FILENO);
	close(child_to_parent);
	CHILD_NEEDS(pstk_network_handle_signals(net) == 0);
	pstk_network_run(net);
	_exit(CHILD_WRONG);
}

START_TEST(test_wrong_start)
{
	char text[4096], *log, *line;
	struct child child;
	int status;

	crash = (unsigned)_i / 2;
	wrong_aside = _i % 2;
	child_start(&child, body_wrong_start);
	child_read(&child, text, sizeof text);
	status = child_status(&child);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "0x%x: %s", (unsigned)status, text);
	log = strstr(text, "penstock: error: network: 'the culprit' (wrong), firing ");
	line = strstr(text, "penstock: actor 'the culprit' (wrong) dies of SIGSEGV");
	ck_assert_msg(log && line && log < line, "%s", text);
	TEST_SAYS(log, wrong_starts[crash].says);
	TEST_SAYS(line, ", after a wrong call: ", wrong_starts[crash].says);
}
END_TEST

/* unblock() of the source crashes: on the sink's thread when the sink ends, on the watcher's after a stop. The source
 * is named all the same. */
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
		tcase_add_loop_test(c, test_wrong_start, 0, 2 * (int)TEST_COUNT(wrong_starts));
		tcase_add_test(c, test_crash_outside);
		tcase_add_loop_test(c, test_crash_unblock, 0, 2);
	}
	return test_main(suite);
}
