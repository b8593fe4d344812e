/* SPDX-License-Identifier: MIT */
#include "lib/cl_kernel.h"
#include "lib/cl_type.h"
#include "lib/memory.h"
#include "tests/cl_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ps_cl_programs programs;
static struct ps_cl_fault fault;

static void setup(void)
{
	test_log_start();
	cl_test_open();
}

static void teardown(void)
{
	ps_cl_programs_free(&programs);
	cl_test_close();
	test_log_stop();
}

static struct ps_cl_program *build(const char *source, const char *wrappers)
{
	struct ps_cl_program *p = ps_cl_programs_want(&programs, cl_test_device, source, NULL, wrappers);

	ck_assert_ptr_nonnull(p);
	ck_assert_msg(!ps_cl_programs_build(&programs), "%s", p->fault.text);
	return p;
}

static struct ps_cl_kernel create(const char *source, const char *name)
{
	struct ps_cl_kernel kernel;

	fault.err = 0;
	ck_assert_msg(!ps_cl_kernel_create(&kernel, build(source, NULL), name, &fault), "%s", fault.text);
	return kernel;
}

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
		ck_assert_msg(ps_cl_type_size(cases[i].name) == cases[i].size, "%s: %zu", cases[i].name,
			ps_cl_type_size(cases[i].name));
}
END_TEST

START_TEST(parts_of_types)
{
	struct ps_cl_type t;

	ck_assert(ps_cl_type_parse("float3*", &t));
	ck_assert(t.scalar == 4 && t.lanes == 4 && t.floating);
	ck_assert(ps_cl_type_parse("ulong", &t));
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
		bool is_const, is_volatile, is_restrict;
		const char *type, *name;
		size_t size;
	} expected[] = {
		{ CL_KERNEL_ARG_ADDRESS_GLOBAL, true, false, true, "uchar*", "a", 0 },
		{ CL_KERNEL_ARG_ADDRESS_GLOBAL, false, true, false, "float4*", "b", 0 },
		{ CL_KERNEL_ARG_ADDRESS_GLOBAL, false, false, false, "struct pair*", "c", 0 },
		{ CL_KERNEL_ARG_ADDRESS_GLOBAL, true, false, false, "Pair*", "d", 0 },
		{ CL_KERNEL_ARG_ADDRESS_CONSTANT, true, false, false, "float*", "e", 0 },
		{ CL_KERNEL_ARG_ADDRESS_LOCAL, false, false, false, "int*", "f", 0 },
		{ CL_KERNEL_ARG_ADDRESS_PRIVATE, false, false, false, "uint", "g", 4 },
		{ CL_KERNEL_ARG_ADDRESS_PRIVATE, false, false, false, "int3", "h", 16 },
		{ CL_KERNEL_ARG_ADDRESS_PRIVATE, false, false, false, "Pair", "i", 0 },
		{ CL_KERNEL_ARG_ADDRESS_PRIVATE, false, false, false, "real", "j", 0 },
	};
	struct ps_cl_kernel k = create(TYPES
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
		ck_assert(k.params[i].is_volatile == expected[i].is_volatile);
		ck_assert(k.params[i].is_restrict == expected[i].is_restrict);
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
	ck_assert(!k.has_local);
	ck_assert(!k.wrapped);
	ck_assert(k.required_group[0] == 4 && k.required_group[1] == 2 && k.required_group[2] == 1);
	ck_assert_ptr_eq(k.device, cl_test_device);
	ck_assert(!ps_cl_kernel_can_wrap(&k));
	ps_cl_kernel_destroy(&k);
	ck_assert_ptr_null(k.params);
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(a_kernel_without_arguments)
{
	struct ps_cl_kernel k = create("__kernel void none(void) {}", "none");

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
		ps_cl_kernel_create(&k, build("__kernel void one(void) {}\n__kernel void two(void) {}", NULL),
			"three", &f),
		-EINVAL);
	TEST_SAYS(f.text, "no kernel 'three'", "one", ", ", "two");
	f.err = 0;
	ck_assert_int_eq(
		ps_cl_kernel_create(&k, build("int f(void) { return 1; }", NULL), "three", &f), -EINVAL);
	TEST_SAYS(f.text, "no kernel 'three'");
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(programs_that_are_not_built)
{
	struct ps_cl_program *p =
		ps_cl_programs_want(&programs, cl_test_device, "file:/nonexistent/a.cl", NULL, NULL);
	struct ps_cl_kernel k, original = { .name = "k", .device = cl_test_device };
	struct ps_cl_fault f = { 0 };

	ck_assert_int_eq(ps_cl_kernel_create(&k, p, "k", &f), -EINVAL);
	TEST_SAYS(f.text, "not been built");
	ck_assert_int_eq(ps_cl_wrapper_create(&k, p, &original, &f), -EINVAL);
	ps_cl_programs_build(&programs);
	f.err = 0;
	ck_assert_int_eq(ps_cl_kernel_create(&k, p, "k", &f), -ENOENT);
	TEST_SAYS(f.text, "/nonexistent/a.cl");
	f.err = 0;
	ck_assert_int_eq(ps_cl_wrapper_create(&k, p, &original, &f), -ENOENT);
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
	k = create(source, "k");
	ck_assert_ptr_null(k.params);
	ck_assert_uint_eq(k.param_count, 2);
	ck_assert(!ps_cl_kernel_can_wrap(&k));
	ps_cl_kernel_destroy(&k);
	cl_test_plan_none();
	old.kernel_arg_info = false;
	p = ps_cl_programs_want(&programs, &old, source, NULL, NULL);
	ck_assert_int_eq(ps_cl_programs_build(&programs), 0);
	cl_test_plan.fail_at = 1;
	cl_test_plan.function = "clGetKernelArgInfo";
	ck_assert_int_eq(ps_cl_kernel_create(&k, p, "k", &fault), 0);
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
	k = create("__kernel void k(int b) {}", "k");
	ck_assert_str_eq(k.params[0].type, "...");
	ck_assert(!ps_cl_kernel_can_wrap(&k));
	ps_cl_kernel_destroy(&k);
	cl_test_plan.arg_type = "";
	k = create("__kernel void k(int b) {}", "k");
	ck_assert_str_eq(k.params[0].type, "");
	ck_assert(!ps_cl_kernel_can_wrap(&k));
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(opencl_fails_in_creation)
{
	struct ps_cl_program *p = build("__kernel void k(__global int *a, int b) {}", NULL);
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
	/* the kernel, its count, two of its group, seven of each argument */
	ck_assert_int_eq(at - 1, 1 + 1 + 2 + 2 * 7 + 1);
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
	struct ps_cl_program *p = build("__kernel void k(__global int *a, int b) {}", NULL);
	struct ps_cl_kernel k, w;
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
	ps_memory_fail_at = 0;
	ck_assert_ptr_null(ps_cl_wrapper_text(&k, 1));
	for (long at = 0; at < 2; at++) {
		f.err = 0;
		ps_memory_fail_at = at;
		ck_assert_int_eq(ps_cl_wrapper_create(&w, p, &k, &f), -ENOMEM);
		TEST_SAYS(f.text, "'k'", "memory");
	}
	ps_memory_fail_at = -1;
	ps_cl_kernel_destroy(&k);
}
END_TEST

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
	{ "I, O", false, NO_ARG, { "kernel 'k' has 2 arguments, it gets 3", "2 ports", "firing", "0 of" } },
	{ "I, O, F", true, NO_ARG, { "kernel 'k' has 3 arguments, it gets 4", "state" } },
	{ "I, O, F, float gain", false, NO_ARG, { "has 4 arguments, it gets 3" } },
	{ "I, O, F", false, VALUE(4), { "has 3 arguments, it gets 4", "1 of pstk_actor_set_arg()" } },
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
		{ "kernel 'k', argument 3 'gain': takes 4 bytes (float), pstk_actor_set_arg(0) gives 8" } },
	{ "I, O, F, float gain", false, VALUE(0),
		{ "argument 3 'gain': pstk_actor_set_arg(0) gives 0 bytes" } },
	{ "I, O, F, __global float *taps", false, VALUE(20),
		{ "argument 3 'taps': is __global float*", "pstk_actor_set_arg(0)", "must be const" } },
	{ "I, O, F, __local float *tile", false, VALUE(20),
		{ "argument 3 'tile': is __local float*", "gives a value", "must be NULL" } },
	{ "I, O, F, sampler_t s", false, VALUE(4),
		{ "argument 3 's': is sampler_t", "pstk_actor_set_arg(0)" } },
	{ "I, O, F, float gain", false, LOCAL(4),
		{ "argument 3 'gain': is float", "local memory", "__local" } },
	{ "I, O, F, __global const float *gain", false, LOCAL(4),
		{ "argument 3 'gain': is __global const float*", "local memory" } },
	{ "I, O, F, sampler_t s", false, LOCAL(4), { "argument 3 's': is sampler_t", "__local" } },
	{ "I, O, F, __local int *t", false, LOCAL(0), { "argument 3 't'", "0 bytes of local memory" } },
	{ "I, O, F, __local int *t", false, LOCAL((size_t)1 << 40),
		{ "kernel 'k'", "1099511627776 bytes of local" } },
	{ "I, O, F, float rate", false, RATE,
		{ "argument 3 'rate': is float; it gets PSTK_ARG_RATE(0) of pstk_actor_set_arg(0)",
			"be a uint" } },
	{ "I, O, F, ulong valid", false, VALID,
		{ "argument 3 'valid': is ulong", "PSTK_ARG_VALID(1)", "be a uint" } },
	{ "I, O, F, char4 valid", false, VALID, { "argument 3 'valid': is char4", "a uint" } },
	{ "I, O, F, __constant uint *rate", false, RATE,
		{ "argument 3 'rate': is __constant uint*", "a uint" } },
	{ "I, O, F, uint rate", false, { .kind = PS_CL_ARG_UNSET },
		{ "argument 3 'rate': pstk_actor_set_arg(0) has not given it anything" } },
};

static struct ps_cl_kernel kernel_of(const char *params)
{
	char source[1024];

	snprintf(source, sizeof source,
		"typedef ulong my_long;\n#define I __global const float *in\n#define O __global float *out\n"
		"#define F ulong n\n__kernel void k(%s) {}\n",
		params);
	return create(source, "k");
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
	ck_assert_str_eq(f.text,
		"kernel 'k', argument 4 'gain': takes 4 bytes (float), pstk_actor_set_arg(1) gives 8");
	args[1].kind = PS_CL_ARG_UNSET;
	f.err = 0;
	ck_assert_int_eq(ps_cl_kernel_check(&k, &s, &f), -EINVAL);
	TEST_SAYS(f.text, "argument 4 'gain'", "pstk_actor_set_arg(1) has not");
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
	TEST_SAYS(f.text, "kernel 'k', argument 4: pstk_actor_set_arg(1)");
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
		{ "cf64", "float2", true }, { NULL, "float", false }, { "other", "float", false },
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
	if (k->wrapped)
		ck_assert_int_eq(clSetKernelArg(k->id, i++, sizeof n, &(cl_ulong){ 0 }), 0);
	ck_assert_int_eq(clSetKernelArg(k->id, i, sizeof n, &n), 0);
	ck_assert_int_eq(clSetKernelArg(k->id, i + 5, sizeof rate, &rate), 0);
	cl_test_launch(k->id, 1);
	cl_test_buffer_read(out, sizeof got, got);
	ck_assert_mem_eq(got, expected, sizeof got);
	clReleaseMemObject(out);
}

START_TEST(bound_arguments)
{
	struct ps_cl_kernel k = create(STAY, "stay"), w;
	char *text = ps_cl_wrapper_text(&k, 1);
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
	ck_assert_msg(!ps_cl_wrapper_create(&w, build(STAY, text), &k, &f), "%s", f.text);
	ck_assert_int_eq(ps_cl_kernel_bind(&w, args, 6, 3, &f), 0);
	ck_assert_ptr_eq(args[1].buffer, former);
	launch_stay(&w);
	ps_cl_args_release(args, 6);
	ps_cl_args_release(args, 6);
	ps_cl_kernel_destroy(&w);
	ps_cl_kernel_destroy(&k);
	ps_memory_free(text);
}
END_TEST

START_TEST(nothing_to_bind)
{
	struct ps_cl_kernel k = create("__kernel void none(void) {}", "none");
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
	k = create("__kernel void k(double n, __constant int *t) {}", "k");
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
	struct ps_cl_kernel k = create(STAY, "stay");
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
		struct ps_cl_kernel k = create(SIZED, size_cases[c].kernel);
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
	struct ps_cl_kernel k = create(SIZED, "some");
	const size_t global[3] = { 8, 8, 8 };

	for (int at = 1; at <= 4; at++) {
		struct ps_cl_fault f = { 0 };

		cl_test_plan.fail_at = at;
		cl_test_plan.code = CL_OUT_OF_RESOURCES;
		ck_assert_int_eq(ps_cl_kernel_check_work_size(&k, 3, global, global, &f),
			at < 4 ? ps_cl_errno(CL_OUT_OF_RESOURCES) : 0);
		if (at < 4)
			TEST_SAYS(f.text, at < 3 ? "clGetDeviceInfo" : "clGetKernelWorkGroupInfo", "(-5)");
	}
	cl_test_plan_none();
	ps_cl_kernel_destroy(&k);
}
END_TEST

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
	"  size_t i = get_global_id(0); l[get_local_id(0)] = c[1]; out[i] = (in ? in[i] : 7) + add + n + "  \
	"l[get_local_id(0)]; }\n"

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
	struct ps_cl_kernel k = create(WRAPPED, wrapped_cases[_i].name), w;
	char *text;
	struct ps_cl_fault f = { 0 };
	float numbers[2] = { 100, 200 };
	cl_mem constant = _i == 5 ? cl_test_buffer(sizeof numbers, numbers) : NULL;

	ck_assert(ps_cl_kernel_can_wrap(&k));
	text = ps_cl_wrapper_text(&k, 2);
	ck_assert_ptr_nonnull(text);
	TEST_SAYS(text, "#line 1 \"penstock-wrapper\"\n");
	ck_assert_msg(!ps_cl_wrapper_create(&w, build(WRAPPED, text), &k, &f), "%s", f.text);
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
	struct ps_cl_kernel k = create(WRAPPED, "quads");
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
	k = create("typedef __global uchar *bytes;\n__kernel void k(bytes a, bytes b) {}", "k");
	text = ps_cl_wrapper_text(&k, 1);
	TEST_SAYS(text, "(__global uchar *pstk_p0, ulong pstk_o0, bytes pstk_a1)",
		"k(pstk_p0 ? (bytes)(pstk_p0 + pstk_o0) : (bytes)0, pstk_a1);");
	ps_memory_free(text);
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(what_cannot_be_wrapped)
{
	struct ps_cl_kernel k =
		create("__kernel void k(__global int *a) { __local int l[64]; size_t i = get_local_id(0);\n"
		       "l[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[63 - i]; }\n",
			"k");

	ck_assert(k.has_local);
	ck_assert(!ps_cl_kernel_can_wrap(&k));
	ps_cl_kernel_destroy(&k);
	k = create("__kernel void rows(__global int (*a)[4]) { a[1][2] = 3; }\n", "rows");
	ck_assert(!ps_cl_kernel_can_wrap(&k));
	ps_cl_kernel_destroy(&k);
}
END_TEST

START_TEST(a_wrapper_that_is_not_there)
{
	struct ps_cl_kernel k = create(WRAPPED, "octets"), w;
	struct ps_cl_program *plain = build(WRAPPED, NULL), *broken;
	struct ps_cl_fault f = { 0 };

	ck_assert_int_ne(ps_cl_wrapper_create(&w, plain, &k, &f), 0);
	TEST_SAYS(f.text, "clCreateKernel", "(-46)");
	broken = ps_cl_programs_want(&programs, cl_test_device, WRAPPED, NULL, "\n\nwrong\n");
	ck_assert_int_ne(ps_cl_programs_build(&programs), 0);
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
	k = create(source, "k");
	ck_assert_int_eq(ps_cl_wrapper_create(&w, build(source, by_hand), &k, &f), 0);
	ck_assert_ptr_null(w.params);
	ck_assert_uint_eq(w.param_count, 1);
	ps_cl_kernel_destroy(&w);
	ps_cl_kernel_destroy(&k);
}
END_TEST

static void add_checks(Suite *suite)
{
	TCase *c = test_case(suite, "checks");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_loop_test(c, what_it_is_given, 0, 4);
	tcase_add_test(c, several_arguments);
	tcase_add_test(c, a_check_without_the_drivers_help);
	tcase_add_test(c, tokens_of_another_size);
	tcase_add_test(c, work_sizes);
	tcase_add_test(c, opencl_fails_with_work_sizes);
	tcase_add_test(c, bound_arguments);
	tcase_add_test(c, nothing_to_bind);
	tcase_add_loop_test(c, binding_without_the_drivers_help, 0, 3);
	tcase_add_test(c, opencl_fails_in_binding);
}

int main(void)
{
	Suite *suite = suite_create("kernels");
	TCase *types = test_case(suite, "types"), *c = test_case(suite, "kernels"),
	      *w = test_case(suite, "wrappers");

	tcase_add_test(types, sizes_of_types);
	tcase_add_test(types, parts_of_types);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, what_a_kernel_takes);
	tcase_add_test(c, a_kernel_without_arguments);
	tcase_add_test(c, names_that_are_not_there);
	tcase_add_test(c, programs_that_are_not_built);
	tcase_add_test(c, a_driver_that_tells_nothing);
	tcase_add_test(c, types_that_are_very_long);
	tcase_add_test(c, opencl_fails_in_creation);
	tcase_add_test(c, memory_fails_in_creation);
	add_checks(suite);
	tcase_add_checked_fixture(w, setup, teardown);
	tcase_add_loop_test(w, wrapped_kernels, 0, (int)TEST_COUNT(wrapped_cases));
	tcase_add_test(w, the_text_of_a_wrapper);
	tcase_add_test(w, what_cannot_be_wrapped);
	tcase_add_test(w, a_wrapper_that_is_not_there);
	tcase_add_test(w, a_wrapper_without_the_drivers_help);
	return test_main(suite);
}
