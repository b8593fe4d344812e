/* SPDX-License-Identifier: MIT */
/* Against a plain loop: streams of any length, also empty ones. */
#include "actors/common/check_stream.h"

#include <errno.h>
#include <string.h>

enum { MOST = 300, BYTES = 24 };

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	return pstk_network_add(net, "tested", pstk_repeat_type(), (void *)data);
}

static void check_times(uint64_t rounds, const char *memory)
{
	static unsigned char tokens[(MOST + 40) * BYTES], expected[(MOST + 40) * 9 * BYTES];

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct pstk_repeat_arg arg = { test_between(&rng, 1, 9) };
		size_t size = test_between(&rng, 1, BYTES), count, all;
		struct stream_run run = { .way = stream_way_on(memory, &rng),
			.in[0] = { .token_size = size, .tokens = tokens },
			.out[0].token_size = size };

		test_guard("times", seed);
		count = run.in[0].count = test_between(&rng, 0, test_chance(&rng, 50) ? 20 : MOST);
		all = count + run.way.tail;
		for (size_t b = 0; b < all * size; b++)
			tokens[b] = b < count * size ? (unsigned char)test_random(&rng) : 0;
		for (size_t i = 0; i < all * arg.times; i++)
			memcpy(expected + i * size, tokens + i / arg.times * size, size);
		stream_run(&run, add, &arg);
		stream_check(&run, 0, expected, all * arg.times, seed);
		stream_free(&run);
	}
}

START_TEST(random_times)
{
	check_times(test_rounds(400), NULL);
}
END_TEST

START_TEST(on_devices)
{
	check_times(test_rounds(40), stream_memories[_i]);
}
END_TEST

START_TEST(refusals)
{
	struct pstk_network *net = pstk_network_create("parameters");
	struct pstk_actor *actor = add(net, NULL);

	ck_assert_int_eq(pstk_actor_set_param(actor, "times", "0"), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_param(actor, "times", "-1"), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_param(actor, "times", "3"), 0);
	pstk_network_destroy(net);
	STREAM_REFUSES(add, NULL, -EINVAL, "'tested'", "times");
	STREAM_REFUSES(add, (&(const struct pstk_repeat_arg){ 0 }), -ERANGE, "'tested'", "times", "1..");
	stream_refuses_sizes(add, &(const struct pstk_repeat_arg){ 2 });
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("repeat");
	TCase *tcase = test_case(suite, "repeat");

	tcase_add_test(tcase, random_times);
	tcase_add_test(tcase, refusals);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
