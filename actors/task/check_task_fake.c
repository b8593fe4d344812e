/* SPDX-License-Identifier: MIT */
/* On a driver whose device has its own memory, and time that goes by the clock; without native kernels. */
#include "actors/task/check_tasks.h"
#include "tests/fake_cl/fake_cl.h"

#include <errno.h>

static const struct fake_cl *fake;

static void start(const char *settings)
{
	fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);
	ck_assert_ptr_nonnull(fake);
	fake->reset(); /* without forks, of the test before */
	ck_assert_int_eq(fake->configure(settings), 0);
}

static void end(void)
{
	fake->settle();
	ck_assert_msg(fake->violation_count() == 0, "%s", fake->violation(0));
	ck_assert_int_eq(fake->live(FAKE_CL_BUFFER), 0);
	ck_assert_int_eq(fake->live(FAKE_CL_KERNEL), 0);
	ck_assert_int_eq(fake->live(FAKE_CL_QUEUE), 0);
}

/* The time of a launch is exact; that of transfers comes to it, as they can't all be beside it. */
static void check_time(const char *settings, enum pstk_task_mode mode)
{
	struct tasks t = { .mode = mode, .time = 2e-3, .count = 20, .device = "gpu", .all = true };

	start(settings);
	ck_assert_msg(tasks_run(&t) == 0, "%s", t.error);
	ck_assert_uint_ge(t.run_ns, 20 * 2000000u);
	end();
}

START_TEST(time_goes_by)
{
	check_time("timed=1,races=1", PSTK_TASK_KERNEL);
	check_time("timed=1,races=1", PSTK_TASK_BUSY);
	check_time("timed=1,races=1,native=1", PSTK_TASK_SLEEP);
	check_time("races=1,native=1", PSTK_TASK_SLEEP);
}
END_TEST

static void check_wrong(const char *settings, enum pstk_task_mode mode)
{
	struct tasks t = { .mode = mode, .delay = 2, .device = "gpu", .token = 11, .value = 20 };

	start(settings);
	ck_assert_int_eq(tasks_run(&t), -EPROTO);
	TEST_SAYS(t.error, "'middle'", "port 'in1'", "token 13 carries 20, expected 12");
	end();
}

START_TEST(wrong_numbers)
{
	check_wrong("races=1,delay=5", PSTK_TASK_KERNEL);
	check_wrong("races=1,delay=5,native=1", PSTK_TASK_SLEEP);
}
END_TEST

START_TEST(no_native_kernels)
{
	struct tasks t = { .mode = PSTK_TASK_SLEEP, .device = "gpu" };

	start("");
	ck_assert_int_eq(tasks_run(&t), -ENOTSUP);
	TEST_SAYS(t.error, "'middle'", "pstk:gpu:0 runs no native kernels", "mode: kernel");
	end();
}
END_TEST

START_TEST(a_native_kernel_is_refused)
{
	struct tasks t = { .mode = PSTK_TASK_SLEEP, .device = "gpu" };

	start("native=1");
	ck_assert_int_eq(fake->fail_calls("clEnqueueNativeKernel", 3, 1, CL_OUT_OF_RESOURCES), 0);
	ck_assert_int_eq(tasks_run(&t), -EIO);
	TEST_SAYS(t.error, "'middle'", "clEnqueueNativeKernel: CL_OUT_OF_RESOURCES");
	end();
}
END_TEST

/* Any call of the measuring: the run fails and leaves nothing, or did not need it. */
START_TEST(any_call_fails)
{
	static const char *const functions[] = { "clCreateCommandQueue", "clCreateProgramWithSource",
		"clBuildProgram", "clCreateKernel", "clCreateBuffer", "clSetKernelArg",
		"clEnqueueNDRangeKernel", "clWaitForEvents", "clGetEventProfilingInfo" };

	for (unsigned i = 0; i < TEST_COUNT(functions); i++) {
		for (unsigned nth = 1; nth < 4; nth++) {
			struct tasks t = { .mode = PSTK_TASK_KERNEL, .time = 1e-5, .device = "gpu" };

			start("quiet=0");
			ck_assert_int_eq(fake->fail_calls(functions[i], nth, 1, CL_OUT_OF_RESOURCES), 0);
			if (tasks_run(&t))
				TEST_SAYS(t.error, "CL_OUT_OF_RESOURCES");
			end();
		}
	}
}
END_TEST

/* A counted source has calls of its own. */
START_TEST(any_call_of_a_source_fails)
{
	static const char *const functions[] = { "clCreateProgramWithSource", "clBuildProgram",
		"clCreateKernel", "clCreateBuffer", "clSetKernelArg", "clEnqueueNDRangeKernel" };

	for (unsigned i = 0; i < TEST_COUNT(functions); i++) {
		for (unsigned nth = 1; nth < 9; nth++) {
			struct pstk_network *net;
			struct pstk_actor *a, *b;

			start("");
			net = pstk_network_create("source");
			a = pstk_task_add(net, "a", PSTK_TASK(.outputs = 1, .count = 4));
			b = pstk_task_add(net, "b", PSTK_TASK(.inputs = 1));
			ck_assert_ptr_nonnull(
				pstk_connect(a, "out1", b, "in1", PSTK_FIFO(.rate = 1, .token_size = 8)));
			ck_assert_int_eq(pstk_actor_map(a, "gpu"), 0);
			ck_assert_int_eq(fake->fail_calls(functions[i], nth, 1, CL_OUT_OF_RESOURCES), 0);
			if (pstk_network_start(net) || pstk_network_wait(net))
				TEST_SAYS(pstk_network_error(net), "CL_OUT_OF_RESOURCES");
			pstk_network_destroy(net);
			end();
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("task_fake");
	TCase *tcase = test_case(suite, "device");

	tcase_add_test(tcase, any_call_fails); /* first: without forks what was measured is kept */
	tcase_add_test(tcase, time_goes_by);
	tcase_add_test(tcase, wrong_numbers);
	tcase_add_test(tcase, no_native_kernels);
	tcase_add_test(tcase, a_native_kernel_is_refused);
	tcase_add_test(tcase, any_call_of_a_source_fails);
	return test_main(suite);
}
