/* SPDX-License-Identifier: MIT */
/* Against plain loops: streams of any length, any widths, token sizes from 1 to 40 bytes; and back again. */
#include "actors/common/check_moving.h"
#include "actors/common/check_widths.h"

#include <string.h>

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

static uint32_t row_of(const struct widths *of)
{
	uint32_t row = 0;

	for (unsigned i = 0; i < of->count; i++)
		row += of->widths[i];
	return row;
}

/* A device publishes whole rows: the zeros behind the stream, with those that fill its last row. */
static uint32_t fill_row(const struct widths *of, const struct stream_run *run)
{
	uint32_t row = row_of(of), rest = ((uint32_t)run->in[0].count + run->way.tail) % row;

	return run->way.tail + (rest ? row - rest : 0);
}

static void check_ways(uint64_t rounds, const char *memory)
{
	static unsigned char tokens[WIDTHS_MOST * WIDTHS_BYTES],
		expected[(WIDTHS_MOST + 40 + STREAM_PORTS * 9) * WIDTHS_BYTES];

	for (uint64_t seed = test_seed(), end = seed + rounds; seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		struct widths of = widths_draw(&rng);
		size_t size = test_between(&rng, 1, WIDTHS_BYTES);
		struct stream_run run = { .way = stream_way_on(memory, &rng),
			.in[0] = { .token_size = size, .tokens = tokens } };

		test_guard("widths", seed);
		run.in[0].count = test_between(&rng, 0, test_chance(&rng, 30) ? 9 : WIDTHS_MOST);
		widths_fill(&rng, tokens, sizeof tokens);
		if (moving_is(run.way.device)) { /* where it ends says what becomes of a last row */
			run.way.tail = 0;
			run.in[0].count -= run.in[0].count % row_of(&of);
		}
		for (unsigned i = 0; i < of.count; i++)
			run.out[i].token_size = size;
		stream_run(&run, widths_add, &of);
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
	return widths_main("deinterleave", pstk_deinterleave_add, random_widths, on_devices);
}
