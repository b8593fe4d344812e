/* SPDX-License-Identifier: MIT */
/* The two ends of the network: frames of a WAV file in, as many as they give out. A step is a frame. */
#ifndef RESAMPLE_ENDS_H
#define RESAMPLE_ENDS_H

#include <penstock/penstock.h>

#include "apps/resample/plan.h"
#include "apps/resample/wav.h"

/* Port: out, samples of all channels in turn. arg: struct wav_input, borrowed. */
const struct pstk_actor_type *source_type(const struct wav_input *);

struct sink {
	const struct wav_input *input;
	const struct plan *plan;
	struct wav_output *output; /* opened */
};

/* Port: in, as the source's out. arg: struct sink, borrowed. */
const struct pstk_actor_type *sink_type(const struct wav_output *);

#endif
