/* SPDX-License-Identifier: MIT */
/* Against plain loops: streams of any length, any widths, token sizes from 1 to 40 bytes; and back again. */
#include "actors/common/check_stream.h"
#include "tests/common/allocation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200, BYTES = 40 };

struct widths {
	uint32_t widths[STREAM_PORTS];
	unsigned count;
};

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	const struct widths *i = data;

	return pstk_deinterleave_add(net, "tested", i->widths, i->count);
}

/* Token by token; behind the stream there are `tail` zeros. Returns the tokens for one output. */
static size_t expect(
	unsigned char *to, const struct widths *of, unsigned port, const struct stream *in, uint32_t tail)
{
	size_t n = 0;

	for (size_t at = 0; at < in->count + tail;)
		for (unsigned i = 0; i < of->count; i++)
			for (uint32_t k = 0; k < of->widths[i] && at < in->count + tail; k++, at++) {
				if (i != port)
					continue;
				memset(to + n * in->token_size, 0, in->token_size);
				if (at < in->count)
					memcpy(to + n * in->token_size, in->tokens + at * in->token_size,
						in->token_size);
				n++;
			}
	return n;
}

/* A device publishes whole rows: the zeros behind the stream, with those that fill its last row. */
static uint32_t fill_row(const struct widths *of, const struct stream_run *run)
{
	uint32_t row = 0, rest;

	for (unsigned i = 0; i < of->count; i++)
		row += of->widths[i];
	rest = ((uint32_t)run->in[0].count + run->way.tail) % row;
	return run->way.tail + (rest ? row - rest : 0);
}

static void check_widths(uint64_t rounds, const char *memory)
{
	static unsigned char tokens[MOST * BYTES], expected[(MOST + 40 + STREAM_PORTS * 9) * BYTES];

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct widths of = { .count = test_between(&rng, 1, STREAM_PORTS) };
		size_t size = test_between(&rng, 1, BYTES);
		struct stream_run run = { .way = stream_way_on(memory, &rng),
			.in[0] = { .token_size = size, .tokens = tokens } };

		test_guard("widths", seed);
		run.in[0].count = test_between(&rng, 0, test_chance(&rng, 30) ? 9 : MOST);
		for (size_t b = 0; b < sizeof tokens; b++)
			tokens[b] = (unsigned char)test_random(&rng);
		for (unsigned i = 0; i < of.count; i++) {
			of.widths[i] = test_between(&rng, 1, 9);
			run.out[i].token_size = size;
		}
		stream_run(&run, add, &of);
		for (unsigned i = 0; i < of.count; i++) {
			size_t count = expect(expected, &of, i, &run.in[0],
				run.way.device ? fill_row(&of, &run) : run.way.tail);

			stream_check(&run, i, expected, count, seed);
		}
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

#define REFUSES(widths, count, ...)                                                      \
	do {                                                                             \
		struct pstk_network *net = pstk_network_create("refused");               \
		ck_assert_ptr_null(pstk_deinterleave_add(net, "tested", widths, count)); \
		TEST_SAYS(pstk_network_error(net), "'tested'", __VA_ARGS__);             \
		ck_assert_int_eq(pstk_network_start(net), -EINVAL);                      \
		pstk_network_destroy(net);                                               \
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
	ck_assert_ptr_null(pstk_deinterleave_add(NULL, NULL, zero, 2));
	free(many);
}
END_TEST

START_TEST(other_sizes)
{
	stream_refuses_sizes(add, &(const struct widths){ { 1, 2 }, 2 });
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
		actor = pstk_deinterleave_add(net, "tested", widths, 2);
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
	Suite *suite = suite_create("deinterleave");
	TCase *tcase = test_case(suite, "deinterleave");

	tcase_add_test(tcase, random_widths);
	tcase_add_test(tcase, refusals);
	tcase_add_test(tcase, other_sizes);
	tcase_add_test(tcase, out_of_memory);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
