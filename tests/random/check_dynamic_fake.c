/* SPDX-License-Identifier: MIT */
/*
 * Proven dynamic networks (dynamic_net.h) with their actors on cores and on devices of the fake driver, in
 * each way in which memory is shared: every token is checked, what is left is the oracle's, no object stays,
 * nothing was done wrong.
 */
#include "tests/random/dynamic_device.h"
#include "tests/random/dynamic_run.h"
#include "tests/random/fake_ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_NETWORKS = 60, TICKS = 40 };

/* -- the kernels: dynamic_device.c has them as OpenCL C -- */

static void run(const struct fake_cl_launch *l, unsigned windows)
{
	void *at[DYN_DEVICE_PORTS];
	uint32_t valid[DYN_DEVICE_PORTS];

	for (unsigned w = 0; w < windows; w++) {
		at[w] = l->arg[w];
		valid[w] = *(const uint32_t *)l->arg[windows + 3 + w];
	}
	dyn_device_run(l->arg[windows], *(const cl_ulong *)l->arg[windows + 1], l->arg[windows + 2], windows,
		at, valid);
}

/* A launch does not say which kernel it is: a function for each. */
#define RUN(count)                                              \
	static void run_##count(const struct fake_cl_launch *l) \
	{                                                       \
		run(l, count);                                  \
	}
/* clang-format off */
RUN(1)
RUN(2)
RUN(3)
RUN(4)
RUN(5)
RUN(6)
RUN(7)
RUN(8)
/* clang-format on */

static void (*const runs[DYN_DEVICE_PORTS])(
	const struct fake_cl_launch *) = { run_1, run_2, run_3, run_4, run_5, run_6, run_7, run_8 };

struct made {
	char name[16];
	struct fake_cl_arg args[2 * DYN_DEVICE_PORTS + 3];
	struct fake_cl_kernel kernel;
};

static void add_kernels(const struct fake_cl *fake, bool local)
{
	static const struct fake_cl_arg window = FAKE_CL_OUT("w", "ulong"),
					table = FAKE_CL_IN("table", "ulong"),
					state = FAKE_CL_OUT("s", "struct state"),
					firing = FAKE_CL_VALUE("firing", "ulong", 8),
					valid = FAKE_CL_VALUE("v", "uint", 4);
	static struct made made[DYN_DEVICE_PORTS];

	for (unsigned n = 1; n <= DYN_DEVICE_PORTS; n++) {
		struct made *m = &made[n - 1];

		snprintf(m->name, sizeof m->name, "dyn_%u", n);
		for (unsigned w = 0; w < n; w++) {
			m->args[w] = window;
			m->args[n + 3 + w] = valid;
		}
		m->args[n] = state;
		m->args[n + 1] = firing;
		m->args[n + 2] = table;
		m->kernel = (struct fake_cl_kernel){ .name = m->name,
			.args = m->args,
			.arg_count = 2 * n + 3,
			.local_memory = local ? 128 : 0,
			.run = runs[n - 1] };
		ck_assert_int_eq(fake->add_kernel(&m->kernel), 0);
	}
}

static void run_network(const struct fake_cl *fake, unsigned way, uint64_t seed, struct dyn_totals *totals)
{
	char settings[160];
	const char *what;

	test_guard(fake_ways[way].settings, seed);
	/* a NULL for a port that is off is what the kernels expect */
	snprintf(settings, sizeof settings, "%s,nullmem=1,delay=%" PRIu64, fake_ways[way].settings,
		seed % 4 ? 0 : seed);
	setenv("PENSTOCK_FAKE_CL", settings, 1);
	fake->reset();
	add_kernels(fake, fake_ways[way].local);
	what = dyn_run_random(seed, TICKS, fake_ways[way].devices, fake_ways[way].device_count, totals);
	ck_assert_msg(!what, "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", settings, seed, what);
	fake_ways_check_left(fake, settings, seed);
}

START_TEST(networks)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, fake_ways[_i].settings, NULL);
	uint64_t rounds = test_rounds(QUICK_NETWORKS), seed = test_seed() + 1000 * (uint64_t)_i;
	struct dyn_totals totals = { 0 };

	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", fake_ways[_i].memory, 1);
	setenv("PENSTOCK_LAUNCH", fake_ways[_i].launch, 1);
	for (; totals.networks < rounds; seed++)
		run_network(fake, (unsigned)_i, seed, &totals);
	dyn_print_totals(fake_ways[_i].settings, &totals);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dynamic_fake");
	TCase *tcase = test_case(suite, "runs");

	tcase_add_loop_test(tcase, networks, 0, FAKE_WAYS);
	return test_main(suite);
}
