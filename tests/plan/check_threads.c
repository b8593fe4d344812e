/* SPDX-License-Identifier: MIT */
/*
 * Which threads run the actors: what the calls take and say, before and after the start, and the tables. How many
 * firings are side by side: check_concurrency.c; how deep FIFOs are: check_depth.c.
 */
#include "config.h"

#include "tests/common/common.h"
#include "tests/common/simple.h"
#include "tests/plan/plan_net.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 0 }; /* none is given */

/* -- the environment -- */

static const struct {
	const char *text;
	unsigned threads;
	bool wrong;
} environments[] = { { "1", 1, false }, { "2", 2, false }, { "256", 256, false }, { "0", 0, false },
	{ "", 0, false }, { "257", 0, true }, { "-1", 0, true }, { "+1", 0, true }, { " 1", 0, true },
	{ "2 ", 0, true }, { "2x", 0, true }, { "two", 0, true }, { "99999999999999999999999", 0, true },
	{ "4294967298", 0, true } };

START_TEST(environment)
{
	struct pstk_network *net;

	setenv("PENSTOCK_TEAM", environments[_i].text, 1);
	test_log_start();
	net = pstk_network_create("team");
	ck_assert_uint_eq(pstk_network_threads(net), environments[_i].threads);
	ck_assert_int_eq(test_log_has("PENSTOCK_TEAM="), environments[_i].wrong);
	if (environments[_i].wrong)
		ck_assert(test_log_has("' is ignored: expected 1 to 256 threads"));
	test_log_stop();
	/* the call decides, not the environment */
	ck_assert_int_eq(pstk_network_set_threads(net, 0), 0);
	ck_assert_uint_eq(pstk_network_threads(net), 0);
	ck_assert_int_eq(pstk_network_set_threads(net, 3), 0);
	ck_assert_uint_eq(pstk_network_threads(net), 3);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(environment_sets_depths)
{
	struct simple_chain chain;

	setenv("PENSTOCK_TEAM", "5", 1);
	simple_chain(&chain, 0, 10, 1, 0, DEPTH);
	ck_assert_uint_eq(plan_info(chain.fifos[0]).depth, 10);
	ck_assert_int_eq(pstk_network_set_threads(chain.net, 0), 0);
	ck_assert_uint_eq(plan_info(chain.fifos[0]).depth, 2);
	pstk_network_destroy(chain.net);
}
END_TEST

START_TEST(threads_calls)
{
	struct simple_chain chain;

	simple_chain(&chain, 1, 100, 1, 0, DEPTH);
	ck_assert_int_eq(pstk_network_set_threads(NULL, 2), -EINVAL);
	ck_assert_uint_eq(pstk_network_threads(NULL), 0);
	ck_assert_int_eq(pstk_network_set_depth_budget(NULL, 2), -EINVAL);
	ck_assert_int_eq(pstk_network_set_threads(chain.net, 256), 0);
	ck_assert_int_eq(pstk_network_set_threads(chain.net, 257), -EINVAL);
	ck_assert_uint_eq(pstk_network_threads(chain.net), 256);
	TEST_SAYS(pstk_network_error(chain.net), "a team of 257 threads", "1 to 256");
	ck_assert_int_eq(pstk_network_start(chain.net), -EINVAL);
	pstk_network_destroy(chain.net);

	simple_chain(&chain, 1, 100, 1, 0, DEPTH);
	ck_assert_int_eq(pstk_network_set_threads(chain.net, 2), 0);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	test_log_start();
	ck_assert_int_eq(pstk_network_set_threads(chain.net, 1), -EBUSY);
	ck_assert_int_eq(pstk_network_set_depth_budget(chain.net, 1), -EBUSY);
	ck_assert_int_eq(pstk_actor_set_concurrency(chain.actors[1], 1), -EBUSY);
	ck_assert(test_log_has("comes too late"));
	test_log_stop();
	ck_assert_uint_eq(pstk_network_threads(chain.net), 2);
	ck_assert_uint_eq(chain.collect.tokens, 100);
	ck_assert_uint_eq(chain.collect.wrong, 0);
	pstk_network_destroy(chain.net);
}
END_TEST

/* On one core any two actors are more than there are cores. */
START_TEST(automatic)
{
	struct pstk_network *net = pstk_network_create("automatic");
	cpu_set_t former, one;

	ck_assert_int_eq(sched_getaffinity(0, sizeof former, &former), 0);
	CPU_ZERO(&one);
	for (unsigned i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &former))
			CPU_SET(i, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	ck_assert_uint_eq(pstk_network_auto_threads(NULL), 0);
	plan_add_kernel(net, "a");
	ck_assert_uint_eq(pstk_network_auto_threads(net), 0);
	plan_add_kernel(net, "b");
	ck_assert_uint_eq(pstk_network_auto_threads(net), 1);
	sched_setaffinity(0, sizeof former, &former);
	for (unsigned i = (unsigned)CPU_COUNT(&former); i-- > 0;) {
		char name[16];

		snprintf(name, sizeof name, "more %u", i);
		plan_add_kernel(net, name);
	}
	ck_assert_uint_eq(pstk_network_auto_threads(net),
		CPU_COUNT(&former) > 256 ? 256 : (unsigned)CPU_COUNT(&former));
	pstk_network_destroy(net);
}
END_TEST

/* -- devices -- */

/* head -> a -> b -> c -> tail; depths of the four FIFOs with a, b, c on the device or not. */
START_TEST(device_concurrency)
{
	struct pstk_network *net = pstk_network_create("device");
	struct pstk_actor *a = plan_add_kernel(net, "a");
	char why[200];

	pstk_connect(a, "out", a, "in", PSTK_FIFO(.rate = 1, .delay = 8, .depth = 8, .token_size = 4));
	ck_assert_int_eq(pstk_network_set_threads(net, 4), 0);
	ck_assert_uint_eq(pstk_actor_concurrency(a, NULL, 0), 4);
	ck_assert_int_eq(pstk_actor_map(a, "pocl:cpu:0"), 0);
	ck_assert_uint_eq(pstk_actor_concurrency(a, why, sizeof why), 1);
	TEST_SAYS(why, "on a device");
	ck_assert_int_eq(pstk_actor_set_concurrency(a, 1), 0);
	ck_assert_int_eq(pstk_actor_map(a, NULL), 0);
	ck_assert_int_eq(pstk_actor_set_concurrency(a, 3), 0); /* mapped later: at the start */
	ck_assert_int_eq(pstk_actor_map(a, "pocl:cpu:0"), 0);
	ck_assert_ptr_null(pstk_network_problem(net, 0));
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), -EINVAL);
	ck_assert_ptr_null(pstk_network_problem(net, 0)); /* a verdict of now */
	ck_assert_int_eq(pstk_network_start(net), -EINVAL);
	TEST_SAYS(pstk_network_error(net), "'a' (kernel)", "3 firings side by side", "mapped to 'pocl:cpu:0'",
		"set its concurrency to 1");
	pstk_network_destroy(net);

	net = pstk_network_create("device");
	a = plan_add_kernel(net, "a");
	ck_assert_int_eq(pstk_actor_map(a, "pocl:cpu:0"), 0);
	ck_assert_int_eq(pstk_actor_set_concurrency(a, 2), -EINVAL);
	TEST_SAYS(
		pstk_network_error(net), "'a' (kernel)", "2 firings side by side", "mapped to 'pocl:cpu:0'");
	pstk_network_destroy(net);
}
END_TEST

/* -- tables -- */

START_TEST(table)
{
	struct pstk_network *net = pstk_network_create("x");
	struct pstk_actor *work = pstk_network_add(net, "work",
		PSTK_ACTOR_TYPE(.name = "w", .ports = plan_ports, .port_count = 2, .fire = plan_copy,
			.stateless = true),
		NULL);
	struct pstk_actor *in = pstk_network_add(net, "in",
		PSTK_ACTOR_TYPE(.name = "b", .ports = plan_ports, .port_count = 2, .fire = plan_copy,
			.blocks = true),
		NULL);
	struct pstk_actor *kahn = plan_add(net, "kahn", true);
	char text[2000];

	pstk_connect(work, "out", in, "in", PSTK_FIFO(.rate = 1, .token_size = 1));
	pstk_connect(in, "out", kahn, "in", PSTK_FIFO(.rate = 1, .token_size = 1));
	plan_printed(net, text, sizeof text);
	TEST_SAYS(text, "network 'x': 3 actors, 2 FIFOs\n", "  work  w      on any core\n",
		"    in  b      on any core\n", "  kahn  node   on any core\n");
	ck_assert_int_eq(pstk_network_set_threads(net, 3), 0);
	plan_printed(net, text, sizeof text);
	TEST_SAYS(text, "network 'x': 3 actors, 2 FIFOs, a team of 3 threads\n",
		"  work  w      on any core, 3 side by side\n", "    in  b      on any core, own thread\n",
		"  kahn  node   on any core, own thread\n", "depth 6,");
	ck_assert_int_eq(pstk_network_set_threads(net, 1), 0);
	plan_printed(net, text, sizeof text);
	TEST_SAYS(text, "2 FIFOs, a team of 1 thread\n", "  work  w      on any core\n");
	ck_assert_int_eq(pstk_network_set_threads(net, 0), 0);
	ck_assert_int_eq(pstk_actor_set_concurrency(work, 2), 0);
	plan_printed(net, text, sizeof text);
	TEST_SAYS(text, "network 'x': 3 actors, 2 FIFOs\n", "  work  w      on any core, 2 side by side\n",
		"    in  b      on any core\n");
	pstk_network_destroy(net);
}
END_TEST

/* Where a pinned actor runs: under a team wherever actors of the same thread are pinned. */
START_TEST(table_of_cores)
{
	struct pstk_network *net = pstk_network_create("x");
	struct pstk_actor *a = plan_add(net, "a", false), *b = plan_add(net, "b", false);
	struct pstk_actor *own = plan_add(net, "own", true),
			  *work = pstk_network_add(net, "work",
				  PSTK_ACTOR_TYPE(.name = "w", .ports = plan_ports, .port_count = 2,
					  .fire = plan_copy, .stateless = true),
				  NULL);
	unsigned first = test_core(0), second = test_core(1);
	unsigned low = first < second ? first : second, high = first < second ? second : first;
	char text[2000], both[40], one[40], other[40], line[120];

	snprintf(one, sizeof one, "on core %u", first);
	snprintf(other, sizeof other, "on core %u", second);
	if (low == high)
		snprintf(both, sizeof both, "on core %u", low);
	else
		snprintf(both, sizeof both, high == low + 1 ? "on cores %u-%u" : "on cores %u,%u", low, high);
	ck_assert_int_eq(pstk_actor_pin(a, first), 0);
	ck_assert_int_eq(pstk_actor_pin(b, second), 0);
	ck_assert_int_eq(pstk_actor_pin(own, first), 0);
	ck_assert_int_eq(pstk_actor_pin(work, first), 0);
	for (unsigned threads = 0; threads <= 256; threads += threads ? 255 : 1) {
		bool together = threads && first % threads == second % threads;

		ck_assert_int_eq(pstk_network_set_threads(net, threads), 0);
		plan_printed(net, text, sizeof text);
		snprintf(line, sizeof line, "     a  node   %s\n", together ? both : one);
		TEST_SAYS(text, line);
		snprintf(line, sizeof line, "     b  node   %s\n", together ? both : other);
		TEST_SAYS(text, line);
		snprintf(line, sizeof line, "   own  node   %s%s\n", one, threads ? ", own thread" : "");
		TEST_SAYS(text, line);
		snprintf(line, sizeof line, "  work  w      %s%s\n", together ? both : one,
			threads ? ", pinned: not side by side" : "");
		TEST_SAYS(text, line);
	}
	pstk_network_destroy(net);
}
END_TEST

/* How deep the budget has let FIFOs be: 2, 3 and 32 windows of 100 bytes fit, but never fewer than 2. */
START_TEST(table_of_times)
{
	struct pstk_network *net = pstk_network_create("x");
	char text[2000], line[120];
	FILE *out;

	plan_add(net, "a", false);
	plan_add(net, "own", true);
	for (unsigned threads = 0; threads <= 2; threads += 2) {
		ck_assert_int_eq(pstk_network_set_threads(net, threads), 0);
		out = fmemopen(text, sizeof text, "w");
		ck_assert_int_eq(pstk_network_print_stats(net, out), 0);
		fclose(out);
		snprintf(line, sizeof line, "  %5s  %10s  %12s  %12s  %12s  %12s\n", "actor", "firings",
			"us a firing", "us on a core", "firing s", "waiting s");
		TEST_SAYS(text, line);
		snprintf(line, sizeof line, "      a  %10d  %12s  %12s  %12s  %12s\n", 0, "0.000", "0.000",
			"0.000000", threads ? "-" : "0.000000");
		TEST_SAYS(text, line);
		snprintf(line, sizeof line, "    own  %10d  %12s  %12s  %12s  %12s\n", 0, "0.000", "0.000",
			"0.000000", "0.000000");
		TEST_SAYS(text, line);
	}
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("threads");
	TCase *threads = test_case(suite, "threads"), *devices = test_case(suite, "devices");

	tcase_add_checked_fixture(threads, plan_setup, NULL);
	tcase_add_loop_test(threads, environment, 0, TEST_COUNT(environments));
	tcase_add_test(threads, environment_sets_depths);
	tcase_add_test(threads, threads_calls);
	tcase_add_test(threads, automatic);
	tcase_add_test(threads, table);
	tcase_add_test(threads, table_of_cores);
	tcase_add_test(threads, table_of_times);
	tcase_add_checked_fixture(devices, plan_setup, NULL);
#ifdef HAVE_OPENCL
	tcase_add_test(devices, device_concurrency);
#else
	(void)device_concurrency;
#endif
	return test_main(suite);
}
