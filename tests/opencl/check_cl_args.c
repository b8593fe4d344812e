/* SPDX-License-Identifier: MIT */
#include "lib/base/memory.h"
#include "tests/opencl/cl_test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* -- the check -- */

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT, .token_type = "f32" },
	{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32" } };
static const struct pstk_actor_type scaler = { .name = "scaler", .ports = ports, .port_count = 2 };

/* One argument of pstk_actor_set_arg() behind two ports and the number, or what stands in their place. */
struct check_case {
	const char *params; /* of the kernel; "I", "O" and "F" are right for the ports and the number */
	bool has_state;
	struct ps_cl_arg arg; /* unless its kind is UNSET with port 1: none */
	const char *says[4];  /* none: it is taken */
};

#define NO_ARG            \
	{                 \
		.port = 1 \
	}
#define VALUE(n)                                   \
	{                                          \
		.kind = PS_CL_ARG_VALUE, .size = n \
	}
#define LOCAL(n)                                   \
	{                                          \
		.kind = PS_CL_ARG_LOCAL, .size = n \
	}
#define RATE                                      \
	{                                         \
		.kind = PS_CL_ARG_RATE, .size = 4 \
	}
#define VALID                                                 \
	{                                                     \
		.kind = PS_CL_ARG_VALID, .port = 1, .size = 4 \
	}

static const struct check_case check_cases[] = {
	{ "I, O, F", false, NO_ARG, { NULL } },
	{ "__global float *in, O, F", false, NO_ARG, { NULL } },
	{ "__global const float4 *in, O, long n", false, NO_ARG, { NULL } },
	{ "I, O, my_long n", false, NO_ARG, { NULL } },
	{ "I, O, __global int *state, F", true, NO_ARG, { NULL } },
	{ "I, O, __global const int *state, F", true, NO_ARG, { NULL } },
	{ "I, O, F, float gain", false, VALUE(4), { NULL } },
	{ "I, O, F, float3 gain", false, VALUE(16), { NULL } },
	{ "I, O, F, my_long gain", false, VALUE(3), { NULL } },
	{ "I, O, F, __global const float *taps", false, VALUE(20), { NULL } },
	{ "I, O, F, __constant float *taps", false, VALUE(20), { NULL } },
	{ "I, O, F, __local float *tile", false, LOCAL(64), { NULL } },
	{ "I, O, F, uint rate", false, RATE, { NULL } },
	{ "I, O, F, int valid", false, VALID, { NULL } },
	/* the count */
	{ "I, O", false, NO_ARG,
		{ "kernel 'k' has 2 arguments, it gets 3", "2 ports", "firing", "0 given arguments" } },
	{ "I, O, F", true, NO_ARG, { "kernel 'k' has 3 arguments, it gets 4", "state" } },
	{ "I, O, F, float gain", false, NO_ARG, { "has 4 arguments, it gets 3" } },
	{ "I, O, F", false, VALUE(4), { "has 3 arguments, it gets 4", "1 given argument" } },
	/* the ports */
	{ "float in, O, F", false, NO_ARG,
		{ "kernel 'k', argument 0 'in': is float;", "input port 'in'",
			"must be a __global pointer" } },
	{ "__constant float *in, O, F", false, NO_ARG,
		{ "argument 0 'in': is __constant float*;", "__global" } },
	{ "I, __local float *out, F", false, NO_ARG,
		{ "argument 1 'out': is __local float*", "output port 'out'" } },
	{ "I, __global const float *out, F", false, NO_ARG,
		{ "argument 1 'out': is const", "output port 'out'" } },
	{ "image2d_t in, O, F", false, NO_ARG, { "argument 0 'in': is image2d_t", "__global pointer" } },
	/* the state and the number */
	{ "I, O, int state, F", true, NO_ARG,
		{ "argument 2 'state': is int; it gets the state", "__global" } },
	{ "I, O, uint n", false, NO_ARG,
		{ "argument 2 'n': is uint; it gets the firing's number", "a ulong" } },
	{ "I, O, double n", false, NO_ARG, { "argument 2 'n': is double", "a ulong" } },
	{ "I, O, uint2 n", false, NO_ARG, { "argument 2 'n': is uint2", "a ulong" } },
	{ "I, O, __global ulong *n", false, NO_ARG, { "argument 2 'n': is __global ulong*", "a ulong" } },
	{ "I, O, sampler_t n", false, NO_ARG, { "argument 2 'n': is sampler_t", "a ulong" } },
	/* what is set */
	{ "I, O, F, float gain", false, VALUE(8),
		{ "kernel 'k', argument 3 'gain': takes 4 bytes (float), given argument 0 has 8" } },
	{ "I, O, F, float gain", false, VALUE(0), { "argument 3 'gain': given argument 0 has 0 bytes" } },
	{ "I, O, F, __global float *taps", false, VALUE(20),
		{ "argument 3 'taps': is __global float*", "given argument 0", "must be const" } },
	{ "I, O, F, __local float *tile", false, VALUE(20),
		{ "argument 3 'tile': is __local float*", "given argument 0 is a value",
			"a size without a value" } },
	{ "I, O, F, sampler_t s", false, VALUE(4), { "argument 3 's': is sampler_t", "given argument 0" } },
	{ "I, O, F, float gain", false, LOCAL(4),
		{ "argument 3 'gain': is float", "local memory", "__local" } },
	{ "I, O, F, __global const float *gain", false, LOCAL(4),
		{ "argument 3 'gain': is __global const float*", "local memory" } },
	{ "I, O, F, sampler_t s", false, LOCAL(4), { "argument 3 's': is sampler_t", "__local" } },
	{ "I, O, F, __local int *t", false, LOCAL(0), { "argument 3 't'", "local memory of 0 bytes" } },
	{ "I, O, F, __local int *t", false, LOCAL((size_t)1 << 40),
		{ "kernel 'k'", "1099511627776 bytes of local" } },
	{ "I, O, F, float rate", false, RATE,
		{ "argument 3 'rate': is float; it gets the rate of port 'in', given argument 0,",
			"be a uint" } },
	{ "I, O, F, ulong valid", false, VALID,
		{ "argument 3 'valid': is ulong", "valid tokens of port 'out'", "be a uint" } },
	{ "I, O, F, char4 valid", false, VALID, { "argument 3 'valid': is char4", "a uint" } },
	{ "I, O, F, __constant uint *rate", false, RATE,
		{ "argument 3 'rate': is __constant uint*", "a uint" } },
	{ "I, O, F, uint rate", false, { .kind = PS_CL_ARG_UNSET },
		{ "argument 3 'rate': given argument 0 is missing" } },
};

static struct ps_cl_kernel kernel_of(const char *params)
{
	char source[1024];

	snprintf(source, sizeof source,
		"typedef ulong my_long;\n#define I __global const float *in\n#define O __global float *out\n"
		"#define F ulong n\n__kernel void k(%s) {}\n",
		params);
	return cl_test_kernel(source, "k");
}

static void check_one(const struct check_case *c)
{
	struct ps_cl_arg arg = c->arg;
	bool has_arg = !(arg.kind == PS_CL_ARG_UNSET && arg.port == 1);
	struct ps_cl_signature s = { &scaler, c->has_state, &arg, has_arg ? 1 : 0 };
	struct ps_cl_fault f = { 0 };
	struct ps_cl_kernel k = kernel_of(c->params);

	ck_assert_msg(
		ps_cl_kernel_check(&k, &s, &f) == (c->says[0] ? -EINVAL : 0), "%s: %s", c->params, f.text);
	for (unsigned i = 0; i < TEST_COUNT(c->says) && c->says[i]; i++)
		TEST_SAYS(f.text, c->says[i]);
	ps_cl_kernel_destroy(&k);
}

/* a process for some of them each, because the guard runs for all of a process */
START_TEST(what_it_is_given)
{
	for (unsigned i = (unsigned)_i; i < TEST_COUNT(check_cases); i += 4)
		check_one(&check_cases[i]);
}
END_TEST

/* The second argument's number, and that of one that is missing in between. */
START_TEST(several_arguments)
{
	struct ps_cl_arg args[3] = { VALUE(4), VALUE(8), VALUE(4) };
	struct ps_cl_signature s = { &scaler, false, args, 3 };
	struct ps_cl_fault f = { 0 };
	struct ps_cl_kernel k = kernel_of("I, O, F, int a, float gain, int b");

	ck_assert_int_eq(ps_cl_kernel_check(&k, &s, &f), -EINVAL);
	ck_assert_str_eq(
		f.text, "kernel 'k', argument 4 'gain': takes 4 bytes (float), given argument 1 has 8");
	args[1].kind = PS_CL_ARG_UNSET;
	f.err = 0;
	ck_assert_int_eq(ps_cl_kernel_check(&k, &s, &f), -EINVAL);
	TEST_SAYS(f.text, "argument 4 'gain'", "given argument 1 is missing");
	ps_cl_kernel_destroy(&k);
	k = kernel_of("I, O, F, int a, int b"); /* a gap rather than one too many */
	f.err = 0;
	ck_assert_int_eq(ps_cl_kernel_check(&k, &s, &f), -EINVAL);
	TEST_SAYS(f.text, "has 5 arguments, it gets 6", "given argument 1 is missing");
	ps_cl_kernel_destroy(&k);
	/* more local memory than can be counted */
	k = kernel_of("I, O, F, __local int *a, __local int *b, __local int *c");
	for (unsigned i = 0; i < 3; i++)
		args[i] = (struct ps_cl_arg)LOCAL(SIZE_MAX / 2);
	f.err = 0;
	ck_assert_int_eq(ps_cl_kernel_check(&k, &s, &f), -EINVAL);
	TEST_SAYS(f.text, "18446744073709551615 bytes of local memory");
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(a_check_without_the_drivers_help)
{
	struct ps_cl_arg args[2] = { VALUE(4), VALUE(8) };
	struct ps_cl_signature s = { &scaler, false, args, 2 };
	struct ps_cl_fault f = { 0 };
	struct ps_cl_kernel k;

	cl_test_plan.no_arg_info = true;
	k = kernel_of("I, O, F, ulong a, char b");
	ck_assert_int_eq(ps_cl_kernel_check(&k, &s, &f), 0);
	args[1].kind = PS_CL_ARG_UNSET;
	ck_assert_int_eq(ps_cl_kernel_check(&k, &s, &f), -EINVAL);
	TEST_SAYS(f.text, "kernel 'k', argument 4: given argument 1");
	s.arg_count = 1;
	f.err = 0;
	ck_assert_int_eq(ps_cl_kernel_check(&k, &s, &f), -EINVAL);
	TEST_SAYS(f.text, "has 5 arguments, it gets 4");
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(tokens_of_another_size)
{
	static const struct {
		const char *token, *param;
		bool told;
	} cases[] = { { "f32", "float4", false }, { "cf32", "float2", false }, { "cf32", "float", false },
		{ "u8", "uchar16", false }, { "f64", "float", true }, { "f32", "uchar", true },
		{ "cf64", "float2", true }, { "f32", "int", true }, { "i32", "float", true },
		{ "u32", "int", false }, { NULL, "float", false }, { "other", "float", false },
		{ "f64", "void", false } };

	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		struct pstk_port port = { .name = "data", .kind = PSTK_INPUT, .token_type = cases[i].token };
		struct pstk_actor_type type = { .name = "t", .ports = &port, .port_count = 1 };
		struct ps_cl_signature s = { &type, false, NULL, 0 };
		struct ps_cl_fault f = { 0 };
		struct ps_cl_kernel k;
		char params[64];

		snprintf(params, sizeof params, "__global const %s *data, F", cases[i].param);
		k = kernel_of(params);
		test_log_start();
		ck_assert_int_eq(ps_cl_kernel_check(&k, &s, &f), 0);
		ck_assert_msg(test_log_has("port 'data'") == cases[i].told, "%s %s", cases[i].token,
			cases[i].param);
		ps_cl_kernel_destroy(&k);
	}
}
END_TEST

/* -- the arguments that stay -- */

#define STAY                                                                                                \
	"__kernel void stay(__global int *out, ulong n, int a, __constant int *b, __global const int *c,\n" \
	"__local int *d, uint rate, double e) {\n"                                                          \
	"d[0] = a; out[0] = d[0]; out[1] = b[1]; out[2] = c[2]; out[3] = (int)n; out[4] = (int)rate;\n"     \
	"out[5] = (int)e; }\n"

static int five = 5, table[3] = { 10, 20, 30 };
static double half_past = 6.5;

static void stay_args(struct ps_cl_arg args[6])
{
	memset(args, 0, 6 * sizeof *args);
	args[0] = (struct ps_cl_arg){ .kind = PS_CL_ARG_VALUE, .size = sizeof five, .value = &five };
	args[1] = (struct ps_cl_arg){ .kind = PS_CL_ARG_VALUE, .size = sizeof table, .value = table };
	args[2] = args[1];
	args[3] = (struct ps_cl_arg)LOCAL(16);
	args[4] = (struct ps_cl_arg)RATE;
	args[5] =
		(struct ps_cl_arg){ .kind = PS_CL_ARG_VALUE, .size = sizeof half_past, .value = &half_past };
}

/* Launches `stay` and looks at what it has got. */
static void launch_stay(struct ps_cl_kernel *k)
{
	cl_mem out = cl_test_buffer(6 * sizeof(int), NULL);
	cl_ulong n = 77;
	cl_uint rate = 88, i = 0;
	static const int expected[6] = { 5, 20, 30, 77, 88, 6 };
	int got[6];

	ck_assert_int_eq(clSetKernelArg(k->id, i++, sizeof out, &out), 0);
	ck_assert_int_eq(clSetKernelArg(k->id, i, sizeof n, &n), 0);
	ck_assert_int_eq(clSetKernelArg(k->id, i + 5, sizeof rate, &rate), 0);
	cl_test_launch(k->id, 1);
	cl_test_buffer_read(out, sizeof got, got);
	ck_assert_mem_eq(got, expected, sizeof got);
	clReleaseMemObject(out);
}

START_TEST(bound_arguments)
{
	struct ps_cl_kernel k = cl_test_kernel(STAY, "stay");
	struct ps_cl_arg args[6];
	struct ps_cl_fault f = { 0 };
	cl_mem former;

	stay_args(args);
	ck_assert_int_eq(ps_cl_kernel_bind(&k, args, 6, 2, &f), 0);
	ck_assert_ptr_nonnull(args[1].buffer);
	ck_assert_ptr_nonnull(args[2].buffer);
	ck_assert_ptr_null(args[0].buffer);
	former = args[1].buffer;
	launch_stay(&k);
	ck_assert_int_eq(ps_cl_kernel_bind(&k, args, 6, 2, &f), 0);
	ck_assert_ptr_eq(args[1].buffer, former);
	launch_stay(&k);
	ps_cl_args_release(args, 6);
	ps_cl_args_release(args, 6);
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(nothing_to_bind)
{
	struct ps_cl_kernel k = cl_test_kernel("__kernel void none(void) {}", "none");
	struct ps_cl_fault f = { 0 };

	ck_assert_int_eq(ps_cl_kernel_bind(&k, NULL, 0, 0, &f), 0);
	ps_cl_kernel_destroy(&k);
}
END_TEST

/* PoCL takes any size; a driver that looks refuses a table by value, which must be a buffer then. */
START_TEST(binding_without_the_drivers_help)
{
	static const cl_int codes[] = { CL_INVALID_ARG_SIZE, CL_INVALID_ARG_VALUE, CL_INVALID_MEM_OBJECT };
	struct ps_cl_arg arg = { .kind = PS_CL_ARG_VALUE, .size = sizeof table, .value = table };
	struct ps_cl_fault f = { 0 };
	struct ps_cl_kernel k;

	cl_test_plan.no_arg_info = true;
	k = cl_test_kernel("__kernel void k(double n, __constant int *t) {}", "k");
	cl_test_plan.fail_at = 1;
	cl_test_plan.function = "clSetKernelArg";
	cl_test_plan.code = codes[_i];
	ck_assert_int_eq(ps_cl_kernel_bind(&k, &arg, 1, 1, &f), 0);
	ck_assert_ptr_nonnull(arg.buffer);
	ps_cl_args_release(&arg, 1);
	arg = (struct ps_cl_arg){ .kind = PS_CL_ARG_VALUE, .size = sizeof half_past, .value = &half_past };
	ck_assert_int_eq(ps_cl_kernel_bind(&k, &arg, 1, 0, &f), 0);
	ck_assert_ptr_null(arg.buffer);
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(opencl_fails_in_binding)
{
	static const char *const functions[] = { "clSetKernelArg", "clCreateBuffer", "clSetKernelArg",
		"clCreateBuffer", "clSetKernelArg", "clSetKernelArg", "clSetKernelArg" };
	static const char *const numbers[] = { "argument 2,", "argument 3,", "argument 3,", "argument 4,",
		"argument 4,", "argument 5,", "argument 7," };
	struct ps_cl_kernel k = cl_test_kernel(STAY, "stay");
	struct ps_cl_arg args[6];

	for (int at = 1; at <= 8; at++) {
		struct ps_cl_fault f = { 0 };
		int err;

		stay_args(args);
		cl_test_plan.fail_at = at;
		cl_test_plan.code = CL_OUT_OF_RESOURCES;
		err = ps_cl_kernel_bind(&k, args, 6, 2, &f);
		ck_assert_int_eq(err, at < 8 ? ps_cl_errno(CL_OUT_OF_RESOURCES) : 0);
		if (err)
			TEST_SAYS(f.text, functions[at - 1], "CL_OUT_OF_RESOURCES (-5)", "'stay'",
				numbers[at - 1]);
		ps_cl_args_release(args, 6);
	}
	cl_test_plan_none();
	ps_cl_kernel_destroy(&k);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel arguments");
	TCase *c = test_case(suite, "check"), *b = test_case(suite, "bind");

	tcase_add_checked_fixture(c, cl_test_setup, cl_test_teardown);
	tcase_add_loop_test(c, what_it_is_given, 0, 4);
	tcase_add_test(c, several_arguments);
	tcase_add_test(c, a_check_without_the_drivers_help);
	tcase_add_test(c, tokens_of_another_size);
	tcase_add_checked_fixture(b, cl_test_setup, cl_test_teardown);
	tcase_add_test(b, bound_arguments);
	tcase_add_test(b, nothing_to_bind);
	tcase_add_loop_test(b, binding_without_the_drivers_help, 0, 3);
	tcase_add_test(b, opencl_fails_in_binding);
	return test_main(suite);
}
