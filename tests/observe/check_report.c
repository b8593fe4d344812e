/* SPDX-License-Identifier: MIT */
/*
 * Figures of a network: firings, tokens, fill, bytes, copies; the tables.
 */
#include "tests/common/common.h"
#include "tests/common/simple.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The layout rule, written down once more: slots in tokens, and what the wrap copies of w writes amount to.
 */
static uint64_t slots(uint64_t rate, uint64_t delay, uint64_t depth)
{
	uint64_t whole = delay / rate, rest = delay % rate;

	return rest ? (whole + depth + 1) * rate + rest : delay + depth * rate;
}

static uint64_t wrap_tokens(uint64_t rate, uint64_t delay, uint64_t depth, uint64_t writes)
{
	uint64_t whole = delay / rate, rest = delay % rate, blocks = whole + depth + 1, copies = 0;

	for (uint64_t w = 0; w < writes; w++)
		copies += rest && (w + whole) % blocks == blocks - 1;
	return copies * rest;
}

/* -- sizes
 * -----------------------------------------------------------------------------------------------------------------
 */

struct size_case {
	uint32_t rate, delay, depth;
	size_t token_size, bytes;
};

/* By hand; depth 0 means 2 where each actor has a thread. */
static const struct size_case size_cases[] = {
	{ 4, 1, 0, 1, 13 },
	{ 1, 1, 0, 1, 3 },
	{ 4, 0, 0, 1, 8 },
	{ 4, 6, 0, 1, 18 },
	{ 1, 0, 1, 5, 5 },
	{ 1, 0, 0, 76800, 153600 },
	{ 1, 1, 0, 76800, 230400 },
	{ 4, 1, 0, 76800, 998400 },
	{ 3, 7, 4, 2, 44 },
	{ 1, 0, 0, 131072, 262144 },
};

static void make_pair(struct pstk_network *net, const struct size_case *c, struct pstk_fifo **fifo)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "t", .ports = &out, .port_count = 1,
			.fire = simple_count_type()->fire),
		NULL);
	struct pstk_actor *b = pstk_network_add(net, "b",
		PSTK_ACTOR_TYPE(.name = "t", .ports = &in, .port_count = 1,
			.fire = simple_count_type()->fire),
		NULL);

	*fifo = pstk_connect(a, "out", b, "in",
		PSTK_FIFO(.rate = c->rate, .delay = c->delay, .depth = c->depth,
			.token_size = c->token_size));
	ck_assert_ptr_nonnull(*fifo);
}

START_TEST(test_sizes)
{
	const struct size_case *c = &size_cases[_i];
	struct pstk_network *net = pstk_network_create("sizes");
	struct pstk_fifo_info info;
	struct pstk_fifo *fifo;

	pstk_network_set_threads(net, 0);
	make_pair(net, c, &fifo);
	ck_assert_int_eq(pstk_fifo_get_info(fifo, &info), 0);
	ck_assert_uint_eq(info.bytes, c->bytes);
	ck_assert_uint_eq(info.depth, c->depth ? c->depth : 2);
	ck_assert_uint_eq(info.allocated, 0);
	ck_assert_uint_eq(info.fill, c->delay);
	ck_assert_uint_eq(info.written, 0);
	ck_assert_uint_eq(info.read, 0);
	ck_assert(!info.closed && !info.discards);
	ck_assert_uint_eq(pstk_network_fifo_bytes(net), c->bytes); /* known before the start */
	ck_assert_uint_eq(pstk_network_allocated_bytes(net), 0);
	pstk_network_destroy(net);
}
END_TEST

START_TEST(test_all_sizes)
{
	for (uint32_t rate = 1; rate <= 9; rate++) {
		for (uint32_t delay = 0; delay <= 3 * rate + 2; delay++) {
			for (uint32_t depth = 1; depth <= 5; depth++) {
				struct pstk_network *net = pstk_network_create("sizes");
				struct size_case c = { rate, delay, depth, 7, 0 };
				struct pstk_fifo *fifo;

				make_pair(net, &c, &fifo);
				ck_assert_uint_eq(
					pstk_network_fifo_bytes(net), 7 * slots(rate, delay, depth));
				pstk_network_destroy(net);
			}
		}
	}
}
END_TEST

START_TEST(test_ring_size)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT };
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_network *net = pstk_network_create("ring");
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "t", .ports = &out, .port_count = 1, .kahn = true,
			.fire = simple_count_type()->fire),
		NULL);
	struct pstk_actor *b = pstk_network_add(net, "b",
		PSTK_ACTOR_TYPE(.name = "t", .ports = &in, .port_count = 1, .kahn = true,
			.fire = simple_count_type()->fire),
		NULL);
	struct pstk_fifo *fifo =
		pstk_connect(a, "out", b, "in", PSTK_FIFO(.capacity = 10, .delay = 3, .token_size = 6));
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(fifo, &info), 0);
	ck_assert_uint_eq(info.bytes, 60);
	ck_assert_uint_eq(info.rate, 1);
	ck_assert_uint_eq(info.delay, 3);
	ck_assert_uint_eq(info.depth, 7);
	ck_assert_uint_eq(info.fill, 3);
	pstk_network_destroy(net);
}
END_TEST

/* -- counts
 * ------------------------------------------------------------------------------------------------------------------
 */

/* A chain of whole windows: each figure is known. */
START_TEST(test_counts)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = test_rounds(40) + 1; round > 0; round--) {
		uint32_t rate = test_between(&rng, 1, 6), delay = rate * test_between(&rng, 0, 3);
		uint32_t depth = test_between(&rng, 1, 4), relays = test_between(&rng, 0, 4);
		uint64_t windows = test_between(&rng, 1, 60);
		struct simple_chain chain;
		size_t bytes = 0, allocated = 0;

		simple_chain(&chain, relays, windows * rate, rate, delay, depth);
		ck_assert_int_eq(pstk_network_run(chain.net), 0);
		for (unsigned i = 0; i <= relays + 1; i++) {
			struct pstk_actor_stats stats;

			ck_assert_int_eq(pstk_actor_get_stats(chain.actors[i], &stats), 0);
			ck_assert_uint_eq(stats.firings, windows + i * (delay / rate));
		}
		for (unsigned i = 0; i <= relays; i++) {
			struct pstk_fifo_info info;

			ck_assert_int_eq(pstk_fifo_get_info(chain.fifos[i], &info), 0);
			ck_assert_ptr_eq(info.src, chain.actors[i]);
			ck_assert_ptr_eq(info.dst, chain.actors[i + 1]);
			ck_assert_uint_eq(info.src_port, i > 0);
			ck_assert_uint_eq(info.dst_port, 0);
			ck_assert_uint_eq(info.rate, rate);
			ck_assert_uint_eq(info.delay, delay);
			ck_assert_uint_eq(info.depth, depth);
			ck_assert_uint_eq(info.token_size, 8);
			ck_assert_uint_eq(info.written, windows * rate + i * delay);
			ck_assert_uint_eq(info.read, windows * rate + (i + 1) * delay);
			ck_assert_uint_eq(info.fill, 0);
			ck_assert_uint_eq(info.bytes_copied, 0);
			ck_assert(info.closed && info.discards);
			ck_assert_uint_ge(info.allocated, info.bytes);
			bytes += info.bytes;
			allocated += info.allocated;
		}
		ck_assert_uint_eq(pstk_network_fifo_bytes(chain.net), bytes);
		ck_assert_uint_eq(pstk_network_allocated_bytes(chain.net), allocated);
		ck_assert_uint_eq(bytes, (relays + 1) * 8 * slots(rate, delay, depth));
		pstk_network_destroy(chain.net);
	}
}
END_TEST

/* With any delay: the wrap copies, and nothing else is copied. */
START_TEST(test_wrap_copies)
{
	struct test_rng rng = { test_seed() };

	for (uint64_t round = test_rounds(60) + 1; round > 0; round--) {
		uint32_t rate = test_between(&rng, 1, 8), delay = test_between(&rng, 0, 3 * rate + 2);
		uint32_t depth = test_between(&rng, 1, 4);
		uint64_t windows = test_between(&rng, 1, 60);
		struct simple_chain chain;
		struct pstk_fifo_info info;

		simple_chain(&chain, 0, windows * rate, rate, delay, depth);
		ck_assert_int_eq(pstk_network_run(chain.net), 0);
		ck_assert_uint_eq(chain.collect.wrong, 0);
		ck_assert_int_eq(pstk_fifo_get_info(chain.fifos[0], &info), 0);
		ck_assert_uint_eq(info.bytes_copied, 8 * wrap_tokens(rate, delay, depth, windows));
		pstk_network_destroy(chain.net);
	}
}
END_TEST

/* The last window is partly filled: it counts as a whole one that was taken off, and nothing is left. */
START_TEST(test_partial_counts)
{
	struct simple_chain chain;
	struct pstk_fifo_info info;

	simple_chain(&chain, 0, 10, 4, 1, 2);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert_int_eq(pstk_fifo_get_info(chain.fifos[0], &info), 0);
	ck_assert_uint_eq(info.written, 10);
	ck_assert_uint_eq(info.read, 12); /* 11 tokens in 3 windows */
	ck_assert_uint_eq(info.fill, 0);
	pstk_network_destroy(chain.net);
}
END_TEST

/* A broadcast to k readers with delays of 0, 1, 2, ..: the first two share one buffer, each other one gets a copy of
 * each window. */
START_TEST(test_broadcast_copies)
{
	for (unsigned readers = 1; readers <= 4; readers++) {
		const uint64_t windows = 50, rate = 3;
		struct pstk_network *net = pstk_network_create("broadcast");
		struct simple_count count = { .tokens = windows * rate };
		struct simple_collect collect[4] = { 0 };
		struct pstk_actor *source = pstk_network_add(net, "count", simple_count_type(), &count);
		uint64_t copied = 0, wraps = 0;

		for (unsigned i = 0; i < readers; i++) {
			char name[8];

			snprintf(name, sizeof(name), "s%u", i);
			collect[i].wanted = SIMPLE_ALL;
			collect[i].delay = i;
			atomic_store(&collect[i].allowed, SIMPLE_ALL);
			pstk_connect(source, "out",
				pstk_network_add(net, name, simple_collect_type(), &collect[i]), "in",
				PSTK_FIFO(.rate = (uint32_t)rate, .delay = i, .depth = 2, .token_size = 8));
			wraps += i ? 8 * wrap_tokens(rate, i, 2, windows) : 0;
		}
		ck_assert_int_eq(pstk_network_run(net), 0);
		for (unsigned i = 0; i < readers; i++) {
			struct pstk_fifo_info info;

			ck_assert_uint_eq(collect[i].wrong, 0);
			ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, i), &info), 0);
			copied += info.bytes_copied;
		}
		ck_assert_uint_eq(copied, wraps + (readers > 2 ? readers - 2 : 0) * windows * rate * 8);
		pstk_network_destroy(net);
	}
}
END_TEST

/* While it runs: the figures of a network whose sink waits. */
START_TEST(test_running)
{
	struct simple_chain chain;
	struct pstk_fifo_info info;
	struct pstk_actor_stats stats;

	simple_chain_held(&chain, 0, SIMPLE_ALL, 4, 5, 3);
	atomic_store(&chain.collect.allowed, 10);
	ck_assert_int_eq(pstk_network_start(chain.net), 0);
	do {
		sched_yield();
		ck_assert_int_eq(pstk_fifo_get_info(chain.fifos[0], &info), 0);
	} while (info.written < 40 + 3 * 4 || info.read < 40);
	/* nothing moves any more: now the figures belong together */
	ck_assert_int_eq(pstk_fifo_get_info(chain.fifos[0], &info), 0);
	ck_assert_uint_eq(info.fill, 5 + 3 * 4);
	ck_assert_uint_eq(info.read, 40);
	ck_assert_uint_eq(info.written, 40 + 3 * 4);
	ck_assert(!info.closed && !info.discards);
	do
		ck_assert_int_eq(pstk_actor_get_stats(chain.actors[0], &stats), 0);
	while (stats.firings < 13);
	ck_assert_uint_eq(stats.firings, 13);
	ck_assert_int_eq(pstk_actor_get_stats(chain.actors[1], &stats), 0);
	ck_assert_uint_le(stats.firings, 10);
	pstk_network_stop(chain.net);
	atomic_store(&chain.collect.allowed, SIMPLE_ALL);
	ck_assert_int_eq(pstk_network_wait(chain.net), 0);
	/* the source waited for room: some time, at its only port */
	ck_assert_int_eq(pstk_actor_get_stats(chain.actors[0], &stats), 0);
	if (!pstk_network_threads(chain.net)) /* a team does something else meanwhile */
		ck_assert_uint_gt(stats.wait_ns, 0);
	ck_assert_uint_eq(stats.wait_ns, pstk_actor_port_wait_ns(chain.actors[0], 0));
	ck_assert_uint_gt(stats.fire_ns, 0);
	ck_assert_uint_eq(pstk_actor_port_wait_ns(chain.actors[0], 1), 0);
	pstk_network_destroy(chain.net);
}
END_TEST

/* -- looking at it
 * ------------------------------------------------------------------------------------------------------------
 */

START_TEST(test_lists)
{
	struct simple_chain chain;

	simple_chain(&chain, 3, 10, 4, 0, 2);
	ck_assert_str_eq(pstk_network_name(chain.net), "chain");
	ck_assert_uint_eq(pstk_network_actor_count(chain.net), 5);
	ck_assert_uint_eq(pstk_network_fifo_count(chain.net), 4);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_ptr_eq(pstk_network_actor(chain.net, i), chain.actors[i]);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_ptr_eq(pstk_network_fifo(chain.net, i), chain.fifos[i]);
	ck_assert_ptr_null(pstk_network_actor(chain.net, 5));
	ck_assert_ptr_null(pstk_network_fifo(chain.net, 4));
	pstk_network_destroy(chain.net);
}
END_TEST

START_TEST(test_tables)
{
	struct simple_chain chain;
	char *text = NULL;
	size_t size = 0;
	char core[32];
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	simple_chain(&chain, 1, 34, 4, 5, 2);
	ck_assert_int_eq(pstk_actor_pin(chain.actors[0], test_core(0)), 0);
	ck_assert_int_eq(pstk_actor_core(chain.actors[0]), (int)test_core(0));
	snprintf(core, sizeof(core), "core %u", test_core(0));
	ck_assert_int_eq(pstk_network_print(chain.net, out), 0);
	ck_assert_int_eq(fflush(out), 0);
	/* (1 + 2 + 1) * 4 + 1 = 17 slots of 8 bytes for each FIFO */
	TEST_SAYS(text, "chain", "count", "relay0", "collect", core, "rate 4", "delay 5", "depth 2", "136",
		"FIFO memory: 272 B");
	rewind(out);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert_int_eq(pstk_network_print_stats(chain.net, out), 0);
	ck_assert_int_eq(fclose(out), 0);
	/* 34 and 5 are no whole windows: of the last one only what there is */
	TEST_SAYS(text, "count", "relay0", "collect", "9", "10", "11", "34 tokens written, 39 read",
		"39 tokens written, 44 read");
	free(text);
	pstk_network_destroy(chain.net);
}
END_TEST

/* Of one there is one. */
START_TEST(test_tables_of_one)
{
	struct simple_chain chain;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	simple_chain(&chain, 0, 1, 1, 0, 2);
	ck_assert_int_eq(pstk_network_set_threads(chain.net, 0), 0); /* no word of a team */
	ck_assert_int_eq(pstk_network_print(chain.net, out), 0);
	ck_assert_int_eq(pstk_network_run(chain.net), 0);
	ck_assert_int_eq(pstk_network_print_stats(chain.net, out), 0);
	ck_assert_int_eq(pstk_network_snapshot(chain.net, out), 0);
	ck_assert_int_eq(fclose(out), 0);
	TEST_SAYS(text, "2 actors, 1 FIFO\n", "  1 token written, 1 read, 0 B copied\n",
		"has ended, 1 firing\n");
	free(text);
	pstk_network_destroy(chain.net);
}
END_TEST

/* Where a text stands in the line after `begin`. */
static size_t column(const char *begin, const char *text)
{
	const char *at = strstr(begin, text), *line = at;

	ck_assert_msg(at, "no '%s' in '%s'", text, begin);
	while (line > begin && line[-1] != '\n')
		line--;
	return (size_t)(at - line);
}

static int end_fire(struct pstk_firing *f)
{
	(void)f;
	return PSTK_DONE;
}

/* However long the names of ports are, what stands behind them is one column. */
START_TEST(test_columns)
{
	static const struct pstk_port ports[] = {
		{ .name = "a_long_output_of_25_bytes", .kind = PSTK_OUTPUT, .token_size = 4 },
		{ .name = "o", .kind = PSTK_OUTPUT, .token_size = 4 },
		{ .name = "an_input_of_19_byte", .kind = PSTK_INPUT, .token_size = 4 },
		{ .name = "in", .kind = PSTK_INPUT, .token_size = 4 },
	};
	struct pstk_network *net = pstk_network_create("columns");
	struct pstk_actor *a = pstk_network_add(net, "a",
		PSTK_ACTOR_TYPE(.name = "t", .ports = ports, .port_count = 2, .fire = end_fire), NULL);
	struct pstk_actor *b = pstk_network_add(net, "bb",
		PSTK_ACTOR_TYPE(.name = "t", .ports = ports + 2, .port_count = 2, .fire = end_fire), NULL);
	char *text = NULL;
	size_t size = 0;

	pstk_connect(a, ports[0].name, b, "in", PSTK_FIFO(.rate = 1));
	pstk_connect(a, "o", b, ports[2].name, PSTK_FIFO(.rate = 1));
	ck_assert_ptr_null(pstk_network_problem(net, 0));
	for (unsigned table = 0; table < 2; table++) {
		FILE *out = open_memstream(&text, &size);
		const char *first, *second, *behind = table ? "0 tokens written" : "rate 1";

		ck_assert_int_eq((table ? pstk_network_print_stats : pstk_network_print)(net, out), 0);
		ck_assert_int_eq(fclose(out), 0);
		first = strstr(text, "a.a_long_output_of_25_bytes -> ");
		ck_assert_msg(first, "%s", text);
		second = strchr(first, '\n') + 1;
		ck_assert_uint_eq(column(text, "a.a_long"), column(second, "a.o "));
		ck_assert_uint_eq(column(text, "-> "), column(second, "-> "));
		ck_assert_uint_eq(column(text, "bb.in "), column(second, "bb.an_input_of_19_byte"));
		ck_assert_uint_eq(column(text, behind), column(second, behind));
		free(text);
	}
	pstk_network_destroy(net);
}
END_TEST

/* A full disk is an error. */
START_TEST(test_tables_full)
{
	struct simple_chain chain;
	FILE *full = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(full);
	simple_chain(&chain, 1, 34, 4, 5, 2);
	ck_assert_int_lt(pstk_network_print(chain.net, full), 0);
	ck_assert_int_lt(pstk_network_print_stats(chain.net, full), 0);
	fclose(full);
	pstk_network_destroy(chain.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stats");
	TCase *sizes = test_case(suite, "sizes"), *counts = test_case(suite, "counts"),
	      *look = test_case(suite, "look");

	tcase_add_loop_test(sizes, test_sizes, 0, (int)TEST_COUNT(size_cases));
	tcase_add_test(sizes, test_all_sizes);
	tcase_add_test(sizes, test_ring_size);
	tcase_add_test(counts, test_counts);
	tcase_add_test(counts, test_wrap_copies);
	tcase_add_test(counts, test_partial_counts);
	tcase_add_test(counts, test_broadcast_copies);
	tcase_add_test(counts, test_running);
	tcase_add_test(look, test_lists);
	tcase_add_test(look, test_tables);
	tcase_add_test(look, test_columns);
	tcase_add_test(look, test_tables_full);
	tcase_add_test(look, test_tables_of_one);
	return test_main(suite);
}
