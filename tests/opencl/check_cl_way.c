/* SPDX-License-Identifier: MIT */
/*
 * Windows at each place between two memories, on the fake driver: how many there are when one end stands still, and the
 * host's page-locked side.
 */
#include "lib/model/network.h"
#include "lib/plan/concurrency.h"
#include "tests/common/common.h"
#include "tests/opencl/way_net.h"

#include <errno.h>
#include <sched.h>

static void check_room(const struct pstk_fifo *f, const char *memory, uint64_t windows)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
	ck_assert_str_eq(info.memory, memory);
	ck_assert_uint_eq(info.room, windows * WAY_RATE);
	ck_assert_uint_le(info.fill, info.room);
}

static const struct count_case {
	uint32_t depth;
	unsigned team;
} counts[] = { { 1, 0 }, { 2, 0 }, { 3, 0 }, { 1, 2 }, { 2, 2 }, { 3, 3 } };

/* The sink has its first window and reads no other. The device's windows go on to the host, and then as many wait. */
START_TEST(host_does_not_read)
{
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES);
	uint32_t k = counts[_i].depth;
	struct way_plan plan = { .depth = k, .one = "pstk:gpu:0", .team = counts[_i].team };
	struct way_net c;

	way_build(&c, &plan);
	check_room(c.to_sink, "staged", (uint64_t)2 * k);
	way_start(&c);
	way_await_written(c.to_sink, (uint64_t)2 * k);
	way_await_written(c.to_one, (uint64_t)4 * k);
	fake->settle();
	ck_assert_uint_eq(fake->commands(CL_COMMAND_READ_BUFFER), k);
	ck_assert_uint_eq(fake->commands(CL_COMMAND_NDRANGE_KERNEL), (uint64_t)2 * k + WAY_WARM_UP);
	/* those that were fired with, and those that wait at the device */
	ck_assert_uint_eq(fake->commands(CL_COMMAND_WRITE_BUFFER), (uint64_t)3 * k);
	way_end_well(&c, fake, "a host that does not read");
}
END_TEST

/* `two` has one of its inputs only, and takes none. */
START_TEST(device_does_not_read)
{
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES);
	uint32_t k = counts[_i].depth;
	struct way_plan plan = {
		.depth = k, .one = "pstk:gpu:0", .two = "pstk:gpu:1", .go = true, .team = counts[_i].team
	};
	struct way_net c;

	way_build(&c, &plan);
	check_room(c.to_two, "staged through the host", (uint64_t)3 * k);
	way_start(&c);
	way_await_written(c.to_two, (uint64_t)3 * k);
	way_await_written(c.to_one, (uint64_t)5 * k);
	/* the mover has enqueued all that it can when these are through */
	while (fake->commands(CL_COMMAND_READ_BUFFER) < 2 * k ||
		fake->commands(CL_COMMAND_WRITE_BUFFER) < 5 * k)
		sched_yield();
	fake->settle();
	ck_assert_uint_eq(fake->commands(CL_COMMAND_READ_BUFFER), (uint64_t)2 * k);
	ck_assert_uint_eq(fake->commands(CL_COMMAND_WRITE_BUFFER), (uint64_t)(4 + 1) * k);
	way_end_well(&c, fake, "a device that does not read");
}
END_TEST

/* `one` has one of its inputs only: a host fills both places. */
START_TEST(host_writes_to_both)
{
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES);
	uint32_t k = counts[_i].depth;
	struct way_plan plan = { .depth = k, .one = "pstk:gpu:0", .go = true, .team = counts[_i].team };
	struct way_net c;

	way_build(&c, &plan);
	way_start(&c);
	way_await_written(c.to_one, (uint64_t)2 * k);
	fake->settle();
	ck_assert_uint_eq(fake->commands(CL_COMMAND_WRITE_BUFFER), k);
	ck_assert_uint_eq(fake->commands(CL_COMMAND_NDRANGE_KERNEL), WAY_WARM_UP);
	way_end_well(&c, fake, "a device that takes none of a host's");
}
END_TEST

/* No command runs: a host fills its own place. One transfer is one window more. */
START_TEST(commands_are_held)
{
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES);
	uint32_t k = counts[_i].depth;
	struct way_plan plan = { .depth = k, .one = "pstk:gpu:0", .late = true, .team = counts[_i].team };
	struct way_net c;

	way_build(&c, &plan);
	way_start(&c);
	fake->hold(true);
	atomic_store(&c.go_gate, 1);
	way_await_written(c.to_one, k);
	fake->step(1);
	way_await_written(c.to_one, (uint64_t)k + 1);
	fake->hold(false);
	way_end_well(&c, fake, "held commands");
}
END_TEST

/* -- the host's side -- */

/* As many maps as ways; none where the device has the host's memory. */
START_TEST(locked_while_it_runs)
{
	static const struct {
		const char *settings, *two;
		long maps;
	} cases[] = { { WAY_TWO_DEVICES, "pstk:gpu:1", 3 }, { WAY_TWO_DEVICES, "pstk:gpu:0", 2 },
		{ "devices=2,svm=none,unified=1,races=1", "pstk:gpu:1", 0 } };
	const struct fake_cl *fake;
	struct way_net c;
	struct way_plan plan = { .depth = 2, .one = "pstk:gpu:0", .two = cases[_i].two };

	setenv("PENSTOCK_MEMORY", "copy", 1);
	fake = way_driver(cases[_i].settings);
	way_build(&c, &plan);
	way_start(&c);
	way_await_written(c.to_sink, 4);
	fake->settle();
	ck_assert_int_eq(fake->live(FAKE_CL_MAP), cases[_i].maps);
	way_end_well(&c, fake, cases[_i].settings);
	ck_assert_uint_eq(atomic_load(&c.off_line), 0);
}
END_TEST

/* Without page-locked memory it is plain memory, and the log says so. */
START_TEST(not_locked)
{
	static const char *const functions[] = { "clCreateBuffer", "clEnqueueMapBuffer" };
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES);
	struct way_plan plan = { .depth = 2, .one = "pstk:gpu:0", .two = "pstk:gpu:1" };
	unsigned warned = 0;
	struct way_net c;

	for (unsigned n = 1; n <= 24; n++) {
		int err;

		way_driver(WAY_TWO_DEVICES); /* counts from 0 */
		way_build(&c, &plan);
		way_open_gates(&c);
		ck_assert_int_eq(fake->fail_calls(functions[_i], n, 1, CL_OUT_OF_RESOURCES), 0);
		test_log_start();
		err = pstk_network_run(c.net);
		if (!err && n <= fake->calls(functions[_i])) {
			ck_assert_uint_eq(test_log_count("no page-locked memory for"), 1);
			ck_assert(test_log_has("CL_OUT_OF_RESOURCES") && test_log_has("pstk:gpu:"));
			ck_assert_uint_eq(c.came, WAY_FIRINGS * WAY_RATE);
			ck_assert_uint_eq(atomic_load(&c.off_line), 0);
			warned++;
		}
		test_log_stop();
		ck_assert_msg(!err || (!_i && err == -ENOMEM), "%d: %s", err, pstk_network_error(c.net));
		pstk_network_destroy(c.net);
		way_check_left(fake, false, functions[_i]);
	}
	ck_assert_uint_eq(warned, 3);
}
END_TEST

/* A device that gives no more than a window in one piece. */
START_TEST(too_large_to_lock)
{
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES ",max_alloc=64");
	struct way_plan plan = { .depth = 2, .one = "pstk:gpu:0", .two = "pstk:gpu:1" };
	struct way_net c;

	way_build(&c, &plan);
	test_log_start();
	way_start(&c);
	ck_assert_uint_eq(test_log_count("no page-locked memory for"), 3);
	ck_assert(test_log_has("CL_INVALID_BUFFER_SIZE"));
	test_log_stop();
	ck_assert_int_eq(fake->live(FAKE_CL_MAP), 0);
	way_end_well(&c, fake, "max_alloc");
	ck_assert_uint_eq(atomic_load(&c.off_line), 0);
}
END_TEST

/* -- firings side by side -- */

enum { SIDES = 4, MANY = 40 };

static struct {
	_Atomic(void *) held[SIDES]; /* windows that are being written */
	_Atomic unsigned twice;      /* windows that two firings had */
} beside;

/* Stays for a while, so that others begin meanwhile. */
static int beside_fire(struct pstk_firing *f)
{
	uint32_t *out = pstk_fifo_write_start(f, 0);
	uint64_t n = pstk_firing_index(f);
	void *none = NULL;
	unsigned i = 0;

	for (unsigned k = 0; k < SIDES; k++)
		if (atomic_load(&beside.held[k]) == out)
			atomic_fetch_add(&beside.twice, 1);
	while (!atomic_compare_exchange_strong(&beside.held[i], &none, out)) {
		i = (i + 1) % SIDES;
		none = NULL;
	}
	for (uint32_t x = 0; x < WAY_RATE; x++)
		out[x] = (uint32_t)n * WAY_RATE + x + 1;
	for (unsigned k = 0; k < 50; k++)
		sched_yield();
	atomic_store(&beside.held[i], NULL);
	pstk_fifo_write_end(f, 0);
	return n + 1 < MANY ? PSTK_AGAIN : PSTK_DONE;
}

/* A plan may give the writer's place fewer windows than the reader's, which has slack: an actor of a team then has not
 * more firings at once than its own place has windows. */
START_TEST(no_more_firings_than_windows)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" };
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES);
	struct way_plan plan = {
		.depth = SIDES, .one = "pstk:gpu:0", .tokens = MANY * WAY_RATE, .team = SIDES
	};
	struct ps_limit why;
	struct way_net c;

	plan.source = PSTK_ACTOR_TYPE(.name = "beside", .ports = &out, .port_count = 1, .fire = beside_fire,
		.stateless = true);
	way_build(&c, &plan);
	c.to_one->depth_before = (uint32_t)_i;
	ck_assert_uint_eq(ps_concurrency_of(c.source, &why), (unsigned)_i);
	ck_assert_ptr_eq(why.fifo, _i < SIDES ? c.to_one : why.fifo);
	way_start(&c);
	way_end_well(&c, fake, "side by side");
	ck_assert_uint_eq(atomic_load(&beside.twice), 0);
}
END_TEST

/* .. and what asks for more is refused. */
START_TEST(more_firings_than_windows)
{
	const struct fake_cl *fake = way_driver(WAY_TWO_DEVICES);
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u32" };
	struct way_plan plan = { .depth = SIDES, .one = "pstk:gpu:0" };
	struct way_net c;

	plan.source = PSTK_ACTOR_TYPE(.name = "beside", .ports = &out, .port_count = 1, .fire = beside_fire,
		.stateless = true);
	way_build(&c, &plan);
	c.to_one->depth_before = 2;
	pstk_actor_set_concurrency(c.source, 3);
	test_log_start();
	ck_assert_int_eq(pstk_network_start(c.net), -EINVAL);
	test_log_stop();
	TEST_SAYS(pstk_network_error(c.net), "3 firings side by side", "holds 2 windows");
	pstk_network_destroy(c.net);
	way_check_left(fake, false, "more firings");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_way");
	TCase *tcase = test_case(suite, "windows");

	tcase_add_loop_test(tcase, host_does_not_read, 0, TEST_COUNT(counts));
	tcase_add_loop_test(tcase, device_does_not_read, 0, TEST_COUNT(counts));
	tcase_add_loop_test(tcase, host_writes_to_both, 0, TEST_COUNT(counts));
	tcase_add_loop_test(tcase, commands_are_held, 0, TEST_COUNT(counts));
	tcase = test_case(suite, "page-locked");
	tcase_add_loop_test(tcase, locked_while_it_runs, 0, 3);
	tcase_add_loop_test(tcase, not_locked, 0, 2);
	tcase_add_test(tcase, too_large_to_lock);
	tcase = test_case(suite, "side by side");
	tcase_add_loop_test(tcase, no_more_firings_than_windows, 1, SIDES + 1);
	tcase_add_test(tcase, more_firings_than_windows);
	return test_main(suite);
}
