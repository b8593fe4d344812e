/* SPDX-License-Identifier: MIT */
/* pair: each frame with the next one. */
#include "config.h"

#include "actors/common/check_stream.h"
#include "penstock/vision.h"

/* Tokens 1 2, 2 3, .. whatever the rates; none of one token. */
static struct pstk_actor *add_pair(struct pstk_network *net, const void *data)
{
	(void)data;
	return pstk_network_add(net, "tested", pstk_pair_type(), NULL);
}

START_TEST(pairs)
{
	for (uint64_t seed = test_seed(), end = seed + test_rounds(60); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct stream_run run = { .way = stream_way(&rng) };
		uint64_t tokens[20], want[40];
		unsigned count = test_between(&rng, 0, 19);

		test_guard("pairs", seed);
		run.way.tail = 0;
		for (unsigned i = 0; i < count; i++)
			tokens[i] = i + 1;
		for (unsigned i = 0; i + 1 < count; i++) {
			want[2 * i] = i + 1;
			want[2 * i + 1] = i + 2;
		}
		run.in[0] =
			(struct stream){ .token_size = 8, .count = count, .tokens = (unsigned char *)tokens };
		run.out[0].token_size = 8;
		stream_run(&run, add_pair, NULL);
		stream_check(&run, 0, want, count > 1 ? 2 * (count - 1) : 0, seed);
		stream_free(&run);
	}
	stream_refuses_sizes(add_pair, NULL);
}
END_TEST

/* A frame costs what it has: what lies behind it in its token is not copied. */
START_TEST(pairs_of_small_frames)
{
	enum { COUNT = 4, TOKEN = 192, SIDE = 5, USED = PSTK_SIZED_HEAD + SIDE * SIDE };
	static _Alignas(8) unsigned char tokens[COUNT * TOKEN];
	struct stream_run run = { .way = { .steps = 1, .depth = 1 },
		.in = { { .token_size = TOKEN, .count = COUNT, .tokens = tokens } },
		.out = { { .token_size = TOKEN } } };

	for (size_t i = 0; i < sizeof tokens; i++)
		tokens[i] = (unsigned char)(1 + i % 251);
	for (unsigned i = 0; i < COUNT; i++)
		pstk_sized_set(tokens + (size_t)i * TOKEN, SIDE, SIDE);
	stream_run(&run, add_pair, NULL);
	ck_assert_uint_eq(run.out[0].count, 2 * (COUNT - 1));
	for (size_t i = 0; i < run.out[0].count; i++) {
		const unsigned char *is = run.out[0].tokens + i * TOKEN;

		ck_assert_mem_eq(is, tokens + (i + 1) / 2 * TOKEN, USED);
		for (size_t k = USED; k < TOKEN; k++)
			ck_assert_uint_eq(is[k], 0); /* as the FIFO's memory was */
	}
	stream_free(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pair");
	TCase *c = test_case(suite, "pair");

	tcase_add_test(c, pairs);
	tcase_add_test(c, pairs_of_small_frames);
	return test_main(suite);
}
