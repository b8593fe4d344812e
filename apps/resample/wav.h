/* SPDX-License-Identifier: MIT */
/* RIFF WAVE files with PCM of 16 or 24 bits or 32-bit floats, read and written in order. */
#ifndef RESAMPLE_WAV_H
#define RESAMPLE_WAV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "actors/common/message.h"
#include "actors/common/reader.h"
#include "actors/common/writer.h"

enum { WAV_FMT = 40, WAV_CHANNELS = 64, WAV_CHUNK = 4096 };

/* A frame has a sample of each channel. */
struct wav_format {
	uint32_t rate; /* frames a second */
	uint32_t channels;
	uint32_t bytes; /* of a sample: 2, 3, 4 (floats) */
	uint32_t frame; /* bytes of a frame */
	bool is_float;
	/* the fmt chunk as it was read: so the output is of the same kind, channels at the same places */
	unsigned char fmt[WAV_FMT];
	uint32_t fmt_size;
};

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

/* Writing thread only, but for writer.stopped and its wake pipe. */
struct wav_output {
	struct ps_writer writer;
	struct wav_format format;
	uint64_t expected; /* frames; UINT64_MAX: unknown */
	uint64_t frames;   /* written */
	uint64_t clipped;  /* samples that were beyond what PCM can have */
	bool begun;        /* its header is written */
	unsigned char *chunk;
	char label[PS_LABEL_SIZE];
};

/* format: but for its rate that of the input. expected: frames that will come; UINT64_MAX: unknown. "-" is stdout. 0,
 * or what to exit with; said then. wav_output_close() follows. */
int wav_output_open(
	struct wav_output *, const char *path, const struct wav_format *format, uint64_t expected);

/* 0 or a negative errno; -EFBIG: a WAV file would have 4 GiB or more. */
int wav_output_write(struct wav_output *, const float *samples, size_t n);

/* Says in the header how many frames there are, and gives the file its name. As wav_output_write(). */
int wav_output_complete(struct wav_output *);

/* Of a pipe or a device: its header says another length than came. */
bool wav_output_header_is_wrong(const struct wav_output *);

void wav_output_close(struct wav_output *);

#endif
