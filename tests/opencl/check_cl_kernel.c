/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_arg_type.h"
#include "lib/base/memory.h"
#include "tests/opencl/cl_test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* -- types -- */

START_TEST(sizes_of_types)
{
#define TYPE(name, type)           \
	{                          \
		name, sizeof(type) \
	}
#define VECTORS(name, type)                                                                          \
	TYPE(name, type), TYPE(name "2", type##2), TYPE(name "3", type##3), TYPE(name "4", type##4), \
		TYPE(name "8", type##8), TYPE(name "16", type##16), TYPE(name "16*", type##16)
	static const struct {
		const char *name;
		size_t size;
	} cases[] = { VECTORS("char", cl_char), VECTORS("uchar", cl_uchar), VECTORS("short", cl_short),
		VECTORS("ushort", cl_ushort), VECTORS("int", cl_int), VECTORS("uint", cl_uint),
		VECTORS("long", cl_long), VECTORS("ulong", cl_ulong), VECTORS("float", cl_float),
		VECTORS("double", cl_double), TYPE("half", cl_half), TYPE("half4", cl_half4),
		TYPE("unsigned", cl_uint), TYPE("unsigned*", cl_uint), TYPE("signed *", cl_int),
		TYPE("unsigned char", cl_uchar), TYPE("signed char", cl_char),
		TYPE("unsigned short", cl_ushort), TYPE("unsigned short int", cl_ushort),
		TYPE("short int", cl_short), TYPE("unsigned int", cl_uint), TYPE("unsigned int*", cl_uint),
		TYPE("long int", cl_long), TYPE("unsigned long", cl_ulong),
		TYPE("unsigned long int *", cl_ulong), { "", 0 }, { "*", 0 }, { "size_t", 0 }, { "void*", 0 },
		{ "bool", 0 }, { "float5", 0 }, { "float32", 0 }, { "float44", 0 }, { "floats", 0 },
		{ "floa", 0 }, { "float**", 0 }, { "float *const", 0 }, { "struct s", 0 },
		{ "unsigned float", 0 }, { "long long", 0 }, { "int int", 0 }, { "int[4]*", 0 },
		{ "my_float", 0 } };

	for (unsigned i = 0; i < TEST_COUNT(cases); i++)
		ck_assert_msg(ps_cl_arg_type_size(cases[i].name) == cases[i].size, "%s: %zu", cases[i].name,
			ps_cl_arg_type_size(cases[i].name));
}
END_TEST

START_TEST(parts_of_types)
{
	struct ps_cl_arg_type t;

	ck_assert(ps_cl_arg_type_parse("float3*", &t));
	ck_assert(t.scalar == 4 && t.lanes == 4 && t.floating);
	ck_assert(ps_cl_arg_type_parse("ulong", &t));
	ck_assert(t.scalar == 8 && t.lanes == 1 && !t.floating);
}
END_TEST

/* -- creation -- */

#define LONG_NAME "a_name_that_is_longer_than_the_sixty_three_letters_that_are_kept_of_it"
#define TYPES                                              \
	"struct pair { int a; float4 b; };\n"              \
	"typedef struct pair Pair;\ntypedef float real;\n" \
	"typedef struct { int x; } " LONG_NAME ";\n"

START_TEST(what_a_kernel_takes)
{
	static const struct {
		unsigned space;
		bool is_const;
		const char *type, *name;
		size_t size;
	} expected[] = {
		{ CL_KERNEL_ARG_ADDRESS_GLOBAL, true, "uchar*", "a", 0 },
		{ CL_KERNEL_ARG_ADDRESS_GLOBAL, false, "float4*", "b", 0 },
		{ CL_KERNEL_ARG_ADDRESS_GLOBAL, false, "struct pair*", "c", 0 },
		{ CL_KERNEL_ARG_ADDRESS_GLOBAL, true, "Pair*", "d", 0 },
		{ CL_KERNEL_ARG_ADDRESS_CONSTANT, true, "float*", "e", 0 },
		{ CL_KERNEL_ARG_ADDRESS_LOCAL, false, "int*", "f", 0 },
		{ CL_KERNEL_ARG_ADDRESS_PRIVATE, false, "uint", "g", 4 },
		{ CL_KERNEL_ARG_ADDRESS_PRIVATE, false, "int3", "h", 16 },
		{ CL_KERNEL_ARG_ADDRESS_PRIVATE, false, "Pair", "i", 0 },
		{ CL_KERNEL_ARG_ADDRESS_PRIVATE, false, "real", "j", 0 },
	};
	struct ps_cl_kernel k = cl_test_kernel(TYPES
		"__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void every(\n"
		"__global const uchar *restrict a, volatile __global float4 *b, __global struct pair *c,\n"
		"__global const Pair *d, __constant float *e, __local int *f, unsigned int g, int3 h, Pair "
		"i,\n"
		"real j, __global " LONG_NAME " *" LONG_NAME ", image2d_t l, sampler_t m) {}\n",
		"every");
	char cut[64];

	ck_assert_uint_eq(k.param_count, 13);
	for (unsigned i = 0; i < TEST_COUNT(expected); i++) {
		ck_assert_uint_eq(k.params[i].space, expected[i].space);
		ck_assert(k.params[i].is_const == expected[i].is_const);
		ck_assert(!k.params[i].is_opaque);
		ck_assert_str_eq(k.params[i].type, expected[i].type);
		ck_assert_str_eq(k.params[i].name, expected[i].name);
		ck_assert_uint_eq(k.params[i].size, expected[i].size);
	}
	snprintf(cut, sizeof cut, "%.60s...", LONG_NAME);
	ck_assert_str_eq(k.params[10].type, cut);
	ck_assert_str_eq(k.params[10].name, cut);
	ck_assert(k.params[11].is_opaque);
	ck_assert(k.params[12].is_opaque);
	ck_assert(k.required_group[0] == 4 && k.required_group[1] == 2 && k.required_group[2] == 1);
	ck_assert_ptr_eq(k.device, cl_test_device);
	ps_cl_kernel_destroy(&k);
	ck_assert_ptr_null(k.params);
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(a_kernel_without_arguments)
{
	struct ps_cl_kernel k = cl_test_kernel("__kernel void none(void) {}", "none");

	ck_assert_uint_eq(k.param_count, 0);
	ck_assert(!k.required_group[0] && !k.required_group[1] && !k.required_group[2]);
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(names_that_are_not_there)
{
	struct ps_cl_kernel k;
	struct ps_cl_fault f = { 0 };

	ck_assert_int_eq(
		ps_cl_kernel_create(&k,
			cl_test_build("__kernel void one(void) {}\n__kernel void two(void) {}"), "three", &f),
		-EINVAL);
	TEST_SAYS(f.text, "no kernel 'three'", "one", ", ", "two");
	f.err = 0;
	ck_assert_int_eq(
		ps_cl_kernel_create(&k, cl_test_build("int f(void) { return 1; }"), "three", &f), -EINVAL);
	TEST_SAYS(f.text, "no kernel 'three'");
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(programs_that_are_not_built)
{
	struct ps_cl_program *p =
		ps_cl_programs_want(&cl_test_programs, cl_test_device, "file:/nonexistent/a.cl", NULL);
	struct ps_cl_kernel k;
	struct ps_cl_fault f = { 0 };

	ck_assert_int_eq(ps_cl_kernel_create(&k, p, "k", &f), -EINVAL);
	TEST_SAYS(f.text, "not been built");
	ps_cl_programs_build(&cl_test_programs);
	f.err = 0;
	ck_assert_int_eq(ps_cl_kernel_create(&k, p, "k", &f), -ENOENT);
	TEST_SAYS(f.text, "/nonexistent/a.cl");
}
END_TEST

/* A driver may have information of none of the arguments, and a device of OpenCL 1.1 has the question not. */
START_TEST(a_driver_that_tells_nothing)
{
	static const char source[] = "__kernel void k(__global int *a, int b) {}";
	struct ps_cl_device old = *cl_test_device;
	struct ps_cl_program *p;
	struct ps_cl_kernel k;

	cl_test_plan.no_arg_info = true;
	k = cl_test_kernel(source, "k");
	ck_assert_ptr_null(k.params);
	ck_assert_uint_eq(k.param_count, 2);
	ps_cl_kernel_destroy(&k);
	cl_test_plan_none();
	old.kernel_arg_info = false;
	p = ps_cl_programs_want(&cl_test_programs, &old, source, NULL);
	ck_assert_int_eq(ps_cl_programs_build(&cl_test_programs), 0);
	cl_test_plan.fail_at = 1;
	cl_test_plan.function = "clGetKernelArgInfo";
	ck_assert_int_eq(ps_cl_kernel_create(&k, p, "k", &(struct ps_cl_fault){ 0 }), 0);
	ck_assert_int_eq(cl_test_plan.fail_at, 1);
	ck_assert_ptr_null(k.params);
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(types_that_are_very_long)
{
	static char type[3000];
	struct ps_cl_kernel k;

	memset(type, 'x', sizeof type - 1);
	cl_test_plan.arg_type = type;
	k = cl_test_kernel("__kernel void k(int b) {}", "k");
	ck_assert_str_eq(k.params[0].type, "...");
	ps_cl_kernel_destroy(&k);
	cl_test_plan.arg_type = "";
	k = cl_test_kernel("__kernel void k(int b) {}", "k");
	ck_assert_str_eq(k.params[0].type, "");
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(opencl_fails_in_creation)
{
	struct ps_cl_program *p = cl_test_build("__kernel void k(__global int *a, int b) {}");
	struct ps_cl_kernel k;
	int err = -1, at;

	for (at = 1; err; at++) {
		struct ps_cl_fault f = { 0 };

		cl_test_plan.fail_at = at;
		cl_test_plan.code = CL_OUT_OF_RESOURCES;
		err = ps_cl_kernel_create(&k, p, "k", &f);
		ck_assert_int_eq(err, cl_test_plan.fail_at ? 0 : ps_cl_errno(CL_OUT_OF_RESOURCES));
		ck_assert_int_eq(f.err, err);
		if (err)
			TEST_SAYS(f.text, "cl", "CL_OUT_OF_RESOURCES (-5)", cl_test_device->info.selector);
		if (err)
			ck_assert_ptr_null(k.id);
	}
	/* the kernel, its count, its group, seven of each argument */
	ck_assert_int_eq(at - 1, 1 + 1 + 1 + 2 * 7 + 1);
	cl_test_plan_none();
	ps_cl_kernel_destroy(&k);
	for (at = 1; at <= 3; at++) { /* the list of names is a help, no more */
		struct ps_cl_fault f = { 0 };

		cl_test_plan.fail_at = at;
		cl_test_plan.code = CL_OUT_OF_RESOURCES;
		cl_test_plan.function = "clGetProgramInfo";
		ck_assert_int_eq(ps_cl_kernel_create(&k, p, "other", &f), -EINVAL);
		TEST_SAYS(f.text, "no kernel 'other'", at == 3 ? ", but: k" : "in its source");
	}
}
END_TEST

START_TEST(memory_fails_in_creation)
{
	struct ps_cl_program *p = cl_test_build("__kernel void k(__global int *a, int b) {}");
	struct ps_cl_kernel k;
	struct ps_cl_fault f = { 0 };

	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_cl_kernel_create(&k, p, "k", &f), -ENOMEM);
	TEST_SAYS(f.text, "'k'", "memory");
	for (long at = 0; at < 2; at++) { /* the list of names is a help, no more */
		f.err = 0;
		ps_memory_fail_at = at;
		ck_assert_int_eq(ps_cl_kernel_create(&k, p, "other", &f), -EINVAL);
		ps_memory_fail_at = -1;
		ck_assert_str_eq(f.text, "there is no kernel 'other' in its source");
	}
	ck_assert_int_eq(ps_cl_kernel_create(&k, p, "k", (f.err = 0, &f)), 0);
	ps_cl_kernel_destroy(&k);
}
END_TEST

/* -- work sizes -- */

static const struct {
	const char *kernel;
	unsigned dims;
	size_t global[3], local[3]; /* local 0 0 0: none given */
	const char *says[2];
} size_cases[] = {
	{ "some", 1, { 100 }, { 0 }, { NULL } },
	{ "some", 3, { 7, 8, 9 }, { 7, 4, 3 }, { NULL } },
	{ "some", 1, { 10 }, { 10 }, { NULL } },
	{ "fixed", 2, { 8, 8 }, { 4, 2 }, { NULL } },
	{ "fixed", 3, { 8, 8, 5 }, { 4, 2, 1 }, { NULL } },
	{ "some", 0, { 1 }, { 0 }, { "kernel 'some'", "0 dimensions" } },
	{ "some", 4, { 1 }, { 0 }, { "4 dimensions" } },
	{ "some", 2, { 5, 0 }, { 0 }, { "global work size is 0 in y" } },
	{ "some", 2, { SIZE_MAX, 2 }, { 0 }, { "more work-items than a size_t counts" } },
	{ "some", 3, { 1, 1, 4 }, { 1, 1, 3 }, { "local work size, 3, does not divide", "4, in z" } },
	{ "some", 2, { 1, 1 }, { 1, 0 }, { "local work size is 0 in y" } },
	{ "some", 1, { (size_t)1 << 40 }, { (size_t)1 << 40 },
		{ "local work size is 1099511627776 in x", "allows" } },
	{ "some", 2, { 65536, 65536 }, { 4096, 4096 }, { "16777216 work-items in a group" } },
	{ "fixed", 2, { 8, 8 }, { 0 }, { "must be 4 x 2 x 1", "none is given" } },
	{ "fixed", 2, { 8, 8 }, { 2, 4 }, { "must be 4 x 2 x 1 (its reqd_work_group_size)" } },
	{ "fixed", 3, { 8, 8, 8 }, { 4, 2, 2 }, { "must be 4 x 2 x 1" } },
	{ "fixed", 1, { 8 }, { 4 }, { "must be 4 x 2 x 1" } },
};

#define SIZED                           \
	"__kernel void some(void) {}\n" \
	"__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(void) {}\n"

START_TEST(work_sizes)
{
	for (unsigned c = 0; c < TEST_COUNT(size_cases); c++) {
		struct ps_cl_kernel k = cl_test_kernel(SIZED, size_cases[c].kernel);
		const size_t *local = size_cases[c].local;
		struct ps_cl_fault f = { 0 };
		int err = ps_cl_kernel_check_work_size(
			&k, size_cases[c].dims, size_cases[c].global, local[0] ? local : NULL, &f);

		ck_assert_msg(err == (size_cases[c].says[0] ? -EINVAL : 0), "%u: %s", c, f.text);
		for (unsigned i = 0; i < 2 && size_cases[c].says[i]; i++)
			TEST_SAYS(f.text, size_cases[c].says[i]);
		ps_cl_kernel_destroy(&k);
	}
}
END_TEST

START_TEST(opencl_fails_with_work_sizes)
{
	struct ps_cl_kernel k = cl_test_kernel(SIZED, "some");
	const size_t global[3] = { 8, 8, 8 };

	for (int at = 1; at <= 3; at++) {
		struct ps_cl_fault f = { 0 };

		cl_test_plan.fail_at = at;
		cl_test_plan.code = CL_OUT_OF_RESOURCES;
		ck_assert_int_eq(ps_cl_kernel_check_work_size(&k, 3, global, global, &f),
			at < 3 ? ps_cl_errno(CL_OUT_OF_RESOURCES) : 0);
		if (at < 3)
			TEST_SAYS(f.text, at < 2 ? "clGetDeviceInfo" : "clGetKernelWorkGroupInfo", "(-5)");
	}
	cl_test_plan_none();
	ps_cl_kernel_destroy(&k);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernels");
	TCase *t = test_case(suite, "types"), *c = test_case(suite, "kernels"),
	      *s = test_case(suite, "work sizes");

	tcase_add_test(t, sizes_of_types);
	tcase_add_test(t, parts_of_types);
	tcase_add_checked_fixture(c, cl_test_setup, cl_test_teardown);
	tcase_add_test(c, what_a_kernel_takes);
	tcase_add_test(c, a_kernel_without_arguments);
	tcase_add_test(c, names_that_are_not_there);
	tcase_add_test(c, programs_that_are_not_built);
	tcase_add_test(c, a_driver_that_tells_nothing);
	tcase_add_test(c, types_that_are_very_long);
	tcase_add_test(c, opencl_fails_in_creation);
	tcase_add_test(c, memory_fails_in_creation);
	tcase_add_checked_fixture(s, cl_test_setup, cl_test_teardown);
	tcase_add_test(s, work_sizes);
	tcase_add_test(s, opencl_fails_with_work_sizes);
	return test_main(suite);
}
