/* SPDX-License-Identifier: MIT */
/* A device's clock on the host's: of the fake driver, whose clock is told far ahead and drifts (its setting `skew`). */
#include "lib/opencl/cl_clock.h"
#include "lib/base/clock.h"
#include "tests/common/common.h"
#include "tests/fake_cl/fake_cl.h"
#include "tests/opencl/fault_net.h"

#include <errno.h>
#include <string.h>

static const struct fake_cl *fake;
static struct ps_cl_devices devices;

/* nvidia: no times of markers. */
static struct ps_cl_device *open_device_of(bool nvidia)
{
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_device *device;

	fake = fault_driver(nvidia ? "skew=1,nvidia=1" : "skew=1", NULL);
	ck_assert_ptr_nonnull(fake);
	ck_assert_int_eq(ps_cl_devices_get(&devices, "fake", &device, &fault), 0);
	ck_assert_int_eq(ps_cl_devices_open(&devices, &fault), 0);
	return device;
}

static struct ps_cl_device *open_device(void)
{
	return open_device_of(false);
}

static void close_device(void)
{
	ps_cl_devices_close(&devices);
	fake->settle();
	ck_assert_int_eq(fake->live(FAKE_CL_QUEUE), 0);
	ck_assert_int_eq(fake->live(FAKE_CL_EVENT), 0);
	ck_assert_uint_eq(fake->violation_count(), 0);
}

/* A look each time, or each second; of either kind of driver: _i. */
START_TEST(test_skew)
{
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_clock *clock = ps_cl_clock_open(open_device_of(_i / 2), &fault);

	ck_assert_ptr_nonnull(clock);
	ps_cl_clock_period_ns = _i % 2 ? 1000000000u : 0;
	for (unsigned i = 0; i < 200; i++) {
		uint64_t host = ps_clock_ns(), error,
			 told = ps_cl_clock_host(clock, fake_cl_skewed(host), &error),
			 off = told > host ? told - host : host - told;

		ck_assert_uint_le(off, error);
	}
	ps_cl_clock_close(clock);
	close_device();
}
END_TEST

/* What was long before the look, or will be long after it: clocks drift, and the error says so. */
START_TEST(test_far_from_a_look)
{
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_clock *clock = ps_cl_clock_open(open_device(), &fault);
	const uint64_t second = 1000000000u, host = ps_clock_ns();

	ck_assert_ptr_nonnull(clock);
	ps_cl_clock_period_ns = 0;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t then = i ? host + 20 * second : host - 20 * second, error,
			 told = ps_cl_clock_host(clock, fake_cl_skewed(then), &error);

		ck_assert_uint_le(told > then ? told - then : then - told, error);
		ck_assert_uint_lt(error, second);
	}
	ps_cl_clock_close(clock);
	close_device();
}
END_TEST

/* A look that fails, or is worse, changes nothing. */
START_TEST(test_no_look)
{
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_clock *clock = ps_cl_clock_open(open_device(), &fault);
	uint64_t host = ps_clock_ns(), before, error;

	ck_assert_ptr_nonnull(clock);
	ps_cl_clock_period_ns = 1000000000u;
	before = ps_cl_clock_host(clock, fake_cl_skewed(host), &error);
	ps_cl_clock_period_ns = 0;
	ck_assert_int_eq(fake->fail_calls("clEnqueueMarkerWithWaitList", 1, 1, CL_OUT_OF_RESOURCES), 0);
	ck_assert_uint_eq(ps_cl_clock_host(clock, fake_cl_skewed(host), &error), before);
	ck_assert_int_eq(fake->fail_calls("clFinish", 1, 1, CL_OUT_OF_RESOURCES), 0);
	ck_assert_uint_eq(ps_cl_clock_host(clock, fake_cl_skewed(host), &error), before);
	ps_cl_clock_close(clock);
	close_device();
}
END_TEST

static const struct {
	const char *call, *words;
} failures[] = { { "clCreateCommandQueue", "clCreateCommandQueue" },
	{ "clEnqueueMarkerWithWaitList", "a marker's time" }, { "clFinish", "a marker's time" },
	{ "clGetEventProfilingInfo", "a marker's time" },
	/* from here on of NVIDIA's */
	{ "clCreateBuffer", "clCreateBuffer for a command's times" },
	{ "clEnqueueFillBuffer", "a marker's time" } };
enum { NVIDIAS = 4 };

START_TEST(test_not_to_be_had)
{
	struct ps_cl_fault fault = { 0 };
	const struct ps_cl_device *device = open_device_of(_i >= NVIDIAS);

	ck_assert_int_eq(fake->fail_calls(failures[_i].call, 1, 1, CL_OUT_OF_RESOURCES), 0);
	ck_assert_ptr_null(ps_cl_clock_open(device, &fault));
	ck_assert_int_ne(fault.err, 0);
	ck_assert_ptr_nonnull(strstr(fault.text, failures[_i].words));
	close_device();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_clock");
	TCase *tc = test_case(suite, "cl_clock");

	tcase_add_loop_test(tc, test_skew, 0, 4);
	tcase_add_test(tc, test_far_from_a_look);
	tcase_add_test(tc, test_no_look);
	tcase_add_loop_test(tc, test_not_to_be_had, 0, TEST_COUNT(failures));
	return test_main(suite);
}
