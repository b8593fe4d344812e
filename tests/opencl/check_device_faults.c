/* SPDX-License-Identifier: MIT */
/* Drivers that fail, or that answer what no driver here does. */
#include "lib/opencl/cl_device.h"
#include "lib/base/memory.h"
#include "tests/opencl/cl_wrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- drivers that fail
 * -------------------------------------------------------------------------------------------------- */

/* A life of devices; the error, after all has been released. */
static int live(struct ps_cl_fault *fault)
{
	static const char *const selectors[] = { TEST_DEVICE, "cpu/1of2", "cpu/2of3" };
	struct ps_cl_devices devices = { 0 };
	struct ps_cl_device *d;
	int err = 0;

	*fault = (struct ps_cl_fault){ 0 };
	for (unsigned i = 0; i < 3 && !err; i++)
		err = ps_cl_devices_get(&devices, selectors[i], &d, fault);
	if (!err)
		err = ps_cl_devices_open(&devices, fault);
	ps_cl_devices_close(&devices);
	ck_assert_int_eq(err, fault->err);
	ck_assert_int_eq(contexts, 0);
	return err;
}

static const struct {
	enum cl_call call;
	int after;
	cl_int code;
	int err;
	const char *text;
} failing_calls[] = {
	{ PLATFORM_IDS, 0, -6, -ENOMEM, "clGetPlatformIDs: CL_OUT_OF_HOST_MEMORY (-6)" },
	{ PLATFORM_IDS, 1, -30, -EINVAL, "clGetPlatformIDs: CL_INVALID_VALUE (-30)" },
	{ DEVICE_IDS, 0, -32, -EINVAL,
		"clGetDeviceIDs: CL_INVALID_PLATFORM (-32) on Portable Computing Language" },
	{ DEVICE_IDS, 1, -5, -ENOMEM,
		"clGetDeviceIDs: CL_OUT_OF_RESOURCES (-5) on Portable Computing Language" },
	{ SUB_DEVICES, 0, -18, -EIO,
		"clCreateSubDevices: CL_DEVICE_PARTITION_FAILED (-18) on pocl:cpu:0/1of2" },
	{ SUB_DEVICES, 0, 0, -ENODEV, "pocl:cpu:0/1of2 was divided into 1 parts instead of 2" },
	{ SUB_DEVICES, 1, -5, -ENOMEM, "clCreateSubDevices: CL_OUT_OF_RESOURCES (-5) on pocl:cpu:0/1of2" },
	{ SUB_DEVICES, 3, -5, -ENOMEM, "clCreateSubDevices: CL_OUT_OF_RESOURCES (-5) on pocl:cpu:0/2of3" },
	{ CONTEXT, 0, -2, -ENODEV, "clCreateContext: CL_DEVICE_NOT_AVAILABLE (-2) on pocl:cpu:0" },
	{ RETAIN, 0, -34, -EINVAL, "clRetainContext: CL_INVALID_CONTEXT (-34) on pocl:cpu:0" },
	{ RETAIN, 2, -34, -EINVAL, "clRetainContext: CL_INVALID_CONTEXT (-34) on pocl:cpu:0/2of3" },
};

/* Each in a process of its own: a device that was divided once stays so. */
START_TEST(calls_that_fail)
{
	struct ps_cl_fault fault;

	let_fail(failing_calls[_i].call, failing_calls[_i].after, failing_calls[_i].code);
	ck_assert_msg(live(&fault) == failing_calls[_i].err, "%d, %s", fault.err, fault.text);
	ck_assert_str_eq(fault.text, failing_calls[_i].text);
	let_fail(NO_CALL, 0, 0);
	ck_assert_int_eq(live(&fault), 0);
}
END_TEST

/* What a device does not tell: a fault for a caller that wants to use the device, unless it can be done without; never
 * for the list. */
START_TEST(devices_that_do_not_tell)
{
	static const struct {
		cl_uint what;
		int err;
	} cases[] = { { CL_DEVICE_MAX_COMPUTE_UNITS, -EINVAL }, { CL_DEVICE_GLOBAL_MEM_SIZE, -EINVAL },
		{ CL_DEVICE_HOST_UNIFIED_MEMORY, -EINVAL }, { CL_DEVICE_MAX_WORK_GROUP_SIZE, -EINVAL },
		{ CL_DEVICE_LOCAL_MEM_SIZE, -EINVAL }, { CL_DEVICE_MEM_BASE_ADDR_ALIGN, -EINVAL },
		{ CL_DEVICE_MAX_MEM_ALLOC_SIZE, -EINVAL }, { CL_DEVICE_AVAILABLE, -EINVAL },
		{ CL_DEVICE_SVM_CAPABILITIES, 0 }, { CL_DRIVER_VERSION, 0 }, { CL_DEVICE_VERSION, 0 } };
	struct pstk_device_info info;
	char text[400];

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		let_fail(DEVICE_INFO, 0, CL_INVALID_VALUE);
		failing_info = cases[i].what;
		ck_assert_int_eq(pstk_device_find("pocl", &info, text, sizeof text), cases[i].err);
		if (cases[i].err)
			ck_assert_str_eq(text, "clGetDeviceInfo: CL_INVALID_VALUE (-30) on pocl:cpu:0");
		ck_assert_int_eq(pstk_devices(&info, 1), 1);
		if (cases[i].what == CL_DEVICE_SVM_CAPABILITIES)
			ck_assert(!info.svm_coarse && !info.svm_fine);
	}
	let_fail(DEVICE_INFO, 0, CL_INVALID_VALUE);
	failing_info = CL_DEVICE_NAME;
	ck_assert_int_eq(pstk_devices(&info, 1), 1);
	ck_assert_str_eq(info.name, "");
	let_fail(DEVICE_INFO, 0, CL_OUT_OF_RESOURCES);
	failing_info = CL_DEVICE_GLOBAL_MEM_SIZE;
	ck_assert_int_eq(pstk_devices(&info, 1), 1);
	ck_assert_uint_eq(info.memory_bytes, 0);
	ck_assert_uint_eq(info.compute_units, TEST_UNITS);
	let_fail(PLATFORM_INFO, 0, CL_INVALID_VALUE); /* without any name its number is left */
	ck_assert_int_eq(pstk_devices(&info, 1), 1);
	ck_assert_str_eq(info.selector, "0:cpu:0");
	ck_assert_int_eq(pstk_device_find("0:cpu:0", &info, text, sizeof text), 0);
}
END_TEST

/* The same when devices are opened, of a device to divide and of its part. */
START_TEST(parts_that_do_not_tell)
{
	static const cl_uint untold[] = { CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_LOCAL_MEM_SIZE };

	for (unsigned i = 0; i < TEST_COUNT(untold); i++) {
		struct ps_cl_devices devices = { 0 };
		struct ps_cl_fault fault = { 0 };
		struct ps_cl_device *d;

		ck_assert_int_eq(ps_cl_devices_get(&devices, "cpu/1of2", &d, &fault), 0);
		let_fail(DEVICE_INFO, 0, CL_INVALID_DEVICE);
		failing_info = untold[i];
		ck_assert_int_eq(ps_cl_devices_open(&devices, &fault), -EINVAL);
		ck_assert_str_eq(
			fault.text, "clGetDeviceInfo: CL_INVALID_DEVICE (-33) on " TEST_DEVICE "/1of2");
		let_fail(NO_CALL, 0, 0);
		ps_cl_devices_close(&devices);
		ck_assert_int_eq(contexts, 0);
	}
}
END_TEST

/* One that fails does not take the others with it, and a device is listed once, whichever way it was found. */
START_TEST(a_platform_that_fails)
{
	struct pstk_device_info info;

	second_platform = true;
	ck_assert_int_eq(pstk_devices(&info, 1), 1);
	test_log_start();
	let_fail(DEVICE_IDS, 3, CL_OUT_OF_RESOURCES); /* behind the first one's: count, all, custom ones */
	ck_assert_int_eq(pstk_devices(&info, 1), 1);
	ck_assert_str_eq(info.selector, TEST_DEVICE);
	ck_assert(test_log_has("1 opencl a platform is left out: clGetDeviceIDs: CL_OUT_OF_RESOURCES (-5) on "
			       "Portable Computing Language"));
	test_log_stop();
}
END_TEST

START_TEST(answers_out_of_the_ordinary)
{
	static const char padded[] = "  \t Intel(R)   Xeon(R)\n CPU  \n", old[] = "OpenCL 1.1 x",
			  odd[] = "1.2";
	static const cl_bool no = CL_FALSE;
	static const cl_device_svm_capabilities coarse = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
	static const cl_device_type types[] = { CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT,
		CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CUSTOM,
		CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU };
	static const char *const selectors[] = { "pocl:gpu:0", "pocl:accelerator:0", "pocl:cpu:0",
		"pocl:custom:0", "pocl:gpu:0" };
	static char very_long[600];
	struct pstk_device_info info;
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_device d;
	char text[400];

#define LIE(what, data) (lie = (what), lie_data = (data), lie_size = sizeof(data))
	LIE(CL_DEVICE_NAME, padded);
	ck_assert_int_eq(pstk_device_find("xeon(r) cpu", &info, text, sizeof text), 0);
	ck_assert_str_eq(info.name, "Intel(R) Xeon(R) CPU");
	memset(very_long, 'n', sizeof very_long - 1);
	LIE(CL_DEVICE_NAME, very_long);
	ck_assert_int_eq(pstk_device_find("::nnn", &info, text, sizeof text), 0);
	ck_assert_uint_eq(strlen(info.name), sizeof info.name - 1);
	LIE(CL_DEVICE_VERSION, old);
	ck_assert_int_eq(ps_cl_device_find("pocl", &d, &fault), 0);
	ck_assert(!d.kernel_arg_info);
	LIE(CL_DEVICE_VERSION, odd);
	ck_assert_int_eq(ps_cl_device_find("pocl", &d, &fault), 0);
	ck_assert(!d.kernel_arg_info);
	lie = CL_DEVICE_AVAILABLE, lie_data = &no, lie_size = sizeof no;
	ck_assert_int_eq(pstk_device_find("pocl", &info, text, sizeof text), -ENODEV);
	TEST_SAYS(text, TEST_DEVICE, "not available");
	lie = CL_DEVICE_SVM_CAPABILITIES, lie_data = &coarse, lie_size = sizeof coarse;
	ck_assert_int_eq(pstk_device_find("pocl", &info, text, sizeof text), 0);
	ck_assert(info.svm_coarse && !info.svm_fine);
	for (unsigned i = 0; i < TEST_COUNT(types); i++) {
		lie = CL_DEVICE_TYPE, lie_data = &types[i], lie_size = sizeof types[i];
		ck_assert_int_eq(pstk_device_find("pocl", &info, text, sizeof text), 0);
		ck_assert_str_eq(info.selector, selectors[i]);
	}
}
END_TEST

static void fail_allocation(long n)
{
	ps_memory_fail_at = n;
}

START_TEST(each_allocation_fails)
{
	struct ps_cl_fault fault;
	struct pstk_device_info info;
	char text[400];
	FILE *out = fopen("/dev/null", "w");
	long n = 0;

	for (;; n++) {
		ps_memory_fail_at = n;
		if (live(&fault) == 0)
			break;
		ck_assert_int_eq(fault.err, -ENOMEM);
		TEST_SAYS(fault.text, "memory");
		ck_assert_int_eq(ps_memory_fail_at, -1);
	}
	ck_assert_int_gt(n, 30);
	for (n = 0; fail_allocation(n), pstk_devices(&info, 1) == -ENOMEM; n++)
		;
	ck_assert_int_gt(n, 8);
	for (n = 0; fail_allocation(n), pstk_device_find("cpu", &info, text, sizeof text) == -ENOMEM; n++)
		TEST_SAYS(text, "memory");
	ck_assert_int_gt(n, 8);
	for (n = 0; fail_allocation(n), pstk_devices_print(out) == -ENOMEM; n++)
		;
	ck_assert_int_gt(n, 9);
	ps_memory_fail_at = -1;
	fclose(out);
}
END_TEST

START_TEST(the_driver_is_heard)
{
	struct ps_cl_devices devices = { 0 };
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_device *d;

	setenv("PENSTOCK_DEBUG", "opencl:info", 1);
	test_log_start();
	ck_assert_int_eq(ps_cl_devices_open(&devices, &fault), 0); /* no device: no driver is asked */
	ck_assert_ptr_null(notify);
	ck_assert_int_eq(ps_cl_devices_get(&devices, "cpu", &d, &fault), 0);
	ck_assert_int_eq(ps_cl_devices_open(&devices, &fault), 0);
	ps_cl_devices_close(&devices);
	ck_assert_ptr_nonnull(notify);
	notify("a card fell out", NULL, 0, NULL); /* also after the end */
	notify(NULL, NULL, 0, NULL);
	ck_assert(test_log_has("2 opencl the driver says: a card fell out"));
	test_log_stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device_faults");
	TCase *faults = test_case(suite, "faults");

	cl_machine();
	tcase_add_loop_test(faults, calls_that_fail, 0, TEST_COUNT(failing_calls));
	tcase_add_test(faults, devices_that_do_not_tell);
	tcase_add_test(faults, parts_that_do_not_tell);
	tcase_add_test(faults, a_platform_that_fails);
	tcase_add_test(faults, answers_out_of_the_ordinary);
	tcase_add_test(faults, each_allocation_fails);
	tcase_add_test(faults, the_driver_is_heard);
	return test_main(suite);
}
