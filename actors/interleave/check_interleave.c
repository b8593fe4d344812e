/* SPDX-License-Identifier: MIT */
/* Against plain loops: streams of any lengths, any widths, token sizes from 1 to 40 bytes. */
#include "actors/common/check_widths.h"

#include <string.h>

/* Token by token, as long as whole rows can be had; behind each stream there are `tail` zeros. */
static size_t expect(unsigned char *to, const struct widths *of, const struct stream_run *run, size_t size)
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

static void check_ways(uint64_t rounds, const char *memory)
{
	static unsigned char tokens[STREAM_PORTS][WIDTHS_MOST * WIDTHS_BYTES],
		expected[STREAM_PORTS * 9 * (WIDTHS_MOST + 40) * WIDTHS_BYTES];

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct widths of = widths_draw(&rng);
		size_t size = test_between(&rng, 1, WIDTHS_BYTES),
		       common = test_between(&rng, 0, WIDTHS_MOST), count;
		struct stream_run run = { .way = stream_way_on(memory, &rng), .out[0].token_size = size };

		test_guard("widths", seed);
		for (unsigned i = 0; i < of.count; i++) {
			run.in[i] = (struct stream){ .token_size = size,
				.tokens = tokens[i],
				.count =
					test_chance(&rng, 50) ? common : test_between(&rng, 0, WIDTHS_MOST) };
			widths_fill(&rng, tokens[i], sizeof tokens[i]);
		}
		stream_run(&run, widths_add, &of);
		count = expect(expected, &of, &run, size);
		stream_check(&run, 0, expected, count, seed);
		stream_free(&run);
	}
}

START_TEST(random_widths)
{
	check_ways(test_rounds(400), NULL);
}
END_TEST

START_TEST(on_devices)
{
	check_ways(test_rounds(40), stream_memories[_i]);
}
END_TEST

int main(void)
{
	return widths_main("interleave", pstk_interleave_add, random_widths, on_devices);
}
