/* SPDX-License-Identifier: MIT */
/* The watchdog and kernels that do not end: the fake driver holds its commands. */
#include "lib/firing/firing.h"
#include "lib/opencl/device.h"
#include "lib/schedule/launch.h"
#include "tests/common/common.h"
#include "tests/opencl/fault_net.h"
#include "tests/random/node.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* An actor that a busy machine holds up, before or inside of fire(), must not be taken for the one that is meant. */
enum { PATIENCE_NS = 1200000000 };

static const char *const ways[] = { "svm=none,unified=0", "svm=none,unified=1", "svm=fine,unified=1" };

/* Whichever thread launches it, a kernel that does not end is named, with its actor. The others wait behind it. */
START_TEST(test_endless_kernel)
{
	const struct fake_cl *fake;
	_Atomic uint64_t held = 0;
	struct fault_plan plan = { .tokens = FAULT_TOKENS_MAX + 1, .delay = 4, .gate = &held };
	static struct fault_net net;

	if (_i >= 3)
		setenv("PENSTOCK_LAUNCH", "own", 1);
	fake = fault_driver(ways[_i % 3], NULL);
	test_guard("an endless kernel", (uint64_t)_i);
	test_log_start();
	ps_device_grace_ns = 20000000;
	fault_reset(fake);
	fault_build(&net, &plan);
	/* a team is so quick that the kernels may be through by then, and it is a transfer that is held */
	ck_assert_int_eq(pstk_network_set_threads(net.network, 0), 0);
	ck_assert_int_eq(pstk_network_set_watchdog(net.network, PATIENCE_NS, true), 0);
	ck_assert_int_eq(pstk_network_start(net.network), 0);
	fake->hold(true); /* what start() does is through */
	atomic_store(&held, 1);
	ck_assert_int_eq(pstk_network_wait(net.network), -ETIMEDOUT);
	TEST_SAYS(pstk_network_error(net.network), "nothing has moved for ", "in flight on ", "kernel '");
	ck_assert_uint_eq(test_log_count("kernel 'fault_add"), 1);
	pstk_network_destroy(net.network);
	test_log_stop();
	fake->hold(false);
}
END_TEST

static void eat(const struct fake_cl_launch *l)
{
	(void)l;
}

static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "uint"), FAKE_CL_VALUE("firing", "ulong", 8) };
static const struct fake_cl_kernel eats = { .name = "eat", .args = args, .arg_count = 2, .run = eat };
static const struct pstk_kernel kernel = { .source = "kernel void eat(", .name = "eat" };

static int one_init(struct pstk_actor *self)
{
	const size_t one = 1;

	return pstk_actor_set_work_size(self, 1, &one, &one);
}

/* The same when every actor's thread has ended, so that wait() alone waits for the device. */
START_TEST(test_endless_end)
{
	const struct fake_cl *fake = fault_driver(ways[_i], NULL);
	_Atomic uint64_t open = 0;
	struct node nodes[] = {
		{ .name = "source", .ports = ">out", .ends = 2, .fire = "hold", .open = &open },
		{ .name = "eater", .ports = "<in", .kernel = &kernel, .on_device = "fake", .init = one_init }
	};
	struct pstk_network *net = pstk_network_create("end");

	test_guard("an endless kernel at the end", (uint64_t)_i);
	ck_assert_int_eq(fake->add_kernel(&eats), 0);
	ps_device_grace_ns = 20000000;
	for (unsigned i = 0; i < 2; i++)
		node_add(net, &nodes[i]);
	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 0);
	ck_assert_int_eq(pstk_network_set_watchdog(net, PATIENCE_NS, true), 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	fake->hold(true);
	atomic_store(&open, NODE_ALL);
	ck_assert_int_eq(pstk_network_wait(net), -ETIMEDOUT);
	TEST_SAYS(pstk_network_error(net), "nothing has moved for ");
	pstk_network_destroy(net);
	fake->hold(false);
}
END_TEST

/* On a device too a wait goes on, whichever thread looks in between: for a window, for its own commands. */
START_TEST(test_one_wait)
{
	const struct fake_cl *fake = fault_driver(ways[_i], NULL);
	_Atomic uint64_t open = 0;
	struct node nodes[] = {
		{ .name = "source", .ports = ">out", .fire = "hold", .open = &open },
		{ .name = "eater", .ports = "<in", .kernel = &kernel, .on_device = "fake", .init = one_init }
	};
	struct pstk_network *net = pstk_network_create("wait");
	struct pstk_actor *eater;
	uint64_t since;

	test_guard("a wait on a device", (uint64_t)_i);
	ck_assert_int_eq(fake->add_kernel(&eats), 0);
	ck_assert_int_eq(pstk_network_set_threads(net, 0), 0); /* the eater waits by itself */
	node_add(net, &nodes[0]);
	node_add(net, &nodes[1]);
	eater = nodes[1].actor;
	node_connect(&nodes[0], "out", &nodes[1], "in", 1, 0, 64);
	ck_assert_int_eq(pstk_network_start(net), 0);
	ck_assert(eater->task->runner == &ps_launch_runner);
	while (!atomic_load(&eater->task->waits_for))
		sched_yield();
	since = eater->task->since;
	for (int i = 0; i < 10; i++) {
		ps_launch_help(eater->task);
		while (eater->task->since != since || !atomic_load(&eater->task->waits_for))
			sched_yield();
	}
	fake->hold(true);
	atomic_store(&open, NODE_ALL);
	while (!(since = eater->cl->waits_since))
		sched_yield();
	for (int i = 0; i < 10; i++) {
		uint64_t waited = eater->cl->waited_ns;

		ps_task_nudge(eater->task);
		while (eater->cl->waited_ns == waited)
			sched_yield();
		while (eater->cl->waits_since != since)
			sched_yield();
	}
	fake->hold(false);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("watchdog, devices");
	TCase *device = test_case(suite, "device");

	tcase_add_loop_test(device, test_endless_kernel, 0, 6);
	tcase_add_loop_test(device, test_endless_end, 0, 3);
	tcase_add_loop_test(device, test_one_wait, 0, 3);
	return test_main(suite);
}
