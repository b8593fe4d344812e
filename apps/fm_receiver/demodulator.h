/* SPDX-License-Identifier: MIT */
/* The actors that only this program needs, between filters of the library. */
#ifndef FM_RECEIVER_DEMODULATOR_H
#define FM_RECEIVER_DEMODULATOR_H

#include <penstock/penstock.h>

#include "apps/fm_receiver/plan.h"

/* Two streams of floats, re and im, as one of complex samples. No arg. */
const struct pstk_actor_type *pair_type(void);

struct discriminator {
	float gain;    /* of radians from sample to sample */
	uint32_t mute; /* samples at the start that are 0: the filter before has seen little then */
};

/* The change of phase from the sample before, cf32 to f32; 0 where a sample is not finite, or muted. arg: struct
 * discriminator, copied. */
const struct pstk_actor_type *discriminator_type(void);

struct deemphasis {
	const struct plan *plan;
	const struct pstk_fifo *first; /* its written tokens are the samples of the input */
	double keep;                   /* of the sample before: 0: none, what goes in comes out */
	/* the actor's own */
	double last;
	uint64_t written;
};

/* One pole, f32 to f32. The filter before gives whole steps: what there is too much at the end is left out here. arg:
 * struct deemphasis, borrowed. */
const struct pstk_actor_type *deemphasis_type(void);

/* Of a time constant in microseconds; 0: none. */
double deemphasis_keep(uint32_t microseconds, uint32_t rate);

#endif
