/* SPDX-License-Identifier: MIT */
/*
 * Random networks of dynamic kernels (probe_net.h) on the fake driver: in each way in which memory is shared, on two devices,
 * on parts of one, with waits of random length in the driver. Nothing is left, nothing was done wrong.
 */
#include "tests/fake_cl/fake_cl.h"
#include "tests/probe_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_NETWORKS = 60 };

static const char *const one[] = { "pstk:gpu:0" };
static const char *const two[] = { "pstk:gpu:0", "pstk:gpu:1" };
static const char *const parts[] = { "pstk:gpu:0/1of2", "pstk:gpu:0/2of2", "pstk:gpu:0" };

static const struct {
	const char *settings, *memory, *launch;
	const char *const *devices;
	unsigned device_count;
	bool local;
} ways[] = {
	{ "svm=none,unified=0,align=4096", "", "", one, 1, false },
	{ "svm=none,unified=0,arginfo=0", "copy", "own", one, 1, false },
	{ "svm=none,unified=0,align=4096", "copy", "", one, 1, true },
	{ "svm=none,unified=1,lazy=1", "map", "", one, 1, false },
	{ "svm=coarse,unified=1,guard=1", "svm", "", one, 1, false },
	{ "svm=coarse,unified=0", "", "own", one, 1, true },
	{ "svm=fine,unified=1", "", "", one, 1, false },
	{ "svm=none,unified=0,devices=2", "", "", two, 2, false },
	{ "svm=coarse,unified=1,devices=2", "svm", "", two, 2, false },
	{ "svm=none,unified=1,devices=2", "map", "", two, 2, true },
	{ "svm=none,unified=0,units=4", "", "", parts, 3, false },
	{ "svm=fine,unified=1,units=4,lazy=1", "svm", "", parts, 3, false },
};

/* -- the kernels: probe_net.c has them as OpenCL C -- */

static void run_probe(const struct fake_cl_launch *l)
{
	struct probe_windows w = { 0 };

	for (unsigned p = 0; p < 4; p++) {
		w.at[p] = l->arg[p];
		w.rate[p] = *(const uint32_t *)l->arg[6 + 2 * p];
		w.valid[p] = *(const uint32_t *)l->arg[7 + 2 * p];
	}
	probe_run(l->arg[4], &w, *(const cl_ulong *)l->arg[5]);
}

static void run_control(const struct fake_cl_launch *l)
{
	*(uint32_t *)l->arg[1] =
		*(const uint32_t *)l->arg[0] ^ ((uint32_t) * (const cl_ulong *)l->arg[2] & 255);
}

static void add_kernels(const struct fake_cl *fake, bool local)
{
	static const struct fake_cl_arg probe[] = { FAKE_CL_IN("x", "uint"), FAKE_CL_IN("y", "uint"),
		FAKE_CL_OUT("p", "uint"), FAKE_CL_OUT("q", "uint"), FAKE_CL_OUT("s", "struct probe_state"),
		FAKE_CL_VALUE("firing", "ulong", 8), FAKE_CL_VALUE("rx", "uint", 4),
		FAKE_CL_VALUE("vx", "uint", 4), FAKE_CL_VALUE("ry", "uint", 4),
		FAKE_CL_VALUE("vy", "uint", 4), FAKE_CL_VALUE("rp", "uint", 4),
		FAKE_CL_VALUE("vp", "uint", 4), FAKE_CL_VALUE("rq", "uint", 4),
		FAKE_CL_VALUE("vq", "uint", 4) };
	static const struct fake_cl_arg control[] = { FAKE_CL_IN("raw", "uint"), FAKE_CL_OUT("out", "uint"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static struct fake_cl_kernel kernels[] = {
		{ .name = "probe", .args = probe, .arg_count = TEST_COUNT(probe), .run = run_probe },
		{ .name = "probe_control",
			.args = control,
			.arg_count = TEST_COUNT(control),
			.run = run_control },
	};

	for (size_t i = 0; i < TEST_COUNT(kernels); i++) {
		kernels[i].local_memory = local ? 128 : 0;
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
	}
}

static void check_left(const struct fake_cl *fake, const char *what, uint64_t seed)
{
	ck_assert_msg(fake->settle(20000000000u), "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": something still runs",
		what, seed);
	for (int kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_msg(!fake->live((enum fake_cl_kind)kind),
			"%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %ld objects of kind %d are left", what, seed,
			fake->live((enum fake_cl_kind)kind), kind);
	ck_assert_msg(!fake->violation_count(), "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", what, seed,
		fake->violation(0));
}

static void run_network(const struct fake_cl *fake, unsigned way, uint64_t seed, struct probe_totals *totals)
{
	static struct probe_net net;
	char settings[160];
	const char *what;

	test_guard(ways[way].settings, seed);
	/* a NULL for a port that is off is what the kernels expect */
	snprintf(settings, sizeof settings, "%s,nullmem=1,delay=%" PRIu64, ways[way].settings,
		seed % 4 ? 0 : seed);
	setenv("PENSTOCK_FAKE_CL", settings, 1);
	fake->reset();
	add_kernels(fake, ways[way].local);
	probe_random(&net, seed, ways[way].devices, ways[way].device_count);
	what = probe_check(&net, totals);
	ck_assert_msg(!what, "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", settings, seed, what);
	/* the launches, and the first one of each kernel */
	ck_assert_uint_eq(fake->commands(CL_COMMAND_NDRANGE_KERNEL), probe_launches(&net));
	check_left(fake, settings, seed);
}

START_TEST(networks)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, ways[_i].settings, NULL);
	uint64_t rounds = test_rounds(QUICK_NETWORKS), first = test_seed() + (uint64_t)_i * rounds;
	struct probe_totals totals = { 0 };

	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	setenv("PENSTOCK_LAUNCH", ways[_i].launch, 1);
	for (uint64_t seed = first; seed < first + rounds; seed++)
		run_network(fake, (unsigned)_i, seed, &totals);
	test_guard_off();
	printf("%s %s: %" PRIu64 " networks, %" PRIu64 " firings, %" PRIu64 " tokens\n", ways[_i].settings,
		ways[_i].memory, totals.networks, totals.firings, totals.tokens);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probes_fake");
	TCase *runs = test_case(suite, "runs");

	tcase_set_timeout(runs, 0); /* each network has the guard */
	tcase_add_loop_test(runs, networks, 0, TEST_COUNT(ways));
	return test_main(suite);
}
