/* SPDX-License-Identifier: MIT */
/*
 * Random networks of dynamic kernels (probe_net.h) on the fake driver: in each way in which memory is
 * shared, on two devices, on parts of one, with waits of random length in the driver. Nothing is left,
 * nothing was done wrong.
 */
#include "tests/random/fake_ways.h"
#include "tests/random/probe_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_NETWORKS = 60 };

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

static void run_network(const struct fake_cl *fake, unsigned way, uint64_t seed, struct probe_totals *totals)
{
	static struct probe_net net;
	char settings[160];
	const char *what;

	test_guard(fake_ways[way].settings, seed);
	/* a NULL for a port that is off is what the kernels expect */
	snprintf(settings, sizeof settings, "%s,nullmem=1,arginfo=%d,delay=%" PRIu64, fake_ways[way].settings,
		seed % 3 != 0, seed % 4 ? 0 : seed);
	setenv("PENSTOCK_FAKE_CL", settings, 1);
	fake->reset();
	add_kernels(fake, fake_ways[way].local);
	probe_random(&net, seed, fake_ways[way].devices, fake_ways[way].device_count);
	what = probe_check(&net, totals);
	ck_assert_msg(!what, "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", settings, seed, what);
	/* the launches, and the first one of each kernel */
	ck_assert_uint_eq(fake->commands(CL_COMMAND_NDRANGE_KERNEL), probe_launches(&net));
	fake_ways_check_left(fake, settings, seed);
}

START_TEST(networks)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, fake_ways[_i].settings, NULL);
	uint64_t rounds = test_rounds(QUICK_NETWORKS), first = test_seed() + (uint64_t)_i * rounds;
	struct probe_totals totals = { 0 };

	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", fake_ways[_i].memory, 1);
	setenv("PENSTOCK_LAUNCH", fake_ways[_i].launch, 1);
	for (uint64_t seed = first; seed < first + rounds; seed++)
		run_network(fake, (unsigned)_i, seed, &totals);
	printf("%s %s: %" PRIu64 " networks, %" PRIu64 " firings, %" PRIu64 " tokens\n",
		fake_ways[_i].settings, fake_ways[_i].memory, totals.networks, totals.firings, totals.tokens);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probes_fake");
	TCase *runs = test_case(suite, "runs");

	tcase_add_loop_test(runs, networks, 0, FAKE_WAYS);
	return test_main(suite);
}
