/* SPDX-License-Identifier: MIT */
/*
 * Cost: what the two parts of a granulometry take, in erosions and dilations by the unit element, and where to split.
 *
 * The opening of size n goes on from the erosion of the one before: it takes one erosion and n dilations. The first
 * part has sizes 1 .. split. The second one has the rest, and begins with the opening of size split: it must erode that
 * split times more.
 */
#ifndef GRANULOMETRY_COST_H
#define GRANULOMETRY_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Units of each part, 1 <= split <= openings; without a second part 0. */
uint64_t cost_first(uint32_t split);
uint64_t cost_second(uint32_t split, uint32_t openings);

/* Where the parts run. */
struct cost {
	double first, second; /* time of a unit there, in any measure; above 0 */
	bool together;        /* one place, where only one of them works at a time */
};

/* The time from one image to the next, with that split. */
double cost_period(const struct cost *, uint32_t split, uint32_t openings);

/* The split with the least period; of several the smallest. */
uint32_t cost_split(const struct cost *, uint32_t openings);

#endif
