/* SPDX-License-Identifier: MIT */
/* Snapshots of networks: what they say, that they may be taken at any time, and signals that ask for them. */
#include "lib/firing/firing.h"
#include "lib/observe/snapshot.h"
#include "tests/common/child.h"
#include "tests/common/common.h"
#include "tests/common/simple.h"
#include "tests/random/node.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *take(struct pstk_network *net)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(pstk_network_snapshot(net, out), 0);
	fclose(out);
	return text;
}

static void says(struct pstk_network *net, const char *const *words, size_t count)
{
	char *text = take(net);

	test_says(text, words, count);
	free(text);
}
#define SAYS(net, ...) \
	says(net, (const char *const[]){ __VA_ARGS__ }, TEST_COUNT(((const char *const[]){ __VA_ARGS__ })))

/* Until the snapshot says so: the threads take their time. */
static void await_text(struct pstk_network *net, const char *text)
{
	bool there = false;

	while (!there) {
		char *now = take(net);

		there = strstr(now, text);
		free(now);
		sched_yield();
	}
}

START_TEST(test_states)
{
	static const uint32_t values[] = { 1, 0 };
	_Atomic uint64_t open = 0;
	struct node nodes[] = {
		{ .name = "conf", .ports = ">ctl", .gives = values, .give_count = 2, .ends = 20 },
		{ .name = "member", .ports = "@ctl !out", .on = { 0, 2 }, .values = 2 },
		{ .name = "slow", .ports = "<in >out", .fire = "hold", .open = &open },
		{ .name = "sink", .ports = "<in" },
	};
	struct pstk_network *net = pstk_network_create("states");

	pstk_network_set_flags(net, PSTK_UNCHECKED);
	for (size_t i = 0; i < TEST_COUNT(nodes); i++)
		node_add(net, &nodes[i]);
	node_connect(&nodes[0], "ctl", &nodes[1], "ctl", 1, 0, 0);
	node_connect(&nodes[1], "out", &nodes[2], "in", 4, 0, 0);
	node_connect(&nodes[2], "out", &nodes[3], "in", 1, 0, 3);
	SAYS(net, "network 'states' is being built");
	ck_assert_int_eq(pstk_network_start(net), 0);
	await_text(net, "2/2 tokens, 7 written, 5 read"); /* conf has waited before, too */
	await_text(net, "conf (node) waits for room at ctl -> member for ");
	await_text(net, "member (node) waits for room at out -> slow for ");
	await_text(net, "slow (node) is in fire() for ");
	await_text(net, "sink (node) waits for tokens at in <- slow for ");
	/* two windows are written and held: on, off, on, off, and the fifth is on */
	SAYS(net, "network 'states' runs\n", "s, 2 firings, 4 control tokens, control 1 (on: out)\n",
		"s, 7 firings\n", "  conf.ctl -> member.ctl: rate 1, 2/2 tokens, 7 written, 5 read, host\n",
		"  member.out -> slow.in: rate 4, 8/8 tokens, 8 written, 0 read, host\n",
		"  slow.out -> sink.in: rate 1, 0/3 tokens, 0 written, 0 read, host\n");
	atomic_store(&open, NODE_ALL);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	SAYS(net, "network 'states' has ended\n", "conf (node) has ended, 20 firings\n",
		"member (node) has ended, 10 firings, 20 control tokens\n",
		"  member.out -> slow.in: rate 4, 0/8 tokens, 40 written, 40 read, closed, no reader, "
		"host\n");
	pstk_network_destroy(net);
}
END_TEST

/* What is on in a firing, as far as it fits a line. */
START_TEST(test_decisions)
{
	static const uint32_t values[] = { 0, 3 };
	_Atomic uint64_t open = 0;
	struct node nodes[] = {
		{ .name = "conf", .ports = ">ctl", .gives = values, .give_count = 2, .ends = 2 },
		{ .name = "member", .ports = "@ctl <in !a !b !c !d !e", .on = { 0, 0, 0, 0x7c } },
		{ .name = "source", .ports = ">out", .fire = "hold", .open = &open },
		{ .name = "sink", .ports = "<a <b <c <d <e" },
	};
	struct pstk_network *net = pstk_network_create("decisions");
	char name[2] = "a";

	for (size_t i = 0; i < TEST_COUNT(nodes); i++)
		node_add(net, &nodes[i]);
	node_connect(&nodes[0], "ctl", &nodes[1], "ctl", 1, 0, 0);
	node_connect(&nodes[2], "out", &nodes[1], "in", 1, 0, 0);
	for (; name[0] <= 'e'; name[0]++)
		node_connect(&nodes[1], name, &nodes[3], name, 1, 0, 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	await_text(net, "member (node) waits for tokens at in <- source for ");
	await_text(net, "s, 0 firings, 0 control tokens, control 0 (on: none)\n");
	atomic_store(&open, 1);
	await_text(net, "s, 1 firing, 1 control token, control 3 (on: a, b, c, d and 1 more)\n");
	atomic_store(&open, NODE_ALL);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	SAYS(net, "member (node) has ended, 2 firings, 2 control tokens\n");
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_times)
{
	char text[PS_TIME_SIZE];

	ck_assert_str_eq(ps_time_say(0, text), "0.0 ms");
	ck_assert_str_eq(ps_time_say(12345678, text), "12.3 ms");
	ck_assert_str_eq(ps_time_say(2499705000, text), "2.5 s");
	ck_assert_str_eq(ps_time_say(UINT64_MAX, text), "18446744073.7 s");
}
END_TEST

/* An actor that is woken and finds nothing waits since it began to. */
START_TEST(test_one_wait)
{
	_Atomic uint64_t open = 0;
	struct node nodes[] = { { .name = "source", .ports = ">out", .fire = "hold", .open = &open },
		{ .name = "sink", .ports = "<in", .kahn = _i ? "i" : NULL } };
	struct pstk_network *net = pstk_network_create("wait");
	uint64_t since;

	ck_assert_int_eq(pstk_network_set_threads(net, 0), 0); /* the sink waits by itself */
	node_add(net, &nodes[0]);
	node_add(net, &nodes[1]);
	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	for (uint64_t given = 1; given < 4; given++) {
		await_text(net, "sink (node) waits for tokens at in <- source for ");
		since = nodes[1].actor->task->since;
		for (int i = 0; i < 10; i++) {
			uint64_t waited = pstk_actor_port_wait_ns(nodes[1].actor, 0);

			ps_task_nudge(nodes[1].actor->task);
			while (pstk_actor_port_wait_ns(nodes[1].actor, 0) == waited) /* it wakes .. */
				sched_yield();
			while (nodes[1].actor->task->since != since) /* .. and waits again */
				sched_yield();
		}
		atomic_store(&open, given);
		test_await(&nodes[1].firings, given);
		while (nodes[1].actor->task->since == since) /* for the next one */
			sched_yield();
	}
	atomic_store(&open, NODE_ALL);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_errors)
{
	struct pstk_network *net = pstk_network_create("errors"), *late = pstk_network_create("late");
	FILE *full = fopen("/dev/full", "w");
	static const int wrong[] = { 0, -1, 1000, SIGINT, SIGTERM, SIGKILL, SIGSTOP, SIGSEGV };

	ck_assert_int_eq(pstk_network_snapshot(NULL, stderr), -EINVAL);
	ck_assert_int_eq(pstk_network_snapshot(net, NULL), -EINVAL);
	ck_assert_ptr_nonnull(full);
	ck_assert_int_eq(pstk_network_snapshot(net, full), -EIO);
	fclose(full);
	ck_assert_int_eq(pstk_network_snapshot_on_signal(NULL, SIGUSR1), -EINVAL);
	for (size_t i = 0; i < TEST_COUNT(wrong); i++)
		ck_assert_int_eq(pstk_network_snapshot_on_signal(net, wrong[i]), -EINVAL);
	TEST_SAYS(pstk_network_problem(net, 0), "signal 0 can't make snapshots: take SIGUSR1");
	ck_assert_int_eq(pstk_network_snapshot_on_signal(late, SIGUSR1), 0);
	ck_assert_int_eq(pstk_network_snapshot_on_signal(late, SIGUSR1), 0);
	ck_assert_int_eq(pstk_network_snapshot_on_signal(late, SIGUSR2), -EBUSY);
	test_log_start();
	ck_assert_int_eq(pstk_network_start(net), -EINVAL); /* for its problems */
	ck_assert_int_eq(pstk_network_snapshot_on_signal(net, SIGUSR1), -EBUSY);
	test_log_stop();
	SAYS(net, "network 'errors' did not start", "has failed");
	pstk_network_destroy(net);
	pstk_network_destroy(late);
}
END_TEST

static _Atomic uint64_t former_calls;

static void former(int number)
{
	(void)number;
	atomic_fetch_add(&former_calls, 1);
}

/* So many networks, and what the signal did before comes back with the last one's end. */
START_TEST(test_many)
{
	struct pstk_network *nets[17];
	struct sigaction action = { .sa_handler = former }, now;

	sigaction(SIGUSR1, &action, NULL);
	for (unsigned i = 0; i < 17; i++) {
		nets[i] = pstk_network_create("many");
		ck_assert_int_eq(pstk_network_snapshot_on_signal(nets[i], SIGUSR1), i < 16 ? 0 : -EBUSY);
	}
	raise(SIGUSR1); /* none of them runs */
	ck_assert_uint_eq(former_calls, 0);
	for (unsigned i = 0; i < 17; i++) {
		sigaction(SIGUSR1, NULL, &now);
		ck_assert_int_eq(now.sa_handler == former, i >= 16);
		pstk_network_destroy(nets[i]);
	}
	raise(SIGUSR1);
	ck_assert_uint_eq(former_calls, 1);
}
END_TEST

/* While it runs at full speed, by calls of several threads. */
static void *snapshots_main(void *arg)
{
	struct simple_chain *chain = arg;

	for (uint64_t i = 0; i < test_rounds(300); i++) {
		char *text = take(chain->net);

		TEST_SAYS(text, "count (count) ", "relay0 (relay) ", "collect (collect) ",
			"relay1.out -> collect.in");
		free(text);
	}
	return NULL;
}

START_TEST(test_under_load)
{
	static struct simple_chain chain;
	pthread_t threads[2];

	simple_chain(&chain, 2, SIMPLE_ALL, 3, 1, 0);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, snapshots_main, &chain);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pstk_network_stop(chain.net);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	pstk_network_destroy(chain.net);
	ck_assert_uint_eq(chain.collect.wrong, 0);
	ck_assert_uint_eq(chain.collect.tokens, chain.count.given + chain.collect.delay);
}
END_TEST

/* Signals at random times of a life, in a process of its own with its stderr in a pipe. */
static void signalled(void)
{
	static struct simple_chain chain;
	struct test_rng rng = { test_mix(test_seed()) };

	dup2(child_to_parent, STDERR_FILENO);
	for (uint64_t round = 0; round < test_rounds(60); round++) {
		simple_chain(&chain, 2, test_between(&rng, 1, 2000), 3, 1, 0);
		CHILD_NEEDS(!pstk_network_snapshot_on_signal(chain.net, SIGUSR1));
		raise(SIGUSR1);
		CHILD_NEEDS(!pstk_network_start(chain.net));
		for (uint32_t i = test_between(&rng, 0, 6); i > 0; i--) {
			raise(SIGUSR1);
			sched_yield();
		}
		CHILD_NEEDS(!pstk_network_wait(chain.net));
		raise(SIGUSR1);
		pstk_network_destroy(chain.net);
		CHILD_NEEDS(!chain.collect.wrong);
	}
}

/* Before the start a signal asks for nothing. */
static void signalled_before(void)
{
	static struct simple_chain chain;

	dup2(child_to_parent, STDERR_FILENO);
	for (unsigned round = 0; round < 20; round++) {
		simple_chain(&chain, 2, 20, 3, 1, 0);
		CHILD_NEEDS(!pstk_network_snapshot_on_signal(chain.net, SIGUSR1));
		raise(SIGUSR1);
		CHILD_NEEDS(!pstk_network_run(chain.net));
		pstk_network_destroy(chain.net);
	}
}

START_TEST(test_signals_before)
{
	char text[4096];
	struct child child;

	child_start(&child, signalled_before);
	child_read(&child, text, sizeof text);
	child_exits(&child, CHILD_FINE);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(test_signals)
{
	static char text[1 << 22];
	struct child child;
	unsigned seen = 0, actors = 0;

	child_start(&child, signalled);
	child_read(&child, text, sizeof text);
	child_exits(&child, CHILD_FINE);
	for (const char *at = text; (at = strstr(at, "network 'chain' ")); at++)
		seen++;
	for (const char *at = text; (at = strstr(at, "\n  collect (collect) ")); at++)
		actors++;
	ck_assert_uint_ge(seen, 1);
	ck_assert_uint_le(actors, seen);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("snapshot");
	TCase *tcase = test_case(suite, "snapshot");

	tcase_add_test(tcase, test_states);
	tcase_add_test(tcase, test_decisions);
	tcase_add_test(tcase, test_times);
	tcase_add_loop_test(tcase, test_one_wait, 0, 2);
	tcase_add_test(tcase, test_errors);
	tcase_add_test(tcase, test_many);
	tcase_add_test(tcase, test_under_load);
	tcase_add_test(tcase, test_signals);
	tcase_add_test(tcase, test_signals_before);
	return test_main(suite);
}
