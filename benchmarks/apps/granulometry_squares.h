/* SPDX-License-Identifier: MIT */
/*
 * The images of benchmarks/granulometry: squares on a dark ground, no two of them side by side. What openings by the
 * square leave of them is known without an opening: a square of radius r has (2 r + 1)^2 pixels, and is gone at
 * n = r + 1.
 */
#ifndef PENSTOCK_BENCHMARKS_GRANULOMETRY_SQUARES_H
#define PENSTOCK_BENCHMARKS_GRANULOMETRY_SQUARES_H

#include <stdint.h>

/* Images of `side` x `side` pixels, of which `openings` openings leave nothing, and one less does. */
struct squares {
	uint32_t side, openings;
};

/* The least side: it has room for the largest square. */
uint32_t squares_least_side(uint32_t openings);

/* Draws the image of that number: 255 in squares, else 0. */
void squares_draw(const struct squares *, uint64_t number, uint8_t *grey);

/* G(0) .. G(openings) of it. */
void squares_counts(const struct squares *, uint64_t number, uint64_t *counts);

#endif
