/* SPDX-License-Identifier: MIT */
/*
 * How deep FIFOs are whose depth is not given: by a thread per actor, under a team, with PSTK_DEPTH_AUTO, between
 * actors on cores and on devices, and what is said of it.
 */
#include "config.h"

#include "tests/common/common.h"
#include "tests/common/simple.h"
#include "tests/plan/plan_net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 0 }; /* none is given */

/* The bytes of a FIFO by what it must hold (layout.h): d delay tokens and k windows, and if d is no
 * multiple of r room for two windows' rests more. */
static size_t bytes_by_rule(const struct pstk_fifo_info *info, uint64_t depth)
{
	uint64_t slots = info->delay + depth * info->rate;

	if (info->delay % info->rate)
		slots += info->rate; /* d + k r + r */
	return slots * info->token_size;
}

/* -- depths by mode -- */

static int idle_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

static int obey(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, 1, value);
	return 0;
}

static const struct pstk_port dynamic[] = { { .name = "ctl", .kind = PSTK_CONTROL },
	{ .name = "in", .kind = PSTK_DYNAMIC_INPUT } };

static struct pstk_actor *add_dynamic(struct pstk_network *net, const char *name)
{
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "dynamic", .ports = dynamic, .port_count = 2, .control_values = 2,
			.control = obey, .fire = idle_fire),
		NULL);
}

/* Set before, between and after the connections: all have what is true now, except that a given depth is
 * kept. */
START_TEST(depths_follow_threads)
{
	struct pstk_network *net = pstk_network_create("depths");
	struct pstk_actor *a = plan_add(net, "a", false), *d = add_dynamic(net, "d"),
			  *k1 = plan_add(net, "k1", true), *k2 = plan_add(net, "k2", true);
	struct pstk_fifo *data, *ctl, *given, *ring, *windows;
	static const unsigned threads[] = { 4, 0, 1, 256, 2, 0 };

	ck_assert_int_eq(pstk_network_set_threads(net, 3), 0);
	data = pstk_connect(a, "out", d, "in", PSTK_FIFO(.rate = 4, .delay = 5, .token_size = 12));
	ck_assert_uint_eq(plan_info(data).depth, 6);
	ck_assert_int_eq(pstk_network_set_threads(net, 1), 0);
	ck_assert_uint_eq(plan_info(data).depth, 2);
	given = pstk_connect(k2, "out", a, "in", PSTK_FIFO(.rate = 1, .depth = 3, .token_size = 12));
	ctl = pstk_connect(k1, "out", d, "ctl", PSTK_FIFO(.rate = 1, .token_size = 4));
	ring = pstk_connect(k1, "out", k2, "in", PSTK_FIFO(.capacity = 7, .delay = 2, .token_size = 4));
	for (size_t i = 0; i < TEST_COUNT(threads); i++) {
		uint64_t k = threads[i] ? 2 * threads[i] : 2;
		struct pstk_fifo_info info;

		ck_assert_int_eq(pstk_network_set_threads(net, threads[i]), 0);
		info = plan_info(data);
		ck_assert_uint_eq(info.depth, k);
		ck_assert_uint_eq(info.bytes, bytes_by_rule(&info, k));
		ck_assert_uint_eq(plan_info(ctl).depth, k);
		ck_assert_uint_eq(plan_info(ctl).bytes, 4 * k);
		ck_assert_uint_eq(plan_info(given).depth, 3);
		ck_assert_uint_eq(plan_info(ring).depth, 5);
		ck_assert_uint_eq(plan_info(ring).bytes, 7 * 4);
		ck_assert_uint_eq(pstk_network_fifo_bytes(net), (9 + 4 * k) * 12 + 4 * k + 3 * 12 + 7 * 4);
	}
	pstk_network_destroy(net);
	/* a FIFO of windows between kahn actors is one as others */
	net = pstk_network_create("kahn");
	k1 = plan_add(net, "k1", true);
	windows = pstk_connect(
		k1, "out", plan_add(net, "k2", true), "in", PSTK_FIFO(.rate = 2, .token_size = 1));
	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	ck_assert_uint_eq(plan_info(windows).depth, 4);
	pstk_network_destroy(net);
}
END_TEST

/* A FIFO that is built between two calls has the depth of the last one. */
START_TEST(depth_between_two_calls)
{
	struct pstk_network *net = pstk_network_create("between");
	struct pstk_actor *a = plan_add(net, "a", false), *b = plan_add(net, "b", false);
	struct pstk_fifo *f;

	ck_assert_int_eq(pstk_network_set_threads(net, 0), 0);
	ck_assert_int_eq(pstk_network_set_threads(net, 4), 0);
	f = pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	ck_assert_int_eq(pstk_network_set_threads(net, 0), 0);
	ck_assert_uint_eq(plan_info(f).depth, 2);
	pstk_network_destroy(net);
}
END_TEST

/* The same depth before and after the start, and the memory of it. */
START_TEST(depths_of_a_run)
{
	struct simple_chain chain;
	size_t before;

	simple_chain(&chain, 2, 1000, 4, 0, DEPTH);
	ck_assert_int_eq(pstk_network_set_threads(chain.net, 3), 0);
	before = pstk_network_shared_bytes(chain.net);
	ck_assert_uint_eq(before, 3 * 6 * 4 * 8);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(plan_info(chain.fifos[i]).depth, 6);
	ck_assert_uint_eq(pstk_network_shared_bytes(chain.net), before);
	ck_assert_uint_eq(pstk_network_allocated_bytes(chain.net), before);
	ck_assert_uint_eq(chain.collect.tokens, 1000);
	ck_assert_uint_eq(chain.collect.wrong, 0);
	pstk_network_destroy(chain.net);
}
END_TEST

START_TEST(too_many_bytes)
{
	struct pstk_network *net = pstk_network_create("huge");
	struct pstk_actor *a = plan_add(net, "a", false), *b = plan_add(net, "b", false);
	/* 2 windows fit into half of the address space, 4 don't */
	const size_t token = (size_t)PTRDIFF_MAX / 3;
	struct pstk_fifo *f = pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = token));

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(pstk_network_set_threads(net, 1), 0);
	/* more windows by themselves: never, whatever the budget is */
	ck_assert_int_eq(pstk_network_set_flags(net, PSTK_DEPTH_AUTO), 0);
	ck_assert_int_eq(pstk_network_set_depth_budget(net, SIZE_MAX), 0);
	ck_assert_uint_eq(plan_info(f).depth, 3);
	ck_assert_int_eq(pstk_network_set_threads(net, 2), -EOVERFLOW);
	ck_assert_uint_eq(pstk_network_threads(net), 1);
	ck_assert_uint_eq(plan_info(f).depth, 3);
	TEST_SAYS(pstk_network_problem(net, 0), "'a'.out -> 'b'.in", "rate 1", "depth 4", "team of 2",
		"more bytes than memory can have", "give it a depth");
	ck_assert_int_eq(pstk_network_start(net), -EOVERFLOW);
	pstk_network_destroy(net);

	net = pstk_network_create("huge");
	ck_assert_int_eq(pstk_network_set_threads(net, 2), 0);
	a = plan_add(net, "a", false);
	ck_assert_ptr_null(pstk_connect(
		a, "out", plan_add(net, "b", false), "in", PSTK_FIFO(.rate = 1, .token_size = token)));
	TEST_SAYS(pstk_network_error(net), "depth 4", "more bytes than memory can have");
	pstk_network_destroy(net);
}
END_TEST

/* -- PSTK_DEPTH_AUTO -- */

/* Three FIFOs of 8-byte tokens, rate 1: 24 bytes a window. */
static const struct {
	unsigned threads;
	size_t budget;
	uint32_t depth;
} budgets[] = { { 0, 480, 20 }, { 0, 479, 19 }, { 0, 481, 20 }, { 0, 71, 2 }, { 0, 72, 3 }, { 0, 1, 2 },
	{ 0, 767, 31 }, { 0, 768, 32 }, { 0, 1000000, 32 }, { 0, SIZE_MAX, 32 }, { 4, 1, 8 }, { 4, 480, 20 },
	{ 4, 215, 8 }, { 4, 216, 9 }, { 16, 1, 32 }, { 20, 1, 40 }, { 20, SIZE_MAX, 40 } };

START_TEST(budget)
{
	struct simple_chain chain;
	uint32_t depth = budgets[_i].depth;

	simple_chain(&chain, 2, 1000, 1, 0, DEPTH);
	ck_assert_int_eq(pstk_network_set_threads(chain.net, budgets[_i].threads), 0);
	ck_assert_int_eq(pstk_network_set_depth_budget(chain.net, budgets[_i].budget), 0);
	ck_assert_uint_eq(plan_info(chain.fifos[0]).depth, budgets[_i].threads ? 2 * budgets[_i].threads : 2);
	ck_assert_int_eq(pstk_network_set_flags(chain.net, PSTK_DEPTH_AUTO), 0);
	ck_assert_uint_eq(pstk_network_shared_bytes(chain.net), 24 * (size_t)depth);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(plan_info(chain.fifos[i]).depth, depth);
	ck_assert_int_eq(pstk_network_set_flags(chain.net, 0), 0);
	ck_assert_uint_eq(plan_info(chain.fifos[1]).depth, budgets[_i].threads ? 2 * budgets[_i].threads : 2);
	ck_assert_int_eq(pstk_network_set_flags(chain.net, PSTK_DEPTH_AUTO), 0);
	ck_assert_int_eq(pstk_network_run(chain.net), 0); /* no call has asked since */
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(plan_info(chain.fifos[i]).depth, depth);
	ck_assert_uint_eq(chain.collect.tokens, 1000);
	ck_assert_uint_eq(chain.collect.wrong, 0);
	pstk_network_destroy(chain.net);
}
END_TEST

/* What the machine says. */
START_TEST(budget_of_the_cache)
{
	struct simple_chain chain;
	long cache = 0;
	size_t most, k;

#ifdef _SC_LEVEL2_CACHE_SIZE
	cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
	most = cache > 0 ? (size_t)cache / 2 : 512 * 1024;
	simple_chain(&chain, 2, 1000, 500, 0, DEPTH); /* 12,000 bytes a window */
	ck_assert_int_eq(pstk_network_set_flags(chain.net, PSTK_DEPTH_AUTO), 0);
	k = most / 12000;
	k = k < 2 ? 2 : k > 32 ? 32 : k;
	ck_assert_uint_eq(plan_info(chain.fifos[2]).depth, k);
	/* 0: that again */
	ck_assert_int_eq(pstk_network_set_depth_budget(chain.net, 1), 0);
	ck_assert_uint_eq(plan_info(chain.fifos[2]).depth, 2);
	ck_assert_int_eq(pstk_network_set_depth_budget(chain.net, 0), 0);
	ck_assert_uint_eq(plan_info(chain.fifos[2]).depth, k);
	pstk_network_destroy(chain.net);
}
END_TEST

/* Random chains, some FIFOs with a depth of their own, some outputs read twice: the depth is the largest
 * that fits. */
struct random_net {
	struct pstk_network *net;
	unsigned count, threads;
	size_t budget;
	struct {
		struct pstk_fifo *fifo;
		uint32_t rate, delay, given;
		size_t token_size;
		int twin; /* the FIFO of the same output before, without delay both; -1: none */
	} f[24];
};

static void make_random(struct random_net *r, struct test_rng *rng)
{
	unsigned actors = test_between(rng, 2, 12);
	struct pstk_actor *last;

	*r = (struct random_net){ .net = pstk_network_create("random"), .threads = test_between(rng, 0, 9) };
	last = plan_add(r->net, "a0", false);
	for (unsigned i = 1; i < actors; i++) {
		char name[24];
		struct pstk_actor *next;
		bool twice = test_chance(rng, 30);

		snprintf(name, sizeof name, "a%u", i);
		next = plan_add(r->net, name, false);
		for (unsigned k = 0; k <= twice; k++) {
			unsigned n = r->count++;

			r->f[n].twin = k ? (int)n - 1 : -1;
			r->f[n].rate = k ? r->f[n - 1].rate : test_between(rng, 1, 5);
			r->f[n].token_size = k ? r->f[n - 1].token_size : test_between(rng, 1, 9);
			r->f[n].delay = twice ? 0 : test_between(rng, 0, 12);
			r->f[n].given = test_chance(rng, 30) ? test_between(rng, 1, 40) : 0;
			if (k) {
				snprintf(name, sizeof name, "end%u", i);
				r->f[n].fifo = pstk_connect(last, "out", plan_add(r->net, name, false), "in",
					PSTK_FIFO(.rate = r->f[n].rate, .depth = r->f[n].given,
						.token_size = r->f[n].token_size));
			} else {
				r->f[n].fifo = pstk_connect(last, "out", next, "in",
					PSTK_FIFO(.rate = r->f[n].rate, .delay = r->f[n].delay,
						.depth = r->f[n].given, .token_size = r->f[n].token_size));
			}
		}
		last = next;
	}
	r->budget = test_between(rng, 1, test_chance(rng, 50) ? 20000 : 2000);
	ck_assert_int_eq(pstk_network_set_depth_budget(r->net, r->budget), 0);
	ck_assert_int_eq(pstk_network_set_threads(r->net, r->threads), 0);
}

static size_t bytes_with(const struct random_net *r, uint32_t depth)
{
	size_t sum = 0, bytes[24];

	for (unsigned i = 0; i < r->count; i++) {
		struct pstk_fifo_info like = {
			.rate = r->f[i].rate, .delay = r->f[i].delay, .token_size = r->f[i].token_size
		};

		bytes[i] = bytes_by_rule(&like, r->f[i].given ? r->f[i].given : depth);
		if (r->f[i].twin < 0)
			sum += bytes[i];
		else if (bytes[i] > bytes[i - 1])
			sum += bytes[i] - bytes[i - 1]; /* one buffer: the deeper one */
	}
	return sum;
}

START_TEST(largest_that_fits)
{
	struct test_rng rng = { test_seed() };

	for (unsigned round = 0; round < 400; round++) {
		struct random_net r;
		uint32_t least, depth;

		test_guard("largest_that_fits", round);
		make_random(&r, &rng);
		least = r.threads ? 2 * r.threads : 2;
		for (depth = 32; depth > least && bytes_with(&r, depth) > r.budget; depth--)
			;
		depth = depth > least ? depth : least;
		ck_assert_uint_eq(pstk_network_shared_bytes(r.net), bytes_with(&r, least));
		ck_assert_int_eq(pstk_network_set_flags(r.net, PSTK_DEPTH_AUTO), 0);
		ck_assert_uint_eq(pstk_network_shared_bytes(r.net), bytes_with(&r, depth));
		for (unsigned i = 0; i < r.count; i++)
			ck_assert_uint_eq(plan_info(r.f[i].fifo).depth, r.f[i].given ? r.f[i].given : depth);
		pstk_network_destroy(r.net);
	}
}
END_TEST

/* -- devices -- */

/* head -> a -> b -> c -> tail; depths of the four FIFOs with a, b, c on the device or not. */
static const struct {
	unsigned threads;
	const char *mapped;
	uint32_t depths[4];
} placements[] = { { 0, "", { 32, 32, 32, 32 } }, { 0, "a", { 4, 4, 32, 32 } }, { 0, "ab", { 4, 2, 4, 32 } },
	{ 0, "abc", { 4, 2, 2, 4 } }, { 0, "ac", { 4, 4, 4, 4 } }, { 1, "abc", { 4, 2, 2, 4 } },
	{ 2, "abc", { 4, 4, 4, 4 } }, { 3, "ab", { 6, 6, 6, 32 } }, { 20, "ab", { 40, 40, 40, 40 } } };

START_TEST(device_depths)
{
	struct pstk_network *net = pstk_network_create("device");
	struct pstk_actor *a[5];
	struct pstk_fifo *fifos[4];
	const char *mapped = placements[_i].mapped;

	a[0] = plan_add(net, "head", false);
	a[1] = plan_add_kernel(net, "a");
	a[2] = plan_add_kernel(net, "b");
	a[3] = plan_add_kernel(net, "c");
	a[4] = plan_add(net, "tail", false);
	for (unsigned i = 0; i < 4; i++)
		fifos[i] = pstk_connect(a[i], "out", a[i + 1], "in", PSTK_FIFO(.rate = 1, .token_size = 4));
	ck_assert_int_eq(pstk_network_set_flags(net, PSTK_DEPTH_AUTO), 0);
	ck_assert_int_eq(pstk_network_set_depth_budget(net, 1000000), 0);
	ck_assert_int_eq(pstk_network_set_threads(net, placements[_i].threads), 0);
	for (unsigned i = 0; mapped[i]; i++)
		ck_assert_int_eq(pstk_actor_map(a[1 + mapped[i] - 'a'], "pocl:cpu:0"), 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(plan_info(fifos[i]).depth, placements[_i].depths[i]);
	for (unsigned i = 1; i < 4; i++) /* and back */
		ck_assert_int_eq(pstk_actor_map(a[i], NULL), 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(plan_info(fifos[i]).depth,
			2 * placements[_i].threads > 32 ? 2 * placements[_i].threads : 32);
	pstk_network_destroy(net);
}
END_TEST

/* -- several rates -- */

static struct pstk_actor *several(
	struct pstk_network *net, const char *name, unsigned in, unsigned out, uint32_t rate)
{
	struct pstk_port ports[] = { { .name = "in1", .kind = PSTK_INPUT, .token_type = "u32", .rate = rate },
		{ .name = "in2", .kind = PSTK_INPUT, .token_type = "u32", .rate = rate },
		{ .name = "out1", .kind = PSTK_OUTPUT, .token_type = "u32", .rate = rate },
		{ .name = "out2", .kind = PSTK_OUTPUT, .token_type = "u32", .rate = rate } };

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "any", .ports = ports + 2 - in, .port_count = in + out,
			.fire = plan_copy),
		NULL);
}

/*
 * split -> fft -> join beside split -> join: fft takes 256 tokens at once, so the FIFO beside it grows. Whatever it
 * grows to is in the budget.
 */
START_TEST(rooms_that_grow_count)
{
	struct pstk_network *net = pstk_network_create("rooms");
	struct pstk_actor *split = several(net, "split", 0, 2, 1), *fft = several(net, "fft", 1, 1, 256),
			  *join = several(net, "join", 2, 0, 1);
	struct pstk_fifo *beside = pstk_connect(split, "out1", join, "in2", PSTK_FIFO(.depth = 0));
	uint32_t depth = 0;
	size_t least;

	ck_assert_ptr_nonnull(pstk_connect(split, "out2", fft, "in2", PSTK_FIFO(.depth = 0)));
	ck_assert_ptr_nonnull(pstk_connect(fft, "out1", join, "in1", PSTK_FIFO(.depth = 0)));
	least = pstk_network_shared_bytes(net);
	ck_assert_uint_ge(plan_info(beside).room, 256);
	ck_assert_int_eq(pstk_network_set_flags(net, PSTK_DEPTH_AUTO), 0);
	for (size_t bytes = least; bytes < 16 * least; bytes += 40) {
		ck_assert_int_eq(pstk_network_set_depth_budget(net, bytes), 0);
		ck_assert_uint_le(pstk_network_shared_bytes(net), bytes);
		ck_assert_uint_ge(plan_info(beside).depth, depth);
		depth = plan_info(beside).depth;
		ck_assert_uint_ge(plan_info(beside).room, 256);
	}
	ck_assert_uint_eq(depth, 32);
	ck_assert_int_eq(pstk_network_check(net, NULL, NULL), 0);
	/* and with one rate everywhere the room is that of the depth again */
	ck_assert_int_eq(pstk_network_set_flags(net, 0), 0);
	ck_assert_uint_ge(plan_info(beside).room, 256);
	for (unsigned p = 0; p < 2; p++)
		ck_assert_int_eq(pstk_actor_set_rate(fft, p, 1), 0);
	ck_assert_uint_eq(plan_info(beside).room, plan_info(beside).depth);
	pstk_network_destroy(net);
}
END_TEST

/* -- tables -- */

START_TEST(table_of_depths)
{
	static const struct {
		size_t budget;
		const char *line;
	} lines[] = {
		{ 1, "  depth auto: 2 windows, budget 1 B, which the default depth leaves no more of\n" },
		{ 299, "  depth auto: 2 windows, budget 299 B, which the default depth leaves no more of\n" },
		{ 300, "  depth auto: 3 windows, budget 300 B\n" },
		{ 9999, "  depth auto: 32 windows, budget 9999 B\n" }
	};

	for (unsigned i = 0; i < TEST_COUNT(lines); i++) {
		struct pstk_network *net = pstk_network_create("x");
		struct pstk_actor *a = plan_add(net, "a", false), *b = plan_add(net, "b", false);
		char text[2000];

		pstk_connect(a, "out", b, "in", PSTK_FIFO(.rate = 1, .token_size = 100));
		ck_assert_int_eq(pstk_network_set_depth_budget(net, lines[i].budget), 0);
		plan_printed(net, text, sizeof text);
		ck_assert_ptr_null(strstr(text, "auto"));
		ck_assert_int_eq(pstk_network_set_flags(net, PSTK_DEPTH_AUTO), 0);
		plan_printed(net, text, sizeof text);
		TEST_SAYS(text, lines[i].line);
		pstk_network_destroy(net);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("depth");
	TCase *depths = test_case(suite, "depths"), *devices = test_case(suite, "devices");

	tcase_add_checked_fixture(depths, plan_setup, NULL);
	tcase_add_test(depths, depths_follow_threads);
	tcase_add_test(depths, depth_between_two_calls);
	tcase_add_test(depths, depths_of_a_run);
	tcase_add_test(depths, too_many_bytes);
	tcase_add_test(depths, table_of_depths);
	tcase_add_loop_test(depths, budget, 0, TEST_COUNT(budgets));
	tcase_add_test(depths, rooms_that_grow_count);
	tcase_add_test(depths, budget_of_the_cache);
	tcase_add_test(depths, largest_that_fits);
	tcase_add_checked_fixture(devices, plan_setup, NULL);
#ifdef HAVE_OPENCL
	tcase_add_loop_test(devices, device_depths, 0, TEST_COUNT(placements));
#else
	(void)device_depths;
#endif
	return test_main(suite);
}
