/* SPDX-License-Identifier: MIT */
/* Against plain loops: streams of any lengths, any widths, token sizes from 1 to 40 bytes. */
#include "actors/common/check_stream.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200, BYTES = 40 };

struct interleave {
	uint32_t widths[STREAM_PORTS];
	unsigned count;
};

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	const struct interleave *i = data;

	return pstk_interleave_add(net, "tested", i->widths, i->count);
}

/* Token by token, as long as whole rows can be had; behind each stream there are `tail` zeros. */
static size_t expect(
	unsigned char *to, const struct interleave *of, const struct stream_run *run, size_t size)
{
	size_t rows = SIZE_MAX, n = 0;

	for (unsigned i = 0; i < of->count; i++) {
		size_t whole = (run->in[i].count + run->way.tail) / of->widths[i];

		rows = whole < rows ? whole : rows;
	}
	for (size_t row = 0; row < rows; row++)
		for (unsigned i = 0; i < of->count; i++)
			for (uint32_t k = 0; k < of->widths[i]; k++, n++) {
				size_t at = row * of->widths[i] + k;

				memset(to + n * size, 0, size);
				if (at < run->in[i].count)
					memcpy(to + n * size, run->in[i].tokens + at * size, size);
			}
	return n;
}

static void check_widths(uint64_t rounds, const char *memory)
{
	static unsigned char tokens[STREAM_PORTS][MOST * BYTES],
		expected[STREAM_PORTS * 9 * (MOST + 40) * BYTES];

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct interleave of = { .count = test_between(&rng, 1, STREAM_PORTS) };
		size_t size = test_between(&rng, 1, BYTES), common = test_between(&rng, 0, MOST), count;
		struct stream_run run = { .way = stream_way_on(memory, &rng), .out[0].token_size = size };

		test_guard("widths", seed);
		for (unsigned i = 0; i < of.count; i++) {
			of.widths[i] = test_between(&rng, 1, 9);
			run.in[i] = (struct stream){ .token_size = size,
				.tokens = tokens[i],
				.count = test_chance(&rng, 50) ? common : test_between(&rng, 0, MOST) };
			for (size_t b = 0; b < sizeof tokens[i]; b++)
				tokens[i][b] = (unsigned char)test_random(&rng);
		}
		stream_run(&run, add, &of);
		count = expect(expected, &of, &run, size);
		stream_check(&run, 0, expected, count, seed);
		stream_free(&run);
	}
}

START_TEST(random_widths)
{
	check_widths(test_rounds(400), NULL);
}
END_TEST

START_TEST(on_devices)
{
	check_widths(test_rounds(40), stream_memories[_i]);
}
END_TEST

#define REFUSES(widths, count, ...)                                                    \
	do {                                                                           \
		struct pstk_network *net = pstk_network_create("refused");             \
		ck_assert_ptr_null(pstk_interleave_add(net, "tested", widths, count)); \
		TEST_SAYS(pstk_network_error(net), "'tested'", __VA_ARGS__);           \
		ck_assert_int_eq(pstk_network_start(net), -EINVAL);                    \
		pstk_network_destroy(net);                                             \
	} while (0)

START_TEST(refusals)
{
	static const uint32_t zero[] = { 1, 2, 0 }, large[] = { 1, UINT32_MAX };
	uint32_t *many = calloc(4096, sizeof *many);

	REFUSES(NULL, 3, "no widths: give at least one");
	REFUSES(zero, 0, "no widths");
	REFUSES(many, 4096, "4096 widths: there are up to 4095");
	REFUSES(zero, 3, "width 3 of 3 is 0: it is at least 1");
	REFUSES(large, 2, "4294967296 in all: at most 4294967295");
	ck_assert_ptr_null(pstk_interleave_add(NULL, NULL, zero, 2));
	free(many);
}
END_TEST

START_TEST(other_sizes)
{
	stream_refuses_sizes(add, &(const struct interleave){ { 1, 2 }, 2 });
}
END_TEST

START_TEST(out_of_memory)
{
	static const uint32_t widths[] = { 2, 1 };
	struct pstk_actor *actor = NULL;
	unsigned fails = 0;

	for (; !actor; fails++) {
		struct pstk_network *net = pstk_network_create("memory");

		test_fail_allocation(fails + 1);
		actor = pstk_interleave_add(net, "tested", widths, 2);
		test_fail_allocation(0);
		if (!actor)
			ck_assert_int_eq(pstk_network_start(net), -ENOMEM);
		pstk_network_destroy(net);
	}
	ck_assert_uint_ge(fails, 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("interleave");
	TCase *tcase = test_case(suite, "interleave");

	tcase_add_test(tcase, random_widths);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, other_sizes);
	tcase_add_test(tcase, out_of_memory);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
