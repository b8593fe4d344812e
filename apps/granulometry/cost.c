/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/granulometry/cost.h"

/* 1 + 2 + .. + n */
static uint64_t sum_to(uint64_t n)
{
	return n * (n + 1) / 2;
}

uint64_t cost_first(uint32_t split)
{
	return split + sum_to(split);
}

uint64_t cost_second(uint32_t split, uint32_t openings)
{
	return split < openings ? openings + sum_to(openings) - sum_to(split) : 0;
}

double cost_period(const struct cost *c, uint32_t split, uint32_t openings)
{
	double first = c->first * (double)cost_first(split);
	double second = c->second * (double)cost_second(split, openings);

	if (c->together)
		return first + second;
	return first > second ? first : second;
}

uint32_t cost_split(const struct cost *c, uint32_t openings)
{
	uint32_t best = 1;

	for (uint32_t split = 2; split <= openings; split++)
		if (cost_period(c, split, openings) < cost_period(c, best, openings))
			best = split;
	return best;
}
