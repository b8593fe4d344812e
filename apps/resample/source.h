/* SPDX-License-Identifier: MIT */
/* Frames of a WAV file. A step is a frame. */
#ifndef RESAMPLE_SOURCE_H
#define RESAMPLE_SOURCE_H

#include <penstock/penstock.h>

#include "apps/resample/wav_input.h"

/* Port: out, samples of all channels in turn. arg: struct wav_input, borrowed. */
const struct pstk_actor_type *source_type(const struct wav_input *);

#endif
