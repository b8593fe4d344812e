/* SPDX-License-Identifier: MIT */
/*
 * Signals, each in a child process of its own: SIGINT and SIGTERM stop, abort and end; a crash names the
 * actor.
 */
#include "tests/common.h"
#include "tests/simple.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit statuses of a child, beside those of the library. */
enum { CHILD_FINE = 0, CHILD_WRONG = 99 };

/* Ends a child that finds something wrong; the text is in the log of the test. */
#define CHILD_NEEDS(condition)                                                                      \
	do {                                                                                        \
		if (!(condition)) {                                                                 \
			fprintf(stderr, "%s:%d: child needs %s\n", __FILE__, __LINE__, #condition); \
			fflush(stderr);                                                             \
			_exit(CHILD_WRONG);                                                         \
		}                                                                                   \
	} while (0)

struct child {
	pid_t pid;
	int from; /* bytes that say how far the child is */
};

/* In the child: where say() writes. */
static int to_parent;

static void say(char byte)
{
	CHILD_NEEDS(write(to_parent, &byte, 1) == 1);
}

static void child_start(struct child *child, void (*body)(void))
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	child->pid = fork();
	ck_assert_int_ge(child->pid, 0);
	if (child->pid == 0) {
		close(ends[0]);
		to_parent = ends[1];
		signal(SIGINT, SIG_DFL); /* not libcheck's */
		signal(SIGTERM, SIG_DFL);
		alarm(TEST_GUARD_SECONDS);
		body();
		exit(CHILD_FINE); /* not _exit(): leaks count */
	}
	close(ends[1]);
	child->from = ends[0];
}

/* Waits until the child has said so. */
static void child_await(const struct child *child, char expected)
{
	char byte = '\0';

	ck_assert_int_eq(read(child->from, &byte, 1), 1);
	ck_assert_int_eq(byte, expected);
}

static int child_status(const struct child *child)
{
	int status;

	ck_assert_int_eq(waitpid(child->pid, &status, 0), child->pid);
	close(child->from);
	return status;
}

static void child_exits(const struct child *child, int expected)
{
	int status = child_status(child);

	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == expected,
		"child ended with status 0x%x, not exit %d", (unsigned)status, expected);
}

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
	say('r');
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
	say('h');
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

	simple_chain(&chain, 1, SIMPLE_ALL, 2, 0, 2);
	atomic_store(&chain.collect.allowed, 2);
	CHILD_NEEDS(pstk_network_handle_signals(chain.net) == 0);
	CHILD_NEEDS(pstk_network_start(chain.net) == 0);
	test_await(&chain.count.given, 8); /* the third window is on its way, the sink keeps it */
	say('r');
	while (pstk_network_signal(chain.net) == 0)
		sched_yield();
	CHILD_NEEDS(!pstk_network_failed(chain.net));
	say('1');
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

	pstk_network_add(net, "stuck", PSTK_ACTOR_TYPE(.name = "stuck", .fire = stuck_fire), &entered);
	CHILD_NEEDS(pstk_network_handle_signals(net) == 0);
	CHILD_NEEDS(pstk_network_start(net) == 0);
	test_await(&entered, 1);
	say('r');
	while (pstk_network_signal(net) == 0)
		sched_yield();
	say('1');
	while (!pstk_network_failed(net))
		sched_yield();
	say('2');
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
	say('r');
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

/* -- crashes
 * ---------------------------------------------------------------------------------------------------------------
 */

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
	CHILD_NEEDS(dup2(to_parent, STDERR_FILENO) == STDERR_FILENO);
	close(to_parent);
	CHILD_NEEDS(pstk_network_handle_signals(net) == 0);
	pstk_network_run(net);
	_exit(CHILD_WRONG);
}

/* The last words of the child, all of them: its end closes the pipe. */
static void read_all(int from, char *text, size_t room)
{
	size_t used = 0;
	ssize_t got;

	while ((got = read(from, text + used, room - 1 - used)) > 0)
		used += (size_t)got;
	text[used] = '\0';
}

START_TEST(test_crash)
{
	struct child child;
	char text[4096];
	int status;

	crash = (unsigned)_i;
	child_start(&child, body_crash);
	read_all(child.from, text, sizeof(text));
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
	CHILD_NEEDS(dup2(to_parent, STDERR_FILENO) == STDERR_FILENO);
	close(to_parent);
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
		read_all(child.from, text, sizeof(text));
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
	CHILD_NEEDS(dup2(to_parent, STDERR_FILENO) == STDERR_FILENO);
	close(to_parent);
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
	read_all(child.from, text, sizeof(text));
	status = child_status(&child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	ck_assert_ptr_null(strstr(text, "count"));
	ck_assert_ptr_null(strstr(text, "relay0"));
	ck_assert_ptr_null(strstr(text, "collect"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("signals");
	TCase *stop = test_case(suite, "stop"), *handlers = test_case(suite, "handlers");
	TCase *crashing = test_case(suite, "crashes");

	tcase_add_test(stop, test_drain);
	tcase_add_test(stop, test_any_moment);
	tcase_add_test(stop, test_second_aborts);
	tcase_add_test(stop, test_third_ends);
	tcase_add_test(stop, test_not_asked);
	tcase_add_test(handlers, test_restored);
	tcase_add_test(handlers, test_many_networks);
	tcase_add_test(handlers, test_counted_by_network);
	if (!TEST_SANITIZED) { /* the sanitizers own these signals */
		tcase_add_loop_test(crashing, test_crash, 0, (int)TEST_COUNT(crashes));
		tcase_add_test(crashing, test_crash_outside);
		tcase_add_loop_test(crashing, test_crash_unblock, 0, 2);
		tcase_add_test(crashing, test_fault_address);
	}
	return test_main(suite);
}
