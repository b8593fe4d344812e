/* SPDX-License-Identifier: MIT */
/*
 * Which pairs deadlock, with A, B or both on devices of the fake driver, in each way in which memory is
 * shared: a device actor takes its control values when it enqueues, so the conditions are the same.
 */
#include "tests/random/fake_ways.h"
#include "tests/random/pair_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_PAIRS = 250 };

static const struct {
	const char *settings, *memory, *launch, *a, *b;
	bool local;
} ways[] = {
	{ "svm=none,unified=0,align=4096", "copy", "", "pstk:gpu:0", NULL, false },
	{ "svm=none,unified=1", "map", "", "pstk:gpu:0", NULL, false },
	{ "svm=coarse,unified=1", "svm", "", "pstk:gpu:0", NULL, false },
	{ "svm=fine,unified=1", "svm", "own", "pstk:gpu:0", NULL, false },
	{ "svm=none,unified=0", "copy", "own", NULL, "pstk:gpu:0", true },
	{ "svm=none,unified=1,lazy=1", "map", "", NULL, "pstk:gpu:0", false },
	{ "svm=coarse,unified=1", "svm", "", NULL, "pstk:gpu:0", false },
	{ "svm=fine,unified=1", "svm", "", NULL, "pstk:gpu:0", false },
	{ "svm=none,unified=0,align=4096", "", "", "pstk:gpu:0", "pstk:gpu:0", false },
	{ "svm=none,unified=0,arginfo=0,lazy=1", "", "", "pstk:gpu:0", "pstk:gpu:0", false },
	{ "svm=none,unified=0", "", "own", "pstk:gpu:0", "pstk:gpu:0", true },
	{ "svm=coarse,unified=1", "svm", "", "pstk:gpu:0", "pstk:gpu:0", false },
	{ "svm=none,unified=0,units=4", "", "", "pstk:gpu:0/1of2", "pstk:gpu:0/2of2", false },
	{ "svm=none,unified=0,devices=2", "", "", "pstk:gpu:0", "pstk:gpu:1", false },
};

/* -- the kernels: pair_net.c has them as OpenCL C -- */

static uint32_t number(const void *value)
{
	return *(const uint32_t *)value;
}

static void run_write(const struct fake_cl_launch *l)
{
	uint32_t *out = l->arg[0], rate = number(l->arg[3]), delay = number(l->arg[5]);
	struct pair_state *s = l->arg[1];
	uint64_t firing = *(const cl_ulong *)l->arg[2];

	s->wrong += s->firings++ != firing || number(l->arg[4]) != rate;
	for (uint32_t i = 0; i < rate; i++)
		out[i] = delay + (uint32_t)firing * rate + i;
}

static void run_read(const struct fake_cl_launch *l)
{
	const uint32_t *in = l->arg[0];
	struct pair_state *s = l->arg[1];
	uint64_t firing = *(const cl_ulong *)l->arg[2];
	uint32_t rate = number(l->arg[3]), valid = number(l->arg[4]);

	s->wrong += s->firings++ != firing || !valid || valid > rate;
	for (uint32_t i = 0; i < rate; i++)
		s->wrong += in[i] != (i < valid ? (uint32_t)firing * rate + i : 0);
}

static void add_kernels(const struct fake_cl *fake, bool local)
{
	static const struct fake_cl_arg write[] = { FAKE_CL_OUT("out", "uint"),
		FAKE_CL_OUT("s", "struct pair_state"), FAKE_CL_VALUE("firing", "ulong", 8),
		FAKE_CL_VALUE("rate", "uint", 4), FAKE_CL_VALUE("valid", "uint", 4),
		FAKE_CL_VALUE("delay", "uint", 4) };
	static const struct fake_cl_arg read[] = { FAKE_CL_IN("in", "uint"),
		FAKE_CL_OUT("s", "struct pair_state"), FAKE_CL_VALUE("firing", "ulong", 8),
		FAKE_CL_VALUE("rate", "uint", 4), FAKE_CL_VALUE("valid", "uint", 4) };
	static struct fake_cl_kernel kernels[] = {
		{ .name = "pair_write", .args = write, .arg_count = TEST_COUNT(write), .run = run_write },
		{ .name = "pair_read", .args = read, .arg_count = TEST_COUNT(read), .run = run_read }
	};

	for (size_t i = 0; i < TEST_COUNT(kernels); i++) {
		kernels[i].local_memory = local ? 128 : 0;
		ck_assert_int_eq(fake->add_kernel(&kernels[i]), 0);
	}
}

static void run_pair(const struct fake_cl *fake, unsigned way, uint64_t seed, struct pair_totals *totals)
{
	struct test_rng rng = { test_mix(seed) };
	char settings[160];
	const char *what;
	struct pair p;

	test_guard(ways[way].settings, seed);
	snprintf(settings, sizeof settings, "%s,delay=%" PRIu64, ways[way].settings, seed % 4 ? 0 : seed);
	setenv("PENSTOCK_FAKE_CL", settings, 1);
	fake->reset();
	add_kernels(fake, ways[way].local);
	pair_random(&p, &rng);
	what = pair_run(&p, ways[way].a, ways[way].b, totals);
	ck_assert_msg(
		!what, "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s: %s", settings, seed, pair_text(&p), what);
	fake_ways_check_left(fake, settings, seed);
}

START_TEST(pairs)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, ways[_i].settings, NULL);
	uint64_t first = test_seed(), rounds = test_rounds(QUICK_PAIRS);
	struct pair_totals totals = { 0 };

	ck_assert_ptr_nonnull(fake);
	setenv("PENSTOCK_MEMORY", ways[_i].memory, 1);
	setenv("PENSTOCK_LAUNCH", ways[_i].launch, 1);
	/* other pairs in each way */
	first += (uint64_t)_i * rounds;
	for (uint64_t seed = first; seed < first + rounds; seed++)
		run_pair(fake, (unsigned)_i, seed, &totals);
	printf("A %s, B %s, %s: %" PRIu64 " pairs, %" PRIu64 " dead, %" PRIu64 " starved, %" PRIu64
	       " windows\n",
		ways[_i].a ? ways[_i].a : "host", ways[_i].b ? ways[_i].b : "host", ways[_i].settings,
		totals.pairs, totals.dead, totals.starved, totals.firings);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pairs_fake");
	TCase *runs = test_case(suite, "runs");

	tcase_add_loop_test(runs, pairs, 0, TEST_COUNT(ways));
	return test_main(suite);
}
