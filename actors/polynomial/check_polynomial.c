/* SPDX-License-Identifier: MIT */
/* Against the definition in double precision, x |x|^(order - 1) for each sample. */
#include "actors/common/check_branches.h"
#include "actors/common/check_moving.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pstk_actor *add(struct pstk_network *net, const struct branch_run *run, const void *data)
{
	return pstk_polynomial_add(net, "tested", data, run->count, run->dynamic);
}

/* Which powers, |x|^2 being 1: the paper's ten, and others. */
static void choose(struct pstk_polynomial_branch *branches, unsigned count)
{
	for (unsigned b = 0; b < count; b++) {
		branches[b].order = 2 * (b % 5) + 1;
		branches[b].conjugate = b / 5 % 2;
	}
}

/* One branch's output for all firings: how many samples. */
static size_t expect(const struct branch_run *run, const struct pstk_polynomial_branch *branch,
	unsigned number, double *re, double *im)
{
	size_t count = 0;

	for (size_t i = 0; i < branch_firings(run); i++)
		for (size_t s = 0; s < branch_window(run, i) && branch_on(run, number, i); s++) {
			double x = (double)run->one.data[0][i * run->rate + s];
			double y = (double)run->one.data[1][i * run->rate + s];
			double by = pow(sqrt(x * x + y * y), (double)branch->order - 1);

			re[count] = x * by;
			im[count++] = (branch->conjugate ? -y : y) * by;
		}
	return count;
}

static void check_output(const struct branch_run *run, const struct pstk_polynomial_branch *branches)
{
	double *re = malloc((run->samples + 1) * sizeof *re), *im = malloc((run->samples + 1) * sizeof *im);

	ck_assert(re && im);
	for (unsigned b = 0; b < run->count; b++) {
		size_t count = expect(run, &branches[b], b, re, im);

		ck_assert_uint_eq(run->branches.count[2 * b], count);
		ck_assert_uint_eq(run->branches.count[2 * b + 1], count);
		branch_compare(run, "re", run->branches.data[2 * b], re, count, 1e-25);
		branch_compare(run, "im", run->branches.data[2 * b + 1], im, count, 1e-25);
	}
	free(re);
	free(im);
}

static void check_run(
	struct branch_run *run, struct test_rng *rng, const struct pstk_polynomial_branch *branches)
{
	test_guard("a polynomial", test_seed());
	branch_run(run, rng, add, branches);
	check_output(run, branches);
	branch_run_free(run);
}

/* Sets for so many firings; the empty one and all are among them. */
static const uint32_t *random_sets(struct test_rng *rng, unsigned branches, size_t firings)
{
	static uint32_t sets[256];

	ck_assert_uint_le(firings, TEST_COUNT(sets));
	for (size_t i = 0; i < firings; i++)
		sets[i] = (uint32_t)test_random(rng) & ((1U << branches) - 1);
	sets[0] = (1U << branches) - 1;
	if (firings > 1)
		sets[1] = 0;
	return sets;
}

/* A polynomial of random sets, one a firing. */
static struct branch_run dynamic(struct test_rng *rng, unsigned count, uint32_t rate, size_t samples)
{
	size_t firings = (samples + rate - 1) / rate;

	firings = firings < 256 ? firings : 256;
	return (struct branch_run){ .dynamic = true,
		.count = count,
		.rate = rate,
		.samples = samples,
		.values = random_sets(rng, count, firings ? firings : 1),
		.value_count = firings ? firings : 1 };
}

static const struct {
	uint32_t rate;
	size_t samples;
} blocks[] = { { 1, 1 }, { 1, 37 }, { 2, 37 }, { 3, 37 }, { 7, 700 }, { 15, 64 }, { 16, 64 }, { 17, 64 },
	{ 1000, 4000 }, { 1000, 3001 }, { 1023, 5000 }, { 1024, 5000 }, { 1025, 5125 }, { 4099, 9000 },
	{ 32768, 70000 }, { 32768, 65536 }, { 32768, 1 }, { 64, 0 } };

/* Block sizes, full and partly filled last windows, all on and random sets. every: others are left out. */
static void check_blocks(struct test_rng *rng, const char *device, size_t every)
{
	struct pstk_polynomial_branch branches[4];

	choose(branches, 4);
	branches[1].conjugate = true;
	for (size_t i = 0; i < TEST_COUNT(blocks); i += every) {
		struct branch_run on = { .count = 4,
			.rate = blocks[i].rate,
			.samples = blocks[i].samples,
			.device = device },
				  run = dynamic(rng, 4, blocks[i].rate, blocks[i].samples);

		run.device = device;
		if (!device)
			check_run(&on, rng, branches);
		check_run(&run, rng, branches);
	}
}

START_TEST(block_sizes)
{
	struct test_rng rng = { test_seed() };

	check_blocks(&rng, NULL, 1);
}
END_TEST

/* Each set follows each other one. */
static void check_sets(struct test_rng *rng, const char *device)
{
	static uint32_t sets[512];
	struct pstk_polynomial_branch branches[4] = { { 3, false }, { 1, true }, { 7, false }, { 3, true } };
	struct branch_run run = { .dynamic = true,
		.count = 4,
		.rate = 37,
		.samples = 512 * 37 - 5,
		.values = sets,
		.value_count = 512,
		.device = device };

	for (uint32_t i = 0; i < 512; i++)
		sets[i] = i % 2 ? i / 2 % 16 : i / 32;
	check_run(&run, rng, branches);
}

START_TEST(every_set)
{
	struct test_rng rng = { test_seed() };

	check_sets(&rng, NULL);
}
END_TEST

/* 1, 10, 16 and 40 branches, of any orders, several of one order. */
static void check_shapes(struct test_rng *rng, const char *device)
{
	static const unsigned counts[] = { 1, 10, 16, 40 };
	struct pstk_polynomial_branch branches[40];

	for (size_t i = 0; i < TEST_COUNT(counts); i++)
		for (unsigned high = 0; high < 2; high++) {
			struct branch_run run =
				dynamic(rng, counts[i] > 16 ? 1 : counts[i], 1024, 9 * 1024 + 77);

			run.device = device;
			run.count = counts[i];
			run.dynamic = counts[i] <= 16;
			choose(branches, run.count);
			for (unsigned b = 0; b < run.count && high; b++) {
				branches[b].order = 2 * test_between(rng, 0, 49) + 1;
				branches[b].conjugate = test_chance(rng, 50);
			}
			branches[0].order = high ? 99 : 1;
			check_run(&run, rng, branches);
		}
}

START_TEST(shapes)
{
	struct test_rng rng = { test_seed() };

	check_shapes(&rng, NULL);
}
END_TEST

/* As many as an actor has ports for. */
START_TEST(most_branches)
{
	static struct pstk_polynomial_branch branches[BRANCHES_MAX];
	static struct branch_run run = { .count = BRANCHES_MAX, .rate = 20, .samples = 50 };
	struct test_rng rng = { test_seed() };

	for (unsigned b = 0; b < BRANCHES_MAX; b++)
		branches[b] = (struct pstk_polynomial_branch){ 2 * (b % 50) + 1, b / 50 % 2 };
	check_run(&run, &rng, branches);
}
END_TEST

/* What is not finite stays where it is. */
static void check_not_finite(struct test_rng *rng, const char *device)
{
	static const size_t at[] = { 0, 15, 16, 99, 130 };
	struct pstk_polynomial_branch branches[3] = { { 1, false }, { 3, true }, { 5, false } };
	struct branch_run run = { .count = 3, .rate = 100, .samples = 131, .device = device };

	branch_run_fill(&run, rng);
	for (size_t i = 0; i < TEST_COUNT(at); i++) {
		run.one.data[0][at[i]] = i == 3 ? INFINITY : NAN;
		run.one.data[1][at[i]] = 1;
	}
	branch_run_build(&run, add, branches);
	ck_assert_msg(branch_run_end(&run) == 0, "%s", run.error);
	for (unsigned b = 0; b < 3; b++)
		for (size_t s = 0; s < 131; s++) {
			float re = run.branches.data[2 * b][s], im = run.branches.data[2 * b + 1][s];
			bool hit = false;

			for (size_t i = 0; i < TEST_COUNT(at); i++)
				hit = hit || at[i] == s;
			ck_assert_int_eq(isfinite(re), !hit);
			ck_assert_int_eq(isfinite(im), !hit || b == 0);
			if (hit)
				ck_assert_int_eq(isinf(re) != 0, s == at[3]);
		}
	branch_run_free(&run);
}

START_TEST(not_finite)
{
	struct test_rng rng = { test_seed() };

	check_not_finite(&rng, NULL);
}
END_TEST

/* Other forms of the kernel give the same: 4 samples at once, groups of several work-items. */
static void check_forms(struct test_rng *rng, const char *device)
{
	static const struct {
		size_t local;
		const char *options;
	} forms[] = { { 1, "-DPORTABLE" }, { 5, "-DPORTABLE" }, { 64, NULL } };
	struct pstk_polynomial_branch branches[4];

	choose(branches, 4);
	for (size_t i = 0; i < TEST_COUNT(forms); i++)
		for (size_t b = 0; b < TEST_COUNT(blocks); b += 4) {
			struct branch_run run = dynamic(rng, 4, blocks[b].rate, blocks[b].samples % 10000);

			run.device = device;
			run.local = forms[i].local;
			run.options = forms[i].options;
			check_run(&run, rng, branches);
		}
}

START_TEST(on_a_device)
{
	struct test_rng rng = { test_seed() };
	const char *device = branch_device();

	for (unsigned m = 0; device && m < BRANCH_MEMORIES; m++) {
		setenv("PENSTOCK_MEMORY", branch_memories[m], 1);
		check_blocks(&rng, device, m ? 5 : 1);
		check_sets(&rng, device);
		if (m)
			continue;
		check_shapes(&rng, device);
		check_not_finite(&rng, device);
		check_forms(&rng, device);
	}
}
END_TEST

START_TEST(moves)
{
	struct test_rng rng = { test_seed() };
	const char *device = moving_device(moving_memories[_i], &rng);

	if (!device)
		return;
	check_blocks(&rng, device, 3);
	check_sets(&rng, device);
}
END_TEST

/* With more arguments than drivers must take, 1024 bytes, it works, or the driver's words come out. */
START_TEST(more_than_a_device_takes)
{
	static struct pstk_polynomial_branch branches[BRANCHES_MAX];
	static const unsigned counts[] = { 62, 64 };
	struct test_rng rng = { test_seed() };
	const char *device = branch_device();

	choose(branches, BRANCHES_MAX);
	for (size_t i = 0; device && i < TEST_COUNT(counts); i++) {
		struct branch_run run = { .count = counts[i], .rate = 16, .samples = 40, .device = device };

		branch_run_fill(&run, &rng);
		branch_run_build(&run, add, branches);
		if (!branch_run_end(&run))
			check_output(&run, branches);
		else
			TEST_SAYS(run.error, "'tested'", "polynomial", "CL_");
		branch_run_free(&run);
	}
}
END_TEST

struct refusal {
	unsigned count;
	bool dynamic, nowhere;
	uint32_t order; /* of branch 2 */
	const char *says;
};

START_TEST(refusals)
{
	static const struct refusal cases[] = { { 0, false, false, 1, "give it at least one" },
		{ 0, true, false, 1, "no branch" },
		{ 17, true, false, 1, "with a control port it has at most 16" },
		{ 2048, false, false, 1, "it has at most 2047" }, { 3, false, true, 1, "at NULL" },
		{ 3, true, false, 0, "branch 2 is of order 0: orders are odd, 1 to 99" },
		{ 3, false, false, 4, "branch 2 is of order 4:" },
		{ 3, true, false, 101, "branch 2 is of order 101:" } };
	static struct pstk_polynomial_branch branches[2048];

	choose(branches, 2048);
	for (size_t i = 0; i < TEST_COUNT(cases); i++) {
		const struct refusal *r = &cases[i];
		struct pstk_network *net = pstk_network_create("refusals");

		branches[1].order = r->order;
		ck_assert_ptr_null(pstk_polynomial_add(
			net, "odd one", r->nowhere ? NULL : branches, r->count, r->dynamic));
		ck_assert_int_eq(pstk_network_start(net), -EINVAL);
		TEST_SAYS(pstk_network_error(net), "'odd one'", r->says);
		pstk_network_destroy(net);
	}
	branches[1].order = 3;
	ck_assert_ptr_null(pstk_polynomial_add(NULL, "none", branches, 3, false));
	ck_assert_ptr_null(pstk_polynomial_add(NULL, NULL, NULL, 0, false));
}
END_TEST

/* What the library's own checks find, and init(). */
START_TEST(wrong_connections)
{
	struct test_rng rng = { test_seed() };
	struct pstk_polynomial_branch branches[2];
	struct branch_run run = { .count = 2, .rate = 8, .one_rate = 4, .samples = 20 };
	struct pstk_network *net = pstk_network_create("names");
	struct pstk_actor *one, *two;

	choose(branches, 2);
	branch_run_fill(&run, &rng);
	branch_run_build(&run, add, branches);
	ck_assert_int_eq(branch_run_end(&run), -EINVAL);
	TEST_SAYS(run.error, "'tested'", "port 'im' moves 1 token a step", "'re'", "gives it 8",
		"gives it 4: give it 8");
	branch_run_free(&run);

	one = pstk_polynomial_add(net, "one", branches, 2, false);
	two = pstk_polynomial_add(net, "two", branches, 2, false);
	ck_assert_ptr_null(pstk_polynomial_add(net, "two", branches, 2, false));
	ck_assert_ptr_null(pstk_polynomial_add(net, NULL, branches, 2, false));
	ck_assert_ptr_null(pstk_connect(one, "re1", two, "re", PSTK_FIFO(.rate = 1, .token_size = 8)));
	ck_assert_ptr_null(pstk_connect(one, "re3", two, "im", PSTK_FIFO(.rate = 1, .token_size = 4)));
	TEST_SAYS(pstk_network_problem(net, 2), "8", "4");
	TEST_SAYS(pstk_network_problem(net, 3), "re3");
	pstk_network_destroy(net);
}
END_TEST

START_TEST(out_of_memory)
{
	struct pstk_polynomial_branch branches[5];
	int fails = 0;
	struct pstk_actor *actor = NULL;

	choose(branches, 5);
	for (; !actor; fails++) {
		struct pstk_network *net = pstk_network_create("memory");

		test_fail_allocation((unsigned)fails + 1);
		actor = pstk_polynomial_add(net, "tested", branches, 5, true);
		test_fail_allocation(0);
		if (!actor)
			TEST_SAYS(pstk_network_problem(net, 0), "'tested'", "out of memory");
		pstk_network_destroy(net);
	}
	ck_assert_int_eq(fails, 5); /* each of four, and none */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("polynomial");
	TCase *tcase = test_case(suite, "polynomial");

	tcase_add_test(tcase, block_sizes);
	tcase_add_test(tcase, every_set);
	tcase_add_test(tcase, shapes);
	tcase_add_test(tcase, most_branches);
	tcase_add_test(tcase, not_finite);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, wrong_connections);
	tcase_add_test(tcase, out_of_memory);
	tcase = test_case(suite, "device");
	tcase_add_test(tcase, on_a_device);
	tcase_add_loop_test(tcase, moves, 0, MOVING_MEMORIES);
	tcase_add_test(tcase, more_than_a_device_takes);
	return test_main(suite);
}
