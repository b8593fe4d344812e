/* SPDX-License-Identifier: MIT */
/*
 * Plan: a change of the rate by p / q, as stages one behind the other, and what makes the output begin and end where
 * the input does.
 */
#ifndef RESAMPLE_PLAN_H
#define RESAMPLE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum { PLAN_MOST = 1000000, PLAN_STAGES = 32 };

struct plan_stage {
	uint32_t p, q;  /* without a common factor */
	uint32_t zeros; /* of its filter, on each side: see pstk_resample_f32_add() */
};

/*
 * The filters together delay the signal by a number of outputs that need not be whole. `delay` zeros in front of the
 * input make it `skip` whole outputs, which are dropped. `tail` zeros behind the input let the last of it come out.
 */
struct plan {
	uint32_t p, q;  /* without a common factor */
	unsigned count; /* 0: the rate stays */
	struct plan_stage stages[PLAN_STAGES];
	uint32_t delay, tail; /* samples of the input */
	uint32_t skip;        /* samples of the output */
};

/* False: one of the two, without their common factor, is above PLAN_MOST, or no filter has as many taps as a stage
 * needs; plan->p and q are set. Both are at least 1. */
bool plan_make(struct plan *plan, uint64_t p, uint64_t q);

/* Samples that n of the input give: n p / q, rounded up. */
uint64_t plan_length(const struct plan *plan, uint64_t n);

#endif
