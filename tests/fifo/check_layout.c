/* SPDX-License-Identifier: MIT */
#include "lib/fifo/layout.h"
#include "tests/common/common.h"
#include "tests/fifo/layout_model.h"
#include "tests/fifo/one_rate.h"

#include <errno.h>
#include <stdio.h>

static struct ps_layout layout(uint32_t r, uint32_t d, uint32_t k, size_t s)
{
	struct ps_layout l;

	ck_assert_int_eq(one_rate(&l, r, d, k, s), 0);
	return l;
}

static struct ps_layout rates(uint32_t a, uint32_t b, uint32_t h, bool peek, uint32_t d, uint32_t k)
{
	return (struct ps_layout){ .write_rate = a,
		.read_rate = b,
		.history = h,
		.peek = peek,
		.delay = d,
		.depth = k,
		.token_size = 1 };
}

/* The figure of the paper: r = 4, d = 1. */
START_TEST(paper_figure)
{
	struct ps_layout l = layout(4, 1, 2, 1);
	const uint64_t writes[] = { 1, 5, 9, 1, 5, 9 }, reads[] = { 0, 4, 8, 0, 4, 8 };

	ck_assert_uint_eq(l.slots, 13);
	for (unsigned i = 0; i < 6; i++) {
		struct ps_layout_copy copies[2];

		ck_assert_uint_eq(ps_layout_write_slot(&l, i), writes[i]);
		ck_assert_uint_eq(ps_layout_read_slot(&l, &l, i), reads[i]);
		ck_assert_uint_eq(ps_layout_copies(&l, writes[i], 4, copies), i % 3 == 2);
	}
}
END_TEST

/* Eq. 1 and the tables of the papers. */
START_TEST(paper_sizes)
{
	ck_assert_uint_eq(layout(4, 1, 2, 1).slots, 13);
	ck_assert_uint_eq(layout(1, 1, 2, 1).slots, 3);
	ck_assert_uint_eq(layout(4, 0, 2, 1).slots, 8);
	ck_assert_uint_eq(layout(4, 6, 2, 1).slots, 18);
	/* motion detection: four FIFOs without delay, one with */
	ck_assert_uint_eq(4 * layout(1, 0, 2, 76800).bytes + layout(1, 1, 2, 76800).bytes, 844800);
	ck_assert_uint_eq(4 * layout(4, 0, 2, 76800).bytes + layout(4, 1, 2, 76800).bytes, 3456000);
	/* predistortion: 44 FIFOs of 131072-byte windows */
	ck_assert_uint_eq(44 * layout(32768, 0, 2, 4).bytes, 11534336);
}
END_TEST

/* Rates 2 and 3 with two tokens of history, worked out on paper: t = 0, g = 1, S = 2 * 4 = 8, C = 10, up to 12. */
START_TEST(two_rates_figure)
{
	struct ps_layout l = rates(2, 3, 2, false, 0, 2);
	const uint64_t writes[] = { 2, 4, 6, 8, 10, 0, 2 }, reads[] = { 0, 3, 6, 9, 0 };
	struct ps_layout_copy copies[2];

	ck_assert_int_eq(ps_layout_init(&l), 0);
	ck_assert_uint_eq(l.ring, 12);
	ck_assert_uint_eq(l.room, 10);
	ck_assert_uint_eq(l.slots, 14);
	for (unsigned i = 0; i < TEST_COUNT(writes); i++)
		ck_assert_uint_eq(ps_layout_write_slot(&l, i), writes[i]);
	for (unsigned i = 0; i < TEST_COUNT(reads); i++)
		ck_assert_uint_eq(ps_layout_read_slot(&l, &l, i), reads[i]);
	/* reads begin in front of slots 0 and 1 only */
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(ps_layout_copies(&l, writes[i], 2, copies), 0);
	ck_assert_uint_eq(ps_layout_copies(&l, 0, 2, copies), 1);
	ck_assert(copies[0].from == 0 && copies[0].to == 12 && copies[0].count == 2);
}
END_TEST

/* The depth's room where no more was asked for, which with depth 1 is the smallest that never sticks. */
static uint64_t room_of(const struct ps_layout *l)
{
	int64_t t = (int64_t)l->delay - (l->peek ? l->history : 0), g = l->write_rate, rest = l->read_rate;

	while (rest) {
		int64_t next = g % rest;

		g = rest;
		rest = next;
	}
	t = t >= 0 ? t : (t % g + g) % g;
	t += (int64_t)l->depth * ((int64_t)l->write_rate + l->read_rate - g);
	while ((t + l->history) % l->read_rate)
		t++;
	return (uint64_t)t;
}

START_TEST(every_state_of_small_fifos)
{
	uint64_t states = 0;
	char text[320];

	for (uint32_t a = 1; a <= 6; a++)
		for (uint32_t b = 1; b <= 6; b++)
			for (uint32_t i = 0; i <= 10; i++)
				for (uint32_t d = 0; d <= 12; d++)
					for (uint32_t k = 1; k <= 3; k++) {
						struct ps_layout l = rates(a, b, (i + 1) / 2, i % 2, d, k),
								 made = l;

						ck_assert_int_eq(ps_layout_init(&made), 0);
						ck_assert_uint_eq(made.room, room_of(&l));
						if (layout_model_check(&l, 1, text, sizeof text, &states))
							ck_abort_msg("%s", text);
					}
	printf("layout: %llu states\n", (unsigned long long)states);
	ck_assert_uint_gt(states, 10000000);
}
END_TEST

/* A room that a network needs is kept, up to a multiple. */
START_TEST(rooms_that_were_asked_for)
{
	uint64_t states = 0;
	char text[320];

	for (uint32_t room = 0; room <= 40; room++) {
		struct ps_layout l = rates(4, 6, 3, false, 1, 1), made = l;

		l.room = made.room = room;
		ck_assert_int_eq(ps_layout_init(&made), 0);
		ck_assert_uint_ge(made.room, room);
		ck_assert_uint_ge(made.room, 9);
		ck_assert_uint_lt(made.room, (room > 9 ? room : 9) + 6);
		ck_assert_int_eq(layout_model_check(&l, 1, text, sizeof text, &states), 0);
	}
}
END_TEST

/* Two or three readers of one memory with rates, histories and depths of their own; with delay tokens or without. */
START_TEST(every_state_of_shared_readers)
{
	uint64_t states = 0;
	char text[320];

	for (unsigned i = 0; i < test_rounds(2000); i++) {
		struct test_rng rng = { test_mix(test_seed() + i) };
		uint32_t a = test_between(&rng, 1, 6),
			 d = test_chance(&rng, 50) ? test_between(&rng, 0, 12) : 0;
		unsigned count = test_between(&rng, 2, 3);
		struct ps_layout readers[3];

		for (unsigned r = 0; r < count; r++) {
			uint32_t h = test_chance(&rng, 50) ? test_between(&rng, 0, 5) : 0;
			uint32_t own = r && test_chance(&rng, 50) ? 0 : d;
			bool peek = h && test_chance(&rng, 50);

			readers[r] = rates(a, test_chance(&rng, 30) ? a : test_between(&rng, 1, 6), h, peek,
				own, test_between(&rng, 1, 3));
			readers[r].tail = test_chance(&rng, 30) ? test_between(&rng, 1, 15) : 0;
		}
		if (layout_model_check(readers, count, text, sizeof text, &states))
			ck_abort_msg("%s", text);
	}
	printf("shared layout: %llu states\n", (unsigned long long)states);
	ck_assert_uint_gt(states, 0);
}
END_TEST

/* With one rate and no history it is what the papers have: these formulas. m blocks of r slots, rho more. */
static void check_one_rate(uint32_t r, uint32_t d, uint32_t k, uint32_t plain_k)
{
	struct ps_layout l = layout(r, d, k, 8), plain = layout(r, 0, plain_k ? plain_k : 1, 8), own = l;
	uint32_t most = k > plain_k ? k : plain_k;
	uint64_t q = d / r, rho = d % r, m = q + most + (rho ? 1 : 0);

	if (plain_k) {
		ck_assert_int_eq(ps_layout_widen(&l, &plain), 0);
		ck_assert_int_eq(ps_layout_extend(&l, &plain), 0);
	}
	ck_assert_uint_eq(l.bytes, 8 * (m * r + rho));
	for (uint64_t n = 0; n < 3 * m + 3; n++) {
		uint64_t at = rho + (n + q) % m * r;
		struct ps_layout_copy copy[2];
		bool wraps = rho && (n + q) % m == m - 1;

		ck_assert_uint_eq(ps_layout_write_slot(&l, n), at);
		ck_assert_uint_eq(ps_layout_read_slot(&l, &own, n), n % m * r);
		ck_assert_uint_eq(ps_layout_copies(&l, at, r, copy), wraps);
		if (wraps)
			ck_assert(copy[0].from == m * r && copy[0].to == 0 && copy[0].count == rho);
		if (plain_k)
			ck_assert_uint_eq(ps_layout_read_slot(&l, &plain, n), at);
		for (uint64_t w = 0; w < n + 3 * k; w++)
			ck_assert_int_eq(ps_layout_write_needs(&own, w) <= (int64_t)(n * r), w < n + k);
		for (uint64_t v = 0; v < (n + 2) * r; v++) {
			uint64_t valid = d + v > n * r ? d + v - n * r : 0;

			ck_assert_int_eq(ps_layout_read_needs(&own, n) <= (int64_t)v, d + v >= (n + 1) * r);
			ck_assert_uint_eq(ps_layout_valid(&own, n, v), valid < r ? valid : r);
		}
	}
}

START_TEST(one_rate_is_the_papers)
{
	for (uint32_t r = 1; r <= 6; r++)
		for (uint32_t d = 0; d <= 2 * r + 2; d++)
			for (uint32_t k = 1; k <= 4; k++)
				for (uint32_t plain = 0; plain <= 5; plain++)
					check_one_rate(r, d, k, plain);
}
END_TEST

/* Motion detection's pair: 13 slots for both, where each for itself takes 13 and 8. */
START_TEST(shared_figure)
{
	struct ps_layout memory = layout(4, 1, 2, 1), own = memory, plain = layout(4, 0, 2, 1);

	ck_assert_int_eq(ps_layout_widen(&memory, &plain), 0);
	ck_assert_int_eq(ps_layout_extend(&memory, &plain), 0);
	ck_assert_uint_eq(memory.slots, 13);
	for (unsigned j = 0; j < 6; j++) { /* 1, 5, 9, 1, .. and 0, 4, 8, 0, .. */
		ck_assert_uint_eq(ps_layout_read_slot(&memory, &plain, j), 1 + 4 * (j % 3));
		ck_assert_uint_eq(ps_layout_read_slot(&memory, &own, j), 4 * (j % 3));
	}
}
END_TEST

START_TEST(sharing_refused)
{
	const struct ps_layout fits = layout(4, 1, 2, 8), others[] = { layout(4, 2, 2, 8), layout(4, 5, 2, 8),
		layout(2, 1, 2, 8), layout(4, 1, 2, 4), layout(2, 0, 2, 8), layout(4, 0, 2, 4) };
	struct ps_layout memory = fits, deep = layout(1, UINT32_MAX, 1, SIZE_MAX >> 33),
			 deeper = layout(1, 0, UINT32_MAX, SIZE_MAX >> 33);

	for (unsigned i = 0; i < TEST_COUNT(others); i++)
		ck_assert_int_eq(ps_layout_widen(&memory, &others[i]), -EINVAL);
	ck_assert_mem_eq(&memory, &fits, sizeof fits);
	memory = deep;
	ck_assert_int_eq(ps_layout_widen(&memory, &deeper), -EOVERFLOW);
	ck_assert_mem_eq(&memory, &deep, sizeof deep);
	memory = layout(4, 0, 2, 8); /* the delay tokens must be the memory's */
	ck_assert_int_eq(ps_layout_widen(&memory, &fits), -EINVAL);
}
END_TEST

START_TEST(valid_tokens_at_the_end)
{
	/* facts of the model: r = 4, ten tokens: 4, 4, 2; with one delay token 4, 4, 3 */
	const uint32_t plain[] = { 4, 4, 2, 0 }, delayed[] = { 4, 4, 3, 0 };
	struct ps_layout a = layout(4, 0, 2, 1), b = layout(4, 1, 2, 1);

	for (unsigned j = 0; j < 4; j++) {
		ck_assert_uint_eq(ps_layout_valid(&a, j, 10), plain[j]);
		ck_assert_uint_eq(ps_layout_valid(&b, j, 10), delayed[j]);
	}
}
END_TEST

START_TEST(refused)
{
	struct ps_layout l = rates(1, 0, 0, false, 0, 2);

	ck_assert_int_eq(one_rate(&l, 0, 0, 2, 1), -EINVAL);
	ck_assert_int_eq(one_rate(&l, 1, 0, 0, 1), -EINVAL);
	ck_assert_int_eq(one_rate(&l, 1, 0, 2, 0), -EINVAL);
	ck_assert_int_eq(one_rate(&l, 1, 0, 2, SIZE_MAX), -EOVERFLOW);
	ck_assert_int_eq(one_rate(&l, 1, 0, 2, SIZE_MAX / 2), -EOVERFLOW);
	ck_assert_int_eq(one_rate(&l, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1), -EOVERFLOW);
	ck_assert_int_eq(one_rate(&l, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX, 1), -EOVERFLOW);
	ck_assert_int_eq(one_rate(&l, 1, UINT32_MAX, UINT32_MAX, 1), 0); /* 8 GiB is a size */
	ck_assert_uint_eq(l.slots, 2 * (uint64_t)UINT32_MAX);
	l = rates(1, 0, 0, false, 0, 2);
	ck_assert_int_eq(ps_layout_init(&l), -EINVAL);
	l = rates(UINT32_MAX, UINT32_MAX - 1, UINT32_MAX, false, UINT32_MAX, UINT32_MAX);
	ck_assert_int_eq(ps_layout_init(&l), -EOVERFLOW);
	l = rates(1, 1, UINT32_MAX, true, 0, 1); /* so is 8 GiB of history and margin */
	ck_assert_int_eq(ps_layout_init(&l), 0);
	ck_assert_uint_eq(l.slots, 2 * (uint64_t)UINT32_MAX + 1);
	l = rates(1, 1, 0, false, 0, 1);
	l.room = UINT64_MAX;
	ck_assert_int_eq(ps_layout_init(&l), -EOVERFLOW);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layout");
	TCase *c = test_case(suite, "layout");

	tcase_add_test(c, paper_figure);
	tcase_add_test(c, paper_sizes);
	tcase_add_test(c, two_rates_figure);
	tcase_add_test(c, every_state_of_small_fifos);
	tcase_add_test(c, rooms_that_were_asked_for);
	tcase_add_test(c, every_state_of_shared_readers);
	tcase_add_test(c, one_rate_is_the_papers);
	tcase_add_test(c, shared_figure);
	tcase_add_test(c, sharing_refused);
	tcase_add_test(c, valid_tokens_at_the_end);
	tcase_add_test(c, refused);
	return test_main(suite);
}
