/* SPDX-License-Identifier: MIT */
/*
 * Stereo: from the multiplex to left and right (ITU-R BS.450, the pilot-tone system).
 *
 *	multiplex = (L + R) / 2 + (L - R) / 2 sin 2a + pilot sin a,   a: the phase of the pilot, 19 kHz
 *
 * So multiplex x (1 + 2 sin 2a) is L, and x (1 - 2 sin 2a) is R, below what the filter of the sound takes away. The
 * pilot is shifted to 0 Hz and filtered there, its phase doubled.
 */
#ifndef FM_RECEIVER_STEREO_H
#define FM_RECEIVER_STEREO_H

#include <penstock/penstock.h>

#include "apps/fm_receiver/plan.h"

/* The multiplex with the pilot at 0 Hz. Ports: in, f32; out, cf32. arg: struct plan, borrowed. */
const struct pstk_actor_type *shift_type(void);

struct decoder {
	const struct plan *plan;
	/* the actor's own */
	uint64_t samples, with_pilot;
};

/* Ports: in, the multiplex; pilot, cf32, behind the filter; left, right. Without a pilot both are the multiplex: mono.
 * arg: struct decoder, borrowed. */
const struct pstk_actor_type *decoder_type(void);

#endif
