/* SPDX-License-Identifier: MIT */
#include "lib/base/memory.h"
#include "tests/opencl/cl_test.h"

#include <stdlib.h>
#include <string.h>

/* -- wrappers -- */

#define WRAPPED                                                                                             \
	"struct pair { float4 v; int i; };\ntypedef struct pair Pair;\ntypedef __global uchar *bytes;\n"    \
	"#define p0 trap\n#define a2 trap\n"                                                                \
	"__kernel void octets(__global const uchar *in, __global uchar *out, ulong n, uchar add) {\n"       \
	"  size_t i = get_global_id(0); out[i] = (in ? in[i] : 7) + add + (uchar)n; }\n"                    \
	"__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void quads(\n"                             \
	"  __global const float4 *restrict in, __global volatile float4 *restrict out, ulong n, float4 "    \
	"add) {\n"                                                                                          \
	"  size_t i = get_global_id(0); out[i] = (in ? in[i] : (float4)(7)) * 2 + add + n; }\n"             \
	"__kernel void pairs(__global const struct pair *in, __global Pair *out, ulong n, Pair add) {\n"    \
	"  size_t i = get_global_id(0); Pair p; if (in) p = in[i]; else { p.v = 7; p.i = 9; }\n"            \
	"  out[i].v = p.v + add.v; out[i].i = p.i + add.i + (int)n; }\n"                                    \
	"__kernel void threes(__global const int3 *in, __global int3 *out, ulong n, int3 add) {\n"          \
	"  size_t i = get_global_id(0); out[i] = (in ? in[i] : (int3)(7)) + add + (int3)((int)n); }\n"      \
	"__kernel void hidden(__global const void *in, bytes out, ulong n, uint add) {\n"                   \
	"  size_t i = get_global_id(0); __global const ushort *s = in; out[i] = (s ? s[i] : 7) + add + n; " \
	"}\n"                                                                                               \
	"__kernel void shared(__global const double *in, __global double *out, ulong n, double add,\n"      \
	"  __constant float *c, __local float *l) {\n"                                                      \
	"  size_t i = get_global_id(0); l[get_local_id(0)] = c[1]; barrier(CLK_LOCAL_MEM_FENCE);\n"         \
	"  out[i] = (in ? in[i] : 7) + add + n + "                                                          \
	"(in ? in[i] : 7) + add + n + "                                                                     \
	"l[get_local_size(0) - 1 - get_local_id(0)]; }\n"

static const struct {
	const char *name;
	size_t in, out, add; /* bytes of an element, of the argument */
	size_t align;
} wrapped_cases[] = { { "octets", 1, 1, 1, 1 }, { "quads", 16, 16, 16, 16 }, { "pairs", 32, 32, 32, 16 },
	{ "threes", 16, 16, 16, 16 }, { "hidden", 2, 1, 4, 2 }, { "shared", 8, 8, 8, 8 } };

enum { ITEMS = 64, AREA = ITEMS * 32 + 4096 };

/* The rest of the arguments, from index i. */
static void set_rest(cl_kernel k, cl_uint i, size_t add_size, cl_mem constant)
{
	static const _Alignas(16) float add[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	cl_ulong n = 3;

	ck_assert_int_eq(clSetKernelArg(k, i, sizeof n, &n), 0);
	ck_assert_int_eq(clSetKernelArg(k, i + 1, add_size, add), 0);
	if (constant) {
		ck_assert_int_eq(clSetKernelArg(k, i + 2, sizeof constant, &constant), 0);
		ck_assert_int_eq(clSetKernelArg(k, i + 3, ITEMS * sizeof(float), NULL), 0);
	}
}

/* What the plain kernel makes of data, in a buffer that begins with it. */
static void run_plain(
	const struct ps_cl_kernel *k, unsigned c, const void *data, cl_mem constant, void *result)
{
	cl_mem in = data ? cl_test_buffer(ITEMS * wrapped_cases[c].in, data) : NULL;
	cl_mem out = cl_test_buffer(ITEMS * wrapped_cases[c].out, result);

	ck_assert_int_eq(clSetKernelArg(k->id, 0, sizeof in, in ? &in : NULL), 0);
	ck_assert_int_eq(clSetKernelArg(k->id, 1, sizeof out, &out), 0);
	set_rest(k->id, 2, wrapped_cases[c].add, constant);
	cl_test_launch(k->id, ITEMS);
	cl_test_buffer_read(out, ITEMS * wrapped_cases[c].out, result);
	if (in)
		clReleaseMemObject(in);
	clReleaseMemObject(out);
}

/* The same with both windows somewhere in a buffer; *area: all of the output's buffer. */
static void run_wrapped(const struct ps_cl_kernel *w, unsigned c, const void *data, size_t in_at,
	cl_mem constant, uint8_t *area, size_t out_at)
{
	cl_ulong offsets[2] = { in_at, out_at };
	uint8_t *around = calloc(1, AREA);
	cl_mem in, out = cl_test_buffer(AREA, area);

	ck_assert_ptr_nonnull(around);
	if (data)
		memcpy(around + in_at, data, ITEMS * wrapped_cases[c].in);
	in = data ? cl_test_buffer(AREA, around) : NULL;
	free(around);
	ck_assert_int_eq(clSetKernelArg(w->id, 0, sizeof in, in ? &in : NULL), 0);
	ck_assert_int_eq(clSetKernelArg(w->id, 1, sizeof offsets[0], &offsets[0]), 0);
	ck_assert_int_eq(clSetKernelArg(w->id, 2, sizeof out, &out), 0);
	ck_assert_int_eq(clSetKernelArg(w->id, 3, sizeof offsets[1], &offsets[1]), 0);
	set_rest(w->id, 4, wrapped_cases[c].add, constant);
	cl_test_launch(w->id, ITEMS);
	cl_test_buffer_read(out, AREA, area);
	if (in)
		clReleaseMemObject(in);
	clReleaseMemObject(out);
}

/* Small whole numbers in every type: no sum rounds. */
static void fill(unsigned c, uint8_t *data)
{
	for (unsigned i = 0; i < ITEMS * 8; i++) {
		float f = (float)(i % 100);
		double d = i % 100;

		if (c == 5 && i < ITEMS)
			memcpy(data + i * sizeof d, &d, sizeof d);
		else if (c == 1 || c == 2)
			memcpy(data + i * sizeof f, &f, sizeof f);
		else if (c != 5)
			memset(data + (size_t)i * 4, (int)(i * 37 % 251), 4);
	}
}

/* Each wrapper against its plain kernel at several offsets, with and without an input; around the window nothing changes. */
static void compare(const struct ps_cl_kernel *k, const struct ps_cl_kernel *w, unsigned c, cl_mem constant)
{
	static uint8_t data[ITEMS * 32], plain[ITEMS * 32], area[AREA], expected[AREA];
	size_t size = ITEMS * wrapped_cases[c].out, align = wrapped_cases[c].align;

	fill(c, data);
	for (unsigned round = 0; round < 6; round++) {
		const uint8_t *input = round < 5 ? data : NULL;
		size_t in_at = (7 * round + 1) * align, out_at = (round ? 11 * round + 3 : 0) * align;

		memset(plain, 0xa5, sizeof plain);
		memset(area, 0xa5, sizeof area);
		memset(expected, 0xa5, sizeof expected);
		run_plain(k, c, input, constant, plain);
		run_wrapped(w, c, input, in_at, constant, area, out_at);
		memcpy(expected + out_at, plain, size);
		ck_assert_msg(!memcmp(area, expected, AREA), "%s, round %u", wrapped_cases[c].name, round);
		ck_assert(memcmp(plain, expected + AREA - size, size) != 0);
	}
}

START_TEST(wrapped_kernels)
{
	struct ps_cl_kernel k = cl_test_kernel(WRAPPED, wrapped_cases[_i].name), w;
	char *text;
	struct ps_cl_fault f = { 0 };
	float numbers[2] = { 100, 200 };
	cl_mem constant = _i == 5 ? cl_test_buffer(sizeof numbers, numbers) : NULL;

	ck_assert(ps_cl_kernel_can_wrap(&k));
	text = ps_cl_wrapper_text(&k, 2);
	ck_assert_ptr_nonnull(text);
	TEST_SAYS(text, "#line 1 \"penstock-wrapper\"\n");
	ck_assert_msg(!ps_cl_wrapper_create(&w, cl_test_build(WRAPPED, text), &k, &f), "%s", f.text);
	ck_assert(w.wrapped);
	ck_assert_uint_eq(w.param_count, k.param_count);
	ck_assert_ptr_ne(w.params, k.params);
	ck_assert_mem_eq(w.required_group, k.required_group, sizeof k.required_group);
	compare(&k, &w, (unsigned)_i, constant);
	if (constant)
		clReleaseMemObject(constant);
	ps_cl_kernel_destroy(&w);
	ps_cl_kernel_destroy(&k);
	ps_memory_free(text);
}
END_TEST

START_TEST(the_text_of_a_wrapper)
{
	struct ps_cl_kernel k = cl_test_kernel(WRAPPED, "quads");
	char *text = ps_cl_wrapper_text(&k, 2);

	ck_assert_str_eq(text,
		"\n\n#line 1 \"penstock-wrapper\"\n"
		"__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void pstk_with_offsets_quads("
		"__global const uchar *restrict pstk_p0, ulong pstk_o0, "
		"__global uchar *restrict pstk_p1, ulong pstk_o1, ulong pstk_a2, float4 pstk_a3)\n{\n"
		"\tquads(pstk_p0 ? (__global const float4*)(pstk_p0 + pstk_o0) : (__global const float4*)0, "
		"pstk_p1 ? (__global volatile float4*)(pstk_p1 + pstk_o1) : (__global volatile float4*)0, "
		"pstk_a2, pstk_a3);\n}\n");
	ps_memory_free(text);
	ps_cl_kernel_destroy(&k);
	/* a driver that tells the typedef of a pointer: space and qualifiers are in it */
	cl_test_plan.arg_type = "bytes";
	k = cl_test_kernel("typedef __global uchar *bytes;\n__kernel void k(bytes a, bytes b) {}", "k");
	text = ps_cl_wrapper_text(&k, 1);
	TEST_SAYS(text, "(__global uchar *pstk_p0, ulong pstk_o0, bytes pstk_a1)",
		"k(pstk_p0 ? (bytes)(pstk_p0 + pstk_o0) : (bytes)0, pstk_a1);");
	ps_memory_free(text);
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(what_cannot_be_wrapped)
{
	struct ps_cl_kernel k = cl_test_kernel(
		"__kernel void k(__global int *a) { __local int l[64]; size_t i = get_local_id(0);\n"
		"l[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[63 - i]; }\n",
		"k");

	ck_assert(k.has_local);
	ck_assert(!ps_cl_kernel_can_wrap(&k));
	ps_cl_kernel_destroy(&k);
	k = cl_test_kernel("__kernel void rows(__global int (*a)[4]) { a[1][2] = 3; }\n", "rows");
	ck_assert(!ps_cl_kernel_can_wrap(&k));
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(a_wrapper_that_is_not_there)
{
	struct ps_cl_kernel k = cl_test_kernel(WRAPPED, "octets"), w;
	struct ps_cl_program *plain = cl_test_build(WRAPPED, NULL), *broken;
	struct ps_cl_fault f = { 0 };

	ck_assert_int_ne(ps_cl_wrapper_create(&w, plain, &k, &f), 0);
	TEST_SAYS(f.text, "clCreateKernel", "(-46)");
	broken = ps_cl_programs_want(&cl_test_programs, cl_test_device, WRAPPED, NULL, "\n\nwrong\n");
	ck_assert_int_ne(ps_cl_programs_build(&cl_test_programs), 0);
	f.err = 0;
	ck_assert_int_eq(ps_cl_wrapper_create(&w, broken, &k, &f), broken->fault.err);
	ck_assert_str_eq(f.text, broken->fault.text);
	ps_cl_kernel_destroy(&k);
}
END_TEST

/* What the driver doesn't tell isn't copied either. */
START_TEST(a_wrapper_without_the_drivers_help)
{
	static const char by_hand[] = "\n__kernel void pstk_with_offsets_k(__global uchar *p, ulong o) {}\n";
	static const char source[] = "__kernel void k(__global int *a) {}";
	struct ps_cl_kernel k, w;
	struct ps_cl_fault f = { 0 };

	cl_test_plan.no_arg_info = true;
	k = cl_test_kernel(source, "k");
	ck_assert_int_eq(ps_cl_wrapper_create(&w, cl_test_build(source, by_hand), &k, &f), 0);
	ck_assert_ptr_null(w.params);
	ck_assert_uint_eq(w.param_count, 1);
	ps_cl_kernel_destroy(&w);
	ps_cl_kernel_destroy(&k);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wrappers");
	TCase *w = test_case(suite, "wrappers");

	tcase_add_checked_fixture(w, cl_test_setup, cl_test_teardown);
	tcase_add_loop_test(w, wrapped_kernels, 0, (int)TEST_COUNT(wrapped_cases));
	tcase_add_test(w, the_text_of_a_wrapper);
	tcase_add_test(w, what_cannot_be_wrapped);
	tcase_add_test(w, a_wrapper_that_is_not_there);
	tcase_add_test(w, a_wrapper_without_the_drivers_help);
	return test_main(suite);
}
