/* SPDX-License-Identifier: MIT */
/* Against sums in double precision. */
#include "actors/common/check_branches.h"
#include "actors/common/check_moving.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct pstk_cf32 leakage = { 0.0123F, -0.25F };

static struct pstk_actor *add(struct pstk_network *net, const struct branch_run *run, const void *data)
{
	const struct pstk_cf32 *constant = data;

	return pstk_adder_add(net, "tested", run->count, *constant, run->dynamic);
}

/* A firing of nothing but the constant fills its window. */
static size_t window(const struct branch_run *run, size_t firing)
{
	for (unsigned b = 0; b < run->count; b++)
		if (branch_on(run, b, firing))
			return branch_window(run, firing);
	return run->rate;
}

/* One part's sums for all firings: how many. part: 0 re, 1 im. */
static size_t expect(const struct branch_run *run, unsigned part, double constant, double *sums)
{
	size_t count = 0, next[BRANCHES_MAX] = { 0 };

	for (size_t i = 0; i < branch_firings(run); i++)
		for (size_t s = 0; s < window(run, i); s++) {
			sums[count] = 0;
			for (unsigned b = 0; b < run->count; b++)
				if (branch_on(run, b, i))
					sums[count] += (double)run->branches.data[2 * b + part][next[b]++];
			sums[count++] += constant;
		}
	return count;
}

static void check_sums(struct branch_run *run, const struct pstk_cf32 *constant)
{
	double *sums = malloc((run->one.room + 1) * sizeof *sums);

	ck_assert_ptr_nonnull(sums);
	for (unsigned part = 0; part < 2; part++) {
		size_t count = expect(run, part, (double)(part ? constant->im : constant->re), sums);

		ck_assert_uint_eq(run->one.count[part], count);
		branch_compare(run, part ? "im" : "re", run->one.data[part], sums, count, 0.1);
	}
	free(sums);
}

static void check_run(struct branch_run *run, struct test_rng *rng)
{
	test_guard("an adder", test_seed());
	run->inputs = true;
	branch_run(run, rng, add, &leakage);
	check_sums(run, &leakage);
	branch_run_free(run);
}

/* Each set of four, from each other one; and so for ten. */
static uint32_t sets[512], random_sets[64];

static void make_sets(struct test_rng *rng)
{
	for (uint32_t i = 0; i < TEST_COUNT(sets); i++)
		sets[i] = i % 2 ? i / 2 % 16 : i / 32;
	for (size_t i = 0; i < TEST_COUNT(random_sets); i++)
		random_sets[i] = (uint32_t)test_random(rng) & 0xffff;
	random_sets[1] = 0xffff;
	random_sets[2] = 0;
}

static const struct {
	uint32_t rate;
	size_t samples;
} blocks[] = { { 1, 1 }, { 1, 37 }, { 2, 37 }, { 3, 37 }, { 7, 700 }, { 15, 64 }, { 16, 64 }, { 17, 64 },
	{ 1000, 4000 }, { 1000, 3001 }, { 1023, 5000 }, { 1024, 5000 }, { 1025, 5125 }, { 4099, 9000 },
	{ 32768, 70000 }, { 32768, 65536 }, { 32768, 1 }, { 64, 0 } };

/* Block sizes, all on and set after set. every: the others are left out. */
static void check_blocks(struct test_rng *rng, const char *device, size_t every)
{
	for (size_t i = 0; i < TEST_COUNT(blocks); i += every) {
		struct branch_run on = { .count = 4,
			.rate = blocks[i].rate,
			.samples = blocks[i].samples,
			.device = device },
				  run = on;

		run.dynamic = true;
		run.values = sets;
		run.value_count = TEST_COUNT(sets);
		if (!device)
			check_run(&on, rng);
		check_run(&run, rng);
	}
}

static void check_sets(struct test_rng *rng, const char *device)
{
	struct branch_run run = { .dynamic = true,
		.count = 4,
		.rate = 37,
		.samples = TEST_COUNT(sets) * 37,
		.values = sets,
		.value_count = TEST_COUNT(sets),
		.device = device };

	check_run(&run, rng);
	run = (struct branch_run){ .dynamic = true,
		.count = 4,
		.rate = 37,
		.samples = TEST_COUNT(sets) * 37 - 36, /* the last set is all of them: one sample is left */
		.values = sets,
		.value_count = TEST_COUNT(sets),
		.device = device };
	check_run(&run, rng);
}

/* 1, 10 and 16 signals of random sets, 40 at once. */
static void check_shapes(struct test_rng *rng, const char *device)
{
	static const unsigned counts[] = { 1, 10, 16, 40 };

	for (size_t i = 0; i < TEST_COUNT(counts); i++) {
		uint32_t of[TEST_COUNT(random_sets)];
		struct branch_run run = { .dynamic = counts[i] <= 16,
			.count = counts[i],
			.rate = 1024,
			.samples = 20 * 1024 + 77,
			.values = of,
			.value_count = TEST_COUNT(of),
			.device = device };

		for (size_t s = 0; s < TEST_COUNT(of); s++)
			of[s] = random_sets[s] & (run.dynamic ? (1U << run.count) - 1 : 0);
		check_run(&run, rng);
	}
}

START_TEST(on_the_cores)
{
	struct test_rng rng = { test_seed() };

	make_sets(&rng);
	check_blocks(&rng, NULL, 1);
	check_sets(&rng, NULL);
	check_shapes(&rng, NULL);
}
END_TEST

/* As many as an actor has ports for. */
START_TEST(most_branches)
{
	static struct branch_run run = { .count = BRANCHES_MAX, .rate = 20, .samples = 50 };
	struct test_rng rng = { test_seed() };

	check_run(&run, &rng);
}
END_TEST

/* Sums depend on their order: 1e8 - 1e8 + 1 is 1, 1e8 + 1 - 1e8 is 0. */
static void check_order(const char *device)
{
	static const float parts[2][6] = { { 1e8F, -1e8F, 1, 0, 0, 0 }, { 0, 1e8F, 1, -1e8F, 0, 2 } };
	static const float sums[2] = { 1.5F, 2.5F };
	struct test_rng rng = { test_seed() };
	struct branch_run run = { .inputs = true, .count = 6, .rate = 33, .samples = 33, .device = device };

	branch_run_fill(&run, &rng);
	for (unsigned p = 0; p < 12; p++)
		for (size_t i = 0; i < 33; i++)
			run.branches.data[p][i] = parts[p % 2][p / 2];
	branch_run_build(&run, add, &(const struct pstk_cf32){ 0.5F, 0.5F });
	ck_assert_msg(branch_run_end(&run) == 0, "%s", run.error);
	for (unsigned p = 0; p < 2; p++)
		for (size_t i = 0; i < 33; i++)
			ck_assert_float_eq(run.one.data[p][i], sums[p]);
	branch_run_free(&run);
}

static void check_not_finite(struct test_rng *rng, const char *device)
{
	struct branch_run run = { .inputs = true, .count = 2, .rate = 100, .samples = 120, .device = device };

	branch_run_fill(&run, rng);
	run.branches.data[0][17] = NAN;
	run.branches.data[3][119] = INFINITY;
	branch_run_build(&run, add, &leakage);
	ck_assert_msg(branch_run_end(&run) == 0, "%s", run.error);
	for (size_t i = 0; i < 120; i++) {
		ck_assert_int_eq(isnan(run.one.data[0][i]) != 0, i == 17);
		ck_assert_int_eq(isinf(run.one.data[1][i]) != 0, i == 119);
	}
	ck_assert_uint_eq(run.one.count[0], 120);
	branch_run_free(&run);
}

START_TEST(order_and_not_finite)
{
	struct test_rng rng = { test_seed() };

	check_order(NULL);
	check_not_finite(&rng, NULL);
}
END_TEST

static void check_param(struct test_rng *rng, const char *device)
{
	struct branch_run run = { .inputs = true, .count = 3, .rate = 10, .samples = 25, .device = device };

	branch_run_fill(&run, rng);
	branch_run_build(&run, add, &leakage);
	ck_assert_int_eq(pstk_actor_set_param(run.tested, "im", "-7.5"), 0);
	ck_assert_msg(branch_run_end(&run) == 0, "%s", run.error);
	check_sums(&run, &(const struct pstk_cf32){ leakage.re, -7.5F });
	branch_run_free(&run);
}

START_TEST(constant_is_a_parameter)
{
	struct test_rng rng = { test_seed() };

	check_param(&rng, NULL);
}
END_TEST

START_TEST(on_a_device)
{
	struct test_rng rng = { test_seed() };
	const char *device = branch_device();

	make_sets(&rng);
	for (unsigned m = 0; device && m < BRANCH_MEMORIES; m++) {
		setenv("PENSTOCK_MEMORY", branch_memories[m], 1);
		check_blocks(&rng, device, m ? 5 : 1);
		check_sets(&rng, device);
		if (m)
			continue;
		check_shapes(&rng, device);
		check_order(device);
		check_not_finite(&rng, device);
		check_param(&rng, device);
	}
}
END_TEST

START_TEST(moves)
{
	struct test_rng rng = { test_seed() };
	const char *device = moving_device(moving_memories[_i], &rng);

	if (!device)
		return;
	make_sets(&rng);
	check_blocks(&rng, device, 3);
	check_sets(&rng, device);
}
END_TEST

/* Other forms of the kernel give the same: 4 samples at once, groups of several work-items. */
START_TEST(forms)
{
	static const struct {
		size_t local;
		const char *options;
	} variants[] = { { 1, "-DPORTABLE" }, { 5, "-DPORTABLE" }, { 64, NULL } };
	struct test_rng rng = { test_seed() };
	const char *device = branch_device();

	make_sets(&rng);
	for (size_t i = 0; device && i < TEST_COUNT(variants); i++)
		for (size_t b = 0; b < TEST_COUNT(blocks); b += 3) {
			struct branch_run run = { .dynamic = true,
				.count = 4,
				.rate = blocks[b].rate,
				.samples = blocks[b].samples % 10000,
				.values = sets,
				.value_count = TEST_COUNT(sets),
				.device = device,
				.local = variants[i].local,
				.options = variants[i].options };

			check_run(&run, &rng);
		}
}
END_TEST

/* With more arguments than drivers must take, 1024 bytes, it works, or the driver's words come out. */
START_TEST(more_than_a_device_takes)
{
	static const unsigned counts[] = { 62, 64 };
	struct test_rng rng = { test_seed() };
	const char *device = branch_device();

	for (size_t i = 0; device && i < TEST_COUNT(counts); i++) {
		struct branch_run run = {
			.inputs = true, .count = counts[i], .rate = 16, .samples = 40, .device = device
		};

		branch_run_fill(&run, &rng);
		branch_run_build(&run, add, &leakage);
		if (!branch_run_end(&run))
			check_sums(&run, &leakage);
		else
			TEST_SAYS(run.error, "'tested'", "adder", "CL_");
		branch_run_free(&run);
	}
}
END_TEST

START_TEST(refusals)
{
	static const struct {
		unsigned count;
		bool dynamic;
		struct pstk_cf32 constant;
		const char *says;
	} cases[] = { { 0, false, { 0, 0 }, "give it at least one" },
		{ 17, true, { 0, 0 }, "with a control port it has at most 16" },
		{ 2048, false, { 0, 0 }, "it has at most 2047" },
		{ 2, false, { NAN, 0 }, "the constant is nan, 0: give it finite parts" },
		{ 2, true, { 0, INFINITY }, "the constant is 0, inf" } };

	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		struct pstk_network *net = pstk_network_create("refusals");

		ck_assert_ptr_null(
			pstk_adder_add(net, "odd one", cases[i].count, cases[i].constant, cases[i].dynamic));
		ck_assert_int_eq(pstk_network_start(net), -EINVAL);
		TEST_SAYS(pstk_network_error(net), "'odd one'", cases[i].says);
		pstk_network_destroy(net);
	}
	ck_assert_ptr_null(pstk_adder_add(NULL, "none", 3, leakage, false));
	ck_assert_ptr_null(pstk_adder_add(NULL, NULL, 0, leakage, true));
}
END_TEST

START_TEST(wrong_connections)
{
	struct test_rng rng = { test_seed() };
	struct branch_run run = { .inputs = true, .count = 2, .rate = 8, .one_rate = 4, .samples = 20 };
	struct pstk_network *net = pstk_network_create("constants");
	struct pstk_actor *adder = pstk_adder_add(net, "adder", 2, leakage, false);

	ck_assert_int_eq(pstk_actor_set_param(adder, "re", "inf"), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_param(adder, "im", "nan"), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_param(adder, "im", "1e60"), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_param(adder, "count", "1"), -ENOENT);
	pstk_network_destroy(net);

	branch_run_fill(&run, &rng);
	branch_run_build(&run, add, &leakage);
	ck_assert_int_eq(branch_run_end(&run), -EINVAL);
	TEST_SAYS(run.error, "'tested'", "port 'im' moves 1 token a step", "'re'", "gives it 8",
		"gives it 4: give it 8");
	branch_run_free(&run);
}
END_TEST

START_TEST(out_of_memory)
{
	int fails = 0;
	struct pstk_actor *actor = NULL;

	for (; !actor; fails++) {
		struct pstk_network *net = pstk_network_create("memory");

		test_fail_allocation((unsigned)fails + 1);
		actor = pstk_adder_add(net, "tested", 5, leakage, true);
		test_fail_allocation(0);
		if (!actor)
			TEST_SAYS(pstk_network_problem(net, 0), "'tested'", "out of memory");
		pstk_network_destroy(net);
	}
	ck_assert_int_eq(fails, 4); /* each of three, and none */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("adder");
	TCase *tcase = test_case(suite, "adder");

	tcase_add_test(tcase, on_the_cores);
	tcase_add_test(tcase, most_branches);
	tcase_add_test(tcase, order_and_not_finite);
	tcase_add_test(tcase, constant_is_a_parameter);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, wrong_connections);
	tcase_add_test(tcase, out_of_memory);
	tcase = test_case(suite, "device");
	tcase_add_test(tcase, on_a_device);
	tcase_add_loop_test(tcase, moves, 0, MOVING_MEMORIES);
	tcase_add_test(tcase, forms);
	tcase_add_test(tcase, more_than_a_device_takes);
	return test_main(suite);
}
