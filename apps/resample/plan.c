/* SPDX-License-Identifier: MIT */
/*
 * How a ratio above 1 is split: while p is above SMALL, the smallest prime factor f of q gets the smallest divisor of
 * p, up to 2 f, with which the rate does not fall below that of the input; the rest is the last stage. 160/147 is
 * 4/3 x 8/7 x 5/7. So no rate in between is below both ends. A ratio below 1 is the mirror image: 147/160 is
 * 7/5 x 7/8 x 3/4. Where there is no such divisor, as in 1009/1000, the rest is one stage.
 */
#include "config.h"

#include "apps/resample/plan.h"

#include <math.h>

enum { SMALL = 12, MOST_FACTOR = 65536, MOST_TAPS = 1 << 22 };

/* Of the lower one of both rates: what lies below that comes out clean. */
#define CLEAN 0.46

static uint64_t common_factor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint32_t smallest_factor(uint32_t n)
{
	for (uint32_t f = 2; f * f <= n; f++) {
		if (n % f == 0)
			return f;
	}
	return n;
}

/* The smallest divisor of p with which the rate, now up / down, is at least 1 behind this stage; 0: there is none up to
 * 2 f. */
static uint32_t divisor_for(uint32_t p, uint32_t f, uint64_t up, uint64_t down)
{
	for (uint32_t d = 1; d <= 2 * f && d <= p; d++) {
		if (p % d == 0 && up * d >= down * f)
			return d;
	}
	return 0;
}

/* p > q */
static void split(struct plan *plan, uint32_t p, uint32_t q)
{
	uint64_t up = 1, down = 1;

	while (p > SMALL && q > 1) {
		uint32_t f = smallest_factor(q), d = divisor_for(p, f, up, down);

		if (!d)
			break;
		plan->stages[plan->count++] = (struct plan_stage){ .p = d, .q = f };
		up *= d;
		down *= f;
		p /= d;
		q /= f;
	}
	if (p > 1 || q > 1)
		plan->stages[plan->count++] = (struct plan_stage){ .p = p, .q = q };
}

static void mirror(struct plan *plan)
{
	for (unsigned i = 0; i < (plan->count + 1) / 2; i++) {
		struct plan_stage a = plan->stages[i], b = plan->stages[plan->count - 1 - i];

		plan->stages[i] = (struct plan_stage){ .p = b.q, .q = b.p };
		plan->stages[plan->count - 1 - i] = (struct plan_stage){ .p = a.q, .q = a.p };
	}
}

/*
 * A filter of z zeros on each side, with Kaiser's window for 80 dB, passes all up to (0.5 - 1.254 / z) of the lower one
 * of its two rates, and nothing from (0.5 + 1.254 / z) of it. What it must pass is CLEAN of the lowest rate of all.
 */
static void choose_zeros(struct plan *plan)
{
	double rate = 1, lowest = fmin(1, (double)plan->p / plan->q);

	for (unsigned i = 0; i < plan->count; i++) {
		struct plan_stage *stage = &plan->stages[i];
		double after = rate * stage->p / stage->q, low = fmin(rate, after);

		stage->zeros = (uint32_t)ceil(1.254 / (0.5 - CLEAN * lowest / low));
		rate = after;
	}
}

static bool can_be_filtered(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++) {
		const struct plan_stage *stage = &plan->stages[i];
		uint64_t high = stage->p > stage->q ? stage->p : stage->q;

		if (high > MOST_FACTOR || 2 * stage->zeros * high + 1 > MOST_TAPS)
			return false;
	}
	return true;
}

/* The x with a x = 1 modulo m; a and m have no common factor. */
static uint64_t inverse(uint64_t a, uint64_t m)
{
	int64_t x = 0, next = 1, rest = (int64_t)m, divisor = (int64_t)(a % m);

	while (divisor) {
		int64_t times = rest / divisor, keep = next;

		next = x - times * next;
		x = keep;
		keep = divisor;
		divisor = rest - times * divisor;
		rest = keep;
	}
	return (uint64_t)(x < 0 ? x + (int64_t)m : x);
}

/* A stage delays by zeros x max(1, p / q) samples of its output, and all stages by `late` / q of theirs. */
static void align(struct plan *plan)
{
	uint64_t late = 0, before = 1, p = plan->p, q = plan->q;

	for (unsigned i = 0; i < plan->count; i++) {
		const struct plan_stage *stage = &plan->stages[i];
		uint64_t high = stage->p > stage->q ? stage->p : stage->q;

		late = late * stage->p + stage->zeros * high * before;
		before *= stage->q;
	}
	plan->delay = (uint32_t)((q - late % q) % q * inverse(p, q) % q);
	plan->skip = (uint32_t)((late + plan->delay * p) / q);
	plan->tail = (uint32_t)((late + p - 1) / p);
}

bool plan_make(struct plan *plan, uint64_t p, uint64_t q)
{
	uint64_t factor = common_factor(p, q);

	p /= factor;
	q /= factor;
	*plan = (struct plan){ .p = (uint32_t)p, .q = (uint32_t)q };
	if (p > PLAN_MOST || q > PLAN_MOST)
		return false;
	if (p > q) {
		split(plan, plan->p, plan->q);
	} else if (p < q) {
		split(plan, plan->q, plan->p);
		mirror(plan);
	}
	choose_zeros(plan);
	if (!can_be_filtered(plan))
		return false;
	if (plan->count)
		align(plan);
	return true;
}

uint64_t plan_length(const struct plan *plan, uint64_t n)
{
	return n / plan->q * plan->p + (n % plan->q * plan->p + plan->q - 1) / plan->q;
}
