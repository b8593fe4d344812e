/* SPDX-License-Identifier: MIT */
/* Against a plain loop, pixel by pixel: images of any size, in one word or many, on cores and devices. */
#include "actors/common/check_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	return pstk_bits_add(net, "tested", data);
}

/* The definition. */
TEST_ONE_THREAD static void expect(uint64_t *bits, const uint8_t *grey, const struct pstk_bits_spec *spec)
{
	size_t words = (spec->width + 63) / 64, rows = (size_t)spec->height * (spec->depth ? spec->depth : 1);

	memset(bits, 0, words * rows * sizeof *bits);
	for (size_t y = 0; y < rows; y++)
		for (size_t x = 0; x < spec->width; x++)
			if (grey[y * spec->width + x] > spec->threshold)
				bits[y * words + x / 64] += UINT64_C(1) << x % 64;
}

TEST_ONE_THREAD static void check_images(uint64_t rounds, const char *memory)
{
	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct pstk_bits_spec spec = *PSTK_BITS(.width = test_between(&rng, 1, 200),
			.height = test_between(&rng, 1, 12), .depth = test_between(&rng, 0, 3),
			.threshold = test_chance(&rng, 30) ? 255 * test_between(&rng, 0, 1)
		                                           : test_between(&rng, 0, 255));
		uint32_t depth = spec.depth ? spec.depth : 1;
		size_t pixels = (size_t)spec.width * spec.height * depth, count = test_between(&rng, 0, 20);
		size_t size = pstk_bits_size(spec.width, spec.height, depth);
		uint8_t *tokens = calloc(count + 40, pixels);
		uint64_t *expected = calloc(count + 40, size), *packed = calloc(1, size);
		struct stream_run run = { .way = stream_way_on(memory, &rng),
			.in[0] = { .token_size = pixels, .tokens = tokens, .count = count },
			.out[0].token_size = size };

		test_guard("images", seed);
		ck_assert(tokens && expected && packed);
		for (size_t i = 0; i < count * pixels; i++)
			tokens[i] = (uint8_t)test_random(&rng);
		for (size_t i = 0; i < count + run.way.tail; i++)
			expect(expected + i * size / 8, tokens + i * pixels, &spec);
		stream_run(&run, add, &spec);
		stream_check(&run, 0, expected, count + run.way.tail, seed);
		pstk_bits_pack(packed, tokens, spec.width, spec.height, depth, spec.threshold);
		ck_assert_mem_eq(packed, expected, size);
		stream_free(&run);
		free(tokens);
		free(expected);
		free(packed);
	}
}

START_TEST(random_images)
{
	check_images(test_rounds(200), NULL);
}
END_TEST

START_TEST(on_devices)
{
	check_images(test_rounds(30), stream_memories[_i]);
}
END_TEST

START_TEST(refusals)
{
	const struct pstk_bits_spec older = { .width = 8, .height = 8 };

	STREAM_REFUSES(add, NULL, -EINVAL, "'tested': its spec is NULL");
	STREAM_REFUSES(add, &older, -EINVAL, "'tested'", "struct_size", "PSTK_BITS()");
	STREAM_REFUSES(add, PSTK_BITS(.height = 8), -EINVAL, "'tested': images of 0x8x1", "at least 1");
	STREAM_REFUSES(add, PSTK_BITS(.width = 8), -EINVAL, "'tested': images of 8x0x1");
	STREAM_REFUSES(add, PSTK_BITS(.width = 8, .height = 1, .threshold = 256), -EINVAL,
		"'tested': a threshold of 256: expected 0 to 255");
	STREAM_REFUSES(add, PSTK_BITS(.width = UINT32_MAX, .height = UINT32_MAX, .depth = UINT32_MAX),
		-EINVAL, "more bytes than memory can have");
	STREAM_REFUSES(add, PSTK_BITS(.width = 4, .height = 1), -EINVAL, "has tokens of 4 bytes");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bits");
	TCase *tcase = test_case(suite, "bits");

	tcase_add_test(tcase, random_images);
	tcase_add_test(tcase, refusals);
	tcase = test_case(suite, "devices");
	tcase_add_loop_test(tcase, on_devices, 0, STREAM_MEMORIES);
	return test_main(suite);
}
