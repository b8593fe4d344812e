/* SPDX-License-Identifier: MIT */
/*
 * Against Leptonica (in 2-D): its opening by a brick of 2n + 1 pixels a side is the opening of size n by the square.
 * Outside there are 1s for its erosion, too, with the symmetric boundary condition.
 */
#include "actors/common/check_stream.h"

#include <allheaders.h>
#include <stdlib.h>
#include <string.h>

enum { OPENINGS = 12 };

static struct pstk_actor *add(struct pstk_network *net, const void *data)
{
	return pstk_openings_add(net, "tested", data);
}

static l_int32 count(PIX *pix)
{
	l_int32 ones = -1;

	ck_assert_int_eq(pixCountPixels(pix, &ones, NULL), 0);
	return ones;
}

/* G(0) .. G(OPENINGS) */
static void expect(uint64_t *counts, const uint8_t *grey, uint32_t w, uint32_t h)
{
	PIX *pix = pixCreate((l_int32)w, (l_int32)h, 1);

	ck_assert_ptr_nonnull(pix);
	resetMorphBoundaryCondition(SYMMETRIC_MORPH_BC);
	for (uint32_t i = 0; i < w * h; i++)
		if (grey[i])
			pixSetPixel(pix, (l_int32)(i % w), (l_int32)(i / w), 1);
	counts[0] = (uint64_t)count(pix);
	for (l_int32 n = 1; n <= OPENINGS; n++) {
		PIX *opened = pixOpenBrick(NULL, pix, 2 * n + 1, 2 * n + 1);

		ck_assert_ptr_nonnull(opened);
		counts[n] = (uint64_t)count(opened);
		pixDestroy(&opened);
	}
	pixDestroy(&pix);
}

/* Squares, of which some touch each other or the edge, and dots in them. */
static void draw(uint8_t *grey, uint32_t w, uint32_t h, struct test_rng *rng)
{
	memset(grey, 0, w * h);
	for (uint32_t k = test_between(rng, 0, 15); k; k--) {
		int r = (int)test_between(rng, 0, 14), x = (int)test_between(rng, 0, w - 1),
		    y = (int)test_between(rng, 0, h - 1);

		for (int i = 0; i < (int)(w * h); i++)
			if (abs(i % (int)w - x) <= r && abs(i / (int)w - y) <= r)
				grey[i] = 1;
	}
	for (uint32_t k = test_between(rng, 0, 20); k; k--)
		grey[test_between(rng, 0, w * h - 1)] ^= 1;
}

START_TEST(random_images)
{
	uint64_t seed = test_seed();

	for (uint64_t end = seed + test_rounds(60); seed < end; seed++) {
		struct test_rng rng = { test_mix(seed) };
		const uint32_t w = test_between(&rng, 1, 200), h = test_between(&rng, 1, 120);
		size_t size = pstk_bits_size(w, h, 1);
		uint8_t *grey = malloc(w * h);
		uint64_t *bits = malloc(size), counts[OPENINGS + 1];
		struct stream_run run = {
			.way = { .steps = 1, .depth = 2, .write_rates = { 1 }, .read_rates = { 1 } },
			.in[0] = { .token_size = size, .count = 1, .tokens = (unsigned char *)bits },
			.out[0].token_size = sizeof counts
		};

		test_guard("an image", seed);
		ck_assert(grey && bits);
		draw(grey, w, h, &rng);
		expect(counts, grey, w, h);
		pstk_bits_pack(bits, grey, w, h, 1, 0);
		stream_run(&run, add, PSTK_OPENINGS(.width = w, .height = h, .last = OPENINGS));
		stream_check(&run, 0, counts, 1, seed);
		stream_free(&run);
		free(grey);
		free(bits);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("leptonica");
	TCase *tcase = test_case(suite, "leptonica");

	tcase_add_test(tcase, random_images);
	return test_main(suite);
}
