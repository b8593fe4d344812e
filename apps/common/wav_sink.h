/* SPDX-License-Identifier: MIT */
/* The actor that writes a WAV file. A step is a frame. */
#ifndef COMMON_WAV_SINK_H
#define COMMON_WAV_SINK_H

#include <penstock/penstock.h>

#include "apps/common/wav_output.h"

struct wav_sink {
	struct wav_output *output; /* opened; NULL: the samples are swallowed */
	uint32_t channels;
	/* A recording can't be made again: its file may be larger than a header can say. Another one fails there. */
	bool live;
	/* The frames of the file when all that has been given so far is written: what comes beyond them, made of the
	 * zeros behind a stream, is left out. NULL: all that come are written. */
	uint64_t (*length)(const void *data);
	const void *data;
};

/* Port: in, f32, -1 .. 1, samples of all channels in turn. arg: the sink, borrowed. The file gets its name when the
 * network has ended well. */
const struct pstk_actor_type *wav_sink_type(const struct wav_sink *);

#endif
