/* SPDX-License-Identifier: MIT */
/* On cores, and on the first OpenCL device if there is one. */
#include "actors/common/check_branches.h"
#include "actors/common/check_moving.h"
#include "actors/task/check_tasks.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const enum pstk_task_mode modes[] = { PSTK_TASK_BUSY, PSTK_TASK_SLEEP, PSTK_TASK_KERNEL };

static void expect_all(struct tasks *t)
{
	int err = tasks_run(t);

	ck_assert_msg(!err, "%d: %s", err, t->error);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(t->firings[i], TASKS_FIRINGS + (i ? (t->delay + 1) / 2 : 0));
}

/* All that is right passes, with each number of initial tokens, by threads and teams. */
static void check_right(const char *device, bool all)
{
	for (unsigned i = 0; i < 12; i++) {
		struct tasks t = { .mode = modes[i % 3], .device = device, .all = all };

		t.delay = i % 4;
		t.threads = i / 3;
		expect_all(&t);
	}
}

/* Also the last windows, which are not full with an odd number of initial tokens. */
START_TEST(everything_comes)
{
	check_right(NULL, false);
}
END_TEST

/* One wrong token, in front of, in the middle of and at the end of the stream. */
static void check_wrong(const char *device, uint32_t delay, enum pstk_task_mode mode)
{
	static const struct {
		uint64_t token, value;
		const char *says[2];
	} cases[] = {
		{ 0, 2, { "carries 2, expected 1", "" } },
		{ 1, 1, { "carries 1, expected 2", "" } },
		{ 37, 39, { "carries 39, expected 38", "" } },
		{ 37, UINT64_MAX, { "carries 18446744073709551615, expected 38", "" } },
		{ 2 * TASKS_FIRINGS - 1, 7, { "carries 7, expected 80", "" } },
	};

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		struct tasks t = { .mode = mode,
			.device = device,
			.delay = delay,
			.token = cases[i].token,
			.value = cases[i].value };
		char token[64];

		snprintf(token, sizeof token, "token %u ", (unsigned)cases[i].token + delay);
		ck_assert_int_eq(tasks_run(&t), -EPROTO);
		TEST_SAYS(t.error, "'middle'", "port 'in1'", token, cases[i].says[0]);
	}
}

START_TEST(wrong_numbers)
{
	for (uint32_t delay = 0; delay < 4; delay++)
		check_wrong(NULL, delay, PSTK_TASK_BUSY);
}
END_TEST

/* Initial tokens that are no zeros belong to another stream. */
START_TEST(wrong_initial_tokens)
{
	const unsigned char tokens[3 * TASKS_SIZE] = { [TASKS_SIZE] = 5 };
	struct tasks t = { .delay = 3, .initial = tokens };

	ck_assert_int_eq(tasks_run(&t), -EPROTO);
	TEST_SAYS(t.error, "'middle'", "port 'in1'", "token 1 carries 5, expected 0");
}
END_TEST

/* It takes its time, on a core or off it. */
START_TEST(it_takes_time)
{
	for (unsigned i = 0; i < 2; i++) {
		struct tasks t = { .mode = modes[i], .time = 1e-3, .count = 10 };

		ck_assert_int_eq(tasks_run(&t), 0);
		ck_assert_uint_ge(t.fire_ns, 10 * 1000000u);
	}
}
END_TEST

START_TEST(time_is_a_parameter)
{
	struct pstk_network *net = pstk_network_create("parameter");
	struct pstk_actor *a = pstk_task_add(net, "a", PSTK_TASK(.outputs = 1, .time = 1000, .count = 3));
	struct pstk_actor *b = pstk_task_add(net, "b", PSTK_TASK(.inputs = 1));

	ck_assert_ptr_nonnull(pstk_connect(a, "out1", b, "in1", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_int_eq(pstk_actor_set_param(a, "time", "1e-3"), 0);
	ck_assert_int_eq(pstk_network_start(net), 0);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
}
END_TEST

/* Without a count it goes on until it is stopped. */
START_TEST(time_is_not_negative)
{
	struct pstk_network *net = pstk_network_create("parameter");
	struct pstk_actor *a = pstk_task_add(net, "a", PSTK_TASK(.outputs = 1));

	ck_assert_int_eq(pstk_actor_set_param(a, "time", "-1"), -ERANGE);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(an_endless_source)
{
	struct pstk_network *net = pstk_network_create("endless");
	struct pstk_actor *a = pstk_task_add(net, "a", PSTK_TASK(.outputs = 1));
	struct pstk_actor *b = pstk_task_add(net, "b", PSTK_TASK(.inputs = 1));
	struct pstk_actor_stats stats = { 0 };

	ck_assert_ptr_nonnull(pstk_connect(a, "out1", b, "in1", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_int_eq(pstk_network_start(net), 0);
	while (stats.firings < 1000)
		ck_assert_int_eq(pstk_actor_get_stats(b, &stats), 0);
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(refusals)
{
	static const struct {
		struct pstk_task_spec spec;
		const char *says;
	} cases[] = {
		{ { sizeof(struct pstk_task_spec), 0, 0, PSTK_TASK_BUSY, 0, 0 }, "0 inputs and 0 outputs" },
		{ { sizeof(struct pstk_task_spec), 17, 1, PSTK_TASK_BUSY, 0, 0 }, "give it 1 to 16" },
		{ { sizeof(struct pstk_task_spec), 1, 17, PSTK_TASK_BUSY, 0, 0 }, "give it 1 to 16" },
		{ { sizeof(struct pstk_task_spec), 1, 1, PSTK_TASK_BUSY, -1, 0 }, "time of -1 s" },
		{ { sizeof(struct pstk_task_spec), 1, 1, PSTK_TASK_BUSY, NAN, 0 }, "time of nan s" },
		{ { sizeof(struct pstk_task_spec), 1, 1, PSTK_TASK_BUSY, INFINITY, 0 }, "time of inf s" },
		{ { sizeof(struct pstk_task_spec), 1, 1, PSTK_TASK_BUSY, 0, 4 }, "ends with them" },
		{ { sizeof(struct pstk_task_spec), 1, 1, (enum pstk_task_mode)3, 0, 0 }, "no such mode" },
		{ { 0, 1, 1, PSTK_TASK_BUSY, 0, 0 }, "struct_size" },
	};

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pstk_network *net = pstk_network_create("refusals");

		ck_assert_ptr_null(pstk_task_add(net, "odd one", &cases[i].spec));
		TEST_SAYS(pstk_network_problem(net, 0), "'odd one'", cases[i].says);
		pstk_network_destroy(net);
	}
	ck_assert_ptr_null(pstk_task_add(NULL, NULL, NULL));
}
END_TEST

START_TEST(small_tokens)
{
	struct tasks t = { .size = 7 };

	ck_assert_int_eq(tasks_run(&t), -EINVAL);
	TEST_SAYS(t.error, "'sink'", "port 'in3'", "7 bytes", "at least 8");
}
END_TEST

START_TEST(out_of_memory)
{
	struct pstk_actor *actor = NULL;

	for (unsigned fails = 1; !actor; fails++) {
		struct pstk_network *net = pstk_network_create("memory");

		test_fail_allocation(fails);
		actor = pstk_task_add(net, "tested", PSTK_TASK(.inputs = 1));
		ck_assert_int_eq(!actor, test_allocation_failed());
		test_fail_allocation(0);
		if (!actor)
			TEST_SAYS(pstk_network_problem(net, 0), "'tested'", "out of memory");
		pstk_network_destroy(net);
	}
}
END_TEST

START_TEST(on_a_device)
{
	const char *device = branch_device();

	for (unsigned m = 0; device && m < BRANCH_MEMORIES; m++) {
		setenv("PENSTOCK_MEMORY", branch_memories[m], 1);
		check_right(device, false);
		check_right(device, true);
		check_wrong(device, m, PSTK_TASK_KERNEL);
		check_wrong(device, m, PSTK_TASK_SLEEP);
	}
}
END_TEST

/* A loop's time was measured, so this only says that there is one. */
START_TEST(a_kernel_takes_time)
{
	const char *device = branch_device();
	struct tasks t = { .mode = PSTK_TASK_KERNEL, .time = 1e-3, .count = 20, .device = device };

	if (!device)
		return;
	ck_assert_int_eq(tasks_run(&t), 0);
	ck_assert_uint_ge(t.run_ns, 20 * 100000u);
}
END_TEST

/* It ends after its count there, too. */
static void check_source(const char *device, enum pstk_task_mode mode, uint64_t count)
{
	struct pstk_network *net = pstk_network_create("source");
	struct pstk_actor *a =
		pstk_task_add(net, "a", PSTK_TASK(.outputs = 2, .count = count, .mode = mode, .time = 1e-5));
	struct pstk_actor *b = pstk_task_add(net, "b", PSTK_TASK(.inputs = 2));
	struct pstk_actor_stats stats;

	ck_assert_ptr_nonnull(pstk_connect(a, "out1", b, "in1", PSTK_FIFO(.rate = 3, .token_size = 9)));
	ck_assert_ptr_nonnull(pstk_connect(a, "out2", b, "in2", PSTK_FIFO(.rate = 1, .token_size = 64)));
	moving_map(a, device);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	moving_check(net);
	ck_assert_int_eq(pstk_actor_get_stats(b, &stats), 0);
	ck_assert_uint_eq(stats.firings, count);
	pstk_network_destroy(net);
}

START_TEST(a_counted_source_on_a_device)
{
	const char *device = branch_device();

	for (uint64_t count = 1; device && count < 8; count += 3) {
		check_source(device, PSTK_TASK_KERNEL, count);
		check_source(device, PSTK_TASK_SLEEP, count);
	}
}
END_TEST

/* Those that sleep, and counted sources: a kernel's loops are those of one device. */
START_TEST(moves)
{
	struct test_rng rng = { test_seed() };
	const char *device = moving_device(moving_memories[_i], &rng);

	for (unsigned i = 0; device && i < 4; i++) {
		struct tasks t = {
			.mode = PSTK_TASK_SLEEP, .device = device, .all = i % 2, .delay = i, .threads = i
		};

		expect_all(&t);
	}
	for (uint64_t count = 1; device && count < 30; count += 9) {
		check_source(device, PSTK_TASK_KERNEL, count);
		check_source(device, PSTK_TASK_SLEEP, count);
	}
	if (device)
		check_wrong(device, 1, PSTK_TASK_SLEEP);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("task");
	TCase *cores = test_case(suite, "cores"), *device = test_case(suite, "device");

	tcase_add_test(cores, everything_comes);
	tcase_add_test(cores, wrong_numbers);
	tcase_add_test(cores, wrong_initial_tokens);
	tcase_add_test(cores, it_takes_time);
	tcase_add_test(cores, time_is_a_parameter);
	tcase_add_test(cores, time_is_not_negative);
	tcase_add_test(cores, an_endless_source);
	tcase_add_test(cores, refusals);
	tcase_add_test(cores, small_tokens);
	tcase_add_test(cores, out_of_memory);
	tcase_add_test(device, on_a_device);
	tcase_add_test(device, a_kernel_takes_time);
	tcase_add_test(device, a_counted_source_on_a_device);
	tcase_add_loop_test(device, moves, 0, MOVING_MEMORIES);
	return test_main(suite);
}
