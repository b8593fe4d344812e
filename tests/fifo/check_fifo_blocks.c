/* SPDX-License-Identifier: MIT */
/*
 * FIFOs whose windows lie where it is warm: which block each gets, and that no token is lost by it.
 */
#include "lib/fifo/fifo.h"
#include "lib/base/memory.h"
#include "tests/common/common.h"
#include "tests/fifo/crowd.h"
#include "tests/fifo/one_rate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RATE = 3 };

static void make(struct ps_fifo *f, uint32_t delay, uint32_t depth)
{
	ck_assert_int_eq(one_rate(&f->layout, RATE, delay, depth, 1), 0);
	ck_assert_int_eq(ps_fifo_init(f), 0);
	ck_assert_int_eq(ps_fifo_allocate(f, "abcdefghi", 0), 0);
	ck_assert_int_eq(ps_fifo_keep_warm(f), 0);
}

/* Writes a window as a member of a team; where it lay. */
static const void *put(struct ps_fifo *f, unsigned char member, char token)
{
	void *window;

	ck_assert_int_eq(ps_fifo_peek(&f->writer), PS_FIFO_READY);
	ps_fifo_by = member;
	window = ps_fifo_write_start(f);
	memset(window, token, RATE);
	ck_assert_int_eq(ps_fifo_write_end(f, RATE), 0);
	return window;
}

/* Reads a window as a member of a team, 0: as none; where it lay. */
static const void *get_by(struct ps_fifo *f, unsigned char member, const char *tokens)
{
	uint32_t valid;
	const void *window;

	ck_assert_int_eq(ps_fifo_peek(&f->reader), PS_FIFO_READY);
	window = ps_fifo_read_start(f, &valid);
	ck_assert_uint_eq(valid, RATE);
	ck_assert_mem_eq(window, tokens, RATE);
	ps_fifo_by = member;
	ck_assert_int_eq(ps_fifo_read_end(f), 0);
	return window;
}

/* As the member that has written last. */
static const void *get(struct ps_fifo *f, const char *tokens)
{
	return get_by(f, ps_fifo_by, tokens);
}

/* A member that writes and reads in turn needs one block, however deep the FIFO is. */
START_TEST(one_in_turn)
{
	struct ps_fifo f;
	const void *first;

	make(&f, 0, 5);
	first = put(&f, 1, '0');
	get(&f, "000");
	for (unsigned i = 1; i < 20; i++) {
		char tokens[RATE] = { (char)('a' + i), (char)('a' + i), (char)('a' + i) };

		ck_assert_ptr_eq(put(&f, 1, tokens[0]), first);
		ck_assert_ptr_eq(get(&f, tokens), first);
	}
	ps_fifo_fini(&f);
}
END_TEST

/* Each member gets its own block back, whichever comes first. A new member gets the block that is free longest. */
START_TEST(to_each_its_own)
{
	struct ps_fifo f;
	const void *one, *two, *three;

	make(&f, 0, 3);
	one = put(&f, 1, '1');
	two = put(&f, 2, '2');
	ck_assert_ptr_ne(one, two);
	get_by(&f, 1, "111");
	get_by(&f, 2, "222");
	ck_assert_ptr_eq(put(&f, 2, '3'), two);
	ck_assert_ptr_eq(put(&f, 1, '4'), one);
	get_by(&f, 2, "333");
	get_by(&f, 1, "444");
	three = put(&f, 3, '5');
	ck_assert(three != one && three != two);
	ck_assert_ptr_eq(put(&f, 1, '6'), one);
	get_by(&f, 3, "555");
	get_by(&f, 1, "666");
	ps_fifo_fini(&f);
}
END_TEST

/* A member that has read a block has it, whichever member wrote it. A thread that is no member has none. */
START_TEST(to_its_reader)
{
	struct ps_fifo f;
	const void *one, *two;

	make(&f, 0, 3);
	one = put(&f, 1, '1');
	get_by(&f, 2, "111");
	two = put(&f, 1, '2');
	ck_assert_ptr_ne(two, one);
	get_by(&f, 0, "222");
	ck_assert_ptr_eq(put(&f, 2, '3'), one);
	get_by(&f, 1, "333");
	ck_assert_ptr_eq(put(&f, 1, '4'), one);
	ck_assert_ptr_eq(put(&f, 1, '5'), two);
	get_by(&f, 1, "444");
	get_by(&f, 1, "555");
	ps_fifo_fini(&f);
}
END_TEST

/* Members that take turns, and one reader a window behind the other: the member that reads a window last writes there
 * next. */
START_TEST(to_its_last_reader)
{
	struct ps_fifo before, now;
	const void *last[3] = { NULL, NULL, NULL }; /* where a member has read last as the one behind */
	const char *tokens = "abc";

	ck_assert_int_eq(one_rate(&now.layout, RATE, 0, 4, 1), 0);
	ck_assert_int_eq(one_rate(&before.layout, RATE, RATE, 4, 1), 0);
	ck_assert_int_eq(ps_fifo_init(&now), 0);
	ck_assert_int_eq(ps_fifo_init(&before), 0);
	ck_assert_int_eq(ps_fifo_share(&now, &before), 0);
	ck_assert_int_eq(ps_fifo_allocate(&before, "abc", 0), 0);
	ck_assert_int_eq(ps_fifo_keep_warm(&before), 0);
	for (unsigned i = 0; i < 40; i++) {
		unsigned char member = (unsigned char)(1 + i % 2);
		const void *window = put(&before, member, (char)('d' + i % 2));

		if (i > 2)
			ck_assert_ptr_eq(window, last[member]);
		get_by(&now, member, i % 2 ? "eee" : "ddd");
		last[member] = get_by(&before, member, tokens);
		tokens = i % 2 ? "eee" : "ddd";
	}
	ps_fifo_fini(&now);
	ps_fifo_fini(&before);
}
END_TEST

/* Between two members no block is ever the writer's: a deep FIFO still goes round in few of them. */
START_TEST(few_in_use)
{
	enum { DEPTH = 100 };
	struct ps_fifo f;
	const void *last[PS_FIFO_BY] = { NULL }, *window;

	make(&f, 0, DEPTH);
	for (unsigned i = 0; i < 3 * DEPTH; i++) {
		window = put(&f, 1, '1');
		ck_assert_ptr_eq(get_by(&f, 2, "111"), window);
		if (i >= DEPTH)
			ck_assert_ptr_eq(window, last[i % PS_FIFO_BY]);
		last[i % PS_FIFO_BY] = window;
	}
	ps_fifo_fini(&f);
}
END_TEST

static unsigned find(const void *const *windows, unsigned count, const void *window)
{
	unsigned i = 0;

	while (i < count && windows[i] != window)
		i++;
	return i;
}

/* More windows than the FIFO remembers the readers of: the oldest are still their writer's. */
START_TEST(more_than_are_known)
{
	enum { DEPTH = PS_FIFO_BY + 4 };
	struct ps_fifo f;
	const void *windows[DEPTH];

	make(&f, 0, DEPTH);
	for (unsigned i = 0; i < DEPTH; i++)
		windows[i] = put(&f, 1, '1');
	for (unsigned i = 0; i < DEPTH; i++)
		ck_assert_ptr_eq(get_by(&f, 2, "111"), windows[i]);
	for (unsigned i = 0; i < DEPTH; i++)
		if (i < PS_FIFO_BY)
			ck_assert_uint_ge(find(windows, DEPTH, put(&f, 2, '2')), DEPTH - PS_FIFO_BY);
		else
			ck_assert_uint_lt(find(windows, DEPTH, put(&f, 1, '2')), DEPTH - PS_FIFO_BY);
	ps_fifo_fini(&f);
}
END_TEST

/* What is written and not read yet stays where it is, though it is one's own. */
START_TEST(only_free_ones)
{
	struct ps_fifo f;
	const void *one, *two;

	make(&f, 0, 2);
	one = put(&f, 1, '1');
	two = put(&f, 1, '2');
	ck_assert_ptr_ne(one, two);
	ck_assert_int_eq(ps_fifo_peek(&f.writer), PS_FIFO_WAIT);
	ck_assert_ptr_eq(get(&f, "111"), one);
	ck_assert_ptr_eq(put(&f, 1, '3'), one);
	ck_assert_ptr_eq(get(&f, "222"), two);
	ck_assert_ptr_eq(get(&f, "333"), one);
	ps_fifo_fini(&f);
}
END_TEST

/* Windows of delay tokens come first, in their order, and their blocks are free after that. */
START_TEST(delay_tokens)
{
	struct ps_fifo f;
	const void *one;

	make(&f, 2 * RATE, 2);
	one = put(&f, 1, '1');
	get(&f, "abc");
	ck_assert_ptr_ne(put(&f, 1, '2'), one);
	get(&f, "def");
	ck_assert_ptr_eq(get(&f, "111"), one);
	ck_assert_ptr_eq(put(&f, 1, '3'), one);
	get(&f, "222");
	get(&f, "333");
	ps_fifo_fini(&f);
}
END_TEST

/* A window that was started and given back may be started by another one, elsewhere. */
START_TEST(given_back)
{
	struct ps_fifo f;
	const void *one, *two;

	make(&f, 0, 2);
	one = put(&f, 1, '1');
	get(&f, "111");
	two = put(&f, 2, '2');
	get(&f, "222");
	ps_fifo_by = 1;
	ck_assert_ptr_eq(ps_fifo_write_start(&f), one);
	ps_fifo_write_cancel(&f);
	ck_assert_ptr_eq(put(&f, 2, '3'), two);
	get(&f, "333");
	ps_fifo_fini(&f);
}
END_TEST

START_TEST(no_memory)
{
	struct ps_fifo f;

	ck_assert_int_eq(one_rate(&f.layout, RATE, 0, 2, 1), 0);
	ck_assert_int_eq(ps_fifo_init(&f), 0);
	ck_assert_int_eq(ps_fifo_allocate(&f, NULL, 0), 0);
	ps_memory_fail_at = 0;
	ck_assert_int_eq(ps_fifo_keep_warm(&f), -ENOMEM);
	ps_memory_fail_at = -1;
	ps_fifo_fini(&f);
}
END_TEST

/* Windows at multiples of an alignment. A token's bytes are its number, from 1. */
struct aligned {
	struct ps_fifo f;
	uint32_t rate, size, delay, alignment;
	uint64_t all, wrote, got; /* tokens; the last window is not full */
};

static void check_aligned(const struct aligned *a, const unsigned char *window)
{
	ck_assert_uint_eq((uintptr_t)window % a->alignment, 0);
}

/* As many windows as there is room for; each other one is given back, and started once more. */
static void write_aligned(struct aligned *a)
{
	for (unsigned i = 0; a->wrote < a->all && ps_fifo_peek(&a->f.writer) == PS_FIFO_READY; i++) {
		uint64_t left = a->all - a->wrote;
		uint32_t valid = left < a->rate ? (uint32_t)left : a->rate;
		unsigned char *window = ps_fifo_write_start(&a->f);

		if (i % 2) {
			ps_fifo_write_cancel(&a->f);
			window = ps_fifo_write_start(&a->f);
		}
		check_aligned(a, window);
		ck_assert_ptr_eq(ps_fifo_write_oldest(&a->f), window);
		for (uint32_t t = 0; t < valid; t++)
			memset(window + t * a->size, (unsigned char)++a->wrote, a->size);
		ck_assert_int_eq(ps_fifo_write_end(&a->f, valid), 0);
	}
}

static void read_aligned(struct aligned *a)
{
	uint32_t valid = 0;
	const unsigned char *window = ps_fifo_read_start(&a->f, &valid);

	check_aligned(a, window);
	for (uint32_t i = 0; i < a->rate * a->size; i++)
		ck_assert_uint_eq(window[i], i < valid * a->size ? (a->got + 1 + i / a->size) & 0xff : 0);
	a->got += valid;
	ck_assert_int_eq(ps_fifo_read_end(&a->f), 0);
}

static void move_aligned(struct aligned *a, bool warm)
{
	enum { DEPTH = 3, WINDOWS = 20 };
	static unsigned char initial[64 * 300];
	size_t step = (a->rate * a->size + a->alignment - 1) / a->alignment * a->alignment;

	for (uint32_t t = 0; t < a->delay; t++)
		memset(initial + t * a->size, (unsigned char)(t + 1), a->size);
	ck_assert_int_eq(one_rate(&a->f.layout, a->rate, a->delay, DEPTH, a->size), 0);
	ck_assert_int_eq(ps_fifo_init(&a->f), 0);
	ps_fifo_align(&a->f, a->alignment);
	ck_assert_int_eq(ps_fifo_allocate(&a->f, initial, a->alignment), 0);
	ck_assert(!warm || !ps_fifo_keep_warm(&a->f));
	ck_assert(!ps_fifo_has_spans(&a->f));
	ck_assert_uint_ge(a->f.allocated, (DEPTH + a->delay / a->rate) * step);
	a->wrote = a->delay;
	a->all = a->delay + (WINDOWS - 1) * a->rate + (a->rate + 1) / 2;
	while (a->got < a->all) {
		write_aligned(a);
		read_aligned(a);
	}
	ps_fifo_fini(&a->f);
}

START_TEST(aligned)
{
	static const uint32_t cases[][3] = { { 1, 1, 128 }, { 1, 128, 128 }, { 3, 43, 128 }, { 5, 64, 256 },
		{ 64, 300, 128 }, { 2, 1, 64 } };

	for (size_t i = 0; i < TEST_COUNT(cases); i++)
		for (uint32_t k = 0; k < 4; k++) {
			struct aligned a = { .rate = cases[i][0],
				.size = cases[i][1],
				.delay = k / 2 * cases[i][0],
				.alignment = cases[i][2] };

			move_aligned(&a, k % 2);
		}
}
END_TEST

static void random_crowd(struct crowd *c, struct test_rng *rng)
{
	*c = (struct crowd){ .rate = test_between(rng, 1, 8),
		.token_size = test_between(rng, 1, 9),
		.seed = rng->state,
		.delays = test_between(rng, 0, 6),
		.count = test_between(rng, 1, CROWD),
		.closed_at_once = test_chance(rng, 30),
		.warm = true,
		.hold = test_between(rng, 1, 4) };
	c->delay = c->rate * test_between(rng, 0, 3);
	c->tokens = test_between(rng, 0, 60 * c->rate);
	for (unsigned i = 0; i < c->count; i++)
		c->readers[i] =
			(struct crowd_reader){ .delayed = c->delay && (i == 0 || test_chance(rng, 50)),
				.depth = test_between(rng, 1, 6),
				.last = test_chance(rng, 70) ? CROWD_NEVER : test_between(rng, 0, 40) };
}

/* One reader or several of one memory, that end when they like; windows held and looked at twice. */
START_TEST(every_token_arrives)
{
	struct test_rng rng = { test_seed() };
	uint64_t received = 0, rounds = test_rounds(3000);

	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t seed = rng.state;
		struct crowd c;

		random_crowd(&c, &rng);
		test_guard("windows in warm blocks", seed);
		crowd_run(&c);
		for (unsigned i = 0; i < c.count; i++) {
			const struct crowd_reader *r = &c.readers[i];
			uint64_t all = c.written + (r->delayed ? c.delay : 0);

			ck_assert_msg(!r->wrong, "seed %" PRIu64 ": reader %u of %u: %" PRIu64 " wrong", seed,
				i, c.count, r->wrong);
			ck_assert_msg(r->last < CROWD_NEVER || (r->received == all && c.written == c.tokens),
				"seed %" PRIu64 ": reader %u of %u: %" PRIu64 " of %" PRIu64, seed, i,
				c.count, r->received, all);
			received += r->received;
		}
		ck_assert_uint_eq(c.copied, 0);
	}
	printf("warm blocks: %" PRIu64 " tokens, each checked twice\n", received);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fifo blocks");
	TCase *c = test_case(suite, "blocks"), *crowds = test_case(suite, "crowds");

	tcase_add_test(c, one_in_turn);
	tcase_add_test(c, to_each_its_own);
	tcase_add_test(c, to_its_reader);
	tcase_add_test(c, to_its_last_reader);
	tcase_add_test(c, more_than_are_known);
	tcase_add_test(c, few_in_use);
	tcase_add_test(c, only_free_ones);
	tcase_add_test(c, delay_tokens);
	tcase_add_test(c, given_back);
	tcase_add_test(c, no_memory);
	tcase_add_test(c, aligned);
	tcase_add_test(crowds, every_token_arrives);
	return test_main(suite);
}
