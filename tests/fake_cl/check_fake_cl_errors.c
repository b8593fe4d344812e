/* SPDX-License-Identifier: MIT */
/* The fake driver's errors on demand: calls, commands, the device, memory. */
#include "tests/fake_cl/bench.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = BENCH_SIZE };

static _Atomic uint64_t called;
static _Atomic int told;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)data;
	told = status;
	called++;
}

START_TEST(calls_fail)
{
	cl_int err;
	cl_mem mem;

	called = 0;
	bench_start("svm=fine");
	ck_assert_int_eq(b.fake->fail_calls("clNoSuchThing", 1, 1, -5), -EINVAL);
	ck_assert_int_eq(b.fake->fail_calls("clFlush", 0, 1, -5), -EINVAL);
	ck_assert_int_eq(b.fake->fail_calls("clCreateBuffer", 2, 1, CL_OUT_OF_RESOURCES), 0);
	ck_assert_int_eq(b.fake->fail_calls("clSVMAlloc", 1, 1, CL_OUT_OF_RESOURCES), 0);
	ck_assert_int_eq(b.fake->fail_calls("clFlush", 1, 2, CL_OUT_OF_HOST_MEMORY), 0);
	mem = bench_buffer(SIZE);
	ck_assert_ptr_null(clCreateBuffer(b.context, 0, SIZE, NULL, &err));
	ck_assert_int_eq(err, CL_OUT_OF_RESOURCES);
	OK(clReleaseMemObject(mem));
	mem = bench_buffer(SIZE);
	OK(clReleaseMemObject(mem));
	ck_assert_ptr_null(clSVMAlloc(b.context, 0, SIZE, 0));
	ck_assert_int_eq(clFlush(b.queue), CL_OUT_OF_HOST_MEMORY);
	ck_assert_int_eq(clFlush(b.queue), CL_OUT_OF_HOST_MEMORY);
	OK(clFlush(b.queue));
	ck_assert_int_eq(b.fake->fail_calls(NULL, 2, 1, -5), 0); /* whatever is called */
	OK(clFlush(b.queue));
	ck_assert_int_eq(clFinish(b.queue), -5);
	OK(clFinish(b.queue));
	bench_finish();
}
END_TEST

/* Without the control: what a program that is started gets by its environment. */
START_TEST(the_environment_breaks_it)
{
	cl_int err;

	bench_start("fail=clCreateUserEvent:2:-6,lose=2:-5");
	ck_assert_int_eq(b.fake->configure("fail=clNoSuchThing:1:-6"), -EINVAL);
	ck_assert_int_eq(b.fake->configure("fail=clFlush:1:6"), -EINVAL);
	ck_assert_int_eq(b.fake->configure("lose=0:-6"), -EINVAL);
	OK(clReleaseEvent(bench_user_event()));
	ck_assert_ptr_null(clCreateUserEvent(b.context, &err));
	ck_assert_int_eq(err, CL_OUT_OF_HOST_MEMORY);
	OK(clEnqueueBarrierWithWaitList(b.queue, 0, NULL, NULL));
	for (unsigned i = 0; i < 2; i++) {
		cl_event event;

		OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &event));
		OK(clFinish(b.queue));
		ck_assert_int_eq(bench_status(event), CL_OUT_OF_RESOURCES);
		OK(clReleaseEvent(event));
	}
	unsetenv("PENSTOCK_FAKE_CL");
	b.fake->reset();
	bench_finish();
}
END_TEST

/* What the driver says when the program ends. */
START_TEST(a_report_at_the_end)
{
	FILE *out = tmpfile();
	char line[80] = "";
	pid_t child;

	ck_assert_ptr_nonnull(out);
	child = fork();
	if (!child) {
		dup2(fileno(out), STDERR_FILENO);
		bench_start("report=1,quiet=1");
		clReleaseContext(b.context);
		clReleaseContext(b.context); /* once too often */
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	rewind(out);
	while (fgets(line, sizeof(line), out) && !strstr(line, "violations"))
		;
	ck_assert_str_eq(line, "fake_cl: 1 violations, 1 objects are left\n");
	fclose(out);
}
END_TEST

/* As the specification has it: what waits for it fails, callbacks say so. */
START_TEST(commands_fail)
{
	cl_event gate, first, second, third;

	called = 0;
	bench_start("");
	gate = bench_user_event();
	ck_assert_int_eq(b.fake->fail_command(CL_COMMAND_MARKER, 1, CL_OUT_OF_RESOURCES), 0);
	OK(clEnqueueMarkerWithWaitList(b.queue, 1, &gate, &first));
	OK(clEnqueueMarkerWithWaitList(b.queue, 1, &first, &second));
	OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &third));
	OK(clSetEventCallback(second, CL_COMPLETE, on_event, NULL));
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clFinish(b.queue));
	ck_assert_int_eq(bench_status(first), CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(bench_status(second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	ck_assert_int_eq(bench_status(third), CL_COMPLETE);
	ck_assert_int_eq(clWaitForEvents(1, &first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	test_await(&called, 1);
	ck_assert_int_eq(told, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	OK(clReleaseEvent(second));
	OK(clEnqueueMarkerWithWaitList(b.queue, 1, &first, &second)); /* has failed already */
	ck_assert_int_eq(clWaitForEvents(1, &second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	OK(clReleaseEvent(first));
	OK(clReleaseEvent(second));
	OK(clReleaseEvent(third));
	OK(clReleaseEvent(gate));
	bench_finish();
}
END_TEST

/* As PoCL has it: no callbacks, and what is enqueued behind a failed event stays. */
START_TEST(commands_fail_as_with_pocl)
{
	cl_event first, second, third;

	called = 0;
	bench_start("pocl=1");
	ck_assert_int_eq(b.fake->fail_command(0, 1, -5), 0);
	b.fake->hold(true);
	OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &first));
	OK(clSetEventCallback(first, CL_COMPLETE, on_event, NULL));
	b.fake->hold(false);
	ck_assert_int_eq(clWaitForEvents(1, &first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	OK(clEnqueueMarkerWithWaitList(b.queue, 1, &first, &second));
	OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &third));
	b.fake->settle();
	ck_assert_int_eq(bench_status(second), CL_SUBMITTED);
	ck_assert_int_eq(bench_status(third), CL_SUBMITTED);
	ck_assert_uint_eq(called, 0);
	OK(clSetEventCallback(
		first, CL_COMPLETE, on_event, NULL)); /* PoCL tells a late one that all is well */
	ck_assert_uint_eq(called, 1);
	ck_assert_int_eq(told, CL_COMPLETE);
	OK(clReleaseEvent(first));
	OK(clReleaseEvent(second));
	OK(clReleaseEvent(third));
	bench_finish();
}
END_TEST

START_TEST(a_queue_falls_with_cascade)
{
	cl_event event;

	bench_start("cascade=1");
	ck_assert_int_eq(b.fake->fail_command(0, 1, -5), 0);
	OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, NULL));
	OK(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &event));
	ck_assert_int_eq(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	OK(clReleaseEvent(event));
	bench_finish();
}
END_TEST

START_TEST(the_device_is_lost)
{
	unsigned char bytes[SIZE];
	cl_bool available = CL_TRUE;
	cl_int err;
	cl_mem mem;

	bench_start("");
	mem = bench_buffer(SIZE);
	bench_pattern(bytes, 0);
	b.fake->lose_device(2, CL_DEVICE_NOT_AVAILABLE, false);
	bench_write(mem, bytes);
	ck_assert_int_eq(clEnqueueReadBuffer(b.queue, mem, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL),
		CL_DEVICE_NOT_AVAILABLE);
	ck_assert_int_eq(clEnqueueReadBuffer(b.queue, mem, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL),
		CL_DEVICE_NOT_AVAILABLE);
	OK(clGetDeviceInfo(b.device, CL_DEVICE_AVAILABLE, sizeof(available), &available, NULL));
	ck_assert(!available);
	b.fake->lose_device(1, CL_OUT_OF_RESOURCES, true);
	ck_assert_int_eq(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
	ck_assert_ptr_null(
		clEnqueueMapBuffer(b.queue, mem, CL_FALSE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &err));
	ck_assert_int_eq(err, CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(b.fake->live(FAKE_CL_MAP), 0);
	OK(clReleaseMemObject(mem));
	bench_finish();
}
END_TEST

START_TEST(memory_runs_out_late)
{
	unsigned char bytes[SIZE];
	cl_mem mem;

	bench_start("");
	mem = bench_buffer(SIZE);
	bench_pattern(bytes, 0);
	b.fake->fail_allocation(1);
	ck_assert_int_eq(clEnqueueWriteBuffer(b.queue, mem, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL),
		CL_MEM_OBJECT_ALLOCATION_FAILURE);
	bench_write(mem, bytes);
	OK(clReleaseMemObject(mem));
	bench_finish();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fake_cl_errors");
	TCase *errors = test_case(suite, "errors");

	tcase_add_test(errors, calls_fail);
	tcase_add_test(errors, the_environment_breaks_it);
	tcase_add_test(errors, a_report_at_the_end);
	tcase_add_test(errors, commands_fail);
	tcase_add_test(errors, commands_fail_as_with_pocl);
	tcase_add_test(errors, a_queue_falls_with_cascade);
	tcase_add_test(errors, the_device_is_lost);
	tcase_add_test(errors, memory_runs_out_late);
	return test_main(suite);
}
