/* SPDX-License-Identifier: MIT */
/* The devices of the machine, and parts of them. Every test is a process of its own, so that what a driver reads from
 * the environment can be chosen. */
#include "lib/opencl/cl_device.h"
#include "tests/common/child.h"
#include "tests/opencl/cl_wrap.h"

#include <CL/cl_ext.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- what there is
 * ------------------------------------------------------------------------------------------------------ */

/* As the driver says, asked without the library. */
static cl_device_id asked_directly(cl_platform_id *platform)
{
	cl_device_id id;

	ck_assert_int_eq(__real_clGetPlatformIDs(1, platform, NULL), 0);
	ck_assert_int_eq(__real_clGetDeviceIDs(*platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL), 0);
	return id;
}

static void check_text(cl_device_id id, cl_device_info what, const char *text)
{
	char expected[1024];

	ck_assert_int_eq(__real_clGetDeviceInfo(id, what, sizeof expected, expected, NULL), 0);
	ck_assert_uint_gt(strlen(text), 0);
	ck_assert_int_eq(strncmp(expected, text, strlen(text)), 0);
}

#define CHECK_FIGURE(id, what, type, expression)                                                     \
	do {                                                                                         \
		type figure;                                                                         \
		ck_assert_int_eq(__real_clGetDeviceInfo(id, what, sizeof figure, &figure, NULL), 0); \
		ck_assert_uint_eq((uint64_t)figure, (uint64_t)(expression));                         \
	} while (0)

START_TEST(devices_are_described)
{
	struct pstk_device_info list[8], found;
	cl_platform_id platform;
	char text[400], expected[1024];
	cl_device_id id;
	int count;

	memset(list, '#', sizeof list);
	ck_assert_int_eq(pstk_devices(NULL, 1), -EINVAL);
	count = pstk_devices(NULL, 0);
	ck_assert_int_eq(count, 1); /* PoCL's is the only one of the tests' machines */
	ck_assert_int_eq(pstk_devices(list, 8), count);
	id = asked_directly(&platform);
	ck_assert_str_eq(list[0].selector, TEST_DEVICE);
	check_text(id, CL_DEVICE_NAME, list[0].name);
	check_text(id, CL_DRIVER_VERSION, list[0].driver);
	check_text(id, CL_DEVICE_VERSION, list[0].version);
	__real_clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof expected, expected, NULL);
	ck_assert_str_eq(list[0].platform, expected);
	CHECK_FIGURE(id, CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, list[0].compute_units);
	ck_assert_uint_eq(list[0].compute_units, TEST_UNITS);
	CHECK_FIGURE(id, CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong, list[0].memory_bytes);
	CHECK_FIGURE(id, CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool, list[0].unified);
	ck_assert(list[0].svm_coarse);
	ck_assert(list[0].svm_fine);
	ck_assert_int_eq(*(const char *)&list[1], '#'); /* not more than there are */
	ck_assert_int_eq(pstk_device_find(":cpu:", &found, text, sizeof text), 0);
	ck_assert_mem_eq(&found, &list[0], sizeof found);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(pstk_device_find(list[0].selector, &found, NULL, 0), 0);
	ck_assert_mem_eq(&found, &list[0], sizeof found);
}
END_TEST

START_TEST(a_device_in_use_is_described)
{
	struct ps_cl_devices devices = { 0 };
	struct ps_cl_fault fault = { 0 };
	cl_platform_id platform;
	struct ps_cl_device *d, *again;
	cl_device_id id;

	ck_assert_int_eq(ps_cl_devices_get(&devices, "pocl", &d, &fault), 0);
	ck_assert_int_eq(ps_cl_devices_get(&devices, "0.0", &again, &fault), 0);
	ck_assert_ptr_eq(d, again);
	id = asked_directly(&platform);
	ck_assert_ptr_eq(d->platform, platform);
	ck_assert_ptr_eq(d->root, id);
	ck_assert_ptr_eq(d->id, id);
	ck_assert_uint_eq(d->part + d->parts, 0);
	CHECK_FIGURE(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t, d->max_work_group);
	CHECK_FIGURE(id, CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong, d->max_local);
	CHECK_FIGURE(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint, 8 * d->base_align);
	CHECK_FIGURE(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong, d->max_alloc);
	ck_assert(d->kernel_arg_info);
	ck_assert_ptr_null(d->context);
	ps_cl_devices_close(&devices); /* never opened */
	ck_assert_ptr_null(devices.first);
	ck_assert_int_eq(contexts, 0);
}
END_TEST

START_TEST(wrong_selectors_are_told)
{
	struct pstk_device_info info;
	char text[400];

	ck_assert_int_eq(pstk_device_find(NULL, &info, text, sizeof text), -EINVAL);
	TEST_SAYS(text, "selector", "NULL");
	ck_assert_int_eq(pstk_device_find("cpu", NULL, text, sizeof text), -EINVAL);
	TEST_SAYS(text, "info", "NULL");
	ck_assert_int_eq(pstk_device_find(NULL, NULL, NULL, 0), -EINVAL);
	ck_assert_int_eq(pstk_device_find("a:b:c:d", &info, text, sizeof text), -EINVAL);
	TEST_SAYS(text, "platform:type:device");
	ck_assert_int_eq(pstk_device_find("nosuch", &info, text, sizeof text), -ENODEV);
	TEST_SAYS(text, "'nosuch'", TEST_DEVICE);
	ck_assert_int_eq(pstk_device_find("nosuch", &info, text, 10), -ENODEV);
	ck_assert_uint_eq(strlen(text), 9);
	ck_assert_int_eq(pstk_device_find("nosuch", &info, text, 0), -ENODEV);
}
END_TEST

static void print_to(char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	ck_assert_int_eq(pstk_devices_print(out), 0);
	ck_assert_int_eq(fclose(out), 0);
}

START_TEST(the_table)
{
	char text[4096];
	FILE *full = fopen("/dev/full", "w");

	ck_assert_int_eq(pstk_devices_print(NULL), -EINVAL);
	print_to(text, sizeof text);
	TEST_SAYS(text, "selector", TEST_DEVICE, "Portable Computing Language", "MiB", "yes", "fine");
	/* aligned: the second column begins at the same place in both lines */
	ck_assert_ptr_nonnull(strchr(text, '\n'));
	ck_assert_int_eq(strstr(text, "device") - text, strstr(text, "pthread-") - strchr(text, '\n') - 1);
	ck_assert_ptr_nonnull(full);
	setvbuf(full, NULL, _IONBF, 0);
	ck_assert_int_eq(pstk_devices_print(full), -EIO);
	fclose(full);
}
END_TEST

/* -- machines without devices, and with two
 * ----------------------------------------------------------------------------- */

static void check_none(const char *says)
{
	struct pstk_device_info info;
	char text[4096], reason[400];

	ck_assert_int_eq(pstk_devices(&info, 1), 0);
	ck_assert_int_eq(pstk_device_find("cpu", &info, reason, sizeof reason), -ENODEV);
	TEST_SAYS(reason, "no OpenCL device: ", says);
	ck_assert_uint_lt(strlen(reason), PS_CL_TEXT - 1); /* nothing is cut */
	ck_assert_ptr_null(strchr(reason, '\n'));
	print_to(text, sizeof text);
	TEST_SAYS(text, reason);
}

START_TEST(no_driver)
{
	char long_path[200], says[100];

	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	check_none(
		"pocl-opencl-icd for the CPU; for a GPU its vendor's ICD package); drivers are looked for in "
		"OCL_ICD_VENDORS (here: /nonexistent)");
	memset(long_path, 'x', sizeof long_path - 1);
	long_path[sizeof long_path - 1] = '\0';
	setenv("OCL_ICD_VENDORS", long_path, 1);
	snprintf(says, sizeof says, "(here: %.60s)", long_path);
	check_none(says);
	unsetenv("OCL_ICD_VENDORS");
	check_none("ICD package)");
}
END_TEST

/* What PoCL goes by, and why it shows none then. */
static const struct {
	const char *name, *value; /* the variable; others of these are not set */
	const char *says;
} hidden[] = {
	{ "POCL_CACHE_DIR", "/dev/null/x",
		"PoCL can't write its cache /dev/null/x (POCL_CACHE_DIR): Not a directory; set "
		"POCL_CACHE_DIR to" },
	{ "POCL_CACHE_DIR", "/proc/nonexistent",
		"/proc/nonexistent (POCL_CACHE_DIR): No such file or directory" },
	{ "XDG_CACHE_HOME", "/dev/null",
		"/dev/null/pocl/kcache (XDG_CACHE_HOME): Not a directory; set POCL_CACHE_DIR" },
	{ "HOME", "/dev/null", "/dev/null/.cache/pocl/kcache (HOME): Not a directory; set POCL_CACHE_DIR" },
	{ "POCL_DEVICES", "nosuch",
		"PoCL shows those that POCL_DEVICES names, and has no 'nosuch'; unset POCL_DEVICES" },
	{ "POCL_DEVICES", "", "has no ''" },
};

START_TEST(devices_that_pocl_hides)
{
	unsetenv("POCL_CACHE_DIR");
	unsetenv("XDG_CACHE_HOME");
	setenv(hidden[_i].name, hidden[_i].value, 1);
	check_none(hidden[_i].says);
}
END_TEST

/* The one that is to be fixed first is said; the other one shows then. */
START_TEST(devices_that_are_hidden_twice)
{
	setenv("POCL_DEVICES", "nosuch", 1);
	setenv("POCL_CACHE_DIR", "/dev/null", 1);
	check_none("cache /dev/null (POCL_CACHE_DIR): Not a directory");
}
END_TEST

START_TEST(no_platform_and_no_device)
{
	static const struct {
		enum cl_call call;
		cl_int code;
		const char *says;
	} cases[] = { { PLATFORM_IDS, CL_PLATFORM_NOT_FOUND_KHR, "install a driver" },
		{ PLATFORM_IDS, CL_SUCCESS, "install a driver" },
		{ DEVICE_IDS, CL_DEVICE_NOT_FOUND, "PoCL shows those that POCL_DEVICES names" },
		{ DEVICE_IDS, CL_SUCCESS, "PoCL is installed, but shows none; with POCL_DEBUG=all" } };

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		if (i == 3)
			unsetenv("POCL_DEVICES");
		let_fail(cases[i].call, 0, cases[i].code);
		check_none(cases[i].says);
	}
}
END_TEST

START_TEST(two_devices)
{
	struct pstk_device_info list[2], found;
	struct ps_cl_devices devices = { 0 };
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_device *a, *b;
	char text[400], part[16];

	setenv("POCL_DEVICES", "pthread basic", 1);
	ck_assert_int_eq(pstk_devices(list, 1), 2);
	ck_assert_int_eq(pstk_devices(list, 2), 2);
	ck_assert_str_eq(list[0].selector, "pocl:cpu:0");
	ck_assert_str_eq(list[1].selector, "pocl:cpu:1");
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pstk_device_find(list[i].selector, &found, text, sizeof text), 0);
		ck_assert_mem_eq(&found, &list[i], sizeof found);
	}
	ck_assert_int_eq(pstk_device_find("cpu", &found, text, sizeof text), -ENOTUNIQ);
	TEST_SAYS(text, "'cpu'", "2", "pocl:cpu:0 (", "pocl:cpu:1 (");
	ck_assert_int_eq(pstk_device_find("basic", &found, text, sizeof text), 0);
	ck_assert_int_eq(ps_cl_devices_get(&devices, "basic", &a, &fault), 0);
	ck_assert_int_eq(ps_cl_devices_get(&devices, "pthread", &b, &fault), 0);
	ck_assert_ptr_ne(a, b);
	ck_assert_int_eq(ps_cl_devices_open(&devices, &fault), 0);
	ck_assert_ptr_ne(a->context, b->context);
	ps_cl_devices_close(&devices);
	ck_assert_int_eq(contexts, 0);
	/* PoCL does not divide this one */
	snprintf(part, sizeof part, "%s/1of1", strncmp(list[0].name, "basic", 5) ? "pocl::1" : "pocl::0");
	ck_assert_int_eq(pstk_device_find(part, &found, text, sizeof text), -ENODEV);
	TEST_SAYS(text, "driver does not divide", "1 compute unit)");
}
END_TEST

/* -- parts
 * -------------------------------------------------------------------------------------------------------------- */

/* A queue can be had for the device in its context: PoCL does not tell of parts in CL_CONTEXT_DEVICES. */
static void check_queue(const struct ps_cl_device *d)
{
	cl_int code;
	cl_command_queue queue = clCreateCommandQueue(d->context, d->id, 0, &code);

	ck_assert_int_eq(code, 0);
	ck_assert_int_eq(clFinish(queue), 0);
	ck_assert_int_eq(clReleaseCommandQueue(queue), 0);
}

/* /1of2 and /2of2 of five units have three and two; they share the context of the whole device; parts that no caller
 * uses are made with them and released. */
START_TEST(parts_of_a_device)
{
	static const char *const selectors[] = { TEST_DEVICE "/1of2", TEST_DEVICE "/2of2", TEST_DEVICE,
		"cpu/3of3" };
	static const unsigned units[] = { 3, 2, TEST_UNITS, 1 };
	struct ps_cl_devices devices = { 0 };
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_device *d[4], *again;
	cl_device_id root, part;

	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(ps_cl_devices_get(&devices, selectors[i], &d[i], &fault), 0);
		ck_assert_uint_eq(d[i]->info.compute_units, units[i]);
	}
	ck_assert_int_eq(ps_cl_devices_get(&devices, "0.0/2of2", &again, &fault), 0);
	ck_assert_ptr_eq(again, d[1]);
	ck_assert_str_eq(d[1]->info.selector, TEST_DEVICE "/2of2");
	ck_assert_str_eq(d[3]->info.selector, TEST_DEVICE "/3of3");
	ck_assert_int_eq(divisions, 0);
	ck_assert_int_eq(ps_cl_devices_open(&devices, &fault), 0);
	ck_assert_int_eq(divisions, 2); /* one for 2, one for 3 */
	ck_assert_int_eq(parts_alive, 2 + 3);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_ptr_eq(d[i]->context, d[0]->context);
		ck_assert_ptr_eq(d[i]->root, d[2]->id);
		check_queue(d[i]);
		ck_assert_uint_eq(d[i]->info.compute_units, units[i]);
		CHECK_FIGURE(d[i]->id, CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, units[i]);
		ck_assert_uint_gt(d[i]->max_work_group, 0);
		for (unsigned k = 0; k < i; k++)
			ck_assert_ptr_ne(d[k]->id, d[i]->id);
	}
	__real_clGetDeviceInfo(d[0]->id, CL_DEVICE_PARENT_DEVICE, sizeof root, &root, NULL);
	ck_assert_ptr_eq(root, d[0]->root);
	ck_assert_int_eq(ps_cl_devices_open(&devices, &fault), 0); /* nothing new */
	ck_assert_int_eq(divisions, 2);
	part = d[1]->id;
	ps_cl_devices_close(&devices);
	ck_assert_int_eq(contexts, 0);
	ps_cl_devices_close(&devices);
	/* the parts stay for the next network */
	ck_assert_int_eq(parts_alive, 2 + 3);
	ck_assert_int_eq(ps_cl_devices_get(&devices, selectors[1], &d[1], &fault), 0);
	ck_assert_int_eq(ps_cl_devices_open(&devices, &fault), 0);
	ck_assert_ptr_eq(d[1]->id, part);
	ck_assert_int_eq(divisions, 2);
	ps_cl_devices_close(&devices);
}
END_TEST

/* Only EQUALLY: five units in two parts are two and two, and one is left. */
START_TEST(parts_of_one_size)
{
	static const cl_device_partition_property equally[] = { CL_DEVICE_PARTITION_EQUALLY, 0 };
	struct ps_cl_devices devices = { 0 };
	struct ps_cl_fault fault = { 0 };
	struct ps_cl_device *d, *e;

	lie = CL_DEVICE_PARTITION_PROPERTIES;
	lie_data = equally;
	lie_size = sizeof equally;
	ck_assert_int_eq(ps_cl_devices_get(&devices, TEST_DEVICE "/1of2", &d, &fault), 0);
	ck_assert_uint_eq(d->info.compute_units, 2);
	ck_assert_int_eq(ps_cl_devices_get(&devices, TEST_DEVICE "/4of4", &e, &fault), 0);
	ck_assert_uint_eq(e->info.compute_units, 1);
	ck_assert_int_eq(ps_cl_devices_open(&devices, &fault), 0);
	ck_assert_int_eq(parts_alive, 2 + 5); /* the driver makes five of one unit */
	CHECK_FIGURE(d->id, CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, 2);
	CHECK_FIGURE(e->id, CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, 1);
	ps_cl_devices_close(&devices);
}
END_TEST

START_TEST(parts_that_cannot_be)
{
	static const cl_uint two = 2, six = 6;
	static const cl_device_partition_property domains[] = { CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 0 };
	struct pstk_device_info info;
	char text[400];

	ck_assert_int_eq(pstk_device_find("cpu/1of6", &info, text, sizeof text), -ENODEV);
	ck_assert_str_eq(text, TEST_DEVICE " can't be divided into 6 parts: it has 5 compute units");
	ck_assert_int_eq(pstk_device_find("cpu/5of5", &info, text, sizeof text), 0);
	ck_assert_uint_eq(info.compute_units, 1);
	lie = CL_DEVICE_PARTITION_PROPERTIES;
	lie_data = domains;
	lie_size = sizeof domains;
	ck_assert_int_eq(pstk_device_find("cpu/1of2", &info, text, sizeof text), -ENODEV);
	TEST_SAYS(text, TEST_DEVICE, "2 parts", "does not divide", "5 compute units");
	lie = CL_DEVICE_PARTITION_MAX_SUB_DEVICES;
	lie_data = &two;
	lie_size = sizeof two;
	ck_assert_int_eq(pstk_device_find("cpu/1of3", &info, text, sizeof text), -ENODEV);
	TEST_SAYS(text, TEST_DEVICE, "3 parts", "allows 2", "5 compute units");
	lie_data = &six; /* and a driver that does not keep its word */
	ck_assert_int_eq(pstk_device_find("cpu/1of5", &info, text, sizeof text), 0);
	lie = 0;
	let_fail(DEVICE_INFO, 0, CL_INVALID_VALUE);
	failing_info = CL_DEVICE_PARTITION_PROPERTIES;
	ck_assert_int_eq(pstk_device_find("cpu/1of5", &info, text, sizeof text), -ENODEV);
	TEST_SAYS(text, "does not divide");
	let_fail(DEVICE_INFO, 0, CL_INVALID_VALUE);
	failing_info = CL_DEVICE_PARTITION_MAX_SUB_DEVICES;
	ck_assert_int_eq(pstk_device_find("cpu/1of5", &info, text, sizeof text), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("devices");
	TCase *list = test_case(suite, "list"), *parts = test_case(suite, "parts");

	cl_machine();
	tcase_add_test(list, devices_are_described);
	tcase_add_test(list, a_device_in_use_is_described);
	tcase_add_test(list, wrong_selectors_are_told);
	tcase_add_test(list, the_table);
	tcase_add_test(list, no_driver);
	tcase_add_loop_test(list, devices_that_pocl_hides, 0, TEST_COUNT(hidden));
	tcase_add_test(list, devices_that_are_hidden_twice);
	tcase_add_test(list, no_platform_and_no_device);
	tcase_add_test(list, two_devices);
	tcase_add_test(parts, parts_of_a_device);
	tcase_add_test(parts, parts_of_one_size);
	tcase_add_test(parts, parts_that_cannot_be);
	return test_main(suite);
}
