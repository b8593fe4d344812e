/* SPDX-License-Identifier: MIT */
/*
 * Proven dynamic networks (dynamic_net.h) with their actors on cores and on devices of the fake driver, in each way in which
 * memory is shared: every token is checked, what is left is the oracle's, no object stays, nothing was done wrong.
 */
#include "tests/dynamic_device.h"
#include "tests/dynamic_run.h"
#include "tests/fake_cl/fake_cl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_NETWORKS = 60, TICKS = 40 };

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
	{ "svm=none,unified=0", "copy", "own", one, 1, false },
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

static void run_network(const struct fake_cl *fake, unsigned way, uint64_t seed, struct dyn_totals *totals)
{
	char settings[160];
	const char *what;

	test_guard(ways[way].settings, seed);
	/* a NULL for a port that is off is what the kernels expect */
	snprintf(settings, sizeof settings, "%s,nullmem=1,delay=%" PRIu64, ways[way].settings,
		seed % 4 ? 0 : seed);
	setenv("PENSTOCK_FAKE_CL", settings, 1);
	fake->reset();
	add_kernels(fake, ways[way].local);
	what = dyn_run_random(seed, TICKS, ways[way].devices, ways[way].device_count, totals);
	ck_assert_msg(!what, "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", settings, seed, what);
	check_left(fake, settings, seed);
}

START_TEST(networks)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, ways[_i].settings, NULL);
	uint64_t rounds = test_rounds(QUICK_NETWORKS), seed = test_seed() + 1000 * (uint64_t)_i;
	struct dyn_totals totals = { 0 };

	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	setenv("PENSTOCK_LAUNCH", ways[_i].launch, 1);
	for (; totals.networks < rounds; seed++)
		run_network(fake, (unsigned)_i, seed, &totals);
	test_guard_off();
	dyn_print_totals(ways[_i].settings, &totals);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dynamic_fake");
	TCase *tcase = test_case(suite, "runs");

	tcase_set_timeout(tcase, 0); /* each network has the guard */
	tcase_add_loop_test(tcase, networks, 0, TEST_COUNT(ways));
	return test_main(suite);
}
