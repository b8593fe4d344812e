/* SPDX-License-Identifier: MIT */
/* Against the stream itself: any length, also shorter than what is dropped. */
#include "actors/common/check_stream.h"

#include <errno.h>

enum { MOST = 300, BYTES = 24 };

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	return pstk_network_add(net, "tested", pstk_skip_type(), (void *)data);
}

static void check_counts(uint64_t rounds, const char *memory)
{
	static unsigned char tokens[(MOST + 40) * BYTES];

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct pstk_skip_arg arg = { test_between(&rng, 0, test_chance(&rng, 50) ? 5 : 60) };
		size_t size = test_between(&rng, 1, BYTES), count, all;
		struct stream_run run = { .way = stream_way_on(memory, &rng),
			.in[0] = { .token_size = size, .tokens = tokens },
			.out[0].token_size = size };

		test_guard("a count", seed);
		count = run.in[0].count = test_between(&rng, 0, test_chance(&rng, 50) ? 40 : MOST);
		all = count + run.way.tail;
		for (size_t b = 0; b < all * size; b++)
			tokens[b] = b < count * size ? (unsigned char)test_random(&rng) : 0;
		stream_run(&run, add, &arg);
		stream_check(&run, 0, tokens + arg.count * size, all > arg.count ? all - arg.count : 0, seed);
		stream_free(&run);
	}
}

START_TEST(random_counts)
{
	check_counts(test_rounds(400), NULL);
}
END_TEST

START_TEST(on_devices)
{
	check_counts(test_rounds(40), stream_memories[_i]);
}
END_TEST

START_TEST(refusals)
{
	struct pstk_network *net = pstk_network_create("parameters");
	struct pstk_actor *actor = add(net, NULL);

	ck_assert_int_eq(pstk_actor_set_param(actor, "count", "4294967295"), -ERANGE);
	ck_assert_int_eq(pstk_actor_set_param(actor, "count", "-1"), -EINVAL);
	ck_assert_int_eq(pstk_actor_set_param(actor, "count", "3"), 0);
	pstk_network_destroy(net);
	STREAM_REFUSES(add, NULL, -EINVAL, "'tested'", "count");
	STREAM_REFUSES(add, (&(const struct pstk_skip_arg){ UINT32_MAX }), -ERANGE, "'tested'", "count",
		"0..4294967294");
	stream_refuses_sizes(add, &(const struct pstk_skip_arg){ 2 });
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("skip");
	TCase *tcase = test_case(suite, "skip");

	tcase_add_test(tcase, random_counts);
	tcase_add_test(tcase, refusals);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
