/* SPDX-License-Identifier: MIT */
/* Kernel actors as a user sees them: mapping, arguments, work sizes, sources, state, and what start() says of
 * mistakes. */
#include "tests/opencl/cl_chain.h"
#include "tests/common/common.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cl_chain c;

/* out = in * 3 + 5, in whatever way a test's kernel says. */
static const char source[] =
	"__kernel void plain(__global const uint *in, __global uint *out, ulong firing)\n"
	"{ size_t i = get_global_id(0); out[i] = in[i] * 3 + 5; }\n"
	"__kernel void value(__global const uint *in, __global uint *out, ulong firing, uint a, uint b)\n"
	"{ size_t i = get_global_id(0); out[i] = in[i] * a + b; }\n"
	"__kernel void table(__global const uint *in, __global uint *out, ulong firing, __global const uint "
	"*t,\n"
	"	__constant uint *u)\n"
	"{ size_t i = get_global_id(0); out[i] = in[i] * t[0] + u[1]; }\n"
	"__kernel void shares(__global const uint *in, __global uint *out, ulong firing, __local uint *l, "
	"uint rate,\n"
	"	uint valid)\n"
	"{ size_t i = get_global_id(0), n = get_local_size(0), k = get_local_id(0);\n"
	"  l[n - 1 - k] = i < valid ? in[i] * 3 : 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  if (i < rate) out[i] = l[n - 1 - k] + 5; }\n"
	"struct state { ulong firings; uint factor, bad; };\n"
	"__kernel void counts(__global const uint *in, __global uint *out, __global struct state *s, ulong "
	"firing)\n"
	"{ if (s->firings != firing) s->bad++; s->firings++; for (uint i = 0; i < 4; i++) out[i] = in[i] * "
	"s->factor + 5; }\n"
	"__kernel void few(__global const uint *in, __global uint *out) { }\n"
	"__kernel void narrow(__global const uint *in, __global uint *out, uint firing) { }\n"
	"__kernel void local_port(__local uint *in, __global uint *out, ulong firing) { }\n"
	"__kernel void const_out(__global const uint *in, __global const uint *out, ulong firing) { }\n"
	"__kernel void one_short(__global const uint *in, __global uint *out, ulong firing, ushort s) { }\n"
	"__kernel void one_local(__global const uint *in, __global uint *out, ulong firing, __local uint *l) "
	"{ }\n"
	"__kernel void one_float(__global const uint *in, __global uint *out, ulong firing, float x) { }\n"
	"__kernel void one_global(__global const uint *in, __global uint *out, ulong firing, __global uint "
	"*x) { }\n";

/* The type of a kernel of this source; valid until the next call. */
static const struct pstk_actor_type *type_of(const char *name)
{
	static struct pstk_kernel kernel;
	static struct pstk_actor_type type;

	kernel = (struct pstk_kernel){ .source = source, .name = name };
	type = pstk_actor_type_init();
	type.name = "type";
	type.ports = cl_chain_ports;
	type.port_count = 2;
	type.kernel = &kernel;
	return &type;
}

static void work(size_t items)
{
	ck_assert_int_eq(pstk_actor_set_work_size(c.tested, 1, &items, NULL), 0);
}

static void build(const char *name, const char *device, size_t items)
{
	test_guard(name, c.rate);
	cl_chain_build(&c, type_of(name), NULL, device);
	if (items)
		work(items);
}

static void set_u32(unsigned index, uint32_t value)
{
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, index, sizeof value, &value), 0);
}

static const struct {
	const char *memory, *pocl;
} ways[] = { { "svm", "basic" }, { "map", "basic" }, { "copy", "basic" }, { "", "pthread" } };

static int never(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

START_TEST(arguments)
{
	static const uint32_t t[2] = { 3, 9 }, u[2] = { 9, 5 };
	const char *device = cl_chain_device(ways[_i].pocl, ways[_i].memory);
	const size_t four = 4;

	if (!device)
		return;
	c.tokens = 42; /* with rate 4 the last window has 2 */
	c.rate = 4;
	for (c.delay = 0; c.delay < 4; c.delay += 3) { /* 3: no whole number of windows */
		if (!c.delay) { /* delay tokens become 5 in this actor, not so after it */
			build("plain", device, 4);
			cl_chain_expect(&c, 3, 5);
		}
		build("value", device, 4);
		set_u32(0, 7);
		set_u32(1, 0);
		set_u32(0, 3); /* the later one wins */
		cl_chain_expect(&c, 3, 0);

		build("table", device, 4);
		ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, sizeof t, t), 0);
		ck_assert_int_eq(pstk_actor_set_arg(c.tested, 1, sizeof u, u), 0);
		cl_chain_expect(&c, 3, 5);

		build("shares", device, 0);
		ck_assert_int_eq(pstk_actor_set_work_size(c.tested, 1, &four, &four), 0);
		ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, 16, NULL), 0);
		ck_assert_int_eq(pstk_actor_set_arg(c.tested, 1, 4, PSTK_ARG_RATE(1)), 0);
		ck_assert_int_eq(pstk_actor_set_arg(c.tested, 2, 4, PSTK_ARG_VALID(0)), 0);
		cl_chain_expect(&c, 3, 5);
	}
}
END_TEST

/* The device's state as init() has left it, and as finish() finds it. */
struct state {
	uint64_t firings;
	uint32_t factor, bad;
};

static struct state seen;

static int state_init(struct pstk_actor *self)
{
	struct state *s = pstk_actor_state(self);
	size_t one = 1;

	s->factor = 3;
	return pstk_actor_set_work_size(self, 1, &one, &one); /* in init(), as in BUILD */
}

static int state_finish(struct pstk_actor *self)
{
	seen = *(struct state *)pstk_actor_state(self);
	return 0;
}

START_TEST(state)
{
	struct pstk_actor_type type = *type_of("counts");
	const char *device = cl_chain_device(ways[_i].pocl, ways[_i].memory);
	struct pstk_actor_stats stats;

	if (!device)
		return;
	type.state_size = sizeof(struct state);
	type.init = state_init;
	type.finish = state_finish;
	c.tokens = 42;
	c.rate = 4;
	test_guard("state", 0);
	cl_chain_build(&c, &type, NULL, device);
	ck_assert_int_eq(pstk_network_set_flags(c.net, PSTK_PROFILE), 0);
	ck_assert_int_eq(pstk_network_run(c.net), 0);
	ck_assert_int_eq(pstk_actor_get_stats(c.tested, &stats), 0);
	ck_assert_uint_gt(stats.device_ns, 0);
	ck_assert_uint_eq(stats.firings, 11);
	pstk_network_destroy(c.net);
	ck_assert_uint_eq(seen.firings, 11); /* the first launch, to warm up, is none */
	ck_assert_uint_eq(seen.factor, 3);
	ck_assert_uint_eq(seen.bad, 0);
	for (uint32_t i = 0; i < 42; i++)
		ck_assert_uint_eq(c.got[i], 3 * (i + 1) + 5);
}
END_TEST

START_TEST(mistakes_in_kernels)
{
	const char *device = cl_chain_device("basic", "");
	uint32_t one = 1;
	uint64_t wide = 1;
	const size_t four = 4;

	if (!device)
		return;
	build("plain", device, 0);
	CL_CHAIN_FAILS(
		&c, -EINVAL, "'tested' (type)", "kernel 'plain'", "work size", "pstk_actor_set_work_size()");
	build("absent", device, 1);
	CL_CHAIN_FAILS(&c, -EINVAL, "'tested' (type)", "no kernel 'absent'", "plain, value");
	build("few", device, 1);
	CL_CHAIN_FAILS(
		&c, -EINVAL, "'tested'", "'few' has 2 arguments, it gets 3", "firing's number (ulong)");
	build("plain", device, 1);
	set_u32(0, 1);
	CL_CHAIN_FAILS(&c, -EINVAL, "'plain' has 3 arguments, it gets 4", "1 given argument");
	build("narrow", device, 1);
	CL_CHAIN_FAILS(&c, -EINVAL, "'narrow', argument 2 'firing'", "is uint", "must be a ulong");
	build("local_port", device, 1);
	CL_CHAIN_FAILS(&c, -EINVAL, "argument 0 'in'", "__local", "__global pointer");
	build("const_out", device, 1);
	CL_CHAIN_FAILS(&c, -EINVAL, "argument 1 'out'", "is const", "must write");
	build("one_short", device, 1);
	set_u32(0, 1);
	CL_CHAIN_FAILS(&c, -EINVAL, "argument 3 's'", "2 bytes (ushort)", "given argument 0 has 4");
	build("one_local", device, 1);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, sizeof one, &one), 0);
	CL_CHAIN_FAILS(&c, -EINVAL, "argument 3 'l'", "__local", "a size without a value");
	build("one_short", device, 1);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, 8, NULL), 0);
	CL_CHAIN_FAILS(&c, -EINVAL, "argument 3 's'", "local memory", "__local pointer");
	build("one_float", device, 1);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, 4, PSTK_ARG_RATE(0)), 0);
	CL_CHAIN_FAILS(
		&c, -EINVAL, "argument 3 'x'", "the rate of port 'in', given argument 0,", "must be a uint");
	build("one_global", device, 1);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, sizeof wide, &wide), 0);
	CL_CHAIN_FAILS(&c, -EINVAL, "argument 3 'x'", "must be const");
	build("value", device, 1);
	set_u32(1, 1);
	CL_CHAIN_FAILS(&c, -EINVAL, "argument 3 'a'", "given argument 0 is missing");
	build("one_local", device, 0);
	ck_assert_int_eq(pstk_actor_set_work_size(c.tested, 1, &four, NULL), 0);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, (size_t)1 << 40, NULL), 0);
	CL_CHAIN_FAILS(&c, -EINVAL, "kernel 'one_local'", "local memory", "has");
}
END_TEST

/* A file in the folder where the test runs, which is the build's. */
static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(files)
{
	const char *device = cl_chain_device("basic", "");
	struct pstk_actor_type type = *type_of("plain");
	struct pstk_kernel kernel = { .name = "plain" };
	char path[64], from[80], line[80];

	if (!device)
		return;
	snprintf(path, sizeof path, "check_mapping-%d.cl", (int)getpid());
	snprintf(from, sizeof from, "file:%s", path);
	snprintf(line, sizeof line, "%s:3", path);
	kernel.source = from;
	type.kernel = &kernel;
	c.tokens = 8;

	cl_chain_build(&c, &type, NULL, device);
	CL_CHAIN_FAILS(&c, -ENOENT, "'tested' (type)", path, "No such file");
	write_file(path, source);
	cl_chain_build(&c, &type, NULL, device);
	work(1);
	cl_chain_expect(&c, 3, 5);
	write_file(path, "\n\nthis is no C\n");
	test_log_start();
	cl_chain_build(&c, &type, NULL, device);
	CL_CHAIN_FAILS(&c, -EINVAL, "'tested' (type)", "clBuildProgram", "CL_BUILD_PROGRAM_FAILURE", line);
	ck_assert(test_log_has(line));
	test_log_stop();
	remove(path);
}
END_TEST

/* BUILD calls that are wrong are problems, which start() tells. */
START_TEST(wrong_calls)
{
	const char *device = cl_chain_device("basic", "");
	size_t four[3] = { 4, 4, 4 }, three[3] = { 4, 3, 4 }, none[3] = { 4, 4, 0 };
	uint32_t x = 0;
	static const char *const says[] = { "0 dimensions", "4 dimensions", "global NULL",
		"global 4, local 3", "global 0", "index 64", "0 bytes", "PSTK_ARG_RATE(2)",
		"PSTK_ARG_VALID(4095)", "PSTK_ARG_RATE(1) with 8 bytes", "unknown flags" };

	if (!device)
		return;
	build("plain", NULL, 0);
	ck_assert_int_eq(pstk_actor_set_work_size(c.tested, 0, four, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_work_size(c.tested, 4, four, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_work_size(c.tested, 1, NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_work_size(c.tested, 3, four, three), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_work_size(c.tested, 3, none, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 64, 4, &x), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, 0, &x), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, 4, PSTK_ARG_RATE(2)), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, 4, PSTK_ARG_VALID(4095)), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, 8, PSTK_ARG_RATE(1)), -EINVAL);
	ck_assert_int_eq(pstk_network_set_flags(c.net, 1u << 20), -EINVAL);
	for (unsigned i = 0; i < TEST_COUNT(says); i++)
		TEST_SAYS(pstk_network_problem(c.net, i), says[i]);
	for (unsigned i = 0; i + 1 < TEST_COUNT(says); i++)
		TEST_SAYS(pstk_network_problem(c.net, i), "'tested' (type)", "expected");
	ck_assert_int_eq(pstk_network_start(c.net), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_arg(c.tested, 0, 4, &x), -EBUSY);
	ck_assert_int_eq(pstk_actor_set_work_size(c.tested, 1, four, NULL), -EBUSY);
	ck_assert_int_eq(pstk_actor_map(c.tested, device), -EBUSY);
	ck_assert_int_eq(pstk_network_set_flags(c.net, 0), -EBUSY);
	pstk_network_destroy(c.net);
	ck_assert_int_eq(pstk_actor_set_arg(NULL, 0, 4, &x), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_work_size(NULL, 1, four, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_map(NULL, device), -EINVAL);
	ck_assert_int_eq(pstk_actor_map(NULL, NULL), -EINVAL);
	ck_assert_int_eq(pstk_network_set_flags(NULL, 0), -EINVAL);
}
END_TEST

static int wrong_init(struct pstk_actor *self)
{
	return pstk_actor_set_arg(self, 64, 4, "1234");
}

static int nothing_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

START_TEST(mapping)
{
	const char *device = cl_chain_device("basic", "");
	struct pstk_actor_type type = *type_of("plain");
	struct pstk_device_info info;

	if (!device)
		return;
	build("plain", NULL, 0); /* only a device form */
	CL_CHAIN_FAILS(&c, -EINVAL, "'tested' (type)", "for devices only", "map it to one");
	build("plain", device, 0);
	ck_assert_int_eq(pstk_actor_map(c.tested, NULL), 0);
	ck_assert_int_eq(pstk_actor_device(c.tested, &info), -ENODEV);
	CL_CHAIN_FAILS(&c, -EINVAL, "'tested' (type)", "for devices only");

	type.kahn = true;
	cl_chain_build(&c, &type, NULL, NULL);
	ck_assert_int_eq(pstk_actor_map(c.tested, device), -EINVAL);
	CL_CHAIN_FAILS(&c, -EINVAL, "'tested' (type)", "kahn", device);
	type.kahn = false;
	type.fire = nothing_fire;
	type.kernel = NULL;
	cl_chain_build(&c, &type, NULL, NULL);
	ck_assert_int_eq(pstk_actor_map(c.tested, device), -EINVAL);
	CL_CHAIN_FAILS(&c, -EINVAL, "'tested' (type)", "no device form", device);

	build("plain", device, 1);
	ck_assert_int_eq(pstk_actor_map(c.tested, "pocl:gpu:9"), -ENODEV); /* and no more on the first */
	ck_assert_int_eq(pstk_actor_device(c.tested, &info), -ENODEV);
	CL_CHAIN_FAILS(&c, -ENODEV, "'tested' (type)", "pocl:gpu:9");
	build("plain", device, 1);
	ck_assert_int_eq(pstk_actor_device(c.tested, NULL), -EINVAL);
	ck_assert_int_eq(pstk_actor_device(NULL, &info), -EINVAL);
	ck_assert_int_eq(pstk_actor_device(c.source, &info), -ENODEV);
	pstk_network_destroy(c.net);

	type = *type_of("plain");
	type.init = wrong_init;
	cl_chain_build(&c, &type, NULL, device);
	CL_CHAIN_FAILS(&c, -EINVAL, "'tested' (type)", "init()", "index 64");
}
END_TEST

/* One output of a device, read by a host, by an actor on the device, and by one with a delay of no whole number of
 * windows. */
START_TEST(broadcast)
{
	static const char *const memories[] = { NULL, "mapped", "staged" };
	static struct cl_chain also[3];
	const char *device = cl_chain_device(ways[_i].pocl, ways[_i].memory);
	static const uint32_t delays[] = { 0, 0, 3 };
	const size_t items = 4;

	if (!device)
		return;
	c.tokens = 42;
	c.rate = 4;
	build("plain", device, 4);
	for (unsigned i = 0; i < 3; i++) {
		struct pstk_fifo_spec spec = pstk_fifo_spec_init();
		const char *names[] = { "a", "b", "d" }, *sinks[] = { "sa", "sb", "sd" };
		struct pstk_actor *a, *sink;
		struct pstk_fifo_info info;
		struct pstk_fifo *f;

		memset(&also[i], 0, sizeof also[i]);
		spec.rate = 4;
		spec.token_size = 4;
		a = pstk_network_add(c.net, names[i], type_of("plain"), NULL);
		sink = pstk_network_add(c.net, sinks[i],
			PSTK_ACTOR_TYPE(.name = "sink", .ports = &cl_chain_ports[0], .port_count = 1,
				.fire = cl_chain_sink_fire),
			&also[i]);
		ck_assert_int_eq(pstk_actor_map(a, device), 0);
		ck_assert_int_eq(pstk_actor_set_work_size(a, 1, &items, NULL), 0);
		pstk_connect(a, "out", sink, "in", &spec);
		spec.delay = delays[i];
		f = pstk_connect(c.tested, "out", a, "in", &spec);
		ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
		ck_assert_msg(strstr(info.memory, "device") != NULL, "%s", info.memory);
		ck_assert_int_eq(pstk_fifo_get_info(c.out, &info), 0);
		if (!strcmp(ways[_i].memory, "map") || !strcmp(ways[_i].memory, "copy"))
			ck_assert_str_eq(info.memory, memories[_i]);
		else /* what this device can */
			ck_assert_str_ne(info.memory, "host");
	}
	ck_assert_msg(!pstk_network_run(c.net), "%s", pstk_network_error(c.net));
	pstk_network_destroy(c.net);
	ck_assert_uint_eq(c.count, 42);
	for (uint32_t i = 0; i < 42; i++)
		ck_assert_uint_eq(c.got[i], 3 * (i + 1) + 5);
	for (unsigned s = 0; s < 3; s++) {
		ck_assert_uint_eq(also[s].count, 42 + delays[s]);
		for (uint32_t i = 0; i < also[s].count; i++)
			ck_assert_uint_eq(also[s].got[i], i < delays[s] ? 5 : 9 * (i - delays[s] + 1) + 20);
	}
}
END_TEST

/* An endless source before an actor on a device: the sink ends it, or stop(), abort(), destroy(). */
START_TEST(ends)
{
	const char *device = cl_chain_device("pthread", ways[_i].memory);

	if (!device)
		return;
	for (unsigned how = 0; how < 4; how++) {
		memset(&c, 0, sizeof c);
		c.tokens = CL_CHAIN_ALL;
		c.rate = 3;
		c.delay = how == 3 ? 2 : 0;
		c.wanted = how ? 0 : 9;
		build("plain", device, 3);
		ck_assert_int_eq(pstk_network_start(c.net), 0);
		ck_assert_int_eq(pstk_network_start(c.net), -EBUSY);
		while (how && atomic_load(&c.count) < 60)
			sched_yield();
		if (how == 1)
			pstk_network_stop(c.net);
		if (how == 2)
			pstk_network_abort(c.net);
		if (how < 3)
			ck_assert_int_eq(pstk_network_wait(c.net), how == 2 ? -ECANCELED : 0);
		pstk_network_destroy(c.net);
		for (uint32_t i = c.delay ? 8 : 0; i < 27; i++)
			ck_assert_uint_eq(c.got[i], c.delay ? 3 * (i - 3) + 5 : 3 * (i + 1) + 5);
	}
}
END_TEST

/* A sink on a device, whose state finish() sees; and actors of one source on both halves of a device. */
START_TEST(sinks_and_halves)
{
	static const char sums[] =
		"__kernel void sum(__global const uint *in, __global uint *s, ulong firing) { *s += *in; }";
	static const struct pstk_kernel sum = { .source = sums, .name = "sum" };
	struct pstk_fifo_spec spec = pstk_fifo_spec_init();
	const char *device = cl_chain_device("pthread", ways[_i].memory);
	const size_t one = 1;
	char half[2][96];
	struct pstk_actor *end;

	if (!device)
		return;
	spec.rate = 1;
	spec.token_size = 4;
	for (int i = 0; i < 2; i++)
		snprintf(half[i], sizeof half[i], "%s/%dof2", device, i + 1);
	if (pstk_device_find(half[0], &(struct pstk_device_info){ 0 }, NULL, 0))
		snprintf(half[0], sizeof half[0], "%s", device), memcpy(half[1], half[0], sizeof half[0]);
	memset(&c, 0, sizeof c);
	build("plain", half[0], 1);
	end = pstk_network_add(c.net, "end",
		PSTK_ACTOR_TYPE(.name = "sum", .ports = &cl_chain_ports[0], .port_count = 1, .state_size = 4,
			.kernel = &sum),
		NULL);
	pstk_actor_map(end, half[1]);
	pstk_actor_set_work_size(end, 1, &one, NULL);
	pstk_connect(c.tested, "out", end, "in", &spec);
	end = pstk_network_add(c.net, "other", type_of("plain"), NULL);
	pstk_actor_map(end, half[1]);
	pstk_actor_set_work_size(end, 1, &one, NULL);
	pstk_connect(c.source, "out", end, "in", &spec);
	end = pstk_network_add(c.net, "other end",
		PSTK_ACTOR_TYPE(.name = "sum", .ports = &cl_chain_ports[0], .port_count = 1, .state_size = 4,
			.kernel = &sum),
		NULL);
	pstk_actor_map(end, half[0]);
	pstk_actor_set_work_size(end, 1, &one, NULL);
	pstk_connect(pstk_network_actor(c.net, 4), "out", end, "in", &spec);
	ck_assert_msg(!pstk_network_run(c.net), "%s", pstk_network_error(c.net));
	ck_assert_uint_eq(c.count, 32);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_uint_eq(c.got[i], 3 * (i + 1) + 5);
	for (unsigned i = 3; i < 6; i += 2)
		ck_assert_uint_eq(*(uint32_t *)pstk_actor_state(pstk_network_actor(c.net, i)),
			3 * (32 * 33 / 2) + 32 * 5);
	pstk_network_destroy(c.net);
}
END_TEST

/* Where windows overlap there is one ring: in one allocation, or gathered; what is mapped as a whole block will not do.
 * on: which ends are on the device. PoCL has SVM; without it: check_random_fake. */
static const struct {
	const char *memory;
	unsigned on;
	const char *name;
} overlapping[] = {
	{ "", 3, "device, SVM" },
	{ "svm", 3, "device, SVM" },
	{ "map", 3, "device, gathered" },
	{ "copy", 3, "device, gathered" },
	{ "svm", 1, "fine-grain SVM" },
	{ "svm", 2, "fine-grain SVM" },
	{ "map", 1, "staged" },
	{ "copy", 2, "staged" },
};

START_TEST(two_rates)
{
	const char *device = cl_chain_device("pthread", overlapping[_i].memory);
	struct pstk_network *net;
	struct pstk_actor *a[2];
	struct pstk_fifo_info info;
	struct pstk_fifo *f;

	if (!device)
		return;
	net = pstk_network_create("rates");
	for (unsigned i = 0; i < 2; i++) {
		struct pstk_port port = cl_chain_ports[1 - i];

		a[i] = pstk_network_add(net, i ? "sink" : "source",
			PSTK_ACTOR_TYPE(.name = "end", .ports = &port, .port_count = 1, .fire = never,
				.kernel = &(const struct pstk_kernel){ .source = "__kernel void end(",
					.name = "end" }),
			NULL);
		if (overlapping[_i].on & (i + 1))
			ck_assert_int_eq(pstk_actor_map(a[i], device), 0);
	}
	f = pstk_connect(
		a[0], "out", a[1], "in", PSTK_FIFO(.write_rate = 2, .read_rate = 3, .token_size = 4));
	ck_assert_int_eq(pstk_fifo_get_info(f, &info), 0);
	ck_assert_str_eq(info.memory, overlapping[_i].name);
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), 0);
	pstk_network_destroy(net);
}
END_TEST

/* What the tables and the log say of an actor that was refused its device, of one on a device, of variables that mean
 * nothing. */
START_TEST(said)
{
	const char *device = cl_chain_device("basic", "rubbish");
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!device)
		return;
	setenv("PENSTOCK_WAIT", "block", 1);
	setenv("PENSTOCK_LAUNCH", "x", 1);
	setenv("PENSTOCK_PROFILE", "1", 1);
	test_log_start();
	build("plain", NULL, 0);
	ck_assert(test_log_has("PENSTOCK_MEMORY='rubbish' is ignored: expected one of svm map copy"));
	ck_assert(test_log_has("PENSTOCK_LAUNCH='x' is ignored: expected own"));
	ck_assert(!test_log_has("PENSTOCK_WAIT") && !test_log_has("PENSTOCK_PROFILE"));
	test_log_stop();
	ck_assert_int_eq(pstk_actor_map(c.tested, "pocl:gpu:9"), -ENODEV);
	out = open_memstream(&text, &size);
	ck_assert_int_eq(pstk_network_print(c.net, out), 0);
	fclose(out);
	TEST_SAYS(text, "no device: map it");
	free(text);
	ck_assert_int_eq(pstk_network_start(c.net), -ENODEV);
	ck_assert_ptr_null(pstk_network_problem(c.net, 1)); /* the refusal says it all */
	pstk_network_destroy(c.net);

	build("plain", device, 1);
	ck_assert_msg(!pstk_network_run(c.net), "%s", pstk_network_error(c.net));
	out = open_memstream(&text, &size);
	ck_assert_int_eq(pstk_network_print_stats(c.net, out), 0);
	fclose(out);
	TEST_SAYS(text, "launches on pocl:cpu:0", "s there", "32 tokens written, 32 read, 0 B copied");
	free(text);
	pstk_network_destroy(c.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mapping");
	TCase *tcase = test_case(suite, "mapping");

	tcase_add_loop_test(tcase, arguments, 0, TEST_COUNT(ways));
	tcase_add_loop_test(tcase, state, 0, TEST_COUNT(ways));
	tcase_add_test(tcase, mistakes_in_kernels);
	tcase_add_test(tcase, files);
	tcase_add_test(tcase, wrong_calls);
	tcase_add_test(tcase, mapping);
	tcase_add_test(tcase, said);
	tcase_add_loop_test(tcase, broadcast, 0, TEST_COUNT(ways));
	tcase_add_loop_test(tcase, ends, 0, TEST_COUNT(ways));
	tcase_add_loop_test(tcase, sinks_and_halves, 0, TEST_COUNT(ways));
	tcase_add_loop_test(tcase, two_rates, 0, TEST_COUNT(overlapping));
	return test_main(suite);
}
