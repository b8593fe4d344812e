/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_error.h"
#include "tests/common/common.h"

#include <errno.h>
#include <string.h>

/* From the specification, by number. */
static const char *const names[] = { "CL_SUCCESS", "CL_DEVICE_NOT_FOUND", "CL_DEVICE_NOT_AVAILABLE",
	"CL_COMPILER_NOT_AVAILABLE", "CL_MEM_OBJECT_ALLOCATION_FAILURE", "CL_OUT_OF_RESOURCES",
	"CL_OUT_OF_HOST_MEMORY", "CL_PROFILING_INFO_NOT_AVAILABLE", "CL_MEM_COPY_OVERLAP",
	"CL_IMAGE_FORMAT_MISMATCH", "CL_IMAGE_FORMAT_NOT_SUPPORTED", "CL_BUILD_PROGRAM_FAILURE",
	"CL_MAP_FAILURE", "CL_MISALIGNED_SUB_BUFFER_OFFSET", "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
	"CL_COMPILE_PROGRAM_FAILURE", "CL_LINKER_NOT_AVAILABLE", "CL_LINK_PROGRAM_FAILURE",
	"CL_DEVICE_PARTITION_FAILED", "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", [30] = "CL_INVALID_VALUE",
	"CL_INVALID_DEVICE_TYPE", "CL_INVALID_PLATFORM", "CL_INVALID_DEVICE", "CL_INVALID_CONTEXT",
	"CL_INVALID_QUEUE_PROPERTIES", "CL_INVALID_COMMAND_QUEUE", "CL_INVALID_HOST_PTR",
	"CL_INVALID_MEM_OBJECT", "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "CL_INVALID_IMAGE_SIZE",
	"CL_INVALID_SAMPLER", "CL_INVALID_BINARY", "CL_INVALID_BUILD_OPTIONS", "CL_INVALID_PROGRAM",
	"CL_INVALID_PROGRAM_EXECUTABLE", "CL_INVALID_KERNEL_NAME", "CL_INVALID_KERNEL_DEFINITION",
	"CL_INVALID_KERNEL", "CL_INVALID_ARG_INDEX", "CL_INVALID_ARG_VALUE", "CL_INVALID_ARG_SIZE",
	"CL_INVALID_KERNEL_ARGS", "CL_INVALID_WORK_DIMENSION", "CL_INVALID_WORK_GROUP_SIZE",
	"CL_INVALID_WORK_ITEM_SIZE", "CL_INVALID_GLOBAL_OFFSET", "CL_INVALID_EVENT_WAIT_LIST",
	"CL_INVALID_EVENT", "CL_INVALID_OPERATION", "CL_INVALID_GL_OBJECT", "CL_INVALID_BUFFER_SIZE",
	"CL_INVALID_MIP_LEVEL", "CL_INVALID_GLOBAL_WORK_SIZE", "CL_INVALID_PROPERTY",
	"CL_INVALID_IMAGE_DESCRIPTOR", "CL_INVALID_COMPILER_OPTIONS", "CL_INVALID_LINKER_OPTIONS",
	"CL_INVALID_DEVICE_PARTITION_COUNT", "CL_INVALID_PIPE_SIZE", "CL_INVALID_DEVICE_QUEUE",
	"CL_INVALID_SPEC_ID", "CL_MAX_SIZE_RESTRICTION_EXCEEDED" };

START_TEST(each_code_has_its_name)
{
	for (int code = -2000; code < 100; code++) {
		const char *name = code <= 0 && code > -(int)TEST_COUNT(names) ? names[-code] : NULL;

		if (code == -1001)
			name = "CL_PLATFORM_NOT_FOUND_KHR";
		ck_assert_str_eq(ps_cl_error_name(code), name ? name : "unknown OpenCL error");
	}
}
END_TEST

START_TEST(each_code_has_its_errno)
{
	static const int other[][2] = { { 0, 0 }, { -1, -ENODEV }, { -2, -ENODEV }, { -1001, -ENODEV },
		{ -4, -ENOMEM }, { -5, -ENOMEM }, { -6, -ENOMEM }, { -11, -EINVAL }, { -15, -EINVAL },
		{ -17, -EINVAL }, { -3, -EIO }, { -14, -EIO }, { -29, -EIO }, { -73, -EIO }, { -1002, -EIO },
		{ 7, -EIO } };

	for (unsigned i = 0; i < TEST_COUNT(other); i++)
		ck_assert_int_eq(ps_cl_errno(other[i][0]), other[i][1]);
	for (int code = -72; code <= -30; code++)
		ck_assert_int_eq(ps_cl_errno(code), -EINVAL);
}
END_TEST

START_TEST(the_first_fault_stays)
{
	struct ps_cl_fault fault = { 0 };
	char longer[2 * PS_CL_TEXT];

	ck_assert_int_eq(ps_cl_fail(&fault, -5, "clFinish", "pocl:cpu:0"), -ENOMEM);
	ck_assert_str_eq(fault.text, "clFinish: CL_OUT_OF_RESOURCES (-5) on pocl:cpu:0");
	ck_assert_int_eq(ps_cl_fail(&fault, -30, "clFlush", NULL), -ENOMEM);
	ck_assert_int_eq(ps_cl_refuse(&fault, -EDOM, "later"), -ENOMEM);
	ck_assert_str_eq(fault.text, "clFinish: CL_OUT_OF_RESOURCES (-5) on pocl:cpu:0");
	fault = (struct ps_cl_fault){ 0 };
	ck_assert_int_eq(ps_cl_fail(&fault, -9999, "clFlush", NULL), -EIO);
	ck_assert_str_eq(fault.text, "clFlush: unknown OpenCL error (-9999)");
	fault = (struct ps_cl_fault){ 0 };
	ck_assert_int_eq(ps_cl_fail(&fault, 0, "clFlush", NULL), -EIO); /* never lost */
	memset(longer, 'x', sizeof longer);
	longer[sizeof longer - 1] = '\0';
	fault = (struct ps_cl_fault){ 0 };
	ck_assert_int_eq(ps_cl_refuse(&fault, -EDOM, "%s", longer), -EDOM);
	ck_assert_uint_eq(strlen(fault.text), PS_CL_TEXT - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cl_error");
	TCase *c = test_case(suite, "cl_error");

	tcase_add_test(c, each_code_has_its_name);
	tcase_add_test(c, each_code_has_its_errno);
	tcase_add_test(c, the_first_fault_stays);
	return test_main(suite);
}
