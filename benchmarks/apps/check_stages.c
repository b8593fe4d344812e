/* SPDX-License-Identifier: MIT */
/*
 * Stages against the same computed over the whole signal at once: serially, with as many blocks in flight as can be,
 * and by actors. The check of another's spectra finds one number that is off.
 */
#include "benchmarks/apps/cd_to_dat.h"
#include "benchmarks/common/rounds.h"
#include "tests/common/common.h"

#include <stdlib.h>
#include <string.h>

enum { SIGNAL = 37, ITERATIONS = 40, PIECE = 16, IN = 4, OUT = 32 };

/* Adds up two new tokens and the three before them. */
static void add_up(const struct stage *s, void *out, const void *in, size_t units)
{
	const uint32_t *x = in;
	uint32_t *y = out;

	(void)s;
	for (size_t i = 0; i < units; i++, x += 2)
		y[i] = x[0] + 2 * x[1] + 3 * x[2] + 5 * x[3] + 7 * x[4];
}

/* Sixteen tokens of one and the one before. */
static void spread(const struct stage *s, void *out, const void *in, size_t units)
{
	const uint32_t *x = in;
	uint32_t *y = out;

	(void)s;
	for (size_t i = 0; i < 16 * units; i++)
		y[i] = x[i / 16] * (uint32_t)(i % 16) + x[i / 16 + 1];
}

static uint32_t samples[SIGNAL];

static struct stages example(void)
{
	for (unsigned i = 0; i < SIGNAL; i++)
		samples[i] = i * i + 1;
	return (struct stages){ .count = 2,
		.stage = { { 2, 2, 1, 3, 4, 4, add_up, NULL }, { 2, 1, 16, 1, 4, 4, spread, NULL } },
		.signal = samples,
		.signal_tokens = SIGNAL,
		.piece = PIECE };
}

static uint32_t sample(long i)
{
	return i < 0 ? 0 : samples[i % SIGNAL];
}

static uint32_t sum(long i)
{
	static const uint32_t weights[] = { 1, 2, 3, 5, 7 };
	uint32_t all = 0;

	for (long k = 0; k < 5 && i >= 0; k++)
		all += weights[k] * sample(2 * i + k - 3);
	return all;
}

/* What so many iterations give. */
static uint64_t expected(const struct stages *s)
{
	static uint32_t out[ITERATIONS * OUT];

	for (long i = 0; i < ITERATIONS * OUT; i++)
		out[i] = sum(i / 16 - 1) * (uint32_t)(i % 16) + sum(i / 16);
	return stages_sink(s, out, 0, ITERATIONS * OUT / PIECE);
}

START_TEST(serial)
{
	const struct stages s = example();

	ck_assert_uint_eq(stages_tokens(&s), IN);
	for (uint32_t iterations = 1; iterations <= 8; iterations *= 2)
		ck_assert_uint_eq(stages_run_serial(&s, iterations, ITERATIONS * IN), expected(&s));
}
END_TEST

/* The first stage on all blocks in flight, then the second one, the last block first. */
START_TEST(in_flight)
{
	const struct stages s = example();
	enum { BLOCKS = ITERATIONS / 2 };

	for (uint32_t most = 1; most <= BLOCKS; most++) {
		struct stages_ring r;
		uint64_t hash = 0;

		if (BLOCKS % most)
			continue;
		stages_ring_open(&r, &s, most, 2);
		for (uint64_t first = 0; first < BLOCKS; first += most) {
			for (uint64_t b = first; b < first + most; b++)
				stages_ring_source(&r, b);
			for (unsigned stage = 0; stage < s.count; stage++)
				for (uint64_t b = first + most; b-- > first;)
					stages_ring_run(&r, stage, b);
			for (uint64_t b = first; b < first + most; b++)
				hash += stages_ring_sink(&r, b);
		}
		stages_ring_close(&r);
		ck_assert_uint_eq(hash, expected(&s));
	}
}
END_TEST

/* A source's tokens are what the sink gets. */
START_TEST(actors)
{
	struct stages s = example();
	struct stages_run run = { &s, ITERATIONS * IN, 0 };
	struct pstk_network *net = pstk_network_create("stages");
	uint32_t all[ITERATIONS * IN];

	s.count = 1;
	pstk_connect(stages_source_add(net, &run), "out", stages_sink_add(net, &run), "in", PSTK_FIFO());
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	for (long i = 0; i < ITERATIONS * IN; i++)
		all[i] = sample(i);
	ck_assert_uint_eq(run.hash, stages_sink(&s, all, 0, ITERATIONS * IN / PIECE));
}
END_TEST

/* -- the check of another's spectra -- */

static float *spectra(void)
{
	const struct stages *s = cd_stages();
	float *kept = rounds_alloc(5 * CD_FFT * 2 * sizeof *kept);
	struct stages_ring r;

	stages_ring_open(&r, s, 1, 1);
	stages_ring_source(&r, 0);
	for (unsigned i = 0; i < s->count; i++)
		stages_ring_run(&r, i, 0);
	memcpy(kept, r.memory[s->count], 5 * CD_FFT * 2 * sizeof *kept);
	stages_ring_close(&r);
	return kept;
}

/* off: what is added to the last number. Ends with status 1 if the check does. */
static void check_spectra(float off)
{
	float *kept;

	if (cd_open())
		return;
	kept = spectra();
	kept[5 * CD_FFT * 2 - 1] += off;
	cd_check("another", kept, 5, false);
	free(kept);
	cd_close();
}

START_TEST(equal_spectra)
{
	check_spectra(0);
}
END_TEST

START_TEST(other_spectra)
{
	check_spectra(0.01F);
	exit(cd_stages()->count ? 0 : 1); /* without kissfft there is nothing to be found */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stages");
	TCase *tcase = test_case(suite, "stages");

	tcase_add_test(tcase, serial);
	tcase_add_test(tcase, in_flight);
	tcase_add_test(tcase, actors);
	tcase_add_test(tcase, equal_spectra);
	tcase_add_exit_test(tcase, other_spectra, 1);
	return test_main(suite);
}
