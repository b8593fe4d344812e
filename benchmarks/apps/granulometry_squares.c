/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/granulometry_squares.h"

#include <stdbool.h>
#include <string.h>

/* Squares lie in rows, from left to right, a pixel apart from each other and from the border: outside of an image there
 * are 1s for an erosion. */
struct walk {
	const struct squares *is;
	uint64_t random;
	uint32_t x, y, high; /* where the next one begins; the highest of this row */
	bool begun;
};

static uint32_t draw(struct walk *w, uint32_t below)
{
	w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(w->random >> 33) % below;
}

/* Small ones are more frequent, so that in a large image those of some middle size have the most pixels. */
static uint32_t draw_radius(struct walk *w)
{
	uint32_t r = 0;

	if (!w->begun)
		return w->is->openings - 1;
	while (r < w->is->openings - 1 && draw(w, 5))
		r++;
	return r;
}

static struct walk begin(const struct squares *is, uint64_t number)
{
	return (struct walk){
		.is = is, .random = (number + 1) * UINT64_C(0x9e3779b97f4a7c15), .x = 1, .y = 1
	};
}

/* The corner and the width of the next square. False: there is no more room. */
static bool next(struct walk *w, uint32_t *x, uint32_t *y, uint32_t *wide)
{
	*wide = 2 * draw_radius(w) + 1;
	w->begun = true;
	if (w->x + *wide >= w->is->side) {
		w->x = 1;
		w->y += w->high + 1;
		w->high = 0;
	}
	if (w->y + *wide >= w->is->side)
		return false;
	*x = w->x;
	*y = w->y;
	w->x += *wide + 1;
	w->high = w->high < *wide ? *wide : w->high;
	return true;
}

uint32_t squares_least_side(uint32_t openings)
{
	return 2 * openings + 1;
}

void squares_draw(const struct squares *is, uint64_t number, uint8_t *grey)
{
	struct walk w = begin(is, number);

	memset(grey, 0, (size_t)is->side * is->side);
	for (uint32_t x, y, wide; next(&w, &x, &y, &wide);)
		for (uint32_t row = y; row < y + wide; row++)
			memset(grey + (size_t)row * is->side + x, 255, wide);
}

void squares_counts(const struct squares *is, uint64_t number, uint64_t *counts)
{
	struct walk w = begin(is, number);

	memset(counts, 0, (is->openings + (size_t)1) * sizeof *counts);
	for (uint32_t x, y, wide; next(&w, &x, &y, &wide);)
		for (uint32_t n = 0; n <= wide / 2; n++)
			counts[n] += (uint64_t)wide * wide;
}
