/* SPDX-License-Identifier: MIT */
/* Choice: the best of predicted configurations. */
#include "penstock/mapper.h"

#include <limits.h>
#include <math.h>

/* Numbers that differ by less of them are alike: what differs by rounding only is no reason for one more thread. */
#define ALIKE 1e-9

static double magnitude(double a)
{
	return a < 0 ? -a : a;
}

/* 1: a is greater, -1: b is, 0: they are alike. */
static int order_of(double a, double b)
{
	const double difference = magnitude(a - b);

	if (a == b || (isfinite(difference) && difference <= ALIKE * magnitude(a)))
		return 0;
	return a > b ? 1 : -1;
}

static unsigned bits_of(uint32_t mask)
{
	unsigned bits = 0;

	for (; mask; mask &= mask - 1)
		bits++;
	return bits;
}

/* Of two configurations that are alike. */
static bool is_simpler(const struct pstk_configuration *a, const struct pstk_configuration *b)
{
	if (a->threads != b->threads)
		return a->threads < b->threads;
	if (bits_of(a->mask) != bits_of(b->mask))
		return bits_of(a->mask) < bits_of(b->mask);
	if (a->medium_grain != b->medium_grain)
		return b->medium_grain;
	return a->mask < b->mask;
}

static bool is_better(const struct pstk_candidate *a, const struct pstk_candidate *b)
{
	int order;

	if (a->met != b->met)
		return a->met;
	order = a->met ? 0 : order_of(b->excess, a->excess);
	if (!order)
		order = order_of(a->score, b->score);
	return order ? order > 0 : is_simpler(&a->prediction.configuration, &b->prediction.configuration);
}

static double score_of(const struct pstk_goal *g, const struct pstk_prediction *p)
{
	switch (g->objective) {
	case PSTK_OBJECTIVE_ENERGY:
		return -p->energy;
	case PSTK_OBJECTIVE_RATIO:
		return p->rate / p->energy;
	case PSTK_OBJECTIVE_SCORE:
		return g->score(g->data, p->rate, p->energy);
	case PSTK_OBJECTIVE_THROUGHPUT:
	default:
		return p->rate;
	}
}

static double excess_of(const struct pstk_goal *g, const struct pstk_prediction *p)
{
	const double slow = g->min_rate / p->rate;
	const double hungry = g->max_watts > 0 ? p->rate * p->energy / g->max_watts : 0;

	return slow > hungry ? slow : hungry;
}

static bool is_limit(double value)
{
	return value >= 0 && isfinite(value);
}

static bool is_goal(const struct pstk_goal *g)
{
	if (!g || g->struct_size != sizeof *g || !is_limit(g->min_rate) || !is_limit(g->max_watts))
		return false;
	switch (g->objective) {
	case PSTK_OBJECTIVE_THROUGHPUT:
	case PSTK_OBJECTIVE_ENERGY:
	case PSTK_OBJECTIVE_RATIO:
		return true;
	case PSTK_OBJECTIVE_SCORE:
		return g->score;
	default:
		return false;
	}
}

static bool needs_energies(const struct pstk_goal *g)
{
	return g->objective == PSTK_OBJECTIVE_ENERGY || g->objective == PSTK_OBJECTIVE_RATIO ||
	       g->max_watts > 0;
}

int pstk_mapper_choose(const struct pstk_prediction *list, unsigned count, const struct pstk_goal *goal,
	struct pstk_candidate *candidates, unsigned room)
{
	unsigned there = 0;

	if (!list || !candidates || !count || count > INT_MAX || !room || room > INT_MAX || !is_goal(goal))
		return -EINVAL;
	for (unsigned i = 0; i < count; i++) {
		struct pstk_candidate c = { .prediction = list[i] };
		unsigned at = there;

		if (isnan(list[i].energy) && needs_energies(goal))
			return -ENODATA;
		c.score = score_of(goal, &list[i]);
		if (isnan(c.score))
			return -EDOM;
		c.excess = excess_of(goal, &list[i]);
		c.met = order_of(c.excess, 1) <= 0;
		/* those that it is better than move on by one; the last one may fall out */
		while (at && is_better(&c, &candidates[at - 1])) {
			if (at < room)
				candidates[at] = candidates[at - 1];
			at--;
		}
		if (at < room)
			candidates[at] = c;
		there += there < room;
	}
	return (int)there;
}
