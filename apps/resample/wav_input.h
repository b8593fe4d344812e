/* SPDX-License-Identifier: MIT */
/* RIFF WAVE files with PCM of 16 or 24 bits or 32-bit floats, read in order. */
#ifndef RESAMPLE_WAV_INPUT_H
#define RESAMPLE_WAV_INPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "actors/common/message.h"
#include "actors/common/reader.h"
#include "apps/common/wav_output.h"

enum { WAV_CHANNELS = 64 };

/* Reading thread only, but for `given`, reader.stopped and its wake pipe. */
struct wav_input {
	struct ps_reader reader;
	struct wav_format format;
	uint64_t frames;            /* that it has; UINT64_MAX: as many as come */
	uint64_t said;              /* frames that its header says; UINT64_MAX: nothing */
	uint64_t left;              /* of frames */
	bool is_cut;                /* it has fewer than it said, or ends within a frame */
	atomic_uint_fast64_t given; /* frames that a window has; any thread */
	unsigned char *chunk;
	char label[PS_LABEL_SIZE];
};

/* Reads all in front of the samples. "-" is stdin. 0, or what to exit with; said then. wav_input_close() follows. */
int wav_input_open(struct wav_input *, const char *path);

/* Up to n frames, of floats from -1 to 1: fewer at the end, or when stopped. A negative errno. */
int64_t wav_input_read(struct wav_input *, float *samples, size_t n);

void wav_input_close(struct wav_input *);

#endif
