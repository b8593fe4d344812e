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
	/* y[n] = gain (x[n] + zero x[n - 1]) + pole y[n - 1] */
	double gain, zero, pole;
	/* the actor's own */
	double before, last; /* x[n - 1], y[n - 1] */
	uint64_t written;
};

/* f32 to f32. The filter before gives whole steps: what there is too much at the end is left out here. arg:
 * struct deemphasis, borrowed. */
const struct pstk_actor_type *deemphasis_type(void);

/*
 * The filter of a time constant in microseconds, at this rate; 0: what goes in comes out.
 *
 * The pole is that of a resistor and a capacitor, sampled. The zero and the gain make it equal to them at 0 Hz and at
 * 15 kHz, or at 0.45 of a lower rate: in between it is 0.13 dB off at most from 44.1 kHz on, and 0.6 dB below. The pole
 * alone would let 1.2 dB too much pass at 14 kHz.
 */
void deemphasis_design(struct deemphasis *, uint32_t microseconds, uint32_t rate);

#endif
